// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.io.IOException;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.IllegalChannelGroupException;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;

/**
 * Asynchronous sockets over RDMA, for programs that open them by {@link AsynchronousSocketChannel#open()} and similar
 * methods with {@code
 * -Djava.nio.channels.spi.AsynchronousChannelProvider=dev.isthmus.nio.RdmaAsynchronousChannelProvider}, or that accept
 * a provider. The rules of {@link RdmaSelectorProvider} say which sockets use RDMA, and which TCP.
 *
 * <p>A virtual thread waits for each operation that is under way. Handlers run on the group's threads, never on the
 * thread that began the operation. A read that has timed out, or was cancelled, may still put bytes into its buffer,
 * and the channel reads no more. The same holds for writes and accepts. Closing the channel ends them. Any thread may
 * use it.
 */
public final class RdmaAsynchronousChannelProvider extends AsynchronousChannelProvider {

    private final SelectorProvider sockets;
    private final AsyncGroup common = new AsyncGroup(this, DefaultThreads.open());

    /**
     * Creates a provider.
     *
     * @throws IllegalArgumentException if a rule cannot be read, or a property of {@link AsynchronousChannelGroup}'s
     *     default group is invalid; the message says which, and what was expected
     * @throws java.io.UncheckedIOException if {@code isthmus.nio.rules} names a file that cannot be read
     */
    public RdmaAsynchronousChannelProvider() {
        this(RdmaSelectorProvider.shared());
    }

    RdmaAsynchronousChannelProvider(SelectorProvider sockets) {
        this.sockets = sockets;
    }

    @Override
    public AsynchronousChannelGroup openAsynchronousChannelGroup(int threads, ThreadFactory factory) {
        var executor = (ThreadPoolExecutor) Executors.newFixedThreadPool(threads, factory);
        executor.prestartAllCoreThreads(); // these keep the JVM alive, like those of the JDK
        return new AsyncGroup(this, executor);
    }

    @Override
    public AsynchronousChannelGroup openAsynchronousChannelGroup(ExecutorService executor, int initialSize) {
        if (executor == null) {
            throw new NullPointerException("executor");
        }
        return new AsyncGroup(this, executor);
    }

    private AsyncGroup checked(AsynchronousChannelGroup group) {
        if (group == null) {
            return common;
        }
        if (group instanceof AsyncGroup one && one.provider() == this) {
            return one;
        }
        throw new IllegalChannelGroupException();
    }

    @Override
    public AsynchronousServerSocketChannel openAsynchronousServerSocketChannel(AsynchronousChannelGroup group)
            throws IOException {
        return AsyncServerSocket.of(checked(group), sockets.openServerSocketChannel());
    }

    @Override
    public AsynchronousSocketChannel openAsynchronousSocketChannel(AsynchronousChannelGroup group) throws IOException {
        return AsyncSocket.of(checked(group), sockets.openSocketChannel());
    }
}
