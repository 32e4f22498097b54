// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import dev.isthmus.nio.stream.Deadlines;
import dev.isthmus.nio.stream.Stream;
import dev.isthmus.nio.stream.StreamListener;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.util.HashSet;
import java.util.Set;

/**
 * A server socket of {@code java.net} for RDMA, TCP or both, which the rules decide when it is bound. What it accepts is
 * over RDMA, or the JDK's own.
 */
final class SwitchedServerSocketImpl extends SocketImpl {

    private final RdmaSelectorProvider provider; // has the rules
    private final ChannelOptions options = new ChannelOptions();
    private final Object lock = new Object(); // guards the next fields, but for reading
    private SocketImpl tcp; // null until it is created
    private InetSocketAddress bound; // null until it is
    private Rules.TransportChoice way; // null until it is bound
    private boolean closed;
    private volatile StreamListener rdma; // null unless it listens for RDMA
    private volatile DualServer<SocketImpl> both; // null unless peers reach it by both
    private volatile int timeoutMillis; // of an accept; 0 for none

    SwitchedServerSocketImpl(RdmaSelectorProvider provider) {
        this.provider = provider;
    }

    @Override
    protected void create(boolean stream) throws IOException {
        synchronized (lock) {
            SocketImpl one = SocketMethod.platform(true);
            SocketMethod.CREATE.on(one, stream);
            tcp = one;
        }
    }

    private void checkOpen() throws SocketException {
        if (tcp == null || closed) {
            throw new SocketException(closed ? "Socket closed" : "Socket not created");
        }
    }

    /** Binds; the port of RDMA alone is taken when it listens, which {@link java.net.ServerSocket#bind} does next. */
    @Override
    protected void bind(InetAddress host, int port) throws IOException {
        var wanted = new InetSocketAddress(host, port);
        Rules.TransportChoice choice = provider.choiceAt(wanted);
        synchronized (lock) {
            checkOpen();
            if (bound != null) {
                throw new SocketException("Already bound");
            }
            if (choice == Rules.TransportChoice.VALKEY) {
                options.set(RdmaSocketOptions.VALKEY, true, ChannelOptions.OF_SERVER);
            }
            if (choice.hasTcp()) {
                SocketMethod.BIND.on(tcp, host, port);
                localport = (int) SocketMethod.LOCAL_PORT.on(tcp);
            }
            bound = wanted;
            address = host;
            way = choice;
        }
    }

    @Override
    protected void listen(int backlog) throws IOException {
        synchronized (lock) {
            checkOpen();
            if (bound == null) {
                throw new SocketException("Not bound");
            }
            int most = backlog < 1 ? DualServer.DEFAULT_BACKLOG : backlog;
            if (!way.hasTcp()) {
                rdma = listening(bound.getPort(), most);
                localport = rdma.localAddress().getPort();
                SocketMethod.CLOSE.on(tcp);
                return;
            }
            SocketMethod.LISTEN.on(tcp, backlog);
            if (way == Rules.TransportChoice.BOTH) {
                rdma = listeningBeside(localport, most);
                tcp.setOption(SO_TIMEOUT, 0);
                both = new DualServer<>(new OverTcp(), new OverRdma(), most, SwitchedServerSocketImpl::drop);
            }
        }
    }

    private StreamListener listening(int port, int backlog) throws IOException {
        return RdmaServerSocketChannel.listen(new InetSocketAddress(address, port), backlog, options);
    }

    private StreamListener listeningBeside(int port, int backlog) throws IOException {
        try {
            return listening(port, backlog);
        } catch (BindException e) {
            throw SwitchedServerSocketChannel.notBeside(port, e);
        }
    }

    /** The server over TCP, of two. */
    private final class OverTcp implements DualServer.Server<SocketImpl> {

        @Override
        public SocketImpl accept() throws IOException {
            try {
                return acceptTcp();
            } catch (SocketException e) {
                synchronized (lock) {
                    if (closed) {
                        throw new ClosedChannelException();
                    }
                }
                throw e;
            }
        }

        @Override
        public void close() throws IOException {
            SocketMethod.CLOSE.on(tcp);
        }
    }

    /** The server over RDMA, of two. */
    private final class OverRdma implements DualServer.Server<SocketImpl> {

        @Override
        public SocketImpl accept() throws IOException {
            try {
                return new RdmaSocketImpl(rdma.accept(Deadlines.EVER));
            } catch (InterruptedException e) {
                throw new AssertionError("nobody interrupts this thread", e);
            }
        }

        @Override
        public void close() {
            rdma.close();
        }
    }

    private static void drop(SocketImpl unwanted) {
        Quietly.close((Closeable) () -> SocketMethod.CLOSE.on(unwanted));
    }

    private SocketImpl acceptTcp() throws IOException {
        SocketImpl one = SocketMethod.platform(false);
        SocketMethod.ACCEPT.on(tcp, one);
        return one;
    }

    @Override
    protected void accept(SocketImpl into) throws IOException {
        if (!(into instanceof SwitchedSocketImpl to)) {
            throw new SocketException("a socket of " + into.getClass() + " cannot be accepted here");
        }
        to.accepted(accepted());
    }

    private SocketImpl accepted() throws IOException {
        long deadline = Deadlines.after(timeoutMillis);
        DualServer<SocketImpl> two = both;
        StreamListener one = rdma;
        if (one == null) {
            return acceptTcp();
        }
        SocketImpl found = RdmaSocketImpl.uninterruptibly(() -> {
            if (two != null) {
                return two.take(deadline);
            }
            Stream made = one.accept(deadline);
            return made == null ? null : new RdmaSocketImpl(made);
        });
        if (found == null) {
            throw new SocketTimeoutException("Accept timed out");
        }
        return found;
    }

    @Override
    protected void connect(String host, int port) {
        throw new UnsupportedOperationException("it is a server");
    }

    @Override
    protected void connect(InetAddress host, int port) {
        throw new UnsupportedOperationException("it is a server");
    }

    @Override
    protected void connect(SocketAddress remote, int millis) {
        throw new UnsupportedOperationException("it is a server");
    }

    @Override
    protected InputStream getInputStream() {
        throw new UnsupportedOperationException("it is a server");
    }

    @Override
    protected OutputStream getOutputStream() {
        throw new UnsupportedOperationException("it is a server");
    }

    @Override
    protected int available() {
        throw new UnsupportedOperationException("it is a server");
    }

    @Override
    protected void sendUrgentData(int data) {
        throw new UnsupportedOperationException("it is a server");
    }

    @Override
    protected void close() throws IOException {
        synchronized (lock) {
            if (closed) {
                return;
            }
            closed = true;
        }
        if (both != null) {
            both.close();
        } else if (rdma != null) {
            rdma.close();
        } else if (tcp != null) {
            SocketMethod.CLOSE.on(tcp);
        }
    }

    // ---- options

    @Override
    public void setOption(int number, Object value) throws SocketException {
        synchronized (lock) {
            checkOpen();
            boolean isTimeout = number == SO_TIMEOUT;
            if (isTimeout) {
                timeoutMillis = (Integer) value;
            }
            if (usesTcp() && !(isTimeout && rdma != null)) {
                tcp.setOption(number, value);
            }
            if (number == SO_RCVBUF || number == SO_REUSEADDR) {
                SocketErrors.ofOption(() -> {
                    NumberedOptions.set(this::setOfRdma, number, value);
                    return null;
                });
            }
        }
    }

    /** Whether there is a server over TCP, or may be one. */
    private boolean usesTcp() {
        return way == null || way.hasTcp() || rdma == null;
    }

    private <T> void setOfRdma(SocketOption<T> name, T value) {
        options.set(name, value, ChannelOptions.OF_SERVER);
    }

    private <T> T getOfRdma(SocketOption<T> name) {
        return options.get(name, ChannelOptions.OF_SERVER);
    }

    @Override
    public Object getOption(int number) throws SocketException {
        synchronized (lock) {
            checkOpen();
            if (number == SO_TIMEOUT) {
                return timeoutMillis;
            }
            if (usesTcp()) {
                return tcp.getOption(number);
            }
            return number == SO_BINDADDR
                    ? rdma.localAddress().getAddress()
                    : SocketErrors.ofOption(() -> NumberedOptions.get(this::getOfRdma, number));
        }
    }

    @Override
    protected <T> void setOption(SocketOption<T> name, T value) throws IOException {
        synchronized (lock) {
            checkOpen();
            boolean isOfRdma = ChannelOptions.OF_SERVER.contains(name);
            if (usesTcp() && (!isOfRdma || supportedByTcp().contains(name))) {
                SocketMethod.SET_OPTION.on(tcp, name, value);
            } else {
                setOfRdma(name, value); // also throws if it is of neither
                return;
            }
            if (isOfRdma) {
                setOfRdma(name, value);
            }
        }
    }

    @Override
    protected <T> T getOption(SocketOption<T> name) throws IOException {
        synchronized (lock) {
            checkOpen();
            return usesTcp() && supportedByTcp().contains(name)
                    ? name.type().cast(SocketMethod.GET_OPTION.on(tcp, name))
                    : getOfRdma(name);
        }
    }

    @SuppressWarnings("unchecked") // it is declared so
    private Set<SocketOption<?>> supportedByTcp() throws IOException {
        return (Set<SocketOption<?>>) SocketMethod.SUPPORTED_OPTIONS.on(tcp);
    }

    @Override
    protected Set<SocketOption<?>> supportedOptions() {
        try {
            synchronized (lock) {
                Set<SocketOption<?>> all = new HashSet<>(ChannelOptions.OF_SERVER);
                if (tcp != null && usesTcp()) {
                    all.addAll(supportedByTcp());
                }
                return Set.copyOf(all);
            }
        } catch (IOException e) {
            return ChannelOptions.OF_SERVER; // it is closed
        }
    }
}
