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
import java.util.function.Supplier;

/**
 * A file descriptor that is readable while there are events, as a source that threads wait on: with a timeout,
 * interruptibly, and until the object that the descriptor belongs to is closed. Thread-safe; nothing is polled in
 * slices, and a waiting thread does not keep the object from being closed.
 *
 * <p>A virtual thread that waits does not hold its carrier: a platform thread is in C for it.
 */
public final class EventSource {

    /** As long a wait as it takes. */
    public static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

    private static final long ENDLESS = Long.MAX_VALUE;

    private final Lifetime lifetime;
    private final int fd;
    private final Deque<Waiter> idle = new ArrayDeque<>(); // guarded by this, as all below
    private final List<Waiter> active = new ArrayList<>();
    private final List<Runnable> watchers = new CopyOnWriteArrayList<>();
    private boolean nonBlocking;
    private int users;
    private volatile boolean woken; // by wakeup, and no wait has ended for it yet

    /**
     * A source of events. Nothing is done to the descriptor until it is first used.
     *
     * @param lifetime of the object that the descriptor belongs to, and which calls {@link #shut} when it is closed
     * @param fd the descriptor
     */
    public EventSource(Lifetime lifetime, int fd) {
        this.lifetime = lifetime;
        this.fd = fd;
    }

    /**
     * The descriptor, for who waits by {@code poll} or {@code epoll}; a read from it does not block.
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
     * @param take reads one event without blocking, or returns null when there is none; the object stays open meanwhile
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
     * @param timeout how long to wait: not at all when it is zero or less, endlessly when it is longer than 292 years
     * @param take reads one event without blocking, or returns null when there is none, as another thread took it
     * @return what {@code take} returned; null when the time is over, or after {@link #wakeup}
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
        Waiter waiter = borrow();
        try {
            if (isWoken()) {
                return takeUnlessInterrupted(take);
            }
            long start = System.nanoTime();
            for (long left = nanos; left > 0; left = nanos == ENDLESS ? ENDLESS : nanos - (System.nanoTime() - start)) {
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
     * @param timeout how long to wait: not at all when it is zero or less, endlessly when it is longer than 292 years
     * @return whether it is readable; false when the time is over
     * @throws InterruptedException if the thread is interrupted before or while it waits
     * @throws IllegalStateException if the object is closed, before or meanwhile
     */
    public boolean awaitReadable(Duration timeout) throws InterruptedException {
        long nanos = nanos(timeout);
        enter();
        try {
            Waiter waiter = borrow();
            try {
                return awaitReadable(waiter, nanos);
            } finally {
                giveBack(waiter);
            }
        } finally {
            leave();
        }
    }

    private boolean awaitReadable(Waiter waiter, long nanos) throws InterruptedException {
        long start = System.nanoTime();
        long left = nanos;
        do {
            if (waiter.await(Math.max(left, 0))) {
                return true;
            }
            lifetime.check();
            left = nanos == ENDLESS ? ENDLESS : nanos - (System.nanoTime() - start);
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
        try {
            return timeout.toNanos();
        } catch (ArithmeticException e) {
            return timeout.isNegative() ? 0 : ENDLESS;
        }
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

    private synchronized Waiter borrow() {
        lifetime.check(); // or shut() would not know of this waiter
        Waiter waiter = idle.isEmpty() ? new Waiter(fd) : idle.pop();
        active.add(waiter);
        return waiter;
    }

    private synchronized void giveBack(Waiter waiter) {
        active.remove(waiter);
        idle.push(waiter);
    }

    /** Lets every thread that waits look again: events may have come of which the descriptor did not tell. */
    public void wake() {
        synchronized (this) {
            active.forEach(Waiter::wakeup);
        }
        watchers.forEach(Runnable::run);
    }

    /** Ends a wait for an event: that of a thread which waits now or, if none does, the next one. */
    public void wakeup() {
        woken = true;
        wake();
    }

    private boolean isWoken() {
        boolean is = woken;
        woken = false;
        return is;
    }

    /** Run by {@link #wake}, for who waits for the descriptor by other means. */
    public List<Runnable> watchers() {
        return watchers;
    }

    /** The life of the object that the descriptor belongs to. */
    public Lifetime lifetime() {
        return lifetime;
    }

    /**
     * Ends all waits, and returns when no thread uses the descriptor any more. Called within {@link Lifetime#close},
     * which keeps others from coming, before the descriptor is closed. When that fails, the source can be used on.
     */
    public synchronized void shut() {
        active.forEach(Waiter::wakeup);
        boolean interrupted = false;
        while (users > 0) {
            try {
                wait(); // soon over: the waiters have been woken
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

    private static void closeWaiter(Waiter waiter) {
        try {
            waiter.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
