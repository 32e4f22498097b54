package dev.isthmus.ucx;

import dev.isthmus.UcxException;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A thread that owns a worker and progresses it, sleeps when it is idle, and runs what other threads give it.
 *
 * <p>The worker and all that is made from it belong to that thread: tasks make endpoints, send and receive. Futures,
 * error handlers and connection handlers run there, too. A task that blocks keeps the worker from progressing; so {@link
 * UcpEndpoint#close()} does not wait there, and {@link UcpEndpoint#closeAsync()} tells when it is over.
 *
 * {@snippet :
 * try (var loop = UcpEventLoop.start(context, config -> {})) {
 *     UcpEndpoint endpoint = loop.submit(worker -> worker.createEndpoint(address, config -> {})).join();
 *     loop.submitAsync(worker -> endpoint.tagSendAsync(buffer, 7)).join();
 *     loop.submitAsync(worker -> endpoint.closeAsync()).join();
 * }
 * }
 *
 * <p>Thread-safe. An interrupt does not end it. A task costs some allocations and, when the loop sleeps, a system call.
 */
public final class UcpEventLoop implements Executor, AutoCloseable {

    private static final int LOOK_AT_CLOCK = 64; // of so many idle turns one does
    private static final int TASKS_PER_TURN = 256; // the worker has its turn, too, when tasks come without end

    private final UcpContext context;
    private final UcpEventLoopConfig config;
    private final Thread thread;
    private final CompletableFuture<UcpWorker> made = new CompletableFuture<>();
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private volatile boolean asleep; // or just going to be
    private volatile boolean ended; // no task is run any more
    private boolean closing; // of the loop's thread

    private UcpEventLoop(UcpContext context, UcpEventLoopConfig config) {
        this.context = context;
        this.config = config;
        this.thread = config.threads().newThread(this::run);
    }

    /**
     * Starts a thread with a worker. Blocks until the worker is made.
     *
     * @param context made with {@link UcpFeature#WAKEUP}
     * @param configurer fills in what is to differ from the defaults
     * @return the loop; to be closed before the context
     * @throws IllegalStateException if the context is closed, or was made without {@link UcpFeature#WAKEUP}
     * @throws UcxException if UCX refuses to make the worker
     */
    public static UcpEventLoop start(UcpContext context, Consumer<UcpEventLoopConfig> configurer) {
        if (!context.features().contains(UcpFeature.WAKEUP)) {
            throw new IllegalStateException(context + " was made without UcpFeature.WAKEUP, which an event loop needs");
        }
        var config = new UcpEventLoopConfig();
        config.filling.by(configurer, config);
        var loop = new UcpEventLoop(context, config);
        loop.thread.start();
        rethrow(loop.made.handle((worker, t) -> t).join());
        return loop;
    }

    /**
     * Runs a task on the loop's thread, soon; tasks of one thread in their order.
     *
     * @param task what it throws goes to {@link UcpEventLoopConfig#exceptionHandler}
     * @throws RejectedExecutionException if the loop is closed
     */
    @Override
    public void execute(Runnable task) {
        tasks.add(Objects.requireNonNull(task, "task"));
        if (ended && tasks.remove(task)) { // otherwise the loop has taken it in its last turn
            throw new RejectedExecutionException(this + " is closed");
        }
        if (asleep) {
            wake();
        }
    }

    private void wake() {
        try {
            made.join().wakeup().signal();
        } catch (IllegalStateException e) {
            assert e != null; // the worker was closed meanwhile: the loop has ended, and sees the task without this
        }
    }

    /**
     * Runs a task on the loop's thread, soon, for its result.
     *
     * @param <T> what the task returns
     * @param task is given the loop's worker
     * @return completed on the loop's thread, with what the task returned or threw
     * @throws RejectedExecutionException if the loop is closed
     */
    public <T> CompletableFuture<T> submit(Function<? super UcpWorker, ? extends T> task) {
        Objects.requireNonNull(task, "task");
        var result = new CompletableFuture<T>();
        execute(() -> {
            try {
                result.complete(task.apply(made.join()));
            } catch (Throwable t) {
                result.completeExceptionally(t);
            }
        });
        return result;
    }

    /**
     * Runs a task on the loop's thread, soon, that begins something, such as {@link UcpEndpoint#tagSendAsync}.
     *
     * <p>The returned future ends when the task's does, and so, if that is one of this library's, when UCX no longer uses
     * the buffer. To cancel or complete it, or to let it time out, asks the same of the task's future: see {@link
     * UcpRequests#whenDone}. If the loop has not started the task yet, it ends at once, and the task is not run.
     *
     * @param <T> what it ends with
     * @param task is given the loop's worker, and returns a future
     * @return completed on the loop's thread as the task's future is, or with what the task threw
     * @throws RejectedExecutionException if the loop is closed
     */
    public <T> CompletableFuture<T> submitAsync(Function<? super UcpWorker, CompletableFuture<T>> task) {
        Objects.requireNonNull(task, "task");
        var result = new TaskFuture<T>(this);
        execute(() -> result.run(task, made.join()));
        return result;
    }

    /**
     * Whether the caller is the loop's thread, and may use its worker.
     *
     * @return whether it is
     */
    public boolean isCurrent() {
        return Thread.currentThread().equals(thread);
    }

    /**
     * Closes the worker and ends the thread, after the tasks that it was given. Blocks until then, but not when it is
     * called on the loop's thread: then the loop ends after the task or handler that calls. Does nothing when closed
     * already.
     *
     * @throws IllegalStateException if endpoints or listeners are open; it names how many, and the loop goes on. On the
     *     loop's thread it goes to {@link UcpEventLoopConfig#exceptionHandler}
     */
    @Override
    public void close() {
        if (isCurrent()) {
            closing = !ended; // when it has ended, tasks that were given before are still to run
            return;
        }
        var closed = new CompletableFuture<Void>();
        try {
            execute(() -> closeWorker(closed));
        } catch (RejectedExecutionException e) {
            closed.complete(null);
        }
        rethrow(closed.handle((nothing, t) -> t).join());
        joinThread();
    }

    private static void rethrow(Throwable t) {
        switch (t) {
            case null -> {}
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new AssertionError("not thrown by what the loop calls", t);
        }
    }

    private void closeWorker(CompletableFuture<Void> closed) {
        try {
            made.join().end();
            ended = true;
            closed.complete(null);
        } catch (Throwable t) {
            closed.completeExceptionally(t);
        }
    }

    private void joinThread() {
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

    private void run() {
        UcpWorker worker;
        try {
            worker = context.createWorker(config.workerConfigurer());
            worker.belongToLoop(config.completions() != null);
        } catch (Throwable t) {
            ended = true;
            made.completeExceptionally(t);
            return;
        }
        made.complete(worker);
        while (!ended) {
            try {
                turn(worker);
            } catch (Throwable t) {
                report(t);
            }
        }
        runTasks(Integer.MAX_VALUE); // given while it ended: they find the worker closed
    }

    // Progresses until the loop is closed, or something is thrown.
    private void turn(UcpWorker worker) {
        long idleSince = 0;
        for (int idle = 0; !closing; idle++) {
            boolean busy = runTasks(TASKS_PER_TURN);
            if (ended) {
                return;
            }
            busy |= worker.progress() != 0;
            busy |= tellOfCompletions(worker);
            if (busy) {
                idle = -1;
            } else if (idle == 0) {
                idleSince = System.nanoTime();
            } else if (idle % LOOK_AT_CLOCK == 0 && System.nanoTime() - idleSince >= config.spinNanos()) {
                sleep(worker);
                idle = -1;
            } else {
                Thread.onSpinWait();
            }
        }
        closing = false;
        worker.end();
        ended = true;
    }

    private boolean tellOfCompletions(UcpWorker worker) {
        UcpCompletions completions = config.completions();
        if (completions == null || worker.poll(completions) == 0) {
            return false;
        }
        config.completionHandler().onCompletions(completions);
        return true;
    }

    private void sleep(UcpWorker worker) {
        asleep = true;
        try {
            if (tasks.isEmpty()) {
                worker.wakeup().await(UcpWakeup.FOREVER);
            }
        } catch (InterruptedException e) {
            assert e != null; // close() ends a loop, and nothing else
        } finally {
            asleep = false;
        }
    }

    private boolean runTasks(int most) {
        int count = 0;
        Runnable task;
        while (count < most && !closing && (task = tasks.poll()) != null) {
            count++;
            try {
                task.run();
            } catch (Throwable t) {
                report(t);
            }
        }
        return count > 0;
    }

    /** Whether its thread sleeps, or is just going to. */
    boolean isAsleep() {
        return asleep;
    }

    private void report(Throwable t) {
        try {
            config.exceptionHandler().accept(t);
        } catch (Throwable ignored) {
            // Nobody is left to tell.
        }
    }

    /** The loop as messages name it. */
    @Override
    public String toString() {
        return "UcpEventLoop(" + thread.getName() + ")";
    }
}
