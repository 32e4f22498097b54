// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.NotYetConnectedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Short conversations of virtual threads, many at a time: connect, some messages of random length each way, an orderly
 * close. Each ends before its deadline. If one does not, the test prints what each side was doing.
 */
@Tag("device")
@Tag("extended")
class ConversationsTest {

    /** For more, such as 10,000 of each kind: {@code ./isthmus test --with conversations=10000}. */
    private static final int CONVERSATIONS = Integer.getInteger("isthmus.test.conversations", 200);

    private static final Duration LONGEST = TestDeadlines.ofSeconds(30);
    private static final long SEED = Long.getLong("isthmus.test.seed", System.nanoTime() % 1_000_000_000);
    private static final int BUFFER = 4096; // so that many messages have to wait for room
    private static final int QUEUE = 16;
    private static final int MOST_MESSAGES = 8;
    private static final int MOST_BITS = 14; // of the length of a message
    private static final byte[] BYTES = new byte[2 << MOST_BITS];

    static {
        new Random(SEED).nextBytes(BYTES);
    }

    /** How the conversation ends. */
    private enum End {
        CLIENT_CLOSES,
        SERVER_CLOSES,
        CLIENT_SHUTS_ITS_OUTPUT
    }

    private static final List<End> ENDS = List.of(End.values());

    /** One side. Both take the same random numbers, and so agree on what is said by whom. */
    private abstract static class Side {

        final RdmaSocketChannel channel;
        private final boolean isClient;
        private final Thread thread = Thread.ofVirtual().unstarted(this::run);
        private volatile String doing = "connects";
        private volatile Throwable fault; // null if there was none

        Side(RdmaSocketChannel channel, boolean isClient) {
            this.channel = channel;
            this.isClient = isClient;
        }

        /** Connects, if it is not connected yet; returns the client's address. */
        abstract InetSocketAddress client() throws IOException;

        private void run() {
            try (channel) {
                talk(new Random(SEED + client().getPort()));
                doing = "closes";
            } catch (Throwable t) {
                fault = t;
            }
        }

        private void talk(Random random) throws IOException {
            End end = ENDS.get(random.nextInt(ENDS.size()));
            for (int i = random.nextInt(MOST_MESSAGES); i >= 0; i--) {
                boolean byClient = random.nextBoolean();
                say(byClient, 1 + random.nextInt(1 << random.nextInt(MOST_BITS)), i);
            }
            switch (end) {
                case CLIENT_CLOSES -> awaitEnd(!isClient);
                case SERVER_CLOSES -> awaitEnd(isClient);
                case CLIENT_SHUTS_ITS_OUTPUT -> {
                    if (isClient) {
                        channel.shutdownOutput();
                    }
                    awaitEnd(!isClient);
                    say(false, 1 + random.nextInt(BUFFER), 0);
                    awaitEnd(isClient);
                }
                default -> throw new AssertionError(end);
            }
        }

        private void say(boolean byClient, int length, int at) throws IOException {
            ByteBuffer message = ByteBuffer.wrap(BYTES, at, length).slice();
            if (byClient == isClient) {
                doing = "writes " + length + " bytes";
                assertEquals(length, channel.write(message));
            } else {
                doing = "reads " + length + " bytes";
                ByteBuffer into = ByteBuffer.allocate(length);
                while (into.hasRemaining()) {
                    assertTrue(channel.read(into) > 0, "it ended early");
                }
                assertEquals(-1, message.mismatch(into.flip()), "at this byte it differs");
            }
        }

        private void awaitEnd(boolean is) throws IOException {
            if (is) {
                doing = "awaits the end";
                assertEquals(-1, channel.read(ByteBuffer.allocate(1)));
            }
        }

        boolean isOverBy(long deadline) throws InterruptedException {
            return thread.join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime()))) && fault == null;
        }

        void report() {
            System.out.println(this + ": " + channel.state());
            if (fault != null) {
                fault.printStackTrace(System.out);
            }
            for (StackTraceElement frame : thread.getStackTrace()) {
                System.out.println("    at " + frame);
            }
        }

        /** Whether there is something that its thread should have been woken for. */
        void poll() {
            String found;
            try {
                found = channel.available() + " bytes to read";
            } catch (IOException | NotYetConnectedException e) {
                found = e.toString();
            }
            System.out.println(this + " has, when polled, " + found + ": " + channel.state());
        }

        @Override
        public String toString() {
            return (isClient ? "client " : "server ") + thread + ", which " + doing;
        }
    }

    private static final class Client extends Side {

        private final InetSocketAddress server;

        Client(InetSocketAddress server) throws IOException {
            super(RdmaSocketChannel.open(), true);
            this.server = server;
            channel.setOption(StandardSocketOptions.SO_SNDBUF, BUFFER)
                    .setOption(StandardSocketOptions.SO_RCVBUF, BUFFER)
                    .setOption(RdmaSocketOptions.SEND_QUEUE, QUEUE)
                    .setOption(RdmaSocketOptions.RECEIVE_QUEUE, QUEUE);
        }

        @Override
        InetSocketAddress client() throws IOException {
            channel.connect(server);
            return (InetSocketAddress) channel.getLocalAddress();
        }
    }

    private static final class Server extends Side {

        Server(RdmaSocketChannel accepted) {
            super(accepted, false);
        }

        @Override
        InetSocketAddress client() throws IOException {
            return (InetSocketAddress) channel.getRemoteAddress();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {50, 100, 200})
    void shouldEndEachInTime(int atATime) throws Exception {
        long begin = System.nanoTime();
        try (RdmaServerSocketChannel listener = RdmaServerSocketChannel.open()) {
            listener.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER)
                    .setOption(RdmaSocketOptions.SEND_QUEUE, QUEUE)
                    .setOption(RdmaSocketOptions.RECEIVE_QUEUE, QUEUE)
                    .bind(new InetSocketAddress(Hosts.far(), 0), atATime);
            for (int left = CONVERSATIONS; left > 0; left -= atATime) {
                hold(listener, Math.min(left, atATime));
            }
        }
        System.out.println(CONVERSATIONS + " conversations, " + atATime + " at a time: "
                + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin) + " ms");
    }

    /** All begin at once. */
    private static void hold(RdmaServerSocketChannel listener, int count) throws Exception {
        long deadline = System.nanoTime() + LONGEST.toNanos();
        List<Side> sides = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sides.add(started(new Client((InetSocketAddress) listener.getLocalAddress())));
        }
        try {
            for (int i = 0; i < count; i++) {
                sides.add(started(new Server(listener.accept(deadline))));
            }
        } catch (SocketTimeoutException e) {
            System.out.println(sides.size() - count + " of " + count + " were accepted");
        }
        List<Side> left = new ArrayList<>();
        for (Side side : sides) {
            if (!side.isOverBy(deadline)) {
                left.add(side);
            }
        }
        left.forEach(Side::report);
        left.forEach(Side::poll); // only now, as it may let a side that lost a wakeup go on
        assertEquals(List.of(), left.stream().map(Side::toString).toList(), "after " + LONGEST + ", with seed " + SEED);
    }

    private static Side started(Side side) {
        side.thread.start();
        return side;
    }
}
