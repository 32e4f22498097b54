// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.OwnDevices;
import dev.isthmus.testbed.RefusedByDevice;
import dev.isthmus.testbed.TestDeadlines;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
class AsyncEventsTest {

    private static final Duration LONG = TestDeadlines.ofSeconds(60);

    @Tag("connectx")
    @Test
    void shouldHaveNoEventWhenNothingHappens() throws InterruptedException {
        try (var context = Device.first().open()) {
            AsyncEvents events = context.asyncEvents();
            assertSame(events, context.asyncEvents());
            assertNull(events.poll());
            assertNull(events.await(Duration.ofMillis(2)));
            assertFalse(Descriptors.isReadable(events.fileDescriptor(), 2));
        }
    }

    @Tag("connectx")
    @Test
    void shouldReportOverrunOfCompletionQueue() throws InterruptedException {
        try (var pair = RcPair.connected(config -> {}, side -> side.device.createCompletionQueue(1))) {
            AsyncEvents events = pair.b.device.asyncEvents();
            overrun(pair);
            var event = assertInstanceOf(AsyncEvent.OfCompletionQueue.class, events.await(LONG));
            assertEquals(AsyncEventType.CQ_ERR, event.type());
            assertSame(pair.b.cq, event.completionQueue());
            assertSame(pair.b.device, event.context());
        }
    }

    @Tag("connectx")
    @Test
    void shouldBeReadableForPollAndEpollWhileThereAreEvents() {
        try (var pair = RcPair.connected(config -> {}, side -> side.device.createCompletionQueue(1))) {
            AsyncEvents events = pair.b.device.asyncEvents();
            int fd = events.fileDescriptor();
            overrun(pair);
            assertTrue(Descriptors.isReadable(fd, (int) LONG.toMillis()));
            for (AsyncEvent event = events.poll(); event != null; ) {
                event = events.poll();
            }
            assertFalse(Descriptors.isReadable(fd, 0));
        }
    }

    @Tag("connectx")
    @Test
    void shouldCloseObjectWhoseEventsNobodyTook() throws InterruptedException {
        try (var pair = RcPair.connected(config -> {}, side -> side.device.createCompletionQueue(1))) {
            AsyncEvents events = pair.b.device.asyncEvents();
            overrun(pair);
            assertTrue(Descriptors.isReadable(events.fileDescriptor(), (int) LONG.toMillis()));
            pair.b.qp.close();
            pair.b.cq.close();
            assertNull(events.poll()); // they went with the queue
        }
    }

    /** Makes more requests complete than a queue has room for; the peer may never learn that it failed. */
    private static void overrun(RcPair pair) {
        int messages = pair.b.cq.entries() + 2;
        for (int i = 0; i < messages; i++) {
            assertTrue(pair.b.qp.tryPost(pair.b.receive(0, 8)));
        }
        for (int i = 0; i < messages; i++) {
            assertTrue(pair.a.qp.tryPost(pair.a.send(0, 8)));
        }
    }

    @Test
    void shouldReportThatPortWentDownAndCameUp() throws Exception {
        // Devices of its own: an interface that goes down loses its IPv6 addresses and its routes, which others need.
        try (var devices = OwnDevices.up("isthmusev", "198.18.78.1", "198.18.78.2");
                var context = Device.named(devices.first()).open()) {
            Device device = context.device();
            AsyncEvents events = context.asyncEvents();
            SoftRoce.link(device, "down");
            assertEquals(new AsyncEvent.OfPort(context, AsyncEventType.PORT_ERR, 1), awaitNoGidChange(events));
            SoftRoce.link(device, "up");
            assertEquals(new AsyncEvent.OfPort(context, AsyncEventType.PORT_ACTIVE, 1), awaitNoGidChange(events));
        }
    }

    /** The next event, other than those of the GID table, which changes with an interface's IPv6 addresses. */
    private static AsyncEvent awaitNoGidChange(AsyncEvents events) throws InterruptedException {
        AsyncEvent event = events.await(LONG);
        while (event != null && event.type() == AsyncEventType.GID_CHANGE) {
            event = events.await(LONG);
        }
        return event;
    }

    @Tag("connectx")
    @Test
    void shouldReportThatGidTableChanged() throws Exception {
        Device device = Device.first();
        try (var context = device.open()) {
            AsyncEvents events = context.asyncEvents();
            if (!SoftRoce.is(device)) { // nor are their addresses
                assertNull(events.poll());
                return;
            }
            String address = "198.18.77.1/32";
            SoftRoce.address(device, "add", address);
            try {
                assertEquals(new AsyncEvent.OfPort(context, AsyncEventType.GID_CHANGE, 1), events.await(LONG));
            } finally {
                SoftRoce.address(device, "del", address);
            }
            assertEquals(new AsyncEvent.OfPort(context, AsyncEventType.GID_CHANGE, 1), events.await(LONG));
        }
    }

    @Tag("connectx")
    @Test
    void shouldReportLastReceiveOfFailedQueuePair() throws InterruptedException {
        try (var pair = SharedPair.open(1, config -> config.maxWr(16))) {
            AsyncEvents events = pair.b().device.asyncEvents();
            QueuePair failed = pair.receivers.getFirst();
            failed.modify(QueuePairTransition.to(QueuePairState.ERR));
            if (!Features.tellsTheLastRequest(pair.b().device)) {
                assertNull(events.await(Duration.ofMillis(50)));
                throw RefusedByDevice.by("ibv_get_async_event", "no QP_LAST_WQE_REACHED before Linux 6.5");
            }
            var event = assertInstanceOf(AsyncEvent.OfQueuePair.class, events.await(LONG));
            assertEquals(AsyncEventType.QP_LAST_WQE_REACHED, event.type());
            assertSame(failed, event.queuePair());
        }
    }

    @Tag("connectx")
    @Test
    void shouldReportThatSharedReceiveQueueRunsLow() throws InterruptedException {
        try (var pair = SharedPair.open(1, config -> config.maxWr(16))) {
            AsyncEvents events = pair.b().device.asyncEvents();
            for (int i = 0; i < 4; i++) {
                assertTrue(pair.srq.tryPost(pair.b().receive(0, 8)));
            }
            pair.srq.limit(3);
            for (int i = 0; i < 2; i++) {
                assertTrue(pair.senders.getFirst().tryPost(pair.a().send(0, 8)));
            }
            var event = assertInstanceOf(AsyncEvent.OfSharedReceiveQueue.class, events.await(LONG));
            assertEquals(AsyncEventType.SRQ_LIMIT_REACHED, event.type());
            assertSame(pair.srq, event.sharedReceiveQueue());
        }
    }

    @Tag("connectx")
    @Test
    void shouldEndTheWaitWhenTheDeviceIsClosed() throws Exception {
        var context = Device.first().open();
        var waiting = new CountDownLatch(1);
        var wait = new FutureTask<>(() -> {
            waiting.countDown();
            return context.asyncEvents().await();
        });
        new Thread(wait).start();
        waiting.await();
        context.close();
        Throwable cause = assertThrows(ExecutionException.class, wait::get).getCause();
        assertInstanceOf(IllegalStateException.class, cause);
        assertTrue(
                cause.getMessage().contains("DeviceContext(" + context.device().name()), cause.getMessage());
        assertThrows(IllegalStateException.class, context.asyncEvents()::poll);
        assertThrows(IllegalStateException.class, context.asyncEvents()::fileDescriptor);
    }

    @Tag("connectx")
    @Test
    void shouldEndTheWaitWhenInterrupted() throws Exception {
        try (var context = Device.first().open()) {
            var wait = new FutureTask<>(() -> context.asyncEvents().await());
            var thread = new Thread(wait);
            thread.start();
            thread.interrupt();
            Throwable cause = assertThrows(ExecutionException.class, wait::get).getCause();
            assertInstanceOf(InterruptedException.class, cause);
        }
    }
}
