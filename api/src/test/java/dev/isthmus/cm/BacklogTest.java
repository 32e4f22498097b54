package dev.isthmus.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many connections are asked for at once. Not of iWARP, where none is without a queue pair. */
@Tag("device")
class BacklogTest {

    private static final int BURST = 160;

    /** More than the backlog are lost, and come again after seconds. */
    @Test
    void shouldKeepAllRequestsOfABurst() throws InterruptedException {
        assertEquals(BURST, requestsOf(ConnectionAddressing::listen, Rendezvous.DEADLINE));
        int few = requestsOf(listener -> listener.listen(BURST / 8), Duration.ofMillis(100));
        assertTrue(few < BURST, few + " of " + BURST);
    }

    /** How many requests are there at once, when many were sent. */
    private static int requestsOf(Consumer<ConnectionId> listen, Duration patience) throws InterruptedException {
        try (var there = EventChannel.open();
                var listener = there.createId(PortSpace.TCP);
                var meeting = new Rendezvous()) {
            listener.bind(new InetSocketAddress(Rendezvous.far(), 0));
            listen.accept(listener);
            var clients = new ArrayList<ConnectionId>();
            for (int i = 0; i < BURST; i++) {
                clients.add(meeting.resolved(PortSpace.TCP, listener.localAddress()));
            }
            for (int i = 0; i < BURST; i++) {
                int qpNum = 1000 + i; // the kernel takes two of one number for the same connection
                clients.get(i).connect(config -> config.queuePair(qpNum, false));
            }
            var requests = new ArrayList<ConnectionId>(); // closed at the end: on a busy machine that takes seconds
            while (requests.size() < BURST
                    && there.await(requests.isEmpty() ? Rendezvous.DEADLINE : patience)
                            instanceof CmEvent.ConnectRequest request) {
                requests.add(request.id());
            }
            requests.forEach(ConnectionId::close);
            return requests.size();
        }
    }

    @Test
    void shouldRefuseABacklogOfNone() {
        try (var meeting = new Rendezvous()) {
            ConnectionId id = meeting.id(PortSpace.TCP);
            assertThrows(IllegalArgumentException.class, () -> id.listen(0));
        }
    }
}
