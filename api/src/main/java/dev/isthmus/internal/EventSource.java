// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * A file descriptor that is readable while there are events. Threads can wait for it with a timeout and interruptibly,
 * until the descriptor's object is closed. Thread-safe. Waits do not poll in slices, and do not keep the object from
 * being closed.
 *
 * <p>A waiting virtual thread does not hold its carrier: a platform thread is in C in its place.
 */
public final class EventSource {

    /** A wait without a limit. */
    public static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final Lifetime lifetime;
    private final int fd;
    private final Deque<DescriptorWaiter> idle = new ArrayDeque<>(); // guarded by this, like the fields below
    private final List<DescriptorWaiter> active = new ArrayList<>();
    private final List<Runnable> watchers = new CopyOnWriteArrayList<>();
    private boolean nonBlocking;
    private int users;
    private final AtomicBoolean woken = new AtomicBoolean(); // by wakeup, and no wait has ended because of it yet

    /**
     * Creates a source. Nothing is done to the descriptor until its first use.
     *
     * @param lifetime of the descriptor's object, which calls {@link #shut} when it is closed
     * @param fd the descriptor
     */
    public EventSource(Lifetime lifetime, int fd) {
        this.lifetime = lifetime;
        this.fd = fd;
    }

    /**
     * The descriptor, for callers that wait by {@code poll} or {@code epoll}; a read from it does not block.
     *
     * @throws IllegalStateException if the object is closed
     */
    public synchronized int fileDescriptor() {
        prepare();
        return fd;
    }

    /**
     * Takes an event if there is one.
     *
     * @param take reads one event without blocking, or returns null if there is none; the object stays open meanwhile
     * @return what {@code take} returned
     * @throws IllegalStateException if the object is closed
     */
    public <T> T poll(Supplier<T> take) {
        enter();
        try {
            return take.get();
        } finally {
            leave();
        }
    }

    /**
     * Waits for an event and takes it. Several threads can wait; each event goes to one of them.
     *
     * @param timeout how long to wait; zero or less does not wait, and more than 292 years is no limit
     * @param take reads one event without blocking, or returns null if there is none because another thread took it
     * @return what {@code take} returned; null if the time is up, or after {@link #wakeup}
     * @throws InterruptedException if the thread is interrupted before or while it waits; no event is lost
     * @throws IllegalStateException if the object is closed, before or meanwhile
     */
    public <T> T await(Duration timeout, Supplier<T> take) throws InterruptedException {
        long nanos = nanos(timeout);
        enter();
        try {
            return nanos > 0 ? await(nanos, take) : takeUnlessInterrupted(take);
        } finally {
            leave();
        }
    }

    private <T> T await(long nanos, Supplier<T> take) throws InterruptedException {
        DescriptorWaiter waiter = borrow();
        try {
            if (isWoken()) {
                return takeUnlessInterrupted(take);
            }
            long start = System.nanoTime();
            for (long left = nanos;
                    left > 0;
                    left = nanos == NO_LIMIT ? NO_LIMIT : nanos - (System.nanoTime() - start)) {
                T taken = waiter.await(left) ? take.get() : null;
                if (taken != null) {
                    return taken;
                }
                lifetime.check();
                if (isWoken()) {
                    return null;
                }
            }
            return takeUnlessInterrupted(take);
        } finally {
            giveBack(waiter);
        }
    }

    /**
     * Waits until the descriptor is readable, and takes nothing.
     *
     * @param timeout how long to wait; zero or less does not wait, and more than 292 years is no limit
     * @return whether it is readable; false if the time is up
     * @throws InterruptedException if the thread is interrupted before or while it waits
     * @throws IllegalStateException if the object is closed, before or meanwhile
     */
    public boolean awaitReadable(Duration timeout) throws InterruptedException {
        long nanos = nanos(timeout);
        enter();
        try {
            DescriptorWaiter waiter = borrow();
            try {
                return awaitReadable(waiter, nanos);
            } finally {
                giveBack(waiter);
            }
        } finally {
            leave();
        }
    }

    private boolean awaitReadable(DescriptorWaiter waiter, long nanos) throws InterruptedException {
        long start = System.nanoTime();
        long left = nanos;
        do {
            if (waiter.await(Math.max(left, 0))) {
                return true;
            }
            lifetime.check();
            left = nanos == NO_LIMIT ? NO_LIMIT : nanos - (System.nanoTime() - start);
        } while (left > 0);
        return false;
    }

    private static <T> T takeUnlessInterrupted(Supplier<T> take) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return take.get();
    }

    private static long nanos(Duration timeout) {
        return TimeUnit.NANOSECONDS.convert(timeout); // NO_LIMIT if it is longer
    }

    private synchronized void enter() {
        prepare();
        users++;
    }

    private synchronized void leave() {
        users--;
        notifyAll();
    }

    private void prepare() {
        lifetime.check();
        if (!nonBlocking) {
            Posix.setNonBlocking(fd);
            nonBlocking = true;
        }
    }

    private synchronized DescriptorWaiter borrow() {
        lifetime.check(); // otherwise shut() would not know of this waiter
        DescriptorWaiter waiter = idle.isEmpty() ? new DescriptorWaiter(fd) : idle.pop();
        active.add(waiter);
        return waiter;
    }

    private synchronized void giveBack(DescriptorWaiter waiter) {
        active.remove(waiter);
        idle.push(waiter);
    }

    /** Lets all waiting threads look again, as there may be events that the descriptor did not report. */
    public void wake() {
        synchronized (this) {
            active.forEach(DescriptorWaiter::wakeup);
        }
        watchers.forEach(Runnable::run);
    }

    /** Ends a wait for an event: a current one or, if there is none, the next one. */
    public void wakeup() {
        woken.set(true);
        wake();
    }

    /** Forgets a wakeup that it reports; in one step, as otherwise it could forget another that it does not report. */
    private boolean isWoken() {
        return woken.compareAndSet(true, false);
    }

    /** Actions that {@link #wake} runs, for those that wait for the descriptor by other means. */
    public List<Runnable> watchers() {
        return watchers;
    }

    /** The lifetime of the descriptor's object. */
    public Lifetime lifetime() {
        return lifetime;
    }

    /**
     * Ends all waits, and returns when no thread uses the descriptor any more. Called within {@link Lifetime#close},
     * which keeps other threads out, before the descriptor is closed. If closing fails, the source remains usable.
     */
    public synchronized void shut() {
        active.forEach(DescriptorWaiter::wakeup);
        boolean interrupted = false;
        while (users > 0) {
            try {
                wait(); // brief, as the waiters have been woken
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        while (!idle.isEmpty()) {
            closeWaiter(idle.pop());
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void closeWaiter(DescriptorWaiter waiter) {
        try {
            waiter.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
