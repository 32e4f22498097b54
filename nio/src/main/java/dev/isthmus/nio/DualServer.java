// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import dev.isthmus.nio.stream.Deadlines;
import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Two servers at one port. Both accept in the background, each on a thread of its own, and connections are handed out
 * in the order in which they were accepted. Thread-safe.
 */
final class DualServer extends Selectable {

    private static final int DEFAULT_BACKLOG = 50; // the JDK's

    private final ServerSocketChannel tcp;
    private final ServerSocketChannel rdma;
    private final int maxReady;
    private final List<Thread> threads;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<Object> ready =
            new ArrayDeque<>(); // channels and failures; guarded by the lock, like the next fields
    private IOException failure; // the one that is ready; null if none is
    private boolean closed;

    /** Starts with two blocking servers. */
    DualServer(ServerSocketChannel tcp, ServerSocketChannel rdma, int backlog) {
        this.tcp = tcp;
        this.rdma = rdma;
        this.maxReady = backlog < 1 ? DEFAULT_BACKLOG : backlog;
        threads = List.of(accepting(tcp), accepting(rdma));
    }

    private Thread accepting(ServerSocketChannel from) {
        return Thread.ofPlatform().daemon().name("isthmus-accept").start(() -> acceptAll(from));
    }

    private void acceptAll(ServerSocketChannel from) {
        boolean goesOn = true;
        while (goesOn) {
            try {
                goesOn = put(from.accept());
            } catch (ClosedChannelException e) {
                return;
            } catch (IOException e) {
                goesOn = fail(e); // such as too many open files
            }
        }
    }

    /** Waits for room, so that further peers wait in the backlog; returns false if this is closed. */
    private boolean put(SocketChannel next) {
        lock.lock();
        try {
            while (!closed && ready.size() >= maxReady) {
                changed.awaitUninterruptibly();
            }
            if (!closed) {
                add(next);
                return true;
            }
        } finally {
            lock.unlock();
        }
        Quietly.close(next);
        return false;
    }

    /**
     * Reports a failure to whoever accepts, and waits until it is taken: until then, further attempts would fail, too.
     * Returns false if this is closed.
     */
    private boolean fail(IOException why) {
        lock.lock();
        try {
            if (failure == null && !closed) {
                failure = why;
                add(why);
            }
            while (!closed && failure != null) {
                changed.awaitUninterruptibly();
            }
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    private void add(Object next) {
        ready.add(next);
        changed.signalAll();
        watchers().changed();
    }

    private static void drop(Object next) {
        if (next instanceof SocketChannel channel) {
            Quietly.close(channel);
        }
    }

    @Override
    int ready(int operations, int found, boolean arm) {
        lock.lock();
        try {
            return ready.isEmpty() ? 0 : operations;
        } finally {
            lock.unlock();
        }
    }

    /** Accepts without waiting; null if there is none. */
    SocketChannel poll() throws IOException {
        lock.lock();
        try {
            return next();
        } finally {
            lock.unlock();
        }
    }

    private SocketChannel next() throws IOException {
        if (closed) {
            throw new AsynchronousCloseException();
        }
        Object next = ready.poll();
        if (next != null) { // otherwise two that wait would wake each other all the time
            changed.signalAll();
        }
        if (next instanceof IOException e) {
            failure = null;
            throw new IOException(e.getMessage(), e);
        }
        return (SocketChannel) next;
    }

    /** Waits for one until a deadline; null if none comes in time. */
    SocketChannel take(long deadline) throws IOException, InterruptedException {
        lock.lock();
        try {
            while (true) {
                SocketChannel next = next();
                if (next != null) {
                    return next;
                }
                if (deadline == Deadlines.EVER) {
                    changed.await();
                } else if (!changed.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS) && ready.isEmpty()) {
                    return null;
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Closes both, and connections that nobody has accepted. Does nothing if this is closed already. */
    void close() throws IOException {
        Deque<Object> left;
        lock.lock();
        try {
            closed = true;
            left = new ArrayDeque<>(ready);
            ready.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        try (tcp;
                rdma) {
            left.forEach(DualServer::drop);
        }
        awaitThreads(); // TCP's port is free only once none of them is in accept
    }

    private void awaitThreads() {
        boolean interrupted = false;
        for (Thread each : threads) {
            while (each.isAlive()) {
                try {
                    each.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
