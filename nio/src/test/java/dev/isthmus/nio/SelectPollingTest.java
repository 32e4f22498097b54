// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.testbed.ChildJvm;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.testbed.ThreadTime;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long a select polls before it sleeps, by {@code isthmus.nio.selectPolling}. */
@Tag("device")
@Tag("iwarp")
@Tag("extended")
class SelectPollingTest {

    @ParameterizedTest
    @ValueSource(ints = {0, 60_000_000})
    void shouldPollAsLongAsThePropertySays(int micros) {
        ChildJvm.Result result = new ChildJvm()
                .options("-Disthmus.nio.selectPolling=" + micros, "--enable-native-access=ALL-UNNAMED")
                .run(Program.class, micros == 0 ? "sleeps" : "polls");
        assertEquals(0, result.status(), result.output());
    }

    /** Selects with one channel that was active just before. */
    static final class Program {

        private static final int MILLIS = 300;

        /** More than it takes to end a short wait. */
        private static final long LATE = TestDeadlines.ofSeconds(20).toMillis();

        private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

        private Program() {}

        public static void main(String[] args) throws Exception {
            boolean polls = args[0].equals("polls");
            try (var linked = Transport.RDMA.linked();
                    Selector selector = RdmaSelector.open()) {
                linked.server.configureBlocking(false).register(selector, OP_READ);
                long self = Thread.currentThread().threadId();
                if (polls) {
                    for (int round = 0; round < 3; round++) {
                        long before = THREADS.getThreadCpuTime(self);
                        selectInVain(linked, selector);
                        long busy = (THREADS.getThreadCpuTime(self) - before) / 1_000_000;
                        // Others may have the processor for most of the time, but not for nearly all of it.
                        check(busy > MILLIS / 20, busy + " ms of processor time");
                    }
                } else {
                    ThreadTime.assertBelow(self, Duration.ofMillis(MILLIS / 3), () -> selectInVain(linked, selector));
                }
                exchange(linked, selector);
                Running<Integer> selecting = Running.of(selector::select);
                if (!polls) {
                    selecting.awaitBlocked();
                }
                selector.wakeup();
                check(selecting.get() == 0, "it was woken");
                exchange(linked, selector);
                selecting = Running.of(selector::select);
                linked.client.write(ByteBuffer.allocate(3));
                check(selecting.get() == 1, "one is ready");
            }
        }

        /** Selects until the time is over, just after the channel was active. */
        private static void selectInVain(Transport.Linked linked, Selector selector) throws Exception {
            exchange(linked, selector);
            long begin = System.nanoTime();
            check(selector.select(MILLIS) == 0, "nothing was sent");
            long took = (System.nanoTime() - begin) / 1_000_000;
            check(took >= MILLIS && took < LATE, took + " ms");
        }

        private static void exchange(Transport.Linked linked, Selector selector) throws Exception {
            linked.client.write(ByteBuffer.allocate(3));
            check(selector.select() == 1, "one is ready");
            check(linked.server.read(ByteBuffer.allocate(10)) == 3, "all was read");
            selector.selectedKeys().clear();
        }

        private static void check(boolean is, String what) {
            if (!is) {
                throw new AssertionError(what);
            }
        }
    }
}
