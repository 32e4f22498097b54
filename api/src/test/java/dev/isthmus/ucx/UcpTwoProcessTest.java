// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.UcxException;
import dev.isthmus.testbed.TestDeadlines;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** With a peer in another JVM. */
@Tag("ucx")
class UcpTwoProcessTest {

    /** More than the limit that its close is given, and what it does besides. */
    private static final long LATE_MILLIS = TestDeadlines.ofSeconds(10).toMillis();

    private static final Map<String, String> AS_HERE = Map.of();

    private final List<UcpEndpoint> failed = new ArrayList<>();

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldExchangeWithOtherProcess(String tls) throws Exception {
        try (var child = new UcpChild(tls, UcpErrorHandling.NONE, AS_HERE);
                var context = UcpContext.create(config -> config.set("TLS", tls));
                var worker = context.createWorker();
                var arena = Arena.ofConfined()) {
            try (var endpoint = worker.createEndpoint(child.meet(worker.address()))) {
                for (long size : new long[] {0, 8, 10_000, UcpChild.BUFFER_BYTES}) {
                    MemorySegment from = arena.allocate(size);
                    MemorySegment to = arena.allocate(size);
                    UcpPair.fill(from, (int) size);
                    exchange(worker, endpoint, from, to, 10 + size);
                    assertEquals(-1, to.mismatch(from));
                }
                // Ends the child while this side progresses, which its close may need.
                assertEquals(0, child.end());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#withPeerErrors")
    void shouldLearnThatPeerDied(String tls) throws Exception {
        try (var child = new UcpChild(tls, UcpErrorHandling.PEER, AS_HERE);
                var context = UcpContext.create(config -> config.set("TLS", tls));
                var worker = context.createWorker(UcpPair.closingWithin(Duration.ofMillis(100)));
                var arena = Arena.ofConfined();
                var endpoint = worker.createEndpoint(
                        child.meet(worker.address()),
                        config -> config.errorHandling(UcpErrorHandling.PEER).errorHandler(this::onError))) {
            MemorySegment buffer = arena.allocate(64);
            exchange(worker, endpoint, buffer, buffer, 1);
            assertEquals(UcsStatus.OK, endpoint.failure());
            child.kill();
            sendUntilFailed(worker, endpoint, buffer);
            assertTrue(endpoint.isFailed());
            assertEquals(1, failed.size(), "the error handler was not called once");
            assertSame(endpoint, failed.getFirst());
            assertTrue(endpoint.failure().isError());
            assertTrue(endpoint.failureCode() < 0);
            var e = assertThrows(UcxException.class, () -> worker.requests().release(endpoint.tagSend(buffer, 1)));
            assertEquals("a send", e.call()); // refused before C
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#withPeerErrors")
    void shouldThrowWhatErrorHandlerThrows(String tls) throws Exception {
        try (var child = new UcpChild(tls, UcpErrorHandling.PEER, AS_HERE);
                var context = UcpContext.create(config -> config.set("TLS", tls));
                var worker = context.createWorker(UcpPair.closingWithin(Duration.ofMillis(100)));
                var arena = Arena.ofConfined()) {
            UcpEndpoint endpoint = worker.createEndpoint(
                    child.meet(worker.address()),
                    config -> config.errorHandling(UcpErrorHandling.PEER).errorHandler((dead, status) -> {
                        worker.progress();
                        dead.close();
                        throw new UnsupportedOperationException("of the handler");
                    }));
            MemorySegment buffer = arena.allocate(64);
            exchange(worker, endpoint, buffer, buffer, 1);
            child.kill();
            var e = assertThrows(UnsupportedOperationException.class, () -> sendUntilFailed(worker, endpoint, buffer));
            assertEquals("of the handler", e.getMessage());
            assertEquals(0, worker.progress() & Integer.MIN_VALUE, "the worker is of use after that");
            assertThrows(IllegalStateException.class, () -> endpoint.tagSend(buffer, 1));
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldCloseInTimeWhenPeerDiedUnnoticed(String tls) throws Exception {
        try (var child = new UcpChild(tls, UcpErrorHandling.NONE, AS_HERE);
                var context = UcpContext.create(config -> config.set("TLS", tls));
                var arena = Arena.ofConfined()) {
            UcpWorker worker = context.createWorker(UcpPair.closingWithin(Duration.ofMillis(100)));
            UcpEndpoint endpoint = worker.createEndpoint(child.meet(worker.address()));
            MemorySegment buffer = arena.allocate(UcpChild.BUFFER_BYTES);
            exchange(worker, endpoint, buffer, buffer, 1);
            child.kill();
            long receive = worker.tagReceive(buffer, 5);
            long begin = System.nanoTime();
            endpoint.close();
            worker.requests().cancel(receive);
            worker.close();
            long millis = (System.nanoTime() - begin) / 1_000_000;
            assertTrue(millis < LATE_MILLIS, "closing took " + millis + " ms");
        }
    }

    private void onError(UcpEndpoint endpoint, UcsStatus status) {
        assertEquals(endpoint.failure(), status);
        failed.add(endpoint);
    }

    // A transport notices a dead peer when it sends to it.
    private static void sendUntilFailed(UcpWorker worker, UcpEndpoint endpoint, MemorySegment buffer) {
        long[] send = {0};
        UcxTransports.until(endpoint::isFailed, () -> {
            if (worker.requests().isDone(send[0])) {
                worker.requests().release(send[0]);
                try {
                    send[0] = endpoint.tagSend(buffer, 1);
                } catch (UcxException e) {
                    send[0] = 0; // the callback follows
                }
            }
            worker.progress();
        });
    }

    private static void exchange(
            UcpWorker worker, UcpEndpoint endpoint, MemorySegment from, MemorySegment to, long tag) {
        UcpRequests requests = worker.requests();
        long receive = worker.tagReceive(to, tag + 1);
        long send = endpoint.tagSend(from, tag);
        UcxTransports.until(() -> requests.isDone(receive) && requests.isDone(send), worker::progress);
        assertEquals(UcsStatus.OK, requests.status(receive));
        requests.release(receive);
        requests.release(send);
    }
}
