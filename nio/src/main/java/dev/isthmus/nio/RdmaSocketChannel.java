// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import dev.isthmus.nio.SocketState.Event;
import dev.isthmus.nio.stream.Bound;
import dev.isthmus.nio.stream.Deadlines;
import dev.isthmus.nio.stream.Iomaps;
import dev.isthmus.nio.stream.Loopback;
import dev.isthmus.nio.stream.Service;
import dev.isthmus.nio.stream.Stream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import jdk.net.ExtendedSocketOptions;

/**
 * A socket over RDMA: a {@link SocketChannel} that speaks the wire protocol of librdmacm's rsocket. It does what C does
 * by {@code rconnect}, {@code rsend}, {@code rrecv}, {@code rshutdown} and {@code rclose} of rsocket(7), but calls none
 * of them: it is built on {@code dev.isthmus.verbs} and {@code dev.isthmus.cm}. It behaves like a socket over TCP; the
 * module's documentation lists the differences. With {@link RdmaSocketOptions#VALKEY} it speaks Valkey over RDMA, which
 * has no half close.
 *
 * <p>Once connected it owns a queue pair, a completion queue, a protection domain and one file descriptor, and pins as
 * many bytes as {@code SO_SNDBUF} and {@code SO_RCVBUF} say, by default 256 KiB. {@link #close} does not wait unless
 * {@code SO_LINGER} says so: a thread that all sockets share delivers what was written, and destroys everything.
 *
 * <p>You can set options at any time. They take effect as follows:
 *
 * <ul>
 *   <li>{@code SO_SNDBUF}, {@code SO_RCVBUF} and {@link RdmaSocketOptions}: when it connects. An accepted socket has
 *       its server's. After that, setting them has no effect, and {@link #getOption} returns the values in use.
 *   <li>{@code SO_KEEPALIVE}, {@code TCP_KEEPIDLE}: at once. If nothing has come or gone for {@code TCP_KEEPIDLE}
 *       seconds, by default 7200 (system property {@code isthmus.nio.keepAliveSeconds}), or at most twice that, the
 *       peer's device is asked whether it is there. If it is not, reads and writes fail. {@code TCP_KEEPINTERVAL} and
 *       {@code TCP_KEEPCOUNT}: never, as the device itself tries again.
 *   <li>{@code IP_TOS}: when it connects. It becomes the traffic class of the packets, where the device has one.
 *   <li>{@code SO_LINGER}: when it is closed. 0 drops what is under way, and the peer sees a reset. More is how many
 *       seconds {@link #close} waits at most in blocking mode.
 *   <li>{@code SO_REUSEADDR}: when it is bound. {@code TCP_NODELAY}: never, as writes go out at once anyway.
 * </ul>
 *
 * <p>Any thread may use it; one may read while another writes. A virtual thread that waits holds no platform thread. A
 * read or write that need not wait allocates nothing, and Isthmus makes no system call for it.
 */
public final class RdmaSocketChannel extends TimedSocketChannel {

    static final Duration MAX_CONNECT = Duration.ofSeconds(
            Integer.getInteger("isthmus.nio.connectSeconds", 127)); // as long as Linux tries over TCP

    private final ChannelOptions options = new ChannelOptions();
    private final Selectable selectable = new Readiness();
    private final Object lock = new Object(); // guards the next fields, which others only read
    private volatile SocketState state = SocketState.UNBOUND;
    private InetSocketAddress bound; // null until it is bound
    private Bound binding; // null unless it is bound and has not begun to connect
    private InetSocketAddress peer; // as named by the program
    private CompletableFuture<Stream> pending; // null unless it is being connected
    private volatile Stream stream; // null until it is connected
    private Socket socket; // created on demand

    /** Creates an unconnected channel. */
    RdmaSocketChannel(SelectorProvider provider) {
        super(provider);
    }

    /** Creates an accepted channel. */
    RdmaSocketChannel(SelectorProvider provider, Stream stream) {
        this(provider);
        this.state = SocketState.CONNECTED;
        this.stream = stream;
        stream.watchedBy(selectable.watchers());
        this.bound = stream.localAddress();
        this.peer = stream.peerAddress();
        options.stream(stream.options());
    }

    /**
     * Opens a socket that is not connected.
     *
     * @return the socket, which the caller closes
     */
    public static RdmaSocketChannel open() {
        return new RdmaSocketChannel(RdmaSelectorProvider.shared());
    }

    /**
     * Opens a socket and connects it. Blocks until it is connected.
     *
     * @param remote the address and port of the peer
     * @return the socket, which the caller closes
     * @throws IOException if it cannot be connected
     */
    public static RdmaSocketChannel open(SocketAddress remote) throws IOException {
        RdmaSocketChannel opened = open();
        try {
            boolean connected = opened.connect(remote);
            assert connected; // as it was blocking
            return opened;
        } catch (Throwable t) {
            opened.close();
            throw t;
        }
    }

    private void checkOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    private Stream connected() throws ClosedChannelException {
        Stream one = stream;
        if (one == null || !isOpen()) {
            checkOpen();
            throw new NotYetConnectedException();
        }
        return one;
    }

    @Override
    public RdmaSocketChannel bind(SocketAddress local) throws IOException {
        InetSocketAddress address = local == null ? new InetSocketAddress(0) : Addresses.checked(local);
        synchronized (lock) {
            checkOpen();
            SocketState next = state.on(Event.BIND);
            binding = Bound.to(Loopback.local(address), options.reuseAddress());
            bound = new InetSocketAddress(
                    address.getAddress(), binding.localAddress().getPort());
            state = next;
        }
        return this;
    }

    @Override
    public <T> RdmaSocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        synchronized (lock) {
            checkOpenFor(name);
            options.set(name, value, ChannelOptions.OF_SOCKET);
            if (stream != null) {
                options.stream(stream.options()); // what was set is ignored
            }
            boolean isKeepAlive =
                    name.equals(StandardSocketOptions.SO_KEEPALIVE) || name.equals(ExtendedSocketOptions.TCP_KEEPIDLE);
            if (stream != null && isKeepAlive) {
                Service.get().keepAlive(stream, options.keepAlive());
            }
        }
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        synchronized (lock) {
            checkOpenFor(name);
            return options.get(name, ChannelOptions.OF_SOCKET);
        }
    }

    private void checkOpenFor(SocketOption<?> name) throws ClosedChannelException {
        Objects.requireNonNull(name, "name");
        checkOpen();
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return ChannelOptions.OF_SOCKET;
    }

    @Override
    public RdmaSocketChannel shutdownInput() throws IOException {
        shut(Event.SHUT_INPUT).shutdownInput();
        return this;
    }

    @Override
    public RdmaSocketChannel shutdownOutput() throws IOException {
        try {
            shut(Event.SHUT_OUTPUT).shutdownOutput(deadline());
        } catch (InterruptedException e) {
            throw interrupted();
        }
        return this;
    }

    private Stream shut(Event event) throws ClosedChannelException {
        synchronized (lock) {
            checkOpen();
            state = state.on(event);
            return stream;
        }
    }

    /** How long a call waits in this mode. */
    private long deadline() {
        return isBlocking() ? Deadlines.EVER : Deadlines.NEVER;
    }

    @Override
    int available() throws IOException {
        return connected().available();
    }

    @Override
    InetSocketAddress localOrNull() {
        synchronized (lock) {
            return bound;
        }
    }

    @Override
    InetSocketAddress remoteOrNull() {
        synchronized (lock) {
            return stream == null ? null : peer;
        }
    }

    @Override
    boolean isInputShut() {
        return state.isInputShut();
    }

    @Override
    boolean isOutputShut() {
        return state.isOutputShut();
    }

    @Override
    public Socket socket() {
        synchronized (lock) {
            if (socket == null) {
                socket = ChannelSocket.of(this);
            }
            return socket;
        }
    }

    @Override
    public boolean isConnected() {
        return state.isConnected() && isOpen();
    }

    @Override
    public boolean isConnectionPending() {
        return state == SocketState.CONNECTING && isOpen();
    }

    @Override
    public boolean connect(SocketAddress remote) throws IOException {
        return connect(remote, Deadlines.EVER);
    }

    @Override
    boolean connect(SocketAddress remote, long deadline) throws IOException {
        CompletableFuture<Stream> made = begin(Addresses.checked(remote));
        return isBlocking() && await(made, deadline);
    }

    private CompletableFuture<Stream> begin(InetSocketAddress remote) throws IOException {
        synchronized (lock) {
            checkOpen();
            SocketState next = state.on(Event.CONNECT);
            try {
                InetSocketAddress to = Loopback.peer(remote);
                pending = Service.get().connect(binding, to, options.stream(), options.typeOfService(), MAX_CONNECT);
                var ignored = pending.whenComplete(
                        (made, failure) -> selectable.watchers().changed());
                binding = null; // it belongs to the connection now
                peer = remote;
                state = next;
                return pending;
            } catch (Throwable t) {
                close();
                throw t;
            }
        }
    }

    @Override
    public boolean finishConnect() throws IOException {
        CompletableFuture<Stream> made;
        synchronized (lock) {
            checkOpen();
            if (state.on(Event.ESTABLISH) == state) {
                return true;
            }
            if (!isBlocking() && !pending.isDone()) {
                return false;
            }
            made = pending;
        }
        return await(made, Deadlines.EVER);
    }

    /** Waits until it is connected; closes it if that fails. */
    private boolean await(CompletableFuture<Stream> made, long deadline) throws IOException {
        blocking(RdmaSocketChannel::awaitEnd, null, made, 0, 0, deadline);
        return switch (made.state()) { // asked once: a close can cancel it at any time
            case SUCCESS -> {
                connected(made.resultNow());
                yield true;
            }
            case CANCELLED -> throw new AsynchronousCloseException(); // only a close cancels it
            case FAILED -> throw closed(failure(made.exceptionNow()));
            case RUNNING -> throw closed(new SocketTimeoutException("Connect timed out"));
        };
    }

    /** Closes this, which also cancels a connect that is not done; returns why. */
    private IOException closed(IOException why) throws IOException {
        close();
        return why;
    }

    private static long awaitEnd(Stream none, CompletableFuture<Stream> made, long at, long count, long deadline)
            throws InterruptedException {
        try {
            if (deadline == Deadlines.EVER) {
                made.get();
            } else {
                made.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
        } catch (TimeoutException | CancellationException | ExecutionException _) {
            // the future says which
        }
        return 0;
    }

    private void connected(Stream one) throws IOException {
        synchronized (lock) {
            if (!isOpen()) {
                one.close(true);
                throw new AsynchronousCloseException();
            }
            SocketState next = state.on(Event.ESTABLISH);
            if (next != state) {
                stream = one;
                one.watchedBy(selectable.watchers());
                bound = one.localAddress();
                options.stream(one.options());
                if (options.keepAlive() != null) {
                    Service.get().keepAlive(one, options.keepAlive());
                }
                state = next;
                pending = null;
            }
        }
        selectable.watchers().changed();
    }

    static IOException failure(Throwable cause) {
        return cause instanceof IOException e ? e : new IOException(cause.getMessage(), cause);
    }

    private ClosedByInterruptException interrupted() throws IOException {
        close();
        Thread.currentThread().interrupt();
        return new ClosedByInterruptException();
    }

    @Override
    public SocketAddress getRemoteAddress() throws IOException {
        synchronized (lock) {
            checkOpen();
            return stream == null ? null : peer;
        }
    }

    @Override
    public SocketAddress getLocalAddress() throws IOException {
        synchronized (lock) {
            checkOpen();
            return bound;
        }
    }

    @Override
    public int read(ByteBuffer to) throws IOException {
        Stream from = connected();
        if (to.isReadOnly()) {
            throw new IllegalArgumentException("Read-only buffer");
        }
        if (!to.hasRemaining()) {
            return 0;
        }
        if (!isBlocking()) {
            return readNow(from, to);
        }
        return read(from, to, Deadlines.EVER);
    }

    @Override
    int read(ByteBuffer to, long deadline) throws IOException {
        return read(connected(), to, deadline);
    }

    private int read(Stream from, ByteBuffer to, long deadline) throws IOException {
        if (!Thread.currentThread().isInterrupted()) {
            int length = readNow(from, to);
            if (length != 0) {
                return length;
            }
        }
        return (int) blocking((on, into, at, count, until) -> on.read(into, until), from, to, 0, 0, deadline);
    }

    /** A call on a stream. It captures nothing, so it need not be allocated. */
    private interface Call<T> {
        long on(Stream stream, T what, long at, long count, long deadline) throws IOException, InterruptedException;
    }

    /** Makes a call, which may wait unless the deadline says {@link Deadlines#NEVER}; until then a close ends it. */
    private <T> long blocking(Call<T> call, Stream one, T what, long at, long count, long deadline) throws IOException {
        boolean completed = false;
        boolean waits = deadline != Deadlines.NEVER;
        try {
            if (waits) {
                begin();
            }
            long result = call.on(one, what, at, count, deadline);
            completed = true;
            return result;
        } catch (InterruptedException e) {
            completed = true; // otherwise end() would not know why it is closed
            throw interrupted();
        } finally {
            if (waits) {
                end(completed);
            }
        }
    }

    private static int readNow(Stream from, ByteBuffer to) throws IOException {
        try {
            return from.read(to, Deadlines.NEVER);
        } catch (InterruptedException e) {
            throw new AssertionError("it does not wait", e);
        }
    }

    @Override
    public long read(ByteBuffer[] to, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, to.length);
        Stream from = connected();
        boolean hasRoom = false;
        for (int i = offset; i < offset + length; i++) {
            if (to[i].isReadOnly()) {
                throw new IllegalArgumentException("Read-only buffer");
            }
            hasRoom |= to[i].hasRemaining();
        }
        if (!hasRoom) {
            return 0;
        }
        return blocking(
                (on, into, at, count, until) -> on.read(into, (int) at, (int) count, until),
                from,
                to,
                offset,
                length,
                deadline());
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        Stream to = connected();
        if (isBlocking()) {
            return write(to, from);
        }
        return writeNow(to, from);
    }

    private int write(Stream to, ByteBuffer from) throws IOException {
        int count = Thread.currentThread().isInterrupted() ? 0 : beginWrite(to, from);
        if (!from.hasRemaining() && count > 0) {
            return count;
        }
        return count
                + (int) blocking((on, what, at, n, until) -> on.write(what, until), to, from, 0, 0, Deadlines.EVER);
    }

    private static int beginWrite(Stream to, ByteBuffer from) throws IOException {
        try {
            return to.beginWrite(from);
        } catch (InterruptedException e) {
            throw new AssertionError("it does not wait", e);
        }
    }

    private static int writeNow(Stream to, ByteBuffer from) throws IOException {
        try {
            return to.write(from, Deadlines.NEVER);
        } catch (InterruptedException e) {
            throw new AssertionError("it does not wait", e);
        }
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, from.length);
        return blocking(
                (on, what, at, count, until) -> on.write(what, (int) at, (int) count, until),
                connected(),
                from,
                offset,
                length,
                deadline());
    }

    /**
     * Maps memory for the peer to write into: {@code riomap} of rsocket(7). The peer gets an announcement ahead of
     * anything that you write later, so it knows once it has read that. In blocking mode this waits for room for the
     * announcement, as a write does.
     *
     * @param offset the offset by which the peer addresses the first byte; if regions overlap, it writes to one of them
     * @param bytes how much, less than 2<sup>32</sup>
     * @return the memory, which the caller closes; null in non-blocking mode if there is no such room: try again
     *     when the channel is writable
     * @throws IllegalArgumentException if the offset or the size is out of range
     * @throws IOException if the connection has failed, the memory cannot be pinned, or the peer has no entry left; the
     *     peer's {@link RdmaSocketOptions#IOMAP_SIZE} says how many it has
     */
    public Iomap iomap(long offset, long bytes) throws IOException {
        var made = new Iomaps.Mapping[1];
        blocking(
                (on, into, at, count, until) -> {
                    into[0] = on.iomaps().map(at, count, until);
                    return 0;
                },
                connected(),
                made,
                offset,
                bytes,
                deadline());
        return made[0] == null ? null : new Iomap(made[0], offset);
    }

    /**
     * Writes into memory that the peer has mapped: {@code riowrite} of rsocket(7). RDMA WRITE puts it directly in its
     * place, and the peer gets no message. What you {@linkplain #write(ByteBuffer) write} afterwards arrives after it.
     * In blocking mode this waits until all of it is on its way. As in C, it also waits for a peer that does not read
     * what was written.
     *
     * @param from what to write; its bytes are copied, and you can use it again
     * @param offset where to write, in the peer's offsets
     * @return how many bytes; in non-blocking mode 0, or fewer than there are, if there is no room for more
     * @throws IndexOutOfBoundsException if not all of it is within one region that the peer has mapped and this side
     *     knows: the peer may map {@link RdmaSocketOptions#IOMAP_SIZE} of them. Then nothing is written
     * @throws IOException if the connection has failed, or the peer has left
     */
    public int iowrite(ByteBuffer from, long offset) throws IOException {
        return (int) blocking(
                (on, what, at, count, until) -> on.iomaps().write(what, at, until),
                connected(),
                from,
                offset,
                0,
                deadline());
    }

    @Override
    protected void implConfigureBlocking(boolean block) {
        // Each call checks the mode. As with TCP, a waiting call goes on waiting.
    }

    /** The channel as selectors see it. */
    Selectable selectable() {
        return selectable;
    }

    private final class Readiness extends Selectable {

        @Override
        int fileDescriptor() {
            Stream one = stream;
            return one == null ? -1 : one.fileDescriptor();
        }

        @Override
        void takeEvent() {
            Stream one = stream;
            if (one != null) {
                one.takeEvent();
            }
        }

        @Override
        int ready(int operations, int found, boolean arm) {
            Stream one = stream;
            return one == null
                    ? readyUnconnected(operations)
                    : one.ready(operations & (SelectionKey.OP_READ | SelectionKey.OP_WRITE), arm);
        }

        private int readyUnconnected(int operations) {
            synchronized (lock) {
                if (pending == null || !pending.isDone()) {
                    return 0;
                }
                return pending.isCompletedExceptionally() ? operations : operations & SelectionKey.OP_CONNECT;
            }
        }
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        selectable.watchers().closing();
        CompletableFuture<Stream> toCancel;
        Stream toClose;
        synchronized (lock) {
            if (binding != null) {
                binding.close();
                binding = null;
            }
            toCancel = pending;
            toClose = stream;
        }
        if (toCancel != null && !toCancel.cancel(false) && toCancel.state() == Future.State.SUCCESS) {
            toCancel.resultNow().close(options.linger() != 0); // nobody has asked for it yet
        }
        if (toClose != null) {
            close(toClose, options.linger(), isBlocking());
        }
    }

    /** Closes a stream, and waits as long as it may linger if the socket blocks. */
    static void close(Stream one, int linger, boolean blocks) throws SocketException {
        one.close(linger != 0);
        if (linger > 0 && blocks) {
            try {
                one.released().get(linger, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (TimeoutException e) {
                assert e != null; // it goes on in the background
            } catch (ExecutionException e) {
                throw new SocketException(e.getMessage());
            }
        }
    }

    /** More than {@link #toString}, to explain a conversation that does not go on. */
    String state() {
        Stream one = stream;
        return this + (one == null ? "" : ", " + one.state());
    }

    @Override
    public String toString() {
        synchronized (lock) {
            return "RdmaSocketChannel["
                    + (isOpen() ? state.name().toLowerCase(Locale.ROOT) : "closed")
                    + " local=" + bound + " remote=" + peer + "]";
        }
    }
}
