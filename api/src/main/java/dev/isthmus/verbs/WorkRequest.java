package dev.isthmus.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.bindings.ibverbs.ibv_recv_wr;
import dev.isthmus.internal.HotPath;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;

/**
 * What send and receive requests share: a number, a scatter/gather list, and a request chained behind. It lies in native
 * memory, is prepared once and posted many times; its members are changed in place, and the device keeps no reference
 * to it after the post. The buffers that it names belong to the device until the request has completed.
 *
 * <p>Used by one thread at a time. Changing a member allocates nothing.
 *
 * @param <R> the kind of request
 */
public abstract sealed class WorkRequest<R extends WorkRequest<R>> permits SendRequest, ReceiveRequest {

    // struct ibv_send_wr begins with the same members, which a test makes sure of.
    private static final long WR_ID = ibv_recv_wr.wr_id$offset();
    private static final long NEXT = ibv_recv_wr.next$offset();
    private static final long SG_LIST = ibv_recv_wr.sg_list$offset();
    private static final long NUM_SGE = ibv_recv_wr.num_sge$offset();

    final MemorySegment wr;
    private final MemorySegment.Scope scope;
    private final ScatterGatherList buffers;
    private R next;

    WorkRequest(Arena arena, MemoryLayout layout, int maxSge, boolean deviceWrites) {
        if (maxSge < 0) {
            throw new IllegalArgumentException("maxSge is negative: " + maxSge);
        }
        this.wr = arena.allocate(layout);
        this.scope = wr.scope();
        this.buffers = new ScatterGatherList(arena, maxSge, deviceWrites);
        wr.set(JAVA_LONG, SG_LIST, buffers.address());
    }

    abstract R self();

    /**
     * Sets the number that the completion will carry.
     *
     * @param id any number
     * @return this
     */
    @HotPath
    public final R wrId(long id) {
        wr.set(JAVA_LONG, WR_ID, id);
        return self();
    }

    /**
     * Sets one of the buffers, or appends one.
     *
     * @param index which; at most the number of those that are set
     * @param region the region that it is in; for a receive, or an RDMA READ, registered with LOCAL_WRITE
     * @param offset where it begins in the region, in bytes
     * @param length its length in bytes
     * @return this
     * @throws IndexOutOfBoundsException if the index is beyond {@code maxSge}, or the range outside the region
     * @throws IllegalArgumentException if this is a receive and the region was registered without LOCAL_WRITE
     */
    @HotPath
    public final R sge(int index, MemoryRegion region, long offset, long length) {
        buffers.set(index, region, offset, length);
        wr.set(JAVA_INT, NUM_SGE, buffers.count());
        return self();
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
    public final R range(long offset, long length) {
        buffers.range(offset, length);
        return self();
    }

    /**
     * Sets the length of the only buffer.
     *
     * @param length in bytes
     * @return this
     * @throws IndexOutOfBoundsException if the buffer would end outside its region
     * @throws IllegalStateException if the request does not have just one buffer
     */
    @HotPath
    public final R length(long length) {
        buffers.length(length);
        return self();
    }

    /**
     * Chains a request behind this one, for {@link QueuePair#postChain}: both are posted in one call.
     *
     * @param following the next request, or null for none
     * @return this
     */
    @HotPath
    public final R next(R following) {
        next = following;
        wr.set(JAVA_LONG, NEXT, following == null ? 0 : following.address());
        return self();
    }

    /**
     * The request that is chained behind this one.
     *
     * @return the next request, or null
     */
    @HotPath
    public final R next() {
        return next;
    }

    /** Checks that the memory of the request and its regions can be used. */
    @HotPath
    final void checkUsable() {
        if (!scope.isAlive()) {
            throw new IllegalStateException("the arena of the " + getClass().getSimpleName() + " is closed");
        }
        buffers.checkUsable();
    }

    /** How many buffers it has. */
    @HotPath
    final int sgeCount() {
        return buffers.count();
    }

    /** The length of the message, in bytes. */
    @HotPath
    final long messageLength() {
        return buffers.total();
    }

    @HotPath
    final long address() {
        return wr.address();
    }

    /** The kind, the buffers and the length. */
    @Override
    public String toString() {
        return getClass().getSimpleName() + "(" + buffers.count() + " buffers, " + buffers.total() + " bytes)";
    }
}
