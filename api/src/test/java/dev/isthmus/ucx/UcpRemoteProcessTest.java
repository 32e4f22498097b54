// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.UcxException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Access to memory of another process, which also dies. */
@Tag("ucx")
class UcpRemoteProcessTest {

    /** This process's side. */
    private static final class Origin implements AutoCloseable {
        final UcpMemoryChild child;
        final Arena arena = Arena.ofConfined();
        final UcpContext context;
        final UcpWorker worker;
        final UcpEndpoint endpoint;
        final UcpRemoteMemory remote;

        Origin(String tls, UcpErrorHandling mode) throws Exception {
            child = new UcpMemoryChild(tls);
            context = UcpContext.create(config -> config.set("TLS", tls).features(RemotePair.FEATURES));
            worker = context.createWorker(UcpPair.closingWithin(Duration.ofMillis(500)));
            endpoint = worker.createEndpoint(child.address, config -> config.errorHandling(mode));
            remote = endpoint.unpack(child.key);
        }

        UcsStatus end(long request) {
            UcxTransports.until(() -> worker.requests().isDone(request), worker::progress);
            UcsStatus status = worker.requests().status(request);
            worker.requests().release(request);
            return status;
        }

        @Override
        public void close() {
            child.close();
            remote.close();
            endpoint.close();
            worker.close();
            context.close();
            arena.close();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldReachMemoryOfAnotherProcess(String tls) throws Exception {
        try (var origin = new Origin(tls, UcpErrorHandling.NONE)) {
            MemorySegment from = origin.arena.allocate(UcpMemoryChild.BYTES);
            MemorySegment to = origin.arena.allocate(UcpMemoryChild.BYTES);
            UcpPair.fill(from, 5);
            assertEquals(UcsStatus.OK, origin.end(origin.remote.put(from, 0, UcpMemoryChild.BYTES, 0)));
            assertEquals(UcsStatus.OK, origin.end(origin.endpoint.flush()));
            assertEquals(UcsStatus.OK, origin.end(origin.remote.get(to, 0, UcpMemoryChild.BYTES, 0)));
            assertEquals(-1, to.mismatch(from));
            long fetch = origin.remote.atomics().fetch64(UcpAtomic.ADD, 8, 3);
            UcxTransports.until(() -> origin.worker.requests().isDone(fetch), origin.worker::progress);
            assertEquals(
                    from.get(ValueLayout.JAVA_LONG, 8), origin.worker.requests().fetched(fetch));
            origin.worker.requests().release(fetch);
            origin.remote
                    .pointer()
                    .ifPresent(mapped ->
                            assertEquals(from.get(ValueLayout.JAVA_LONG, 16), mapped.get(ValueLayout.JAVA_LONG, 16)));
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#withPeerErrors")
    void shouldReachMemoryOverConnectionBySocketAddress(String tls) {
        var accepted = new ArrayList<UcpEndpoint>();
        try (var context = UcpContext.create(config -> config.set("TLS", tls).features(RemotePair.FEATURES));
                var memory = context.allocate(100_000);
                var local = context.allocate(100_000);
                var server = context.createWorker();
                var client = context.createWorker();
                var listener = server.createListener(
                        UcxTransports.listenAddress(), request -> accepted.add(request.accept()));
                var endpoint = client.createEndpoint(listener.address(), config -> {})) {
            Runnable progress = () -> {
                client.progress();
                server.progress();
            };
            UcxTransports.until(() -> !accepted.isEmpty(), progress);
            long connected = endpoint.flush();
            UcxTransports.until(() -> client.requests().isDone(connected), progress);
            client.requests().release(connected);
            UcpPair.fill(local.segment(), 8);
            try (var remote = endpoint.unpack(memory.packKey())) {
                remote.putImplicit(local, 0, 100_000, 0);
                long flush = endpoint.flush();
                UcxTransports.until(() -> client.requests().isDone(flush), progress);
                assertEquals(UcsStatus.OK, client.requests().status(flush));
                client.requests().release(flush);
            }
            assertEquals(-1, memory.segment().mismatch(local.segment()));
            accepted.forEach(UcpEndpoint::closeForcibly);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#withPeerErrors")
    void shouldFailWhenThePeerDiesMeanwhile(String tls) throws Exception {
        try (var origin = new Origin(tls, UcpErrorHandling.PEER)) {
            UcpRequests requests = origin.worker.requests();
            MemorySegment from = origin.arena.allocate(UcpMemoryChild.BYTES);
            assertEquals(UcsStatus.OK, origin.end(origin.remote.put(from, 0, UcpMemoryChild.BYTES, 0)));
            assertEquals(UcsStatus.OK, origin.end(origin.endpoint.flush()));
            origin.child.kill();
            long get = getUnlessRefused(origin, from);
            UcxTransports.until(origin.endpoint::isFailed, () -> {
                putUnlessFailed(origin, from);
                origin.worker.progress();
            });
            if (get != 0) {
                UcxTransports.until(() -> requests.isDone(get), origin.worker::progress);
                assertTrue(requests.status(get).isError(), "ended as " + requests.status(get));
                requests.release(get);
            }
            var e = assertThrows(UcxException.class, () -> origin.remote.put(from, 0, 8, 0));
            assertEquals(origin.endpoint.failureCode(), e.status());
            assertThrows(UcxException.class, () -> origin.remote.atomics().post64(UcpAtomic.ADD, 0, 1));
            assertThrows(UcxException.class, () -> origin.endpoint.unpack(origin.child.key));
        }
    }

    // TCP may say at once that there is nobody any more.
    private static long getUnlessRefused(Origin origin, MemorySegment to) {
        try {
            long get = origin.remote.get(to, 0, 100_000, 0);
            assertNotEquals(0, get);
            return get;
        } catch (UcxException e) {
            assertTrue(UcsStatus.of(e.status()).isError());
            return 0;
        }
    }

    private static void putUnlessFailed(Origin origin, MemorySegment from) {
        try {
            if (!origin.endpoint.isFailed() && origin.worker.pending().count(origin.endpoint) < 5) {
                origin.remote.putImplicit(from, 0, 10_000, 0);
            }
        } catch (UcxException e) {
            assertTrue(UcsStatus.of(e.status()).isError());
        }
    }
}
