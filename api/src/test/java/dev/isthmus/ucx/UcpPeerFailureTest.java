// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.UcxException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A peer in another process, connected by socket address, is killed. */
@Tag("ucx")
class UcpPeerFailureTest {

    private final List<UcpEndpoint> failed = new ArrayList<>();

    /** A server that a child has connected to and sent a message. */
    private final class Server implements AutoCloseable {
        final UcpContext context;
        final UcpWorker worker;
        final Arena arena = Arena.ofConfined();
        final UcpListener listener;
        final UcpClientChild child;
        UcpEndpoint endpoint;

        Server(String tls) throws Exception {
            context = UcpContext.create(
                    config -> config.set("TLS", tls).features(EnumSet.of(UcpFeature.TAG, UcpFeature.WAKEUP)));
            worker = context.createWorker(UcpPair.closingWithin(Duration.ofMillis(200)));
            listener = worker.createListener(
                    UcxTransports.listenAddress(),
                    request -> endpoint =
                            request.accept(worker, config -> config.errorHandler((ep, status) -> failed.add(ep))));
            child = new UcpClientChild(tls, listener.address());
            long first = worker.tagReceive(arena.allocate(8), 1);
            UcxTransports.until(() -> worker.requests().isDone(first), this::progressOrSleep);
            assertFalse(endpoint.isFailed());
        }

        /** Leaves the processor to the child while nothing happens. */
        private void progressOrSleep() {
            try {
                if (worker.progress() == 0) {
                    worker.wakeup().await(Duration.ofMillis(100));
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void close() {
            child.close();
            if (endpoint != null) {
                endpoint.close();
            }
            listener.close();
            worker.close();
            context.close();
            arena.close();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#withPeerErrors")
    void shouldBeSeenByIdleEndpointOfSleepingWorker(String tls) throws Exception {
        try (var server = new Server(tls)) {
            long receive = server.worker.tagReceive(server.arena.allocate(8), 2);
            server.child.kill();
            long begin = System.nanoTime();
            while (failed.isEmpty()) {
                if (server.worker.progress() == 0) {
                    server.worker.wakeup().await(Duration.ofSeconds(1));
                }
                long seconds = (System.nanoTime() - begin) / 1_000_000_000;
                assertTrue(seconds < UcxTransports.DEADLINE_SECONDS, "not told within " + seconds + " s");
            }
            assertEquals(List.of(server.endpoint), failed);
            assertTrue(server.endpoint.failure().isError());
            assertThrows(UcxException.class, () -> server.endpoint.tagSend(server.arena.allocate(8), 1));
            // UCX would accept it, and would not survive the close of the endpoint.
            assertThrows(UcxException.class, () -> server.endpoint.tagSendSync(server.arena.allocate(8), 0, 8, 1));
            // A receive belongs to no endpoint, and goes on.
            assertFalse(server.worker.requests().isDone(receive));
            server.worker.requests().cancel(receive);
            UcxTransports.until(() -> server.worker.requests().isDone(receive), server.worker::progress);
            assertEquals(UcsStatus.CANCELED, server.worker.requests().status(receive));
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#withPeerErrors")
    void shouldBeSeenByBusyEndpoint(String tls) throws Exception {
        try (var server = new Server(tls)) {
            UcpRequests requests = server.worker.requests();
            MemorySegment large = server.arena.allocate(8 << 20);
            List<Long> sends = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                sends.add(server.endpoint.tagSend(large, 100 + i)); // rendezvous: the child receives none of them
            }
            server.child.kill();
            UcxTransports.until(() -> !failed.isEmpty(), server.worker::progress);
            UcxTransports.until(() -> sends.stream().allMatch(requests::isDone), server.worker::progress);
            for (long send : sends) {
                assertTrue(requests.status(send).isError(), "ended as " + requests.status(send));
                requests.release(send);
            }
            long flush = flush(server.endpoint);
            UcxTransports.until(() -> requests.isDone(flush), server.worker::progress);
        }
    }

    private static long flush(UcpEndpoint endpoint) {
        try {
            return endpoint.flush();
        } catch (UcxException e) {
            assertTrue(UcsStatus.of(e.status()).isError());
            return 0;
        }
    }
}
