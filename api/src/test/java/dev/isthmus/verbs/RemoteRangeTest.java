// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Requests that name the peer's memory by a {@link RemoteMemory} stay within it. */
@Tag("device")
@Tag("connectx")
class RemoteRangeTest {

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private RcPair pair;
    private RemoteMemory there; // the last 64 bytes of b's region but 8

    @BeforeEach
    void open() {
        pair = RcPair.connected(config -> config.maxSendSge(2)
                .extendedPosting(
                        SendOpcode.SEND,
                        SendOpcode.RDMA_WRITE,
                        SendOpcode.RDMA_WRITE_WITH_IMM,
                        SendOpcode.RDMA_READ,
                        SendOpcode.ATOMIC_CMP_AND_SWP,
                        SendOpcode.ATOMIC_FETCH_AND_ADD));
        RemoteMemory all = pair.b.region.remoteMemory();
        assertEquals(new RemoteMemory(pair.b.region.address(), pair.b.region.rkey(), RcPair.BUFFER), all);
        var sent = all.slice(RcPair.BUFFER - 72, 64).write(ByteBuffer.allocate(RemoteMemory.BYTES));
        there = RemoteMemory.read(sent.flip());
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private void assertDone(SendRequest request) {
        pair.a.qp.post(request);
        pair.a.awaitSuccess();
    }

    private void assertRefused(SendRequest request) {
        var e = assertThrows(IllegalArgumentException.class, () -> pair.a.qp.post(request));
        assertTrue(e.getMessage().contains("beyond the end of the peer's memory"), e.getMessage());
        assertThrows(IllegalArgumentException.class, () -> pair.a.qp.post(request)); // nor when it was seen before
        assertEquals(0, pair.a.cq.poll(pair.a.done));
    }

    @Test
    void shouldWriteUpToTheEndAndNoFurther() {
        pair.a.memory().set(LONG, 0, 42);
        var write = pair.a.send(0, 8).opcode(SendOpcode.RDMA_WRITE);
        assertDone(write.remote(there, 56));
        assertEquals(42, pair.b.memory().get(LONG, RcPair.BUFFER - 16));
        assertRefused(write.length(9));
        assertRefused(write.range(0, 1000));
        assertDone(write.length(8));
        assertRefused(write.remote(there, 57));
        assertDone(write.length(7));
        assertDone(write.remote(there, 0).length(64));
        assertRefused(write.length(65));
        assertDone(write.remote(there.address(), there.rkey())); // whose end nobody knows
        assertRefused(write.remote(there, 0));
        assertDone(write.length(0).remote(there, 64));
        assertThrows(IndexOutOfBoundsException.class, () -> write.remote(there, 65));
        assertThrows(IndexOutOfBoundsException.class, () -> write.remote(there, -1));
    }

    @Test
    void shouldCountAllBuffers() {
        var read = SendRequest.prepare(2).opcode(SendOpcode.RDMA_READ).signaled(true);
        assertDone(read.remote(there, 32).sge(0, pair.a.region, 0, 16));
        assertDone(read.sge(1, pair.a.region, 64, 16));
        assertRefused(read.sge(1, pair.a.region, 64, 17));
        assertDone(read.sge(0, pair.a.region, 0, 15));
    }

    @Test
    void shouldBoundOnlyWhatGoesToThePeersMemory() {
        var request = pair.a.send(0, 100).remote(there, 0);
        assertRefused(request.opcode(SendOpcode.RDMA_WRITE));
        pair.b.qp.post(pair.b.receive(0, 100));
        assertDone(request.opcode(SendOpcode.SEND));
        pair.b.awaitSuccess();
        assertRefused(request.opcode(SendOpcode.RDMA_READ));
        assertRefused(request.opcode(SendOpcode.RDMA_WRITE_WITH_IMM));
    }

    @Test
    void shouldDoAtomicsWithin() {
        long at = RcPair.BUFFER - 16;
        pair.b.memory().set(LONG, at, 5);
        var atomic = pair.a.send(0, 8);
        assertDone(atomic.fetchAndAdd(there, 56, 2));
        assertEquals(5, pair.a.memory().get(LONG, 0));
        assertDone(atomic.compareAndSwap(there, 56, 7, 9));
        assertEquals(9, pair.b.memory().get(LONG, at));
        assertThrows(IndexOutOfBoundsException.class, () -> atomic.fetchAndAdd(there, 57, 2));
        assertThrows(IndexOutOfBoundsException.class, () -> atomic.compareAndSwap(there, 64, 7, 9));
        assertThrows(IllegalArgumentException.class, () -> atomic.fetchAndAdd(there, 4, 2)); // not aligned
        assertDone(atomic.opcode(SendOpcode.RDMA_WRITE).remote(there, 56));
        assertRefused(atomic.length(16));
    }

    @Test
    void shouldBoundBatches() {
        SendBatch batch = pair.a.qp.sendBatch();
        pair.b.memory().set(LONG, RcPair.BUFFER - 16, 5);
        batch.start();
        batch.next(1, false).write(there, 0).sge(pair.a.region, 0, 64);
        batch.next(2, false).read(there, 56).sge(pair.a.region, 128, 8);
        batch.next(3, false).fetchAndAdd(there, 56, 1).sge(pair.a.region, 136, 8);
        batch.next(4, true).compareAndSwap(there, 0, 1, 1).sge(pair.a.region, 144, 8);
        assertTrue(batch.complete());
        pair.a.awaitSuccess();
        batch.start();
        var write = batch.next(1, true).write(there, 8);
        var e = assertThrows(IllegalArgumentException.class, () -> write.sge(pair.a.region, 0, 57));
        assertTrue(e.getMessage().contains("56 are left"), e.getMessage());
        write.sge(pair.a.region, 0, 56);
        assertThrows(IndexOutOfBoundsException.class, () -> batch.next(2, true).read(there, 65));
        batch.abort();
        batch.start();
        batch.next(1, true).write(there.address(), there.rkey()).sge(pair.a.region, 0, 65);
        batch.abort();
        assertEquals(0, pair.a.cq.poll(pair.a.done));
    }

    @Test
    void shouldNotLendARegionThatIsClosed() {
        var region = pair.a.pd.register(pair.arena().allocate(64), AccessFlag.LOCAL_WRITE);
        assertFalse(region.remoteMemory().toString().isEmpty());
        region.close();
        assertThrows(IllegalStateException.class, region::remoteMemory);
    }
}
