// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.loop;

import dev.isthmus.internal.OwnedFuture;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/**
 * What {@link EventLoop#submitAsync} returns. It ends when the task's future does, and passes on to that future how the
 * program wants it to end. If the loop has not started the task yet, this ends at once, and the task does not run.
 */
final class TaskFuture<T> extends OwnedFuture<T> implements Runnable {

    private final EventLoop loop;
    private final Callable<? extends CompletableFuture<T>> task;
    private boolean started; // guarded by this, like the next fields
    private boolean abandoned;
    private CompletableFuture<T> taskFuture;

    TaskFuture(EventLoop loop, Callable<? extends CompletableFuture<T>> task) {
        this.loop = loop;
        this.task = task;
    }

    /** Runs the task, on the loop's thread. */
    @Override
    public void run() {
        if (!start()) {
            return;
        }
        try {
            follow(task.call());
        } catch (Throwable t) {
            fail(t);
        }
    }

    private synchronized boolean start() {
        started = !abandoned;
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
            taskFuture = future;
        }
        forwardRequest(future); // what the program wanted while the task ran
    }

    /** The task will not run. */
    void reject(RejectedExecutionException reason) {
        fail(reason);
    }

    @Override
    protected void endRequested() {
        CompletableFuture<T> future;
        synchronized (this) {
            abandoned = !started;
            future = taskFuture;
        }
        if (abandoned) {
            endAsRequested();
        } else if (future != null) {
            forwardOnLoop(future);
        }
    }

    private void forwardOnLoop(CompletableFuture<T> future) {
        try {
            loop.execute(() -> forwardRequest(future));
        } catch (RejectedExecutionException e) {
            forwardRequest(future); // the loop has ended, and with it everything that it served
        }
    }
}
