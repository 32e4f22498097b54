// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import dev.isthmus.nio.stream.Deadlines;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NoConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A socket that uses RDMA or TCP, which the rules decide when it is bound or connects. From then on, it delegates to a
 * channel over RDMA or to one of the JDK's; before, it has only options.
 */
final class SwitchedSocketChannel extends TimedSocketChannel {

    private final RdmaSelectorProvider provider;
    private final ProtocolFamily family; // null for both
    private final Object state = new Object();
    private final SwitchedOptions options; // until it is decided
    private final SwitchedSelectable selectable = new SwitchedSelectable();
    private volatile SocketChannel chosen; // null until then; set under blockingLock and state
    private Socket socket; // created on demand; guarded by state

    SwitchedSocketChannel(RdmaSelectorProvider provider, ProtocolFamily family) {
        super(provider);
        this.provider = provider;
        this.family = family;
        this.options = new SwitchedOptions(ChannelOptions.OF_SOCKET, this::openJdk);
    }

    private SocketChannel openJdk() throws IOException {
        SelectorProvider jdk = provider.jdk();
        return family == null ? jdk.openSocketChannel() : jdk.openSocketChannel(family);
    }

    /**
     * The channel as selectors see it. Called under the lock of a registration.
     *
     * @throws UnsupportedOperationException if it uses TCP, and the JVM lacks the option that selectors need for that
     */
    Selectable selectable() {
        if (chosen != null && !selectable.isChosen()) {
            selectable.choose(of(chosen));
        }
        return selectable;
    }

    private static Selectable of(SocketChannel one) {
        return one instanceof RdmaSocketChannel rdma ? rdma.selectable() : new JdkChannel(one);
    }

    /** The channel that was chosen; null if none is yet. */
    SocketChannel chosen() {
        return chosen;
    }

    private SocketChannel decided() throws ClosedChannelException {
        SocketChannel one = decidedOrNull();
        if (one == null) {
            throw new NotYetConnectedException();
        }
        return one;
    }

    private SocketChannel decidedOrNull() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
        return chosen;
    }

    /** Chooses; a channel that cannot be bound stays undecided. */
    private SocketChannel choose(Rules.TransportChoice way, SocketAddress local) throws IOException {
        synchronized (blockingLock()) {
            synchronized (state) {
                if (decidedOrNull() == null) {
                    SocketChannel one = way == Rules.TransportChoice.TCP ? openJdk() : new RdmaSocketChannel(provider);
                    try {
                        one.configureBlocking(isBlocking());
                        options.applyTo(one);
                        if (way == Rules.TransportChoice.VALKEY) {
                            one.setOption(RdmaSocketOptions.VALKEY, true);
                        }
                        if (local != null) {
                            one.bind(local);
                        }
                        if (isRegistered()) {
                            selectable.choose(of(one));
                        }
                    } catch (Throwable t) {
                        one.close();
                        throw t;
                    }
                    chosen = one;
                } else if (local != null) {
                    chosen.bind(local);
                }
                return chosen;
            }
        }
    }

    @Override
    public SocketChannel bind(SocketAddress local) throws IOException {
        InetSocketAddress address = local == null ? new InetSocketAddress(0) : Addresses.checked(local, family);
        SocketChannel one = decidedOrNull();
        choose(one == null ? provider.rules().bind(address) : Rules.TransportChoice.TCP, address);
        return this;
    }

    @Override
    public boolean connect(SocketAddress remote) throws IOException {
        return connect(remote, Deadlines.EVER);
    }

    @Override
    boolean connect(SocketAddress remote, long deadline) throws IOException {
        InetSocketAddress address = Addresses.checked(remote, family);
        SocketChannel one = decidedOrNull();
        selectable.pause(); // if it fails, the JDK closes its descriptor at once
        try {
            if (one == null) {
                one = choose(provider.rules().connect(address), null);
            }
            if (one instanceof RdmaSocketChannel rdma) {
                return rdma.connect(remote, deadline);
            }
            if (deadline == Deadlines.EVER) {
                return one.connect(remote);
            }
            one.socket().connect(remote, millis(deadline));
            return true;
        } catch (AsynchronousCloseException e) {
            throw e;
        } catch (ClosedChannelException e) {
            throw new AsynchronousCloseException(); // it was open when this began
        } finally {
            closeIfClosedAndResume(one);
        }
    }

    private void closeIfClosedAndResume(SocketChannel one) throws IOException {
        try {
            if (one != null) {
                closeIfClosed(one);
            }
        } finally {
            selectable.resume();
        }
    }

    /** The time until a deadline, at least 1, as 0 means forever; 0 if there is no deadline. */
    static int millis(long deadline) {
        return deadline == Deadlines.EVER
                ? 0
                : Math.clamp(
                        TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime() + 999_999), 1, Integer.MAX_VALUE);
    }

    /** Closes this if a failure or an interrupt has closed the chosen channel. */
    private void closeIfClosed(SocketChannel one) throws IOException {
        if (!one.isOpen()) {
            close();
        }
    }

    @Override
    public boolean finishConnect() throws IOException {
        SocketChannel one = decidedOrNull();
        if (one == null) {
            throw new NoConnectionPendingException();
        }
        selectable.pause(); // as in a connect
        try {
            return one.finishConnect();
        } finally {
            closeIfClosedAndResume(one);
        }
    }

    @Override
    public boolean isConnected() {
        SocketChannel one = chosen;
        return one != null && one.isConnected() && isOpen();
    }

    @Override
    public boolean isConnectionPending() {
        SocketChannel one = chosen;
        return one != null && one.isConnectionPending() && isOpen();
    }

    // ---- data

    @Override
    public int read(ByteBuffer to) throws IOException {
        SocketChannel one = decided();
        try {
            return one.read(to);
        } catch (IOException e) {
            closeIfClosed(one);
            throw e;
        }
    }

    @Override
    public long read(ByteBuffer[] to, int offset, int length) throws IOException {
        SocketChannel one = decided();
        try {
            return one.read(to, offset, length);
        } catch (IOException e) {
            closeIfClosed(one);
            throw e;
        }
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        SocketChannel one = decided();
        try {
            return one.write(from);
        } catch (IOException e) {
            closeIfClosed(one);
            throw e;
        }
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) throws IOException {
        SocketChannel one = decided();
        try {
            return one.write(from, offset, length);
        } catch (IOException e) {
            closeIfClosed(one);
            throw e;
        }
    }

    @Override
    int read(ByteBuffer to, long deadline) throws IOException {
        SocketChannel one = decided();
        try {
            if (one instanceof RdmaSocketChannel rdma) {
                return rdma.read(to, deadline);
            }
            boolean isTimed = deadline != Deadlines.EVER && !one.socket().isInputShutdown();
            return isTimed ? read(one.socket(), to, deadline) : one.read(to);
        } finally {
            closeIfClosed(one);
        }
    }

    private static int read(Socket from, ByteBuffer to, long deadline) throws IOException {
        from.setSoTimeout(millis(deadline));
        try {
            int count = from.getInputStream().read(to.array(), to.arrayOffset() + to.position(), to.remaining());
            to.position(to.position() + Math.max(count, 0));
            return count;
        } catch (SocketTimeoutException e) {
            return 0;
        }
    }

    @Override
    int available() throws IOException {
        SocketChannel one = decided();
        if (one instanceof RdmaSocketChannel rdma) {
            return rdma.available();
        }
        return isInputShut() ? 0 : one.socket().getInputStream().available();
    }

    @Override
    public SocketChannel shutdownInput() throws IOException {
        decided().shutdownInput();
        return this;
    }

    @Override
    public SocketChannel shutdownOutput() throws IOException {
        SocketChannel one = decided();
        try {
            one.shutdownOutput();
        } finally {
            closeIfClosed(one);
        }
        return this;
    }

    @Override
    boolean isInputShut() {
        SocketChannel one = chosen;
        return one != null && one.socket().isInputShutdown();
    }

    @Override
    boolean isOutputShut() {
        SocketChannel one = chosen;
        return one != null && one.socket().isOutputShutdown();
    }

    // ---- what it has

    @Override
    public SocketAddress getLocalAddress() throws IOException {
        SocketChannel one = decidedOrNull();
        return one == null ? null : one.getLocalAddress();
    }

    @Override
    public SocketAddress getRemoteAddress() throws IOException {
        SocketChannel one = decidedOrNull();
        return one == null ? null : one.getRemoteAddress();
    }

    @Override
    InetSocketAddress localOrNull() {
        SocketChannel one = chosen;
        return one == null ? null : (InetSocketAddress) one.socket().getLocalSocketAddress();
    }

    @Override
    InetSocketAddress remoteOrNull() {
        SocketChannel one = chosen;
        return one == null ? null : (InetSocketAddress) one.socket().getRemoteSocketAddress();
    }

    @Override
    public Socket socket() {
        synchronized (state) {
            if (socket == null) {
                socket = ChannelSocket.of(this);
            }
            return socket;
        }
    }

    @Override
    public <T> SocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        synchronized (state) {
            options.set(decidedOrNull(), name, value);
        }
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        synchronized (state) {
            return options.get(decidedOrNull(), name);
        }
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return options.supported(chosen);
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        SocketChannel one = chosen; // none is chosen meanwhile
        if (one != null) {
            one.configureBlocking(block);
        }
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        selectable.watchers().closing();
        SocketChannel one;
        synchronized (state) {
            one = chosen;
        }
        if (one != null) {
            one.close();
        }
    }

    @Override
    public String toString() {
        SocketChannel one = chosen;
        return one != null ? one.toString() : "SwitchedSocketChannel[" + (isOpen() ? "undecided]" : "closed]");
    }
}
