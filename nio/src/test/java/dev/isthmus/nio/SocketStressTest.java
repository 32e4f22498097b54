// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Many threads that do anything to the same sockets, and many sockets at once: nobody waits for ever, and only
 * exceptions of sockets are thrown. ISTHMUS_FUZZ_ACTIONS sets how many pairs of sockets there are, ISTHMUS_FUZZ_SEED
 * the seed.
 */
@Tag("device")
@Tag("iwarp")
@Timeout(TestDeadlines.LONGEST_TEST_SECONDS)
class SocketStressTest {

    private static final int THREADS = 8;
    private static final long LONGEST_SECONDS = TestDeadlines.seconds(60);

    /**
     * SoftiWARP of Linux 6.1 lets no user pin more than {@code ulimit -l}, not even root: 30 pairs with rings of 128
     * KiB would exceed that.
     */
    private static final int FEW_BYTES = 4096;

    private final Queue<Throwable> faults = new ConcurrentLinkedQueue<>();

    private static long setting(String name, long otherwise) {
        String value = System.getenv(name);
        return value == null || value.isBlank() ? otherwise : Long.parseLong(value.strip());
    }

    @Test
    void shouldLetNobodyWaitForEver() throws Exception {
        long pairs = setting("ISTHMUS_FUZZ_ACTIONS", 8);
        long seed = setting("ISTHMUS_FUZZ_SEED", System.nanoTime() % 1_000_000_000);
        System.out.println("SocketStressTest: ISTHMUS_FUZZ_SEED=" + seed + " ISTHMUS_FUZZ_ACTIONS=" + pairs);
        for (int i = 0; i < pairs; i++) {
            try (var pair = Pair.connected()) {
                play(pair, seed + i);
            }
            assertTrue(faults.isEmpty(), () -> "with seed " + seed + ": " + faults);
        }
    }

    private void play(Pair pair, long seed) throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            var random = new Random(seed * THREADS + i);
            RdmaSocketChannel socket = i % 2 == 0 ? pair.client : pair.server;
            threads.add(Thread.ofPlatform().daemon().name("stress-" + i).unstarted(() -> act(socket, random)));
        }
        threads.forEach(Thread::start);
        var random = new Random(seed);
        for (int i = 0; i < 3; i++) {
            TimeUnit.MILLISECONDS.sleep(random.nextInt(100));
            threads.get(random.nextInt(THREADS)).interrupt();
        }
        TimeUnit.MILLISECONDS.sleep(random.nextInt(100));
        (random.nextBoolean() ? pair.client : pair.server).close(); // which ends all that still wait
        join(threads);
    }

    private static void join(List<Thread> threads) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONGEST_SECONDS);
        for (Thread thread : threads) {
            thread.join(Math.max(1, (end - System.nanoTime()) / 1_000_000));
        }
        if (threads.stream().anyMatch(Thread::isAlive)) {
            Thread.getAllStackTraces().forEach((thread, frames) -> {
                System.out.println(thread);
                Stream.of(frames).forEach(frame -> System.out.println("    " + frame));
            });
            throw new AssertionError("threads wait after " + LONGEST_SECONDS + " s; their stacks are above");
        }
    }

    /** Until the socket is closed, or its end has been read. */
    private void act(RdmaSocketChannel socket, Random random) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(100_000);
        try {
            boolean more = true;
            while (more) {
                buffer.clear().limit(1 + random.nextInt(buffer.capacity()));
                switch (random.nextInt(200)) {
                    case 0 -> socket.shutdownOutput();
                    case 1 -> socket.shutdownInput();
                    case 2 -> socket.close();
                    default -> {
                        if (random.nextBoolean()) {
                            socket.write(buffer);
                        } else {
                            more = socket.read(buffer) >= 0;
                        }
                    }
                }
            }
        } catch (IOException e) {
            assert e != null; // closed, interrupted, shut down or reset, as expected
        } catch (Throwable t) {
            faults.add(t);
        }
    }

    @Test
    void shouldOpenAndCloseManyAtOnce() throws Exception {
        int sockets = Math.toIntExact(setting("ISTHMUS_STORM", 30));
        try (var listener = RdmaServerSocketChannel.open()) {
            listener.setOption(StandardSocketOptions.SO_RCVBUF, FEW_BYTES);
            listener.bind(new InetSocketAddress(Hosts.far(), 0), sockets);
            List<RdmaSocketChannel> clients = new ArrayList<>();
            for (int i = 0; i < sockets; i++) {
                RdmaSocketChannel one = RdmaSocketChannel.open();
                one.setOption(StandardSocketOptions.SO_RCVBUF, FEW_BYTES);
                one.setOption(StandardSocketOptions.SO_SNDBUF, FEW_BYTES);
                one.configureBlocking(false);
                assertTrue(!one.connect(listener.getLocalAddress()) || one.isConnected());
                clients.add(one);
            }
            List<RdmaSocketChannel> accepted = new ArrayList<>();
            for (int i = 0; i < sockets; i++) {
                accepted.add(listener.accept());
            }
            for (RdmaSocketChannel one : clients) {
                one.configureBlocking(true);
                assertTrue(one.finishConnect());
                assertEquals(1, one.write(ByteBuffer.allocate(1)));
            }
            for (RdmaSocketChannel one : accepted) {
                assertEquals(1, one.read(ByteBuffer.allocate(10)));
            }
            for (RdmaSocketChannel one : clients) {
                one.close();
            }
            for (RdmaSocketChannel one : accepted) {
                assertEquals(-1, one.read(ByteBuffer.allocate(10)));
                one.close();
            }
        }
    }

    @Test
    void shouldLetGoOfAConnectionThatNobodyAskedFor() throws Exception {
        try (var listener = RdmaServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(Hosts.far(), 0));
            RdmaSocketChannel client = RdmaSocketChannel.open();
            client.configureBlocking(false);
            client.connect(listener.getLocalAddress());
            try (var made = listener.accept();
                    var later = RdmaSocketChannel.open(listener.getLocalAddress())) {
                assertTrue(later.isConnected(), "and the first before it, as events come in order");
                client.close();
                assertEquals(-1, made.read(ByteBuffer.allocate(1)));
            }
        }
    }
}
