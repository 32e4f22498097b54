package dev.isthmus.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.CmException;
import dev.isthmus.CmException.Failure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is seen of a peer whose process is killed in some phase: its kernel tells, so nobody waits for long. */
@Tag("device")
class KilledPeerTest {

    private static final Duration DEADLINE = Duration.ofMinutes(2);

    /** Comes so far as it is told, says so, and does nothing more. */
    static final class Peer {

        public static void main(String... args) throws Exception {
            var address = new InetSocketAddress(InetAddress.getByName(args[1]), Integer.parseInt(args[2]));
            try (var meeting = new Rendezvous()) {
                switch (args[0]) {
                    case "connecting" -> {
                        ConnectionId id = meeting.resolved(PortSpace.TCP, address);
                        meeting.queuePair(id);
                        id.connect(config -> {});
                    }
                    case "connected" -> {
                        ConnectionId id = meeting.resolved(PortSpace.TCP, address);
                        meeting.queuePair(id);
                        id.connect(config -> {});
                        meeting.expect(id, CmEvent.Established.class);
                    }
                    case "listening", "requested" -> {
                        ConnectionId listener = meeting.id(PortSpace.TCP);
                        listener.bind(address);
                        listener.listen(8);
                        if (args[0].equals("requested")) {
                            System.out.println("ready");
                            meeting.expect(listener, CmEvent.ConnectRequest.class);
                        }
                    }
                    default -> throw new IllegalArgumentException(args[0]);
                }
                System.out.println("there");
                Thread.sleep(DEADLINE.toMillis());
            }
        }
    }

    private static Process start(String phase, InetSocketAddress address) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Peer.class.getName(),
                        phase,
                        address.getAddress().getHostAddress(),
                        "" + address.getPort())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static void awaitLine(Process peer, String line) throws IOException {
        while (true) {
            String said = peer.inputReader().readLine();
            assertNotNull(said, "it has ended");
            if (said.equals(line)) {
                return;
            }
        }
    }

    private static void kill(Process peer) throws InterruptedException {
        peer.destroyForcibly();
        assertTrue(peer.waitFor(60, TimeUnit.SECONDS));
    }

    @Test
    void shouldDropAPeerThatIsKilledBeforeItsRequestIsAnswered() throws Exception {
        try (var meeting = new Rendezvous()) {
            ConnectionId listener = meeting.listener(PortSpace.TCP);
            Process peer = start("connecting", listener.localAddress());
            awaitLine(peer, "there");
            ConnectionId id =
                    meeting.expect(listener, CmEvent.ConnectRequest.class).id();
            kill(peer);
            try {
                meeting.queuePair(id);
                id.accept(config -> {});
            } catch (CmException e) {
                assertTrue(e.getMessage().contains("EINVAL"), e.getMessage());
                return; // its kernel has told this one already, and no event comes
            }
            CmEvent event = meeting.expect(id, CmEvent.class);
            assertTrue(
                    event instanceof CmEvent.Rejected
                            || event instanceof CmEvent.Unreachable
                            || event instanceof CmEvent.Disconnected,
                    event.toString());
        }
    }

    @Test
    void shouldNotBotherAListenerWithAPeerThatIsKilledBeforeItLooks() throws Exception {
        try (Listener listener = Listener.bind(new InetSocketAddress(Rendezvous.far(), 0))) {
            Process peer = start("connecting", listener.localAddress());
            awaitLine(peer, "there");
            kill(peer);
            var e = assertThrows(CmException.class, () -> listener.accept(Duration.ofSeconds(2)));
            assertEquals(Failure.TIMED_OUT, e.failure());
        }
    }

    @Test
    void shouldTellOfAClientThatIsKilledOnceConnected() throws Exception {
        try (Listener listener = Listener.bind(new InetSocketAddress(Rendezvous.far(), 0))) {
            Process peer = start("connected", listener.localAddress());
            try (Connection connection = listener.accept(DEADLINE)) {
                awaitLine(peer, "there");
                long start = System.nanoTime();
                kill(peer);
                CmException end = connection.awaitEnd(Duration.ofSeconds(20));
                assertNotNull(end);
                assertEquals(Failure.DISCONNECTED, end.failure());
                System.out.println("client killed: known after " + (System.nanoTime() - start) / 1_000_000 + " ms");
            }
        }
    }

    @Test
    void shouldSayThatAListenerWasKilledBeforeOrWhileItWasAsked() throws Exception {
        InetSocketAddress at;
        try (var free = Listener.bind(new InetSocketAddress(Rendezvous.far(), 0))) {
            at = free.localAddress();
        }
        Process listening = start("listening", at);
        awaitLine(listening, "there");
        kill(listening);
        var nobody = assertThrows(CmException.class, () -> Connector.connect(at, DEADLINE));
        assertEquals(Failure.REJECTED, nobody.failure());

        Process asked = start("requested", at);
        awaitLine(asked, "ready");
        Task<Connection> client = Task.start(() -> Connector.connect(at, DEADLINE));
        awaitLine(asked, "there");
        long start = System.nanoTime();
        kill(asked);
        var e = assertInstanceOf(CmException.class, client.failure());
        assertEquals(Failure.REJECTED, e.failure());
        System.out.println("server killed when asked: known after " + (System.nanoTime() - start) / 1_000_000 + " ms");
    }
}
