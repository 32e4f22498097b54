package dev.isthmus.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Many connections on one channel each for servers and clients, served by one thread. ISTHMUS_STORM says how many; the
 * emulated machine makes some ten a second.
 */
@Tag("device")
class StormTest {

    private static final int CONNECTIONS = Integer.parseInt(System.getenv().getOrDefault("ISTHMUS_STORM", "100"));

    /** As many are under way at once. */
    private static final int WINDOW = 32;

    private static final Duration DEADLINE = Duration.ofMinutes(10);

    /** One side: what it makes for each connection, and takes down again. */
    private abstract static class Side implements AutoCloseable {
        final EventChannel channel = EventChannel.open();
        final Map<DeviceContext, ProtectionDomain> domains = new HashMap<>();
        final Map<DeviceContext, CompletionQueue> queues = new HashMap<>();
        int established;
        int ended;

        void queuePair(ConnectionId id) {
            DeviceContext device = id.device();
            ProtectionDomain pd = domains.computeIfAbsent(device, DeviceContext::allocateProtectionDomain);
            CompletionQueue cq = queues.computeIfAbsent(device, d -> d.createCompletionQueue(1024));
            id.createQueuePair(pd, cq, cq, config -> config.maxSendWr(1).maxRecvWr(1));
        }

        void end(ConnectionId id) {
            QueuePair qp = id.queuePair();
            if (qp != null) {
                qp.close();
            }
            id.close();
            ended++;
        }

        @Override
        public void close() {
            queues.values().forEach(CompletionQueue::close);
            domains.values().forEach(ProtectionDomain::close);
            channel.close();
        }
    }

    /** Accepts two of three, and rejects the third. */
    private static final class Server extends Side {
        int requests;

        void on(CmEvent event) {
            switch (event) {
                case CmEvent.ConnectRequest(var id, var listener, var parameters) -> {
                    if (requests++ % 3 == 2) {
                        id.reject(PrivateData.of("third"));
                        id.close();
                    } else {
                        queuePair(id);
                        id.accept(config -> {});
                    }
                }
                case CmEvent.Established(var id, var parameters) -> established++;
                case CmEvent.Disconnected(var id, int status) -> {
                    id.disconnect();
                    end(id);
                }
                default -> {}
            }
        }
    }

    /** Connects, and disconnects at once. */
    private static final class Client extends Side {
        private final InetSocketAddress to;
        int begun;
        int rejected;

        Client(InetSocketAddress to) {
            this.to = to;
        }

        void begin() {
            if (begun < CONNECTIONS) {
                begun++;
                channel.createId(PortSpace.TCP)
                        .resolveAddress(new InetSocketAddress(Rendezvous.near(), 0), to, Duration.ofSeconds(2));
            }
        }

        void on(CmEvent event) {
            ConnectionId id = event.id();
            switch (event) {
                case CmEvent.AddressResolved e -> id.resolveRoute(Duration.ofSeconds(2));
                case CmEvent.AddressError e ->
                    id.resolveAddress(new InetSocketAddress(Rendezvous.near(), 0), to, Duration.ofSeconds(2));
                case CmEvent.RouteResolved e -> {
                    queuePair(id);
                    id.connect(config -> {});
                }
                case CmEvent.Established e -> {
                    established++;
                    id.disconnect();
                }
                case CmEvent.Rejected e -> {
                    assertEquals("third", e.privateData().text());
                    rejected++;
                    end(id);
                    begin();
                }
                case CmEvent.Disconnected e -> {
                    end(id);
                    begin();
                }
                default -> {}
            }
        }
    }

    @Test
    void shouldServeAStormFromOneThread() throws InterruptedException {
        try (var server = new Server();
                var listener = server.channel.createId(PortSpace.TCP)) {
            listener.bind(new InetSocketAddress(Rendezvous.far(), 0));
            listener.listen(2 * WINDOW);
            try (var client = new Client(listener.localAddress());
                    var loop = EventLoop.open()) {
                loop.add(server.channel, server::on);
                loop.add(client.channel, client::on);
                for (int i = 0; i < WINDOW; i++) {
                    client.begin();
                }
                long end = System.nanoTime() + DEADLINE.toNanos();
                while (client.ended < CONNECTIONS || server.ended < client.established) {
                    assertTrue(
                            loop.turn(Duration.ofSeconds(30)), () -> "stuck at " + client.ended + ", " + server.ended);
                    assertTrue(System.nanoTime() < end);
                }
                assertEquals(CONNECTIONS, client.established + client.rejected);
                assertEquals(CONNECTIONS / 3, client.rejected);
                assertEquals(client.established, server.ended);
            }
        }
    }
}
