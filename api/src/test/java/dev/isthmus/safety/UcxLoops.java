// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import static dev.isthmus.safety.Action.action;

import dev.isthmus.GuardedArena;
import dev.isthmus.loop.EventLoop;
import dev.isthmus.loop.EventLoopConfig;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.ucx.UcpAddress;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpWorker;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Event loops of UCX: tasks that misbehave, whose worker others use, and closes on any thread. Each accepted task runs
 * once, and its exception is reported. A loop's endpoints lead to its own worker.
 */
final class UcxLoops {

    private static final int MOST = 3;
    private static final int MOST_ENDPOINTS = 2;
    private static final long LONGEST_SECONDS = TestDeadlines.seconds(30);
    private static final long TAG = 1L << 40; // no other worker's messages come here
    private static final Set<Reason> OF_TASKS = EnumSet.of(Reason.CLOSED, Reason.KIND, Reason.CALLBACK, Reason.DEVICE);

    /** A loop, what it created, and how many tasks it was given. */
    private static final class Loop {
        final List<UcpEndpoint> endpoints = new CopyOnWriteArrayList<>(); // changed by its thread
        final BlockingQueue<Throwable> refusedCloses = new LinkedBlockingQueue<>();
        final ReentrantLock closing = new ReentrantLock();
        final AtomicLong given = new AtomicLong();
        final AtomicLong ran = new AtomicLong();
        final AtomicLong threw = new AtomicLong();
        final AtomicLong told = new AtomicLong();
        UcpWorker worker; // the rest is set before others see this
        UcpAddress address;
        Thread thread;
    }

    /** A task's action on the loop's thread, and its expectation. */
    private interface Task {
        Object run(Loop of) throws Exception;
    }

    private final Map<EventLoop, Loop> loops = new ConcurrentHashMap<>();
    private final UcxFutures futures;

    UcxLoops(UcxFutures futures) {
        this.futures = futures;
    }

    List<Action> all() {
        return List.of(
                action("start loop", 3, this::start, Reason.KIND, Reason.DEVICE),
                action("submit to loop", 6, this::submit, Reason.KIND, Reason.CALLBACK, Reason.DEVICE, Reason.FAILED),
                action("give loop tasks", 4, this::execute),
                action("begin on loop", 4, this::begin),
                action("use loop's worker", 3, this::intrude, Reason.KIND),
                action("disturb loop", 1, this::disturb),
                action("close loop", 1, this::close),
                action("close loop by its task", 1, this::closeWithin));
    }

    /** How the future of something begun on a loop may also fail, besides the usual ways. */
    static boolean mayEnd(Throwable failure) {
        Reason reason = Reason.of(failure);
        return reason != null && OF_TASKS.contains(reason);
    }

    private void start(Worker w) throws Exception {
        if (w.countOpen(EventLoop.class) >= MOST) {
            throw new Worker.NothingThere();
        }
        Thing context = w.takeOpen(UcpContext.class);
        var of = new Loop();
        EventLoop loop = EventLoop.start(config -> configure(w, config, of));
        boolean made = false;
        try {
            of.worker = ((UcpContext) context.object)
                    .createWorker(
                            loop,
                            config -> config.closeTimeout(Duration.ofMillis(w.random.nextInt(30)))
                                    .reservedRequests(1 + w.random.nextInt(4)));
            made = true;
        } finally {
            if (!made) {
                loop.close();
            }
        }
        of.address = loop.call(of.worker::address);
        of.thread = loop.call(Thread::currentThread);
        w.made(EventLoop.class, loop, context);
        loops.put(loop, of);
    }

    private static void configure(Worker w, EventLoopConfig config, Loop of) {
        config.spin(Duration.ofNanos(w.random.nextInt(50_000))).exceptionHandler(t -> {
            if (Reason.of(t) == Reason.CALLBACK) {
                of.told.incrementAndGet();
            } else {
                of.refusedCloses.add(t);
            }
            throw new IllegalArgumentException("of the exception handler");
        });
        if (w.chance(4)) {
            config.thread(Thread.ofVirtual().factory());
        }
    }

    private Loop of(Thing loop) {
        Loop known = loops.get((EventLoop) loop.object);
        if (known == null) {
            throw new Worker.NothingThere(); // another worker is just starting it
        }
        return known;
    }

    /** The result of a future, or its exception. */
    private static <T> T get(CompletableFuture<T> future) throws Exception {
        try {
            return future.get(LONGEST_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    private void submit(Worker w) throws Exception {
        Thing loop = w.takeOpen(EventLoop.class);
        Loop of = of(loop);
        Task task = task(w);
        get(((EventLoop) loop.object).submit(() -> {
            try {
                return task.run(of);
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }));
    }

    private Task task(Worker w) {
        return switch (w.random.nextInt(9)) {
            case 0, 1 -> UcxLoops::connect;
            case 2, 3 -> UcxLoops::disconnect;
            case 4 ->
                of -> {
                    throw new IllegalStateException("of the handler");
                };
            case 5 -> of -> of.worker.wakeup().arm();
            case 6 -> {
                w.expected.must(Reason.KIND);
                Thread next = w.thread;
                yield of -> {
                    of.worker.handOver(next);
                    return null;
                };
            }
            case 7 -> of -> of.worker.wakeup().fileDescriptor();
            default -> of -> of.worker.progress();
        };
    }

    private static Object connect(Loop of) {
        if (of.endpoints.size() < MOST_ENDPOINTS) {
            of.endpoints.add(of.worker.createEndpoint(of.address));
        }
        return null;
    }

    private static Object disconnect(Loop of) {
        while (!of.endpoints.isEmpty()) {
            of.endpoints.removeFirst().close();
        }
        return null;
    }

    /** Several tasks at once, which may throw or give the loop others. */
    private void execute(Worker w) {
        Thing thing = w.takeOpen(EventLoop.class);
        Loop of = of(thing);
        EventLoop loop = (EventLoop) thing.object;
        for (int i = w.random.nextInt(4); i >= 0; i--) {
            boolean throwing = w.chance(4);
            give(loop, of, () -> {
                if (throwing) {
                    of.threw.incrementAndGet();
                    throw new IllegalStateException("of the handler");
                }
            });
        }
    }

    private static void give(EventLoop loop, Loop of, Runnable task) {
        of.given.incrementAndGet();
        boolean taken = false;
        try {
            loop.execute(() -> {
                of.ran.incrementAndGet();
                task.run();
            });
            taken = true;
        } finally {
            if (!taken) {
                of.given.decrementAndGet();
            }
        }
    }

    /** A message to itself, whose future anybody may abandon. */
    private void begin(Worker w) {
        Thing thing = w.takeOpen(EventLoop.class);
        Loop of = of(thing);
        EventLoop loop = (EventLoop) thing.object;
        Arena arena = w.chance(2) ? Arena.ofShared() : GuardedArena.ofShared();
        MemorySegment memory = arena.allocate(w.random.nextInt(8, 4000)); // which UCX copies at once
        UcxFutures.write(memory, w.random.nextLong());
        CompletableFuture<?> future = w.chance(2)
                ? loop.submitAsync(() -> of.worker.tagReceiveAsync(memory, TAG, UcpWorker.EXACT_TAG))
                : loop.submitAsync(() -> {
                    connect(of);
                    return of.endpoints.getFirst().tagSendAsync(memory, TAG);
                });
        futures.note("loop", thing, arena, memory, future);
        if (w.chance(3)) {
            future.cancel(true);
        }
    }

    /** Uses what belongs to the loop's thread from another thread. */
    private void intrude(Worker w) throws Exception {
        Thing thing = w.takeOpen(EventLoop.class);
        Loop of = of(thing);
        UcpWorker worker = of.worker;
        if (w.chance(8)) {
            worker.wakeup().signal(); // which any thread may
            return;
        }
        w.expected.must(Reason.WRONG_THREAD);
        switch (w.random.nextInt(8)) {
            case 0 -> worker.progress();
            case 1 -> worker.address();
            case 2 -> worker.createEndpoint(of.address);
            case 3 -> worker.wakeup().arm();
            case 4 -> worker.wakeup().await(Duration.ZERO);
            case 5 -> worker.handOver(Thread.currentThread());
            case 6 -> {
                var ignored = worker.closeAsync(); // done, when the loop has ended, which the next call tells
                worker.progress();
            }
            default -> {
                w.expected.may(Reason.CLOSED); // by a task
                w.any(of.endpoints).tagSend(MemorySegment.NULL, TAG);
            }
        }
    }

    private void disturb(Worker w) {
        Loop of = of(w.pick(EventLoop.class));
        of.thread.interrupt(); // which ends nothing
    }

    private void close(Worker w) throws Exception {
        Thing thing = w.pick(EventLoop.class);
        close(w, thing, () -> closeBoth(thing, of(thing)));
    }

    private static void closeBoth(Thing loop, Loop of) {
        of.worker.close();
        ((EventLoop) loop.object).close();
    }

    /** On the loop's thread, where nothing waits. */
    private static void closeBoth(EventLoop loop, Loop of) {
        try {
            var ignored = of.worker.closeAsync().whenComplete((done, failure) -> {
                if (failure == null) {
                    loop.close();
                } else {
                    of.refusedCloses.add(failure.getCause());
                }
            });
        } catch (IllegalStateException e) {
            of.refusedCloses.add(e);
        }
    }

    private void close(Worker w, Thing thing, Thing.Step step) throws Exception {
        if (!of(thing).endpoints.isEmpty()) {
            w.expected.may(Reason.IN_USE);
        }
        w.close(thing, step);
    }

    /** A task closes the loop. The caller learns of it by the end of its thread, or by the exception handler. */
    private void closeWithin(Worker w) throws Exception {
        Thing thing = w.pick(EventLoop.class);
        Loop of = of(thing);
        if (!of.closing.tryLock()) {
            throw new Worker.NothingThere(); // two closes would be reported once
        }
        try {
            EventLoop loop = (EventLoop) thing.object;
            boolean alone = w.chance(2);
            close(w, thing, () -> {
                give(loop, of, () -> {
                    if (alone) {
                        disconnect(of);
                    }
                    closeBoth(loop, of);
                });
                boolean again = giveAnother(loop, of);
                Throwable refused = awaitEnd(of);
                if (refused != null && again) {
                    refused = awaitEnd(of);
                }
                if (refused instanceof Exception e) {
                    throw e;
                }
            });
        } finally {
            of.closing.unlock();
        }
    }

    /** Gives it a task that closes it once more; returns false if it has ended meanwhile. */
    private static boolean giveAnother(EventLoop loop, Loop of) {
        try {
            give(loop, of, () -> closeBoth(loop, of));
            return true;
        } catch (RejectedExecutionException e) {
            return Reason.of(e) != Reason.REJECTED;
        }
    }

    /** Waits for the end of its thread, or the reason why it does not end. */
    private static Throwable awaitEnd(Loop of) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONGEST_SECONDS);
        while (!of.thread.join(Duration.ofMillis(1))) {
            Throwable refused = of.refusedCloses.poll();
            if (refused != null) {
                return refused;
            }
            if (System.nanoTime() - end > 0) {
                throw new AssertionError(of.thread + " neither ended nor told why");
            }
        }
        return null;
    }

    /** Closes everything, and checks whether each task has run, and whether its exception was reported. */
    void closeAll(Engine engine) {
        Worker w = engine.workers.getFirst();
        w.isThisThread(engine);
        loops.forEach((loop, of) -> {
            Thing thing = engine.world.known(loop);
            if (thing != null) {
                w.attempt(action("last close of a loop", 1, v -> closeLast(v, thing, of)));
            }
            if (of.given.get() != of.ran.get() || of.threw.get() != of.told.get()) {
                engine.fault(loop + " ran " + of.ran + " of " + of.given + " tasks, and told of " + of.told + " of "
                        + of.threw + " that threw");
            }
        });
    }

    private static void closeLast(Worker w, Thing thing, Loop of) throws Exception {
        EventLoop loop = (EventLoop) thing.object;
        get(loop.submit(() -> disconnect(of)));
        w.close(thing, () -> closeBoth(thing, of));
    }
}
