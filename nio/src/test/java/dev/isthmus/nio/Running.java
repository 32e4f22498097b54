// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import dev.isthmus.testbed.TestDeadlines;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Something that runs on a thread of its own. */
final class Running<T> {

    private final CompletableFuture<T> result = new CompletableFuture<>();
    private volatile boolean interrupted;
    private final Thread thread;

    private Running(Callable<T> task) {
        thread = Thread.ofPlatform().daemon().unstarted(() -> {
            try {
                T value = task.call();
                interrupted = Thread.interrupted();
                result.complete(value);
            } catch (Throwable t) {
                interrupted = Thread.interrupted();
                result.completeExceptionally(t);
            }
        });
    }

    static <T> Running<T> of(Callable<T> task) {
        var running = new Running<>(task);
        running.thread.start();
        return running;
    }

    /** A task that is interrupted before it begins. */
    static <T> Running<T> interrupted(Callable<T> task) {
        var running = new Running<T>(() -> {
            Thread.currentThread().interrupt();
            return task.call();
        });
        running.thread.start();
        return running;
    }

    T get() throws Exception {
        try {
            return result.get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        } catch (TimeoutException e) {
            var where = new AssertionError("it does not end");
            where.setStackTrace(thread.getStackTrace());
            throw where;
        }
    }

    /** Its exception. */
    Throwable failure() throws InterruptedException {
        try {
            T value = result.get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
            throw new AssertionError("it should have failed, and returned " + value);
        } catch (ExecutionException e) {
            return e.getCause();
        } catch (TimeoutException e) {
            throw new AssertionError("it does not end", e);
        }
    }

    /** Whether its thread was interrupted at its end. */
    boolean wasInterrupted() {
        return interrupted;
    }

    void interrupt() {
        thread.interrupt();
    }

    /** Waits until its thread waits: in Java, or in C. */
    Running<T> awaitBlocked() {
        if (!blocks()) {
            throw new AssertionError("it is over before it waits: " + result);
        }
        return this;
    }

    /** Waits until its thread waits, or is over; returns whether it waits. */
    boolean blocks() {
        while (!isBlocked()) {
            if (result.isDone()) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }

    /** Waits until its thread waits for a monitor. */
    Running<T> awaitMonitor() {
        while (thread.getState() != Thread.State.BLOCKED) {
            if (result.isDone()) {
                throw new AssertionError("it is over before it waits: " + result);
            }
            Thread.onSpinWait();
        }
        return this;
    }

    private boolean isBlocked() {
        for (StackTraceElement frame : thread.getStackTrace()) {
            boolean isOfJdk = frame.isNativeMethod() && frame.getClassName().startsWith("sun.nio.ch.");
            boolean isPoll = (frame.getMethodName().equals("poll")
                            || frame.getMethodName().equals("ready"))
                    && frame.getClassName().endsWith("Posix");
            boolean isPark = frame.getMethodName().equals("park");
            if (isOfJdk || isPoll || isPark) {
                return true;
            }
        }
        return false;
    }
}
