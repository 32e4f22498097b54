// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import dev.isthmus.testbed.TestDeadlines;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs something on another thread. What that thread owned belongs to the test's thread once it has ended. */
final class Task<T> {

    private final FutureTask<T> future;
    private final Thread thread;

    private Task(Callable<T> action) {
        future = new FutureTask<>(action);
        thread = Thread.ofPlatform().start(future);
    }

    static <T> Task<T> start(Callable<T> action) {
        return new Task<>(action);
    }

    /** Its result, when its thread has ended. */
    T get() {
        try {
            T result = future.get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
            thread.join();
            return result;
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError(e);
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause());
        }
    }

    /** What it threw, when its thread has ended. */
    Throwable failure() {
        try {
            T result = future.get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
            throw new AssertionError("it did not fail but returned " + result);
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError(e);
        } catch (ExecutionException e) {
            return e.getCause();
        }
    }

    boolean isDone() {
        return future.isDone();
    }

    void interrupt() {
        thread.interrupt();
    }
}
