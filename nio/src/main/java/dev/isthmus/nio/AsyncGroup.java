// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.Channel;
import java.nio.channels.ShutdownChannelGroupException;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** Asynchronous channels whose handlers share threads. It ends once it is shut down and the last of them is closed. */
final class AsyncGroup extends AsynchronousChannelGroup implements Executor {

    private static final System.Logger LOG = System.getLogger("dev.isthmus.nio");

    private final ExecutorService executor;
    private final Set<Channel> channels = new HashSet<>(); // guarded by this, like the next fields
    private int operations; // those whose handlers are not with the executor yet
    private boolean shutdown;

    AsyncGroup(AsynchronousChannelProvider provider, ExecutorService executor) {
        super(provider);
        this.executor = executor;
    }

    /** Adds a channel and returns it; closes it if the group accepts no more. */
    <C extends Channel> C adopt(C channel) throws IOException {
        boolean added;
        synchronized (this) {
            added = !shutdown && channels.add(channel);
        }
        if (!added) {
            channel.close();
            throw new ShutdownChannelGroupException();
        }
        return channel;
    }

    /** Closes what one of its channels is made of, and removes the channel. */
    void close(Channel of, Channel channel) throws IOException {
        try {
            channel.close();
        } finally {
            synchronized (this) {
                channels.remove(of);
                endIfOver();
            }
        }
    }

    synchronized void operationBegun() {
        if (executor.isShutdown()) {
            throw new ShutdownChannelGroupException();
        }
        operations++;
    }

    synchronized void operationEnded() {
        operations--;
        endIfOver();
    }

    private void endIfOver() {
        if (shutdown && channels.isEmpty() && operations == 0) {
            executor.shutdown();
        }
    }

    /** Runs a task of the program's: programs cast groups of the JDK to what takes one. */
    @Override
    public void execute(Runnable task) {
        executor.execute(task);
    }

    /** Runs a handler. */
    void handle(Runnable handler) {
        try {
            executor.execute(handler);
        } catch (RejectedExecutionException e) {
            LOG.log(
                    Level.WARNING,
                    "a completion handler was not run: the executor of its group accepts no more tasks",
                    e);
        }
    }

    @Override
    public synchronized boolean isShutdown() {
        return shutdown;
    }

    @Override
    public boolean isTerminated() {
        return executor.isTerminated();
    }

    @Override
    public synchronized void shutdown() {
        shutdown = true;
        endIfOver();
    }

    @Override
    public void shutdownNow() throws IOException {
        List<Channel> open;
        synchronized (this) {
            shutdown = true;
            open = List.copyOf(channels);
        }
        for (Channel each : open) {
            each.close();
        }
        shutdown();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return executor.awaitTermination(timeout, unit);
    }
}
