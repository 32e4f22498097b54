// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.loop;

import dev.isthmus.internal.EventSource;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.WatchedDescriptors;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/**
 * Serves many things on one thread: connection events, completions, UCX workers, other file descriptors, timers, and
 * tasks from other threads. The thread handles what is ready, and sleeps while nothing is.
 *
 * <p>A {@linkplain #start() started} loop has a thread of its own until it is closed:
 *
 * {@snippet :
 * try (var loop = EventLoop.start();
 *         var worker = context.createWorker(loop, config -> {})) { // belongs to the loop's thread
 *     UcpEndpoint endpoint = loop.call(() -> worker.createEndpoint(address));
 *     loop.submitAsync(() -> endpoint.tagSendAsync(buffer, 7)).join();
 *     loop.submitAsync(() -> endpoint.closeAsync()).join();
 * }
 * }
 *
 * <p>An {@linkplain #open() opened} loop runs on a thread of the program, by itself or as part of another loop:
 *
 * {@snippet :
 * try (var loop = EventLoop.open()) {
 *     loop.add(channel, event -> server.onEvent(event)); // hundreds of connections on one channel
 *     loop.add(completions, queue -> server.onCompletions(queue));
 *     loop.schedule(Duration.ofSeconds(10), server::dropIdle);
 *     loop.run(); // until another thread, or a handler, calls stop()
 * }
 * }
 *
 * <p>Handlers, timers and tasks run one after another on the thread that runs the loop. That thread owns the objects
 * they use, such as queue pairs. While one of them blocks, the others wait. None of them may run the loop that calls
 * it. An exception ends the turn, and the next turn handles the rest. Any thread may call {@link #add},
 * {@link #schedule}, {@link #execute}, {@link #submit}, {@link #submitAsync}, {@link #call}, {@link #wakeup} and
 * {@link #stop}.
 */
public final class EventLoop implements Executor, AutoCloseable {

    /** The most tasks and timers of one turn, so that an endless supply of them does not starve sources. */
    private static final int FAIR_SHARE = 64;

    /** While polled sources keep the loop busy, one turn in this many looks at descriptors. */
    private static final int DESCRIPTOR_CHECK_INTERVAL = 16;

    private static final AtomicLong NUMBERS = new AtomicLong();

    static {
        Natives.of(EventLoop.class)
                .exposes(Lifetime.class, loop -> loop.lifetime)
                .exposes(Executor.class, loop -> loop::executeUnbounded);
    }

    private final EventLoopConfig config;
    private final Lifetime lifetime = new Lifetime("EventLoop", "" + NUMBERS.incrementAndGet());
    private final WatchedDescriptors descriptors = new WatchedDescriptors(lifetime);
    private final Sources sources = new Sources(descriptors, () -> isStopping());
    private final Timers timers = new Timers();
    private final Tasks tasks;
    private final AtomicReference<Thread> turning = new AtomicReference<>(); // null if no thread turns it
    private final Thread thread; // null if the program turns it
    private volatile boolean stopped;
    private volatile boolean woken;
    private volatile boolean asleep; // or about to be
    private int turns; // used by the turning thread only

    private EventLoop(EventLoopConfig config, boolean started) {
        this.config = config;
        this.tasks = new Tasks(this, config.maxTasks());
        this.thread = started ? Lifetime.orDestroy(this::newThread, this::end) : null;
    }

    private Thread newThread() {
        Thread made = config.threads().newThread(this::runUntilClosed);
        return Objects.requireNonNull(made, "the factory of EventLoopConfig.thread made no thread");
    }

    /**
     * Starts a loop with a thread of its own, which serves until the loop is closed.
     *
     * @return the loop, which the caller closes
     * @throws dev.isthmus.VerbsException if the process has too many open files
     */
    public static EventLoop start() {
        return start(config -> {});
    }

    /**
     * Starts a loop with a thread of its own, which serves until the loop is closed. Interrupting that thread does not
     * end it.
     *
     * @param configurer sets what differs from the defaults
     * @return the loop, which the caller closes
     * @throws dev.isthmus.VerbsException if the process has too many open files
     */
    public static EventLoop start(Consumer<EventLoopConfig> configurer) {
        var config = new EventLoopConfig();
        config.filling.by(configurer, config);
        var loop = new EventLoop(config, true);
        return Lifetime.orDestroy(
                () -> {
                    loop.thread.start();
                    return loop;
                },
                loop::end);
    }

    /**
     * Opens a loop that the program runs by {@link #run} or {@link #turn}.
     *
     * @return the loop, which the caller closes
     * @throws dev.isthmus.VerbsException if the process has too many open files
     */
    public static EventLoop open() {
        return open(config -> {});
    }

    /**
     * Opens a loop that the program runs by {@link #run} or {@link #turn}.
     *
     * @param configurer sets what differs from the defaults
     * @return the loop, which the caller closes
     * @throws IllegalArgumentException if it sets an option that needs a thread of the loop's own
     * @throws dev.isthmus.VerbsException if the process has too many open files
     */
    public static EventLoop open(Consumer<EventLoopConfig> configurer) {
        var config = new EventLoopConfig();
        config.filling.by(configurer, config);
        config.checkThreadless();
        return new EventLoop(config, false);
    }

    /**
     * Serves a source of events, such as an event channel or a completion channel. If the source is an object of
     * Isthmus, it cannot be closed meanwhile; the handler may close the registration and then the source. Other threads
     * may take events from it, too.
     *
     * @param <E> its events
     * @param source the source
     * @param handler called with each event. For a {@link dev.isthmus.verbs.CompletionChannel} it asks the queue for
     *     the next event, and then polls until the queue is empty
     * @return the registration; closing it ends the service
     * @throws IllegalStateException if this or the source is closed
     */
    public <E> Registration add(Source<E> source, Consumer<? super E> handler) {
        Objects.requireNonNull(handler, "handler");
        lifetime.check();
        String what = source.getClass().getSimpleName();
        EventSource own = Natives.partOrNull(source, EventSource.class);
        return sources.add(what, source.fileDescriptor(), over -> handleSome(source, handler, over), own);
    }

    private static <E> int handleSome(Source<E> source, Consumer<? super E> handler, BooleanSupplier over) {
        int handled = 0;
        while (handled < Sources.FAIR_SHARE && !(handled > 0 && over.getAsBoolean())) {
            E event = source.poll();
            if (event == null) {
                break;
            }
            handler.accept(event);
            handled++;
        }
        return handled;
    }

    /**
     * Serves a file descriptor.
     *
     * @param fileDescriptor its number; keep it open until the registration or this is closed
     * @param handler called on each turn that finds it readable, or in error
     * @return the registration; closing it ends the service
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.VerbsException if epoll cannot watch it, as with files, or watches it already
     */
    public Registration add(int fileDescriptor, Runnable handler) {
        Objects.requireNonNull(handler, "handler");
        lifetime.check();
        ToIntFunction<BooleanSupplier> handle = over -> {
            handler.run();
            return 1;
        };
        return sources.add("fd", fileDescriptor, handle, null);
    }

    /**
     * Serves something that has to be polled on each turn. While the loop has one, it spins before it sleeps: see
     * {@link EventLoopConfig#spin}.
     *
     * @param source polled on the thread that runs this
     * @return the registration; closing it ends the service
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.VerbsException if its descriptor cannot be watched
     */
    public Registration add(Polled source) {
        lifetime.check();
        return sources.add(source);
    }

    /**
     * Runs a task once, later, on the loop's thread. An exception of the task ends the turn.
     *
     * @param delay the least time until it runs
     * @param task what to run
     * @return the timer, by which it can be cancelled
     * @throws IllegalStateException if this is closed
     */
    public Timer schedule(Duration delay, Runnable task) {
        Objects.requireNonNull(task, "task");
        lifetime.check();
        long nanos = Math.min(nanos(delay), Long.MAX_VALUE / 2); // so that compared times are never further apart
        Timer timer = timers.add(System.nanoTime() + nanos, task);
        if (timers.isNext(timer)) {
            wakeFromSleep();
        }
        return timer;
    }

    /**
     * Queues a task for the loop's thread. Tasks from one thread run in their order. An exception of the task ends the
     * turn. Costs an allocation and, if the loop sleeps, a system call.
     *
     * @param task what to run
     * @throws RejectedExecutionException if this is closed, or {@link EventLoopConfig#maxTasks} tasks are waiting
     */
    @Override
    public void execute(Runnable task) {
        tasks.add(Objects.requireNonNull(task, "task"));
        wakeFromSleep();
    }

    /** Queues a task of an object of this library, however many tasks are waiting. */
    private void executeUnbounded(Runnable task) {
        tasks.addLast(task);
        wakeFromSleep();
    }

    /**
     * Queues a task for the loop's thread, and returns its result as a future.
     *
     * @param <T> what the task returns
     * @param task what to run
     * @return completed on the loop's thread with what the task returned or threw. If you cancel it before the task has
     *     begun, the task does not run
     * @throws RejectedExecutionException if this is closed, or {@link EventLoopConfig#maxTasks} tasks are waiting
     */
    public <T> CompletableFuture<T> submit(Callable<? extends T> task) {
        Objects.requireNonNull(task, "task");
        return submitAsync(() -> CompletableFuture.completedFuture(task.call()));
    }

    /**
     * Queues a task for the loop's thread, and completes a future when it has run.
     *
     * @param task what to run
     * @return completed on the loop's thread, with the task's exception if it threw one. If you cancel it before the
     *     task has begun, the task does not run
     * @throws RejectedExecutionException if this is closed, or {@link EventLoopConfig#maxTasks} tasks are waiting
     */
    public CompletableFuture<Void> submit(Runnable task) {
        return submit(Executors.callable(task, (Void) null));
    }

    /**
     * Begins an operation, such as {@link dev.isthmus.ucx.UcpEndpoint#tagSendAsync}, on the loop's thread.
     *
     * <p>The returned future completes when the task's future does. If that is a future of Isthmus, UCX then no longer
     * uses the buffer. Cancelling or completing the returned future, or a timeout of it, asks the same of the task's
     * future: see {@link dev.isthmus.ucx.UcpRequests#whenDone}. If the loop has not started the task yet, the future
     * completes at once, and the task does not run.
     *
     * @param <T> the type of its result
     * @param task begins an operation, and returns its future
     * @return completed on the loop's thread as the task's future is, or with what the task threw
     * @throws RejectedExecutionException if this is closed, or {@link EventLoopConfig#maxTasks} tasks are waiting
     */
    public <T> CompletableFuture<T> submitAsync(Callable<? extends CompletableFuture<T>> task) {
        var future = new TaskFuture<T>(this, Objects.requireNonNull(task, "task"));
        execute(future);
        return future;
    }

    /**
     * Runs a task on the loop's thread and waits for its result. Runs it on the calling thread at once if that is the
     * loop's thread, or if no thread runs the loop yet. Blocks.
     *
     * @param <T> what the task returns
     * @param task what to run; this throws what the task throws
     * @return what the task returned
     * @throws RejectedExecutionException if this is closed, or {@link EventLoopConfig#maxTasks} tasks are waiting
     */
    public <T> T call(Supplier<? extends T> task) {
        if (isCurrent() || (thread == null && turning.get() == null)) {
            return task.get();
        }
        CompletableFuture<T> result = submit(task::get);
        try {
            return result.join();
        } catch (CompletionException e) {
            throw unchecked(e.getCause());
        }
    }

    static RuntimeException unchecked(Throwable t) {
        return switch (t) {
            case RuntimeException e -> e;
            case Error e -> throw e;
            default -> throw new AssertionError("not thrown by what the loop calls", t);
        };
    }

    /**
     * Whether the caller is the loop's own thread, or the thread that runs it now.
     *
     * @return whether it is
     */
    public boolean isCurrent() {
        return Thread.currentThread().equals(thread != null ? thread : turning.get());
    }

    /**
     * Handles what is ready; if nothing is, first waits for something. It handles a bounded number of tasks, of
     * descriptors, and of events from each source; the next turn goes on from there. If handlers of descriptors or sources
     * throw, the first exception leaves this call once all that were ready have been handled, with the others suppressed
     * in it.
     *
     * @param timeout how long to wait; zero or less does not wait
     * @return whether anything was handled
     * @throws InterruptedException if the thread is interrupted before or while it waits; no event is lost
     * @throws IllegalStateException if this is closed, before or meanwhile; or if a turn is under way, on another
     *     thread or because a handler calls this
     */
    public boolean turn(Duration timeout) throws InterruptedException {
        beginTurn();
        try {
            return handleOrAwait(nanos(timeout));
        } finally {
            turning.set(null);
        }
    }

    private void beginTurn() {
        Thread other = turning.compareAndExchange(null, Thread.currentThread());
        if (other != null) {
            throw new IllegalStateException(this + " is in a turn of " + other.getName()
                    + " already: let one thread turn it, and let its handlers return");
        }
    }

    private boolean handleOrAwait(long nanos) throws InterruptedException {
        boolean anyPolled = sources.anyPolled();
        boolean look = !anyPolled || ++turns % DESCRIPTOR_CHECK_INTERVAL == 0;
        if (handle(look)) {
            return true;
        }
        long spin = Math.min(nanos, config.spinNanos(anyPolled));
        if (spin > 0 && handleWithin(spin)) {
            return true;
        }
        if (nanos > spin) {
            sleep(nanos == Long.MAX_VALUE ? nanos : nanos - spin);
        } else if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return handle(true);
    }

    private boolean handle(boolean look) {
        boolean any = timers.run(FAIR_SHARE);
        any |= tasks.run(FAIR_SHARE);
        if (thread != null && tasks.hasEnded()) {
            return true; // the last one has just ended
        }
        any |= sources.poll();
        return (look && sources.handleReady()) || any;
    }

    private boolean handleWithin(long nanos) {
        long begin = System.nanoTime();
        for (int i = 1; !isStopping() && !woken && System.nanoTime() - begin < nanos; i++) {
            Thread.onSpinWait();
            if (handle(i % DESCRIPTOR_CHECK_INTERVAL == 0)) {
                return true;
            }
        }
        return false;
    }

    private void sleep(long nanos) throws InterruptedException {
        asleep = true;
        try {
            if (tasks.isEmpty() && !woken && !isStopping() && sources.arm()) {
                long most = sources.longestSleep(Math.min(nanos, timers.nanosLeft()));
                descriptors.await(duration(most));
            } else if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        } finally {
            asleep = false;
            woken = false;
        }
    }

    /**
     * Runs turn after turn until {@link #stop} is called.
     *
     * @throws InterruptedException if the thread is interrupted before or while it waits; no event is lost
     * @throws IllegalStateException as {@link #turn} does
     */
    public void run() throws InterruptedException {
        lifetime.check(); // also if it was stopped before
        beginTurn();
        try {
            while (!isStopping()) {
                handleOrAwait(Long.MAX_VALUE);
            }
            stopped = false;
        } finally {
            turning.set(null);
        }
    }

    /**
     * Ends {@link #run} after the event that is being handled. If no run is under way, it ends the next one at once. A
     * {@linkplain #start started} loop goes on; only {@link #close} ends it.
     */
    public void stop() {
        stopped = true;
        wakeFromSleep();
    }

    /** Ends the current wait of the thread that runs this, or else its next wait. */
    public void wakeup() {
        woken = true;
        wakeFromSleep();
    }

    private void wakeFromSleep() {
        if (asleep) {
            descriptors.wakeup();
        }
    }

    private boolean isStopping() {
        return stopped || tasks.isClosing();
    }

    private void runUntilClosed() {
        while (!tasks.hasEnded()) {
            try {
                run();
                if (tasks.isClosing()) {
                    tasks.closing(false);
                    end();
                }
            } catch (InterruptedException e) {
                assert e != null; // only close() ends it
            } catch (Throwable t) {
                report(t);
            }
        }
        boolean more = true;
        while (more) { // tasks may arrive while it ends
            try {
                more = tasks.run(Integer.MAX_VALUE);
            } catch (Throwable t) {
                report(t);
            }
        }
    }

    private void report(Throwable t) {
        try {
            config.exceptionHandler().accept(t);
        } catch (Throwable ignored) {
            // No caller is left to tell.
        }
    }

    /**
     * Closes the loop, and stops serving everything. Does nothing the second time.
     *
     * <p>A {@linkplain #start started} loop first runs the tasks that it was given before. The call blocks until the
     * loop's thread has ended. On that thread itself it does not block: the loop then ends after the current task or
     * handler. An {@linkplain #open opened} loop runs no more tasks, and their futures complete with a
     * RejectedExecutionException. A thread that is running such a loop gets an IllegalStateException.
     *
     * @throws IllegalStateException if workers that belong to it are open; the message says how many, and the loop goes
     *     on. If its own thread makes the call, the exception goes to {@link EventLoopConfig#exceptionHandler}
     */
    @Override
    public void close() {
        if (thread == null) {
            end();
            tasks.reject();
        } else if (isCurrent()) {
            tasks.closing(!tasks.hasEnded()); // if it has ended, earlier tasks must still run
        } else {
            endOnItsThread();
            join();
        }
    }

    private void endOnItsThread() {
        var closed = new CompletableFuture<Void>();
        try {
            tasks.addLast(() -> {
                try {
                    end();
                    stopped = true;
                    closed.complete(null);
                } catch (Throwable t) {
                    closed.completeExceptionally(t);
                }
            });
            wakeFromSleep();
            closed.join();
        } catch (RejectedExecutionException e) {
            assert e != null; // it is closed already, or its thread is ending
        } catch (CompletionException e) {
            throw unchecked(e.getCause());
        }
    }

    private synchronized void end() {
        lifetime.close(() -> {
            descriptors.close();
            sources.release();
            timers.clear();
            tasks.end();
        });
    }

    private void join() {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether its thread sleeps, or is about to. */
    boolean isAsleep() {
        return asleep;
    }

    /** Nanoseconds; 0 if it is negative, {@link Long#MAX_VALUE} if it is longer than 292 years. */
    static long nanos(Duration time) {
        return Math.max(0, TimeUnit.NANOSECONDS.convert(time));
    }

    static Duration duration(long nanos) {
        return nanos == Long.MAX_VALUE ? EventSource.FOREVER : Duration.ofNanos(nanos);
    }

    /** The class and a number. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
