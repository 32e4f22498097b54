// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AcceptPendingException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.IllegalChannelGroupException;
import java.nio.channels.InterruptedByTimeoutException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.ReadPendingException;
import java.nio.channels.ShutdownChannelGroupException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.WritePendingException;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Asynchronous channels. */
interface AsyncContract {

    AsynchronousChannelProvider provider();

    /** The address on which a server listens. */
    InetAddress address();

    /** Two connected channels. */
    final class Linked implements AutoCloseable {

        final AsynchronousServerSocketChannel listener;
        final AsynchronousSocketChannel client;
        final AsynchronousSocketChannel server;

        Linked(AsyncContract of, AsynchronousChannelGroup group) throws Exception {
            listener = of.listening(group);
            client = of.provider().openAsynchronousSocketChannel(group);
            Future<AsynchronousSocketChannel> accepting = listener.accept();
            assertNull(get(client.connect(listener.getLocalAddress())));
            server = get(accepting);
        }

        @Override
        public void close() throws IOException {
            client.close();
            server.close();
            listener.close();
        }
    }

    /** A handler as a future, which also knows on which thread it ran. */
    final class Handler<V> implements CompletionHandler<V, String> {

        final CompletableFuture<V> result = new CompletableFuture<>();
        volatile Thread thread;

        @Override
        public void completed(V value, String attachment) {
            thread = Thread.currentThread();
            assertEquals("attached", attachment);
            result.complete(value);
        }

        @Override
        public void failed(Throwable failure, String attachment) {
            thread = Thread.currentThread();
            assertEquals("attached", attachment);
            result.completeExceptionally(failure);
        }
    }

    static <V> V get(Future<V> future) throws Exception {
        return future.get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
    }

    static Class<?> failure(Future<?> future) {
        return assertThrows(ExecutionException.class, () -> get(future))
                .getCause()
                .getClass();
    }

    private AsynchronousServerSocketChannel listening(AsynchronousChannelGroup group) throws IOException {
        return provider().openAsynchronousServerSocketChannel(group).bind(new InetSocketAddress(address(), 0));
    }

    private Linked linked() throws Exception {
        return new Linked(this, null);
    }

    @Test
    default void shouldExchangeBytesByFuturesAndHandlers() throws Exception {
        try (Linked linked = linked()) {
            assertEquals(5, get(linked.client.write(ByteBuffer.allocate(5))));
            ByteBuffer into = ByteBuffer.allocate(10);
            var reading = new Handler<Integer>();
            linked.server.read(into, "attached", reading);
            assertEquals(5, get(reading.result));
            assertEquals(5, into.position());
            var writing = new Handler<Integer>();
            linked.server.write(into.flip(), "attached", writing);
            assertEquals(5, get(writing.result));
            assertEquals(5, get(linked.client.read(into.clear())));
            assertEquals(0, get(linked.client.read(ByteBuffer.allocate(0))));
            assertEquals(0, get(linked.client.write(ByteBuffer.allocate(0))));
            assertEquals(linked.client.getLocalAddress(), linked.server.getRemoteAddress());
            assertEquals(linked.client.getRemoteAddress(), linked.listener.getLocalAddress());
        }
    }

    @Test
    default void shouldScatterAndGather() throws Exception {
        try (Linked linked = linked()) {
            ByteBuffer[] from = {
                ByteBuffer.allocate(3), ByteBuffer.wrap(new byte[] {1, 2, 3, 4}), ByteBuffer.allocate(9)
            };
            var writing = new Handler<Long>();
            linked.client.write(from, 1, 1, 0, TimeUnit.SECONDS, "attached", writing);
            assertEquals(4, get(writing.result));
            ByteBuffer[] into = {ByteBuffer.allocate(1), ByteBuffer.allocate(9)};
            var reading = new Handler<Long>();
            linked.server.read(into, 0, 2, 10, TimeUnit.SECONDS, "attached", reading);
            assertEquals(4, get(reading.result));
            assertEquals(1, into[0].get(0));
            assertEquals(4, into[1].get(2));
            assertThrows(
                    IndexOutOfBoundsException.class,
                    () -> linked.server.read(into, 1, 2, 0, TimeUnit.SECONDS, "attached", new Handler<Long>()));
        }
    }

    @Test
    default void shouldReadAndWriteAtTheSameTimeToTheEnd() throws Exception {
        byte[] sent = new byte[2_000_003];
        new Random(5).nextBytes(sent);
        try (Linked linked = linked()) {
            ByteBuffer from = ByteBuffer.wrap(sent);
            var done = new CompletableFuture<Void>();
            linked.client.write(from, null, new CompletionHandler<Integer, Void>() {
                @Override
                public void completed(Integer count, Void attachment) {
                    if (from.hasRemaining()) {
                        linked.client.write(from, null, this);
                    } else {
                        done.complete(null);
                    }
                }

                @Override
                public void failed(Throwable failure, Void attachment) {
                    done.completeExceptionally(failure);
                }
            });
            ByteBuffer into = ByteBuffer.allocate(sent.length + 1);
            Future<Integer> back = linked.client.read(ByteBuffer.allocate(1));
            while (into.position() < sent.length) {
                assertTrue(get(linked.server.read(into)) > 0);
            }
            get(done);
            assertEquals(-1, into.flip().mismatch(ByteBuffer.wrap(sent)));
            assertEquals(1, get(linked.server.write(ByteBuffer.allocate(1))));
            assertEquals(1, get(back));
            linked.client.shutdownOutput();
            assertEquals(-1, get(linked.server.read(into.clear())));
            linked.server.close();
            assertEquals(-1, get(linked.client.read(ByteBuffer.allocate(1))));
        }
    }

    @Test
    default void shouldTakeOneOperationOfAKindAtATime() throws Exception {
        try (Linked linked = linked()) {
            Future<Integer> reading = linked.client.read(ByteBuffer.allocate(1));
            assertThrows(ReadPendingException.class, () -> linked.client.read(ByteBuffer.allocate(1)));
            Future<?> accepting = linked.listener.accept();
            assertThrows(AcceptPendingException.class, linked.listener::accept);
            assertThrows(WritePendingException.class, () -> {
                while (true) {
                    linked.client.write(ByteBuffer.allocate(10_000_000));
                }
            });
            linked.client.close();
            linked.listener.close();
            assertEquals(AsynchronousCloseException.class, failure(reading));
            assertEquals(AsynchronousCloseException.class, failure(accepting));
        }
    }

    @Test
    default void shouldReadNoMoreAfterATimeoutButWrite() throws Exception {
        try (Linked linked = linked()) {
            var reading = new Handler<Integer>();
            linked.client.read(ByteBuffer.allocate(1), 20, TimeUnit.MILLISECONDS, "attached", reading);
            assertEquals(InterruptedByTimeoutException.class, failure(reading.result));
            assertTrue(linked.client.isOpen());
            assertThrows(IllegalStateException.class, () -> linked.client.read(ByteBuffer.allocate(1)));
            assertEquals(2, get(linked.client.write(ByteBuffer.allocate(2))));
            assertEquals(2, get(linked.server.read(ByteBuffer.allocate(10))));
        }
    }

    @Test
    default void shouldWriteNoMoreAfterATimeoutButRead() throws Exception {
        try (Linked linked = linked()) {
            var timedOut = new CompletableFuture<Throwable>();
            ByteBuffer from = ByteBuffer.allocateDirect(10_000_000);
            linked.client.write(from, 20, TimeUnit.MILLISECONDS, null, new CompletionHandler<Integer, Void>() {
                @Override
                public void completed(Integer count, Void attachment) {
                    linked.client.write(from.clear(), 20, TimeUnit.MILLISECONDS, null, this);
                }

                @Override
                public void failed(Throwable failure, Void attachment) {
                    timedOut.complete(failure);
                }
            });
            assertEquals(InterruptedByTimeoutException.class, get(timedOut).getClass());
            assertThrows(IllegalStateException.class, () -> linked.client.write(ByteBuffer.allocate(1)));
            assertEquals(2, get(linked.server.write(ByteBuffer.allocate(2))));
            assertEquals(2, get(linked.client.read(ByteBuffer.allocate(10))));
        }
    }

    @Test
    default void shouldNotExpireWhenItEndsInTime() throws Exception {
        try (Linked linked = linked()) {
            for (int i = 0; i < 20; i++) {
                var reading = new Handler<Integer>();
                linked.client.read(
                        ByteBuffer.allocate(1), TestDeadlines.seconds(60), TimeUnit.SECONDS, "attached", reading);
                get(linked.server.write(ByteBuffer.allocate(1)));
                assertEquals(1, get(reading.result));
            }
        }
    }

    @Test
    default void shouldReadNoMoreAfterACancel() throws Exception {
        try (Linked linked = linked()) {
            Future<Integer> reading = linked.client.read(ByteBuffer.allocate(1));
            assertTrue(reading.cancel(false));
            assertFalse(reading.cancel(false));
            assertTrue(reading.isCancelled());
            assertThrows(CancellationException.class, () -> get(reading));
            assertTrue(linked.client.isOpen());
            assertThrows(IllegalStateException.class, () -> linked.client.read(ByteBuffer.allocate(1)));
            Future<Integer> closing = linked.server.read(ByteBuffer.allocate(1));
            Future<?> other = linked.listener.accept();
            assertTrue(closing.cancel(true));
            assertFalse(linked.server.isOpen());
            assertTrue(other.cancel(false));
            assertThrows(RuntimeException.class, linked.listener::accept);
        }
    }

    @Test
    default void shouldRefuseWhatCannotBe() throws Exception {
        try (AsynchronousSocketChannel client = provider().openAsynchronousSocketChannel(null);
                AsynchronousServerSocketChannel server = provider().openAsynchronousServerSocketChannel(null);
                Linked linked = linked()) {
            ByteBuffer one = ByteBuffer.allocate(1);
            assertThrows(NotYetConnectedException.class, () -> client.read(one));
            assertThrows(NotYetConnectedException.class, () -> client.write(one));
            assertThrows(NotYetConnectedException.class, client::shutdownInput);
            assertThrows(NotYetBoundException.class, server::accept);
            assertThrows(
                    UnresolvedAddressException.class,
                    () -> client.connect(InetSocketAddress.createUnresolved("nowhere.invalid", 1)));
            assertThrows(NullPointerException.class, () -> linked.client.read(one, "", null));
            assertThrows(IllegalArgumentException.class, () -> linked.client.read(one.asReadOnlyBuffer()));
            assertThrows(
                    AlreadyConnectedException.class, () -> linked.client.connect(linked.client.getRemoteAddress()));
            assertEquals(ConnectException.class, failure(client.connect(new InetSocketAddress(address(), 9))));
            assertFalse(client.isOpen());
            linked.client.close();
            linked.client.close();
            assertEquals(ClosedChannelException.class, failure(linked.client.read(one)));
            assertEquals(ClosedChannelException.class, failure(linked.client.write(one)));
            var late = new Handler<Integer>();
            linked.client.read(one, "attached", late);
            assertEquals(ClosedChannelException.class, failure(late.result));
        }
    }

    @Test
    default void shouldRunHandlersInTheGroupUntilItsLastChannelIsClosed() throws Exception {
        AsynchronousChannelGroup group = provider()
                .openAsynchronousChannelGroup(
                        2, Thread.ofPlatform().daemon().name("of-group-", 0).factory());
        try (Linked linked = new Linked(this, group)) {
            get(linked.server.write(ByteBuffer.allocate(1)));
            var reading = new Handler<Integer>();
            linked.client.read(ByteBuffer.allocate(1), "attached", reading);
            assertEquals(1, get(reading.result));
            assertTrue(reading.thread.getName().startsWith("of-group-"), reading.thread.getName());
            group.shutdown();
            assertTrue(group.isShutdown());
            assertThrows(ShutdownChannelGroupException.class, () -> provider().openAsynchronousSocketChannel(group));
            assertFalse(group.awaitTermination(20, TimeUnit.MILLISECONDS));
            assertFalse(group.isTerminated());
            assertEquals(1, get(linked.client.write(ByteBuffer.allocate(1))));
        }
        assertTrue(group.awaitTermination(TestDeadlines.seconds(60), TimeUnit.SECONDS));
        assertTrue(group.isTerminated());
    }

    @Test
    default void shouldCloseAllOfAGroupThatIsShutDownNow() throws Exception {
        AsynchronousChannelGroup group = provider().openAsynchronousChannelGroup(Executors.newCachedThreadPool(), 1);
        try (AsynchronousServerSocketChannel peers = listening(null);
                AsynchronousServerSocketChannel listener = listening(group);
                AsynchronousSocketChannel client = provider().openAsynchronousSocketChannel(group)) {
            Future<?> peer = peers.accept();
            get(client.connect(peers.getLocalAddress()));
            get(peer);
            var reading = new Handler<Integer>();
            client.read(ByteBuffer.allocate(1), "attached", reading);
            Future<?> accepting = listener.accept();
            group.shutdownNow();
            assertEquals(AsynchronousCloseException.class, failure(reading.result));
            assertEquals(AsynchronousCloseException.class, failure(accepting));
            assertFalse(client.isOpen() || listener.isOpen());
            assertTrue(peers.isOpen());
            assertTrue(group.awaitTermination(TestDeadlines.seconds(60), TimeUnit.SECONDS));
        }
    }

    @Test
    default void shouldForgetAHandlerThatHasRun() throws Exception {
        var queue = new ReferenceQueue<Handler<?>>();
        try (Linked linked = linked()) {
            Reference<?> handler = written(linked, queue);
            Reference<?> forgotten = null;
            while (forgotten == null) {
                System.gc();
                forgotten = queue.remove(20);
            }
            assertEquals(handler, forgotten);
        }
    }

    private static Reference<?> written(Linked linked, ReferenceQueue<Handler<?>> queue) throws Exception {
        var writing = new Handler<Integer>();
        linked.server.write(ByteBuffer.allocate(5), "attached", writing);
        assertEquals(5, get(writing.result));
        return new WeakReference<>(writing, queue);
    }

    @Test
    default void shouldNotAcceptIntoAGroupThatIsShutDown() throws Exception {
        AsynchronousChannelGroup group = provider().openAsynchronousChannelGroup(Executors.newCachedThreadPool(), 1);
        try (AsynchronousServerSocketChannel listener = listening(group);
                AsynchronousSocketChannel client = provider().openAsynchronousSocketChannel(null)) {
            Future<?> accepting = listener.accept();
            group.shutdown();
            get(client.connect(listener.getLocalAddress()));
            Throwable failure =
                    assertThrows(ExecutionException.class, () -> get(accepting)).getCause();
            assertInstanceOf(IOException.class, failure);
            assertInstanceOf(ShutdownChannelGroupException.class, failure.getCause());
            assertEquals(-1, get(client.read(ByteBuffer.allocate(1))));
        }
        assertTrue(group.awaitTermination(TestDeadlines.seconds(60), TimeUnit.SECONDS));
    }

    @Test
    default void shouldRunTasksOfTheProgramInAGroup() throws Exception {
        AsynchronousChannelGroup group = provider()
                .openAsynchronousChannelGroup(
                        1, Thread.ofPlatform().daemon().name("of-group-", 0).factory());
        var name = new CompletableFuture<String>();
        assertInstanceOf(Executor.class, group)
                .execute(() -> name.complete(Thread.currentThread().getName()));
        assertTrue(get(name).startsWith("of-group-"), get(name));
        group.shutdown();
    }

    @Test
    default void shouldTakeNoGroupOfAnotherProvider() throws Exception {
        AsynchronousChannelProvider other = new RdmaAsynchronousChannelProvider(JdkProvider.get());
        AsynchronousChannelGroup group =
                other.openAsynchronousChannelGroup(1, Thread.ofVirtual().factory());
        assertInstanceOf(AsyncGroup.class, group);
        assertThrows(IllegalChannelGroupException.class, () -> provider().openAsynchronousSocketChannel(group));
        group.shutdownNow();
    }
}
