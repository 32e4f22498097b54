// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.UcxException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A future ends when the buffer is the program's again, and with the operation's result. */
@Tag("ucx")
class UcpFutureTest {

    private static final UcpTagReceived REQUESTED = new UcpTagReceived(-1, -1);

    private UcpPair pair;

    @BeforeEach
    void open() {
        pair = new UcpPair(UcxTransports.any());
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private void until(CompletableFuture<?> future) {
        UcxTransports.until(future::isDone, pair::progress);
    }

    private CompletableFuture<UcpTagReceived> receive(long tag) {
        return pair.receiver.tagReceiveAsync(pair.arena.allocate(8), tag, UcpWorker.EXACT_TAG);
    }

    private void send(long tag) {
        until(pair.endpoint.tagSendAsync(pair.arena.allocate(8), tag));
    }

    /** Waits until one more message has arrived than there are receives. */
    private void untilArrived(long tag) {
        var message = UcpTagMessage.of(pair.receiver);
        UcxTransports.until(() -> pair.receiver.tagProbe(tag, UcpWorker.EXACT_TAG, message), pair::progress);
    }

    private static Throwable failure(CompletableFuture<?> future) {
        return assertThrows(CompletionException.class, future::join).getCause();
    }

    @Test
    void shouldEndCancelledFutureWhenUcxHasCancelledTheReceive() {
        var received = receive(1);
        assertTrue(received.cancel(false));
        assertFalse(received.isDone(), "the receive has the buffer");
        assertTrue(received.cancel(true));
        until(received);
        assertTrue(received.isCancelled());
        assertThrows(CancellationException.class, received::join);
        assertTrue(received.cancel(false));
        assertEquals(0, pair.receiver.requests().outstanding());
    }

    @Test
    void shouldCancelOperationHoweverItsFutureIsEnded() {
        var failed = receive(1);
        assertFalse(failed.completeExceptionally(new UnsupportedOperationException("wished")));
        var completed = receive(2);
        assertFalse(completed.complete(REQUESTED));
        assertFalse(completed.complete(new UcpTagReceived(-2, -2)), "the first one counts");
        var obtruded = receive(3);
        obtruded.obtrudeValue(REQUESTED);
        var obtrudedFailure = receive(4);
        obtrudedFailure.obtrudeException(new UnsupportedOperationException("wished"));
        var supplied = receive(5).completeAsync(() -> REQUESTED, Runnable::run);
        var notSupplied = receive(6)
                .completeAsync(
                        () -> {
                            throw new UnsupportedOperationException("wished");
                        },
                        Runnable::run);
        var all = List.of(failed, completed, obtruded, obtrudedFailure, supplied, notSupplied);
        for (var future : all) {
            assertFalse(future.isDone());
        }
        all.forEach(this::until);
        assertEquals(0, pair.receiver.requests().outstanding());
        for (var future : List.of(completed, obtruded, supplied)) {
            assertSame(REQUESTED, future.join());
        }
        for (var future : List.of(failed, obtrudedFailure, notSupplied)) {
            assertEquals("wished", failure(future).getMessage());
        }
        obtruded.obtrudeValue(null); // it has ended: the buffer is the program's
        assertNull(obtruded.join());
    }

    @Test
    void shouldEndFuturesThatTimedOutWithTheirReceives() {
        var late = receive(1).orTimeout(1, TimeUnit.MILLISECONDS);
        var valued = receive(2).completeOnTimeout(REQUESTED, 1, TimeUnit.MILLISECONDS);
        until(late);
        assertInstanceOf(TimeoutException.class, failure(late));
        until(valued);
        assertSame(REQUESTED, valued.join());
        assertEquals(0, pair.receiver.requests().outstanding());
    }

    @Test
    void shouldEndWithMessageThatCameBeforeItWasCancelled() {
        send(1);
        untilArrived(1);
        var received = receive(1); // UCX has done it already, but has not reported it
        assertFalse(received.isDone());
        assertTrue(received.cancel(false));
        until(received);
        assertEquals(new UcpTagReceived(8, 1), received.join());
        assertFalse(received.isCancelled());
    }

    /** By rendezvous: UCX 1.18 copies messages of any length over shared memory where it cannot reach the peer's. */
    @Test
    void shouldWaitForSendThatUcxCannotCancel() {
        try (var large = new UcpPair(
                config -> config.set("TLS", UcxTransports.any()).set("RNDV_THRESH", "1024"), config -> {})) {
            var sent = large.endpoint.tagSendAsync(large.arena.allocate(8 << 20), 1);
            assertTrue(sent.cancel(false));
            for (int i = 0; i < 1000; i++) {
                large.progress();
                assertFalse(sent.isDone(), "UCX reads the buffer");
            }
            var received = large.receiver.tagReceiveAsync(large.arena.allocate(8 << 20), 1, UcpWorker.EXACT_TAG);
            UcxTransports.until(sent::isDone, large::progress);
            sent.join();
            UcxTransports.until(received::isDone, large::progress);
        }
    }

    @Test
    void shouldMakePlainFuturesOfIt() {
        var received = receive(1);
        var dependent = received.thenApply(UcpTagReceived::length);
        assertTrue(dependent.complete(-1L));
        assertFalse(received.isDone());
        var copy = received.copy();
        assertTrue(copy.cancel(false));
        assertFalse(received.isDone());
        send(1);
        until(received);
        assertEquals(8, received.join().length());
    }

    @Test
    void shouldWakeSleepingWorkerToCancel() throws Exception {
        try (var context = UcpContext.create(config -> config.set("TLS", UcxTransports.any())
                        .features(EnumSet.of(UcpFeature.TAG, UcpFeature.WAKEUP)));
                var worker = context.createWorker()) {
            var received = worker.tagReceiveAsync(pair.arena.allocate(8), 1, UcpWorker.EXACT_TAG);
            Thread other = Thread.ofPlatform().start(() -> received.cancel(false));
            while (!received.isDone()) {
                if (worker.progress() == 0) {
                    worker.wakeup().await(UcpWakeup.FOREVER);
                }
            }
            other.join();
            assertTrue(received.isCancelled());
            assertEquals(0, worker.requests().outstanding());
            var own = worker.tagReceiveAsync(pair.arena.allocate(8), 1, UcpWorker.EXACT_TAG);
            own.cancel(false);
            assertFalse(worker.wakeup().arm(), "there is something to do");
            assertNotEquals(0, worker.progress(), "a loop that waits for a future would sleep now");
            assertTrue(own.isCancelled());
        }
    }

    @Test
    void shouldEndFutureWhoseMessageHasComeWhenAnActionClosesTheWorker() {
        UcpWorker worker = pair.context.createWorker();
        UcpEndpoint endpoint = worker.createEndpoint(worker.address());
        untilSelf(worker, endpoint, 1);
        untilSelf(worker, endpoint, 2);
        var closed = worker.tagReceiveAsync(pair.arena.allocate(8), 1, UcpWorker.EXACT_TAG)
                .thenRun(() -> {
                    endpoint.close();
                    worker.close();
                });
        var second = worker.tagReceiveAsync(pair.arena.allocate(8), 2, UcpWorker.EXACT_TAG);
        UcxTransports.until(closed::isDone, worker::progress);
        closed.join();
        assertEquals(new UcpTagReceived(8, 2), second.join());
    }

    /** Waits until a message has arrived for which there is no receive. */
    private void untilSelf(UcpWorker worker, UcpEndpoint endpoint, long tag) {
        var sent = endpoint.tagSendAsync(pair.arena.allocate(8), tag);
        var message = UcpTagMessage.of(worker);
        UcxTransports.until(
                () -> sent.isDone() && worker.tagProbe(tag, UcpWorker.EXACT_TAG, message), worker::progress);
    }

    @Test
    void shouldEndFutureWhoseMessageHasComeWhenArmedAndClosed() throws Exception {
        try (var context = UcpContext.create(config ->
                config.set("TLS", UcxTransports.any()).features(EnumSet.of(UcpFeature.TAG, UcpFeature.WAKEUP)))) {
            UcpWorker worker = context.createWorker();
            UcpEndpoint endpoint = worker.createEndpoint(worker.address());
            untilSelf(worker, endpoint, 1);
            var received = worker.tagReceiveAsync(pair.arena.allocate(8), 1, UcpWorker.EXACT_TAG);
            assertFalse(received.isDone());
            assertFalse(worker.wakeup().arm());
            endpoint.close();
            worker.close();
            assertEquals(new UcpTagReceived(8, 1), received.join());
        }
    }

    @Test
    void shouldRefuseUseOfClosedWorkerByActionsOfItsFutures() {
        var worker = pair.context.createWorker();
        var received = worker.tagReceiveAsync(pair.arena.allocate(8), 1, UcpWorker.EXACT_TAG);
        var wished = worker.tagReceiveAsync(pair.arena.allocate(8), 1, UcpWorker.EXACT_TAG);
        var action = received.handle((result, t) -> worker.progress());
        wished.cancel(false);
        worker.close();
        assertInstanceOf(IllegalStateException.class, failure(received));
        assertTrue(
                failure(action).getMessage().endsWith("is closed"),
                failure(action).toString());
        assertTrue(wished.isCancelled());
    }

    @Test
    void shouldGiveNumberOneFutureOnly() {
        UcpRequests requests = pair.receiver.requests();
        long request = pair.receiver.tagReceive(pair.arena.allocate(8), 1);
        var done = requests.whenDone(request);
        var e = assertThrows(IllegalArgumentException.class, () -> requests.whenDone(request));
        assertTrue(e.getMessage().contains("whenDone()"), e.getMessage());
        assertThrows(IllegalArgumentException.class, () -> requests.cancel(request));
        assertThrows(IllegalArgumentException.class, () -> requests.release(request));
        assertThrows(IllegalArgumentException.class, () -> requests.isDone(request));
        send(1);
        until(done);
        done.join();
        long second = pair.receiver.tagReceive(pair.arena.allocate(8), 1);
        var cancelled = requests.whenDone(second);
        assertTrue(cancelled.cancel(false));
        until(cancelled);
        assertTrue(cancelled.isCancelled());
        assertEquals(0, requests.outstanding());
    }

    @Test
    void shouldEndManyFuturesThatOperationsGotLater() {
        var futures = new CompletableFuture<?>[1000];
        for (int i = 0; i < futures.length; i++) {
            futures[i] = pair.receiver.requests().whenDone(pair.receiver.tagReceive(pair.arena.allocate(8), i));
        }
        for (int i = futures.length - 1; i >= 0; i -= 2) {
            send(i);
        }
        for (int i = futures.length - 1; i >= 0; i -= 2) {
            until(futures[i]);
            assertFalse(futures[i - 1].isDone());
            futures[i - 1].cancel(false);
        }
        for (int i = 0; i < futures.length; i += 2) {
            until(futures[i]);
            assertTrue(futures[i].isCancelled());
        }
        assertEquals(0, pair.receiver.requests().outstanding());
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldEndFutureOfEachKindOfOperation(String tls) {
        try (var all = new UcpPair(
                config -> config.set("TLS", tls)
                        .features(EnumSet.of(
                                UcpFeature.TAG, UcpFeature.STREAM, UcpFeature.AM, UcpFeature.RMA, UcpFeature.AMO64)),
                config -> {})) {
            UcpEndpoint back = all.receiver.createEndpoint(all.sender.address());
            for (int size : new int[] {0, 8, 1 << 20}) {
                exchange(all, back, size);
            }
            var closed = back.closeAsync();
            UcxTransports.until(closed::isDone, all::progress);
            assertEquals(0, all.sender.requests().outstanding());
            assertEquals(0, all.receiver.requests().outstanding());
        }
    }

    private static void exchange(UcpPair all, UcpEndpoint back, int size) {
        MemorySegment from = all.arena.allocate(size);
        MemorySegment to = all.arena.allocate(size);
        UcpPair.fill(from, size);
        var fetched = new CompletableFuture<Void>();
        all.receiver.activeMessages().setHandler(1, message -> {
            var data =
                    message.isRendezvous() ? message.receiveAsync(to) : CompletableFuture.<Void>completedFuture(null);
            var ignored = data.thenRun(() -> fetched.complete(null));
        });
        try (var memory = all.context.allocate(Math.max(size, 8));
                var remote = all.endpoint.unpack(memory.packKey())) {
            var pending = List.<CompletableFuture<?>>of(
                    all.receiver.tagReceiveAsync(to, 1, UcpWorker.EXACT_TAG),
                    all.endpoint.tagSendAsync(from, 1),
                    all.endpoint.amSendAsync(1, MemorySegment.NULL, from, 0),
                    fetched,
                    back.stream().receiveAllAsync(to),
                    all.endpoint.stream().sendAsync(from),
                    remote.putAsync(from, 0),
                    all.sender.requests().whenDone(all.endpoint.flush()),
                    all.sender.requests().whenDone(all.sender.flush()));
            for (var future : pending) {
                UcxTransports.until(future::isDone, all::progress);
                future.join();
            }
            assertEquals(-1, to.mismatch(from));
            var read = remote.getAsync(to.fill((byte) 0), 0);
            UcxTransports.until(read::isDone, all::progress);
            assertEquals(-1, to.mismatch(from));
            var number = remote.atomics().fetch64Async(UcpAtomic.ADD, 0, 1);
            UcxTransports.until(number::isDone, all::progress);
            assertEquals(size == 0 ? 0 : from.get(ValueLayout.JAVA_LONG_UNALIGNED, 0), number.join());
        }
    }

    @Test
    void shouldEndFutureOfStreamWithItsEndpoint() {
        try (var stream = new StreamPair(UcxTransports.any())) {
            var received = stream.back.receiveAsync(stream.arena.allocate(8));
            var wished = stream.back.receiveAsync(stream.arena.allocate(8));
            wished.cancel(false);
            stream.progress();
            assertFalse(wished.isDone(), "UCX cannot cancel it");
            stream.closeBack();
            UcxTransports.until(received::isDone, stream::progress);
            var e = assertInstanceOf(UcxException.class, failure(received));
            assertEquals(UcsStatus.CANCELED.code(), e.status());
            UcxTransports.until(wished::isDone, stream::progress);
            assertTrue(wished.isCancelled());
        }
    }
}
