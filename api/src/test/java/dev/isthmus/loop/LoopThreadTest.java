// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Loops with a thread of their own. */
@Tag("unit")
class LoopThreadTest {

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(TestDeadlines.seconds(30), TimeUnit.SECONDS);
    }

    private static void awaitGo(CountDownLatch go) {
        try {
            go.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldRunTasksOfEachThreadInTheirOrder() throws Exception {
        try (var loop = EventLoop.start()) {
            List<List<Integer>> seen = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
            List<Thread> threads = new ArrayList<>();
            for (List<Integer> mine : seen) {
                threads.add(Thread.ofPlatform().start(() -> {
                    for (int i = 0; i < 10_000; i++) {
                        int number = i;
                        loop.execute(() -> mine.add(number));
                    }
                }));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertTrue(loop.call(loop::isCurrent));
            assertFalse(loop.isCurrent());
            for (List<Integer> mine : seen) {
                assertEquals(10_000, mine.size());
                for (int i = 0; i < mine.size(); i++) {
                    assertEquals(i, mine.get(i));
                }
            }
        }
    }

    @Test
    void shouldSleepWhenIdleAndWakeUpForTasks() throws Exception {
        try (var loop = EventLoop.start(config -> config.spin(Duration.ofMillis(1)))) {
            for (int i = 0; i < 100; i++) {
                while (!loop.isAsleep()) {
                    Thread.onSpinWait();
                }
                int number = i;
                assertEquals("task " + number, get(loop.submit(() -> "task " + number)));
            }
            get(loop.submit(Thread::currentThread)).interrupt();
            assertEquals("done", get(loop.submit(() -> "done")));
        }
    }

    @Test
    void shouldReportWhatIsThrownAndGoOn() throws Exception {
        BlockingQueue<Throwable> thrown = new LinkedBlockingQueue<>();
        try (var loop = EventLoop.start(config -> config.exceptionHandler(t -> {
            thrown.add(t);
            throw new IllegalStateException("of the handler");
        }))) {
            loop.execute(() -> {
                throw new UnsupportedOperationException("of the task");
            });
            assertEquals(
                    "of the task",
                    thrown.poll(TestDeadlines.seconds(30), TimeUnit.SECONDS).getMessage());
            loop.schedule(Duration.ZERO, () -> {
                throw new UnsupportedOperationException("of the timer");
            });
            assertEquals(
                    "of the timer",
                    thrown.poll(TestDeadlines.seconds(30), TimeUnit.SECONDS).getMessage());
            var failed = loop.submit(() -> {
                throw new UnsupportedOperationException("of the function");
            });
            var e = assertThrows(ExecutionException.class, () -> get(failed));
            assertEquals("of the function", e.getCause().getMessage());
            var out = assertThrows(
                    UnsupportedOperationException.class,
                    () -> loop.call(() -> {
                        throw new UnsupportedOperationException("of the call");
                    }));
            assertEquals("of the call", out.getMessage());
            assertEquals("done", get(loop.submit(() -> "done")));
            assertTrue(thrown.isEmpty(), thrown::toString);
        }
    }

    @Test
    void shouldEndWhenClosed() {
        BlockingQueue<Throwable> thrown = new LinkedBlockingQueue<>();
        var loop = EventLoop.start(config -> config.exceptionHandler(thrown::add));
        List<Integer> ran = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            int number = i;
            loop.execute(() -> ran.add(number));
        }
        loop.close();
        loop.close();
        assertEquals(1000, ran.size());
        assertThrows(RejectedExecutionException.class, () -> loop.execute(() -> {}));
        assertThrows(RejectedExecutionException.class, () -> loop.submit(() -> 1));
        assertThrows(RejectedExecutionException.class, () -> loop.call(() -> 1));
        assertThrows(IllegalStateException.class, () -> loop.schedule(Duration.ZERO, () -> {}));
        assertTrue(thrown.isEmpty(), thrown::toString);
    }

    @Test
    void shouldBeClosedByItsOwnThread() throws Exception {
        for (ThreadFactory threads :
                List.of(Thread.ofVirtual().factory(), Thread.ofPlatform().factory())) {
            var loop = EventLoop.start(config -> config.thread(threads));
            Thread thread = get(loop.submit(() -> {
                loop.close();
                return Thread.currentThread();
            }));
            assertTrue(thread.join(TestDeadlines.ofSeconds(30)));
            assertThrows(RejectedExecutionException.class, () -> loop.execute(() -> {}));
            loop.close();
        }
    }

    @Test
    void shouldRunWhatItWasGivenBeforeItsEndThoughTasksCloseIt() throws Exception {
        var loop = EventLoop.start();
        var go = new CountDownLatch(1);
        var first = loop.submit(() -> {
            awaitGo(go);
            loop.close();
            return "first";
        });
        var again = loop.submit(() -> {
            loop.close();
            return "again";
        });
        var last = loop.submit(() -> "last");
        go.countDown();
        assertEquals("first", get(first));
        assertEquals("again", get(again));
        assertEquals("last", get(last));
        loop.close();
    }

    @Test
    void shouldNotRunWhatWasCancelledBefore() throws Exception {
        try (var loop = EventLoop.start()) {
            var go = new CountDownLatch(1);
            loop.execute(() -> awaitGo(go));
            var ran = new ArrayList<String>();
            var never = loop.submit(() -> ran.add("cancelled"));
            assertTrue(never.cancel(false));
            go.countDown();
            get(loop.submit(() -> {}));
            assertThrows(CancellationException.class, () -> get(never));
            assertTrue(ran.isEmpty());
        }
    }

    @Test
    void shouldRejectTasksWhenTooManyWait() throws Exception {
        var loop = EventLoop.start(config -> config.maxTasks(2));
        var go = new CountDownLatch(1);
        var begun = new CountDownLatch(1);
        loop.execute(() -> {
            begun.countDown();
            awaitGo(go);
        });
        begun.await();
        var waiting = loop.submit(() -> "waited");
        loop.execute(() -> {});
        var e = assertThrows(RejectedExecutionException.class, () -> loop.execute(() -> {}));
        assertTrue(e.getMessage().contains("has 2 tasks that wait"), e.getMessage());
        Thread closes = Thread.ofPlatform().start(loop::close); // which needs no room
        go.countDown();
        assertEquals("waited", get(waiting));
        assertTrue(closes.join(TestDeadlines.ofSeconds(30)));
    }

    @Test
    void shouldTellOfTasksThatAreNotRunAnyMore() {
        var loop = EventLoop.open();
        var never = loop.submit(() -> "never");
        loop.close();
        var e = assertThrows(ExecutionException.class, () -> get(never));
        assertInstanceOf(RejectedExecutionException.class, e.getCause());
    }

    @Test
    void shouldLeaveNothingWhereItsThreadCannotBeStarted() throws IOException {
        assertLeavesNothing(NullPointerException.class, task -> null);
        assertLeavesNothing(UnsupportedOperationException.class, task -> {
            throw new UnsupportedOperationException("no thread");
        });
        assertLeavesNothing(IllegalThreadStateException.class, task -> {
            Thread thread = Thread.ofPlatform().start(() -> {}); // of the factory's own
            return thread;
        });
    }

    private static void assertLeavesNothing(Class<? extends Throwable> expected, ThreadFactory factory)
            throws IOException {
        long before = descriptors();
        assertThrows(expected, () -> EventLoop.start(config -> config.thread(factory)));
        assertEquals(before, descriptors());
    }

    /** Descriptors of epoll and of events; other threads open and close files. */
    private static long descriptors() throws IOException {
        long count = 0;
        try (var all = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path each : all) {
                try {
                    count += Files.readSymbolicLink(each).toString().startsWith("anon_inode:[event") ? 1 : 0;
                } catch (NoSuchFileException e) {
                    assertNotNull(e); // the descriptor of the directory itself, or of a class that was being loaded
                }
            }
        }
        return count;
    }

    @Test
    void shouldRefuseWhatCannotBe() {
        var config = new EventLoopConfig();
        assertThrows(IllegalArgumentException.class, () -> config.spin(Duration.ofNanos(-1)));
        assertThrows(IllegalArgumentException.class, () -> config.spin(Duration.ofDays(2)));
        assertThrows(IllegalArgumentException.class, () -> config.maxTasks(0));
        var e = assertThrows(IllegalArgumentException.class, () -> EventLoop.open(of -> of.exceptionHandler(t -> {})));
        assertTrue(e.getMessage().contains("EventLoop.start"), e.getMessage());
    }
}
