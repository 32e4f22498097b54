package dev.isthmus.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.bindings.ibverbs.ibv_recv_wr;
import dev.isthmus.internal.HotPath;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A receive request: {@code struct ibv_recv_wr} with its scatter/gather list, in native memory. Prepared once and
 * posted many times; its members are changed in place, and the device keeps no reference to it after the post.
 *
 * <p>The buffers that it names belong to the device from the post until the receive has completed. Each message takes
 * one receive, and fails when that is too short for it.
 *
 * <p>Used by one thread at a time. Changing a member allocates nothing.
 */
public final class ReceiveRequest {

    private static final long WR_ID = ibv_recv_wr.wr_id$offset();
    private static final long NEXT = ibv_recv_wr.next$offset();
    private static final long SG_LIST = ibv_recv_wr.sg_list$offset();
    private static final long NUM_SGE = ibv_recv_wr.num_sge$offset();

    private final MemorySegment wr;
    private final MemorySegment.Scope scope;
    private final ScatterGatherList buffers;
    private ReceiveRequest next;

    private ReceiveRequest(MemorySegment wr, ScatterGatherList buffers) {
        this.wr = wr;
        this.scope = wr.scope();
        this.buffers = buffers;
        wr.set(JAVA_LONG, SG_LIST, buffers.address());
    }

    /**
     * A receive into a whole region.
     *
     * @param arena owns the memory of the request
     * @param region the buffer; registered with LOCAL_WRITE
     * @return the request
     * @throws IllegalArgumentException if the region was registered without LOCAL_WRITE
     */
    public static ReceiveRequest prepare(Arena arena, MemoryRegion region) {
        return prepare(arena, 1).sge(0, region, 0, region.length());
    }

    /**
     * A receive of a message that is scattered to several buffers, at first none.
     *
     * @param arena owns the memory of the request
     * @param maxSge how many buffers it can have
     * @return the request
     * @throws IllegalArgumentException if {@code maxSge} is negative
     */
    public static ReceiveRequest prepare(Arena arena, int maxSge) {
        if (maxSge < 0) {
            throw new IllegalArgumentException("maxSge is negative: " + maxSge);
        }
        MemorySegment wr = arena.allocate(ibv_recv_wr.layout());
        MemorySegment elements = arena.allocate(Math.max(1, maxSge) * ScatterGatherList.ELEMENT, Long.BYTES);
        return new ReceiveRequest(wr, new ScatterGatherList(elements, maxSge, true));
    }

    /**
     * Sets the number that the completion will carry.
     *
     * @param id any number
     * @return this
     */
    @HotPath
    public ReceiveRequest wrId(long id) {
        wr.set(JAVA_LONG, WR_ID, id);
        return this;
    }

    /**
     * Sets one of the buffers, or appends one.
     *
     * @param index which; at most the number of those that are set
     * @param region the region that it is in; registered with LOCAL_WRITE
     * @param offset where it begins in the region, in bytes
     * @param length its length in bytes
     * @return this
     * @throws IndexOutOfBoundsException if the index is beyond {@code maxSge}, or the range outside the region
     * @throws IllegalArgumentException if the region was registered without LOCAL_WRITE
     */
    @HotPath
    public ReceiveRequest sge(int index, MemoryRegion region, long offset, long length) {
        buffers.set(index, region, offset, length);
        wr.set(JAVA_INT, NUM_SGE, buffers.count());
        return this;
    }

    /**
     * Sets the range of the only buffer.
     *
     * @param offset where it begins in its region, in bytes
     * @param length its length in bytes
     * @return this
     * @throws IndexOutOfBoundsException if the range is outside the region
     * @throws IllegalStateException if the request does not have just one buffer
     */
    @HotPath
    public ReceiveRequest range(long offset, long length) {
        buffers.range(offset, length);
        return this;
    }

    /**
     * Chains a request behind this one, for {@link QueuePair#postChain}: both are posted in one call.
     *
     * @param following the next request, or null for none
     * @return this
     */
    @HotPath
    public ReceiveRequest next(ReceiveRequest following) {
        next = following;
        wr.set(JAVA_LONG, NEXT, following == null ? 0 : following.address());
        return this;
    }

    /**
     * The request that is chained behind this one.
     *
     * @return the next request, or null
     */
    @HotPath
    public ReceiveRequest next() {
        return next;
    }

    /** Checks that the memory of the request and its regions can be used. */
    @HotPath
    void checkUsable() {
        if (!scope.isAlive()) {
            throw new IllegalStateException("the arena of the ReceiveRequest is closed");
        }
        buffers.checkUsable();
    }

    @HotPath
    boolean fits(int maxSge) {
        return buffers.count() <= maxSge;
    }

    String describe() {
        return buffers.count() + " buffers, " + buffers.total() + " bytes";
    }

    @HotPath
    long address() {
        return wr.address();
    }
}
