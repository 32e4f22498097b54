// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.loop;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What other threads do with a loop that is being closed must not reach files that get its descriptors' numbers. */
@Tag("unit")
class EventLoopRaceTest {

    private static final int TRIES = 400;
    private static final int FILES = 4; // a loop has three descriptors: of epoll, its eventfd, and a waiter's
    private static final byte[] CONTENT = new byte[64];

    @TempDir
    private Path folder;

    /** Something that uses a loop until it is closed. */
    private interface Use {
        void of(EventLoop loop) throws InterruptedException;
    }

    @Test
    void shouldNotWriteToFilesOpenedAfterItWasClosed() throws Exception {
        race(loop -> loop.execute(() -> {}));
    }

    @Test
    void shouldNotWriteToFilesWhenItIsStoppedAsItCloses() throws Exception {
        var calls = new AtomicInteger();
        race(loop -> {
            loop.stop();
            if (calls.incrementAndGet() % 50 == 0) {
                loop.execute(() -> {}); // throws once it is closed, which stop does not
            }
        });
    }

    @Test
    void shouldNotReadFromFilesOpenedAfterItWasClosed() throws Exception {
        race(loop -> {
            loop.execute(() -> {});
            loop.turn(Duration.ofMillis(1));
        });
    }

    private void race(Use use) throws Exception {
        Path file = Files.write(folder.resolve("file"), CONTENT);
        for (int i = 0; i < TRIES; i++) {
            EventLoop loop = EventLoop.open();
            var inUse = new CountDownLatch(20 + i % 50);
            var failure = new AtomicReference<Throwable>();
            Thread other = Thread.ofPlatform().start(() -> {
                try {
                    while (true) {
                        inUse.countDown();
                        use.of(loop);
                    }
                } catch (IllegalStateException | RejectedExecutionException e) {
                    inUse.countDown(); // closed, as it should be
                } catch (Throwable t) {
                    failure.set(t);
                }
            });
            inUse.await();
            loop.close();
            List<RandomAccessFile> files = open(file);
            other.join();
            assertNull(failure.get());
            for (RandomAccessFile each : files) {
                assertEquals(0, each.getFilePointer(), "moved by a thread that used a closed loop");
                each.close();
            }
        }
    }

    private static List<RandomAccessFile> open(Path file) throws IOException {
        var files = new ArrayList<RandomAccessFile>();
        for (int i = 0; i < FILES; i++) {
            files.add(new RandomAccessFile(file.toFile(), "rw"));
        }
        return files;
    }

    @Test
    void shouldLetOthersInBetweenManyTasks() throws InterruptedException {
        var ran = new AtomicInteger();
        try (EventLoop loop = EventLoop.open()) {
            for (int i = 0; i < 1000; i++) {
                loop.execute(ran::incrementAndGet);
            }
            assertTrue(loop.turn(Duration.ZERO));
            assertTrue(ran.get() < 1000, "a turn that runs all tasks keeps channels waiting");
            while (loop.turn(Duration.ZERO)) {
                Thread.onSpinWait();
            }
            assertEquals(1000, ran.get());
        }
    }

    @Test
    void shouldNotBeTurnedWithinATurn() throws Exception {
        try (EventLoop loop = EventLoop.open()) {
            var refusals = new ArrayList<String>();
            loop.execute(() -> {
                refusals.add(assertThrows(IllegalStateException.class, () -> loop.turn(Duration.ZERO))
                        .getMessage());
                refusals.add(
                        assertThrows(IllegalStateException.class, loop::run).getMessage());
                var other = new FutureTask<>(
                        () -> assertThrows(IllegalStateException.class, () -> loop.turn(Duration.ZERO)));
                Thread.ofPlatform().start(other);
                refusals.add(assertDoesNotThrow(() -> other.get()).getMessage());
            });
            assertTrue(loop.turn(Duration.ZERO));
            assertEquals(3, refusals.size());
            refusals.forEach(each -> assertTrue(each.contains("in a turn of"), each));
            assertFalse(loop.turn(Duration.ZERO));
        }
    }

    @Test
    void shouldNotRunOnceClosedThoughItWasStopped() {
        EventLoop loop = EventLoop.open();
        loop.stop();
        loop.close();
        assertThrows(IllegalStateException.class, loop::run);
    }

    @Test
    void shouldNotStarveByATaskThatComesAgain() throws InterruptedException {
        var runs = new AtomicInteger();
        try (EventLoop loop = EventLoop.open()) {
            var again = new Runnable() {
                @Override
                public void run() {
                    runs.incrementAndGet();
                    loop.execute(this);
                }
            };
            loop.execute(again);
            assertTrue(loop.turn(TestDeadlines.ofSeconds(30)));
            assertFalse(runs.get() > 1000, "a turn ends");
        }
    }
}
