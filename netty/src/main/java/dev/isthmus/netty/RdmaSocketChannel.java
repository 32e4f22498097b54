// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.netty;

import dev.isthmus.RdmaException;
import dev.isthmus.nio.stream.Bound;
import dev.isthmus.nio.stream.Deadlines;
import dev.isthmus.nio.stream.Loopback;
import dev.isthmus.nio.stream.Service;
import dev.isthmus.nio.stream.Stream;
import dev.isthmus.nio.stream.StreamRequest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.FileRegion;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.internal.StringUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.WritableByteChannel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * A socket over RDMA, for an event loop with an {@link RdmaIoHandler}. Its peers speak rsocket's wire protocol, or
 * {@linkplain RdmaChannelOption#VALKEY Valkey's}. It behaves like Netty's channels over TCP; {@link RdmaSocketChannelConfig} says which options count when.
 *
 * <p>What does not fit into the room that the peer has granted stays in the channel's outbound buffer, and so the
 * channel becomes unwritable when a peer stops reading.
 *
 * <p>A channel stays with the event loop with which it was registered when it was connected: a registration with
 * another one fails.
 */
public final class RdmaSocketChannel extends AbstractRdmaChannel implements SocketChannel {

    private static final Duration MAX_CONNECT =
            Duration.ofSeconds(Integer.getInteger("isthmus.nio.connectSeconds", 127));
    private static final Duration KEEP_IDLE =
            Duration.ofSeconds(Math.max(1, Integer.getInteger("isthmus.nio.keepAliveSeconds", 7200)));
    private static final int MAX_BUFFERS = 64; // of one write
    private static final long MAX_BYTES = 1 << 20;

    private final RdmaSocketChannelConfig config = new RdmaSocketChannelConfig(this);
    private final Runnable flushTask = this::flushOn; // created once, as a write must not allocate
    private StreamRequest request; // of an accepted channel that is not registered yet; else null
    private volatile CompletableFuture<Stream> pending; // null unless it is being connected
    private volatile Stream stream; // null until it is connected
    private volatile InetSocketAddress remote; // null until it is connected, or accepted
    private volatile boolean active; // it is connected
    private Bound bound; // null unless it is bound and has not begun to connect
    private volatile boolean isInputShut;
    private volatile boolean isOutputShut;
    private boolean isEndKnown; // to the handlers: nothing more comes
    private boolean isWriteBlocked;
    private HeldBuffers held = new HeldBuffers();
    private WritableByteChannel fileTarget; // created on demand

    /** Creates a channel that is not connected. */
    public RdmaSocketChannel() {
        super(null);
    }

    /** Creates an accepted channel. */
    RdmaSocketChannel(RdmaServerSocketChannel parent, StreamRequest request) {
        super(parent);
        this.request = request;
        this.remote = request.peerAddress();
        this.local = request.localAddress();
        config.setReceiveBufferSize(parent.config().getReceiveBufferSize());
        config.protocol(parent.config().protocol());
    }

    private void flushOn() {
        ((SocketUnsafe) unsafe()).flushOn();
    }

    @Override
    public ServerSocketChannel parent() {
        return (ServerSocketChannel) super.parent();
    }

    @Override
    public RdmaSocketChannelConfig config() {
        return config;
    }

    @Override
    public boolean isActive() {
        return isOpen() && active;
    }

    @Override
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return (InetSocketAddress) super.remoteAddress();
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return remote;
    }

    @Override
    void registered(RdmaIoRegistration made) {
        if (stream != null) {
            if (!made.group().has(stream)) {
                throw new IllegalStateException(
                        this + " is connected, and stays with the event loop with which it was registered then");
            }
            stream.attach(made);
            if (!held.isEmpty()) {
                made.holds();
            }
        } else if (request != null) {
            pending = request.accept(made.group(), config.stream());
            request = null;
            await(made, pending);
        }
    }

    /** Has the loop go on once a handshake is over. */
    private void await(RdmaIoRegistration made, CompletableFuture<Stream> handshake) {
        EventLoop loop = eventLoop();
        CompletableFuture<Stream> _ = handshake.whenComplete((connected, failure) -> {
            if (connected != null) {
                connected.attach(made); // before the loop can find it changed
            }
            loop.execute(() -> ((SocketUnsafe) unsafe()).handshakeEnded(connected, failure));
        });
    }

    /** The option has changed, or it is connected. */
    void applyKeepAlive() {
        Stream of = stream;
        if (of != null) {
            try {
                Service.get().keepAlive(of, config.isKeepAlive() ? KEEP_IDLE : null);
            } catch (IOException e) {
                throw new IllegalStateException("the service runs, as there is a connection", e);
            }
        }
    }

    @Override
    protected void doBind(SocketAddress address) throws Exception {
        InetSocketAddress named = checked(address);
        bound = Bound.to(Loopback.local(named), config.isReuseAddress());
        local = new InetSocketAddress(named.getAddress(), bound.localAddress().getPort());
    }

    @Override
    boolean hasInput() {
        Stream from = stream;
        return from != null && !isEndKnown && from.isReadable();
    }

    @Override
    boolean isAtEnd() {
        return stream.isAtEnd();
    }

    private Stream connected() throws ClosedChannelException {
        Stream one = stream;
        if (one == null) {
            if (!isOpen()) {
                throw new ClosedChannelException();
            }
            throw new NotYetConnectedException();
        }
        return one;
    }

    @Override
    protected void doDisconnect() throws Exception {
        doClose();
    }

    @Override
    protected void doClose() throws Exception {
        closed();
        isEndKnown = true;
        isInputShut = true;
        isOutputShut = true;
        ((SocketUnsafe) unsafe()).abandonConnect();
        if (request != null) {
            request.refuse();
            request = null;
        }
        if (bound != null) {
            bound.close();
            bound = null;
        }
        if (eventLoopIsOwn()) {
            doDeregister();
        }
        Stream of = stream;
        if (of != null) {
            if (!held.isEmpty()) {
                HeldBuffers all = held;
                held = new HeldBuffers();
                CompletableFuture<Void> _ =
                        of.released().thenRun(all::releaseAll); // until then the device may read them
            }
            of.close(config.getSoLinger() != 0);
            if (config.getSoLinger() > 0 && !eventLoopIsOwn()) {
                linger(of);
            }
        }
    }

    private boolean eventLoopIsOwn() {
        return isRegistered() && eventLoop().inEventLoop();
    }

    private void linger(Stream of) throws Exception {
        try {
            of.released().get(config.getSoLinger(), TimeUnit.SECONDS);
        } catch (java.util.concurrent.TimeoutException e) {
            // as over TCP: what is left is delivered in the background
        }
    }

    @Override
    protected Object filterOutboundMessage(Object message) {
        if (message instanceof ByteBuf || message instanceof FileRegion) {
            return message;
        }
        throw new UnsupportedOperationException("unsupported message type: " + StringUtil.simpleClassName(message)
                + " (expected: ByteBuf, FileRegion)");
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) throws Exception {
        int turns = config.getWriteSpinCount();
        while (!in.isEmpty()) {
            boolean isAll = in.current() instanceof FileRegion region ? write(in, region) : write(in);
            if (!isAll) {
                isWriteBlocked = true;
                return;
            }
            if (--turns == 0) {
                eventLoop().execute(flushTask); // others first
                return;
            }
        }
    }

    /** Writes the next buffers; returns false if the peer has no room for all. */
    private boolean write(ChannelOutboundBuffer in) throws Exception {
        ByteBuf buffer = (ByteBuf) in.current();
        if (buffer instanceof CompositeByteBuf whole && InPlace.hasWorthyPart(whole)) {
            return writeParts(in, whole);
        }
        int wanted = buffer.readableBytes();
        int written = wanted == 0 ? 0 : InPlace.write(stream, buffer, buffer.readerIndex(), wanted);
        if (written == InPlace.NOT_REGISTERED) {
            return writeBuffers(in);
        }
        wroteInPlace(buffer, wanted, written);
        return wrote(in, buffer, wanted, written);
    }

    /** The device reads the buffer, unless it went inline. */
    private void wroteInPlace(ByteBuf buffer, int wanted, int written) {
        if (written > 0) {
            RdmaCounters.TOTAL.sent.add(written);
            if (wanted > stream.inline()) {
                hold(buffer);
            }
        }
    }

    private static boolean wrote(ChannelOutboundBuffer in, ByteBuf buffer, int wanted, int written) {
        if (written == wanted) {
            in.remove();
            return true;
        }
        in.progress(written);
        buffer.readerIndex(buffer.readerIndex() + written);
        return false;
    }

    private boolean writeParts(ChannelOutboundBuffer in, CompositeByteBuf whole) throws Exception {
        int begin = whole.readerIndex();
        int wanted = whole.readableBytes();
        int written = 0;
        int last;
        int next;
        do {
            next = InPlace.together(whole, begin + written);
            last = InPlace.writePart(stream, whole, begin + written, next);
            if (last == InPlace.NOT_REGISTERED) {
                ByteBuffer[] copied = whole.nioBuffers(begin + written, next);
                last = (int) stream.write(copied, 0, copied.length, Deadlines.NEVER);
                RdmaCounters.TOTAL.sentCopied.add(last);
            } else {
                wroteInPlace(whole, next, last);
            }
            written += last;
        } while (last == next && written < wanted);
        return wrote(in, whole, wanted, written);
    }

    private void hold(ByteBuf buffer) {
        if (held.isEmpty()) {
            registration().holds();
        }
        held.add(buffer.retain(), stream.posted());
    }

    /** Writes copies of the buffers up to the next file. */
    private boolean writeBuffers(ChannelOutboundBuffer in) throws Exception {
        ByteBuffer[] buffers = in.nioBuffers(MAX_BUFFERS, MAX_BYTES); // registered ones behind it go along
        int count = in.nioBufferCount();
        if (count == 0) { // empty ones
            in.removeBytes(0);
            return true;
        }
        long wanted = in.nioBufferSize();
        long written = stream.write(buffers, 0, count, Deadlines.NEVER);
        RdmaCounters.TOTAL.sentCopied.add(written);
        in.removeBytes(written);
        return written == wanted;
    }

    private boolean write(ChannelOutboundBuffer in, FileRegion region) throws IOException {
        if (region.transferred() < region.count()) {
            if (fileTarget == null) {
                fileTarget = new FileTarget();
            }
            long before = region.transferred();
            long written = region.transferTo(fileTarget, before);
            if (written > 0) {
                in.progress(written);
            } else if (region instanceof io.netty.channel.DefaultFileRegion file && stream.isWritable()) {
                validateFileRegion(file, before); // it is shorter than was said
            }
            if (region.transferred() < region.count()) {
                return false;
            }
        }
        in.remove();
        return true;
    }

    private final class FileTarget implements WritableByteChannel {

        @Override
        public int write(ByteBuffer from) throws IOException {
            try {
                int written = stream.write(from, Deadlines.NEVER);
                RdmaCounters.TOTAL.sentCopied.add(written);
                return written;
            } catch (InterruptedException e) {
                throw new AssertionError("it does not wait", e);
            }
        }

        @Override
        public boolean isOpen() {
            return RdmaSocketChannel.this.isOpen();
        }

        @Override
        public void close() {
            // by the channel only
        }
    }

    @Override
    public boolean isInputShutdown() {
        return isInputShut;
    }

    @Override
    public boolean isOutputShutdown() {
        return isOutputShut;
    }

    @Override
    public boolean isShutdown() {
        return isInputShut && isOutputShut;
    }

    @Override
    protected void doShutdownOutput() throws Exception {
        connected().shutdownOutput(Deadlines.NEVER);
        isOutputShut = true;
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        inLoop(() -> ((SocketUnsafe) unsafe()).shutdownOutput(promise));
        return promise;
    }

    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        inLoop(() -> {
            try {
                connected().shutdownInput();
                isInputShut = true;
                promise.setSuccess();
            } catch (IOException | NotYetConnectedException e) {
                promise.setFailure(e);
            }
        });
        return promise;
    }

    @Override
    public ChannelFuture shutdown() {
        return shutdown(newPromise());
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        shutdownOutput()
                .addListener(output -> shutdownInput().addListener(input -> {
                    Throwable failure = output.cause() != null ? output.cause() : input.cause();
                    if (failure != null) {
                        promise.setFailure(failure);
                    } else {
                        promise.setSuccess();
                    }
                }));
        return promise;
    }

    private void inLoop(Runnable task) {
        EventLoop loop = eventLoop();
        if (loop.inEventLoop()) {
            task.run();
        } else {
            loop.execute(task);
        }
    }

    @Override
    protected RdmaUnsafe newUnsafe() {
        return new SocketUnsafe();
    }

    @SuppressWarnings("deprecation") // Netty's own transports use this handle
    private final class SocketUnsafe extends RdmaUnsafe {

        private ChannelPromise connectPromise; // null unless it is being connected
        private Future<?> connectLimit; // null unless it has one
        private SocketAddress wanted; // as named by the program

        @Override
        protected Executor prepareToClose() {
            if (isOpen() && stream != null && config.getSoLinger() > 0) {
                cancelRegistration(); // no event comes between this and the end of the close
                return GlobalEventExecutor.INSTANCE;
            }
            return null;
        }

        @Override
        public void connect(SocketAddress to, SocketAddress from, ChannelPromise promise) {
            if (promise.isDone() || !ensureOpen(promise)) {
                return;
            }
            try {
                begin(to, from);
                connectPromise = promise;
                limit(to);
                promise.addListener((ChannelFutureListener) this::abandoned);
                RdmaSocketChannel.this.await(registration(), pending);
            } catch (Exception e) {
                closeIfNotOpen();
                promise.tryFailure(annotated(e, to));
            }
        }

        private void begin(SocketAddress to, SocketAddress from) throws Exception {
            if (connectPromise != null) {
                throw new ConnectionPendingException();
            }
            if (remote != null) {
                throw new AlreadyConnectedException();
            }
            InetSocketAddress named = checked(to);
            try {
                InetSocketAddress peer = Loopback.peer(named);
                if (from != null) {
                    doBind(from);
                }
                wanted = named;
                Bound own = bound;
                bound = null;
                pending = Service.get()
                        .connect(
                                registration().group(),
                                own,
                                peer,
                                config.stream(),
                                config.getTrafficClass(),
                                MAX_CONNECT);
            } catch (IOException | RdmaException e) {
                doClose();
                throw e;
            }
        }

        private void limit(SocketAddress to) {
            int millis = config.getConnectTimeoutMillis();
            if (millis > 0) {
                connectLimit = eventLoop()
                        .schedule(
                                () -> {
                                    ChannelPromise promise = connectPromise;
                                    if (promise != null
                                            && promise.tryFailure(new ConnectTimeoutException(
                                                    "connection timed out after " + millis + " ms: " + to))) {
                                        close(voidPromise());
                                    }
                                },
                                millis,
                                TimeUnit.MILLISECONDS);
            }
        }

        private void abandoned(ChannelFuture promise) {
            if (promise.isCancelled()) {
                close(voidPromise());
            }
        }

        /** The channel is being closed. */
        void abandonConnect() {
            ChannelPromise promise = connectPromise;
            connectPromise = null;
            if (promise != null) {
                promise.tryFailure(new ClosedChannelException());
            }
            cancelLimit();
            CompletableFuture<Stream> handshake = pending;
            pending = null;
            if (handshake == null) {
                return;
            }
            boolean accepts = parent() != null; // its peer is connected soon, and then sees an orderly close
            if (accepts || (!handshake.cancel(false) && !handshake.isCompletedExceptionally())) {
                boolean gracefully = accepts && config.getSoLinger() != 0;
                CompletableFuture<Void> _ = handshake.thenAccept(made -> made.close(gracefully));
            }
        }

        private void cancelLimit() {
            if (connectLimit != null) {
                connectLimit.cancel(false);
                connectLimit = null;
            }
        }

        /** The handshake of this end's or of a peer's connect is over. */
        void handshakeEnded(Stream made, Throwable failure) {
            if (pending == null) {
                return; // closed meanwhile, and so is the stream
            }
            pending = null;
            cancelLimit();
            ChannelPromise promise = connectPromise;
            connectPromise = null;
            if (failure != null) {
                failed(promise, failure);
                return;
            }
            boolean wasActive = isActive();
            stream = made;
            config.stream(made.options());
            if (config.isKeepAlive()) {
                applyKeepAlive();
            }
            if (promise != null) {
                local = local != null ? local : made.localAddress();
                remote = (InetSocketAddress) wanted;
                active = true;
                connectedAs(promise, wasActive);
            } else {
                active = true;
                pipeline().fireChannelActive();
            }
            if (isOpen()) {
                handle(registration(), RdmaIoEvent.CHANGED);
            }
        }

        private void failed(ChannelPromise promise, Throwable failure) {
            if (promise != null) {
                promise.tryFailure(annotated(failure, wanted));
                close(voidPromise());
            } else {
                pipeline().fireExceptionCaught(failure);
                close(voidPromise());
            }
        }

        @Override
        boolean isWriteBlocked() {
            return isWriteBlocked && stream != null;
        }

        @Override
        void releaseHeld() {
            if (!held.isEmpty()) {
                held.release(stream);
            }
        }

        @Override
        public boolean confirmHeld() {
            releaseHeld();
            if (!held.isEmpty() && isOpen()) {
                stream.confirm();
            }
            return !held.isEmpty();
        }

        @Override
        void flushOn() {
            isWriteBlocked = false;
            super.flush0();
        }

        @Override
        protected void flush0() {
            if (!isWriteBlocked) { // else it goes on when the peer gives room
                super.flush0();
            }
        }

        @Override
        void read() {
            ChannelPipeline pipeline = pipeline();
            ByteBufAllocator allocator = config.getAllocator();
            RecvByteBufAllocator.Handle handle = recvBufAllocHandle();
            handle.reset(config);
            boolean ends = false;
            try {
                do {
                    ByteBuf buffer = read(allocator, handle);
                    if (buffer == null) {
                        ends = handle.lastBytesRead() < 0;
                        if (ends) {
                            readPending = false;
                        }
                        break;
                    }
                    handle.incMessagesRead(1);
                    readPending = false;
                    pipeline.fireChannelRead(buffer);
                } while (!isInputShut && handle.continueReading());
                handle.readComplete();
                pipeline.fireChannelReadComplete();
                if (ends) {
                    ended();
                }
            } catch (Throwable t) {
                readFailed(pipeline, handle, t);
            }
        }

        /** What has arrived; null if nothing has. */
        private ByteBuf read(ByteBufAllocator allocator, RecvByteBufAllocator.Handle handle) throws Exception {
            int most = handle.guess();
            handle.attemptedBytesRead(most);
            LentByteBuf lent = LentByteBuf.take();
            int count = 0;
            try {
                count = stream.lend(lent.loan(), most, config.maxKept());
            } finally {
                if (count <= 0) {
                    lent.putBack();
                }
            }
            if (count == Stream.NOT_LENT) {
                return readCopy(allocator, handle);
            }
            handle.lastBytesRead(count);
            if (count <= 0) {
                return null;
            }
            RdmaCounters.TOTAL.lent.add(count);
            return lent.begin(count, allocator);
        }

        private ByteBuf readCopy(ByteBufAllocator allocator, RecvByteBufAllocator.Handle handle) throws Exception {
            ByteBuf into = handle.allocate(allocator);
            int count = 0;
            try {
                int begin = into.writerIndex();
                handle.attemptedBytesRead(into.writableBytes());
                count = stream.read(into.internalNioBuffer(begin, into.writableBytes()), Deadlines.NEVER);
                handle.lastBytesRead(count);
                if (count <= 0) {
                    return null;
                }
                RdmaCounters.TOTAL.receivedCopied.add(count);
                return into.writerIndex(begin + count);
            } finally {
                if (count <= 0) {
                    into.release();
                }
            }
        }

        /** The peer sends no more, and everything has been read. */
        private void ended() {
            if (isInputShut && isEndKnown) {
                return;
            }
            isEndKnown = true;
            if (!config.isAllowHalfClosure()) {
                close(voidPromise());
                return;
            }
            if (!isInputShut) {
                isInputShut = true;
                stream.shutdownInput();
                pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            }
            pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
        }

        private void readFailed(ChannelPipeline pipeline, RecvByteBufAllocator.Handle handle, Throwable cause) {
            handle.readComplete();
            pipeline.fireChannelReadComplete();
            pipeline.fireExceptionCaught(cause);
            if (cause instanceof IOException || cause instanceof OutOfMemoryError) {
                close(voidPromise());
            }
        }
    }
}
