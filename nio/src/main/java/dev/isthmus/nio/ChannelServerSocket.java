// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static dev.isthmus.nio.SocketErrors.ofOption;
import static dev.isthmus.nio.SocketErrors.translated;

import dev.isthmus.nio.stream.Deadlines;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SocketChannel;
import java.util.Set;

/** A server channel as a {@link ServerSocket}, with time limits. Everything is expressed by the channel. */
final class ChannelServerSocket extends ServerSocket {

    private final TimedServerSocketChannel channel;
    private volatile int timeoutMillis; // of an accept; 0 for none

    private ChannelServerSocket(TimedServerSocketChannel channel) throws IOException {
        this.channel = channel;
    }

    static ChannelServerSocket of(TimedServerSocketChannel channel) {
        try {
            return new ChannelServerSocket(channel); // it uses nothing of the system before it is bound
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public TimedServerSocketChannel getChannel() {
        return channel;
    }

    private void checkOpen() throws SocketException {
        if (isClosed()) {
            throw new SocketException("Socket is closed");
        }
    }

    @Override
    public void bind(SocketAddress local) throws IOException {
        bind(local, 50);
    }

    @Override
    public void bind(SocketAddress local, int backlog) throws IOException {
        translated(() -> channel.bind(local, backlog));
    }

    @Override
    public Socket accept() throws IOException {
        int timeout = timeoutMillis;
        if (timeout > 0 && channel.isOpen() && !channel.isBlocking()) {
            throw new IllegalBlockingModeException();
        }
        SocketChannel accepted =
                translated(() -> timeout > 0 ? channel.accept(Deadlines.after(timeout)) : channel.accept());
        if (accepted == null) {
            throw new IllegalBlockingModeException();
        }
        return accepted.socket();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    @Override
    public boolean isBound() {
        return channel.localOrNull() != null;
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }

    @Override
    public InetAddress getInetAddress() {
        InetSocketAddress local = channel.localOrNull();
        return local == null ? null : local.getAddress();
    }

    @Override
    public int getLocalPort() {
        InetSocketAddress local = channel.localOrNull();
        return local == null ? -1 : local.getPort();
    }

    @Override
    public SocketAddress getLocalSocketAddress() {
        return channel.localOrNull();
    }

    // ---- options

    @Override
    public <T> ServerSocket setOption(SocketOption<T> name, T value) throws IOException {
        translated(() -> channel.setOption(name, value));
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        return translated(() -> channel.getOption(name));
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return channel.supportedOptions();
    }

    @Override
    public void setSoTimeout(int timeout) throws SocketException {
        checkOpen();
        if (timeout < 0) {
            throw new IllegalArgumentException("timeout < 0");
        }
        timeoutMillis = timeout;
    }

    @Override
    public int getSoTimeout() throws IOException {
        checkOpen();
        return timeoutMillis;
    }

    @Override
    public void setReuseAddress(boolean on) throws SocketException {
        ofOption(() -> channel.setOption(StandardSocketOptions.SO_REUSEADDR, on));
    }

    @Override
    public boolean getReuseAddress() throws SocketException {
        return ofOption(() -> channel.getOption(StandardSocketOptions.SO_REUSEADDR));
    }

    @Override
    public void setReceiveBufferSize(int bytes) throws SocketException {
        if (bytes <= 0) {
            throw new IllegalArgumentException("size cannot be 0 or negative");
        }
        ofOption(() -> channel.setOption(StandardSocketOptions.SO_RCVBUF, bytes));
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        return ofOption(() -> channel.getOption(StandardSocketOptions.SO_RCVBUF));
    }

    @Override
    public String toString() {
        return isBound()
                ? "ServerSocket[addr=" + getInetAddress() + ",localport=" + getLocalPort() + "]"
                : "ServerSocket[unbound]";
    }
}
