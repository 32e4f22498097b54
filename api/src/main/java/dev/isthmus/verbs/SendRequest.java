package dev.isthmus.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.bindings.ibverbs.ibv_send_wr;
import dev.isthmus.internal.HotPath;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A send request: {@code struct ibv_send_wr} with its scatter/gather list, in native memory. Prepared once and posted
 * many times; its members are changed in place, and the device keeps no reference to it after the post.
 *
 * <p>The buffers that it names belong to the device from the post until the request, or a later one of the same
 * queue pair, has completed. Inline data is copied by the post, and its buffer free again after it.
 *
 * <p>Used by one thread at a time. Changing a member allocates nothing.
 */
public final class SendRequest {

    private static final long WR_ID = ibv_send_wr.wr_id$offset();
    private static final long NEXT = ibv_send_wr.next$offset();
    private static final long SG_LIST = ibv_send_wr.sg_list$offset();
    private static final long NUM_SGE = ibv_send_wr.num_sge$offset();
    private static final long OPCODE = ibv_send_wr.opcode$offset();
    private static final long SEND_FLAGS = ibv_send_wr.send_flags$offset();
    private static final long IMM_DATA = ibv_send_wr.imm_data$offset();
    private static final long REMOTE_ADDR = ibv_send_wr.wr$offset() + ibv_send_wr.wr.rdma.remote_addr$offset();
    private static final long RKEY = ibv_send_wr.wr$offset() + ibv_send_wr.wr.rdma.rkey$offset();

    // enum ibv_send_flags
    private static final int FENCE = 1;
    private static final int SIGNALED = 1 << 1;
    private static final int SOLICITED = 1 << 2;
    private static final int INLINE = 1 << 3;

    private final MemorySegment wr;
    private final MemorySegment.Scope scope;
    private final ScatterGatherList buffers;
    private SendRequest next;
    private int flags;

    private SendRequest(MemorySegment wr, ScatterGatherList buffers) {
        this.wr = wr;
        this.scope = wr.scope();
        this.buffers = buffers;
        wr.set(JAVA_LONG, SG_LIST, buffers.address());
        opcode(SendOpcode.SEND);
    }

    /**
     * A SEND of a whole region, not signaled.
     *
     * @param arena owns the memory of the request
     * @param region the buffer
     * @return the request
     */
    public static SendRequest prepare(Arena arena, MemoryRegion region) {
        return prepare(arena, 1).sge(0, region, 0, region.length());
    }

    /**
     * A SEND of a message that is gathered from several buffers, at first none; not signaled.
     *
     * @param arena owns the memory of the request
     * @param maxSge how many buffers it can have
     * @return the request
     * @throws IllegalArgumentException if {@code maxSge} is negative
     */
    public static SendRequest prepare(Arena arena, int maxSge) {
        if (maxSge < 0) {
            throw new IllegalArgumentException("maxSge is negative: " + maxSge);
        }
        MemorySegment wr = arena.allocate(ibv_send_wr.layout());
        MemorySegment elements = arena.allocate(Math.max(1, maxSge) * ScatterGatherList.ELEMENT, Long.BYTES);
        return new SendRequest(wr, new ScatterGatherList(elements, maxSge, false));
    }

    /**
     * Sets the number that the completion will carry.
     *
     * @param id any number
     * @return this
     */
    @HotPath
    public SendRequest wrId(long id) {
        wr.set(JAVA_LONG, WR_ID, id);
        return this;
    }

    /**
     * Sets what the request does.
     *
     * @param opcode the operation
     * @return this
     */
    @HotPath
    public SendRequest opcode(SendOpcode opcode) {
        wr.set(JAVA_INT, OPCODE, opcode.code());
        return this;
    }

    /**
     * Sets one of the buffers, or appends one.
     *
     * @param index which; at most the number of those that are set
     * @param region the region that it is in
     * @param offset where it begins in the region, in bytes
     * @param length its length in bytes
     * @return this
     * @throws IndexOutOfBoundsException if the index is beyond {@code maxSge}, or the range outside the region
     */
    @HotPath
    public SendRequest sge(int index, MemoryRegion region, long offset, long length) {
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
    public SendRequest range(long offset, long length) {
        buffers.range(offset, length);
        return this;
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
    public SendRequest length(long length) {
        buffers.length(length);
        return this;
    }

    /**
     * Sets whether the request completes visibly: {@code IBV_SEND_SIGNALED}. The send queue has room again only when
     * a signaled request, posted later, has completed and been polled: signal one at least every
     * {@code maxSendWr} requests.
     *
     * @param on true to get a completion
     * @return this
     */
    @HotPath
    public SendRequest signaled(boolean on) {
        return flag(SIGNALED, on);
    }

    /**
     * Sets whether the post copies the data: {@code IBV_SEND_INLINE}. For short messages; up to the queue pair's
     * {@link QueuePairCapabilities#maxInline}.
     *
     * @param on true to copy
     * @return this
     */
    @HotPath
    public SendRequest inline(boolean on) {
        return flag(INLINE, on);
    }

    /**
     * Sets whether the request waits for all READs and atomics before it: {@code IBV_SEND_FENCE}.
     *
     * @param on true to wait
     * @return this
     */
    @HotPath
    public SendRequest fence(boolean on) {
        return flag(FENCE, on);
    }

    /**
     * Sets whether the message wakes a receiver that waits for solicited events only: {@code IBV_SEND_SOLICITED}.
     *
     * @param on true to wake
     * @return this
     */
    @HotPath
    public SendRequest solicited(boolean on) {
        return flag(SOLICITED, on);
    }

    @HotPath
    private SendRequest flag(int flag, boolean on) {
        flags = on ? flags | flag : flags & ~flag;
        wr.set(JAVA_INT, SEND_FLAGS, flags);
        return this;
    }

    /**
     * Sets the value that an operation with immediate carries to the peer.
     *
     * @param value any value; the peer reads the same, whatever its byte order
     * @return this
     */
    @HotPath
    public SendRequest immediate(int value) {
        wr.set(JAVA_INT, IMM_DATA, NetworkOrder.fromHost(value));
        return this;
    }

    /**
     * Sets where in the peer's memory an RDMA READ or WRITE begins. The peer's device checks it.
     *
     * @param address the remote address
     * @param rkey the remote region's key
     * @return this
     */
    @HotPath
    public SendRequest remote(long address, int rkey) {
        wr.set(JAVA_LONG, REMOTE_ADDR, address);
        wr.set(JAVA_INT, RKEY, rkey);
        return this;
    }

    /**
     * Chains a request behind this one, for {@link QueuePair#postChain}: both are posted in one call.
     *
     * @param following the next request, or null for none
     * @return this
     */
    @HotPath
    public SendRequest next(SendRequest following) {
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
    public SendRequest next() {
        return next;
    }

    /** Checks that the memory of the request and its regions can be used. */
    @HotPath
    void checkUsable() {
        if (!scope.isAlive()) {
            throw new IllegalStateException("the arena of the SendRequest is closed");
        }
        buffers.checkUsable();
    }

    /** Whether a queue pair can take the request at all: some drivers call it a full queue when it is not so. */
    @HotPath
    boolean fits(int maxSge, int maxInline) {
        return buffers.count() <= maxSge && ((flags & INLINE) == 0 || buffers.total() <= maxInline);
    }

    String describe() {
        return buffers.count() + " buffers, " + buffers.total() + " bytes" + ((flags & INLINE) == 0 ? "" : " inline");
    }

    @HotPath
    long address() {
        return wr.address();
    }
}
