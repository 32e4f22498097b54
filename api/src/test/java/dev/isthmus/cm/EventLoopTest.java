// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.internal.EventSource;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.loop.EventLoop;
import dev.isthmus.testbed.TestDeadlines;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
@Tag("iwarp")
class EventLoopTest {

    private static final Duration SOON = Duration.ofMillis(20);
    private static final Duration DEADLINE = TestDeadlines.ofSeconds(30);

    @Test
    void shouldRunWhatOthersAskForUntilItIsStopped() throws InterruptedException {
        var ran = new ArrayList<Thread>();
        try (var loop = EventLoop.open()) {
            assertFalse(loop.turn(SOON));
            Thread other = Thread.ofPlatform()
                    .start(() -> loop.execute(() -> {
                        ran.add(Thread.currentThread());
                        loop.stop();
                    }));
            loop.run();
            other.join();
            assertEquals(List.of(Thread.currentThread()), ran);
        }
    }

    @Test
    void shouldHandEachEventToItsChannelsHandler() throws InterruptedException {
        var first = new ArrayList<CmEvent>();
        var second = new ArrayList<CmEvent>();
        try (var a = EventChannel.open();
                var b = EventChannel.open();
                var loop = EventLoop.open();
                var id = a.createId(PortSpace.TCP);
                var other = b.createId(PortSpace.TCP)) {
            loop.add(a, first::add);
            loop.add(b, second::add);
            var to = new InetSocketAddress(Rendezvous.far(), 1);
            id.resolveAddress(to, Duration.ofSeconds(1));
            other.resolveAddress(to, Duration.ofSeconds(1));
            long end = System.nanoTime() + DEADLINE.toNanos();
            while ((first.isEmpty() || second.isEmpty()) && System.nanoTime() < end) {
                loop.turn(DEADLINE);
            }
            assertSame(id, first.getFirst().id());
            assertSame(other, second.getFirst().id());
        }
    }

    /** The kernel does not wake threads that watch a channel when events come with a migrated connection. */
    @Test
    void shouldHandleAnEventThatCameWithItsConnection() throws InterruptedException {
        var events = new ArrayBlockingQueue<CmEvent>(2);
        try (var from = EventChannel.open();
                var to = EventChannel.open();
                var loop = EventLoop.open();
                var id = from.createId(PortSpace.TCP)) {
            loop.add(to, events::add);
            id.resolveAddress(new InetSocketAddress(Rendezvous.far(), 1), Duration.ofSeconds(1));
            var arrived = new EventSource(new Lifetime("EventSource", "of the test"), from.fileDescriptor());
            assertTrue(arrived.awaitReadable(DEADLINE));
            arrived.shut();
            Thread turns = Thread.ofPlatform().start(() -> assertDoesNotThrow(loop::run));
            id.migrate(to);
            CmEvent event = events.poll(DEADLINE.toSeconds(), TimeUnit.SECONDS);
            loop.stop();
            turns.join();
            assertNotNull(event, "the loop did not look");
            assertSame(id, event.id());
        }
    }

    /** The handler of such an event turned the loop, which then no longer knew for which channel that was. */
    @Test
    void shouldNotBeTurnedByTheHandlerOfAnEventThatCameWithItsConnection() throws InterruptedException {
        var refusals = new ArrayList<String>();
        try (var from = EventChannel.open();
                var to = EventChannel.open();
                var loop = EventLoop.open();
                var id = from.createId(PortSpace.TCP)) {
            loop.add(
                    to,
                    event -> refusals.add(assertThrows(IllegalStateException.class, () -> loop.turn(SOON))
                            .getMessage()));
            id.resolveAddress(new InetSocketAddress(Rendezvous.far(), 1), Duration.ofSeconds(1));
            var arrived = new EventSource(new Lifetime("EventSource", "of the test"), from.fileDescriptor());
            assertTrue(arrived.awaitReadable(DEADLINE));
            arrived.shut();
            id.migrate(to);
            assertTrue(loop.turn(DEADLINE));
            assertEquals(1, refusals.size());
            assertTrue(refusals.getFirst().contains("in a turn of"), refusals.getFirst());
        }
    }

    @Test
    void shouldNeedAHandler() {
        try (var channel = EventChannel.open();
                var loop = EventLoop.open()) {
            assertThrows(NullPointerException.class, () -> loop.add(channel, null));
            loop.add(channel, event -> {});
        }
    }

    @Test
    void shouldKeepItsChannelsOpen() {
        try (var channel = EventChannel.open()) {
            try (var loop = EventLoop.open()) {
                loop.add(channel, event -> {});
                var e = assertThrows(IllegalStateException.class, channel::close);
                assertTrue(e.getMessage().contains("1 EventLoop"), e.getMessage());
            }
        }
    }

    @Test
    void shouldLetGoOfAChannel() throws InterruptedException {
        var events = new ArrayList<CmEvent>();
        try (var loop = EventLoop.open();
                var channel = EventChannel.open()) {
            var registration = loop.add(channel, events::add);
            try (var id = channel.createId(PortSpace.TCP)) {
                id.resolveAddress(new InetSocketAddress(Rendezvous.far(), 1), Duration.ofSeconds(1));
                registration.close();
                registration.close();
                assertNotNull(channel.await(DEADLINE), "the loop has it no more");
                assertFalse(loop.turn(SOON));
            }
            assertTrue(events.isEmpty());
        }
    }

    @Test
    void shouldGoOnWhenAHandlerHasThrown() throws InterruptedException {
        EventLoop loop = EventLoop.open();
        loop.execute(() -> {
            throw new IllegalArgumentException("of the handler");
        });
        loop.execute(loop::stop);
        assertThrows(IllegalArgumentException.class, () -> loop.turn(DEADLINE));
        loop.run();
        loop.close();
        loop.close();
        assertThrows(IllegalStateException.class, () -> loop.turn(SOON));
        assertThrows(RejectedExecutionException.class, () -> loop.execute(() -> {}));
        loop.stop();
    }
}
