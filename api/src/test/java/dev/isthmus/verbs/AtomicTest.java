// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.RefusedByDevice;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
class AtomicTest {

    private static SendRequest compareAndSwap(RcPair pair, long compare, long swap) {
        return pair.a.send(8, 8).compareAndSwap(remote(pair), pair.b.region.rkey(), compare, swap);
    }

    private static SendRequest fetchAndAdd(RcPair pair, long add) {
        return pair.a.send(8, 8).fetchAndAdd(remote(pair), pair.b.region.rkey(), add);
    }

    private static long remote(RcPair pair) {
        return pair.b.region.address() + 64;
    }

    private static long fetched(RcPair pair) {
        return pair.a.memory().get(JAVA_LONG, 8);
    }

    private static long target(RcPair pair) {
        return pair.b.memory().get(JAVA_LONG, 64);
    }

    @Tag("connectx")
    @Test
    void shouldSwapWhenEqualAndFetchEitherWay() {
        try (var pair = RcPair.connected()) {
            pair.b.memory().set(JAVA_LONG, 64, 5);
            assertTrue(pair.a.qp.tryPost(compareAndSwap(pair, 5, -7)));
            pair.a.awaitSuccess();
            assertEquals(CompletionOpcode.COMP_SWAP, pair.a.done.opcode(0));
            assertEquals(8, pair.a.done.byteLength(0));
            assertEquals(5, fetched(pair));
            assertEquals(-7, target(pair));

            assertTrue(pair.a.qp.tryPost(compareAndSwap(pair, 5, 11)));
            pair.a.awaitSuccess();
            assertEquals(-7, fetched(pair));
            assertEquals(-7, target(pair));
        }
    }

    @Tag("connectx")
    @Test
    void shouldAddAndFetchWhatWasThere() {
        try (var pair = RcPair.connected()) {
            pair.b.memory().set(JAVA_LONG, 64, Long.MAX_VALUE);
            for (int i = 0; i < 10; i++) {
                assertTrue(pair.a.qp.tryPost(fetchAndAdd(pair, 3)));
                pair.a.awaitSuccess();
                assertEquals(CompletionOpcode.FETCH_ADD, pair.a.done.opcode(0));
                assertEquals(Long.MAX_VALUE + 3L * i, fetched(pair));
            }
            assertEquals(Long.MAX_VALUE + 30, target(pair));
        }
    }

    @Tag("connectx")
    @Test
    void shouldWaitForAtomicBeforeAFencedSend() {
        try (var pair = RcPair.connected()) {
            pair.b.memory().set(JAVA_LONG, 64, 41);
            pair.b.qp.post(pair.b.receive(0, 8));
            // What the send carries is what the atomic before it fetched.
            var send = pair.a.send(8, 8).fence(true);
            assertNull(pair.a.qp.tryPostChain(fetchAndAdd(pair, 1).next(send)));
            pair.b.awaitSuccess();
            assertEquals(41, pair.b.memory().get(JAVA_LONG, 0));
        }
    }

    @Tag("connectx")
    @Test
    void shouldReportAtomicThatTheQueuePairDoesNotAllow() {
        try (var pair = RcPair.connected()) {
            pair.b.qp.modify(QueuePairTransition.to(QueuePairState.RTS).access(AccessFlag.LOCAL_WRITE));
            pair.a.qp.post(fetchAndAdd(pair, 1));
            pair.a.await();
            assertEquals(CompletionStatus.REM_INV_REQ_ERR, pair.a.done.status(0));
        }
    }

    @Tag("connectx")
    @Test
    void shouldReportAtomicThatTheRegionDoesNotAllow() {
        try (var pair = RcPair.connected();
                var plain = pair.b.pd.register(pair.arena().allocate(8, 8), AccessFlag.LOCAL_WRITE)) {
            pair.a.qp.post(pair.a.send(0, 8).fetchAndAdd(plain.address(), plain.rkey(), 1));
            pair.a.await();
            assertEquals(CompletionStatus.REM_ACCESS_ERR, pair.a.done.status(0));
        }
    }

    @Tag("connectx")
    @Test
    void shouldReportAtomicWithAWrongKey() {
        try (var pair = RcPair.connected()) {
            pair.a.qp.post(pair.a.send(0, 8).fetchAndAdd(remote(pair), pair.b.region.rkey() + 1, 1));
            pair.a.await();
            assertEquals(CompletionStatus.REM_ACCESS_ERR, pair.a.done.status(0));
        }
    }

    @Tag("connectx")
    @Test
    void shouldRefuseAtomicIntoARegionOfAnotherDomain() {
        try (var pair = RcPair.connected();
                var other = pair.a.device.allocateProtectionDomain();
                var foreign = other.register(pair.arena().allocate(8, 8), AccessFlag.LOCAL_WRITE)) {
            var request = SendRequest.prepare(foreign).fetchAndAdd(remote(pair), pair.b.region.rkey(), 1);
            var e = assertThrows(IllegalArgumentException.class, () -> pair.a.qp.tryPost(request));
            assertTrue(e.getMessage().contains("another protection domain"), e.getMessage());
        }
    }

    @Tag("connectx")
    @Test
    void shouldRefuseAtomicWithAnUnfitBuffer() {
        try (var pair = RcPair.connected();
                var readOnly = pair.a.pd.register(pair.arena().allocate(8, 8))) {
            var tooShort = fetchAndAdd(pair, 1).length(4);
            var e = assertThrows(IllegalArgumentException.class, () -> pair.a.qp.tryPost(tooShort));
            assertTrue(e.getMessage().contains("one buffer of 8 bytes"), e.getMessage());
            var two = SendRequest.prepare(2).sge(0, pair.a.region, 0, 4).sge(1, pair.a.region, 8, 4);
            two.fetchAndAdd(remote(pair), pair.b.region.rkey(), 1);
            assertThrows(IllegalArgumentException.class, () -> pair.a.qp.tryPost(two));
            var unwritable = SendRequest.prepare(readOnly).fetchAndAdd(remote(pair), pair.b.region.rkey(), 1);
            var f = assertThrows(IllegalArgumentException.class, () -> pair.a.qp.tryPost(unwritable));
            assertTrue(f.getMessage().contains("LOCAL_WRITE"), f.getMessage());
            var read = unwritable.opcode(SendOpcode.RDMA_READ).remote(remote(pair), pair.b.region.rkey());
            assertThrows(IllegalArgumentException.class, () -> pair.a.qp.tryPost(read));
            assertTrue(pair.a.qp.tryPost(
                    read.sge(0, pair.a.region, 0, 8).signaled(true))); // the buffer in its place is writable
            pair.a.awaitSuccess();
        }
    }

    @Test
    void shouldWriteAtOnce() {
        try (var pair = RcPair.connected()) {
            pair.a.memory().set(JAVA_LONG, 8, 77);
            var write = pair.a.send(8, 8).opcode(SendOpcode.ATOMIC_WRITE).remote(remote(pair), pair.b.region.rkey());
            assertThrows(
                    IllegalArgumentException.class,
                    () -> pair.a.qp.tryPost(pair.a
                            .send(8, 8)
                            .opcode(SendOpcode.ATOMIC_WRITE)
                            .remote(remote(pair) + 4, pair.b.region.rkey())));
            assertTrue(pair.a.qp.tryPost(write));
            pair.a.await();
            if (!pair.a.done.isSuccess(0)) {
                // Soft-RoCE of Linux 6.1 lacks this operation. Newer ones have it, but the driver of rdma-core (to 56
                // at least) forgets the address in ibv_post_send, so only a SendBatch can post it.
                var refused = Set.of(CompletionStatus.LOC_QP_OP_ERR, CompletionStatus.REM_ACCESS_ERR);
                assertTrue(refused.contains(pair.a.done.status(0)), pair.a.done.toString());
                assertEquals(0, target(pair));
                throw RefusedByDevice.by("ibv_post_send", "ATOMIC_WRITE ends with " + pair.a.done.status(0));
            }
            assertEquals(CompletionOpcode.ATOMIC_WRITE, pair.a.done.opcode(0));
            assertEquals(77, target(pair));
        }
    }
}
