// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.SocketOptions;
import java.util.HashSet;
import java.util.Set;

/**
 * A socket of {@code java.net} that uses RDMA or TCP, which the rules decide when it is bound or connects. From then on it
 * delegates to a socket over RDMA or to the JDK's own; until then it sets the options of both.
 */
final class SwitchedSocketImpl extends SocketImpl {

    private final RdmaSelectorProvider provider; // has the rules
    private final Object lock = new Object(); // guards the next fields
    private SocketImpl tcp; // null unless it was created, and may still use TCP
    private RdmaSocketImpl rdma; // null unless it was created, and may still use RDMA
    private volatile SocketImpl chosen; // null until it is decided
    private boolean closed;

    SwitchedSocketImpl(RdmaSelectorProvider provider) {
        this.provider = provider;
    }

    /** Takes the socket that a server has accepted; if this is closed, closes that, too. */
    void accepted(SocketImpl one) throws IOException {
        synchronized (lock) {
            if (closed) {
                SocketMethod.CLOSE.on(one);
                throw new SocketException("Socket closed");
            }
            SocketImpl former = chosen == null ? tcp : chosen; // the program made it to be accepted into
            tcp = null;
            rdma = null;
            chosen = one;
            if (former != null) {
                Quietly.close((Closeable) () -> SocketMethod.CLOSE.on(former)); // as the JDK does
            }
        }
    }

    @Override
    protected void create(boolean stream) throws IOException {
        synchronized (lock) {
            SocketImpl one = SocketMethod.client();
            SocketMethod.CREATE.on(one, stream);
            tcp = one;
            rdma = new RdmaSocketImpl();
        }
    }

    /** Chooses, unless it has chosen already. */
    private SocketImpl choose(Rules.TransportChoice way) throws IOException {
        synchronized (lock) {
            if (closed) {
                throw new SocketException("Socket closed");
            }
            if (chosen == null) {
                if (tcp == null) {
                    throw new SocketException("Socket not created");
                }
                if (way == Rules.TransportChoice.TCP) {
                    chosen = tcp;
                } else {
                    if (way == Rules.TransportChoice.VALKEY) {
                        rdma.setOption(RdmaSocketOptions.VALKEY, true);
                    }
                    chosen = rdma;
                    SocketMethod.CLOSE.on(tcp);
                }
                tcp = null;
                rdma = null;
            }
            return chosen;
        }
    }

    private SocketImpl decided() throws SocketException {
        SocketImpl one = chosen;
        if (one == null) {
            throw new SocketException("Not connected");
        }
        return one;
    }

    @Override
    protected void bind(InetAddress host, int port) throws IOException {
        SocketMethod.BIND.on(choose(provider.choiceAt(new InetSocketAddress(host, port))), host, port);
    }

    @Override
    protected void connect(String host, int port) throws IOException {
        connect(new InetSocketAddress(host, port), 0);
    }

    @Override
    protected void connect(InetAddress host, int port) throws IOException {
        connect(new InetSocketAddress(host, port), 0);
    }

    @Override
    protected void connect(SocketAddress remote, int millis) throws IOException {
        Rules.TransportChoice way = remote instanceof InetSocketAddress internet && !internet.isUnresolved()
                ? provider.choiceTo(internet)
                : Rules.TransportChoice.TCP; // which may have a proxy that knows the name
        SocketMethod.CONNECT.on(choose(way), remote, millis);
    }

    @Override
    protected void listen(int backlog) {
        throw new UnsupportedOperationException("it is no server");
    }

    @Override
    protected void accept(SocketImpl into) {
        throw new UnsupportedOperationException("it is no server");
    }

    @Override
    protected InputStream getInputStream() throws IOException {
        return (InputStream) SocketMethod.INPUT_STREAM.on(decided());
    }

    @Override
    protected OutputStream getOutputStream() throws IOException {
        return (OutputStream) SocketMethod.OUTPUT_STREAM.on(decided());
    }

    @Override
    protected int available() throws IOException {
        return (int) SocketMethod.AVAILABLE.on(decided());
    }

    @Override
    protected void shutdownInput() throws IOException {
        SocketMethod.SHUTDOWN_INPUT.on(decided());
    }

    @Override
    protected void shutdownOutput() throws IOException {
        SocketMethod.SHUTDOWN_OUTPUT.on(decided());
    }

    @Override
    protected boolean supportsUrgentData() {
        return (boolean) unchecked(SocketMethod.SUPPORTS_URGENT_DATA, false);
    }

    @Override
    protected void sendUrgentData(int data) throws IOException {
        SocketMethod.SEND_URGENT_DATA.on(decided(), data);
    }

    @Override
    protected InetAddress getInetAddress() {
        return (InetAddress) unchecked(SocketMethod.ADDRESS, null);
    }

    @Override
    protected int getPort() {
        return (int) unchecked(SocketMethod.PORT, 0);
    }

    @Override
    protected int getLocalPort() {
        return (int) unchecked(SocketMethod.LOCAL_PORT, 0);
    }

    /** Calls a method that throws no checked exception; before it is decided, returns a default. */
    private Object unchecked(SocketMethod method, Object undecided) {
        SocketImpl one = chosen;
        try {
            return one == null ? undecided : method.on(one);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // never: it declares none
        }
    }

    @Override
    protected void close() throws IOException {
        SocketImpl toClose;
        synchronized (lock) {
            closed = true;
            toClose = chosen == null ? tcp : chosen;
        }
        if (toClose != null) {
            SocketMethod.CLOSE.on(toClose);
        }
    }

    // ---- options

    /** The one whose options are asked for: until it is decided, that over TCP, which has the system's defaults. */
    private SocketImpl asked() throws SocketException {
        synchronized (lock) {
            SocketImpl one = chosen == null ? tcp : chosen;
            if (one == null || closed) {
                throw new SocketException(closed ? "Socket closed" : "Socket not created");
            }
            return one;
        }
    }

    @Override
    public void setOption(int number, Object value) throws SocketException {
        synchronized (lock) {
            asked().setOption(number, value);
            if (rdma != null && number != SocketOptions.SO_REUSEPORT) {
                rdma.setOption(number, value);
            }
        }
    }

    @Override
    public Object getOption(int number) throws SocketException {
        return asked().getOption(number);
    }

    @Override
    protected <T> void setOption(SocketOption<T> name, T value) throws IOException {
        synchronized (lock) {
            boolean isOfRdma = rdma != null && ChannelOptions.OF_SOCKET.contains(name);
            if (!isOfRdma || supported(asked()).contains(name)) {
                SocketMethod.SET_OPTION.on(asked(), name, value);
            }
            if (isOfRdma) {
                rdma.setOption(name, value);
            }
        }
    }

    @Override
    protected <T> T getOption(SocketOption<T> name) throws IOException {
        synchronized (lock) {
            SocketImpl one = asked();
            return rdma != null && !supported(one).contains(name)
                    ? rdma.getOption(name)
                    : name.type().cast(SocketMethod.GET_OPTION.on(one, name));
        }
    }

    @SuppressWarnings("unchecked") // it is declared so
    private static Set<SocketOption<?>> supported(SocketImpl one) throws IOException {
        return (Set<SocketOption<?>>) SocketMethod.SUPPORTED_OPTIONS.on(one);
    }

    @Override
    protected Set<SocketOption<?>> supportedOptions() {
        try {
            synchronized (lock) {
                Set<SocketOption<?>> all = new HashSet<>(supported(asked()));
                if (rdma != null) {
                    all.addAll(ChannelOptions.OF_SOCKET);
                }
                return Set.copyOf(all);
            }
        } catch (IOException e) {
            return Set.of(); // it is closed
        }
    }
}
