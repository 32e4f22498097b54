// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.loop;

import dev.isthmus.internal.Filling;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;

/**
 * How to set up an {@link EventLoop}. Confined to one thread, inside {@link EventLoop#start} or {@link EventLoop#open}.
 */
public final class EventLoopConfig {

    private static final Duration MAX_SPIN = Duration.ofDays(1);
    private static final long DEFAULT_SPIN = 50_000;

    final Filling filling = new Filling();
    private ThreadFactory threads; // null if unset, like the next fields
    private Consumer<Throwable> exceptionHandler;
    private Duration spin;
    private int maxTasks = Integer.MAX_VALUE;

    EventLoopConfig() {}

    /**
     * Sets what creates the thread of a {@linkplain EventLoop#start started} loop; by default, a daemon platform
     * thread. A virtual thread is possible, but while it polls it lets no other run on its carrier.
     *
     * @param factory creates one thread
     * @return this
     */
    public EventLoopConfig thread(ThreadFactory factory) {
        filling.check();
        threads = Objects.requireNonNull(factory, "factory");
        return this;
    }

    /**
     * Sets who handles the exceptions of tasks and handlers in a {@linkplain EventLoop#start started} loop. By default
     * it is the uncaught exception handler of the loop's thread, which prints them. The loop goes on in any case.
     *
     * @param handler called on the loop's thread; what it throws itself is ignored
     * @return this
     */
    public EventLoopConfig exceptionHandler(Consumer<Throwable> handler) {
        filling.check();
        exceptionHandler = Objects.requireNonNull(handler, "handler");
        return this;
    }

    /**
     * Sets how long the loop polls for events before it sleeps. The default is 50 microseconds while it has a
     * {@link Polled}, such as a UCX worker, and no time otherwise. Waking up delays an event; polling keeps a processor
     * busy.
     *
     * @param duration zero to sleep as soon as nothing is ready; at most a day
     * @return this
     * @throws IllegalArgumentException if it is negative or longer
     */
    public EventLoopConfig spin(Duration duration) {
        filling.check();
        if (duration.isNegative() || duration.compareTo(MAX_SPIN) > 0) {
            throw new IllegalArgumentException("spin is 0 to a day, and here is " + duration);
        }
        spin = duration;
        return this;
    }

    /**
     * Limits how many tasks may wait to run; more are rejected. The default is no limit.
     *
     * @param tasks their number
     * @return this
     * @throws IllegalArgumentException if it is not positive
     */
    public EventLoopConfig maxTasks(int tasks) {
        filling.check();
        if (tasks <= 0) {
            throw new IllegalArgumentException("maxTasks is not positive: " + tasks);
        }
        maxTasks = tasks;
        return this;
    }

    /** Refuses settings that a loop without a thread of its own cannot use. */
    void checkThreadless() {
        if (threads != null || exceptionHandler != null) {
            throw new IllegalArgumentException(
                    "a loop that is opened has no thread of its own, and what its handlers throw"
                            + " comes out of turn() and run(): leave thread and exceptionHandler out, or use EventLoop.start");
        }
    }

    ThreadFactory threads() {
        return threads != null
                ? threads
                : Thread.ofPlatform().daemon().name("isthmus-loop-", 0).factory();
    }

    Consumer<Throwable> exceptionHandler() {
        return exceptionHandler != null
                ? exceptionHandler
                : t -> {
                    Thread thread = Thread.currentThread();
                    thread.getUncaughtExceptionHandler().uncaughtException(thread, t);
                };
    }

    long spinNanos(boolean anyPolled) {
        if (spin != null) {
            return spin.toNanos();
        }
        return anyPolled ? DEFAULT_SPIN : 0;
    }

    int maxTasks() {
        return maxTasks;
    }
}
