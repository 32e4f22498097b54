// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.VerbsException;
import dev.isthmus.internal.verbs.VerbsCall;
import dev.isthmus.testbed.Allocated;
import dev.isthmus.testbed.RefusedByDevice;
import dev.isthmus.verbs.attributes.DeviceCapability;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Posting by start, requests and complete; side a posts. */
@Tag("device")
@Tag("connectx")
class SendBatchTest {

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final int INLINE = SendFlag.mask(SendFlag.SIGNALED, SendFlag.INLINE);
    private static final int INLINE_UNSIGNALED = SendFlag.mask(SendFlag.INLINE);
    private static final int MESSAGES = 20_000;

    private static final SendOpcode[] OPERATIONS = {
        SendOpcode.SEND,
        SendOpcode.SEND_WITH_IMM,
        SendOpcode.SEND_WITH_INV,
        SendOpcode.RDMA_WRITE,
        SendOpcode.RDMA_WRITE_WITH_IMM,
        SendOpcode.RDMA_READ,
        SendOpcode.ATOMIC_CMP_AND_SWP,
        SendOpcode.ATOMIC_FETCH_AND_ADD,
        SendOpcode.LOCAL_INV,
        SendOpcode.BIND_MW
    };

    private RcPair pair;
    private SendBatch batch;
    private long remote;
    private int rkey;

    private static void configure(QueuePairConfig config) {
        config.maxSendWr(8).maxInline(64).maxSendSge(4).maxRecvSge(4).extendedPosting(OPERATIONS);
    }

    @BeforeEach
    void open() {
        pair = RcPair.connected(SendBatchTest::configure);
        batch = pair.a.qp.sendBatch();
        remote = pair.b.region.address();
        rkey = pair.b.region.rkey();
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private void post(Consumer<SendBatch> request) {
        post(SendFlag.mask(SendFlag.SIGNALED), request);
    }

    private void post(int flags, Consumer<SendBatch> request) {
        batch.start();
        request.accept(batch.next(7, flags));
        assertTrue(batch.complete());
        pair.a.awaitSuccess();
        assertEquals(7, pair.a.done.wrId(0));
    }

    @Test
    void shouldPostSeveralRequestsTogether() {
        assertSame(batch, pair.a.qp.sendBatch());
        pair.a.memory().setString(0, "first");
        pair.a.memory().setString(64, "second");
        for (int i = 0; i < 2; i++) {
            assertTrue(pair.b.qp.tryPost(pair.b.receive(i * 64L, 64).wrId(i)));
        }
        batch.start();
        batch.next(1, false).send().sge(pair.a.region, 0, 6);
        batch.next(2, SendFlag.mask(SendFlag.SIGNALED, SendFlag.FENCE, SendFlag.SOLICITED))
                .sendImmediate(0xCAFE)
                .sge(pair.a.region, 64, 7);
        assertTrue(batch.complete());
        pair.a.awaitSuccess();
        assertEquals(2, pair.a.done.wrId(0));
        var one = WorkCompletions.allocate(1);
        await(one);
        assertEquals(0, one.wrId(0));
        assertFalse(one.hasImmediate(0));
        await(one);
        assertEquals(0xCAFE, one.immediate(0));
        assertEquals("first", pair.b.memory().getString(0));
        assertEquals("second", pair.b.memory().getString(64));
    }

    private void await(WorkCompletions one) {
        while (pair.b.cq.poll(one) == 0) {
            Thread.onSpinWait(); // the test has a time limit
        }
        assertTrue(one.isSuccess(0), one.toString());
    }

    @Test
    void shouldWriteAndRead() {
        pair.a.memory().set(LONG, 0, 42);
        post(b -> b.write(remote + 128, rkey).sge(pair.a.region, 0, 8));
        assertEquals(42, pair.b.memory().get(LONG, 128));
        pair.b.qp.post(pair.b.receive(0, 0));
        post(b -> b.writeImmediate(remote + 136, rkey, -5).sge(pair.a.region, 0, 8));
        pair.b.awaitSuccess();
        assertEquals(-5, pair.b.done.immediate(0));
        assertEquals(42, pair.b.memory().get(LONG, 136));
        pair.b.memory().set(LONG, 256, 99);
        post(b -> b.read(remote + 256, rkey).sge(pair.a.region, 512, 8));
        assertEquals(99, pair.a.memory().get(LONG, 512));
    }

    @Test
    void shouldWriteAndReadNothing() {
        pair.b.memory().set(LONG, 128, 42);
        pair.a.memory().set(LONG, 0, 43);
        post(b -> b.write(remote + 128, rkey).sge(pair.a.region, 0, 0));
        post(b -> b.write(remote + 128, rkey).noData());
        post(b -> b.read(remote + 128, rkey).sge(pair.a.region, 0, 0));
        assertEquals(42, pair.b.memory().get(LONG, 128));
        assertEquals(43, pair.a.memory().get(LONG, 0));
        pair.b.qp.post(pair.b.receive(0, 64));
        post(b -> b.writeImmediate(remote, rkey, 7).sge(pair.a.region, 0, 0));
        pair.b.awaitSuccess();
        assertEquals(0, pair.b.done.byteLength(0));
        assertEquals(7, pair.b.done.immediate(0));
    }

    @Test
    void shouldDoAtomics() {
        pair.b.memory().set(LONG, 0, 10);
        post(b -> b.compareAndSwap(remote, rkey, 10, 20).sge(pair.a.region, 0, 8));
        assertEquals(10, pair.a.memory().get(LONG, 0));
        post(b -> b.fetchAndAdd(remote, rkey, 5).sge(pair.a.region, 8, 8));
        assertEquals(20, pair.a.memory().get(LONG, 8));
        assertEquals(25, pair.b.memory().get(LONG, 0));
    }

    @Test
    void shouldGatherAndCopy() {
        var buffers = SendRequest.prepare(3)
                .sge(0, pair.a.region, 0, 4)
                .sge(1, pair.a.region, 100, 4)
                .sge(2, pair.a.region, 200, 8);
        boolean softRoce = pair.a.device.isSoftRoce();
        pair.a.memory().set(ValueLayout.JAVA_INT, 0, 1);
        pair.a.memory().set(ValueLayout.JAVA_INT, 100, 2);
        pair.a.memory().set(LONG, 200, 3);
        if (softRoce) {
            batch.start();
            batch.next(1, true).write(remote, rkey);
            var e = assertThrows(IllegalArgumentException.class, () -> batch.sges(buffers));
            assertTrue(e.getMessage().contains("post this request by tryPost"), e.getMessage());
            batch.abort();
            post(b -> b.write(remote, rkey).sges(buffers.sge(2, pair.a.region, 200, 4)));
            assertEquals(3, pair.b.memory().get(ValueLayout.JAVA_INT, 8));
            buffers.sge(2, pair.a.region, 200, 8);
        } else {
            post(b -> b.write(remote, rkey).sges(buffers));
            assertGathered(0);
        }
        post(INLINE, b -> b.write(remote + 64, rkey).inline(buffers));
        assertGathered(64);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment unregistered = arena.allocateFrom("not registered");
            post(INLINE, b -> b.write(remote + 128, rkey).inline(unregistered, 4, 11));
            assertEquals("registered", pair.b.memory().getString(128));
        }
        pair.b.qp.post(pair.b.receive(0, 64));
        post(b -> b.send().noData());
        pair.b.awaitSuccess();
        assertEquals(0, pair.b.done.byteLength(0));
    }

    private void assertGathered(long offset) {
        assertEquals(1, pair.b.memory().get(ValueLayout.JAVA_INT, offset));
        assertEquals(2, pair.b.memory().get(ValueLayout.JAVA_INT, offset + 4));
        assertEquals(3, pair.b.memory().get(LONG, offset + 8));
    }

    @Test
    void shouldBindAndInvalidateWindows() {
        try (var region =
                        pair.a.pd.register(pair.arena().allocate(4096, 8), AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND);
                var window = pair.a.pd.allocateWindow(MemoryWindowType.TYPE_2)) {
            var binding = WindowBinding.of(region, 0, 4096, AccessFlag.REMOTE_WRITE);
            int key = window.nextRkey();
            post(b -> b.bind(window, key, binding));
            window.bound(key);
            writeFromB(region.address(), key);
            assertTrue(pair.b.done.isSuccess(0), pair.b.done.toString());
            post(b -> b.localInvalidate(key));
            writeFromB(region.address(), key);
            assertEquals(CompletionStatus.REM_ACCESS_ERR, pair.b.done.status(0));
        }
    }

    private void writeFromB(long address, int key) {
        pair.b.qp.post(pair.b.send(0, 8).opcode(SendOpcode.RDMA_WRITE).remote(address, key));
        pair.b.await();
    }

    @Test
    void shouldInvalidateKeyOfThePeer() {
        try (var region =
                        pair.b.pd.register(pair.arena().allocate(4096, 8), AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND);
                var window = pair.b.pd.allocateWindow(MemoryWindowType.TYPE_2)) {
            int key = window.nextRkey();
            var binding = WindowBinding.of(region, 0, 4096, AccessFlag.REMOTE_WRITE);
            pair.b.qp.post(SendRequest.prepare(0).bind(window, key, binding).signaled(true));
            pair.b.awaitSuccess();
            window.bound(key);
            pair.b.qp.post(pair.b.receive(0, 8));
            post(b -> b.sendInvalidate(key).noData());
            pair.b.awaitSuccess();
            batch.start();
            batch.next(8, true).write(region.address(), key).sge(pair.a.region, 0, 8);
            assertTrue(batch.complete());
            pair.a.await();
            assertEquals(CompletionStatus.REM_ACCESS_ERR, pair.a.done.status(0));
        }
    }

    @Test
    void shouldPostNothingWhenAborted() {
        batch.start();
        batch.next(1, true).send().noData();
        batch.abort();
        batch.abort(); // nothing is started
        pair.a.memory().set(LONG, 0, 1);
        post(b -> b.write(remote, rkey).sge(pair.a.region, 0, 8)); // the aborted one would have failed before it
    }

    @Test
    void shouldPostAllOrNothingWhenTheQueueIsFull() {
        int room = pair.a.qp.capabilities().maxSendWr();
        int posted = 0;
        boolean full = false;
        while (!full) {
            batch.start();
            for (int i = 0; i < 3; i++) {
                batch.next(posted + i, true).write(remote, rkey).sge(pair.a.region, 0, 8);
            }
            full = !batch.complete();
            posted += full ? 0 : 3;
            assertTrue(posted <= 100 * room, "never full");
            if (posted > 2 * room) {
                break; // the device is quicker than this loop: that is no fault
            }
        }
        for (int seen = 0; seen < posted; ) {
            int n = pair.a.await();
            for (int i = 0; i < n; i++) {
                assertTrue(pair.a.done.isSuccess(i), pair.a.done.toString());
                assertEquals(seen + i, pair.a.done.wrId(i));
            }
            seen += n;
        }
        post(b -> b.write(remote, rkey).sge(pair.a.region, 0, 8));
    }

    @Test
    void shouldSendDatagrams() {
        try (var datagrams = RcPair.unconnected(
                QueuePairType.UD, config -> config.maxInline(64).extendedPosting(SendOpcode.SEND))) {
            datagrams.a.qp.bringUp(1, RcPair.QKEY);
            datagrams.b.qp.bringUp(1, RcPair.QKEY);
            datagrams.b.qp.post(datagrams.b.receive(0, 2048));
            var way = datagrams.a.wayTo(datagrams.b);
            var ud = datagrams.a.qp.sendBatch();
            ud.start();
            ud.next(1, true).send();
            assertThrows(IllegalStateException.class, ud::complete); // neither data nor destination
            ud.sge(datagrams.a.region, 0, 8);
            var e = assertThrows(IllegalStateException.class, ud::complete);
            assertTrue(e.getMessage().contains("lacks its destination: to()"), e.getMessage());
            assertThrows(IllegalArgumentException.class, () -> ud.to(way, 1 << 24, RcPair.QKEY));
            ud.to(way, datagrams.b.qp.qpNum(), RcPair.QKEY);
            assertTrue(ud.complete());
            datagrams.b.awaitSuccess();
            datagrams.a.awaitSuccess();
            datagrams.b.qp.post(datagrams.b.receive(0, 2048));
            ud.start();
            ud.next(1, true).send().noData().to(way, datagrams.b.qp.qpNum(), RcPair.QKEY);
            assertTrue(ud.complete());
            datagrams.b.awaitSuccess();
            assertEquals(GlobalRouteHeader.BYTES, datagrams.b.done.byteLength(0));
            datagrams.a.awaitSuccess();
            int tooLong = datagrams.a.device.port(1).activeMtu().bytes() + 1;
            ud.start();
            ud.next(2, true).send();
            assertThrows(IllegalArgumentException.class, () -> ud.sge(datagrams.a.region, 0, tooLong));
            ud.abort();
        }
    }

    @Test
    void shouldRefuseWhatIsOutOfOrder() {
        assertThrows(IllegalStateException.class, () -> batch.next(1, true)); // not started
        assertThrows(IllegalStateException.class, batch::complete);
        batch.start();
        assertThrows(IllegalStateException.class, batch::start);
        assertThrows(IllegalStateException.class, batch::send); // no next
        assertThrows(IllegalStateException.class, batch::noData); // no operation
        batch.next(1, true);
        assertThrows(IllegalStateException.class, () -> batch.next(2, true)); // no operation
        assertThrows(IllegalStateException.class, batch::complete);
        batch.send();
        var e = assertThrows(IllegalStateException.class, batch::complete);
        assertTrue(e.getMessage().contains("request 0 of the batch lacks its data"), e.getMessage());
        batch.noData();
        assertThrows(IllegalStateException.class, batch::noData); // has it
        batch.abort();
    }

    @Test
    void shouldLetNothingElseHappenBetweenStartAndComplete() {
        batch.start();
        var e = assertThrows(IllegalStateException.class, () -> pair.a.qp.tryPost(pair.a.send(0, 8)));
        assertTrue(e.getMessage().contains("complete() or abort() it first"), e.getMessage());
        assertThrows(IllegalStateException.class, pair.a.qp::close);
        assertThrows(IllegalStateException.class, pair.a.qp::query);
        assertThrows(IllegalStateException.class, () -> pair.a.qp.handOver(new Thread()));
        assertThrows(IllegalStateException.class, () -> pair.a.qp.modify(QueuePairTransition.to(QueuePairState.ERR)));
        batch.abort();
        pair.b.qp.post(pair.b.receive(0, 8));
        assertTrue(pair.a.qp.tryPost(pair.a.send(0, 8)));
        pair.a.awaitSuccess();
    }

    @Test
    void shouldRefuseWhatCWouldNotCheck() {
        try (Arena arena = Arena.ofConfined();
                var readOnly = pair.a.pd.register(arena.allocate(64))) {
            batch.start();
            batch.next(1, true).read(remote, rkey);
            assertThrows(IllegalArgumentException.class, () -> batch.sge(readOnly, 0, 8));
            assertThrows(IllegalArgumentException.class, () -> batch.inline(pair.a.memory(), 0, 8));
            assertThrows(IndexOutOfBoundsException.class, () -> batch.sge(pair.a.region, RcPair.BUFFER, 1));
            batch.sge(pair.a.region, 0, 8);
            batch.next(2, true).fetchAndAdd(remote, rkey, 1);
            assertThrows(IllegalArgumentException.class, () -> batch.sge(pair.a.region, 0, 16));
            batch.sge(pair.a.region, 0, 8);
            batch.next(3, true);
            assertThrows(IllegalArgumentException.class, () -> batch.fetchAndAdd(remote + 4, rkey, 1));
            batch.send();
            assertThrows(IllegalArgumentException.class, () -> batch.sharedReceiveQueue(1)); // no XRC
            assertThrows(IllegalArgumentException.class, () -> batch.inline(pair.a.memory(), 0, 8)); // not begun so
            batch.noData();
            batch.next(4, INLINE).send();
            assertThrows(IllegalStateException.class, () -> batch.sge(pair.a.region, 0, 8));
            assertThrows(IllegalArgumentException.class, () -> batch.inline(MemorySegment.ofArray(new byte[8]), 0, 8));
            assertThrows(IllegalArgumentException.class, () -> batch.inline(pair.a.memory(), 0, 2048));
            batch.inline(pair.a.memory(), 0, 8);
            assertThrows(IllegalArgumentException.class, () -> batch.next(5, 1 << 7));
            assertThrows(IllegalArgumentException.class, () -> {
                for (int i = 0; i <= pair.a.qp.capabilities().maxSendWr(); i++) {
                    batch.next(i, false).send().noData();
                }
            });
            batch.abort();
        }
    }

    @Test
    void shouldRefuseOperationThatItWasNotMadeFor() {
        batch.start();
        batch.next(1, true);
        var e = assertThrows(
                IllegalArgumentException.class,
                () -> batch.segments(pair.a.memory().asSlice(0, 54), 100));
        assertTrue(e.getMessage().contains("was not created with TSO"), e.getMessage());
        assertThrows(IllegalArgumentException.class, () -> batch.atomicWrite(remote, rkey, 1));
        assertThrows(
                IllegalArgumentException.class, () -> batch.flush(remote, rkey, 8, FlushType.GLOBAL, FlushRange.RANGE));
        batch.abort();
        try (var plain = pair.a.pd.createQueuePair(QueuePairType.RC, pair.a.cq, pair.a.cq)) {
            assertTrue(assertThrows(IllegalStateException.class, plain::sendBatch)
                    .getMessage()
                    .contains("extendedPosting()"));
        }
    }

    @Test
    void shouldWriteAtomically() {
        try (var able = RcPair.connected(config -> config.extendedPosting(SendOpcode.ATOMIC_WRITE))) {
            var atomics = able.a.qp.sendBatch();
            atomics.start();
            atomics.next(1, true).atomicWrite(able.b.region.address() + 8, able.b.region.rkey(), 4711);
            assertTrue(atomics.complete());
            able.a.await();
            if (able.a.done.status(0) == CompletionStatus.LOC_QP_OP_ERR) { // Linux 6.1's, which knows no such operation
                assertEquals(0, able.b.memory().get(LONG, 8));
                throw RefusedByDevice.by("ibv_wr_atomic_write", "LOC_QP_OP_ERR");
            }
            assertEquals(CompletionStatus.SUCCESS, able.a.done.status(0));
            assertEquals(4711, able.b.memory().get(LONG, 8));
        } catch (VerbsException e) {
            throw unable(e);
        }
    }

    @Test
    void shouldFlushWhatItWrote() {
        try (var context = Device.first().open();
                var pd = context.allocateProtectionDomain()) {
            var memory = Arena.ofAuto().allocate(4096, 4096);
            boolean able = context.extendedAttributes().capabilities().contains(DeviceCapability.FLUSH_GLOBAL);
            if (!able) {
                var e = assertThrows(VerbsException.class, () -> pd.register(memory, AccessFlag.FLUSH_GLOBAL));
                assertTrue(Set.of("EINVAL", "EOPNOTSUPP").contains(e.errnoName()), e.getMessage());
                assertTrue(e.getMessage().contains("FLUSH"), e.getMessage());
                throw RefusedByDevice.by(e.call(), e.errnoName() + " with FLUSH_GLOBAL");
            }
            pd.register(memory, AccessFlag.FLUSH_GLOBAL).close();
            flushWhatIsWritten();
        }
    }

    private static void flushWhatIsWritten() {
        try (var able = RcPair.connected(
                        config -> config.maxInline(64).extendedPosting(SendOpcode.FLUSH, SendOpcode.RDMA_WRITE));
                var lent = able.b.pd.register(
                        able.b.memory(), AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.FLUSH_GLOBAL)) {
            var flushes = able.a.qp.sendBatch();
            for (FlushRange range : FlushRange.values()) {
                able.a.memory().set(LONG, 0, 4711 + range.code());
                flushes.start();
                flushes.next(1, false).write(lent.address() + 8, lent.rkey()).sge(able.a.region, 0, 8);
                flushes.next(2, true).flush(lent.address(), lent.rkey(), 64, FlushType.GLOBAL, range);
                assertTrue(flushes.complete());
                able.a.awaitSuccess();
                assertEquals(2, able.a.done.wrId(0));
                assertEquals(CompletionOpcode.FLUSH, able.a.done.opcode(0));
                assertEquals(4711 + range.code(), able.b.memory().get(LONG, 8));
            }
        }
    }

    @Test
    void shouldSayThatARegionWasNotLentForFlush() {
        try (var able = RcPair.connected(config -> config.extendedPosting(SendOpcode.FLUSH))) {
            var flushes = able.a.qp.sendBatch();
            flushes.start();
            flushes.next(1, true)
                    .flush(able.b.region.address(), able.b.region.rkey(), 64, FlushType.GLOBAL, FlushRange.RANGE);
            assertTrue(flushes.complete());
            able.a.await();
            // The region does not allow it, which the peer reports only if it understood.
            var refused = Set.of(CompletionStatus.REM_ACCESS_ERR, CompletionStatus.REM_INV_REQ_ERR);
            assertTrue(refused.contains(able.a.done.status(0)), able.a.done.toString());
        } catch (VerbsException e) {
            throw unable(e);
        }
    }

    @Test
    void shouldSegment() {
        try (var able = RcPair.unconnected(QueuePairType.UD, config -> config.extendedPosting(SendOpcode.TSO))) {
            assertTrue(able.a.device.extendedAttributes().tso().maxTso() > 0);
            able.a.qp.bringUp(1, RcPair.QKEY);
            var segments = able.a.qp.sendBatch();
            segments.start();
            segments.next(1, true)
                    .to(able.a.wayTo(able.b), able.b.qp.qpNum(), RcPair.QKEY)
                    .segments(able.a.memory().asSlice(0, 54), 1000);
            assertTrue(segments.complete());
        } catch (VerbsException e) {
            throw unable(e);
        }
    }

    @Test
    void shouldSayWhenTheDriverHasMadeAPlainQueuePair() {
        try (var plain = RcPair.unconnected(config -> {});
                var call = new VerbsCall()) {
            var e = assertThrows(
                    VerbsException.class, () -> QueuePairCreation.extended(call, plain.a.qp.handle(), "plain"));
            assertEquals("ibv_qp_to_qp_ex", e.call());
            assertEquals("EOPNOTSUPP", e.errnoName(), e.getMessage());
        }
    }

    private static RefusedByDevice unable(VerbsException e) {
        return Features.unsupported(e, "ibv_create_qp_ex", "");
    }

    @Test
    void shouldBelongToTheThreadOfItsQueuePair() throws InterruptedException {
        Throwable[] failure = new Throwable[1];
        var thread = new Thread(() -> failure[0] = assertThrows(WrongThreadException.class, batch::start));
        thread.start();
        thread.join();
        assertTrue(failure[0] instanceof WrongThreadException);
    }

    @Test
    void shouldAllocateNothingPerBatch() {
        Allocated.assertNone(this::exchange);
    }

    private void exchange() {
        for (int i = 0; i < MESSAGES / 2; i++) {
            batch.start();
            batch.next(i, INLINE_UNSIGNALED).write(remote, rkey).inline(pair.a.memory(), 0, 8);
            batch.next(i, true).write(remote + 8, rkey).sge(pair.a.region, 0, 8);
            assertTrue(batch.complete());
            pair.a.await();
            if (!pair.a.done.isSuccess(0)) {
                throw new AssertionError(pair.a.done);
            }
        }
    }
}
