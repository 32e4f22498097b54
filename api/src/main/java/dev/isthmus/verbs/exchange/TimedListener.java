// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.exchange;

import dev.isthmus.internal.Deadline;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** A TCP port on one address, which waits for peers until a deadline. */
final class TimedListener implements AutoCloseable {

    private final ServerSocketChannel channel;
    private final Selector selector;
    private final InetSocketAddress address;

    /** A selector serves one thread at a time. */
    private final ReentrantLock accepting = new ReentrantLock();

    private TimedListener(ServerSocketChannel channel, Selector selector) throws IOException {
        this.channel = channel;
        this.selector = selector;
        this.address = (InetSocketAddress) channel.getLocalAddress();
    }

    static TimedListener open(InetSocketAddress address) throws IOException {
        TimedChannel.requireResolved(address);
        if (address.getAddress().isAnyLocalAddress()) {
            throw new IllegalArgumentException(
                    address + " means every address of this host: name the one that peers are to come to");
        }
        ServerSocketChannel channel = ServerSocketChannel.open();
        Selector selector = null;
        try {
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            channel.configureBlocking(false);
            channel.bind(address);
            selector = Selector.open();
            channel.register(selector, 0);
            return new TimedListener(channel, selector);
        } catch (IOException e) {
            TimedChannel.closeQuietly(selector);
            TimedChannel.closeQuietly(channel);
            if (e instanceof BindException) {
                var named = new BindException("cannot listen at " + TimedChannel.name(address) + ": " + e.getMessage());
                named.initCause(e);
                throw named;
            }
            throw e;
        }
    }

    InetSocketAddress address() {
        return address;
    }

    TimedChannel accept(Deadline wait, Duration exchange) throws IOException {
        Deadline.after(exchange); // refuses wrong ones now, not when a peer connects
        if (!lock(wait)) {
            throw noPeer(wait);
        }
        try {
            while (true) {
                SocketChannel accepted = channel.accept();
                if (accepted != null) {
                    return new TimedChannel(
                            accepted, (InetSocketAddress) accepted.getRemoteAddress(), Deadline.after(exchange));
                }
                if (!TimedChannel.await(selector, channel, SelectionKey.OP_ACCEPT, wait)) {
                    throw noPeer(wait);
                }
            }
        } finally {
            accepting.unlock();
        }
    }

    private boolean lock(Deadline wait) throws InterruptedIOException {
        try {
            return accepting.tryLock(wait.millisLeft(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for a peer");
        }
    }

    private SocketTimeoutException noPeer(Deadline wait) {
        return new SocketTimeoutException("nobody came to " + TimedChannel.name(address) + " within " + wait);
    }

    @Override
    public void close() {
        TimedChannel.closeQuietly(channel);
        TimedChannel.closeQuietly(selector); // wakes a waiting thread
    }
}
