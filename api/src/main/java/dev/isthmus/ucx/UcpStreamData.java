// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.ArenaGuard;
import dev.isthmus.internal.HotPath;
import java.lang.foreign.MemorySegment;

/**
 * Bytes of a stream in UCX's own memory, lent until {@link #release()}: {@code ucp_stream_recv_data_nb}. Each
 * {@link UcpStream#receiveData} fills the same object again, so receiving allocates nothing and copies nothing. Closing
 * the endpoint takes the bytes back, too.
 */
public final class UcpStreamData extends UcpBytes implements AutoCloseable {

    private final StreamOperations operations;
    private UcpEndpoint endpoint; // null while it holds nothing
    private int place;
    private ArenaGuard view; // of the segment, if it was requested
    private MemorySegment segment;

    private UcpStreamData(StreamOperations operations) {
        super(operations.owner());
        this.operations = operations;
    }

    /**
     * An empty holder.
     *
     * @param worker the worker for the streams of its endpoints
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
     * The bytes as a segment, for example to send them on without a copy. It ends with the release. Allocates, once
     * per filling.
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
     * Gives the bytes back to UCX, if there are any: {@code ucp_stream_data_release}. After that they are refused here
     * and in the segment.
     *
     * @throws IllegalStateException if an operation of any worker uses the segment
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

    /** Does what {@link #release()} does. */
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

    /** The holder as it appears in error messages. */
    @Override
    public String toString() {
        return "UcpStreamData(" + (isLent() ? count() + " bytes" : "none held") + ")";
    }
}
