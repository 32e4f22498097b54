package dev.isthmus.internal;

import java.time.Duration;

/**
 * Several file descriptors as one source that a thread waits on, with a way to end the wait. Thread-safe, but for {@link
 * #close}, which comes last.
 */
public final class WatchedDescriptors implements AutoCloseable {

    private final int epoll = Posix.epoll();
    private final int wakeFd;
    private final EventSource source;

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
            Posix.watch(epoll, wake);
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

    /** Adds a descriptor, which is watched until it is closed. */
    public void add(int fd) {
        Posix.watch(epoll, fd);
    }

    /**
     * Waits until a descriptor may be readable, {@link #wakeup} is called, or the time is over.
     *
     * @throws InterruptedException if the thread is interrupted before or while it waits
     * @throws IllegalStateException if the object is closed, before or meanwhile
     */
    public void await(Duration timeout) throws InterruptedException {
        source.await(timeout, () -> Boolean.TRUE);
        Posix.reset(wakeFd);
    }

    /** Ends a wait, or the next one. */
    public void wakeup() {
        Posix.signal(wakeFd);
    }

    /** Ends all waits and closes this. Called within {@link Lifetime#close}. */
    @Override
    public void close() {
        source.shut();
        Posix.close(epoll);
        Posix.close(wakeFd);
    }
}
