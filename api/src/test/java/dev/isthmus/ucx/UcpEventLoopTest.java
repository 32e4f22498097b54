package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
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
class UcpEventLoopTest {

    private static UcpContext context(String tls) {
        return UcpContext.create(
                config -> config.set("TLS", tls).features(EnumSet.of(UcpFeature.TAG, UcpFeature.WAKEUP)));
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(UcxTransports.DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    private static void close(UcpEventLoop loop, UcpEndpoint endpoint) throws Exception {
        get(loop.submit(worker -> {
            endpoint.close();
            return null;
        }));
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldExchangeWithOtherLoop(String tls) throws Exception {
        try (var context = context(tls);
                var first = UcpEventLoop.start(context, config -> config.spin(Duration.ZERO));
                var second = UcpEventLoop.start(context, config -> {});
                var arena = Arena.ofShared()) {
            UcpAddress address = get(second.submit(UcpWorker::address));
            UcpEndpoint there = get(first.submit(worker -> worker.createEndpoint(address)));
            for (int i = 0; i < 100; i++) {
                MemorySegment from = arena.allocate(i % 2 == 0 ? 8 : 100_000);
                MemorySegment to = arena.allocate(100_000);
                UcpPair.fill(from, i);
                long tag = i;
                var received = second.submitAsync(worker -> worker.tagReceiveAsync(to, tag, UcpWorker.EXACT_TAG));
                var sent = first.submitAsync(worker -> there.tagSendAsync(from, tag));
                assertEquals(new UcpTagReceived(from.byteSize(), tag), get(received));
                assertEquals(-1, to.asSlice(0, from.byteSize()).mismatch(from));
                get(sent);
            }
            close(first, there);
        }
    }

    @Test
    void shouldRunTasksOfEachThreadInTheirOrder() throws Exception {
        try (var context = context(UcxTransports.any());
                var loop = UcpEventLoop.start(context, config -> config.spin(Duration.ZERO))) {
            List<List<Integer>> seen = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
            List<Thread> threads = new ArrayList<>();
            for (List<Integer> mine : seen) {
                threads.add(Thread.ofPlatform().start(() -> {
                    for (int i = 0; i < 10_000; i++) {
                        int number = i;
                        loop.execute(() -> mine.add(number));
                    }
                }));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            boolean current = get(loop.submit(worker -> loop.isCurrent()));
            assertTrue(current);
            assertFalse(loop.isCurrent());
            for (List<Integer> mine : seen) {
                assertEquals(10_000, mine.size());
                for (int i = 0; i < mine.size(); i++) {
                    assertEquals(i, mine.get(i));
                }
            }
        }
    }

    @Test
    void shouldSleepWhenIdleAndWakeUpForTasks() throws Exception {
        try (var context = context(UcxTransports.any());
                var loop = UcpEventLoop.start(context, config -> config.spin(Duration.ofMillis(1)))) {
            for (int i = 0; i < 100; i++) {
                UcxTransports.until(loop::isAsleep, Thread::onSpinWait);
                int number = i;
                assertEquals("task " + number, get(loop.submit(worker -> "task " + number)));
            }
            get(loop.submit(worker -> Thread.currentThread())).interrupt();
            assertEquals("done", get(loop.submit(worker -> "done")));
        }
    }

    @Test
    void shouldReportWhatIsThrownAndGoOn() throws Exception {
        BlockingQueue<Throwable> thrown = new LinkedBlockingQueue<>();
        try (var context = context(UcxTransports.any());
                var loop = UcpEventLoop.start(
                        context,
                        config -> config.exceptionHandler(t -> {
                            thrown.add(t);
                            throw new IllegalStateException("of the handler");
                        }))) {
            loop.execute(() -> {
                throw new UnsupportedOperationException("of the task");
            });
            Throwable t = thrown.poll(UcxTransports.DEADLINE_SECONDS, TimeUnit.SECONDS);
            assertEquals("of the task", t.getMessage());
            var failed = loop.submit(worker -> {
                throw new UnsupportedOperationException("of the function");
            });
            var e = assertThrows(ExecutionException.class, () -> get(failed));
            assertEquals("of the function", e.getCause().getMessage());
            assertEquals("done", get(loop.submit(worker -> "done")));
        }
    }

    @Test
    void shouldRefuseToCloseBeforeEndpoints() throws Exception {
        try (var context = context(UcxTransports.any());
                var loop = UcpEventLoop.start(context, config -> {})) {
            UcpEndpoint endpoint = get(loop.submit(worker -> worker.createEndpoint(worker.address())));
            var e = assertThrows(IllegalStateException.class, loop::close);
            assertTrue(e.getMessage().contains("close first its 1 UcpEndpoint"), e.getMessage());
            assertThrows(WrongThreadException.class, endpoint::close);
            close(loop, endpoint);
        }
    }

    @Test
    void shouldEndWhenClosed() throws Exception {
        try (var context = context(UcxTransports.any())) {
            var loop = UcpEventLoop.start(context, config -> {});
            List<Integer> ran = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                int number = i;
                loop.execute(() -> ran.add(number));
            }
            loop.close();
            loop.close();
            assertEquals(1000, ran.size());
            assertThrows(RejectedExecutionException.class, () -> loop.execute(() -> {}));
            assertThrows(RejectedExecutionException.class, () -> loop.submit(worker -> 1));
        }
    }

    @Test
    void shouldBeClosedByItsOwnThread() throws Exception {
        try (var context = context(UcxTransports.any())) {
            var loop = UcpEventLoop.start(
                    context, config -> config.thread(Thread.ofVirtual().factory()));
            Thread thread = get(loop.submit(worker -> {
                loop.close();
                return Thread.currentThread();
            }));
            assertTrue(thread.join(Duration.ofSeconds(UcxTransports.DEADLINE_SECONDS)));
            assertThrows(RejectedExecutionException.class, () -> loop.execute(() -> {}));
            loop.close();
        }
    }

    @Test
    void shouldRunWhatItWasGivenBeforeItsEndThoughTasksCloseIt() throws Exception {
        try (var context = context(UcxTransports.any())) {
            var loop = UcpEventLoop.start(context, config -> {});
            var go = new CountDownLatch(1);
            var first = loop.submit(worker -> {
                try {
                    go.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                loop.close();
                return "first";
            });
            var again = loop.submit(worker -> {
                loop.close();
                return "again";
            });
            var last = loop.submit(worker -> "last");
            go.countDown();
            assertEquals("first", get(first));
            assertEquals("again", get(again));
            assertEquals("last", get(last));
            loop.close();
        }
    }

    /** A loop without its worker would report that without end. */
    @Test
    void shouldKeepItsWorkerFromItsTasks() throws Exception {
        BlockingQueue<Throwable> thrown = new LinkedBlockingQueue<>();
        try (var context = context(UcxTransports.any())) {
            var loop = UcpEventLoop.start(context, config -> config.exceptionHandler(thrown::add));
            UcpWorker mine = get(loop.submit(worker -> worker));
            loop.execute(mine::close);
            loop.execute(() -> mine.handOver(new Thread(() -> {})));
            for (int i = 0; i < 2; i++) {
                Throwable t = thrown.poll(UcxTransports.DEADLINE_SECONDS, TimeUnit.SECONDS);
                assertTrue(t.getMessage().contains("belongs to a UcpEventLoop"), t.getMessage());
            }
            assertThrows(WrongThreadException.class, mine::close);
            assertEquals(0, outstanding(loop));
            loop.close();
            mine.close();
            assertTrue(thrown.isEmpty(), thrown::toString);
        }
    }

    @Test
    void shouldServeClientsThatConnect() throws Exception {
        String tls = UcxTransports.withPeerErrors().findFirst().orElseThrow();
        try (var context = context(tls);
                var server = UcpEventLoop.start(context, config -> {});
                var client = UcpEventLoop.start(context, config -> {});
                var arena = Arena.ofShared()) {
            var accepted = new CompletableFuture<UcpEndpoint>();
            UcpListener listener = get(server.submit(worker -> worker.createListener(
                    UcxTransports.listenAddress(), request -> accepted.complete(request.accept()))));
            UcpEndpoint there = get(client.submit(worker -> worker.createEndpoint(listener.address(), config -> {})));
            var sent = client.submitAsync(worker -> there.tagSendAsync(arena.allocate(8), 3));
            var received =
                    server.submitAsync(worker -> worker.tagReceiveAsync(arena.allocate(8), 3, UcpWorker.EXACT_TAG));
            assertEquals(8, get(received).length());
            get(sent);
            UcpEndpoint back = get(accepted);
            close(client, there);
            get(server.submit(worker -> {
                back.close();
                listener.close();
                return null;
            }));
        }
    }

    @Test
    void shouldRefuseWhatCannotBe() {
        try (var context = UcpContext.create(config -> config.set("TLS", UcxTransports.any()))) {
            var e = assertThrows(IllegalStateException.class, () -> UcpEventLoop.start(context, config -> {}));
            assertTrue(e.getMessage().contains("WAKEUP"), e.getMessage());
        }
        var closed = context(UcxTransports.any());
        closed.close();
        assertInstanceOf(
                IllegalStateException.class,
                assertThrows(RuntimeException.class, () -> UcpEventLoop.start(closed, config -> {})));
        var config = new UcpEventLoopConfig();
        assertThrows(IllegalArgumentException.class, () -> config.spin(Duration.ofNanos(-1)));
        assertThrows(IllegalArgumentException.class, () -> config.spin(Duration.ofDays(2)));
    }

    @Test
    void shouldCancelWhatItBegan() throws Exception {
        try (var context = context(UcxTransports.any());
                var loop = UcpEventLoop.start(context, config -> {});
                var arena = Arena.ofShared()) {
            var receive = loop.submitAsync(worker -> worker.tagReceiveAsync(arena.allocate(8), 1, UcpWorker.EXACT_TAG));
            assertEquals(
                    1,
                    get(loop.submit(worker -> worker.requests().outstanding())).intValue());
            assertTrue(receive.cancel(false));
            assertThrows(CancellationException.class, () -> get(receive));
            assertEquals(0, outstanding(loop));
            var thrown = loop.submitAsync(worker -> {
                throw new UnsupportedOperationException("of the function");
            });
            var e = assertThrows(ExecutionException.class, () -> get(thrown));
            assertEquals("of the function", e.getCause().getMessage());
        }
    }

    @Test
    void shouldEndWhatTimedOutOnlyWithItsOperation() throws Exception {
        try (var context = context(UcxTransports.any());
                var loop = UcpEventLoop.start(context, config -> config.spin(Duration.ZERO));
                var arena = Arena.ofShared()) {
            MemorySegment buffer = arena.allocate(8);
            var late = loop.submitAsync(worker -> worker.tagReceiveAsync(buffer, 1, UcpWorker.EXACT_TAG))
                    .orTimeout(1, TimeUnit.MILLISECONDS);
            var e = assertThrows(ExecutionException.class, () -> get(late));
            assertEquals(0, outstanding(loop), "the receive has ended before");
            assertInstanceOf(TimeoutException.class, e.getCause());
            var valued = loop.submitAsync(worker -> worker.tagReceiveAsync(buffer, 1, UcpWorker.EXACT_TAG))
                    .completeOnTimeout(null, 1, TimeUnit.MILLISECONDS);
            assertNull(get(valued));
            assertEquals(0, outstanding(loop));
        }
    }

    private static int outstanding(UcpEventLoop loop) throws Exception {
        return get(loop.submit(worker -> worker.requests().outstanding()));
    }

    @Test
    void shouldNotStartWhatWasGivenUp() throws Exception {
        try (var context = context(UcxTransports.any());
                var loop = UcpEventLoop.start(context, config -> {})) {
            var go = new CountDownLatch(1);
            loop.execute(() -> {
                try {
                    go.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            var never = loop.<UcpTagReceived>submitAsync(worker -> {
                throw new UnsupportedOperationException("started");
            });
            assertTrue(never.cancel(false));
            assertTrue(never.isCancelled());
            go.countDown();
            assertEquals("done", get(loop.submit(worker -> "done")));
            assertThrows(CancellationException.class, () -> get(never));
        }
    }

    @Test
    void shouldServeOthersWhileOneCloseWaitsForItsPeer() throws Exception {
        var patient = UcpPair.closingWithin(Duration.ofSeconds(UcxTransports.DEADLINE_SECONDS));
        try (var context = context(UcxTransports.any());
                var peer = context.createWorker();
                var loop = UcpEventLoop.start(
                        context, config -> config.worker(patient).spin(Duration.ZERO));
                var arena = Arena.ofShared()) {
            MemorySegment from = arena.allocate(8 << 20);
            MemorySegment to = arena.allocate(8 << 20);
            UcpPair.fill(from, 5);
            UcpAddress address = peer.address();
            UcpEndpoint endpoint = get(loop.submit(worker -> worker.createEndpoint(address)));
            var sent = loop.submitAsync(worker -> endpoint.tagSendAsync(from, 1));
            close(loop, endpoint); // which does not wait
            var closed = loop.submitAsync(worker -> endpoint.closeAsync());
            assertFalse(endpoint.isOpen());
            for (int i = 0; i < 100; i++) {
                assertEquals("served", get(loop.submit(worker -> "served")));
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
            var loop =
                    UcpEventLoop.start(context, config -> config.worker(hasty).spin(Duration.ZERO));
            UcpEndpoint endpoint = get(loop.submit(worker -> worker.createEndpoint(address)));
            var sent = loop.submitAsync(worker -> endpoint.tagSendAsync(arena.allocate(8 << 20), 1));
            get(loop.submitAsync(worker -> endpoint.closeAsync()));
            assertFalse(endpoint.isOpen());
            get(loop.submitAsync(worker -> endpoint.closeAsync()));
            assertFalse(sent.isDone(), "the peer may still reach the buffer");
            loop.close();
            var e = assertThrows(ExecutionException.class, () -> get(sent));
            assertTrue(
                    e.getCause().getMessage().contains("was closed before"),
                    e.getCause().getMessage());
        }
    }
}
