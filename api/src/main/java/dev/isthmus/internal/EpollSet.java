// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

/** An {@code epoll} descriptor, and an {@code eventfd} in it by which any thread ends a wait for it. Thread-safe. */
public final class EpollSet implements AutoCloseable {

    /** The number that stands for {@link #wakeup}; descriptors have numbers from 0 on. */
    public static final long WAKE = -1;

    private final int epoll = Posix.epoll();
    private final int wakeFd = Lifetime.orDestroy(Posix::eventfd, () -> Posix.close(epoll));
    private boolean closed; // guarded by this

    /** Creates a set with no descriptor but its own. */
    public EpollSet() {
        Lifetime.orDestroy(
                () -> {
                    add(wakeFd, Posix.EPOLLIN, WAKE);
                    return null;
                },
                this::close);
    }

    /** The descriptor to wait for. */
    public int epoll() {
        return epoll;
    }

    /** Waits for some events of a descriptor, until it is closed, or {@linkplain #remove removed}. */
    public void add(int fd, int events, long number) {
        Posix.watch(epoll, fd, events, number);
    }

    /** Waits for other events of a descriptor that was added. */
    public void change(int fd, int events, long number) {
        Posix.rewatch(epoll, fd, events, number);
    }

    /** Removes a descriptor that was added, or does nothing if it was closed. */
    public void remove(int fd) {
        Posix.unwatch(epoll, fd);
    }

    /** Ends a wait, or the next one. Does nothing once this is closed. */
    public synchronized void wakeup() {
        if (!closed) {
            Posix.signal(wakeFd);
        }
    }

    /** Forgets a {@link #wakeup}. */
    public void reset() {
        Posix.reset(wakeFd);
    }

    /** Closes both descriptors, so others may get their numbers. Call this once, when nobody waits. */
    @Override
    public synchronized void close() {
        closed = true;
        Posix.close(wakeFd);
        Posix.close(epoll);
    }
}
