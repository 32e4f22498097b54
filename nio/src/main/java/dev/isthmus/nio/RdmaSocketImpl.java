// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import dev.isthmus.nio.stream.Bound;
import dev.isthmus.nio.stream.Deadlines;
import dev.isthmus.nio.stream.Loopback;
import dev.isthmus.nio.stream.Service;
import dev.isthmus.nio.stream.Stream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.lang.ref.Cleaner;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import jdk.net.ExtendedSocketOptions;

/**
 * A socket of {@code java.net} over RDMA. As with the JDK's own, an interrupt ends what a virtual thread waits for, and
 * is left to a platform thread for later. One that a program forgets is closed when it has been garbage-collected, as the
 * JDK's are. {@link java.net.Socket} checks what may be called when.
 */
final class RdmaSocketImpl extends SocketImpl {

    /** A call that may wait. */
    interface Call<T> {
        T run() throws IOException, InterruptedException;
    }

    private static final Cleaner FORGOTTEN = Cleaner.create();

    private final ChannelOptions options = new ChannelOptions();
    private final Object lock = new Object(); // guards the next fields
    private Bound binding; // null unless it is bound and has not begun to connect
    private CompletableFuture<Stream> pending; // null unless it is being connected
    private boolean closed;
    private volatile Stream stream; // null until it is connected
    private volatile int timeoutMillis; // of a read; 0 for none
    private volatile boolean urgentInline; // there is no urgent data

    RdmaSocketImpl() {}

    /** One that was accepted. */
    RdmaSocketImpl(Stream accepted) {
        connected(accepted);
    }

    private void connected(Stream one) {
        FORGOTTEN.register(this, () -> one.close(true));
        stream = one;
        address = one.peerAddress().getAddress();
        port = one.peerAddress().getPort();
        localport = one.localAddress().getPort();
        options.stream(one.options());
    }

    /** Makes a call as the JDK's sockets do. */
    static <T> T uninterruptibly(Call<T> call) throws IOException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return call.run();
                } catch (InterruptedException e) {
                    interrupted = true;
                    if (Thread.currentThread().isVirtual()) {
                        throw new InterruptedIOException(); // closes the socket
                    }
                }
            }
        } catch (ClosedChannelException e) {
            throw socketClosed(e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static SocketException socketClosed(Exception why) {
        var e = new SocketException("Socket closed");
        e.initCause(why);
        return e;
    }

    private Stream connected() throws SocketException {
        Stream one = stream;
        if (one == null) {
            throw new SocketException("Not connected");
        }
        return one;
    }

    @Override
    protected void create(boolean stream) {
        // Nothing is needed before it is bound or connects.
    }

    @Override
    protected void bind(InetAddress host, int port) throws IOException {
        synchronized (lock) {
            checkOpen();
            if (binding != null || stream != null || pending != null) {
                throw new SocketException("Already bound");
            }
            binding = Bound.to(Loopback.local(new InetSocketAddress(host, port)), options.reuseAddress());
            address = host;
            localport = binding.localAddress().getPort();
        }
    }

    private void checkOpen() throws SocketException {
        if (closed) {
            throw new SocketException("Socket closed");
        }
    }

    @Override
    protected void connect(String host, int port) throws IOException {
        connect(new InetSocketAddress(host, port), 0);
    }

    @Override
    protected void connect(InetAddress host, int port) throws IOException {
        connect(new InetSocketAddress(host, port), 0);
    }

    /** Connects, or closes this. */
    @Override
    protected void connect(SocketAddress remote, int millis) throws IOException {
        long deadline = Deadlines.after(millis);
        try {
            if (remote instanceof InetSocketAddress internet && internet.isUnresolved()) {
                throw SocketErrors.unknown(remote);
            }
            CompletableFuture<Stream> made = begin(Addresses.checked(remote));
            uninterruptibly(() -> awaitEnd(made, deadline));
            finish(made);
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    private CompletableFuture<Stream> begin(InetSocketAddress remote) throws IOException {
        synchronized (lock) {
            checkOpen();
            if (pending != null || stream != null) {
                throw new SocketException(stream != null ? "Already connected" : "Connection in progress");
            }
            InetSocketAddress to = Loopback.peer(remote);
            address = remote.getAddress();
            port = remote.getPort();
            pending = Service.get()
                    .connect(binding, to, options.stream(), options.typeOfService(), RdmaSocketChannel.MAX_CONNECT);
            binding = null; // it belongs to the connection now
            return pending;
        }
    }

    private static Void awaitEnd(CompletableFuture<Stream> made, long deadline) throws InterruptedException {
        try {
            if (deadline == Deadlines.EVER) {
                made.get();
            } else {
                made.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
        } catch (TimeoutException | CancellationException | ExecutionException _) {
            // the future says which
        }
        return null;
    }

    private void finish(CompletableFuture<Stream> made) throws IOException {
        switch (made.state()) { // asked once: a close can cancel it at any time
            case SUCCESS -> {
                synchronized (lock) {
                    checkOpen(); // the close has closed the stream, too
                    pending = null;
                    InetAddress named = address;
                    connected(made.resultNow());
                    address = named;
                    if (options.keepAlive() != null) {
                        Service.get().keepAlive(stream, options.keepAlive());
                    }
                }
            }
            case CANCELLED -> throw new SocketException("Socket closed");
            case FAILED -> throw RdmaSocketChannel.failure(made.exceptionNow());
            case RUNNING -> throw new SocketTimeoutException("Connect timed out");
        }
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
    protected InputStream getInputStream() {
        return new Input();
    }

    @Override
    protected OutputStream getOutputStream() {
        return new Output();
    }

    @Override
    protected int available() throws IOException {
        Stream from = connected();
        return uninterruptibly(from::available);
    }

    @Override
    protected void shutdownInput() throws IOException {
        connected().shutdownInput();
    }

    @Override
    protected void shutdownOutput() throws IOException {
        Stream to = connected();
        uninterruptibly(() -> {
            to.shutdownOutput(Deadlines.EVER);
            return null;
        });
    }

    @Override
    protected void sendUrgentData(int data) throws IOException {
        throw new SocketException("sockets over RDMA have no urgent data");
    }

    @Override
    protected void close() throws IOException {
        Stream toClose;
        CompletableFuture<Stream> toCancel;
        synchronized (lock) {
            if (closed) {
                return;
            }
            closed = true;
            if (binding != null) {
                binding.close();
                binding = null;
            }
            toClose = stream;
            toCancel = pending;
        }
        if (toCancel != null && !toCancel.cancel(false) && toCancel.state() == Future.State.SUCCESS) {
            toCancel.resultNow().close(options.linger() != 0); // nobody has asked for it yet
        }
        if (toClose != null) {
            RdmaSocketChannel.close(toClose, options.linger(), true);
        }
    }

    // ---- options

    @Override
    protected Set<SocketOption<?>> supportedOptions() {
        return ChannelOptions.OF_SOCKET;
    }

    @Override
    protected <T> void setOption(SocketOption<T> name, T value) throws IOException {
        synchronized (lock) {
            checkOpen();
            options.set(name, value, ChannelOptions.OF_SOCKET);
            Stream one = stream;
            if (one != null) {
                options.stream(one.options()); // what was set is ignored
                if (name.equals(StandardSocketOptions.SO_KEEPALIVE)
                        || name.equals(ExtendedSocketOptions.TCP_KEEPIDLE)) {
                    Service.get().keepAlive(one, options.keepAlive());
                }
            }
        }
    }

    @Override
    protected <T> T getOption(SocketOption<T> name) throws IOException {
        synchronized (lock) {
            checkOpen();
            return options.get(name, ChannelOptions.OF_SOCKET);
        }
    }

    @Override
    public void setOption(int number, Object value) throws SocketException {
        switch (number) {
            case SO_TIMEOUT -> timeoutMillis = (Integer) value;
            case SO_OOBINLINE -> urgentInline = (Boolean) value;
            default ->
                SocketErrors.ofOption(() -> {
                    NumberedOptions.set(this::setOption, number, value);
                    return null;
                });
        }
    }

    @Override
    public Object getOption(int number) throws SocketException {
        return switch (number) {
            case SO_TIMEOUT -> timeoutMillis;
            case SO_OOBINLINE -> urgentInline;
            case SO_BINDADDR -> localAddress();
            default -> SocketErrors.ofOption(() -> NumberedOptions.get(this::getOption, number));
        };
    }

    private InetAddress localAddress() {
        Stream one = stream;
        synchronized (lock) {
            return one != null
                    ? one.localAddress().getAddress()
                    : binding != null ? binding.localAddress().getAddress() : new InetSocketAddress(0).getAddress();
        }
    }

    // ---- streams

    /**
     * An array that a program reads into or writes from, as a buffer. Programs mostly use the same array again, so the
     * last small one is kept.
     */
    private static final class ArrayBuffer {

        private static final int MAX_KEPT = 64 << 10;

        private ByteBuffer last = ByteBuffer.allocate(0);

        @SuppressWarnings("ReferenceEquality") // the same array, not an equal one
        ByteBuffer of(byte[] array, int offset, int length) {
            if (last.array() != array) {
                ByteBuffer buffer = ByteBuffer.wrap(array);
                if (array.length > MAX_KEPT) {
                    return buffer.position(offset).limit(offset + length);
                }
                last = buffer;
            }
            return last.limit(offset + length).position(offset);
        }
    }

    /** What the peer sends. Thread-safe. */
    private final class Input extends InputStream {

        private final Stream from = stream;
        private final ReentrantLock reading = new ReentrantLock();
        private final ArrayBuffer buffers = new ArrayBuffer(); // guarded by it, like the next fields
        private boolean isAtEnd;
        private ByteBuffer buffer;
        private long deadline;
        private int count;
        // Made once: a lambda at each read that waits would be an object for each.
        private final Call<Void> waiting = () -> {
            count = from.read(buffer, deadline);
            return null;
        };

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            Objects.checkFromIndexSize(offset, length, into.length);
            if (length == 0) {
                return 0;
            }
            long end = Deadlines.after(timeoutMillis);
            lockUntil(end);
            try {
                if (isAtEnd) {
                    return -1; // even if it is closed, like the JDK's
                }
                buffer = buffers.of(into, offset, length);
                deadline = end;
                uninterruptibly(waiting);
                if (count == 0) {
                    throw new SocketTimeoutException("Read timed out");
                }
                isAtEnd = count < 0;
                return count;
            } finally {
                reading.unlock();
            }
        }

        private void lockUntil(long end) throws IOException {
            if (reading.tryLock()) {
                return;
            }
            if (end == Deadlines.EVER) {
                reading.lock();
            } else if (!uninterruptibly(() -> reading.tryLock(end - System.nanoTime(), TimeUnit.NANOSECONDS))) {
                throw new SocketTimeoutException("Read timed out");
            }
        }

        @Override
        public int available() throws IOException {
            return RdmaSocketImpl.this.available();
        }

        @Override
        public void close() throws IOException {
            RdmaSocketImpl.this.close();
        }
    }

    /** What the peer gets. Thread-safe: concurrent writes are not interleaved. */
    private final class Output extends OutputStream {

        private final Stream to = stream;
        private final ReentrantLock writing = new ReentrantLock();
        private final ArrayBuffer buffers = new ArrayBuffer(); // guarded by it, like the next field
        private ByteBuffer buffer;
        private final Call<Void> waiting = () -> { // made once, as that of reads
            to.write(buffer, Deadlines.EVER);
            return null;
        };

        @Override
        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] from, int offset, int length) throws IOException {
            Objects.checkFromIndexSize(offset, length, from.length);
            if (length == 0) {
                return;
            }
            writing.lock();
            try {
                buffer = buffers.of(from, offset, length);
                uninterruptibly(waiting);
            } catch (SocketException e) {
                throw e;
            } catch (InterruptedIOException e) {
                throw e;
            } catch (IOException e) { // the JDK's sockets throw no other kind
                throw (SocketException) new SocketException(e.getMessage()).initCause(e);
            } finally {
                writing.unlock();
            }
        }

        @Override
        public void close() throws IOException {
            RdmaSocketImpl.this.close();
        }
    }
}
