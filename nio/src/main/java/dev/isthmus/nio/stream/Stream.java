// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.RdmaException;
import dev.isthmus.verbs.CompletionStatus;
import dev.isthmus.verbs.WorkCompletions;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One connection: reads, writes, half closes, the end. Thread-safe; one lock guards all of it, and nobody waits with it held.
 *
 * <p>Reads and writes poll the completion queue themselves, and only when they have to. Who has to wait does so by {@link
 * Waiting}. What the connection manager tells comes from the thread of {@link Service}, and so does the end: see {@link
 * Farewell}.
 */
public final class Stream {

    /** The number of a receive, with that of its place. */
    static final long RECEIVE = Long.MIN_VALUE;

    private static final System.Logger LOG = System.getLogger("dev.isthmus.nio");
    private static final int BATCH = 16;
    private static final String RESET = "Connection reset";

    private final ReentrantLock lock = new ReentrantLock();
    private final Link link;
    private final Waiting waiting;
    private final Wire wire;
    private final ReceiveSide receives;
    private final WorkCompletions done = WorkCompletions.allocate(BATCH);
    private final CompletableFuture<Void> released = new CompletableFuture<>();
    private SendSide sends; // null until it is connected
    private InetSocketAddress localAddress;
    private InetSocketAddress peerAddress;
    private long writer; // the number of who waits for room, and whose bytes come before those of others; else 0
    private boolean held; // nothing is sent until the peer has sent something
    private boolean inputShut; // by this side
    private boolean outputShut;
    private boolean peerShut; // it sends no more
    private boolean peerLeft; // it takes no more
    private boolean disconnected; // as the connection manager tells, or the device
    private boolean flushed; // something was, in the progress that is being made
    private boolean closed;
    private boolean leaves; // this side says nothing after the goodbye that it has said, or is about to say
    private boolean abrupt; // or goes without a goodbye
    private int owed; // a control message that is sent when there is room for it; 0 for none
    private Farewell farewell; // null while it is open; of the thread of the service
    private IOException failure; // null while there is none
    private boolean idle; // nothing has come or gone since keepAlive asked last

    /** Of what was made for a connection that is not there yet, on the thread that made it. */
    Stream(Link link) throws IOException {
        this.link = link;
        this.wire = Wire.of(link.queuePair(), link.memory(), link.isIwarp());
        this.receives = new ReceiveSide(link.queuePair(), wire, link.memory(), link.options());
        receives.begin();
        this.waiting = new Waiting(this, lock, link.completions(), link.channel(), link.options());
        wire.shareUnder(lock);
        receives.shareUnder(lock);
        link.shareUnder(lock);
        link.id().attach(this);
    }

    /** What the peer is told. */
    ConnectionData connectionData() {
        return receives.connectionData();
    }

    /**
     * It is there.
     *
     * @param begins whether this side may send something before the peer has
     */
    void connected(ConnectionData peer, boolean begins) throws IOException {
        lock.lock();
        try {
            localAddress = link.id().localAddress();
            peerAddress = link.id().peerAddress();
            sends = new SendSide(
                    wire,
                    link.memory(),
                    link.options(),
                    link.queuePair().capabilities().maxInline(),
                    peer);
            if (!begins) {
                held = true;
                sends.hold();
            }
            receives.tell(sends);
        } finally {
            lock.unlock();
        }
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
     * How it was made.
     *
     * @return the options, adapted to what the device and the limits allow
     */
    public StreamOptions options() {
        return link.options();
    }

    /**
     * Reads what is there.
     *
     * @param into where to, with room
     * @param deadline {@link Deadlines#NEVER} not to wait, or until when to wait for the first byte
     * @return how many bytes; 0 when there is none in time, -1 at the end
     * @throws IOException if the connection has failed, and all that came before is read
     * @throws AsynchronousCloseException if this is closed
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public int read(ByteBuffer into, long deadline) throws IOException, InterruptedException {
        lock.lock();
        try {
            while (true) {
                checkOpen();
                if (inputShut) {
                    return -1;
                }
                if (receives.available() > 0) {
                    return take(into);
                }
                if (!progress()) {
                    if (peerShut) {
                        return -1;
                    }
                    throwFailure();
                    if (!waiting.await(Waiting.READABLE, deadline)) {
                        return 0;
                    }
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * How many bytes can be read without waiting.
     *
     * @return how many; 0 also at the end, or when the connection has failed
     * @throws AsynchronousCloseException if this is closed
     */
    public int available() throws AsynchronousCloseException {
        lock.lock();
        try {
            checkOpen();
            progress();
            return inputShut ? 0 : receives.available();
        } finally {
            lock.unlock();
        }
    }

    private int take(ByteBuffer into) throws IOException {
        int length = receives.receive(into);
        if (receives.hasToTell()) {
            goOnOrFail();
        }
        return length;
    }

    /**
     * Writes what there is room for. Of several threads that wait for room, each writes its bytes before the next does.
     *
     * @param from what to write
     * @param deadline {@link Deadlines#NEVER} to write what fits now, or until when to wait for room for all of it
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
            letOthersWrite();
            lock.unlock();
        }
    }

    /**
     * Writes what there is room for now. If that is not all, no other thread writes before the caller does again, by {@link
     * #write(ByteBuffer, long)}, which it has to.
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
                writer = callerId();
            }
            return sent;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Writes what there is room for, of several buffers. As {@link #write(ByteBuffer, long)} otherwise.
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
            letOthersWrite();
            lock.unlock();
        }
    }

    private int writeLocked(ByteBuffer from, long deadline) throws IOException, InterruptedException {
        checkWritable();
        int sent = writer == 0 ? send(from) : 0;
        return from.hasRemaining() ? sent + writeOn(from, deadline) : sent;
    }

    /** Writes what did not go at once. */
    private int writeOn(ByteBuffer from, long deadline) throws IOException, InterruptedException {
        int begin = from.position();
        while (from.hasRemaining()) {
            boolean isTurn = isTurn();
            if ((!isTurn || send(from) == 0) && !awaitWritable(isTurn, deadline)) {
                break;
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
            boolean isTurn = isTurn();
            int sent = isTurn ? send(from, offset, left) : 0;
            written += sent;
            left -= sent;
            if (sent == 0 && !awaitWritable(isTurn, deadline)) {
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

    private boolean isTurn() {
        return writer == 0 || writer == callerId();
    }

    /** Waits for the turn, or for room; false when the time is over. */
    private boolean awaitWritable(boolean isTurn, long deadline) throws IOException, InterruptedException {
        if (!isTurn) {
            if (!waiting.await(Waiting.FIRST_WRITER, deadline)) {
                return false;
            }
        } else if (!progress()) {
            writer = deadline == Deadlines.NEVER ? writer : callerId();
            if (!waiting.await(Waiting.WRITABLE, deadline)) {
                return false;
            }
        }
        checkWritable();
        return true;
    }

    private void letOthersWrite() {
        if (writer != 0 && writer == callerId()) {
            writer = 0;
            waiting.wakeAll();
        }
    }

    private static long callerId() {
        return Thread.currentThread().threadId();
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

    private void checkWritable() throws IOException {
        checkOpen();
        throwFailure();
        if (outputShut) {
            throw new ClosedChannelException();
        }
        if (peerLeft) {
            throw new IOException("Broken pipe: the peer has closed its socket");
        }
    }

    private void checkOpen() throws AsynchronousCloseException {
        if (closed) {
            throw new AsynchronousCloseException();
        }
    }

    private void throwFailure() throws IOException {
        if (failure != null) {
            var e = new SocketException(failure.getMessage());
            e.initCause(failure);
            throw e;
        }
    }

    /** Whether what a thread waits for is there, or never comes. */
    boolean is(int what) {
        if (closed || failure != null) {
            return true;
        }
        return switch (what) {
            case Waiting.READABLE -> receives.available() > 0 || peerShut || inputShut;
            case Waiting.WRITABLE -> sends.isReady() || outputShut || peerLeft;
            case Waiting.FIRST_WRITER -> writer == 0;
            case Waiting.CONTROL -> owed == 0 || peerLeft;
            default -> throw new AssertionError(what);
        };
    }

    boolean isClosed() {
        return closed;
    }

    /**
     * Looks what can be done without waiting. An end, and a failure, can be read and written.
     *
     * @param wanted {@link SelectionKey#OP_READ}, {@link SelectionKey#OP_WRITE}, or both
     * @param arm whether, if nothing can be done, the {@linkplain #fileDescriptor descriptor} becomes readable, or the
     *     watchers are told, as soon as that may have changed
     * @return what of it can be done; 0 also when this is closed
     */
    public int ready(int wanted, boolean arm) {
        lock.lock();
        try {
            if (closed) {
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

    /** Takes what has made the descriptor readable, and tells all watchers. Does not block. */
    public void takeEvent() {
        lock.lock();
        try {
            if (!closed) { // from then on they are the service's
                waiting.takeEvent();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * The descriptor of the completion channel. Not to be called, and not to be waited for, once this is closed.
     *
     * @return its number
     */
    public int fileDescriptor() {
        return link.channel().fileDescriptor();
    }

    /**
     * Sets the watchers that hear when a read or write may have become possible.
     *
     * @param watchers those of the channel that this becomes part of
     */
    public void watchedBy(Watchers watchers) {
        lock.lock();
        try {
            waiting.watchedBy(watchers);
        } finally {
            lock.unlock();
        }
    }

    /** Handles what has completed; returns whether anything had. */
    boolean progress() {
        boolean any = false;
        if (released.isDone()) {
            return false;
        }
        flushed = false;
        try {
            int count;
            do {
                count = link.completions().poll(done);
                for (int i = 0; i < count; i++) {
                    handle(i);
                }
                any |= count > 0;
                idle &= !any;
            } while (count == BATCH);
            if (flushed && !disconnected) {
                disconnected = true;
                over("the peer or the device has ended it without a word");
                link.service().disconnect(link.id());
            }
            if (any) {
                goOn();
                waiting.changed();
            }
        } catch (ProtocolException | RdmaException e) {
            fail(e);
        }
        return any;
    }

    /** Sends what is to be told, and can be. */
    private void goOn() throws ProtocolException {
        if (sends == null || failure != null || peerLeft) {
            return;
        }
        if (inputShut) {
            receives.drop();
        }
        if (!leaves) {
            receives.tell(sends);
        }
        if (owed != 0 && sends.hasControls(1)) {
            sends.tell(owed);
            owed = 0;
        }
    }

    private void goOnOrFail() {
        try {
            goOn();
        } catch (ProtocolException | RdmaException e) {
            fail(e);
        }
    }

    private void handle(int i) throws ProtocolException {
        long number = done.wrId(i);
        if (!done.isSuccess(i)) {
            failed(done.status(i));
        } else if (number < 0) {
            if (!isBroken()) { // then no more is received, so that a peer which goes on soon cannot
                int message = receives.message(done, i);
                received(Message.operation(message), Message.value(message));
                if (!peerLeft) {
                    receives.used(number);
                }
            }
        } else if (sends != null) {
            sends.completed(number);
        }
    }

    private void failed(CompletionStatus status) throws ProtocolException {
        if (status == CompletionStatus.WR_FLUSH_ERR) {
            flushed = true; // the reason is another
        } else if (failure == null && !peerLeft) {
            if (status != CompletionStatus.RETRY_EXC_ERR) {
                throw new ProtocolException("a request ended with " + status);
            }
            fail(new IOException("the peer's device answers no more"));
        }
    }

    /** Whether the peer has broken a rule. After other failures what came before them is still taken. */
    private boolean isBroken() {
        return failure != null && failure.getCause() instanceof ProtocolException;
    }

    private void received(int operation, int value) throws ProtocolException {
        if (held) {
            held = false;
            sends.release();
        }
        if (peerLeft ? operation != Message.CREDITS : peerShut && operation == Message.DATA) {
            throw new ProtocolException("the peer sent something after it had said that it would not");
        }
        if (peerLeft) {
            return; // C may grant room after its goodbye
        }
        switch (operation) {
            case Message.DATA -> receives.data(value);
            case Message.CREDITS -> credited(value);
            case Message.CONTROL -> controlled(value);
            default -> throw new ProtocolException("the peer sent an operation that is none, " + operation);
        }
    }

    private void credited(int value) throws ProtocolException {
        if (sends == null) {
            throw new ProtocolException("the peer grants room before it is connected");
        }
        sends.credited(value);
    }

    private void controlled(int value) throws ProtocolException {
        switch (value) {
            case Message.DISCONNECT -> {
                peerShut = true;
                peerLeft = true;
            }
            case Message.SHUTDOWN -> {
                if (peerShut) {
                    throw new ProtocolException("the peer shut its output down twice");
                }
                peerShut = true;
            }
            default -> throw new ProtocolException("the peer sent a control message that is none, " + value);
        }
    }

    /** The connection is of no more use. */
    private void fail(Exception why) {
        if (failure != null) {
            return;
        }
        LOG.log(
                why instanceof ProtocolException ? Level.WARNING : Level.DEBUG,
                () -> this + " is reset: " + why.getMessage());
        failure = new IOException(RESET + ": " + why.getMessage(), why);
        waiting.wakeAll();
        link.service().disconnect(link.id());
    }

    /** The connection manager tells that the peer is not there any more, or never will be. */
    void disconnected(String why) {
        lock.lock();
        try {
            if (disconnected || released.isDone()) {
                return;
            }
            disconnected = true;
            progress(); // what came before
            over(why);
        } finally {
            lock.unlock();
        }
    }

    /** Nothing comes or goes any more, which is as it should be if both sides have said so. */
    private void over(String why) {
        if (!peerLeft && failure == null && !leaves && !(peerShut && outputShut)) {
            LOG.log(Level.DEBUG, () -> this + " is reset: " + why);
            failure = new IOException(RESET + ": " + why);
        }
        peerLeft = true;
        waiting.wakeAll();
    }

    /** Reads no more: what comes is dropped. Does nothing when that is so already. */
    public void shutdownInput() {
        lock.lock();
        try {
            if (!closed) {
                inputShut = true;
                goOnOrFail();
                waiting.wakeAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Writes no more, and tells the peer when all that was written has gone. Does nothing when that is so already.
     *
     * @param deadline {@link Deadlines#NEVER} not to wait, or until when to wait while many control messages are under way.
     *     After that the peer is told as soon as something is read, written or waited for
     * @throws IOException if the connection has failed
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public void shutdownOutput(long deadline) throws IOException, InterruptedException {
        lock.lock();
        try {
            checkOpen();
            if (outputShut) {
                return;
            }
            outputShut = true;
            leaves = peerShut || inputShut;
            owed = Message.of(Message.CONTROL, leaves ? Message.DISCONNECT : Message.SHUTDOWN);
            goOnOrFail();
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
     * Begins to close: threads that wait in a read or write are let go, and so is the connection, once all that was written
     * is with the peer. Does not block. Does nothing when it is closed already.
     *
     * @param gracefully whether to say goodbye, after all that was written; if not, the peer sees a reset after what it takes at once
     */
    public void close(boolean gracefully) {
        lock.lock();
        try {
            if (!closed) {
                closed = true;
                inputShut = true;
                abrupt = !gracefully;
                if (gracefully && !leaves) {
                    owed = Message.of(Message.CONTROL, Message.DISCONNECT);
                }
                leaves = true;
                if (abrupt) {
                    askForTheEnd();
                }
                waiting.wakeAll();
                if (!waiting.isLed()) {
                    leave();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Writes of data tell nobody that they have gone, but what is posted behind them does. */
    private void askForTheEnd() {
        if (sends == null || failure != null || disconnected || sends.isAllDone() || !sends.hasControls(1)) {
            return;
        }
        try {
            sends.keepAlive();
        } catch (ProtocolException | RdmaException e) {
            fail(e);
        }
    }

    /** Goes on with the close, when no thread waits for the completion channel any more, whose events it takes. */
    void leave() {
        link.service().farewell(this);
    }

    /**
     * The end of a close.
     *
     * @return completed when nothing of it is left
     */
    public CompletableFuture<Void> released() {
        return released.copy();
    }

    /**
     * Goes on with the close. Who says goodbye first ends the connection, once that has gone: when the other is quicker, Soft-RoCE
     * of Linux 6.1 drops its acknowledgement of the goodbye, and rsocket waits for that without end.
     *
     * @return whether nothing is left to wait for
     */
    boolean takeLeave() {
        lock.lock();
        try {
            link.completions().requestNotify(false);
            progress();
            goOnOrFail();
            boolean isOver = failure != null || disconnected || sends == null;
            return isOver || ((abrupt || owed == 0) && sends.isAllDone());
        } finally {
            lock.unlock();
        }
    }

    /** Asks the peer's device whether it is there, if nothing has come or gone since the last call. */
    void keepAlive() {
        lock.lock();
        try {
            boolean isIdle = !progress() && idle;
            idle = true;
            if (isIdle && sends != null && !leaves && !closed && !peerLeft && failure == null && sends.hasControls(1)) {
                sends.keepAlive();
            }
        } catch (ProtocolException | RdmaException e) {
            fail(e);
        } finally {
            lock.unlock();
        }
    }

    /** Whether the peer is to see a reset. */
    boolean isAbrupt() {
        lock.lock();
        try {
            return abrupt;
        } finally {
            lock.unlock();
        }
    }

    /** Closes what C has of it, on the thread of the service. */
    void release() {
        lock.lock();
        try {
            if (!released.isDone()) {
                link.close();
                released.complete(null);
            }
        } finally {
            lock.unlock();
        }
    }

    Link link() {
        return link;
    }

    /** Whom to tell that the connection has ended; of the thread of the service, as the next. */
    void leaving(Farewell by) {
        farewell = by;
    }

    /** What is being closed has no peer any more. */
    void goneWhileLeaving() {
        if (farewell != null) {
            farewell.goOn();
        }
    }

    /** Both addresses. */
    @Override
    public String toString() {
        return "the connection of " + localAddress + " to " + peerAddress;
    }
}
