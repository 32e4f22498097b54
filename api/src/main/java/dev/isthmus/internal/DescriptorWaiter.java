// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * What one thread at a time waits for: a file descriptor, and an eventfd by which other threads end the wait.
 *
 * <p>It is an {@link AbstractSelector}, although nothing can be registered with it, because that is how the JDK tells a
 * class of {@link Thread#interrupt}: between {@code begin()} and {@code end()}, an interrupt calls {@link #wakeup}.
 */
final class DescriptorWaiter extends AbstractSelector {

    /** {@code struct pollfd}: {@code int fd; short events; short revents;}. */
    private static final long POLLFD = 8;

    private static final long EVENTS = 4;
    private static final long REVENTS = 6;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    /** What {@link #poll} has found. */
    private static final int READABLE = 1;

    private static final int WOKEN = 2;

    private final MemorySegment descriptors = Arena.ofAuto().allocate(2 * POLLFD, 8);
    private final MemorySegment timeout = Arena.ofAuto().allocate(16, 8); // struct timespec
    private final int fd;
    private final int wakeFd = Posix.eventfd();
    private volatile Thread parked; // a virtual thread that waits here; else null
    private boolean wakeable = true; // guarded by this

    /** Creates a waiter for a descriptor that outlives it. */
    DescriptorWaiter(int fd) {
        super(SelectorProvider.provider());
        this.fd = fd;
        watch(0, fd);
        watch(POLLFD, wakeFd);
    }

    private void watch(long entry, int fd) {
        descriptors.set(JAVA_INT, entry, fd);
        descriptors.set(JAVA_SHORT, entry + EVENTS, Posix.POLLIN);
    }

    /**
     * Waits until the descriptor is readable or in error, or {@link #wakeup} is called, even before this.
     *
     * @param nanos the longest wait; {@link Long#MAX_VALUE} has no limit
     * @return whether the descriptor is readable
     * @throws InterruptedException if the thread is interrupted, which clears its interrupt status
     */
    boolean await(long nanos) throws InterruptedException {
        if (Thread.currentThread().isVirtual()) {
            return awaitParked(nanos);
        }
        int found;
        try {
            begin();
            found = poll(nanos);
        } finally {
            end();
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return (found & READABLE) != 0;
    }

    /** A virtual thread in C would hold its carrier, and a few of them would hold all carriers, so it parks instead. */
    private boolean awaitParked(long nanos) throws InterruptedException {
        long begin = System.nanoTime();
        parked = Thread.currentThread();
        try {
            while (true) {
                int found = poll(0);
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                long left = nanos == Long.MAX_VALUE ? nanos : nanos - (System.nanoTime() - begin);
                if (found != 0 || left <= 0) {
                    return (found & READABLE) != 0;
                }
                ParkedThreads.unparkWhenReadable(fd, parked);
                park(left);
            }
        } finally {
            ParkedThreads.unregister(fd, parked);
            parked = null;
        }
    }

    /** Without a timer if there is no limit. A JDK 25 before 25.0.3 can also lose the unpark after a timed park. */
    private void park(long nanos) {
        if (nanos == Long.MAX_VALUE) {
            LockSupport.park(this);
        } else {
            LockSupport.parkNanos(this, nanos);
        }
    }

    private int poll(long nanos) {
        if (Posix.poll(descriptors.address(), 2, timeoutOf(nanos)) == 0) {
            return 0;
        }
        int found = descriptors.get(JAVA_SHORT, REVENTS) != 0 ? READABLE : 0;
        if (descriptors.get(JAVA_SHORT, POLLFD + REVENTS) != 0) {
            Posix.reset(wakeFd);
            found |= WOKEN;
        }
        return found;
    }

    private long timeoutOf(long nanos) {
        if (nanos == Long.MAX_VALUE) {
            return 0;
        }
        timeout.set(JAVA_LONG, 0, nanos / NANOS_PER_SECOND);
        timeout.set(JAVA_LONG, 8, nanos % NANOS_PER_SECOND);
        return timeout.address();
    }

    /** Ends the wait, or the next one. An interrupt can call this some time after the wait that it was meant for. */
    @Override
    public synchronized Selector wakeup() {
        if (wakeable) {
            Posix.signal(wakeFd);
            LockSupport.unpark(parked);
        }
        return this;
    }

    @Override
    protected synchronized void implCloseSelector() {
        wakeable = false; // from now on, another descriptor may have the number
        Posix.close(wakeFd);
    }

    @Override
    protected SelectionKey register(AbstractSelectableChannel channel, int operations, Object attachment) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Set<SelectionKey> keys() {
        return Set.of();
    }

    @Override
    public Set<SelectionKey> selectedKeys() {
        return Set.of();
    }

    @Override
    public int selectNow() {
        throw new UnsupportedOperationException();
    }

    @Override
    public int select(long timeoutMillis) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int select() {
        throw new UnsupportedOperationException();
    }
}
