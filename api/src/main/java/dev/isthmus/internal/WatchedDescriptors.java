// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import java.time.Duration;

/** Several file descriptors as one source that a thread can wait for, with a way to end the wait. Thread-safe. */
public final class WatchedDescriptors implements AutoCloseable {

    private final EpollSet set = new EpollSet();
    private final EventSource source;

    /**
     * Creates an empty set.
     *
     * @param lifetime of its object
     */
    public WatchedDescriptors(Lifetime lifetime) {
        this.source = new EventSource(lifetime, set.epoll());
    }

    /**
     * Adds a descriptor, which is watched until it is closed, or {@linkplain #remove removed}.
     *
     * @param number 0 or more; {@link #ready} reports it
     */
    public void add(int fd, long number) {
        set.add(fd, Posix.EPOLLIN, number);
    }

    /** Removes a descriptor that was added, or does nothing if it was closed. */
    public void remove(int fd) {
        set.remove(fd);
    }

    /**
     * Waits until a descriptor may be readable, {@link #wakeup} is called, or the time is up.
     *
     * @throws InterruptedException if the thread is interrupted before or while it waits
     * @throws IllegalStateException if the object is closed, before or meanwhile
     */
    public void await(Duration timeout) throws InterruptedException {
        source.await(timeout, () -> Boolean.TRUE);
    }

    /**
     * Stores the numbers of descriptors that may be readable, and forgets a {@link #wakeup}, as the caller looks at its
     * reason after this. Does not wait.
     *
     * @return how many are ready; if the array is full, there may be more
     * @throws IllegalStateException if the object is closed
     */
    public int ready(long[] numbers) {
        return source.poll(() -> takeReady(numbers)); // no descriptor is closed meanwhile
    }

    private int takeReady(long[] numbers) {
        int found = Posix.ready(set.epoll(), numbers);
        int kept = 0;
        for (int i = 0; i < found; i++) {
            if (numbers[i] == EpollSet.WAKE) {
                set.reset();
            } else {
                numbers[kept++] = numbers[i];
            }
        }
        return kept;
    }

    /** Ends a wait, or the next one. Does nothing once this is closed. */
    public void wakeup() {
        set.wakeup();
    }

    /** Ends all waits and closes this. Called within {@link Lifetime#close}. */
    @Override
    public void close() {
        source.shut();
        set.close();
    }
}
