// SPDX-License-Identifier: Apache-2.0
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

/** Many connections are requested at once. Not on iWARP, where every connection needs a queue pair. */
@Tag("device")
class BacklogTest {

    private static final int BURST = 160;

    /** Requests beyond the backlog are lost, and come again after seconds. */
    @Test
    void shouldKeepAllRequestsOfABurst() throws InterruptedException {
        assertEquals(BURST, requestsOf(BURST, ConnectionAddressing::listen, Rendezvous.DEADLINE));
        int few = requestsOf(BURST / 4, listener -> listener.listen(BURST / 8), Duration.ZERO);
        assertTrue(few < BURST / 4, few + " of " + BURST / 4);
    }

    /** How many requests wait when many were sent before any was taken, because taking one makes room for another. */
    private static int requestsOf(int burst, Consumer<ConnectionId> listen, Duration patience)
            throws InterruptedException {
        try (var there = EventChannel.open();
                var listener = there.createId(PortSpace.TCP);
                var meeting = new Rendezvous()) {
            listener.bind(new InetSocketAddress(Rendezvous.far(), 0));
            listen.accept(listener);
            var clients = new ArrayList<ConnectionId>();
            for (int i = 0; i < burst; i++) {
                clients.add(meeting.resolved(PortSpace.TCP, listener.localAddress()));
            }
            ConnectionId second = meeting.listener(PortSpace.TCP);
            ConnectionId last = meeting.resolved(second);
            for (int i = 0; i < burst; i++) {
                request(clients.get(i), i);
            }
            request(last, burst);
            // Management datagrams keep their order: when the last request is there, so are those before it.
            meeting.expect(second, CmEvent.ConnectRequest.class).id().close();
            var requests = new ArrayList<ConnectionId>(); // closed at the end: on a busy machine that takes seconds
            while (requests.size() < burst && there.await(patience) instanceof CmEvent.ConnectRequest request) {
                requests.add(request.id());
            }
            requests.forEach(ConnectionId::close);
            return requests.size();
        }
    }

    private static void request(ConnectionId client, int number) {
        int qpNum = 1000 + number; // the kernel takes two of one number for the same connection
        client.connect(config -> config.queuePair(qpNum, false));
    }

    @Test
    void shouldRefuseABacklogOfNone() {
        try (var meeting = new Rendezvous()) {
            ConnectionId id = meeting.id(PortSpace.TCP);
            assertThrows(IllegalArgumentException.class, () -> id.listen(0));
        }
    }
}
