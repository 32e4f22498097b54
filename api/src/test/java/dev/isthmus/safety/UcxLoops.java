package dev.isthmus.safety;

import static dev.isthmus.safety.Action.action;

import dev.isthmus.GuardedArena;
import dev.isthmus.ucx.UcpAddress;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpEventLoop;
import dev.isthmus.ucx.UcpEventLoopConfig;
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
 * Event loops of UCX: tasks that do what they should not, whose worker others use, and closes on any thread. Each task that
 * was taken runs once, and what it throws is told. A loop's endpoints lead to its own worker.
 */
final class UcxLoops {

    private static final int MOST = 3;
    private static final int MOST_ENDPOINTS = 2;
    private static final int LONGEST_SECONDS = 30;
    private static final long TAG = 1L << 40; // no other worker's messages come here
    private static final Set<Reason> OF_TASKS = EnumSet.of(Reason.CLOSED, Reason.KIND, Reason.CALLBACK, Reason.DEVICE);

    /** A loop, what it made, and how much was given to it. */
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

    /** What a task does on the loop's thread, and the model expects of it. */
    private interface Task {
        Object run(Loop of) throws Exception;
    }

    private final Map<UcpEventLoop, Loop> loops = new ConcurrentHashMap<>();
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

    /** How the future of something begun on a loop may fail besides as others do. */
    static boolean mayEnd(Throwable failure) {
        Reason reason = Reason.of(failure);
        return reason != null && OF_TASKS.contains(reason);
    }

    private void start(Worker w) throws Exception {
        if (w.countOpen(UcpEventLoop.class) >= MOST) {
            throw new Worker.NothingThere();
        }
        Thing context = w.takeOpen(UcpContext.class);
        var of = new Loop();
        UcpEventLoop loop = UcpEventLoop.start((UcpContext) context.object, config -> configure(w, config, of));
        Thing made = w.made(UcpEventLoop.class, loop, context);
        of.worker = get(loop.submit(worker -> worker));
        of.address = get(loop.submit(UcpWorker::address));
        of.thread = get(loop.submit(worker -> Thread.currentThread()));
        loops.put((UcpEventLoop) made.object, of);
    }

    private static void configure(Worker w, UcpEventLoopConfig config, Loop of) {
        config.spin(Duration.ofNanos(w.random.nextInt(50_000)))
                .worker(worker -> worker.closeTimeout(Duration.ofMillis(w.random.nextInt(30)))
                        .reservedRequests(1 + w.random.nextInt(4)))
                .exceptionHandler(t -> {
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
        Loop known = loops.get((UcpEventLoop) loop.object);
        if (known == null) {
            throw new Worker.NothingThere(); // another worker is just starting it
        }
        return known;
    }

    /** What a future brings, or throws. */
    private static <T> T get(CompletableFuture<T> future) throws Exception {
        try {
            return future.get(LONGEST_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    private void submit(Worker w) throws Exception {
        Thing loop = w.takeOpen(UcpEventLoop.class);
        Loop of = of(loop);
        Task task = task(w, loop);
        get(((UcpEventLoop) loop.object).submit(worker -> {
            try {
                return task.run(of);
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }));
    }

    private Task task(Worker w, Thing loop) {
        return switch (w.random.nextInt(9)) {
            case 0, 1 -> UcxLoops::connect;
            case 2, 3 -> UcxLoops::disconnect;
            case 4 ->
                of -> {
                    throw new IllegalStateException("of the handler");
                };
            case 5 -> {
                w.expected.may(Reason.KIND);
                yield of -> {
                    of.worker.close(); // nothing, when the loop has ended meanwhile, which the next call tells
                    of.worker.progress();
                    throw new AssertionError(loop + " lost its worker, or had it closed in vain");
                };
            }
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

    /** Some tasks at once, which may throw or give others. */
    private void execute(Worker w) {
        Thing thing = w.takeOpen(UcpEventLoop.class);
        Loop of = of(thing);
        UcpEventLoop loop = (UcpEventLoop) thing.object;
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

    private static void give(UcpEventLoop loop, Loop of, Runnable task) {
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

    /** A message to itself, whose future anybody may give up. */
    private void begin(Worker w) {
        Thing thing = w.takeOpen(UcpEventLoop.class);
        Loop of = of(thing);
        UcpEventLoop loop = (UcpEventLoop) thing.object;
        Arena arena = w.chance(2) ? Arena.ofShared() : GuardedArena.ofShared();
        MemorySegment memory = arena.allocate(w.random.nextInt(8, 4000)); // which UCX copies at once
        UcxFutures.write(memory, w.random.nextLong());
        CompletableFuture<?> future = w.chance(2)
                ? loop.submitAsync(worker -> worker.tagReceiveAsync(memory, TAG, UcpWorker.EXACT_TAG))
                : loop.submitAsync(worker -> {
                    connect(of);
                    return of.endpoints.getFirst().tagSendAsync(memory, TAG);
                });
        futures.note("loop", thing, arena, memory, future);
        if (w.chance(3)) {
            future.cancel(true);
        }
    }

    /** What is the loop's thread's, from another. */
    private void intrude(Worker w) throws Exception {
        Thing thing = w.takeOpen(UcpEventLoop.class);
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
                worker.close(); // nothing, when the loop has ended, which the next call tells
                worker.progress();
            }
            default -> {
                w.expected.may(Reason.CLOSED); // by a task
                w.any(of.endpoints).tagSend(MemorySegment.NULL, TAG);
            }
        }
    }

    private void disturb(Worker w) {
        Loop of = of(w.pick(UcpEventLoop.class));
        of.thread.interrupt(); // which ends nothing
    }

    private void close(Worker w) throws Exception {
        Thing thing = w.pick(UcpEventLoop.class);
        close(w, thing, ((UcpEventLoop) thing.object)::close);
    }

    private void close(Worker w, Thing thing, Thing.Step step) throws Exception {
        if (!of(thing).endpoints.isEmpty()) {
            w.expected.may(Reason.IN_USE);
        }
        w.close(thing, step);
    }

    /** Its task has it closed, which it hears of by the end of its thread, or by the exception handler. */
    private void closeWithin(Worker w) throws Exception {
        Thing thing = w.pick(UcpEventLoop.class);
        Loop of = of(thing);
        if (!of.closing.tryLock()) {
            throw new Worker.NothingThere(); // two would hear of it once
        }
        try {
            UcpEventLoop loop = (UcpEventLoop) thing.object;
            boolean alone = w.chance(2);
            close(w, thing, () -> {
                give(loop, of, () -> {
                    if (alone) {
                        disconnect(of);
                    }
                    loop.close();
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

    /** A task that closes it once more; false if it has ended meanwhile. */
    private static boolean giveAnother(UcpEventLoop loop, Loop of) {
        try {
            give(loop, of, loop::close);
            return true;
        } catch (RejectedExecutionException e) {
            return Reason.of(e) != Reason.REJECTED;
        }
    }

    /** Awaits the end of its thread, or why it does not end. */
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

    /** Closes all, and looks whether each task has run, and whether what it threw was told. */
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
        UcpEventLoop loop = (UcpEventLoop) thing.object;
        get(loop.submit(worker -> disconnect(of)));
        w.close(thing, loop::close);
    }
}
