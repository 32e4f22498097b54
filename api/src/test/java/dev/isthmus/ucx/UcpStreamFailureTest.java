// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.UcxException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A peer that streams, connected by socket address, is killed. */
@Tag("ucx")
class UcpStreamFailureTest {

    private final List<UcpEndpoint> accepted = new ArrayList<>();

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#withPeerErrors")
    void shouldEndReceivesOfStreamWhosePeerDied(String tls) throws Exception {
        try (var context = UcpContext.create(config -> config.set("TLS", tls)
                        .features(EnumSet.of(UcpFeature.STREAM, UcpFeature.TAG, UcpFeature.WAKEUP)));
                var worker = context.createWorker(UcpPair.closingWithin(Duration.ofMillis(200)));
                var arena = Arena.ofConfined();
                var listener = worker.createListener(
                        UcxTransports.listenAddress(), request -> accepted.add(request.accept(worker, config -> {})));
                var child = new UcpStreamChild(tls, listener.address());
                var lent = UcpStreamData.of(worker)) {
            UcxTransports.until(() -> !accepted.isEmpty(), () -> progressOrSleep(worker));
            try (UcpEndpoint endpoint = accepted.getFirst()) {
                UcpStream stream = endpoint.stream();
                UcxTransports.until(() -> stream.receiveData(lent), () -> progressOrSleep(worker));
                assertEquals(8, lent.length());
                MemorySegment buffer = arena.allocate(100);
                long some = stream.receive(buffer, 0, 8);
                long all = stream.receiveAll(buffer, 0, 100);
                var future = stream.receiveAllAsync(buffer);
                child.kill();
                UcxTransports.until(endpoint::isFailed, () -> progressOrSleep(worker));
                UcpRequests requests = worker.requests();
                UcxTransports.until(
                        () -> requests.isDone(some) && requests.isDone(all) && future.isDone(), worker::progress);
                assertTrue(requests.status(some).isError());
                assertTrue(requests.status(all).isError());
                assertEquals(0, requests.length(all));
                assertTrue(future.isCompletedExceptionally());
                requests.release(some);
                requests.release(all);
                assertThrows(UcxException.class, () -> stream.receive(buffer, 0, 8));
                assertThrows(UcxException.class, () -> stream.send(buffer, 0, 8));
                // What is lent stays readable until the endpoint is closed.
                assertEquals(0L, lent.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
                assertFalse(stream.receiveData(UcpStreamData.of(worker)));
            }
            assertFalse(lent.isHolding());
        }
    }

    private static void progressOrSleep(UcpWorker worker) {
        try {
            if (worker.progress() == 0) {
                worker.wakeup().await(Duration.ofMillis(100));
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
