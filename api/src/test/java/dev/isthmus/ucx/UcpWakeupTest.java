// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.internal.EventSource;
import dev.isthmus.internal.Lifetime;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("ucx")
class UcpWakeupTest {

    private static final Duration DEADLINE = Duration.ofSeconds(UcxTransports.DEADLINE_SECONDS);

    private static Consumer<UcpContextConfig> with(String tls) {
        return config -> config.set("TLS", tls).features(EnumSet.of(UcpFeature.TAG, UcpFeature.WAKEUP));
    }

    /** The work of a thread with a worker of its own. */
    private interface Body {
        void run(UcpWorker worker) throws InterruptedException;
    }

    /** Runs on a thread that creates, uses and closes a worker. */
    private static CompletableFuture<Void> onWorker(
            UcpContext context, CompletableFuture<UcpWorker> made, boolean virtual, Body body) {
        var ended = new CompletableFuture<Void>();
        Runnable task = () -> {
            try (var worker = context.createWorker()) {
                made.complete(worker);
                body.run(worker);
            } catch (Throwable t) {
                made.completeExceptionally(t);
                ended.completeExceptionally(t);
            }
            ended.complete(null); // unless it has failed
        };
        Thread thread = (virtual ? Thread.ofVirtual() : Thread.ofPlatform()).unstarted(task);
        thread.start();
        return ended;
    }

    private static void end(CompletableFuture<?> future) throws Exception {
        future.get(UcxTransports.DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    private static void sleepUntilDone(UcpWorker worker, long request) throws InterruptedException {
        while (!worker.requests().isDone(request)) {
            if (worker.progress() == 0) {
                assertTrue(worker.wakeup().await(DEADLINE), "nothing came");
            }
        }
        assertEquals(UcsStatus.OK, worker.requests().status(request));
        worker.requests().release(request);
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldSleepUntilMessagesCome(String tls) throws Exception {
        try (var context = UcpContext.create(with(tls));
                var worker = context.createWorker();
                var arena = Arena.ofShared()) {
            var address = worker.address();
            var made = new CompletableFuture<UcpAddress>();
            var echo = onWorker(context, new CompletableFuture<>(), false, peer -> {
                made.complete(peer.address());
                try (var back = peer.createEndpoint(address)) {
                    MemorySegment buffer = arena.allocate(100_000);
                    for (int i = 0; i < 50; i++) {
                        sleepUntilDone(peer, peer.tagReceive(buffer, i));
                        sleepUntilDone(peer, back.tagSend(buffer, i));
                    }
                    sleepUntilDone(peer, back.flush());
                }
            });
            try (var there = worker.createEndpoint(made.get(UcxTransports.DEADLINE_SECONDS, TimeUnit.SECONDS))) {
                for (int i = 0; i < 50; i++) {
                    long size = i % 2 == 0 ? 8 : 100_000;
                    long receive = worker.tagReceive(arena.allocate(100_000), i);
                    sleepUntilDone(worker, there.tagSend(arena.allocate(size), i));
                    sleepUntilDone(worker, receive);
                }
                UcxTransports.until(echo::isDone, worker::progress);
                end(echo);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldEndWaitWhenTimeIsOver(String tls) throws InterruptedException {
        try (var context = UcpContext.create(with(tls));
                var worker = context.createWorker()) {
            long begin = System.nanoTime();
            boolean[] over = {false};
            UcxTransports.until(() -> over[0], () -> {
                worker.progress();
                over[0] = !await(worker, Duration.ofMillis(20));
            });
            assertTrue(System.nanoTime() - begin >= 20_000_000);
            UcxTransports.until(() -> worker.wakeup().arm(), worker::progress);
            assertFalse(worker.wakeup().await(Duration.ZERO));
            assertFalse(worker.wakeup().await(Duration.ofSeconds(-1)));
        }
    }

    private static boolean await(UcpWorker worker, Duration timeout) {
        try {
            return worker.wakeup().await(timeout);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void sleepForEver(UcpWorker worker, Runnable beforeSleep) throws InterruptedException {
        while (true) {
            worker.progress();
            beforeSleep.run();
            worker.wakeup().await(UcpWakeup.FOREVER);
        }
    }

    @Test
    void shouldEndWaitWhenInterrupted() throws Exception {
        for (boolean virtual : new boolean[] {false, true}) {
            try (var context = UcpContext.create(with(UcxTransports.any()))) {
                var thread = new CompletableFuture<Thread>();
                var ended = onWorker(
                        context,
                        new CompletableFuture<>(),
                        virtual,
                        worker -> sleepForEver(worker, () -> thread.complete(Thread.currentThread())));
                thread.get(UcxTransports.DEADLINE_SECONDS, TimeUnit.SECONDS).interrupt();
                var e = assertThrows(Exception.class, () -> end(ended));
                assertInstanceOf(InterruptedException.class, e.getCause());
            }
        }
    }

    @Test
    void shouldEndWaitWhenSignalled() throws Exception {
        try (var context = UcpContext.create(with(UcxTransports.any()))) {
            for (int i = 0; i < 20; i++) {
                var made = new CompletableFuture<UcpWorker>();
                var stop = new AtomicBoolean();
                var ended = onWorker(context, made, i % 2 == 0, worker -> {
                    while (!stop.get()) {
                        worker.progress();
                        worker.wakeup().await(UcpWakeup.FOREVER);
                    }
                });
                UcpWorker worker = made.get(UcxTransports.DEADLINE_SECONDS, TimeUnit.SECONDS);
                stop.set(true);
                try {
                    worker.wakeup().signal();
                } catch (IllegalStateException e) {
                    assertTrue(e.getMessage().endsWith("is closed"), e.getMessage()); // it saw stop before
                }
                end(ended);
                assertThrows(IllegalStateException.class, worker.wakeup()::signal);
            }
        }
    }

    @Test
    void shouldRefuseCloseOnOtherThreadWhileOwnerWaits() throws Exception {
        try (var context = UcpContext.create(with(UcxTransports.any()))) {
            var made = new CompletableFuture<UcpWorker>();
            var stop = new AtomicBoolean();
            var ended = onWorker(context, made, false, worker -> {
                while (!stop.get()) {
                    worker.progress();
                    worker.wakeup().await(UcpWakeup.FOREVER);
                }
            });
            UcpWorker worker = made.get(UcxTransports.DEADLINE_SECONDS, TimeUnit.SECONDS);
            assertThrows(WrongThreadException.class, worker::close);
            assertThrows(WrongThreadException.class, () -> worker.wakeup().await(Duration.ZERO));
            assertThrows(WrongThreadException.class, () -> worker.wakeup().arm());
            assertThrows(WrongThreadException.class, () -> worker.wakeup().fileDescriptor());
            stop.set(true);
            worker.wakeup().signal();
            end(ended);
        }
    }

    @Test
    void shouldHaveDescriptorThatIsReadableAfterSignal() throws InterruptedException {
        try (var context = UcpContext.create(with(UcxTransports.any()));
                var worker = context.createWorker(config ->
                        config.wakeupEvents(EnumSet.of(UcpWakeupEvent.TAG_RECEIVE, UcpWakeupEvent.TAG_SEND)))) {
            var source = new EventSource(
                    new Lifetime("Descriptor", "of a worker"), worker.wakeup().fileDescriptor());
            UcxTransports.until(() -> worker.wakeup().arm(), worker::progress);
            assertFalse(source.awaitReadable(Duration.ZERO));
            worker.wakeup().signal();
            assertTrue(source.awaitReadable(DEADLINE));
            assertFalse(worker.wakeup().arm(), "there is something to progress");
            source.shut();
        }
    }

    @Test
    void shouldRefuseWithoutTheFeature() {
        try (var pair = new UcpPair(UcxTransports.any())) {
            var e = assertThrows(IllegalStateException.class, pair.sender::wakeup);
            assertTrue(e.getMessage().endsWith("was made without UcpFeature.WAKEUP"), e.getMessage());
        }
        var config = new UcpWorkerConfig();
        assertThrows(IllegalArgumentException.class, () -> config.wakeupEvents(EnumSet.noneOf(UcpWakeupEvent.class)));
    }
}
