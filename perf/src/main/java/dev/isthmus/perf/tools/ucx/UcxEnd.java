// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import dev.isthmus.perf.tools.PerftestException;
import dev.isthmus.ucx.UcsStatus;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.function.LongConsumer;

/**
 * One end of a test, with some binding of UCX: its operations, of which each begins and returns a request, or 0 if it is
 * done already. A JVM runs ends of one binding, so its JIT knows which methods the loops call. Confined to the thread
 * that created it.
 */
abstract class UcxEnd implements AutoCloseable {

    /** A binding of UCX for Java. */
    @FunctionalInterface
    interface Binding {

        /** Creates an end of a test, on the thread that runs it. */
        UcxEnd open(UcxPlan plan, boolean server, UcxLink link);
    }

    static final long TAG = 0x1337a880L;
    static final int MESSAGE_ID = 1;

    private static final int PASSES_BETWEEN_CHECKS = 1 << 12;
    private static final int PAUSES_BETWEEN_CHECKS = 1 << 20;

    final UcxPlan plan;
    final boolean server;
    final UcxLink link;
    private final boolean limited;
    private UcxLoop loop; // null until it is connected
    private int idle;

    UcxEnd(UcxPlan plan, boolean server, UcxLink link) {
        this.plan = plan;
        this.server = server;
        this.link = link;
        this.limited = !plan.test().command.isOneSided();
    }

    /** What the peer must know of it. */
    abstract EndpointInfo introduction();

    /** Connects to the peer. */
    final void connect(EndpointInfo peer) throws IOException {
        open(peer);
        loop = switch (plan.test().command) {
            case TAG, TAG_SYNC -> new TagLoop(this);
            case STREAM -> new StreamLoop(this);
            case AM -> new AmLoop(this);
            case PUT -> new PutLoop(this);
            case GET ->
                new UcxLoop(this) {
                    @Override
                    void run(int count) throws IOException {
                        repeat(count);
                    }

                    @Override
                    long post() {
                        return get();
                    }
                };
            case ADD, FADD, SWAP, CSWAP -> new AtomicLoop(this);
        };
    }

    /** Creates the endpoint. */
    abstract void open(EndpointInfo peer) throws IOException;

    /** What its tests repeat; there once it is connected. */
    final UcxLoop loop() {
        return loop;
    }

    /** The memory that is sent from. */
    abstract MemorySegment outgoing();

    /** The memory that is received into, and that the peer accesses. */
    abstract MemorySegment incoming();

    abstract long tagSend();

    abstract long tagReceive();

    /** Whether a tagged message has come; always, unless the test probes for messages. */
    boolean hasTag() {
        return true;
    }

    abstract long streamSend();

    /** Receives into the memory from there, as much as there is; with a list of buffers a whole message. */
    abstract long streamReceive(long offset);

    /** Takes bytes of the stream that have come, and forgets them; returns how many. */
    long streamTake() {
        throw absent();
    }

    abstract long amSend();

    /** Has messages taken, during progress: the handler gets a request that still fetches the content, or 0. */
    abstract void handleMessages(LongConsumer handler);

    abstract long put();

    long get() {
        throw absent();
    }

    /** The test's operation with this operand. */
    long atomic(long operand) {
        throw absent();
    }

    /** Not every binding has every test. */
    final IllegalArgumentException absent() {
        return new IllegalArgumentException("JUCX has no " + plan.test().title());
    }

    /** One-sided operations before this come to pass before those after it. */
    abstract void fence() throws IOException;

    abstract long beginFlush();

    /** Progresses once; returns 0 if nothing has happened. */
    abstract int progress();

    abstract boolean isDone(long request);

    /** The status of a request that is done: {@code ucs_status_t}. */
    abstract int statusCode(long request);

    /** The length of a receive that is done. */
    abstract long length(long request);

    abstract void release(long request);

    /** Waits until the peer has everything. */
    final void flush() throws IOException {
        finish(beginFlush());
    }

    /** Returns when the peer gets here, too. */
    final void barrier() throws IOException {
        link.barrier(this::progress, limited);
    }

    /** Progresses once, and checks now and then whether the peer is alive. */
    final void pass() throws IOException {
        if (progress() == 0 && ++idle >= PASSES_BETWEEN_CHECKS) {
            checkPeer();
        }
    }

    /** Does not progress, as the test forbids it, but checks the peer now and then. */
    final void idle() throws IOException {
        if (++idle >= PAUSES_BETWEEN_CHECKS) {
            checkPeer();
        }
    }

    private void checkPeer() throws IOException {
        idle = 0;
        link.checkPeer(limited);
    }

    /** Progresses until an operation is done, and releases it. */
    final void finish(long request) throws IOException {
        if (request != 0) {
            await(request);
            release(request);
        }
    }

    /** Progresses until a receive is done, and releases it; returns the received length. */
    final long finishReceive(long request) throws IOException {
        await(request);
        long length = length(request);
        release(request);
        return length;
    }

    private void await(long request) throws IOException {
        while (!isDone(request)) {
            progressForAWhile();
        }
        int status = statusCode(request);
        if (status != 0) {
            throw new PerftestException("an operation has failed: " + UcsStatus.of(status) + " (" + status + ")");
        }
    }

    /** Progresses until something happens, or for a moment, without checking the request. */
    private void progressForAWhile() throws IOException {
        for (int i = 0; i < PASSES_BETWEEN_CHECKS; i++) {
            if (progress() != 0) {
                return;
            }
        }
        checkPeer();
    }

    /** Closes the endpoint, while the peer still progresses. */
    abstract void disconnect();

    @Override
    public abstract void close();
}
