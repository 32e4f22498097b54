// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.nio.stream.Deadlines;
import dev.isthmus.testbed.ChildJvm;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two servers that are one: without a device, both are over TCP. */
@Tag("unit")
class DualServerTest {

    private static final int CONNECTIONS = 5;

    private static ServerSocketChannel listening() throws IOException {
        return ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    /** Takes one, and returns how often its thread has waited since it began. */
    private static long takeAndCountWaits(DualServer<SocketChannel> both) throws IOException, InterruptedException {
        long id = Thread.currentThread().threadId();
        both.take(Deadlines.EVER).close();
        return ManagementFactory.getThreadMXBean().getThreadInfo(id).getWaitedCount();
    }

    @Test
    void shouldLetManyWaitWithoutWakingEachOther() throws Exception {
        ServerSocketChannel one = listening();
        ServerSocketChannel other = listening();
        var both = DualServer.of(one, other, 10);
        try (SocketChannel first = SocketChannel.open();
                SocketChannel second = SocketChannel.open()) {
            Running<Long> taking = Running.of(() -> takeAndCountWaits(both)).awaitBlocked();
            Running<Long> takingToo = Running.of(() -> takeAndCountWaits(both)).awaitBlocked();
            first.connect(one.getLocalAddress());
            second.connect(other.getLocalAddress());
            long waits = taking.get() + takingToo.get();
            assertTrue(
                    waits <= 8, "they have waited " + waits + " times"); // each for one of three signals, or the lock
        } finally {
            both.close();
        }
    }

    @Test
    void shouldTellOfAFailureOnceAndGoOn() {
        ChildJvm.Result result = new ChildJvm()
                .under("prlimit", "--nofile=256:256")
                .options("--enable-native-access=ALL-UNNAMED")
                .deadline(TestDeadlines.ofSeconds(60))
                .run(Program.class);
        assertEquals(0, result.status(), result.output());
    }

    /** Accepts with too many open files, and then with few again. */
    static final class Program {

        private Program() {}

        public static void main(String[] args) throws Exception {
            accept(0); // loads the classes, for which there is no descriptor later
            accept(3);
        }

        private static void accept(int failures) throws IOException, InterruptedException {
            ServerSocketChannel one = listening();
            ServerSocketChannel other = listening();
            List<SocketChannel> clients = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                clients.add(SocketChannel.open((i % 2 == 0 ? one : other).getLocalAddress()));
            }
            OpenFiles files = failures == 0 ? OpenFiles.none() : OpenFiles.all();
            var both = DualServer.of(one, other, 50);
            for (int i = 0; i < failures; i++) {
                if (!fails(both)) {
                    throw new AssertionError("it has accepted without a descriptor");
                }
            }
            files.close();
            int stale = 0;
            for (int accepted = 0; accepted < CONNECTIONS; ) {
                if (fails(both)) {
                    stale++;
                } else {
                    accepted++;
                }
            }
            both.close();
            for (SocketChannel each : clients) {
                each.close();
            }
            if (stale > 1) {
                throw new AssertionError(stale + " failures were reported too late");
            }
        }

        private static boolean fails(DualServer<SocketChannel> both) throws IOException, InterruptedException {
            try {
                both.take(Deadlines.EVER).close();
                return false;
            } catch (IOException e) {
                if (!e.getMessage().contains("Too many open files")) {
                    throw e;
                }
                return true;
            }
        }
    }
}
