// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.VerbsException;
import dev.isthmus.internal.EventSource;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.Natives;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.testbed.ThreadTime;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Timers, descriptors, sources of the program's own, and polled sources. */
@Tag("unit")
class LoopSourcesTest {

    private static final Duration LONG = TestDeadlines.ofSeconds(30);

    @TempDir
    private Path folder;

    /** A pipe with a name, whose reading end is a descriptor. */
    private final class Pipe implements AutoCloseable {

        private final Path path;
        private final FileInputStream in;
        private final FileOutputStream out;

        Pipe() throws IOException, InterruptedException {
            path = folder.resolve("pipe" + System.nanoTime());
            assertEquals(
                    0, new ProcessBuilder("mkfifo", path.toString()).start().waitFor());
            var both = new RandomAccessFile(path.toFile(), "rw"); // so that neither end waits for the other
            in = new FileInputStream(path.toFile());
            out = new FileOutputStream(path.toFile());
            both.close();
        }

        int descriptor() throws IOException {
            try (var all = Files.list(Path.of("/proc/self/fd"))) {
                return all.filter(fd -> leadsTo(fd, path) && isReadOnly(fd))
                        .mapToInt(fd -> Integer.parseInt(fd.getFileName().toString()))
                        .findFirst()
                        .orElseThrow();
            }
        }

        private static boolean leadsTo(Path fd, Path path) {
            try {
                return Files.readSymbolicLink(fd).equals(path);
            } catch (IOException e) {
                return false; // the descriptor of this listing, which is gone
            }
        }

        private static boolean isReadOnly(Path fd) {
            try {
                return Files.readString(
                                Path.of("/proc/self/fdinfo", fd.getFileName().toString()))
                        .lines()
                        .anyMatch(line -> line.startsWith("flags:") && line.endsWith("0"));
            } catch (IOException e) {
                return false;
            }
        }

        void write(int value) {
            try {
                out.write(value);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        Integer read() {
            try {
                return in.available() == 0 ? null : in.read();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() throws IOException {
            in.close();
            out.close();
        }
    }

    @Test
    void shouldRunTimersInTheOrderOfTheirTimes() throws Exception {
        var ran = new ArrayList<Integer>();
        try (var loop = EventLoop.open()) {
            long begin = System.nanoTime();
            loop.schedule(Duration.ofMillis(30), () -> ran.add(3));
            loop.schedule(Duration.ofMillis(10), () -> ran.add(1));
            var never = loop.schedule(Duration.ofMillis(15), () -> ran.add(9));
            loop.schedule(Duration.ofMillis(20), () -> ran.add(2));
            loop.schedule(Duration.ofSeconds(Long.MAX_VALUE), () -> ran.add(8));
            assertTrue(never.cancel());
            assertFalse(never.cancel());
            while (ran.size() < 3) {
                loop.turn(LONG);
            }
            assertTrue(System.nanoTime() - begin >= TimeUnit.MILLISECONDS.toNanos(30));
            assertEquals(List.of(1, 2, 3), ran);
        }
    }

    @Test
    void shouldWakeUpForATimerOfAnotherThread() throws Exception {
        try (var loop = EventLoop.start()) {
            while (!loop.isAsleep()) {
                Thread.onSpinWait();
            }
            var ran = new CountDownLatch(1);
            loop.schedule(Duration.ofMillis(1), ran::countDown);
            assertTrue(ran.await(TestDeadlines.seconds(30), TimeUnit.SECONDS));
        }
    }

    @Test
    void shouldEndAWaitAndTheNextOne() throws Exception {
        try (var loop = EventLoop.open()) {
            loop.wakeup();
            assertFalse(loop.turn(LONG)); // at once
            Thread other = Thread.ofPlatform().start(() -> {
                while (!loop.isAsleep()) {
                    Thread.onSpinWait();
                }
                loop.wakeup();
            });
            assertFalse(loop.turn(LONG));
            other.join();
        }
    }

    @Test
    void shouldServeOtherDescriptorsAndSources() throws Exception {
        var read = new ArrayList<Integer>();
        try (var first = new Pipe();
                var second = new Pipe();
                var loop = EventLoop.open()) {
            int fd = second.descriptor();
            Source<Integer> source = new Source<>() {
                @Override
                public int fileDescriptor() {
                    return fd;
                }

                @Override
                public Integer poll() {
                    return second.read();
                }
            };
            var registration = loop.add(first.descriptor(), () -> read.add(first.read()));
            loop.add(source, value -> read.add(100 + value));
            first.write(1);
            assertTrue(loop.turn(LONG));
            second.write(2);
            second.write(3);
            assertTrue(loop.turn(LONG));
            assertEquals(List.of(1, 102, 103), read);
            registration.close();
            registration.close();
            first.write(4);
            assertFalse(loop.turn(Duration.ZERO));
            loop.add(first.descriptor(), () -> read.add(first.read()));
            assertTrue(loop.turn(LONG));
            assertEquals(List.of(1, 102, 103, 4), read);
        }
    }

    @Test
    void shouldNotAskASourceThatItsHandlerHasClosed() throws Exception {
        try (var pipe = new Pipe();
                var loop = EventLoop.open()) {
            int fd = pipe.descriptor();
            var registration = new Registration[1];
            var closed = new AtomicBoolean();
            Source<Integer> source = new Source<>() {
                @Override
                public int fileDescriptor() {
                    return fd;
                }

                @Override
                public Integer poll() {
                    assertFalse(closed.get());
                    return pipe.read();
                }
            };
            registration[0] = loop.add(source, value -> {
                registration[0].close();
                closed.set(true);
            });
            pipe.write(1);
            pipe.write(2);
            assertTrue(loop.turn(LONG));
            assertTrue(closed.get());
            assertFalse(loop.turn(Duration.ZERO));
        }
    }

    /** Its handler replaces a source that has an event in the same turn. */
    @Test
    void shouldGiveNoEventToTheSourceThatCameInPlaceOfAnother() throws Exception {
        try (var first = new Pipe();
                var second = new Pipe();
                var third = new Pipe();
                var loop = EventLoop.open()) {
            var replaced = new Registration[1];
            var read = new ArrayList<String>();
            int fd = third.descriptor();
            loop.add(first.descriptor(), () -> {
                first.read();
                replaced[0].close();
                loop.add(fd, () -> read.add("third"));
            });
            replaced[0] = loop.add(second.descriptor(), () -> read.add("second"));
            first.write(1);
            second.write(1);
            assertTrue(loop.turn(LONG));
            assertEquals(List.of(), read);
            third.write(1);
            assertTrue(loop.turn(LONG));
            assertEquals(List.of("third"), read);
        }
    }

    @Test
    void shouldServeOthersWhileOneAlwaysThrows() throws Exception {
        try (var broken = new Pipe();
                var good = new Pipe();
                var loop = EventLoop.open()) {
            var read = new ArrayList<Integer>();
            loop.add(broken.descriptor(), () -> {
                throw new IllegalStateException("always");
            });
            loop.add(good.descriptor(), () -> read.add(good.read()));
            broken.write(1);
            good.write(7);
            assertThrows(IllegalStateException.class, () -> loop.turn(LONG));
            assertThrows(IllegalStateException.class, () -> loop.turn(LONG));
            assertEquals(List.of(7), read);
        }
    }

    /** An object as a completion channel is one, on a pipe; its wakeup has the loop look again. */
    private static final class Channel implements Source<String> {

        static {
            Natives.of(Channel.class).exposes(EventSource.class, channel -> channel.events);
        }

        private final Lifetime lifetime = new Lifetime("Channel", "of a pipe");
        private final EventSource events;
        private RuntimeException failure;

        Channel(int fd) {
            events = new EventSource(lifetime, fd);
        }

        @Override
        public int fileDescriptor() {
            return events.fileDescriptor();
        }

        @Override
        public String poll() {
            return events.poll(() -> {
                if (failure != null) {
                    throw failure;
                }
                return null;
            });
        }

        void close() {
            lifetime.close(events::shut);
        }
    }

    @Test
    void shouldForgetASourceThatWasClosedAfterItsWakeup() throws Exception {
        try (var pipe = new Pipe();
                var loop = EventLoop.open()) {
            var channel = new Channel(pipe.descriptor());
            var registration = loop.add(channel, event -> {});
            channel.events.wakeup();
            registration.close();
            channel.close();
            assertFalse(loop.turn(Duration.ZERO));
            assertFalse(loop.turn(Duration.ZERO));
        }
    }

    @Test
    void shouldServeTheNextSourceThatWasWokenWhenTheFirstOneThrows() throws Exception {
        try (var one = new Pipe();
                var two = new Pipe();
                var loop = EventLoop.open()) {
            var broken = new Channel(one.descriptor());
            var good = new Channel(two.descriptor());
            broken.failure = new IllegalStateException("always");
            var first = loop.add(broken, event -> {});
            var second = loop.add(good, event -> {});
            broken.events.wakeup();
            good.events.wakeup();
            good.failure = new IllegalStateException("asked");
            var thrown = assertThrows(IllegalStateException.class, () -> loop.turn(Duration.ZERO));
            assertEquals("always", thrown.getMessage());
            assertEquals("asked", thrown.getSuppressed()[0].getMessage());
            broken.failure = null;
            good.failure = null;
            assertFalse(loop.turn(Duration.ZERO));
            first.close();
            second.close();
            broken.close();
            good.close();
        }
    }

    @Test
    void shouldRefuseADescriptorThatCannotBeWatched() throws Exception {
        try (var loop = EventLoop.open()) {
            var e = assertThrows(VerbsException.class, () -> loop.add(1 << 20, () -> {}));
            assertTrue(e.getMessage().contains("epoll_ctl"), e.getMessage());
        }
    }

    /** A polled source, whose pipe ends a sleep. */
    private static final class Asked implements Polled {
        final Pipe signal;
        final int descriptor;
        final AtomicInteger work = new AtomicInteger();
        int asked;
        int armed;
        int done;

        Asked(Pipe signal) throws IOException {
            this.signal = signal;
            this.descriptor = signal.descriptor();
        }

        @Override
        public boolean poll() {
            asked++;
            signal.read();
            int now = work.getAndSet(0);
            done += now;
            return now > 0;
        }

        @Override
        public boolean arm() {
            armed++;
            return work.get() == 0;
        }

        @Override
        public int fileDescriptor() {
            return descriptor;
        }
    }

    @Test
    void shouldAskBeforeItSleepsAndSleepUntilThereIsSomething() throws Exception {
        try (var pipe = new Pipe();
                var loop = EventLoop.open(config -> config.spin(Duration.ZERO))) {
            var source = new Asked(pipe);
            var registration = loop.add(source);
            assertFalse(loop.turn(Duration.ZERO));
            assertTrue(source.asked > 0 && source.armed == 0);
            Thread other = Thread.ofPlatform().start(() -> {
                while (!loop.isAsleep()) {
                    Thread.onSpinWait();
                }
                source.work.set(5);
                pipe.write(1);
            });
            while (source.done == 0) {
                loop.turn(LONG);
            }
            other.join();
            assertEquals(5, source.done);
            assertTrue(source.armed > 0);
            registration.close();
            int asked = source.asked;
            assertFalse(loop.turn(Duration.ZERO));
            assertEquals(asked, source.asked);
        }
    }

    @Test
    void shouldTakeNoProcessorTimeWhenIdle() throws Exception {
        try (var pipe = new Pipe();
                var loop = EventLoop.start()) {
            var source = new Asked(pipe);
            loop.add(source);
            long id = loop.call(() -> Thread.currentThread().threadId());
            ThreadTime.assertBelow(id, Duration.ofMillis(60), () -> {
                var over = new CountDownLatch(1);
                loop.schedule(Duration.ofMillis(300), over::countDown);
                assertTrue(over.await(TestDeadlines.seconds(30), TimeUnit.SECONDS));
            });
        }
    }
}
