// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.VerbsException;
import dev.isthmus.testbed.Allocated;
import dev.isthmus.testbed.RefusedByDevice;
import dev.isthmus.testbed.TestDeadlines;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
@Tag("connectx")
class SharedReceiveQueueTest {

    @Test
    void shouldServeItsQueuePairsInTheOrderOfArrival() {
        try (var pair = SharedPair.open(2, config -> config.maxWr(8))) {
            var b = pair.b();
            for (int i = 0; i < 4; i++) {
                assertTrue(pair.srq.tryPost(b.receive(100L * i, 100).wrId(i)));
            }
            for (int i = 0; i < 4; i++) {
                QueuePair from = pair.senders.get(i % 2);
                pair.a().memory().setString(0, "message " + i);
                assertTrue(from.tryPost(pair.a().send(0, 16)));
                assertEquals(1, b.await());
                assertEquals(CompletionStatus.SUCCESS, b.done.status(0));
                assertEquals(i, b.done.wrId(0));
                assertEquals(pair.receivers.get(i % 2).qpNum(), b.done.qpNum(0));
                assertEquals(16, b.done.byteLength(0));
                assertEquals("message " + i, b.memory().getString(100L * i));
                pair.a().await();
            }
        }
    }

    @Test
    void shouldScatterAMessage() {
        try (var pair = SharedPair.open(1, config -> config.maxSge(2))) {
            var region = pair.b().region;
            pair.a().memory().setString(0, "scattered");
            pair.srq.post(ReceiveRequest.prepare(2).sge(0, region, 0, 4).sge(1, region, 500, 100));
            pair.senders.getFirst().post(pair.a().send(0, 10));
            pair.b().await();
            assertEquals("tered", pair.b().memory().getString(500));
        }
    }

    @Test
    void shouldTakeNoReceivesOnItsQueuePairs() {
        try (var pair = SharedPair.open(1, config -> {})) {
            QueuePair qp = pair.receivers.getFirst();
            var receive = pair.b().receive(0, 8);
            var e = assertThrows(IllegalStateException.class, () -> qp.tryPost(receive));
            assertTrue(e.getMessage().contains("takes its receives from " + pair.srq), e.getMessage());
            e = assertThrows(IllegalStateException.class, () -> qp.tryPostChain(receive));
            assertTrue(e.getMessage().contains("post them there"), e.getMessage());
        }
    }

    @Test
    void shouldSayWhenItIsFull() {
        try (var pair = SharedPair.open(1, config -> config.maxWr(4))) {
            int room = pair.srq.query().maxWr();
            assertTrue(room >= 4, "room for " + room);
            var first = chain(pair.b(), 3);
            assertNull(pair.srq.tryPostChain(first));
            var receive = pair.b().receive(0, 8);
            int taken = 3;
            while (pair.srq.tryPost(receive)) {
                assertTrue(++taken <= 10_000, "never full");
            }
            assertTrue(taken >= 4, "took " + taken);
            assertThrows(IllegalStateException.class, () -> pair.srq.post(receive));
            assertFalse(pair.srq.tryPost(receive));
            // A message takes one; of a chain of three, one fits.
            pair.senders.getFirst().post(pair.a().send(0, 8));
            pair.b().await();
            assertSame(first.next(), pair.srq.tryPostChain(first));
        }
    }

    private static ReceiveRequest chain(RcPair.Side side, int length) {
        ReceiveRequest first = null;
        for (int i = 0; i < length; i++) {
            first = side.receive(0, 8).next(first);
        }
        return first;
    }

    @Test
    void shouldRefuseWrongRequestsBeforeThePost() {
        try (var pair = SharedPair.open(1, config -> config.maxWr(4))) {
            var b = pair.b();
            int maxSge = pair.srq.query().maxSge();
            var large = ReceiveRequest.prepare(maxSge + 1);
            for (int i = 0; i <= maxSge; i++) {
                large.sge(i, b.region, i, 1);
            }
            var e = assertThrows(IllegalArgumentException.class, () -> pair.srq.tryPost(large));
            assertTrue(e.getMessage().contains("more buffers than " + pair.srq + " takes"), e.getMessage());

            var ring = b.receive(0, 8);
            ring.next(ring);
            e = assertThrows(IllegalArgumentException.class, () -> pair.srq.tryPostChain(ring));
            assertTrue(e.getMessage().contains("longer than the queue"), e.getMessage());
            assertThrows(IllegalArgumentException.class, () -> pair.srq.tryPost(ring));

            var region = b.pd.register(pair.arena().allocate(64), AccessFlag.LOCAL_WRITE);
            var stale = ReceiveRequest.prepare(region);
            region.close();
            assertThrows(IllegalStateException.class, () -> pair.srq.tryPost(stale));
        }
    }

    @Test
    void shouldChangeLimitAndSize() {
        try (var context = Device.first().open();
                var pd = context.allocateProtectionDomain();
                var srq = pd.createSharedReceiveQueue(config -> config.maxWr(16).maxSge(2))) {
            var attributes = srq.query();
            assertTrue(attributes.maxWr() >= 15 && attributes.maxSge() >= 2, attributes.toString());
            assertEquals(0, attributes.limit());
            for (int i = 0; i < 5; i++) { // or some devices meet the limit at once
                srq.post(ReceiveRequest.prepare(0));
            }
            srq.limit(5);
            assertEquals(5, srq.query().limit());
            srq.limit(0);
            assertEquals(0, srq.query().limit());
            assertThrows(IllegalArgumentException.class, () -> srq.limit(-1));
            assertThrows(IllegalArgumentException.class, () -> srq.limit(1 << 30));
            assertThrows(IllegalArgumentException.class, () -> srq.resize(0));
        }
    }

    @Test
    void shouldGrow() {
        try (var context = Device.first().open();
                var pd = context.allocateProtectionDomain();
                var srq = pd.createSharedReceiveQueue(config -> config.maxWr(16))) {
            grow(context, srq, 100);
            assertTrue(srq.query().maxWr() >= 100, srq.query().toString());
        }
    }

    private static void grow(DeviceContext context, SharedReceiveQueue srq, int requests) {
        if (Features.canResizeSharedReceiveQueues(context)) {
            srq.resize(requests);
            return;
        }
        throw RefusedByDevice.saying(
                assertThrows(VerbsException.class, () -> srq.resize(requests)),
                "ibv_modify_srq(",
                "): EINVAL (22): the device cannot change the size of a queue, or not to less than is outstanding or its"
                        + " limit");
    }

    @Test
    void shouldKeepWhatIsPostedWhenItGrows() {
        try (var pair = SharedPair.open(1, config -> config.maxWr(4))) {
            int before = pair.srq.query().maxWr();
            assertTrue(pair.srq.tryPost(pair.b().receive(0, 64).wrId(7)));
            grow(pair.b().device, pair.srq, before * 4);
            for (int i = 0; i < before * 2; i++) {
                assertTrue(pair.srq.tryPost(pair.b().receive(64, 64).wrId(8)));
            }
            for (int i = 0; i < 2; i++) {
                pair.a().memory().setString(0, "kept " + i);
                pair.senders.getFirst().post(pair.a().send(0, 8));
                pair.b().await();
                assertEquals(7 + i, pair.b().done.wrId(0));
                assertEquals("kept " + i, pair.b().memory().getString(64L * i));
            }
        }
    }

    @Test
    void shouldRefuseToShrinkBelowWhatIsPosted() {
        try (var pair = SharedPair.open(1, config -> config.maxWr(64))) {
            for (int i = 0; i < 64; i++) {
                assertTrue(pair.srq.tryPost(pair.b().receive(0, 64).wrId(i)));
            }
            var e = assertThrows(VerbsException.class, () -> pair.srq.resize(8));
            assertTrue(e.getMessage().contains("EINVAL (22): the device cannot change the size"), e.getMessage());
            pair.senders.getFirst().post(pair.a().send(0, 8));
            pair.b().await();
            assertEquals(0, pair.b().done.wrId(0));
        }
    }

    @Test
    void shouldTellOnceThatItHasFewerReceivesThanItsLimit() throws InterruptedException {
        try (var pair = SharedPair.open(1, config -> config.maxWr(16))) {
            for (int i = 0; i < 10; i++) {
                pair.srq.post(pair.b().receive(0, 8));
            }
            pair.srq.limit(7);
            var events = pair.b().device.asyncEvents();
            for (int i = 0; i < 3; i++) {
                send(pair);
            }
            assertNull(events.poll()); // 7 are left
            send(pair);
            var event = events.await(TestDeadlines.ofSeconds(60));
            assertEquals(
                    new AsyncEvent.OfSharedReceiveQueue(pair.b().device, AsyncEventType.SRQ_LIMIT_REACHED, pair.srq),
                    event);
            assertEquals(0, pair.srq.query().limit());
            send(pair);
            assertNull(events.poll());
        }
    }

    private static void send(SharedPair pair) {
        pair.senders.getFirst().post(pair.a().send(0, 8));
        pair.a().await();
        pair.b().await();
    }

    @Test
    void shouldTellThatAFailedQueuePairTakesNoMore() throws InterruptedException {
        try (var pair = SharedPair.open(1, config -> {})) {
            pair.srq.post(pair.b().receive(0, 8));
            var qp = pair.receivers.getFirst();
            qp.modify(QueuePairTransition.to(QueuePairState.ERR));
            assertEquals(QueuePairState.ERR, qp.query().state());
            var events = pair.b().device.asyncEvents();
            if (!Features.tellsTheLastRequest(pair.b().device)) {
                assertNull(events.poll());
                throw RefusedByDevice.by("ibv_get_async_event", "no QP_LAST_WQE_REACHED before Linux 6.5");
            }
            var event = events.await(TestDeadlines.ofSeconds(60));
            assertEquals(new AsyncEvent.OfQueuePair(pair.b().device, AsyncEventType.QP_LAST_WQE_REACHED, qp), event);
        }
    }

    @Test
    void shouldExplainWhatTheDeviceDoesNotAllow() {
        try (var context = Device.first().open();
                var pd = context.allocateProtectionDomain()) {
            int wr = context.attributes().maxSrqWr() + 1;
            int sge = context.attributes().maxSrqSge() + 1;
            var e = assertThrows(VerbsException.class, () -> pd.createSharedReceiveQueue(config -> config.maxWr(wr)));
            assertTrue(e.getMessage().contains("the device allows maxWr=" + (wr - 1)), e.getMessage());
            e = assertThrows(VerbsException.class, () -> pd.createSharedReceiveQueue(config -> config.maxSge(sge)));
            assertTrue(e.getMessage().contains("the device allows maxSge=" + (sge - 1)), e.getMessage());
            assertThrows(IllegalArgumentException.class, () -> pd.createSharedReceiveQueue(config -> config.maxWr(0)));
            assertThrows(IllegalArgumentException.class, () -> pd.createSharedReceiveQueue(config -> config.maxSge(0)));
            pd.createSharedReceiveQueue(config -> {}).close(); // nothing holds the domain
        }
    }

    @Test
    void shouldRefuseToCloseBeforeItsQueuePairs() {
        try (var pair = SharedPair.open(1, config -> {})) {
            var e = assertThrows(IllegalStateException.class, pair.srq::close);
            assertTrue(e.getMessage().contains("1 QueuePair"), e.getMessage());
            e = assertThrows(IllegalStateException.class, pair.b().pd::close);
            assertTrue(e.getMessage().contains("1 SharedReceiveQueue"), e.getMessage());
            assertTrue(pair.srq.tryPost(pair.b().receive(0, 8))); // still open
        }
    }

    @Test
    void shouldRefuseQueuePairsOfAnotherDevice() {
        try (var pair = RcPair.unconnected(config -> {});
                var srq = pair.a.pd.createSharedReceiveQueue(config -> {})) {
            var b = pair.b;
            var e = assertThrows(
                    IllegalArgumentException.class,
                    () -> b.pd.createQueuePair(QueuePairType.RC, b.cq, b.cq, config -> config.sharedReceiveQueue(srq)));
            assertTrue(e.getMessage().contains("must be of the same open device"), e.getMessage());
        }
    }

    @Test
    void shouldBelongToOneThread() throws InterruptedException {
        try (var context = Device.first().open();
                var pd = context.allocateProtectionDomain();
                var region = pd.register(Arena.ofAuto().allocate(64), AccessFlag.LOCAL_WRITE)) {
            var srq = pd.createSharedReceiveQueue(config -> {});
            var receive = ReceiveRequest.prepare(region);
            assertTrue(onAnotherThread(() -> srq.post(receive)) instanceof WrongThreadException);
            assertTrue(onAnotherThread(() -> assertNull(srq.tryPostChain(receive))) instanceof WrongThreadException);
            assertTrue(onAnotherThread(() -> srq.limit(1)) instanceof WrongThreadException);
            assertTrue(onAnotherThread(srq::close) instanceof WrongThreadException);

            var next = new Thread(() -> srq.post(receive));
            srq.handOver(next);
            receive.handOver(next);
            assertThrows(WrongThreadException.class, () -> srq.tryPost(receive));
            next.start();
            next.join();
            assertTrue(srq.tryPost(receive)); // the heir of a thread that has ended

            srq.close();
            srq.close();
            assertThrows(IllegalStateException.class, () -> srq.tryPost(receive));
            assertThrows(IllegalStateException.class, srq::query);
            assertThrows(IllegalStateException.class, () -> srq.limit(1));
            try (var cq = context.createCompletionQueue(1)) {
                assertThrows(
                        IllegalStateException.class,
                        () -> pd.createQueuePair(QueuePairType.RC, cq, cq, config -> config.sharedReceiveQueue(srq)));
            }
        }
    }

    private static Throwable onAnotherThread(Runnable action) throws InterruptedException {
        var failure = new Throwable[1];
        var thread = new Thread(action);
        thread.setUncaughtExceptionHandler((t, e) -> failure[0] = e);
        thread.start();
        thread.join();
        return failure[0];
    }

    @Test
    void shouldAllocateNothingPerPost() {
        try (var pair = SharedPair.open(1, config -> {})) {
            var receive = pair.b().receive(0, 64);
            var send = pair.a().send(0, 8);
            var sender = pair.senders.getFirst();
            Allocated.assertNone(() -> {
                for (int i = 0; i < 500; i++) {
                    pair.srq.post(receive);
                    sender.post(send);
                    pair.b().await();
                    pair.a().await();
                }
            });
        }
    }
}
