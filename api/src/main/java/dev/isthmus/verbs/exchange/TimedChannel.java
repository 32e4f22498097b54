// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.exchange;

import dev.isthmus.internal.Deadline;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * A TCP connection with one deadline for everything, including writing and connecting. A blocking socket has no
 * deadline for writes, and one for each read, which a peer that sends byte by byte would extend.
 */
final class TimedChannel implements AutoCloseable {

    private final SocketChannel channel;
    private final Selector selector;
    private final InetSocketAddress peer;
    private final Deadline deadline;

    /** Takes over the channel, and closes it if this fails. */
    TimedChannel(SocketChannel channel, InetSocketAddress peer, Deadline deadline) throws IOException {
        this.channel = channel;
        this.peer = peer;
        this.deadline = deadline;
        Selector opened = null;
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            opened = Selector.open();
            channel.register(opened, 0);
        } catch (IOException e) {
            closeQuietly(opened);
            closeQuietly(channel);
            throw e;
        }
        this.selector = opened;
    }

    static TimedChannel connect(InetSocketAddress server, Deadline deadline) throws IOException {
        requireResolved(server);
        var timed = new TimedChannel(SocketChannel.open(), server, deadline);
        try {
            boolean connected = timed.channel.connect(server);
            while (!connected) {
                timed.await(SelectionKey.OP_CONNECT, "connect");
                connected = timed.channel.finishConnect();
            }
            return timed;
        } catch (ConnectException e) {
            timed.close();
            throw caused(new ConnectException("cannot connect to " + name(server) + ": " + e.getMessage()), e);
        } catch (IOException e) {
            timed.close();
            throw e;
        }
    }

    static void requireResolved(InetSocketAddress address) throws UnknownHostException {
        if (address.isUnresolved()) {
            throw new UnknownHostException("no host is called " + address.getHostString());
        }
    }

    void write(ByteBuffer message) throws IOException {
        try {
            while (message.hasRemaining()) {
                if (channel.write(message) == 0) {
                    await(SelectionKey.OP_WRITE, "take a message");
                }
            }
        } catch (SocketException e) {
            throw broken(e);
        }
    }

    /** Reads exactly this many bytes; what describes them in messages. */
    ByteBuffer read(int bytes, String what) throws IOException {
        ByteBuffer into = ByteBuffer.allocate(bytes);
        try {
            while (into.hasRemaining()) {
                int n = channel.read(into);
                if (n < 0) {
                    throw new EOFException("the peer at " + peer() + " closed the connection after " + into.position()
                            + " of " + bytes + " bytes, before it told " + what);
                }
                if (n == 0) {
                    await(SelectionKey.OP_READ, "tell " + what);
                }
            }
        } catch (SocketException e) {
            throw broken(e);
        }
        return into.flip();
    }

    private void await(int operation, String what) throws IOException {
        if (!await(selector, channel, operation, deadline)) {
            throw new SocketTimeoutException("the peer at " + peer() + " did not " + what + " within " + deadline);
        }
    }

    /** Waits until a channel may be ready; returns false if the deadline has passed. */
    static boolean await(Selector selector, SelectableChannel channel, int operation, Deadline deadline)
            throws IOException {
        long left = deadline.millisLeft();
        if (left == 0) {
            return false;
        }
        try {
            SelectionKey key = channel.keyFor(selector);
            if (key == null) {
                throw new ClosedChannelException();
            }
            key.interestOps(operation);
            selector.select(left);
            selector.selectedKeys().clear();
        } catch (ClosedSelectorException | CancelledKeyException e) {
            throw caused(new AsynchronousCloseException(), e);
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException("interrupted while waiting for a peer");
        }
        return true;
    }

    private SocketException broken(SocketException e) {
        return caused(new SocketException("the connection to the peer at " + peer() + " broke: " + e.getMessage()), e);
    }

    private static <E extends Exception> E caused(E exception, Exception cause) {
        exception.initCause(cause);
        return exception;
    }

    InetSocketAddress peerAddress() {
        return peer;
    }

    String peer() {
        return name(peer);
    }

    static String name(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
    }

    static void closeQuietly(AutoCloseable resource) {
        try {
            if (resource != null) {
                resource.close();
            }
        } catch (Exception e) {
            // Nothing is lost: all data was read or written, or has failed already.
        }
    }

    @Override
    public void close() {
        closeQuietly(channel);
        closeQuietly(selector); // wakes a waiting thread
    }
}
