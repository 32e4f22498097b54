// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.testbed.ChildJvm;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Virtual threads that wait for sockets leave their carrier to others. */
@Tag("device")
@Tag("extended")
class VirtualThreadsTest {

    private static final int SOCKETS = 200;

    /** In a JVM with one carrier: a thread that kept it would let no other run. */
    @Test
    void shouldLetOneThreadCarryAllThatWait() throws Exception {
        ChildJvm.Result result = new ChildJvm()
                .options(
                        "-Djdk.virtualThreadScheduler.parallelism=1",
                        "-Djdk.virtualThreadScheduler.maxPoolSize=1",
                        "-Disthmus.nio.sendBuffer=4096",
                        "-Disthmus.nio.receiveBuffer=4096",
                        "-Disthmus.nio.sendQueue=16",
                        "-Disthmus.nio.receiveQueue=16",
                        "--enable-native-access=ALL-UNNAMED")
                .run(Program.class);
        assertEquals(0, result.status(), result.output());
    }

    /** Each of this many virtual threads waits for a byte, and sends it back. */
    static final class Program {

        private Program() {}

        public static void main(String[] args) throws Exception {
            List<SocketChannel> clients = new ArrayList<>();
            List<Thread> threads = new ArrayList<>();
            try (var server = RdmaServerSocketChannel.open()) {
                server.bind(new InetSocketAddress(Hosts.far(), 0));
                for (int i = 0; i < SOCKETS; i++) {
                    clients.add(RdmaSocketChannel.open(server.getLocalAddress()));
                    SocketChannel accepted = server.accept();
                    threads.add(Thread.ofVirtual().start(() -> echo(accepted)));
                }
                for (Thread thread : threads) {
                    while (!isWaiting(thread.getState())) {
                        Thread.onSpinWait();
                    }
                }
                for (int i = SOCKETS - 1; i >= 0; i--) {
                    ByteBuffer one = ByteBuffer.wrap(new byte[] {(byte) i});
                    clients.get(i).write(one);
                    if (clients.get(i).read(one.clear()) != 1 || one.get(0) != (byte) i) {
                        throw new AssertionError("it got " + one.get(0) + " back for " + i);
                    }
                }
                for (int i = 0; i < SOCKETS; i++) {
                    clients.get(i).close();
                    threads.get(i).join();
                }
            }
        }

        private static boolean isWaiting(Thread.State state) {
            return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
        }

        private static void echo(SocketChannel channel) {
            ByteBuffer one = ByteBuffer.allocate(1);
            try (channel) {
                while (channel.read(one.clear()) > 0) {
                    channel.write(one.flip());
                }
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }
}
