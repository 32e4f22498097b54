package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("device")
@Timeout(120)
class AsyncEventsTest {

    private static final Duration LONG = Duration.ofSeconds(20);

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

    @Test
    void shouldReportOverrunOfCompletionQueue() throws InterruptedException {
        try (var pair = RcPair.connected(config -> {}, context -> context.createCompletionQueue(1))) {
            AsyncEvents events = pair.b.device.asyncEvents();
            overrun(pair);
            var event = assertInstanceOf(AsyncEvent.OfCompletionQueue.class, events.await(LONG));
            assertEquals(AsyncEventType.CQ_ERR, event.type());
            assertSame(pair.b.cq, event.completionQueue());
            assertSame(pair.b.device, event.context());
        }
    }

    @Test
    void shouldBeReadableForPollAndEpollWhileThereAreEvents() {
        try (var pair = RcPair.connected(config -> {}, context -> context.createCompletionQueue(1))) {
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

    @Test
    void shouldCloseObjectWhoseEventsNobodyTook() throws InterruptedException {
        try (var pair = RcPair.connected(config -> {}, context -> context.createCompletionQueue(1))) {
            AsyncEvents events = pair.b.device.asyncEvents();
            overrun(pair);
            assertTrue(Descriptors.isReadable(events.fileDescriptor(), (int) LONG.toMillis()));
            pair.b.qp.close();
            pair.b.cq.close();
            assertNull(events.poll()); // they went with the queue
        }
    }

    /** Brings more completions to a queue than it has room for; the peer may never hear that it failed. */
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
