// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.Descriptors;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
@Tag("iwarp")
class EventChannelTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    /** Runs an await on a thread of its own, and reports how it ended. */
    private static BlockingQueue<Object> waiting(EventChannel channel, Thread[] thread) {
        var outcome = new ArrayBlockingQueue<Object>(1);
        thread[0] = Thread.ofPlatform().start(() -> {
            try {
                outcome.add(channel.await());
            } catch (InterruptedException | RuntimeException e) {
                outcome.add(e);
            }
        });
        return outcome;
    }

    private static void awaitWaiting(Thread thread) throws InterruptedException {
        for (int i = 0; !inPoll(thread); i++) {
            assertTrue(i < 3000 && thread.isAlive(), "it does not wait");
            Thread.sleep(10); // until it is in C, which nothing reports
        }
    }

    private static boolean inPoll(Thread thread) {
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (frame.getMethodName().equals("poll")) {
                return true;
            }
        }
        return false;
    }

    @Test
    void shouldReturnNoEventWhenThereIsNone() throws InterruptedException {
        try (var channel = EventChannel.open()) {
            assertNull(channel.poll());
            assertNull(channel.await(Duration.ofMillis(20)));
            assertNull(channel.await(Duration.ZERO));
            assertFalse(Descriptors.isReadable(channel.fileDescriptor(), 0));
        }
    }

    @Test
    void shouldBePolledByItsDescriptor() throws InterruptedException {
        try (var channel = EventChannel.open();
                var id = channel.createId(PortSpace.TCP)) {
            id.resolveAddress(new InetSocketAddress(Rendezvous.far(), 1), TIMEOUT);
            assertTrue(Descriptors.isReadable(channel.fileDescriptor(), 30_000));
            assertSame(id, channel.poll().id());
            assertFalse(Descriptors.isReadable(channel.fileDescriptor(), 0));
        }
    }

    @Test
    void shouldEndAWaitWhenClosed() throws InterruptedException {
        var thread = new Thread[1];
        EventChannel channel = EventChannel.open();
        BlockingQueue<Object> outcome = waiting(channel, thread);
        awaitWaiting(thread[0]);
        channel.close();
        assertInstanceOf(IllegalStateException.class, outcome.poll(TestDeadlines.seconds(30), TimeUnit.SECONDS));
        channel.close();
        assertThrows(IllegalStateException.class, channel::poll);
        assertThrows(IllegalStateException.class, channel::fileDescriptor);
        assertThrows(IllegalStateException.class, () -> channel.createId(PortSpace.TCP));
    }

    @Test
    void shouldBeInterruptible() throws InterruptedException {
        var thread = new Thread[1];
        try (var channel = EventChannel.open()) {
            BlockingQueue<Object> outcome = waiting(channel, thread);
            awaitWaiting(thread[0]);
            thread[0].interrupt();
            assertInstanceOf(InterruptedException.class, outcome.poll(TestDeadlines.seconds(30), TimeUnit.SECONDS));
        }
    }

    @Test
    void shouldStayOpenWhileThereAreConnections() {
        try (var channel = EventChannel.open()) {
            try (var id = channel.createId(PortSpace.TCP);
                    var other = channel.createId(PortSpace.UDP)) {
                var e = assertThrows(IllegalStateException.class, channel::close);
                assertTrue(e.getMessage().endsWith("close first its 2 ConnectionId"), e.getMessage());
                assertSame(channel, id.channel());
                assertEquals(PortSpace.UDP, other.portSpace());
            }
        }
    }

    @Test
    void shouldRefuseAnUnknownPortSpace() {
        try (var channel = EventChannel.open()) {
            assertThrows(IllegalArgumentException.class, () -> channel.createId(PortSpace.UNKNOWN));
        }
    }

    @Test
    void shouldGiveEachEventToOneOfManyThreads() throws InterruptedException {
        int n = 40;
        var taken = new ArrayBlockingQueue<ConnectionId>(2 * n);
        try (var meeting = new Rendezvous()) {
            var threads = new Thread[4];
            for (int i = 0; i < threads.length; i++) {
                threads[i] = Thread.ofPlatform().start(() -> {
                    try {
                        while (true) {
                            taken.add(meeting.channel.await().id());
                        }
                    } catch (InterruptedException e) {
                        return;
                    }
                });
            }
            InetSocketAddress to = new InetSocketAddress(Rendezvous.far(), 1);
            for (int i = 0; i < n; i++) {
                meeting.id(PortSpace.TCP).resolveAddress(to, TIMEOUT);
            }
            for (int i = 0; i < n; i++) {
                assertTrue(taken.poll(TestDeadlines.seconds(30), TimeUnit.SECONDS) != null, "event " + i);
            }
            for (Thread thread : threads) {
                thread.interrupt();
                thread.join();
            }
            assertNull(taken.poll());
        }
    }
}
