// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.HotPath;
import java.lang.foreign.MemorySegment;

/**
 * Bytes of a stream in UCX's own memory, lent until {@link #release()}: {@code ucp_stream_recv_data_nb}. Each
 * {@link UcpStream#receiveData} fills the same object again, so receiving allocates nothing and copies nothing.
 *
 * <p>Closing the endpoint takes the bytes back, too. If an operation uses their {@link #segment()}, the close first
 * gives it {@link UcpWorkerConfig#closeTimeout} to end. If it does not end, the bytes stay here until the release, and
 * UCX has their memory back when the worker is closed.
 */
public final class UcpStreamData extends UcpBytes implements AutoCloseable {

    private final StreamOperations operations;
    private final LentSegment segment = new LentSegment();
    private UcpEndpoint endpoint; // null while it holds nothing, and once C has closed the endpoint
    private int place;

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
        return new UcpStreamData(worker.streams());
    }

    /**
     * Whether it holds bytes.
     *
     * @return false before the first receive and after each release
     */
    public boolean isHolding() {
        return isLent();
    }

    /**
     * The bytes as a segment, for example to send them on without a copy. It ends with the release. Allocates, once
     * per filling.
     *
     * @return the bytes, read-only
     * @throws IllegalStateException if it holds none
     * @throws WrongThreadException if the worker belongs to another thread
     */
    public MemorySegment segment() {
        return segment.of(at(0, 0), count(), this);
    }

    /**
     * Gives the bytes back to UCX, if there are any: {@code ucp_stream_data_release}. After that they are refused here
     * and in the segment.
     *
     * @throws IllegalStateException if an operation of any worker, or another thread, uses the segment
     * @throws WrongThreadException if the worker belongs to another thread
     */
    @HotPath
    public void release() {
        if (isLent()) {
            owner().check();
            operations.release(this);
        }
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
        if (isLent()) {
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
    void clear() {
        endpoint = null;
        endLoan();
    }

    /** C closes the endpoint, and can no longer take the bytes back. */
    void detach() {
        endpoint = null;
    }

    @HotPath
    LentSegment lent() {
        return segment;
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
    String unavailableReason() {
        return "no bytes are held: they were given back, or never received";
    }

    /** The holder as it appears in error messages. */
    @Override
    public String toString() {
        return "UcpStreamData(" + (isLent() ? count() + " bytes" : "none held") + ")";
    }
}
