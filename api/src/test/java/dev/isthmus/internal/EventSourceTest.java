// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.TestDeadlines;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An eventfd whose events are counted here, so that taking one is not a read that could block. */
@Tag("unit")
class EventSourceTest {

    private static final int ROUNDS = 300;
    private static final int WAKEUPS = 30_000;
    private static final Duration LONGEST = TestDeadlines.ofSeconds(30);

    private final int fd = Posix.eventfd();
    private final Lifetime lifetime = new Lifetime("Source", "s");
    private final EventSource source = new EventSource(lifetime, fd);
    private final AtomicInteger pending = new AtomicInteger();
    private final Supplier<String> take = this::take;

    @AfterEach
    void close() {
        lifetime.close(() -> {
            source.shut();
            Posix.close(fd);
        });
    }

    private synchronized void send() {
        pending.incrementAndGet();
        Posix.signal(fd);
    }

    private synchronized String take() {
        if (pending.get() == 0) {
            return null;
        }
        if (pending.decrementAndGet() == 0) {
            Posix.reset(fd);
        }
        return "event";
    }

    @Test
    void shouldTakeWhatIsThereWithoutWaiting() throws InterruptedException {
        assertNull(source.poll(take));
        assertNull(source.await(Duration.ZERO, take));
        send();
        send();
        send();
        assertEquals("event", source.poll(take));
        assertEquals("event", source.await(Duration.ZERO, take));
        assertEquals("event", source.await(EventSource.FOREVER, take));
        assertNull(source.await(Duration.ofSeconds(Long.MIN_VALUE), take));
    }

    @Test
    void shouldWaitUntilTheTimeIsOver() throws InterruptedException {
        for (Duration timeout : List.of(Duration.ofNanos(1), Duration.ofMillis(20))) {
            long start = System.nanoTime();
            assertNull(source.await(timeout, take));
            assertTrue(System.nanoTime() - start >= timeout.toNanos());
        }
    }

    @Test
    void shouldWaitOnWhenAnotherTookTheEvent() throws InterruptedException {
        var takes = new AtomicInteger();
        Posix.signal(fd);
        assertEquals("third", source.await(EventSource.FOREVER, () -> takes.incrementAndGet() < 3 ? null : "third"));
        Posix.reset(fd);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldGiveEachEventToOneOfTheThreads(boolean virtual) throws Exception {
        int threads = 3;
        var taken = new AtomicInteger();
        var waits = new ArrayList<FutureTask<Void>>();
        for (int t = 0; t < threads; t++) {
            waits.add(start(virtual, () -> {
                for (int i = 0; i < ROUNDS; i++) {
                    assertEquals("event", source.await(EventSource.FOREVER, take));
                    taken.incrementAndGet();
                }
                return null;
            }));
        }
        for (int i = 0; i < threads * ROUNDS; i++) {
            send();
        }
        for (FutureTask<Void> wait : waits) {
            wait.get();
        }
        assertEquals(threads * ROUNDS, taken.get());
        assertNull(source.poll(take));
    }

    /** Each waits on a descriptor of its own; one platform thread waits for all of them. */
    @Test
    void shouldWaitForManyVirtualThreadsOnOneThread() throws Exception {
        int count = 500;
        int before = platformThreads();
        var descriptors = new ArrayList<Integer>();
        var lives = new ArrayList<Lifetime>();
        var waits = new ArrayList<FutureTask<Boolean>>();
        var waiting = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            int each = Posix.eventfd();
            var life = new Lifetime("Source", "" + i);
            var one = new EventSource(life, each);
            descriptors.add(each);
            lives.add(life);
            waits.add(start(true, () -> {
                waiting.countDown();
                boolean readable = one.awaitReadable(EventSource.FOREVER);
                life.close(() -> {
                    one.shut();
                    Posix.close(each);
                });
                return readable;
            }));
        }
        waiting.await();
        assertTrue(platformThreads() - before <= Runtime.getRuntime().availableProcessors() + 2, "a thread for each");
        descriptors.forEach(Posix::signal);
        for (FutureTask<Boolean> wait : waits) {
            assertTrue(wait.get());
        }
        assertTrue(lives.stream().noneMatch(Lifetime::isOpen));
    }

    private static int platformThreads() {
        return ManagementFactory.getThreadMXBean().getThreadCount();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldEndTheWaitWhenInterrupted(boolean virtual) throws Exception {
        for (int i = 0; i < ROUNDS; i++) { // before the wait, while it begins, and in it
            var interrupted = new CountDownLatch(1);
            var wait = new FutureTask<Boolean>(() -> {
                interrupted.countDown();
                assertThrows(InterruptedException.class, () -> source.await(EventSource.FOREVER, take));
                return Thread.currentThread().isInterrupted();
            });
            Thread thread = virtual
                    ? Thread.ofVirtual().start(wait)
                    : Thread.ofPlatform().start(wait);
            interrupted.await();
            spin(i);
            thread.interrupt();
            assertFalse(wait.get());
        }
        // An interrupt of the past wakes nobody later, and an interrupted thread does not wait.
        assertNull(source.await(Duration.ofMillis(5), take));
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, () -> source.await(Duration.ZERO, take));
    }

    /** Each wakeup comes when the wait before it has ended: before the next wait, while it begins, and in it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldEndOneWaitByEachWakeup(boolean virtual) throws Exception {
        var ended = new AtomicInteger();
        FutureTask<Void> waits = start(virtual, () -> {
            while (ended.get() < WAKEUPS) {
                assertNull(source.await(EventSource.FOREVER, take));
                ended.incrementAndGet();
            }
            return null;
        });
        for (int i = 1; i <= WAKEUPS; i++) {
            source.wakeup();
            long begin = System.nanoTime();
            while (ended.get() < i) {
                Thread.onSpinWait();
                assertTrue(System.nanoTime() - begin < LONGEST.toNanos(), "wakeup " + i + " was lost");
            }
            spin(i % 16);
        }
        waits.get();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldEndAllWaitsWhenClosed(boolean virtual) throws Exception {
        var waits = new ArrayList<FutureTask<Void>>();
        for (int t = 0; t < 3; t++) {
            waits.add(start(virtual, () -> {
                source.await(EventSource.FOREVER, take);
                return null;
            }));
        }
        close();
        for (FutureTask<Void> wait : waits) {
            Throwable cause = assertThrows(ExecutionException.class, wait::get).getCause();
            assertInstanceOf(IllegalStateException.class, cause);
            assertTrue(cause.getMessage().startsWith("Source(s) is "), cause.getMessage());
        }
        assertThrows(IllegalStateException.class, () -> source.poll(take));
        assertThrows(IllegalStateException.class, source::fileDescriptor);
    }

    @Test
    void shouldServeOnWhenItCouldNotBeClosed() throws InterruptedException {
        assertNull(source.await(Duration.ofNanos(1), take));
        assertThrows(
                ArithmeticException.class,
                () -> lifetime.close(() -> {
                    source.shut();
                    throw new ArithmeticException();
                }));
        send();
        assertEquals("event", source.await(EventSource.FOREVER, take));
        assertEquals(fd, source.fileDescriptor());
    }

    private static <T> FutureTask<T> start(boolean virtual, Callable<T> task) throws InterruptedException {
        var started = new CountDownLatch(1);
        var future = new FutureTask<>(() -> {
            started.countDown();
            return task.call();
        });
        var thread = virtual ? Thread.ofVirtual() : Thread.ofPlatform();
        thread.start(future);
        started.await();
        return future;
    }

    private static void spin(int turns) {
        for (int i = 0; i < turns * 20; i++) {
            Thread.onSpinWait();
        }
    }
}
