// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static dev.isthmus.nio.SocketErrors.ofOption;
import static dev.isthmus.nio.SocketErrors.translated;

import dev.isthmus.nio.stream.Deadlines;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.IllegalBlockingModeException;
import java.util.Set;

/**
 * A channel as a {@link Socket}, with time limits. Everything is expressed by the channel. It has no urgent data.
 */
final class ChannelSocket extends Socket {

    private static final InetAddress WILDCARD = new InetSocketAddress(0).getAddress();

    private final TimedSocketChannel channel;
    private volatile int timeoutMillis; // of a read; 0 for none
    private volatile boolean urgentInline; // there is no urgent data

    private ChannelSocket(TimedSocketChannel channel) throws SocketException {
        super((SocketImpl) null);
        this.channel = channel;
    }

    static ChannelSocket of(TimedSocketChannel channel) {
        try {
            return new ChannelSocket(channel);
        } catch (SocketException e) {
            throw new AssertionError("nothing of the system is asked for", e);
        }
    }

    @Override
    public TimedSocketChannel getChannel() {
        return channel;
    }

    private void checkOpen() throws SocketException {
        if (isClosed()) {
            throw new SocketException("Socket is closed");
        }
    }

    private void checkConnected() throws SocketException {
        checkOpen();
        if (!isConnected()) {
            throw new SocketException("Socket is not connected");
        }
    }

    @Override
    public void connect(SocketAddress remote) throws IOException {
        connect(remote, 0);
    }

    @Override
    public void connect(SocketAddress remote, int timeout) throws IOException {
        if (remote == null) {
            throw new IllegalArgumentException("connect: The address can't be null");
        }
        if (timeout < 0) {
            throw new IllegalArgumentException("connect: timeout can't be negative");
        }
        checkOpen();
        if (!channel.isBlocking()) {
            throw new IllegalBlockingModeException();
        }
        if (isConnected()) {
            throw new SocketException("Already connected"); // whatever the address is, and it stays open
        }
        if (remote instanceof InetSocketAddress internet && internet.isUnresolved()) {
            close(); // like the JDK's sockets
            throw SocketErrors.unknown(remote);
        }
        translated(() -> channel.connect(remote, Deadlines.after(timeout)));
    }

    @Override
    public void bind(SocketAddress local) throws IOException {
        translated(() -> channel.bind(local));
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    @Override
    public InputStream getInputStream() throws IOException {
        checkConnected();
        if (channel.isInputShut()) {
            throw new SocketException("Socket input is shutdown");
        }
        return new ChannelStreams.Input(this);
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        checkConnected();
        if (channel.isOutputShut()) {
            throw new SocketException("Socket output is shutdown");
        }
        return new ChannelStreams.Output(this);
    }

    @Override
    public void shutdownInput() throws IOException {
        translated(channel::shutdownInput);
    }

    @Override
    public void shutdownOutput() throws IOException {
        translated(channel::shutdownOutput);
    }

    @Override
    public void sendUrgentData(int data) throws IOException {
        checkConnected();
        throw new SocketException("sockets over RDMA have no urgent data");
    }

    // ---- where it is

    @Override
    public boolean isConnected() {
        return channel.isConnected();
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
    public boolean isInputShutdown() {
        return channel.isInputShut();
    }

    @Override
    public boolean isOutputShutdown() {
        return channel.isOutputShut();
    }

    @Override
    public InetAddress getInetAddress() {
        InetSocketAddress remote = channel.remoteOrNull();
        return remote == null ? null : remote.getAddress();
    }

    @Override
    public int getPort() {
        InetSocketAddress remote = channel.remoteOrNull();
        return remote == null ? 0 : remote.getPort();
    }

    @Override
    public SocketAddress getRemoteSocketAddress() {
        return channel.remoteOrNull();
    }

    @Override
    public InetAddress getLocalAddress() {
        InetSocketAddress local = channel.localOrNull();
        return local == null || isClosed() ? WILDCARD : local.getAddress();
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
    public <T> Socket setOption(SocketOption<T> name, T value) throws IOException {
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

    private <T> void set(SocketOption<T> name, T value) throws SocketException {
        ofOption(() -> channel.setOption(name, value));
    }

    private <T> T get(SocketOption<T> name) throws SocketException {
        return ofOption(() -> channel.getOption(name));
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
    public int getSoTimeout() throws SocketException {
        checkOpen();
        return timeoutMillis;
    }

    @Override
    public void setTcpNoDelay(boolean on) throws SocketException {
        set(StandardSocketOptions.TCP_NODELAY, on);
    }

    @Override
    public boolean getTcpNoDelay() throws SocketException {
        return get(StandardSocketOptions.TCP_NODELAY);
    }

    @Override
    public void setSoLinger(boolean on, int seconds) throws SocketException {
        set(StandardSocketOptions.SO_LINGER, on ? seconds : -1);
    }

    @Override
    public int getSoLinger() throws SocketException {
        return get(StandardSocketOptions.SO_LINGER);
    }

    @Override
    public void setKeepAlive(boolean on) throws SocketException {
        set(StandardSocketOptions.SO_KEEPALIVE, on);
    }

    @Override
    public boolean getKeepAlive() throws SocketException {
        return get(StandardSocketOptions.SO_KEEPALIVE);
    }

    @Override
    public void setReuseAddress(boolean on) throws SocketException {
        set(StandardSocketOptions.SO_REUSEADDR, on);
    }

    @Override
    public boolean getReuseAddress() throws SocketException {
        return get(StandardSocketOptions.SO_REUSEADDR);
    }

    @Override
    public void setSendBufferSize(int bytes) throws SocketException {
        if (bytes <= 0) {
            throw new IllegalArgumentException("Invalid send size");
        }
        set(StandardSocketOptions.SO_SNDBUF, bytes);
    }

    @Override
    public int getSendBufferSize() throws SocketException {
        return get(StandardSocketOptions.SO_SNDBUF);
    }

    @Override
    public void setReceiveBufferSize(int bytes) throws SocketException {
        if (bytes <= 0) {
            throw new IllegalArgumentException("Invalid receive size");
        }
        set(StandardSocketOptions.SO_RCVBUF, bytes);
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        return get(StandardSocketOptions.SO_RCVBUF);
    }

    @Override
    public void setTrafficClass(int tc) throws SocketException {
        set(StandardSocketOptions.IP_TOS, tc);
    }

    @Override
    public int getTrafficClass() throws SocketException {
        return get(StandardSocketOptions.IP_TOS);
    }

    @Override
    public void setOOBInline(boolean on) throws SocketException {
        checkOpen();
        urgentInline = on;
    }

    @Override
    public boolean getOOBInline() throws SocketException {
        checkOpen();
        return urgentInline;
    }

    @Override
    public String toString() {
        return isConnected()
                ? "Socket[addr=" + getInetAddress() + ",port=" + getPort() + ",localport=" + getLocalPort() + "]"
                : "Socket[unconnected]";
    }
}
