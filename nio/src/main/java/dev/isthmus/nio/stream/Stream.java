// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.RdmaException;
import dev.isthmus.cm.PrivateData;
import dev.isthmus.nio.stream.StreamState.Event;
import dev.isthmus.nio.stream.StreamState.Life;
import dev.isthmus.nio.stream.StreamState.Output;
import dev.isthmus.verbs.CompletionStatus;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.WorkCompletions;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One connection: reads, writes, half-closes and its end. Thread-safe: one lock guards everything, and no thread waits
 * while it holds the lock.
 *
 * <p>Reads and writes poll the completion queue themselves, and only when they must. Threads wait by {@link Waiting}.
 * The thread of {@link Service} delivers the events of the connection manager, and ends the connection: see
 * {@link StreamClose}.
 */
public final class Stream {

    /** What {@link #lend} returns if it lends nothing of what has arrived. */
    public static final int NOT_LENT = -2;

    /** Marks the number of a receive, which also holds the number of its place. */
    static final long RECEIVE = Long.MIN_VALUE;

    private static final System.Logger LOG = System.getLogger("dev.isthmus.nio");
    private static final int BATCH = 16;
    private static final String RESET = "Connection reset";

    private final ReentrantLock lock; // that of its group, if it has one
    private final Link link;
    private final Waiting waiting;
    private final Writers writers;
    private final Wire wire;
    private final ReceiveSide receives;
    private final Protocol protocol;
    private final Iomaps iomaps;
    private final WorkCompletions done = WorkCompletions.allocate(BATCH);
    private final CompletableFuture<Void> released = new CompletableFuture<>();
    private SendSide sends; // null until it is connected
    private InetSocketAddress localAddress;
    private InetSocketAddress peerAddress;
    private StreamState state = StreamState.FIRST;
    private IOException failure; // null unless the state says that it has failed
    private StreamClose streamClose; // null while it is open; used by the service's thread only
    private boolean idle; // nothing was sent or received since the last keepAlive
    private boolean flushed; // the current turn of its group has found a flushed request
    private boolean touched; // the current turn of its group has found a completion
    private boolean queued; // its group will name it
    private volatile Object attachment;
    private final List<Early> early = new ArrayList<>(0);

    /** A message that has arrived before the event that says that the connection is established. */
    private record Early(long number, int message) {}

    /** Takes the objects of a connection that is not established yet, on the thread that created them. */
    Stream(Link link) throws IOException {
        this.link = link;
        StreamGroup group = link.group();
        this.lock = group == null ? new ReentrantLock() : group.lock();
        this.wire = Wire.of(
                link.queuePair(), link.memory(), link.isIwarp(), link.options().protocol());
        this.receives = new ReceiveSide(link.queuePair(), wire, link.memory(), link.options());
        receives.begin();
        this.waiting = new Waiting(this, lock, link.completions(), link.channel(), link.options());
        this.writers = new Writers(this, waiting);
        this.iomaps = new Iomaps(this, writers, lock, link);
        this.protocol = Protocol.of(this, link, wire, receives);
        wire.shareUnder(lock);
        receives.shareUnder(lock);
        link.shareUnder(lock);
        link.id().attach(this);
        if (group != null) {
            link.queuePair().attach(this);
            var watchers = new Watchers();
            watchers.add(new GroupWatcher());
            waiting.watchedBy(watchers);
        }
    }

    private final class GroupWatcher implements Watcher {

        @Override
        public void changed() {
            link.group().changed(Stream.this);
        }

        @Override
        public void closing() {}
    }

    /**
     * Keeps an object of its user's, such as its channel. Any thread may call it.
     *
     * @param object the object
     */
    public void attach(Object object) {
        attachment = object;
    }

    /**
     * What its user has attached.
     *
     * @return the object; null if there is none
     */
    public Object attachment() {
        return attachment;
    }

    /** The private data that this side sends in the handshake. */
    PrivateData greeting() {
        return protocol.greeting();
    }

    /**
     * The connection is established.
     *
     * @param begins whether this side may send before the peer does
     */
    void connected(ConnectionData peer, boolean begins) throws IOException {
        lock.lock();
        try {
            localAddress = link.id().localAddress();
            peerAddress = link.id().peerAddress();
            sends = new SendSide(
                    protocol,
                    wire,
                    link.memory(),
                    link.options(),
                    link.queuePair().capabilities().maxInline(),
                    peer);
            iomaps.connected(sends, peer);
            change(begins ? Event.CONNECT : Event.CONNECT_SILENT);
            if (!begins) {
                sends.hold();
            }
            protocol.connected(sends, peer);
            protocol.grant();
            takeEarly();
        } finally {
            lock.unlock();
        }
        if (attention() != null) {
            link.service().keepAlive(this, null);
        }
    }

    private void takeEarly() {
        if (link.group() == null) {
            return;
        }
        try {
            for (Early each : early) {
                received(each.number(), each.message());
            }
        } catch (ProtocolException e) { // the connection was established nevertheless, and then failed
            fail(e);
        }
        early.clear();
        handled();
    }

    /**
     * The address of this side.
     *
     * @return the address and port
     */
    public InetSocketAddress localAddress() {
        return localAddress;
    }

    /**
     * The address of the peer.
     *
     * @return the address and port
     */
    public InetSocketAddress peerAddress() {
        return peerAddress;
    }

    /**
     * The options in use.
     *
     * @return the options, adapted to what the device and the limits allow
     */
    public StreamOptions options() {
        return link.options();
    }

    /**
     * Reads the bytes that have arrived.
     *
     * @param into the destination, which has room
     * @param deadline {@link Deadlines#NEVER} not to wait, or when to stop waiting for the first byte
     * @return how many bytes; 0 if none arrives in time, -1 at the end
     * @throws IOException if the connection has failed, and everything that arrived before has been read
     * @throws AsynchronousCloseException if this is closed
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public int read(ByteBuffer into, long deadline) throws IOException, InterruptedException {
        lock.lock();
        try {
            int readable = awaitReadable(into, deadline);
            if (readable <= 0) {
                return readable;
            }
            int length = receives.receive(into);
            grantIfDue();
            return length;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Reads the bytes that have arrived into several buffers; otherwise like {@link #read(ByteBuffer, long)}.
     *
     * @param into the destinations, in this order, of which one has room
     * @param offset the first of them
     * @param count how many of them
     * @param deadline as there
     * @return as there
     * @throws IOException as there
     * @throws InterruptedException as there
     */
    public int read(ByteBuffer[] into, int offset, int count, long deadline) throws IOException, InterruptedException {
        lock.lock();
        try {
            for (int i = offset; i < offset + count; i++) {
                checkAlive(into[i]);
            }
            int readable = awaitReadable(into[offset], deadline);
            if (readable <= 0) {
                return readable;
            }
            int length = receives.receive(into, offset, count);
            grantIfDue();
            return length;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Lends bytes that have arrived, where they are. Does not wait. For a stream of a group.
     *
     * @param loan receives them; it lends nothing now
     * @param most the most bytes to lend
     * @param bound how many bytes of read memory the program may keep. Memory is kept in halves of the receive buffer,
     *     each until all loans from it have ended, and so may come to half a receive buffer more than this
     * @return how many bytes; 0 if none have arrived, -1 at the end, {@link #NOT_LENT} if bytes have arrived, but the
     *     program keeps so much that it must {@linkplain #read(ByteBuffer, long) read} them into its own memory
     * @throws IOException if the connection has failed, and everything that arrived before has been read
     * @throws AsynchronousCloseException if this is closed
     */
    public int lend(Loan loan, int most, long bound) throws IOException {
        lock.lock();
        try {
            int readable = readable();
            if (readable <= 0) {
                return readable;
            }
            int length = receives.lend(loan, this, most, bound);
            grantIfDue();
            return length == 0 ? NOT_LENT : length;
        } finally {
            lock.unlock();
        }
    }

    /** The last loan from a block that was read has ended. */
    void returned(ReceiveBlock block) {
        lock.lock();
        try {
            receives.returned(block);
            if (state.life() != Life.RELEASED) {
                grantIfDue();
            } else if (!receives.isKept()) {
                link.releaseMemory();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits for bytes; returns how many have arrived, 0 if none arrives in time, -1 at the end. */
    private int awaitReadable(ByteBuffer into, long deadline) throws IOException, InterruptedException {
        while (true) {
            int readable = readable();
            if (readable != 0) {
                return readable;
            }
            checkAlive(into);
            if (!waiting.await(Waiting.READABLE, deadline)) {
                return 0;
            }
        }
    }

    /** How many bytes have arrived; -1 at the end. */
    private int readable() throws IOException {
        while (true) {
            if (!state.mayRead()) {
                checkOpen();
                return -1;
            }
            int available = receives.available();
            if (available > 0) {
                return available;
            }
            if (!progress()) {
                if (state.isAtEnd()) {
                    return -1;
                }
                throwFailure();
                return 0;
            }
        }
    }

    /** Throws if a buffer's memory has been freed: nobody may wait for that. */
    private static void checkAlive(ByteBuffer buffer) {
        if (buffer.hasRemaining()) {
            buffer.get(buffer.position());
        }
    }

    /**
     * How many bytes can be read without waiting.
     *
     * @return how many; 0 also at the end, or if the connection has failed
     * @throws AsynchronousCloseException if this is closed
     */
    public int available() throws AsynchronousCloseException {
        lock.lock();
        try {
            checkOpen();
            progress();
            return state.mayRead() ? receives.available() : 0;
        } finally {
            lock.unlock();
        }
    }

    /** Lets the peer send more, once that is worth a message. */
    private void grantIfDue() {
        if (protocol.isGrantDue()) {
            sendControlsOrFail();
        }
    }

    /**
     * Writes as much as there is room for. If several threads wait for room, each writes all of its bytes before the
     * next one writes.
     *
     * @param from what to write
     * @param deadline {@link Deadlines#NEVER} to write what fits now, or when to stop waiting for room for all of it
     * @return how many bytes
     * @throws IOException if the connection has failed, or the peer has left
     * @throws AsynchronousCloseException if this is closed
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public int write(ByteBuffer from, long deadline) throws IOException, InterruptedException {
        lock.lock();
        try {
            return writeLocked(from, deadline);
        } finally {
            writers.finish();
            lock.unlock();
        }
    }

    /**
     * Writes as much as there is room for now. If that is not all, the caller must call
     * {@link #write(ByteBuffer, long)} next; no other thread writes before that.
     *
     * @param from what to write
     * @return how many bytes
     * @throws IOException if the connection has failed, or the peer has left
     * @throws InterruptedException never: it does not wait
     */
    public int beginWrite(ByteBuffer from) throws IOException, InterruptedException {
        lock.lock();
        try {
            int sent = writeLocked(from, Deadlines.NEVER);
            if (sent > 0 && from.hasRemaining()) {
                writers.takeTurn();
            }
            return sent;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Writes as much of several buffers as there is room for; otherwise like {@link #write(ByteBuffer, long)}.
     *
     * @param from what to write, in this order
     * @param offset the first of them
     * @param count how many of them
     * @param deadline as there
     * @return how many bytes
     * @throws IOException as there
     * @throws InterruptedException as there
     */
    public long write(ByteBuffer[] from, int offset, int count, long deadline)
            throws IOException, InterruptedException {
        lock.lock();
        try {
            return writeLocked(from, offset, count, deadline);
        } finally {
            writers.finish();
            lock.unlock();
        }
    }

    /**
     * Writes as much as there is room for now, without a copy. What does not go inline is the device's until
     * {@link #isDone} says of {@link #posted} that it is the caller's again.
     *
     * @param memory memory to write from
     * @param offset where in it to begin
     * @param length how many bytes
     * @return how many were written; -1 if the memory cannot be registered
     * @throws IOException if the connection has failed, or the peer has left
     */
    public int write(SendMemory memory, long offset, int length) throws IOException {
        lock.lock();
        try {
            checkWritable();
            MemoryRegion region = memory.in(link.groupDevice());
            return region == null ? -1 : writeLocked(region, offset, length);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Writes as much of what another stream lends as there is room for now; otherwise like
     * {@link #write(SendMemory, long, int)}.
     *
     * @param loan has the bytes
     * @param offset where in its {@linkplain Loan#memory memory} to begin
     * @param length how many bytes
     * @return how many were written; -1 if another group, or another device, has the memory
     * @throws IOException if the connection has failed, or the peer has left
     */
    public int write(Loan loan, long offset, int length) throws IOException {
        GroupDevice device = loan.stream().link.groupDevice();
        lock.lock();
        try {
            checkWritable();
            return device == link.groupDevice() ? writeLocked(loan.block().region(), offset, length) : -1;
        } finally {
            lock.unlock();
        }
    }

    private int writeLocked(MemoryRegion from, long offset, int length) throws IOException {
        int written = send(from, offset, length);
        if (written < length && progress()) {
            checkWritable();
            written += send(from, offset + written, length - written);
        }
        return written;
    }

    private int send(MemoryRegion from, long offset, int length) throws IOException {
        idle = false;
        try {
            return sends.send(from, offset, length);
        } catch (ProtocolException | RdmaException e) {
            fail(e);
            throw failure;
        }
    }

    /**
     * The number of the last request that was posted.
     *
     * @return the number, for {@link #isDone}
     */
    public int posted() {
        return sends.posted();
    }

    /**
     * The largest message that goes inline.
     *
     * @return its length in bytes
     */
    public int inline() {
        return sends.inline();
    }

    /**
     * Whether the device is done with a request, and all before it. Handles no completions.
     *
     * @param number what {@link #posted} has returned
     * @return whether it is; of a connection that has failed, only once that is {@linkplain #released released}
     */
    public boolean isDone(int number) {
        return sends.isDone(number);
    }

    /** Has the device report soon what is {@linkplain #isDone done}: it reports only some requests by itself. */
    public void confirm() {
        lock.lock();
        try {
            postFinalRequest();
        } finally {
            lock.unlock();
        }
    }

    private int writeLocked(ByteBuffer from, long deadline) throws IOException, InterruptedException {
        checkWritable();
        int sent = writers.isFree() ? send(from) : 0;
        return from.hasRemaining() ? sent + writeOn(from, deadline) : sent;
    }

    /** Writes what could not be sent at once. */
    private int writeOn(ByteBuffer from, long deadline) throws IOException, InterruptedException {
        int begin = from.position();
        while (from.hasRemaining()) {
            boolean isTurn = writers.isTurn();
            if (!isTurn || send(from) == 0) {
                checkAlive(from);
                if (!writers.await(isTurn, deadline)) {
                    break;
                }
            }
        }
        return from.position() - begin;
    }

    private long writeLocked(ByteBuffer[] from, int offset, int count, long deadline)
            throws IOException, InterruptedException {
        long written = 0;
        long left = remaining(from, offset, count);
        checkWritable();
        while (left > 0) {
            boolean isTurn = writers.isTurn();
            int sent = isTurn ? send(from, offset, left) : 0;
            written += sent;
            left -= sent;
            if (sent == 0 && !writers.await(isTurn, deadline)) {
                break;
            }
        }
        return written;
    }

    private static long remaining(ByteBuffer[] buffers, int offset, int count) {
        long remaining = 0;
        for (int i = offset; i < offset + count; i++) {
            remaining += buffers[i].remaining();
        }
        return remaining;
    }

    /**
     * The memory that each side maps for the other to write into.
     *
     * @return the maps of both
     */
    public Iomaps iomaps() {
        return iomaps;
    }

    private int send(ByteBuffer from) throws IOException {
        idle = false;
        try {
            return sends.send(from);
        } catch (ProtocolException | RdmaException e) {
            fail(e);
            throwFailure();
            return 0; // never
        }
    }

    private int send(ByteBuffer[] from, int offset, long remaining) throws IOException {
        idle = false;
        try {
            return sends.send(from, offset, remaining);
        } catch (ProtocolException | RdmaException e) {
            fail(e);
            throw failure;
        }
    }

    void checkWritable() throws IOException {
        if (!state.mayWrite()) {
            checkOpen();
            throwFailure();
            throw state.output() != Output.OPEN
                    ? new ClosedChannelException()
                    : new IOException("Broken pipe: the peer has closed its socket");
        }
    }

    private void checkOpen() throws AsynchronousCloseException {
        if (state.isClosed()) {
            throw new AsynchronousCloseException();
        }
    }

    void throwFailure() throws IOException {
        if (failure != null) {
            var e = new SocketException(failure.getMessage());
            e.initCause(failure);
            throw e;
        }
    }

    /** Whether what a thread waits for has happened, or can no longer happen. */
    boolean is(int what) {
        if (state.life() != Life.OPEN) {
            return true;
        }
        return switch (what) {
            case Waiting.READABLE -> receives.available() > 0 || state.isAtEnd() || !state.mayRead();
            case Waiting.WRITABLE -> sends.isReady() || !state.mayWrite();
            case Waiting.FIRST_WRITER -> writers.isFree();
            case Waiting.CONTROL -> state.owed() == 0 || !state.peerReceives();
            default -> throw new AssertionError(what);
        };
    }

    boolean isClosed() {
        return state.isClosed();
    }

    /** The state. */
    StreamState current() {
        return state;
    }

    /** Changes the state; returns whether the event was for it. */
    boolean change(Event event) {
        StreamState before = state;
        state = before.on(event);
        return !state.equals(before);
    }

    /**
     * Finds what can be done without waiting. Ends and failures count as readable and writable.
     *
     * @param wanted {@link SelectionKey#OP_READ}, {@link SelectionKey#OP_WRITE}, or both
     * @param arm if nothing can be done, whether the {@linkplain #fileDescriptor descriptor} is to become readable, or
     *     the watchers to be notified, as soon as that may have changed
     * @return the part of it that can be done; 0 also if this is closed
     */
    public int ready(int wanted, boolean arm) {
        lock.lock();
        try {
            if (state.isClosed()) {
                return 0;
            }
            int ready = readyNow(wanted);
            if (ready != wanted) {
                progress();
                ready = readyNow(wanted);
            }
            if (ready == 0 && arm && waiting.arm()) {
                ready = readyNow(wanted);
            }
            return ready;
        } catch (RdmaException e) {
            fail(e);
            return wanted;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Whether a read would find something: bytes, the end or a failure. Handles no completions.
     *
     * @return whether it would; false if this is closed
     */
    public boolean isReadable() {
        lock.lock();
        try {
            return !state.isClosed() && is(Waiting.READABLE);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Whether the peer sends no more, and everything that it has sent has been read. Handles no completions.
     *
     * @return whether this is so; false if this is closed
     */
    public boolean isAtEnd() {
        lock.lock();
        try {
            return !state.isClosed() && state.isAtEnd() && receives.available() == 0;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Whether a byte can be written. Handles no completions.
     *
     * @return whether one can
     */
    public boolean isWritable() {
        lock.lock();
        try {
            return state.mayWrite() && sends.isReady();
        } finally {
            lock.unlock();
        }
    }

    private int readyNow(int wanted) {
        int ready = 0;
        if ((wanted & SelectionKey.OP_READ) != 0 && is(Waiting.READABLE)) {
            ready = SelectionKey.OP_READ;
        }
        if ((wanted & SelectionKey.OP_WRITE) != 0 && is(Waiting.WRITABLE)) {
            ready |= SelectionKey.OP_WRITE;
        }
        return ready;
    }

    /** Takes the event that made the descriptor readable, and notifies all watchers. Does not block. */
    public void takeEvent() {
        lock.lock();
        try {
            if (!state.isClosed()) { // after that, events belong to the service
                waiting.takeEvent();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * The descriptor of the completion channel. Do not call this, and do not wait for the descriptor, once this
     * is closed.
     *
     * @return the file descriptor
     */
    public int fileDescriptor() {
        return link.channel().fileDescriptor();
    }

    /**
     * Sets the watchers, which are notified when a read or write may have become possible.
     *
     * @param watchers the watchers of this stream's channel
     */
    public void watchedBy(Watchers watchers) {
        lock.lock();
        try {
            waiting.watchedBy(watchers);
        } finally {
            lock.unlock();
        }
    }

    /** Handles completions; returns whether there were any. */
    boolean progress() {
        return progress(true);
    }

    private boolean progress(boolean endsWhenFlushed) {
        boolean any = false;
        if (state.life() == Life.RELEASED) {
            return false;
        }
        if (link.group() != null) {
            return link.group().progress();
        }
        boolean hasFlushed = false;
        try {
            int count;
            do {
                count = link.completions().poll(done);
                for (int i = 0; i < count; i++) {
                    hasFlushed |= handleOne(done, i);
                }
                any |= count > 0;
                idle &= !any;
            } while (count == BATCH);
            if (hasFlushed && endsWhenFlushed) {
                flushed();
            }
            if (any) {
                sendControls();
                waiting.changed();
            }
        } catch (ProtocolException | RdmaException e) {
            fail(e);
        }
        return any;
    }

    private void flushed() {
        if (!state.isEnded()) {
            ended("the peer or the device has ended the connection without a disconnect message");
            link.service().thread().execute(this::disconnect);
        }
    }

    /** Handles a completion that its group has found; returns whether it is the first of this turn. */
    boolean handle(WorkCompletions from, int i) {
        if (state.life() == Life.RELEASED) {
            return false;
        }
        try {
            flushed |= handleOne(from, i);
        } catch (ProtocolException | RdmaException e) {
            fail(e);
        }
        boolean isFirst = !touched;
        touched = true;
        return isFirst;
    }

    /** The group's turn is over, in which this had completions. */
    void handled() {
        touched = false;
        idle = false;
        if (sends == null) {
            return; // not connected yet
        }
        if (flushed) {
            flushed = false;
            flushed();
        }
        sendControlsOrFail();
        if (state.isClosed()) {
            link.service().thread().execute(this::advanceCloseFurther);
        }
    }

    /** Marks it as to be named by its group; returns whether it was not. */
    boolean enqueue() {
        boolean isNew = !queued;
        queued = true;
        return isNew;
    }

    void dequeue() {
        queued = false;
    }

    /** Sends the control messages that are due, as far as there is room. */
    private void sendControls() throws ProtocolException {
        if (!state.mayControl()) {
            return;
        }
        if (!state.mayRead()) {
            receives.drop();
        }
        if (state.mayGrant()) {
            protocol.grant();
        }
        if (state.owed() != 0 && sends.hasControls(1)) {
            sends.sendControl(state.owed());
            change(Event.SEND);
        }
    }

    private void sendControlsOrFail() {
        try {
            sendControls();
        } catch (ProtocolException | RdmaException e) {
            fail(e);
        }
    }

    /** Handles a completion; returns whether its request was flushed, which is never the cause. */
    private boolean handleOne(WorkCompletions done, int i) throws ProtocolException {
        long number = done.wrId(i);
        if (!done.isSuccess(i)) {
            return failed(done.status(i));
        }
        if (number >= 0) {
            sends.completed(number);
        } else if (state.takesMessages()) { // no more receives are posted then, so a peer that goes on soon stalls
            int message = protocol.message(done, i);
            if (sends == null) { // its group polls, and nobody has taken the event that it is connected
                early.add(new Early(number, message));
            } else {
                received(number, message);
            }
        }
        return false;
    }

    private void received(long number, int message) throws ProtocolException {
        protocol.received(number, message);
        if (state.peerReceives()) {
            receives.used(number);
        }
    }

    private boolean failed(CompletionStatus status) throws ProtocolException {
        if (status == CompletionStatus.WR_FLUSH_ERR) {
            return true;
        }
        if (state.mayControl()) {
            if (status != CompletionStatus.RETRY_EXC_ERR) {
                throw new ProtocolException("a request ended with " + status);
            }
            fail(new IOException("the peer's device no longer answers"));
        }
        return false;
    }

    /** Makes the connection unusable. */
    void fail(Exception why) {
        boolean isBroken = why instanceof ProtocolException;
        if (!change(isBroken ? Event.BREAK : Event.FAIL)) {
            return;
        }
        LOG.log(isBroken ? Level.WARNING : Level.DEBUG, () -> this + " is reset: " + why.getMessage());
        failure = new IOException(RESET + ": " + why.getMessage(), why);
        waiting.wakeAll();
        link.service().thread().execute(this::disconnect);
    }

    /** The connection manager says that the peer has ended the connection. */
    void peerDisconnected() {
        disconnected("the peer has ended the connection without a disconnect message", !protocol.hasHalfClose());
    }

    /** The connection manager says that the peer is gone, or will never be there. */
    void disconnected(String why) {
        disconnected(why, false);
    }

    private void disconnected(String why, boolean isInOrder) {
        lock.lock();
        try {
            if (!state.isEnded()) {
                progress(false); // handles what arrived before
                if (isInOrder) {
                    change(Event.PEER_DISCONNECT);
                }
                ended(why);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Nothing is sent or received any more. That is no failure if both sides have announced it. */
    private void ended(String why) {
        if (change(Event.END) && state.isFailed() && failure == null) {
            LOG.log(Level.DEBUG, () -> this + " is reset: " + why);
            failure = new IOException(RESET + ": " + why);
        }
        waiting.wakeAll();
    }

    /** Stops reading: whatever arrives is dropped. Does nothing if the input is shut already. */
    public void shutdownInput() {
        lock.lock();
        try {
            if (change(Event.SHUT_INPUT)) {
                sendControlsOrFail();
                waiting.wakeAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Stops writing, and announces that to the peer once everything that was written has been sent. Does nothing if the
     * output is shut already.
     *
     * @param deadline {@link Deadlines#NEVER} not to wait, or when to stop waiting if many control messages are under
     *     way. After that, it is announced at the next read, write or wait
     * @throws IOException if the connection has failed, or the protocol has no half close
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public void shutdownOutput(long deadline) throws IOException, InterruptedException {
        lock.lock();
        try {
            checkOpen();
            if (!protocol.hasHalfClose()) {
                throw new IOException("Valkey's protocol has no half close: close the socket instead");
            }
            if (!change(Event.SHUT_OUTPUT)) {
                return;
            }
            sendControlsOrFail();
            waiting.wakeAll();
            boolean inTime = true;
            while (inTime && !is(Waiting.CONTROL)) {
                inTime = progress() || waiting.await(Waiting.CONTROL, deadline);
            }
            checkOpen();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Begins to close. Threads that wait in a read or write return, and the connection ends once the peer has
     * everything that was written. Does not block. Does nothing if this is closed already.
     *
     * @param gracefully whether to disconnect after everything that was written, if nothing is unread; if not, the peer
     *     receives what it takes at once, and then sees a reset
     */
    public void close(boolean gracefully) {
        lock.lock();
        try {
            if (!state.isClosed()) {
                progress();
                boolean hasUnread = state.mayRead() && receives.available() > 0; // as with TCP: the peer must know
                change(gracefully && !hasUnread ? Event.CLOSE : Event.RESET);
                if (isReset()) {
                    postFinalRequest();
                }
                waiting.wakeAll();
                if (!waiting.isLed()) {
                    continueClose();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Posts a signaled request: writes of data may be unsignaled, so only a later completion shows that they are done.
     */
    private void postFinalRequest() {
        if (!state.isConnected() || sends.isAllDone() || !sends.hasControls(1)) {
            return;
        }
        try {
            sends.keepAlive();
        } catch (ProtocolException | RdmaException e) {
            fail(e);
        }
    }

    /** Goes on with the close, which takes the completion channel's events, once no thread waits for them any more. */
    void continueClose() {
        link.service().continueClose(this);
    }

    /**
     * The end of a close.
     *
     * @return completed when everything has been destroyed
     */
    public CompletableFuture<Void> released() {
        return released.copy();
    }

    /**
     * Goes on with the close. The side that disconnects first ends the connection, once its disconnect message is sent.
     * If the other side is quicker, Soft-RoCE of Linux 6.1 drops its acknowledgement of the message, and rsocket waits
     * for that forever.
     *
     * <p>On iWARP a request is complete as soon as TCP has taken it. If the connection ended then, anything that the
     * peer still sends, such as that it has room, would have TCP reset the connection and drop what it has not
     * delivered. So this side then waits for the peer to disconnect, too, but not for long; the other side ends the
     * connection there.
     *
     * @return how far it has come
     */
    CloseProgress advanceClose() {
        lock.lock();
        try {
            if (link.group() == null) {
                link.completions().requestNotify(false);
            }
            progress();
            sendControlsOrFail();
            if (!state.isConnected() || (!state.peerReceives() && link.isIwarp())) {
                return CloseProgress.OVER;
            }
            boolean resets = isReset();
            if (!sends.isAllDone() || (state.owed() != 0 && !resets)) {
                return CloseProgress.SENDING;
            }
            return resets || !link.isIwarp() ? CloseProgress.OVER : CloseProgress.SENT;
        } finally {
            lock.unlock();
        }
    }

    /** Probes the peer's device, if nothing was sent or received since the last call. */
    void keepAlive() {
        lock.lock();
        try {
            boolean isIdle = !progress() && idle;
            idle = true;
            if (isIdle && state.mayGrant() && sends.hasControls(1)) {
                protocol.probe();
            }
        } catch (ProtocolException | RdmaException e) {
            fail(e);
        } finally {
            lock.unlock();
        }
    }

    /** Whether the peer is to see a reset. */
    boolean isReset() {
        lock.lock();
        try {
            return state.life() == Life.RESETTING;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the connection, on the service's thread. */
    void disconnect() {
        link.disconnect();
        if (link.isManual()) {
            lock.lock();
            try {
                link.stop();
            } finally {
                lock.unlock();
            }
        }
    }

    /** The peer has accepted a connection whose queue pair is not rdma_cm's. */
    void ready() {
        lock.lock();
        try {
            link.ready();
        } finally {
            lock.unlock();
        }
    }

    /** How often it has to look after its messages while it is idle; null if it need not. */
    Duration attention() {
        return protocol.attention();
    }

    /** Destroys the native objects, on the service's thread. */
    void release() {
        lock.lock();
        try {
            if (change(Event.RELEASE)) {
                receives.end();
                if (receives.isKept()) {
                    link.keepMemory();
                }
                link.close();
                released.complete(null);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * What it has come to and waits for, to explain a conversation that does not go on. Handles no completions.
     *
     * @return a description for maintainers
     */
    public String state() {
        if (!lock.tryLock()) {
            return this + ": " + lock;
        }
        try {
            return this + ": " + receives.state() + "; " + protocol + "; "
                    + (sends == null ? "not connected" : sends.state()) + "; "
                    + waiting.state()
                    + "; " + state
                    + (failure != null ? "; " + failure.getMessage() : "");
        } finally {
            lock.unlock();
        }
    }

    Link link() {
        return link;
    }

    /** Sets what closes it. Only the service's thread calls this and the next method. */
    void setStreamClose(StreamClose by) {
        streamClose = by;
    }

    /** Something has changed during the close: the peer has gone, or a completion was found. */
    void advanceCloseFurther() {
        if (streamClose != null) {
            streamClose.advance();
        }
    }

    @Override
    public String toString() {
        return "the connection of " + localAddress + " to " + peerAddress;
    }
}
