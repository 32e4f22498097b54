// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.ArenaGuard;
import dev.isthmus.internal.HotPath;
import java.lang.foreign.MemorySegment;

/**
 * Bytes of a stream in UCX's own memory, lent until {@link #release()}: {@code ucp_stream_recv_data_nb}. Filled again by each
 * {@link UcpStream#receiveData}, so that receiving allocates nothing and copies nothing. The close of the endpoint takes
 * them back, too.
 */
public final class UcpStreamData extends UcpBytes implements AutoCloseable {

    private final StreamOperations operations;
    private UcpEndpoint endpoint; // null while it holds nothing
    private int place;
    private ArenaGuard view; // of the segment, if one was asked for
    private MemorySegment segment;

    private UcpStreamData(StreamOperations operations) {
        super(operations.owner());
        this.operations = operations;
    }

    /**
     * A holder without bytes.
     *
     * @param worker for whose endpoints' streams it is
     * @return the holder
     */
    public static UcpStreamData of(UcpWorker worker) {
        return new UcpStreamData(worker.parts().streams());
    }

    /**
     * Whether it holds bytes.
     *
     * @return false before the first receive and after each release
     */
    public boolean isHolding() {
        return endpoint != null;
    }

    /**
     * The bytes as a segment, to be sent on without a copy for instance. It ends with the release. Allocates, once per
     * filling.
     *
     * @return the bytes, read-only
     * @throws IllegalStateException if it holds none
     * @throws WrongThreadException if the worker belongs to another thread
     */
    @SuppressWarnings("restricted")
    public MemorySegment segment() {
        long begin = at(0, 0);
        if (view == null) {
            view = ArenaGuard.shared("the segment of " + this); // the worker may be handed over before it is closed
            segment = MemorySegment.ofAddress(begin)
                    .reinterpret(count(), view, null)
                    .asReadOnly();
        }
        return segment;
    }

    /**
     * Gives the bytes back to UCX if there are any: {@code ucp_stream_data_release}. After that they are refused here and
     * in the segment.
     *
     * @throws IllegalStateException if an operation uses the segment, of whatever worker
     * @throws WrongThreadException if the worker belongs to another thread
     */
    @HotPath
    public void release() {
        if (endpoint == null) {
            return;
        }
        owner().check();
        if (view != null && view.isUsed()) {
            throw new IllegalStateException("an operation uses the segment of " + this + ": it is to be done first");
        }
        operations.release(this);
    }

    /** As {@link #release()}. */
    @Override
    public void close() {
        release();
    }

    @HotPath
    void checkEmptyOf(StreamOperations user) {
        if (operations != user) {
            throw new IllegalArgumentException(this + " is for another worker");
        }
        if (endpoint != null) {
            throw new IllegalStateException(this + " holds bytes already: release() it first");
        }
    }

    @HotPath
    void hold(UcpEndpoint of, long begin, long count, int at) {
        endpoint = of;
        lend(begin, count);
        place = at;
    }

    @HotPath
    void forget() {
        if (view != null) {
            view.closeAnyway();
            view = null;
            segment = null;
        }
        endpoint = null;
        takeBack();
    }

    @HotPath
    void moveTo(int at) {
        place = at;
    }

    @HotPath
    int place() {
        return place;
    }

    @HotPath
    UcpEndpoint endpoint() {
        return endpoint;
    }

    @Override
    String whyNone() {
        return "no bytes are held: they were given back, or never received";
    }

    /** The holder as messages name it. */
    @Override
    public String toString() {
        return "UcpStreamData(" + (isLent() ? count() + " bytes" : "none held") + ")";
    }
}
