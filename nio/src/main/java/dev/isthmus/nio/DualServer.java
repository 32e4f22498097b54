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
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Two servers at one port. Both accept in the background, each on a thread of its own, and connections are handed out
 * in the order in which they were accepted. Thread-safe.
 */
final class DualServer<C> extends Selectable {

    /** One of the servers. */
    interface Server<C> {

        /**
         * Waits for a connection.
         *
         * @throws ClosedChannelException if it is closed
         */
        C accept() throws IOException;

        void close() throws IOException;
    }

    /** A connection, or a failure to accept one; the other is null. */
    private record Arrival<C>(C connection, IOException failure) {}

    static final int DEFAULT_BACKLOG = 50; // the JDK's

    private final Server<C> tcp;
    private final Server<C> rdma;
    private final Consumer<C> drop;
    private final int maxReady;
    private final List<Thread> threads;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<Arrival<C>> ready = new ArrayDeque<>(); // guarded by the lock, like the next fields
    private IOException failure; // the one that is ready; null if none is
    private boolean closed;

    /**
     * Starts with two servers, which are closed with this.
     *
     * @param drop closes a connection that nobody accepts
     */
    DualServer(Server<C> tcp, Server<C> rdma, int backlog, Consumer<C> drop) {
        this.tcp = tcp;
        this.rdma = rdma;
        this.drop = drop;
        this.maxReady = backlog < 1 ? DEFAULT_BACKLOG : backlog;
        threads = List.of(accepting(tcp), accepting(rdma));
    }

    /** Starts with two blocking channels. */
    static DualServer<SocketChannel> of(ServerSocketChannel tcp, ServerSocketChannel rdma, int backlog) {
        return new DualServer<>(server(tcp), server(rdma), backlog, Quietly::close);
    }

    private static Server<SocketChannel> server(ServerSocketChannel one) {
        return new Server<>() {

            @Override
            public SocketChannel accept() throws IOException {
                return one.accept();
            }

            @Override
            public void close() throws IOException {
                one.close();
            }
        };
    }

    private Thread accepting(Server<C> from) {
        return Thread.ofPlatform().daemon().name("isthmus-accept").start(() -> acceptAll(from));
    }

    private void acceptAll(Server<C> from) {
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
    private boolean put(C next) {
        lock.lock();
        try {
            while (!closed && ready.size() >= maxReady) {
                changed.awaitUninterruptibly();
            }
            if (!closed) {
                add(new Arrival<>(next, null));
                return true;
            }
        } finally {
            lock.unlock();
        }
        drop.accept(next);
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
                add(new Arrival<>(null, why));
            }
            while (!closed && failure != null) {
                changed.awaitUninterruptibly();
            }
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    private void add(Arrival<C> next) {
        ready.add(next);
        changed.signalAll();
        watchers().changed();
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
    C poll() throws IOException {
        lock.lock();
        try {
            return next();
        } finally {
            lock.unlock();
        }
    }

    private C next() throws IOException {
        if (closed) {
            throw new AsynchronousCloseException();
        }
        Arrival<C> next = ready.poll();
        if (next == null) {
            return null;
        }
        changed.signalAll(); // not without one: two that wait would wake each other all the time
        if (next.failure != null) {
            failure = null;
            throw new IOException(next.failure.getMessage(), next.failure);
        }
        return next.connection;
    }

    /** Waits for one until a deadline; null if none comes in time. */
    C take(long deadline) throws IOException, InterruptedException {
        lock.lock();
        try {
            while (true) {
                C next = next();
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
        Deque<Arrival<C>> left;
        lock.lock();
        try {
            closed = true;
            left = new ArrayDeque<>(ready);
            ready.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        try {
            left.stream().map(Arrival::connection).filter(Objects::nonNull).forEach(drop);
            tcp.close();
        } finally {
            rdma.close();
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
