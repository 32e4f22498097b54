// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.internal.ucx.SharedMemoryAtomics;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("ucx")
class UcpRemoteAtomicsTest {

    private static final long A = 0x0ff0_1234_8765_4321L;
    private static final long B = 0xf00f_00ff_0f0f_3333L;

    private static long expected(UcpAtomic operation, long before, long operand) {
        return switch (operation) {
            case ADD -> before + operand;
            case SWAP -> operand;
            case AND -> before & operand;
            case OR -> before | operand;
            case XOR -> before ^ operand;
        };
    }

    // Debian 12's UCX, over transports for which this side's processor computes.
    private static boolean isWrong(String tls, UcpAtomic operation) {
        return SharedMemoryAtomics.areWrong()
                && (tls.startsWith("posix") || tls.startsWith("sysv"))
                && operation != UcpAtomic.ADD
                && operation != UcpAtomic.SWAP;
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldDoEveryOperationOn64Bits(String tls) {
        try (var pair = new RemotePair(tls, 24)) {
            var atomics = pair.remote.atomics();
            for (UcpAtomic operation : UcpAtomic.values()) {
                pair.segment().set(ValueLayout.JAVA_LONG, 8, A);
                long after = expected(operation, A, B);
                if (isWrong(tls, operation)) {
                    var e = assertThrows(RdmaUnavailableException.class, () -> atomics.fetch64(operation, 8, B));
                    assertTrue(e.getMessage().contains("computes " + operation + " wrongly"), e.getMessage());
                } else {
                    assertEquals(A, pair.fetch(atomics.fetch64(operation, 8, B)), operation + " fetches");
                    assertEquals(after, pair.segment().get(ValueLayout.JAVA_LONG, 8), operation + " and fetch");
                }
                if (operation == UcpAtomic.SWAP) {
                    continue;
                }
                pair.segment().set(ValueLayout.JAVA_LONG, 8, A);
                pair.end(atomics.apply64(operation, 8, B));
                pair.flush();
                assertEquals(after, pair.segment().get(ValueLayout.JAVA_LONG, 8), operation + "");
                pair.segment().set(ValueLayout.JAVA_LONG, 8, A);
                atomics.post64(operation, 8, B);
                pair.flush();
                assertEquals(after, pair.segment().get(ValueLayout.JAVA_LONG, 8), operation + " posted");
            }
            assertEquals(0, pair.segment().get(ValueLayout.JAVA_LONG, 0));
            assertEquals(0, pair.segment().get(ValueLayout.JAVA_LONG, 16));
            assertEquals(0, pair.requests().outstanding());
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldDoEveryOperationOn32Bits(String tls) {
        int a = (int) A;
        int b = (int) (B >> 32);
        try (var pair = new RemotePair(tls, 24)) {
            var atomics = pair.remote.atomics();
            for (UcpAtomic operation : UcpAtomic.values()) {
                pair.segment().set(ValueLayout.JAVA_INT, 4, a);
                int after = (int) expected(operation, a, b);
                if (isWrong(tls, operation)) {
                    var e = assertThrows(RdmaUnavailableException.class, () -> atomics.fetch32(operation, 4, b));
                    assertTrue(e.getMessage().contains("computes " + operation + " wrongly"), e.getMessage());
                } else {
                    assertEquals(
                            a, pair.fetch(atomics.fetch32(operation, 4, b)), operation + " fetches, with its sign");
                    assertEquals(after, pair.segment().get(ValueLayout.JAVA_INT, 4), operation + " and fetch");
                }
                if (operation == UcpAtomic.SWAP) {
                    continue;
                }
                pair.segment().set(ValueLayout.JAVA_INT, 4, a);
                pair.end(atomics.apply32(operation, 4, b));
                pair.flush();
                assertEquals(after, pair.segment().get(ValueLayout.JAVA_INT, 4), operation + "");
                pair.segment().set(ValueLayout.JAVA_INT, 4, a);
                atomics.post32(operation, 4, b);
                pair.flush();
                assertEquals(after, pair.segment().get(ValueLayout.JAVA_INT, 4), operation + " posted");
            }
            assertEquals(0, pair.segment().get(ValueLayout.JAVA_INT, 0));
            assertEquals(0, pair.segment().get(ValueLayout.JAVA_INT, 8));
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldReplaceOnlyTheExpectedNumber(String tls) {
        try (var pair = new RemotePair(tls, 16)) {
            var atomics = pair.remote.atomics();
            pair.segment().set(ValueLayout.JAVA_LONG, 0, A);
            assertEquals(A, pair.fetch(atomics.compareAndSwap64(0, B, 1)));
            assertEquals(A, pair.segment().get(ValueLayout.JAVA_LONG, 0));
            assertEquals(A, pair.fetch(atomics.compareAndSwap64(0, A, B)));
            assertEquals(B, pair.segment().get(ValueLayout.JAVA_LONG, 0));
            pair.segment().set(ValueLayout.JAVA_INT, 8, -5);
            assertEquals(-5, pair.fetch(atomics.compareAndSwap32(8, 5, 1)));
            assertEquals(-5, pair.segment().get(ValueLayout.JAVA_INT, 8));
            assertEquals(-5, pair.fetch(atomics.compareAndSwap32(8, -5, 6)));
            assertEquals(6, pair.segment().get(ValueLayout.JAVA_INT, 8));
            assertEquals(0, pair.segment().get(ValueLayout.JAVA_INT, 12));
        }
    }

    /** Several endpoints of several workers add to one number, with all operations outstanding at the same time. */
    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldCountOverSeveralEndpoints(String tls) {
        int each = 200;
        try (var pair = new RemotePair(tls, 16);
                var other = pair.pair.context.createWorker();
                var second = other.createEndpoint(pair.pair.receiver.address());
                var over = second.unpack(pair.memory.packKey())) {
            List<Long> mine = new ArrayList<>();
            List<Long> others = new ArrayList<>();
            for (int i = 0; i < each; i++) {
                mine.add(pair.remote.atomics().fetch64(UcpAtomic.ADD, 0, 1));
                others.add(over.atomics().fetch64(UcpAtomic.ADD, 0, 1));
                over.atomics().post32(UcpAtomic.ADD, 8, 1);
                pair.remote.atomics().post32(UcpAtomic.ADD, 8, 1);
            }
            Runnable progress = () -> {
                pair.pair.progress();
                other.progress();
            };
            List<Long> seen = new ArrayList<>();
            for (int i = 0; i < each; i++) {
                long first = mine.get(i);
                long last = others.get(i);
                UcxTransports.until(
                        () -> pair.requests().isDone(first) && other.requests().isDone(last), progress);
                seen.add(pair.requests().fetched(first));
                seen.add(other.requests().fetched(last));
                pair.requests().release(first);
                other.requests().release(last);
            }
            for (UcpWorker worker : List.of(pair.pair.sender, other)) {
                long flush = worker.flush();
                UcxTransports.until(() -> worker.requests().isDone(flush), progress);
                worker.requests().release(flush);
            }
            seen.sort(Long::compare);
            for (int i = 0; i < 2 * each; i++) {
                assertEquals(i, seen.get(i), "each number is fetched once");
            }
            assertEquals(2L * each, pair.segment().get(ValueLayout.JAVA_LONG, 0));
            assertEquals(2 * each, pair.segment().get(ValueLayout.JAVA_INT, 8));
        }
    }

    @Test
    void shouldCompleteFutures() {
        try (var pair = new RemotePair(UcxTransports.any(), 16)) {
            var atomics = pair.remote.atomics();
            var all = atomics.fetch64Async(UcpAtomic.ADD, 0, 5)
                    .thenCompose(before -> atomics.compareAndSwap64Async(0, before + 5, 77))
                    .thenCompose(five -> atomics.fetch32Async(UcpAtomic.SWAP, 8, five.intValue()))
                    .thenCompose(zero -> atomics.compareAndSwap32Async(8, 5, -6));
            UcxTransports.until(all::isDone, pair.pair::progress);
            assertEquals(5, all.join());
            assertEquals(77, pair.segment().get(ValueLayout.JAVA_LONG, 0));
            assertEquals(-6, pair.segment().get(ValueLayout.JAVA_INT, 8));
        }
    }

    @Test
    void shouldRefuseWhatIsNoNumberThere() {
        try (var pair = new RemotePair(UcxTransports.any(), 20)) {
            var atomics = pair.remote.atomics();
            var e = assertThrows(IllegalArgumentException.class, () -> atomics.apply64(UcpAtomic.ADD, 4, 1));
            assertTrue(e.getMessage().contains("multiple of 8"), e.getMessage());
            assertThrows(IllegalArgumentException.class, () -> atomics.post32(UcpAtomic.ADD, 2, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> atomics.fetch64(UcpAtomic.ADD, 16, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> atomics.fetch64(UcpAtomic.ADD, -8, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> atomics.compareAndSwap32(20, 1, 1));
            assertThrows(IllegalArgumentException.class, () -> atomics.apply64(UcpAtomic.SWAP, 0, 1));
            assertThrows(IllegalArgumentException.class, () -> atomics.post32(UcpAtomic.SWAP, 0, 1));
            assertEquals(0, pair.requests().outstanding());
        }
    }

    @Test
    void shouldRefuseWithoutTheFeature() {
        var features = EnumSet.of(UcpFeature.AMO32);
        try (var pair = new UcpPair(
                        config -> config.set("TLS", UcxTransports.any()).features(features), config -> {});
                var memory = pair.context.allocate(16);
                var remote = pair.endpoint.unpack(memory.packKey())) {
            var e = assertThrows(
                    IllegalStateException.class, () -> remote.atomics().post64(UcpAtomic.ADD, 0, 1));
            assertTrue(e.getMessage().endsWith("was made without UcpFeature.AMO64"), e.getMessage());
            assertThrows(IllegalStateException.class, () -> remote.get(memory, 0, 8, 0));
            long flush = remote.atomics().fetch32(UcpAtomic.ADD, 0, 1);
            pair.await(pair.sender, flush);
            pair.sender.requests().release(flush);
        }
    }
}
