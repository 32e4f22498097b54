// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.VerbsException;
import dev.isthmus.testbed.Allocated;
import dev.isthmus.testbed.RefusedByDevice;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.cqex.CompletionField;
import dev.isthmus.verbs.cqex.ExtendedCompletionQueue;
import dev.isthmus.verbs.cqex.ExtendedCompletionQueueConfig;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("device")
@Tag("connectx")
class ExtendedCompletionQueueTest {

    private static final int MESSAGES = 2_000;
    private static final long DEADLINE_NANOS = TestDeadlines.ofSeconds(60).toNanos();

    /** The extended queues of pairs, by the plain queues with which their queue pairs are created. */
    private static final IdentityHashMap<CompletionQueue, ExtendedCompletionQueue> EXTENDED = new IdentityHashMap<>();

    private static CompletionQueue plain(ExtendedCompletionQueue queue) {
        EXTENDED.put(queue.queue(), queue);
        return queue.queue();
    }

    private static CompletionQueue extended(RcPair.Side side) {
        return plain(ExtendedCompletionQueue.create(side.device, 256, ExtendedCompletionQueueConfig::standardFields));
    }

    private static RcPair pair() {
        return RcPair.connected(config -> config.maxInline(64), ExtendedCompletionQueueTest::extended);
    }

    private static ExtendedCompletionQueue queue(RcPair.Side side) {
        return EXTENDED.get(side.cq);
    }

    /** Starts a poll, as soon as there is a completion. */
    private static ExtendedCompletionQueue start(RcPair.Side side) {
        ExtendedCompletionQueue cq = queue(side);
        long begin = System.nanoTime();
        while (!cq.startPoll()) {
            if (System.nanoTime() - begin > DEADLINE_NANOS) {
                throw new AssertionError("no completion within the deadline on " + cq);
            }
            Thread.onSpinWait();
        }
        return cq;
    }

    @Test
    void shouldReadCompletionsOfConnectedQueuePairs() {
        try (var pair = pair()) {
            assertTrue(pair.b.qp.tryPost(pair.b.receive(0, 64).wrId(7)));
            assertTrue(pair.a.qp.tryPost(
                    pair.a.send(0, 5).wrId(9).opcode(SendOpcode.SEND_WITH_IMM).immediate(0xCAFEBABE)));
            ExtendedCompletionQueue received = start(pair.b);
            assertEquals(7, received.wrId());
            assertTrue(received.isSuccess());
            assertEquals(CompletionStatus.SUCCESS, received.status());
            assertEquals(CompletionOpcode.RECV, received.opcode());
            assertEquals(5, received.byteLength());
            assertEquals(pair.b.qp.qpNum(), received.qpNum());
            assertTrue(received.hasImmediate());
            assertEquals(0xCAFEBABE, received.immediate());
            assertEquals(1 << 1, received.flags() & 1 << 1);
            assertFalse(received.hasInvalidatedRkey());
            assertThrows(IllegalStateException.class, received::invalidatedRkey);
            assertFalse(received.isIpChecksumOk() && SoftRoce.is(pair.b.device.device()));
            assertEquals(0, received.vendorError());
            assertEquals(0, received.slid());
            assertEquals(0, received.serviceLevel());
            assertEquals(0, received.dlidPathBits());
            assertFalse(received.nextPoll());
            received.endPoll();

            ExtendedCompletionQueue sent = start(pair.a);
            assertEquals(9, sent.wrId());
            assertEquals(CompletionOpcode.SEND, sent.opcode());
            sent.endPoll(); // the driver decides whether its flags report an immediate value
        }
    }

    @Test
    void shouldReadWhereDatagramCameFrom() {
        try (var pair = RcPair.datagrams(ExtendedCompletionQueueTest::extended)) {
            assertTrue(pair.b.qp.tryPost(pair.b.receive(0, 40 + 64).wrId(3)));
            assertTrue(pair.a.qp.tryPost(pair.a.send(0, 8).to(pair.a.wayTo(pair.b), pair.b.qp.qpNum(), RcPair.QKEY)));
            ExtendedCompletionQueue received = start(pair.b);
            assertEquals(3, received.wrId());
            assertEquals(CompletionStatus.SUCCESS, received.status());
            assertEquals(40 + 8, received.byteLength());
            assertEquals(pair.a.qp.qpNum(), received.sourceQpNum());
            assertTrue(received.hasGrh());
            received.endPoll();
        }
    }

    @Test
    void shouldGoThroughAllCompletionsOnce() {
        try (var pair = pair()) {
            long next = 0;
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 5; i++) {
                    assertTrue(pair.b.qp.tryPost(pair.b.receive(0, 8).wrId(5L * round + i)));
                }
                for (int i = 0; i < 5; i++) {
                    assertTrue(pair.a.qp.tryPost(pair.a.send(0, 8).wrId(i)));
                }
                for (int sent = 0; sent < 5; ) {
                    sent += count(start(pair.a));
                }
                ExtendedCompletionQueue cq = start(pair.b);
                do {
                    assertEquals(next++, cq.wrId());
                } while (cq.nextPoll());
                assertEquals(5L * (round + 1), next);
                assertFalse(cq.nextPoll()); // and so it stays
                assertThrows(IllegalStateException.class, cq::wrId);
                cq.endPoll();
                assertFalse(cq.startPoll());
                assertEquals(0, cq.queue().poll(pair.b.done));
            }
        }
    }

    private static int count(ExtendedCompletionQueue started) {
        int n = 1;
        while (started.nextPoll()) {
            n++;
        }
        started.endPoll();
        return n;
    }

    @Test
    void shouldLeaveTheRestToTheNextPoll() {
        try (var pair = pair()) {
            for (int i = 0; i < 3; i++) {
                assertTrue(pair.b.qp.tryPost(pair.b.receive(0, 8).wrId(i)));
                assertTrue(pair.a.qp.tryPost(pair.a.send(0, 8)));
                start(pair.a).endPoll();
            }
            ExtendedCompletionQueue cq = start(pair.b);
            assertEquals(0, cq.wrId());
            cq.endPoll();
            assertEquals(2, cq.queue().poll(pair.b.done)); // the plain poll takes from the same queue
            assertEquals(1, pair.b.done.wrId(0));
            assertEquals(2, pair.b.done.wrId(1));
            assertFalse(cq.startPoll());
        }
    }

    @Test
    void shouldReadOnlyWhatIsDefinedOfFailure() {
        try (var pair = pair()) {
            assertTrue(pair.a.qp.tryPost(
                    pair.a.send(0, 8).wrId(5).opcode(SendOpcode.RDMA_WRITE).remote(pair.b.region.address(), 0xdead)));
            ExtendedCompletionQueue cq = start(pair.a);
            assertFalse(cq.isSuccess());
            assertEquals(CompletionStatus.REM_ACCESS_ERR, cq.status());
            assertEquals(5, cq.wrId());
            assertEquals(pair.a.qp.qpNum(), cq.qpNum());
            assertEquals(0, cq.vendorError());
            for (Executable read : List.<Executable>of(cq::opcode, cq::flags, cq::byteLength, cq::immediate)) {
                var e = assertThrows(IllegalStateException.class, read);
                assertTrue(e.getMessage().contains("REM_ACCESS_ERR"), e.getMessage());
            }
            cq.endPoll();
        }
    }

    private static List<Executable> readers(ExtendedCompletionQueue cq) {
        return List.of(
                cq::byteLength,
                cq::immediate,
                cq::invalidatedRkey,
                cq::qpNum,
                cq::sourceQpNum,
                cq::slid,
                cq::serviceLevel,
                cq::dlidPathBits,
                cq::completionTimestamp,
                cq::completionWallClockNanos,
                cq::customerVlan,
                cq::flowTag,
                cq::tag,
                cq::tagPrivate);
    }

    @Test
    void shouldRefuseToReadOutsideOfPoll() {
        try (var context = Device.first().open();
                var cq = ExtendedCompletionQueue.create(context, 16, ExtendedCompletionQueueConfig::standardFields)) {
            assertFalse(cq.startPoll());
            for (Executable read : readers(cq)) {
                assertThrows(IllegalStateException.class, read);
            }
            for (Executable read : List.<Executable>of(
                    cq::wrId,
                    cq::status,
                    cq::isSuccess,
                    cq::opcode,
                    cq::flags,
                    cq::vendorError,
                    cq::hasGrh,
                    cq::nextPoll,
                    cq::endPoll)) {
                var e = assertThrows(IllegalStateException.class, read);
                assertTrue(e.getMessage().contains("startPoll()"), e.getMessage());
            }
        }
    }

    @Test
    void shouldRefuseToReadWhatWasNotAskedFor() {
        try (var pair = RcPair.connected(
                config -> {}, side -> plain(ExtendedCompletionQueue.create(side.device, 16, config -> {})))) {
            assertTrue(pair.b.qp.tryPost(pair.b.receive(0, 8)));
            assertTrue(pair.a.qp.tryPost(pair.a.send(0, 8).wrId(4)));
            ExtendedCompletionQueue cq = start(pair.a);
            for (Executable read : readers(cq)) {
                var e = assertThrows(IllegalStateException.class, read);
                assertTrue(e.getMessage().contains("was made without the field "), e.getMessage());
            }
            assertEquals(4, cq.wrId());
            assertEquals(CompletionOpcode.SEND, cq.opcode());
            cq.endPoll();
        }
    }

    @Test
    void shouldRefuseDuringPollWhatWouldWaitForItsEnd() {
        try (var pair = pair()) {
            assertTrue(pair.b.qp.tryPost(pair.b.receive(0, 8)));
            assertTrue(pair.a.qp.tryPost(pair.a.send(0, 8)));
            ExtendedCompletionQueue cq = start(pair.a);
            for (Executable use : List.<Executable>of(
                    cq::startPoll,
                    () -> cq.queue().poll(pair.a.done),
                    () -> cq.queue().resize(512),
                    () -> cq.queue().handOver(Thread.currentThread()),
                    cq::close,
                    pair.a.qp::close,
                    () -> pair.a.qp.modify(QueuePairTransition.to(QueuePairState.RESET)))) {
                var e = assertThrows(IllegalStateException.class, use);
                assertTrue(
                        e.getMessage().endsWith("has an open poll: endPoll() first")
                                || e.getMessage().contains("QueuePair"),
                        e.getMessage());
            }
            assertEquals(CompletionStatus.SUCCESS, cq.status());
            cq.endPoll();
            pair.a.qp.modify(QueuePairTransition.to(QueuePairState.RESET));
        }
    }

    @Test
    void shouldRefuseOtherThreadsAndUseAfterClose() throws Exception {
        try (var pair = pair()) {
            assertTrue(pair.b.qp.tryPost(pair.b.receive(0, 8)));
            assertTrue(pair.a.qp.tryPost(pair.a.send(0, 8)));
            ExtendedCompletionQueue cq = start(pair.a);
            var other = new FutureTask<Void>(() -> {
                assertThrows(WrongThreadException.class, cq::wrId);
                assertThrows(WrongThreadException.class, cq::nextPoll);
                assertThrows(WrongThreadException.class, cq::endPoll);
                assertThrows(WrongThreadException.class, cq::startPoll);
                assertThrows(WrongThreadException.class, cq::close);
                return null;
            });
            new Thread(other).start();
            other.get();
            cq.endPoll();
            pair.a.qp.close();
            cq.close();
            assertThrows(IllegalStateException.class, cq::startPoll);
            assertThrows(IllegalStateException.class, cq::wrId);
        }
    }

    @Test
    void shouldSendEvents() throws InterruptedException {
        var channel = new AtomicReference<CompletionChannel>();
        try (var pair = RcPair.connected(config -> {}, side -> {
            channel.set(side.closedWithPair(side.device.createCompletionChannel()));
            return plain(ExtendedCompletionQueue.create(
                    side.device, 16, config -> config.channel(channel.get()).vector(0)));
        })) {
            pair.b.cq.requestNotify(false);
            assertTrue(pair.b.qp.tryPost(pair.b.receive(0, 8)));
            assertTrue(pair.a.qp.tryPost(pair.a.send(0, 8)));
            assertSame(pair.b.cq, channel.get().await(Duration.ofNanos(DEADLINE_NANOS)));
            assertTrue(queue(pair.b).startPoll());
            queue(pair.b).endPoll();
        }
    }

    @ParameterizedTest
    @EnumSource(CompletionField.class)
    void shouldReadEachFieldThatTheDeviceHas(CompletionField field) {
        try (var context = Device.first().open()) {
            ExtendedCompletionQueue.create(context, 10, config -> config.fields(field))
                    .close();
        } catch (VerbsException e) {
            assertFalse(field.isStandard(), e.getMessage()); // the fields that every device has
            throw RefusedByDevice.saying(
                    e,
                    "ibv_create_cq_ex(" + Device.first().name() + ", 10 entries, fields=[" + field
                            + "]): EOPNOTSUPP (95): the device may not have the fields " + field);
        }
        try (var pair = RcPair.connected(
                config -> {},
                side -> plain(ExtendedCompletionQueue.create(side.device, 16, config -> config.fields(field))))) {
            assertTrue(pair.b.qp.tryPost(pair.b.receive(0, 64)));
            assertTrue(pair.a.qp.tryPost(
                    pair.a.send(0, 8).opcode(SendOpcode.SEND_WITH_IMM).immediate(7)));
            ExtendedCompletionQueue cq = start(pair.b);
            assertEquals(CompletionStatus.SUCCESS, cq.status());
            read(cq, field);
            cq.endPoll();
        }
    }

    private static void read(ExtendedCompletionQueue cq, CompletionField field) {
        switch (field) {
            case BYTE_LEN -> assertEquals(8, cq.byteLength());
            case IMM -> assertEquals(7, cq.immediate());
            case QP_NUM -> assertNotEquals(0, cq.qpNum());
            case SRC_QP -> cq.sourceQpNum(); // of no meaning here, as the next ones; but it can be read
            case SLID -> cq.slid();
            case SL -> cq.serviceLevel();
            case DLID_PATH_BITS -> cq.dlidPathBits();
            case COMPLETION_TIMESTAMP -> assertNotEquals(0, cq.completionTimestamp());
            case COMPLETION_TIMESTAMP_WALLCLOCK -> assertNotEquals(0, cq.completionWallClockNanos());
            case CVLAN -> cq.customerVlan();
            case FLOW_TAG -> cq.flowTag();
            case TM_INFO -> {
                cq.tag();
                cq.tagPrivate();
            }
        }
    }

    @Test
    void shouldReadTheKeyThatThePeerInvalidates() {
        try (var pair = pair();
                var region = pair.b.pd.allocate(4096, AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND);
                var window = pair.b.pd.allocateWindow(MemoryWindowType.TYPE_2)) {
            int rkey = window.nextRkey();
            var binding = WindowBinding.of(region.region(), 0, 64, AccessFlag.REMOTE_WRITE);
            assertTrue(pair.b.qp.tryPost(
                    SendRequest.prepare(0).bind(window, rkey, binding).signaled(true)));
            start(pair.b).endPoll();
            window.bound(rkey);
            assertTrue(pair.b.qp.tryPost(pair.b.receive(0, 64)));
            assertTrue(pair.a.qp.tryPost(
                    pair.a.send(0, 4).opcode(SendOpcode.SEND_WITH_INV).invalidate(rkey)));
            ExtendedCompletionQueue cq = start(pair.b);
            assertEquals(CompletionStatus.SUCCESS, cq.status());
            boolean told = cq.hasInvalidatedRkey();
            if (told) {
                assertEquals(rkey, cq.invalidatedRkey());
            }
            cq.endPoll();
            if (!told) { // Linux 6.1's passes the kernel's own flag for it, which means another thing here
                throw RefusedByDevice.by("ibv_wc_read_wc_flags", "no IBV_WC_WITH_INV");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldCreateWithFlagsThatTheDeviceHas(boolean ignoreOverrun) {
        Device device = Device.first();
        try (var context = device.open();
                var cq = ExtendedCompletionQueue.create(
                        context,
                        10,
                        config -> config.singleThreaded(!ignoreOverrun).ignoreOverrun(ignoreOverrun))) {
            assertFalse(cq.startPoll());
        } catch (VerbsException e) {
            assertTrue(ignoreOverrun, e.getMessage());
            throw Features.unsupported("ibv_create_cq_ex", device.name() + ", 10 entries, fields=[], ignoreOverrun", e);
        }
    }

    @Test
    void shouldHoldItsParentDomain() {
        try (var context = Device.first().open();
                var other = Device.first().open();
                var pd = context.allocateProtectionDomain()) {
            ParentDomain domain = Features.make(
                    "ibv_alloc_parent_domain", context.device().name(), () -> pd.allocateParentDomain(null, null));
            try (var cq = ExtendedCompletionQueue.create(context, 10, config -> config.parentDomain(domain))) {
                var e = assertThrows(IllegalStateException.class, domain::close);
                assertTrue(e.getMessage().contains("1 ExtendedCompletionQueue"), e.getMessage());
                assertFalse(cq.startPoll());
            }
            assertThrows(
                    IllegalArgumentException.class,
                    () -> ExtendedCompletionQueue.create(other, 10, config -> config.parentDomain(domain)));
            domain.close();
        }
    }

    @Test
    void shouldExplainWhyItCannotBeMade() {
        try (var context = Device.first().open()) {
            int limit = context.attributes().maxCqe();
            var e = assertThrows(
                    VerbsException.class, () -> ExtendedCompletionQueue.create(context, limit + 1, config -> {}));
            assertEquals("EINVAL", e.errnoName());
            assertTrue(e.getMessage().endsWith("the device allows " + limit + " entries"), e.getMessage());
            int vectors = context.completionVectors();
            assertThrows(
                    IllegalArgumentException.class,
                    () -> ExtendedCompletionQueue.create(context, 10, config -> config.vector(vectors + 1)));
            assertThrows(
                    IllegalArgumentException.class, () -> ExtendedCompletionQueue.create(context, 0, config -> {}));
        }
    }

    @Test
    void shouldAllocateNothingPerCompletion() {
        try (var pair = pair()) {
            var send = pair.a.send(0, 8).inline(true);
            var receive = pair.b.receive(0, 64);
            Allocated.assertNone(() -> exchange(pair, send, receive));
        }
    }

    private static void exchange(RcPair pair, SendRequest send, ReceiveRequest receive) {
        for (int i = 0; i < MESSAGES; i++) {
            pair.b.qp.post(receive.wrId(i));
            pair.a.qp.post(send.wrId(i).length(i % 64));
            ExtendedCompletionQueue received = start(pair.b);
            if (received.wrId() != i
                    || received.byteLength() != i % 64
                    || received.opcode() != CompletionOpcode.RECV
                    || received.status() != CompletionStatus.SUCCESS
                    || received.hasImmediate()
                    || received.qpNum() != pair.b.qp.qpNum()
                    || received.nextPoll()) {
                throw new AssertionError("message " + i);
            }
            received.endPoll();
            ExtendedCompletionQueue sent = start(pair.a);
            if (sent.wrId() != i || !sent.isSuccess()) {
                throw new AssertionError("send " + i);
            }
            sent.endPoll();
        }
    }
}
