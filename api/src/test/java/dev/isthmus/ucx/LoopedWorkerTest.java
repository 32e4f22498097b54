// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.loop.EventLoop;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("ucx")
class LoopedWorkerTest {

    private static UcpContext context(String tls) {
        return UcpContext.create(
                config -> config.set("TLS", tls).features(EnumSet.of(UcpFeature.TAG, UcpFeature.WAKEUP)));
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(UcxTransports.DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    private static void close(EventLoop loop, UcpEndpoint endpoint) throws Exception {
        get(loop.submit(endpoint::close)); // does not wait
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldExchangeWithOtherLoop(String tls) throws Exception {
        try (var context = context(tls);
                var first = EventLoop.start(config -> config.spin(Duration.ZERO));
                var second = EventLoop.start();
                var sender = context.createWorker(first, config -> {});
                var receiver = context.createWorker(second, config -> {});
                var arena = Arena.ofShared()) {
            UcpAddress address = second.call(receiver::address);
            UcpEndpoint there = first.call(() -> sender.createEndpoint(address));
            for (int i = 0; i < 100; i++) {
                MemorySegment from = arena.allocate(i % 2 == 0 ? 8 : 100_000);
                MemorySegment to = arena.allocate(100_000);
                UcpPair.fill(from, i);
                long tag = i;
                var received = second.submitAsync(() -> receiver.tagReceiveAsync(to, tag, UcpWorker.EXACT_TAG));
                var sent = first.submitAsync(() -> there.tagSendAsync(from, tag));
                assertEquals(new UcpTagReceived(from.byteSize(), tag), get(received));
                assertEquals(-1, to.asSlice(0, from.byteSize()).mismatch(from));
                get(sent);
            }
            close(first, there);
        }
    }

    @Test
    void shouldBeClosedInOrder() throws Exception {
        try (var context = context(UcxTransports.any());
                var loop = EventLoop.start();
                var worker = context.createWorker(loop, config -> {})) {
            UcpEndpoint endpoint = loop.call(() -> worker.createEndpoint(worker.address()));
            var e = assertThrows(IllegalStateException.class, worker::close);
            assertTrue(e.getMessage().contains("close first its 1 UcpEndpoint"), e.getMessage());
            e = assertThrows(IllegalStateException.class, loop::close);
            assertTrue(e.getMessage().contains("close first its 1 UcpWorker"), e.getMessage());
            assertThrows(WrongThreadException.class, endpoint::close);
            close(loop, endpoint);
        }
    }

    @Test
    void shouldBeClosedByAnyThread() throws Exception {
        BlockingQueue<Throwable> thrown = new LinkedBlockingQueue<>();
        try (var context = context(UcxTransports.any());
                var loop = EventLoop.start(config -> config.exceptionHandler(thrown::add))) {
            var first = context.createWorker(loop, config -> {});
            var second = context.createWorker(loop, config -> {});
            var third = context.createWorker(loop, config -> {});
            first.close();
            loop.call(
                    () -> { // where it does not wait
                        second.close();
                        return null;
                    });
            get(loop.submitAsync(second::closeAsync));
            get(loop.submitAsync(() -> third.closeAsync(Duration.ZERO)));
            for (UcpWorker worker : List.of(first, second, third)) {
                worker.close();
                assertThrows(IllegalStateException.class, worker::progress);
            }
            assertEquals("served", get(loop.submit(() -> "served")));
            assertTrue(thrown.isEmpty(), thrown::toString);
        }
    }

    @Test
    void shouldShareALoopWithOthers() throws Exception {
        try (var context = context(UcxTransports.any());
                var loop = EventLoop.start();
                var one = context.createWorker(loop, config -> {});
                var other = context.createWorker(loop, config -> {});
                var arena = Arena.ofShared()) {
            UcpAddress address = loop.call(other::address);
            UcpEndpoint there = loop.call(() -> one.createEndpoint(address));
            MemorySegment from = arena.allocate(1 << 20);
            MemorySegment to = arena.allocate(1 << 20);
            UcpPair.fill(from, 9);
            var received = loop.submitAsync(() -> other.tagReceiveAsync(to, 1, UcpWorker.EXACT_TAG));
            get(loop.submitAsync(() -> there.tagSendAsync(from, 1)));
            assertEquals(1 << 20, get(received).length());
            assertEquals(-1, from.mismatch(to));
            close(loop, there);
        }
    }

    @Test
    void shouldBeServedByALoopThatTheProgramTurns() throws Exception {
        try (var context = context(UcxTransports.any());
                var loop = EventLoop.open();
                var worker = context.createWorker(loop, config -> {});
                var endpoint = worker.createEndpoint(worker.address());
                var arena = Arena.ofShared()) {
            var received = worker.tagReceiveAsync(arena.allocate(8), 1, UcpWorker.EXACT_TAG);
            var sent = endpoint.tagSendAsync(arena.allocate(8), 1);
            var ignored = received.thenRun(loop::stop);
            loop.run();
            assertTrue(sent.isDone());
            assertEquals(8, get(received).length());
        }
    }

    @Test
    void shouldStayOnItsLoop() throws Exception {
        try (var context = context(UcxTransports.any());
                var loop = EventLoop.start();
                var worker = context.createWorker(loop, config -> {})) {
            var moved = loop.submit(() -> worker.handOver(new Thread(() -> {})));
            var e = assertThrows(ExecutionException.class, () -> get(moved));
            assertTrue(e.getCause().getMessage().contains("belongs to EventLoop("), e.getMessage());
            assertThrows(WrongThreadException.class, worker::progress);
        }
    }

    @Test
    void shouldHaveItsHandlersBeforeAMessageCanCome() throws Exception {
        var came = new CompletableFuture<String>();
        try (var context = UcpContext.create(config ->
                        config.set("TLS", UcxTransports.any()).features(EnumSet.of(UcpFeature.AM, UcpFeature.WAKEUP)));
                var loop = EventLoop.start()) {
            try (var worker = context.createWorker(
                    loop,
                    config -> config.handler(3, message -> came.completeExceptionally(new AssertionError("replaced")))
                            .handler(3, message -> came.complete(message.data().length() + " bytes")))) {
                UcpEndpoint endpoint = loop.call(() -> worker.createEndpoint(worker.address()));
                get(loop.submitAsync(() -> endpoint.amSendAsync(3, MemorySegment.NULL, MemorySegment.NULL, 0)));
                assertEquals("0 bytes", get(came));
                close(loop, endpoint);
            }
            assertThrows(
                    IllegalArgumentException.class,
                    () -> context.createWorker(loop, config -> config.handler(-1, message -> {})));
        } // where no worker is left of what failed
        try (var context = context(UcxTransports.any())) {
            var e = assertThrows(
                    IllegalStateException.class,
                    () -> context.createWorker(config -> config.handler(3, message -> {})));
            assertTrue(e.getMessage().contains("AM"), e.getMessage());
        }
    }

    @Test
    void shouldRefuseWhatCannotBe() {
        try (var context = UcpContext.create(config -> config.set("TLS", UcxTransports.any()));
                var loop = EventLoop.start()) {
            var e = assertThrows(IllegalStateException.class, () -> context.createWorker(loop, config -> {}));
            assertTrue(e.getMessage().contains("WAKEUP"), e.getMessage());
            var f = assertThrows(
                    IllegalArgumentException.class,
                    () -> context.createWorker(config -> config.completions(1, completions -> {})));
            assertTrue(f.getMessage().contains("UcpWorker.poll"), f.getMessage());
        }
        var closed = context(UcxTransports.any());
        closed.close();
        try (var loop = EventLoop.start()) {
            assertThrows(IllegalStateException.class, () -> closed.createWorker(loop, config -> {}));
        }
        try (var context = context(UcxTransports.any())) {
            EventLoop loop = EventLoop.start();
            loop.close();
            assertThrows(RejectedExecutionException.class, () -> context.createWorker(loop, config -> {}));
        }
    }

    @Test
    void shouldServeClientsThatConnect() throws Exception {
        String tls = UcxTransports.withPeerErrors().findFirst().orElseThrow();
        try (var context = context(tls);
                var server = EventLoop.start();
                var client = EventLoop.start();
                var serving = context.createWorker(server, config -> {});
                var calling = context.createWorker(client, config -> {});
                var arena = Arena.ofShared()) {
            var accepted = new CompletableFuture<UcpEndpoint>();
            UcpListener listener = get(server.submit(() -> serving.createListener(
                    UcxTransports.listenAddress(), request -> accepted.complete(request.accept()))));
            UcpEndpoint there = get(client.submit(() -> calling.createEndpoint(listener.address(), config -> {})));
            var sent = client.submitAsync(() -> there.tagSendAsync(arena.allocate(8), 3));
            var received = server.submitAsync(() -> serving.tagReceiveAsync(arena.allocate(8), 3, UcpWorker.EXACT_TAG));
            assertEquals(8, get(received).length());
            get(sent);
            UcpEndpoint back = get(accepted);
            close(client, there);
            get(server.submit(() -> {
                back.close();
                listener.close();
                return null;
            }));
        }
    }

    @Test
    void shouldCancelWhatItBegan() throws Exception {
        try (var context = context(UcxTransports.any());
                var loop = EventLoop.start();
                var worker = context.createWorker(loop, config -> {});
                var arena = Arena.ofShared()) {
            var receive = loop.submitAsync(() -> worker.tagReceiveAsync(arena.allocate(8), 1, UcpWorker.EXACT_TAG));
            assertEquals(
                    1, get(loop.submit(() -> worker.requests().outstanding())).intValue());
            assertTrue(receive.cancel(false));
            assertThrows(CancellationException.class, () -> get(receive));
            assertEquals(0, outstanding(loop, worker));
            var thrown = loop.submitAsync(() -> {
                throw new UnsupportedOperationException("of the function");
            });
            var e = assertThrows(ExecutionException.class, () -> get(thrown));
            assertEquals("of the function", e.getCause().getMessage());
        }
    }

    @Test
    void shouldEndWhatTimedOutOnlyWithItsOperation() throws Exception {
        try (var context = context(UcxTransports.any());
                var loop = EventLoop.start(config -> config.spin(Duration.ZERO));
                var worker = context.createWorker(loop, config -> {});
                var arena = Arena.ofShared()) {
            MemorySegment buffer = arena.allocate(8);
            var late = loop.submitAsync(() -> worker.tagReceiveAsync(buffer, 1, UcpWorker.EXACT_TAG))
                    .orTimeout(1, TimeUnit.MILLISECONDS);
            var e = assertThrows(ExecutionException.class, () -> get(late));
            assertEquals(0, outstanding(loop, worker), "the receive has ended before");
            assertInstanceOf(TimeoutException.class, e.getCause());
            var valued = loop.submitAsync(() -> worker.tagReceiveAsync(buffer, 1, UcpWorker.EXACT_TAG))
                    .completeOnTimeout(null, 1, TimeUnit.MILLISECONDS);
            assertNull(get(valued));
            assertEquals(0, outstanding(loop, worker));
        }
    }

    private static int outstanding(EventLoop loop, UcpWorker worker) throws Exception {
        return get(loop.submit(() -> worker.requests().outstanding()));
    }

    @Test
    void shouldServeOthersWhileOneCloseWaitsForItsPeer() throws Exception {
        var patient = UcpPair.closingWithin(Duration.ofSeconds(UcxTransports.DEADLINE_SECONDS));
        try (var context = context(UcxTransports.any());
                var peer = context.createWorker();
                var loop = EventLoop.start(config -> config.spin(Duration.ZERO));
                var worker = context.createWorker(loop, patient);
                var arena = Arena.ofShared()) {
            MemorySegment from = arena.allocate(8 << 20);
            MemorySegment to = arena.allocate(8 << 20);
            UcpPair.fill(from, 5);
            UcpAddress address = peer.address();
            UcpEndpoint endpoint = get(loop.submit(() -> worker.createEndpoint(address)));
            var sent = loop.submitAsync(() -> endpoint.tagSendAsync(from, 1));
            close(loop, endpoint); // which does not wait
            var closed = loop.submitAsync(() -> endpoint.closeAsync());
            assertFalse(endpoint.isOpen());
            for (int i = 0; i < 100; i++) {
                assertEquals("served", get(loop.submit(() -> "served")));
            }
            assertFalse(sent.isDone());
            assertFalse(closed.isDone());
            long receive = peer.tagReceive(to, 1);
            UcxTransports.until(() -> closed.isDone() && peer.requests().isDone(receive), peer::progress);
            get(sent);
            get(closed);
            assertEquals(-1, from.mismatch(to));
        }
    }

    @Test
    void shouldEndCloseAtItsDeadlineWhileItSleeps() throws Exception {
        var hasty = UcpPair.closingWithin(Duration.ofMillis(50));
        try (var context = context(UcxTransports.any());
                var peer = context.createWorker();
                var arena = Arena.ofShared()) {
            UcpAddress address = peer.address();
            var loop = EventLoop.start(config -> config.spin(Duration.ZERO));
            var worker = context.createWorker(loop, hasty);
            UcpEndpoint endpoint = get(loop.submit(() -> worker.createEndpoint(address)));
            var sent = loop.submitAsync(() -> endpoint.tagSendAsync(arena.allocate(8 << 20), 1));
            get(loop.submitAsync(() -> endpoint.closeAsync()));
            assertFalse(endpoint.isOpen());
            get(loop.submitAsync(() -> endpoint.closeAsync()));
            assertFalse(sent.isDone(), "the peer may still reach the buffer");
            worker.close();
            loop.close();
            var e = assertThrows(ExecutionException.class, () -> get(sent));
            assertTrue(
                    e.getCause().getMessage().contains("was closed before"),
                    e.getCause().getMessage());
        }
    }
}
