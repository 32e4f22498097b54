// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.loop;

import dev.isthmus.internal.Filling;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;

/** How an {@link EventLoop} is to be. Used by one thread, inside {@link EventLoop#start} or {@link EventLoop#open}. */
public final class EventLoopConfig {

    private static final Duration MAX_SPIN = Duration.ofDays(1);
    private static final long USUAL_SPIN = 50_000;

    final Filling filling = new Filling();
    private ThreadFactory threads; // null if not said, as what follows
    private Consumer<Throwable> exceptionHandler;
    private Duration spin;
    private int maxTasks = Integer.MAX_VALUE;

    EventLoopConfig() {}

    /**
     * Makes the thread of a loop that is {@linkplain EventLoop#start started}; a daemon of the platform if not said. A
     * virtual thread is possible, but while it polls it lets no other run on its carrier.
     *
     * @param factory makes one thread
     * @return this
     */
    public EventLoopConfig thread(ThreadFactory factory) {
        filling.check();
        threads = Objects.requireNonNull(factory, "factory");
        return this;
    }

    /**
     * Who is told of what tasks and handlers throw in a loop that is {@linkplain EventLoop#start started}; if not said, the
     * uncaught exception handler of the loop's thread, which prints it. The loop goes on in any case.
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
     * For how long the loop looks for events before it sleeps. If not said, 50 microseconds when something is {@link
     * Polled} on it, such as a UCX worker, and not at all otherwise. Waking up takes some microseconds, in which an event
     * waits; looking keeps a processor busy.
     *
     * @param duration zero to sleep as soon as nothing happens; at most a day
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
     * Sets how many tasks wait to be run at most; more are rejected. Not set: any number.
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

    /** Refuses what a loop without a thread of its own has no use for. */
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
        return anyPolled ? USUAL_SPIN : 0;
    }

    int maxTasks() {
        return maxTasks;
    }
}
