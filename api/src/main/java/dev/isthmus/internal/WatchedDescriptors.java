package dev.isthmus.internal;

import java.time.Duration;

/**
 * Several file descriptors as one source that a thread waits on, with a way to end the wait. Thread-safe.
 */
public final class WatchedDescriptors implements AutoCloseable {

    /** The number of the descriptor that ends a wait; others have theirs from 0 on. */
    private static final int WAKE = -1;

    private final int epoll = Posix.epoll();
    private final int wakeFd;
    private final EventSource source;
    private boolean wakeable = true; // guarded by this

    /**
     * None yet.
     *
     * @param lifetime of the object that this belongs to
     */
    public WatchedDescriptors(Lifetime lifetime) {
        boolean made = false;
        int wake = -1;
        try {
            wake = Posix.eventfd();
            Posix.watch(epoll, wake, WAKE);
            made = true;
        } finally {
            if (!made) {
                Posix.close(epoll);
                if (wake >= 0) {
                    Posix.close(wake);
                }
            }
        }
        this.wakeFd = wake;
        this.source = new EventSource(lifetime, epoll);
    }

    /**
     * Adds a descriptor, which is watched until it is closed, or {@linkplain #remove removed}.
     *
     * @param number 0 or more, by which {@link #ready} tells of it
     */
    public void add(int fd, int number) {
        Posix.watch(epoll, fd, number);
    }

    /** Removes a descriptor that was added, or does nothing if it was closed. */
    public void remove(int fd) {
        Posix.unwatch(epoll, fd);
    }

    /**
     * Waits until a descriptor may be readable, {@link #wakeup} is called, or the time is over.
     *
     * @throws InterruptedException if the thread is interrupted before or while it waits
     * @throws IllegalStateException if the object is closed, before or meanwhile
     */
    public void await(Duration timeout) throws InterruptedException {
        source.await(timeout, () -> Boolean.TRUE);
    }

    /**
     * Stores the numbers of descriptors that may be readable, and forgets a {@link #wakeup}: what it was called for is
     * looked at after this. Does not wait.
     *
     * @return how many are ready: when the array is full, more can be
     * @throws IllegalStateException if the object is closed
     */
    public int ready(int[] numbers) {
        return source.poll(() -> takeReady(numbers)); // no descriptor is closed during it
    }

    private int takeReady(int[] numbers) {
        int found = Posix.ready(epoll, numbers);
        int kept = 0;
        for (int i = 0; i < found; i++) {
            if (numbers[i] == WAKE) {
                Posix.reset(wakeFd);
            } else {
                numbers[kept++] = numbers[i];
            }
        }
        return kept;
    }

    /** Ends a wait, or the next one. Does nothing once this is closed. */
    public synchronized void wakeup() {
        if (wakeable) {
            Posix.signal(wakeFd);
        }
    }

    /** Ends all waits and closes this. Called within {@link Lifetime#close}. */
    @Override
    public void close() {
        source.shut();
        synchronized (this) {
            wakeable = false; // the number of the descriptor may be another one's from here on
            Posix.close(wakeFd);
        }
        Posix.close(epoll);
    }
}
