// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Channel;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How channels end: closes, interrupts, half closes, resets. */
interface CloseContract {

    Transport transport();

    private static Object writeOn(SocketChannel channel) throws IOException {
        ByteBuffer block = ByteBuffer.allocate(1 << 16);
        while (true) {
            channel.write(block.clear());
        }
    }

    private static void endsByClose(Channel channel, Callable<?> call) throws Exception {
        Running<?> running = Running.of(call).awaitBlocked();
        channel.close();
        assertEquals(AsynchronousCloseException.class, running.failure().getClass());
        assertFalse(running.wasInterrupted());
    }

    private static void endsByInterrupt(Channel channel, Callable<?> call) throws Exception {
        Running<?> running = Running.of(call).awaitBlocked();
        running.interrupt();
        assertEquals(ClosedByInterruptException.class, running.failure().getClass());
        assertTrue(running.wasInterrupted());
        assertFalse(channel.isOpen());
    }

    private static void doesNotBegin(Channel channel, Callable<?> call) throws Exception {
        Running<?> running = Running.interrupted(call);
        assertEquals(ClosedByInterruptException.class, running.failure().getClass());
        assertTrue(running.wasInterrupted());
        assertFalse(channel.isOpen());
    }

    @Test
    default void shouldEndAReadByClose() throws Exception {
        try (var linked = transport().linked()) {
            endsByClose(linked.client, () -> linked.client.read(ByteBuffer.allocate(1)));
        }
    }

    @Test
    default void shouldEndAWriteByClose() throws Exception {
        try (var linked = transport().linked()) {
            Running<?> running = Running.of(() -> writeOn(linked.client)).awaitBlocked();
            linked.client.close();
            assertInstanceOf(ClosedChannelException.class, running.failure());
        }
    }

    @Test
    default void shouldEndAnAcceptByClose() throws Exception {
        try (ServerSocketChannel listener = transport().listening()) {
            endsByClose(listener, listener::accept);
        }
    }

    @Test
    default void shouldEndAConnectByClose() throws Exception {
        try (var silent = transport().silent();
                SocketChannel client = transport().open()) {
            endsByClose(client, () -> client.connect(silent.address()));
        }
    }

    @Test
    default void shouldEndAReadByAnInterrupt() throws Exception {
        try (var linked = transport().linked()) {
            endsByInterrupt(linked.client, () -> linked.client.read(ByteBuffer.allocate(1)));
            assertEquals(-1, linked.server.read(ByteBuffer.allocate(1)));
        }
    }

    @Test
    default void shouldEndAWriteByAnInterrupt() throws Exception {
        try (var linked = transport().linked()) {
            Running<?> running = Running.of(() -> writeOn(linked.client)).awaitBlocked();
            running.interrupt();
            assertInstanceOf(ClosedChannelException.class, running.failure());
            assertTrue(running.wasInterrupted());
            assertFalse(linked.client.isOpen());
        }
    }

    @Test
    default void shouldEndAnAcceptByAnInterrupt() throws Exception {
        try (ServerSocketChannel listener = transport().listening()) {
            endsByInterrupt(listener, listener::accept);
        }
    }

    @Test
    default void shouldEndAConnectByAnInterrupt() throws Exception {
        try (var silent = transport().silent();
                SocketChannel client = transport().open()) {
            endsByInterrupt(client, () -> client.connect(silent.address()));
        }
    }

    @Test
    default void shouldNotBeginWhenItIsInterruptedBefore() throws Exception {
        ByteBuffer one = ByteBuffer.allocate(1);
        try (var linked = transport().linked();
                SocketChannel client = transport().open()) {
            linked.server.write(ByteBuffer.allocate(1));
            doesNotBegin(linked.client, () -> linked.client.read(one));
            doesNotBegin(linked.server, () -> linked.server.write(one.clear()));
            var address = linked.listener.getLocalAddress();
            doesNotBegin(client, () -> client.connect(address));
            doesNotBegin(linked.listener, linked.listener::accept);
        }
    }

    @Test
    default void shouldNotCareForInterruptsWhenItDoesNotBlock() throws Exception {
        try (var linked = transport().linked()) {
            linked.client.configureBlocking(false);
            linked.listener.configureBlocking(false);
            Running<Integer> running = Running.interrupted(() -> {
                linked.listener.accept();
                return linked.client.read(ByteBuffer.allocate(1)) + linked.client.write(ByteBuffer.allocate(7));
            });
            assertEquals(7, running.get());
            assertTrue(running.wasInterrupted());
            assertTrue(linked.client.isOpen());
        }
    }

    @Test
    default void shouldReadToTheEndWhenThePeerHasClosed() throws Exception {
        try (var linked = transport().linked()) {
            linked.client.write(ByteBuffer.allocate(10));
            linked.client.close();
            ByteBuffer into = ByteBuffer.allocate(100);
            while (linked.server.read(into) >= 0) {
                assertTrue(into.position() <= 10);
            }
            assertEquals(10, into.position());
            assertEquals(-1, linked.server.read(into));
            assertThrows(IOException.class, () -> writeOn(linked.server));
            assertTrue(linked.server.isOpen());
        }
    }

    @Test
    default void shouldHalfCloseInEitherOrder() throws Exception {
        for (boolean clientFirst : new boolean[] {true, false}) {
            try (var linked = transport().linked()) {
                SocketChannel first = clientFirst ? linked.client : linked.server;
                SocketChannel second = clientFirst ? linked.server : linked.client;
                first.write(ByteBuffer.allocate(3));
                first.shutdownOutput();
                first.shutdownOutput();
                assertThrows(ClosedChannelException.class, () -> first.write(ByteBuffer.allocate(1)));
                ByteBuffer into = ByteBuffer.allocate(10);
                assertEquals(3, second.read(into));
                assertEquals(-1, second.read(into));
                assertEquals(5, second.write(ByteBuffer.allocate(5)));
                assertEquals(5, first.read(into.clear()));
                second.shutdownOutput();
                assertEquals(-1, first.read(into));
                assertEquals(-1, second.read(into));
                assertTrue(first.isOpen() && first.isConnected());
            }
        }
    }

    @Test
    default void shouldReadNothingOnceItsInputIsShut() throws Exception {
        try (var linked = transport().linked()) {
            linked.client.shutdownInput();
            linked.client.shutdownInput();
            assertEquals(-1, linked.client.read(ByteBuffer.allocate(1)));
            assertEquals(2, linked.client.write(ByteBuffer.allocate(2)));
            assertEquals(2, linked.server.read(ByteBuffer.allocate(10)));
        }
    }

    @Test
    default void shouldEndAReadThatWaitsByShuttingItsInput() throws Exception {
        try (var linked = transport().linked()) {
            Running<Integer> reading =
                    Running.of(() -> linked.client.read(ByteBuffer.allocate(1))).awaitBlocked();
            linked.client.shutdownInput();
            assertEquals(-1, reading.get());
        }
    }

    @Test
    default void shouldResetThePeerWhenItLingersNot() throws Exception {
        try (var linked = transport().linked()) {
            Running<Integer> reading =
                    Running.of(() -> linked.server.read(ByteBuffer.allocate(1))).awaitBlocked();
            linked.client.setOption(StandardSocketOptions.SO_LINGER, 0);
            linked.client.close();
            assertInstanceOf(IOException.class, reading.failure());
            assertTrue(linked.server.isOpen());
            assertThrows(IOException.class, () -> linked.server.write(ByteBuffer.allocate(1)));
        }
    }

    @Test
    default void shouldDeliverWhatWasWrittenBeforeAReset() throws Exception {
        var millis = new long[20];
        for (int i = 0; i < millis.length; i++) {
            try (var linked = transport().linked()) {
                linked.client.setOption(StandardSocketOptions.SO_LINGER, 0);
                assertEquals(1000, linked.client.write(ByteBuffer.allocate(1000)));
                long closed = System.nanoTime();
                linked.client.close();
                ByteBuffer into = ByteBuffer.allocate(1000);
                while (into.hasRemaining()) {
                    assertTrue(linked.server.read(into) > 0, into + " the " + i + "th time");
                }
                assertThrows(IOException.class, () -> linked.server.read(into.clear()));
                millis[i] = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - closed);
            }
        }
        Arrays.sort(millis);
        assertTrue(millis[10] < 400, Arrays.toString(millis)); // a close that no event ends takes 500
    }
}
