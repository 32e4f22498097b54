// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.loop.EventLoop;
import dev.isthmus.testbed.TestDeadlines;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Many connections on one channel each for servers and clients, served by one thread: good ones, rejected ones, and
 * those that never take the answer or disappear. ISTHMUS_STORM sets how many.
 */
@Tag("device")
@Tag("extended")
class StormTest {

    private static final int CONNECTIONS = Integer.parseInt(System.getenv().getOrDefault("ISTHMUS_STORM", "1000"));

    /** How many are under way at once. */
    private static final int WINDOW = 32;

    private static final Duration DEADLINE = TestDeadlines.ofSeconds(600);

    /**
     * How long nothing may happen. Linux 6.1 sometimes handles the end of a request before the request itself when a
     * client leaves at once; the server then learns only after some 68 s that nobody takes its answer.
     */
    private static final Duration PATIENCE = TestDeadlines.ofSeconds(150);

    /** No behaviour of a client may keep the server busy for longer, even on a slow machine. */
    private static final long LONGEST_ANSWER_MILLIS = 5000;

    @Test
    void shouldServeAStormFromOneThread() throws InterruptedException {
        Times times = new Times();
        long start = System.nanoTime();
        try (var server = new StormServer(times);
                var listener = server.channel.createId(PortSpace.TCP)) {
            listener.bind(new InetSocketAddress(Rendezvous.far(), 0));
            listener.listen(2 * WINDOW);
            try (var client = new StormClient(times, listener.localAddress(), CONNECTIONS);
                    var loop = EventLoop.open()) {
                loop.add(server.channel, server::on);
                loop.add(client.channel, client::on);
                for (int i = 0; i < WINDOW; i++) {
                    client.begin();
                }
                long end = start + DEADLINE.toNanos();
                while (client.doneAll() < CONNECTIONS) {
                    turn(loop, end, client, server);
                }
                Set.copyOf(client.open).forEach(client::end); // the slow ones
                while (!server.open.isEmpty()) {
                    turn(loop, end, client, server);
                }
                System.out.println(CONNECTIONS + " connections: " + (System.nanoTime() - start) / 1_000_000 + " ms; "
                        + client.done + times);
                Map<StormClient.Kind, Integer> wanted = IntStream.range(0, CONNECTIONS)
                        .mapToObj(StormClient.Kind::of)
                        .collect(Collectors.toMap(kind -> kind, kind -> 1, Integer::sum));
                assertEquals(wanted, client.done);
                assertEquals(wanted.get(StormClient.Kind.GOOD), client.established);
                assertTrue(times.longestMillis("answer a request") < LONGEST_ANSWER_MILLIS, times::toString);
            }
        }
    }

    private static void turn(EventLoop loop, long end, StormClient client, StormServer server)
            throws InterruptedException {
        assertTrue(
                loop.turn(PATIENCE),
                () -> "stuck at " + client.begun + ", " + client.done + ", " + client.open + ", " + server.open);
        assertTrue(System.nanoTime() < end, () -> "still " + client.done);
    }
}
