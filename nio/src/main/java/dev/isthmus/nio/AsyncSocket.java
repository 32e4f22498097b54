// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import dev.isthmus.nio.AsyncOperations.Body;
import dev.isthmus.nio.AsyncOperations.Completion;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.ReadPendingException;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritePendingException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** An asynchronous channel on top of a blocking one. */
final class AsyncSocket extends AsynchronousSocketChannel {

    private final AsyncGroup group;
    private final SocketChannel channel;
    private final AsyncOperations connects;
    private final AsyncOperations reads;
    private final AsyncOperations writes;

    private AsyncSocket(AsyncGroup group, SocketChannel channel) {
        super(group.provider());
        this.group = group;
        this.channel = channel;
        this.connects = new AsyncOperations(group, this, "Connecting", ConnectionPendingException::new);
        this.reads = new AsyncOperations(group, this, "Reading", ReadPendingException::new);
        this.writes = new AsyncOperations(group, this, "Writing", WritePendingException::new);
    }

    /** Wraps a channel, which is closed if the group accepts no more. */
    static AsyncSocket of(AsyncGroup group, SocketChannel channel) throws IOException {
        return group.adopt(new AsyncSocket(group, channel));
    }

    // ---- connecting

    @Override
    public Future<Void> connect(SocketAddress remote) {
        return begin(remote, Completion.none());
    }

    @Override
    public <A> void connect(SocketAddress remote, A attachment, CompletionHandler<Void, ? super A> handler) {
        Future<?> _ = begin(remote, Completion.of(handler, attachment));
    }

    private <A> Future<Void> begin(SocketAddress remote, Completion<Void, A> completion) {
        if (!isOpen()) {
            return connects.completed(null, new ClosedChannelException(), completion);
        }
        Addresses.checked(remote);
        if (channel.isConnected()) {
            throw new AlreadyConnectedException();
        }
        return connects.start(
                () -> {
                    try {
                        channel.connect(remote);
                        return null;
                    } catch (Throwable t) {
                        close();
                        throw t;
                    }
                },
                _ -> Quietly.close(this),
                0,
                completion);
    }

    // ---- data

    @Override
    public Future<Integer> read(ByteBuffer to) {
        return begin(to, 0, Completion.none());
    }

    @Override
    public <A> void read(
            ByteBuffer to, long timeout, TimeUnit unit, A attachment, CompletionHandler<Integer, ? super A> handler) {
        Future<?> _ = begin(to, unit.toNanos(timeout), Completion.of(handler, attachment));
    }

    private <A> Future<Integer> begin(ByteBuffer to, long nanos, Completion<Integer, A> completion) {
        checkWritable(to);
        return begin(reads, to.hasRemaining(), 0, () -> channel.read(to), nanos, completion);
    }

    @Override
    public <A> void read(
            ByteBuffer[] to,
            int offset,
            int length,
            long timeout,
            TimeUnit unit,
            A attachment,
            CompletionHandler<Long, ? super A> handler) {
        Completion<Long, A> completion = Completion.of(handler, attachment);
        ByteBuffer[] buffers = copy(to, offset, length);
        for (ByteBuffer each : buffers) {
            checkWritable(each);
        }
        Future<?> _ =
                begin(reads, hasRemaining(buffers), 0L, () -> channel.read(buffers), unit.toNanos(timeout), completion);
    }

    private static void checkWritable(ByteBuffer to) {
        if (to.isReadOnly()) {
            throw new IllegalArgumentException("Read-only buffer");
        }
    }

    @Override
    public Future<Integer> write(ByteBuffer from) {
        return begin(writes, from.hasRemaining(), 0, () -> channel.write(from), 0, Completion.none());
    }

    @Override
    public <A> void write(
            ByteBuffer from, long timeout, TimeUnit unit, A attachment, CompletionHandler<Integer, ? super A> handler) {
        Completion<Integer, A> completion = Completion.of(handler, attachment);
        Future<?> _ =
                begin(writes, from.hasRemaining(), 0, () -> channel.write(from), unit.toNanos(timeout), completion);
    }

    @Override
    public <A> void write(
            ByteBuffer[] from,
            int offset,
            int length,
            long timeout,
            TimeUnit unit,
            A attachment,
            CompletionHandler<Long, ? super A> handler) {
        Completion<Long, A> completion = Completion.of(handler, attachment);
        ByteBuffer[] buffers = copy(from, offset, length);
        Future<?> _ = begin(
                writes, hasRemaining(buffers), 0L, () -> channel.write(buffers), unit.toNanos(timeout), completion);
    }

    private static ByteBuffer[] copy(ByteBuffer[] buffers, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, buffers.length);
        var copy = new ByteBuffer[length];
        for (int i = 0; i < length; i++) {
            copy[i] = Objects.requireNonNull(buffers[offset + i], "buffer");
        }
        return copy;
    }

    private static boolean hasRemaining(ByteBuffer[] buffers) {
        for (ByteBuffer each : buffers) {
            if (each.hasRemaining()) {
                return true;
            }
        }
        return false;
    }

    private <V, A> Future<V> begin(
            AsyncOperations of, boolean hasWork, V nothing, Body<V> body, long nanos, Completion<V, A> completion) {
        if (!isOpen()) {
            return of.completed(null, new ClosedChannelException(), completion);
        }
        if (!channel.isConnected()) {
            throw new NotYetConnectedException();
        }
        if (!hasWork) {
            return of.completed(nothing, null, completion);
        }
        return of.start(body, _ -> {}, nanos, completion);
    }

    @Override
    public AsynchronousSocketChannel shutdownInput() throws IOException {
        channel.shutdownInput();
        return this;
    }

    @Override
    public AsynchronousSocketChannel shutdownOutput() throws IOException {
        channel.shutdownOutput();
        return this;
    }

    // ---- what it has

    @Override
    public AsynchronousSocketChannel bind(SocketAddress local) throws IOException {
        if (connects.isBusy()) {
            throw new ConnectionPendingException();
        }
        channel.bind(local);
        return this;
    }

    @Override
    public SocketAddress getLocalAddress() throws IOException {
        return channel.getLocalAddress();
    }

    @Override
    public SocketAddress getRemoteAddress() throws IOException {
        return channel.getRemoteAddress();
    }

    @Override
    public <T> AsynchronousSocketChannel setOption(SocketOption<T> name, T value) throws IOException {
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
