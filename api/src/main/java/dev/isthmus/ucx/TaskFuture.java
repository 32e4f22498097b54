package dev.isthmus.ucx;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;

/**
 * What {@link UcpEventLoop#submitAsync} returns. It ends when the task's future does, and passes on to that what is wished
 * of it. Before the loop has started the task a wish is granted at once, and the task is not run.
 */
final class TaskFuture<T> extends OwnedFuture<T> {

    private final UcpEventLoop loop;
    private boolean started; // guarded by this, as what follows
    private boolean givenUp;
    private CompletableFuture<T> begun;

    TaskFuture(UcpEventLoop loop) {
        this.loop = loop;
    }

    /** Runs the task, on the loop's thread. */
    void run(Function<? super UcpWorker, CompletableFuture<T>> task, UcpWorker worker) {
        if (!start()) {
            return;
        }
        try {
            follow(task.apply(worker));
        } catch (Throwable t) {
            fail(t);
        }
    }

    private synchronized boolean start() {
        started = !givenUp;
        return started;
    }

    private void follow(CompletableFuture<T> future) {
        var ignored = future.whenComplete((value, t) -> {
            if (t == null) {
                end(value);
            } else {
                fail(t);
            }
        });
        synchronized (this) {
            begun = future;
        }
        passTo(future); // what was wished while the task ran
    }

    @Override
    void wished() {
        CompletableFuture<T> future;
        synchronized (this) {
            givenUp = !started;
            future = begun;
        }
        if (givenUp) {
            grant();
        } else if (future != null) {
            passOnLoop(future);
        }
    }

    private void passOnLoop(CompletableFuture<T> future) {
        try {
            loop.execute(() -> passTo(future));
        } catch (RejectedExecutionException e) {
            passTo(future); // the loop has ended, and with it all operations
        }
    }
}
