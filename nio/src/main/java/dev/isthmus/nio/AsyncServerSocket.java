// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import dev.isthmus.nio.AsyncOperations.Completion;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.AcceptPendingException;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.ShutdownChannelGroupException;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.Future;

/** An asynchronous server on top of a blocking one. Accepted channels belong to the same group. */
final class AsyncServerSocket extends AsynchronousServerSocketChannel {

    private final AsyncGroup group;
    private final ServerSocketChannel channel;
    private final AsyncOperations accepts;
    private volatile boolean bound;

    private AsyncServerSocket(AsyncGroup group, ServerSocketChannel channel) {
        super(group.provider());
        this.group = group;
        this.channel = channel;
        this.accepts = new AsyncOperations(group, this, "Accept", AcceptPendingException::new);
    }

    /** Wraps a channel, which is closed if the group accepts no more. */
    static AsyncServerSocket of(AsyncGroup group, ServerSocketChannel channel) throws IOException {
        return group.adopt(new AsyncServerSocket(group, channel));
    }

    @Override
    public Future<AsynchronousSocketChannel> accept() {
        return begin(Completion.none());
    }

    @Override
    public <A> void accept(A attachment, CompletionHandler<AsynchronousSocketChannel, ? super A> handler) {
        Future<?> _ = begin(Completion.of(handler, attachment));
    }

    private <A> Future<AsynchronousSocketChannel> begin(Completion<AsynchronousSocketChannel, A> completion) {
        if (!isOpen()) {
            return accepts.completed(null, new ClosedChannelException(), completion);
        }
        if (!bound) {
            throw new NotYetBoundException();
        }
        return accepts.start(this::accepted, Quietly::close, 0, completion);
    }

    private AsynchronousSocketChannel accepted() throws IOException {
        SocketChannel made = channel.accept();
        try {
            return AsyncSocket.of(group, made);
        } catch (ShutdownChannelGroupException e) {
            throw new IOException("the accepted connection was closed: its group was shut down meanwhile", e);
        }
    }

    @Override
    public AsynchronousServerSocketChannel bind(SocketAddress local, int backlog) throws IOException {
        channel.bind(local, backlog);
        bound = true;
        return this;
    }

    @Override
    public SocketAddress getLocalAddress() throws IOException {
        return channel.getLocalAddress();
    }

    @Override
    public <T> AsynchronousServerSocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        channel.setOption(name, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        return channel.getOption(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return channel.supportedOptions();
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void close() throws IOException {
        group.close(this, channel);
    }

    @Override
    public String toString() {
        return "asynchronous " + channel;
    }
}
