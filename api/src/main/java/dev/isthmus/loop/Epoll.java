// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.loop;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.isthmus.internal.EpollSet;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.ParkedThreads;
import dev.isthmus.internal.Posix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits for file descriptors, in programs that have a loop of their own: {@code epoll_create1}, with an {@code eventfd}
 * by which other threads end the wait. Most programs use an {@link EventLoop} instead. An instance owns these two
 * descriptors, and 12 or 16 bytes of native memory for each descriptor that it can find at a time.
 *
 * {@snippet :
 * try (var epoll = Epoll.open(64)) {
 *     epoll.add(channel.fileDescriptor(), Epoll.READABLE, 7);
 *     int count = epoll.await(1000);
 *     for (int i = 0; i < count; i++) {
 *         System.out.println(epoll.number(i)); // 7, while the channel has events
 *     }
 * }
 * }
 *
 * <p>One thread at a time waits, and reads what it found. Any thread may call the other methods. A descriptor belongs
 * to the caller who adds it. The kernel removes it when it is closed.
 */
public final class Epoll implements AutoCloseable {

    /** There is something to read, or the end of the stream: {@code EPOLLIN}. */
    public static final int READABLE = 1;

    /** There is room to write: {@code EPOLLOUT}. */
    public static final int WRITABLE = 4;

    private static final AtomicLong NUMBERS = new AtomicLong();

    private final Lifetime lifetime = new Lifetime("Epoll", "" + NUMBERS.incrementAndGet());
    private final int maxEvents;
    private final EpollSet set = new EpollSet();
    private final Arena arena = Arena.ofShared();
    private final MemorySegment events;
    private Thread waiting; // null if no thread is in await; guarded by this

    private Epoll(int most) {
        this.maxEvents = most;
        this.events = Lifetime.orDestroy(() -> arena.allocate(most * Posix.EPOLL_EVENT, Long.BYTES), this::destroy);
    }

    private void destroy() {
        set.close();
        arena.close();
    }

    /**
     * Opens an instance without descriptors.
     *
     * @param most how many descriptors one wait finds; the next wait finds the others
     * @return the instance, which the caller closes
     * @throws IllegalArgumentException if {@code most} is not positive
     * @throws dev.isthmus.VerbsException if the process has too many open files
     */
    public static Epoll open(int most) {
        if (most < 1) {
            throw new IllegalArgumentException("at least one descriptor is looked for at a time, not " + most);
        }
        return new Epoll(most);
    }

    /**
     * Waits for a descriptor: {@code epoll_ctl} with {@code EPOLL_CTL_ADD}.
     *
     * @param fd its number
     * @param operations {@link #READABLE}, {@link #WRITABLE}, both, or 0; errors are reported in any case
     * @param number what {@link #number} returns for it; not negative
     * @throws IllegalArgumentException if an argument is out of range
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.VerbsException if epoll cannot wait for it, as for files, or it was added already
     */
    public synchronized void add(int fd, int operations, int number) {
        check(operations, number);
        set.add(fd, operations, number);
    }

    /**
     * Changes what this waits for: {@code epoll_ctl} with {@code EPOLL_CTL_MOD}. Takes the arguments of {@link #add}.
     *
     * @param fd the number of a descriptor that was added
     * @param operations what to wait for
     * @param number what {@link #number} returns for it
     * @throws IllegalArgumentException if an argument is out of range
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.VerbsException if it was not added
     */
    public synchronized void change(int fd, int operations, int number) {
        check(operations, number);
        set.change(fd, operations, number);
    }

    private void check(int operations, int number) {
        lifetime.check();
        if ((operations & ~(READABLE | WRITABLE)) != 0 || number < 0) {
            throw new IllegalArgumentException("operations " + operations + " or number " + number);
        }
    }

    /**
     * Stops waiting for a descriptor: {@code epoll_ctl} with {@code EPOLL_CTL_DEL}. Does nothing if it was not added.
     *
     * @param fd the number of a descriptor that is still open; a closed one's number may belong to another by now
     * @throws IllegalStateException if this is closed
     */
    public synchronized void remove(int fd) {
        lifetime.check();
        set.remove(fd);
    }

    /**
     * Waits until a descriptor is ready, another thread calls {@link #wakeup}, or the time is over: {@code epoll_wait}.
     * It may return 0 before its time. An interrupt does not end it. Allocates nothing on a platform thread. A virtual
     * thread that waits gives up its carrier.
     *
     * @param millis how long to wait; 0 does not wait, and a negative number waits without limit
     * @return how many descriptors are ready
     * @throws IllegalStateException if this is closed, or another thread waits
     */
    public int await(long millis) {
        enter();
        try {
            boolean parks = millis != 0 && Thread.currentThread().isVirtual();
            return withoutWake(parks ? parked(millis) : find(millis));
        } finally {
            leave();
        }
    }

    private synchronized void enter() {
        lifetime.check();
        if (waiting != null) {
            throw new IllegalStateException(waiting.getName() + " waits for " + this + " already");
        }
        waiting = Thread.currentThread();
    }

    private synchronized void leave() {
        waiting = null;
    }

    private int find(long millis) {
        return Posix.ready(set.epoll(), events.address(), maxEvents, (int) Math.clamp(millis, -1L, Integer.MAX_VALUE));
    }

    private int parked(long millis) {
        Thread self = Thread.currentThread();
        int count = find(0);
        try {
            if (count == 0) {
                ParkedThreads.unparkWhenReadable(set.epoll(), self);
                if (millis < 0) {
                    LockSupport.park(this);
                } else {
                    LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(millis));
                }
                count = find(0);
            }
        } finally {
            ParkedThreads.unregister(set.epoll(), self);
        }
        return count;
    }

    private int withoutWake(int count) {
        for (int i = 0; i < count; i++) {
            if (data(i) == EpollSet.WAKE) {
                set.reset();
                long last = (count - 1) * Posix.EPOLL_EVENT;
                MemorySegment.copy(events, last, events, i * Posix.EPOLL_EVENT, Posix.EPOLL_EVENT);
                return count - 1;
            }
        }
        return count;
    }

    private long data(int i) {
        return events.get(JAVA_LONG_UNALIGNED, i * Posix.EPOLL_EVENT + Posix.EPOLL_DATA);
    }

    /**
     * Which descriptor was found.
     *
     * @param i from 0, and less than what {@link #await} returned
     * @return the number that it was added with
     */
    public int number(int i) {
        return (int) data(i);
    }

    /**
     * What a descriptor that was found is ready for.
     *
     * @param i from 0, and less than what {@link #await} returned
     * @return those of {@link #READABLE} and {@link #WRITABLE} that were asked for; other bits of {@code EPOLL*}
     *     are errors
     */
    public int operations(int i) {
        return events.get(JAVA_INT, i * Posix.EPOLL_EVENT);
    }

    /** Ends the wait of a thread, or the next one. Does not block. Does nothing when this is closed. */
    public void wakeup() {
        set.wakeup();
    }

    /**
     * Closes this. The descriptors that were added stay open. Does nothing the second time.
     *
     * @throws IllegalStateException if a thread waits
     */
    @Override
    public synchronized void close() {
        if (waiting != null) {
            throw new IllegalStateException(this + " cannot be closed yet: " + waiting.getName() + " waits for it");
        }
        lifetime.close(this::destroy);
    }

    /** The class and a number. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
