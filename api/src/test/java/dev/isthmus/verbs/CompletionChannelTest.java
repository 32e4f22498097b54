// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.Allocated;
import dev.isthmus.testbed.TestDeadlines;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
@Tag("connectx")
class CompletionChannelTest {

    private static final Duration LONG = TestDeadlines.ofSeconds(60);
    private static final Duration SHORT = Duration.ofMillis(2);
    private static final int WAITS = 2_000;

    private static CompletionQueue notifying(RcPair.Side side) {
        CompletionChannel channel = side.closedWithPair(side.device.createCompletionChannel());
        return side.device.createCompletionQueue(256, config -> config.channel(channel));
    }

    private static RcPair pair() {
        return RcPair.connected(config -> {}, CompletionChannelTest::notifying);
    }

    private static void deliver(RcPair pair, boolean solicited) {
        assertTrue(pair.b.qp.tryPost(pair.b.receive(0, 8)));
        assertTrue(pair.a.qp.tryPost(pair.a.send(0, 8).solicited(solicited)));
        pair.a.awaitSuccess(); // so it was received, too
    }

    @Test
    void shouldAllocateNothingPerWait() {
        try (var pair = pair()) {
            CompletionChannel channel = pair.b.cq.channel();
            var send = pair.a.send(0, 8).inline(true);
            var receive = pair.b.receive(0, 64);
            Allocated.assertNone(() -> {
                for (int i = 0; i < WAITS; i++) {
                    pair.b.cq.requestNotify(false);
                    pair.b.qp.post(receive);
                    pair.a.qp.post(send);
                    assertSame(pair.b.cq, await(channel));
                    pair.b.awaitSuccess();
                    pair.a.awaitSuccess();
                }
            });
        }
    }

    private static CompletionQueue await(CompletionChannel channel) {
        try {
            return channel.await();
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts this", e);
        }
    }

    @Test
    void shouldSendOneEventPerRequest() throws InterruptedException {
        try (var pair = pair()) {
            CompletionChannel channel = pair.b.cq.channel();
            deliver(pair, false);
            assertNull(channel.poll()); // nobody asked
            pair.b.awaitSuccess();

            pair.b.cq.requestNotify(false);
            deliver(pair, false);
            deliver(pair, false);
            assertSame(pair.b.cq, channel.await(LONG));
            assertNull(channel.await(SHORT));
            assertEquals(2, pair.b.cq.poll(pair.b.done));

            pair.b.cq.requestNotify(false);
            deliver(pair, false);
            assertSame(pair.b.cq, channel.await());
        }
    }

    @Test
    void shouldEndAWaitByWakeup() throws Exception {
        try (var pair = pair()) {
            CompletionChannel channel = pair.b.cq.channel();
            var waiting = new FutureTask<>(() -> channel.await());
            Thread waiter = Thread.ofPlatform().daemon().start(waiting);
            while (!isInC(waiter)) {
                Thread.onSpinWait();
            }
            channel.wakeup();
            assertNull(waiting.get(LONG.toSeconds(), TimeUnit.SECONDS));
        }
    }

    private static boolean isInC(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("poll")
                        && frame.getClassName().endsWith("Posix"));
    }

    @Test
    void shouldKeepAWakeupForTheNextWaitAlone() throws Exception {
        try (var pair = pair()) {
            CompletionChannel channel = pair.b.cq.channel();
            channel.wakeup();
            channel.wakeup();
            assertNull(channel.await()); // ends at once, though there is no event
            pair.b.cq.requestNotify(false);
            deliver(pair, false);
            assertSame(pair.b.cq, channel.await());
            pair.b.cq.requestNotify(false);
            channel.wakeup();
            deliver(pair, false);
            CompletionQueue told = channel.await(); // one wait may end by both
            assertSame(pair.b.cq, told == null ? channel.await() : told);
        }
    }

    @Test
    void shouldRefuseToWakeWhenClosed() {
        try (var device = Device.list().getFirst().open()) {
            CompletionChannel channel = device.createCompletionChannel();
            channel.close();
            assertThrows(IllegalStateException.class, channel::wakeup);
        }
    }

    @Test
    void shouldBeReadableForPollAndEpollWhileThereAreEvents() {
        try (var pair = pair()) {
            CompletionChannel channel = pair.b.cq.channel();
            int fd = channel.fileDescriptor();
            pair.b.cq.requestNotify(false);
            assertFalse(Descriptors.isReadable(fd, 2));
            deliver(pair, false);
            assertTrue(Descriptors.isReadable(fd, (int) LONG.toMillis()));
            assertSame(pair.b.cq, channel.poll());
            assertFalse(Descriptors.isReadable(fd, 0));
        }
    }

    @Test
    void shouldTellSolicitedMessagesFromOthers() throws InterruptedException {
        try (var pair = pair()) {
            CompletionChannel channel = pair.b.cq.channel();
            pair.b.cq.requestNotify(true);
            deliver(pair, false);
            pair.b.awaitSuccess();
            assertNull(channel.await(SHORT));
            deliver(pair, true);
            assertSame(pair.b.cq, channel.await(LONG));
        }
    }

    @Test
    void shouldNotifyOfDatagrams() throws InterruptedException {
        try (var pair = RcPair.datagrams(CompletionChannelTest::notifying)) {
            AddressHandle way = pair.a.wayTo(pair.b);
            for (int i = 0; i < 100; i++) {
                pair.b.cq.requestNotify(false);
                assertTrue(pair.b.qp.tryPost(pair.b.receive(0, 40 + 8)));
                assertTrue(pair.a.qp.tryPost(pair.a.send(0, 8).to(way, pair.b.qp.qpNum(), RcPair.QKEY)));
                pair.a.awaitSuccess();
                assertSame(pair.b.cq, pair.b.cq.channel().await(LONG));
                pair.b.awaitSuccess();
            }
        }
    }

    @Test
    void shouldTellWhichQueueSentTheEvent() throws InterruptedException {
        try (var pair = pair();
                var other = pair.b.device.createCompletionQueue(16, config -> config.channel(pair.b.cq.channel()))) {
            other.requestNotify(false);
            pair.b.cq.requestNotify(false);
            deliver(pair, false);
            assertSame(pair.b.cq, pair.b.cq.channel().await(LONG));
        }
    }

    /**
     * More events than are acknowledged at a time: when the queue is closed, some have been acknowledged and some
     * have not.
     */
    @Test
    void shouldCloseQueueWhoseEventsWereTaken() throws InterruptedException {
        try (var pair = pair()) {
            CompletionChannel channel = pair.b.cq.channel();
            for (int i = 0; i < 70; i++) {
                pair.b.cq.requestNotify(false);
                deliver(pair, false);
                assertSame(pair.b.cq, channel.await(LONG));
                pair.b.awaitSuccess();
            }
            pair.b.cq.requestNotify(false);
            deliver(pair, false);
            assertTrue(Descriptors.isReadable(channel.fileDescriptor(), (int) LONG.toMillis()));
            pair.b.qp.close();
            pair.b.cq.close();
            assertNull(channel.poll()); // the event that was not taken is gone
        }
    }

    @Test
    void shouldLoseNoWakeupBetweenThreads() throws Exception {
        int messages = 2_000;
        try (var pair = pair()) {
            for (int i = 0; i < 32; i++) {
                assertTrue(pair.b.qp.tryPost(pair.b.receive(0, 8)));
            }
            var receiver = new FutureTask<>(() -> exchange(pair.b, messages, false));
            var thread = new Thread(receiver);
            pair.b.qp.handOver(thread);
            pair.b.cq.handOver(thread);
            thread.start();
            int sends = exchange(pair.a, messages, true);
            int receives = receiver.get();
            thread.join();
            assertTrue(sends > 0 && receives > 0, sends + " and " + receives + " waits");
        } // the receiving thread has ended, so its objects are this one's
    }

    /**
     * Asks, polls until nothing is left, waits; posts a new request for every completion. Returns how many times
     * it waited.
     */
    private static int exchange(RcPair.Side side, int messages, boolean sending) throws InterruptedException {
        var send = side.send(0, 8);
        var receive = side.receive(0, 8);
        if (sending) {
            assertTrue(side.qp.tryPost(send));
        }
        int waits = 0;
        side.cq.requestNotify(false);
        for (int seen = 0; ; waits++) {
            for (int n = side.cq.poll(side.done); n > 0; n = side.cq.poll(side.done)) {
                for (int i = 0; i < n; i++, seen++) {
                    assertTrue(side.done.isSuccess(i), side.done.toString());
                    assertTrue(sending ? seen + 1 == messages || side.qp.tryPost(send) : side.qp.tryPost(receive));
                }
            }
            if (seen == messages) {
                return waits;
            }
            assertSame(side.cq, side.cq.channel().await(LONG), "no event after " + seen);
            side.cq.requestNotify(false);
        }
    }

    @Test
    void shouldEndTheWaitWhenClosed() throws Exception {
        try (var context = Device.first().open()) {
            var channel = context.createCompletionChannel();
            var waiting = new CountDownLatch(1);
            var wait = new FutureTask<>(() -> {
                waiting.countDown();
                return channel.await();
            });
            new Thread(wait).start();
            waiting.await();
            channel.close();
            channel.close();
            Throwable cause = assertThrows(ExecutionException.class, wait::get).getCause();
            assertInstanceOf(IllegalStateException.class, cause);
            assertTrue(
                    cause.getMessage()
                            .startsWith("CompletionChannel(" + context.device().name()),
                    cause::toString);
            assertThrows(IllegalStateException.class, channel::poll);
            assertThrows(IllegalStateException.class, channel::fileDescriptor);
        }
    }

    @Test
    void shouldEndTheWaitWhenInterrupted() throws Exception {
        try (var context = Device.first().open();
                var channel = context.createCompletionChannel()) {
            var wait = new FutureTask<>(channel::await);
            var thread = new Thread(wait);
            thread.start();
            thread.interrupt();
            Throwable cause = assertThrows(ExecutionException.class, wait::get).getCause();
            assertInstanceOf(InterruptedException.class, cause);
        }
    }

    @Test
    void shouldServeOnWhenItCannotCloseBeforeItsQueues() throws InterruptedException {
        try (var pair = pair()) {
            CompletionChannel channel = pair.b.cq.channel();
            var e = assertThrows(IllegalStateException.class, channel::close);
            assertTrue(e.getMessage().contains("1 CompletionQueue"), e.getMessage());
            pair.b.cq.requestNotify(false);
            deliver(pair, false);
            assertSame(pair.b.cq, channel.await(LONG));
        }
    }

    @Test
    void shouldRefuseWhatWouldNeverNotify() {
        try (var context = Device.first().open();
                var other = Device.first().open();
                var foreign = other.createCompletionChannel();
                var cq = context.createCompletionQueue(16)) {
            assertNull(cq.channel());
            var e = assertThrows(IllegalStateException.class, () -> cq.requestNotify(false));
            assertTrue(e.getMessage().endsWith("was made without a completion channel"), e.getMessage());
            assertThrows(
                    IllegalArgumentException.class,
                    () -> context.createCompletionQueue(16, config -> config.channel(foreign)));
            var closed = context.createCompletionChannel();
            closed.close();
            assertThrows(
                    IllegalStateException.class,
                    () -> context.createCompletionQueue(16, config -> config.channel(closed)));
        }
    }
}
