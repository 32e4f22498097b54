package dev.isthmus.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.bindings.ibverbs.ibv_send_wr;
import dev.isthmus.internal.HotPath;

/**
 * A send request: {@code struct ibv_send_wr}. Its buffers belong to the device from the post until the request, or a
 * later one of the same queue pair, has completed. Inline data is copied by the post, and its buffer free again after
 * it.
 */
public final class SendRequest extends WorkRequest<SendRequest> {

    /** Of {@code struct ibv_send_wr}. */
    private static final class Member {
        static final long OPCODE = ibv_send_wr.opcode$offset();
        static final long SEND_FLAGS = ibv_send_wr.send_flags$offset();
        static final long IMM_DATA = ibv_send_wr.imm_data$offset();
        static final long REMOTE_ADDR = ibv_send_wr.wr$offset() + ibv_send_wr.wr.rdma.remote_addr$offset();
        static final long RKEY = ibv_send_wr.wr$offset() + ibv_send_wr.wr.rdma.rkey$offset();

        private Member() {}
    }

    // enum ibv_send_flags
    private static final int FENCE = 1;
    private static final int SIGNALED = 1 << 1;
    private static final int SOLICITED = 1 << 2;
    private static final int INLINE = 1 << 3;

    private int flags;

    private SendRequest(int maxSge) {
        super(ibv_send_wr.layout(), maxSge, false);
        opcode(SendOpcode.SEND);
    }

    /**
     * A SEND of a whole region, not signaled.
     *
     * @param region the buffer
     * @return the request
     */
    public static SendRequest prepare(MemoryRegion region) {
        return prepare(1).sge(0, region, 0, region.length());
    }

    /**
     * A SEND of a message that is gathered from several buffers, at first none; not signaled.
     *
     * @param maxSge how many buffers it can have
     * @return the request
     * @throws IllegalArgumentException if {@code maxSge} is negative
     * @throws dev.isthmus.RdmaUnavailableException if libibverbs is not installed
     */
    public static SendRequest prepare(int maxSge) {
        return new SendRequest(checked(maxSge));
    }

    /**
     * Sets what the request does.
     *
     * @param opcode the operation
     * @return this
     */
    @HotPath
    public SendRequest opcode(SendOpcode opcode) {
        wr.set(JAVA_INT, Member.OPCODE, opcode.code());
        return this;
    }

    /**
     * Sets whether the request completes visibly: {@code IBV_SEND_SIGNALED}. The send queue has room again only when
     * a signaled request, posted later, has completed and been polled: signal one at least every {@code maxSendWr}
     * requests, or the queue is full for ever.
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
        int changed = on ? flags | flag : flags & ~flag;
        wr.set(JAVA_INT, Member.SEND_FLAGS, changed);
        flags = changed;
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
        wr.set(JAVA_INT, Member.IMM_DATA, NetworkOrder.fromHost(value));
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
        wr.set(JAVA_LONG, Member.REMOTE_ADDR, address);
        wr.set(JAVA_INT, Member.RKEY, rkey);
        return this;
    }

    /** Whether the post copies the data. */
    @HotPath
    boolean isInline() {
        return (flags & INLINE) != 0;
    }
}
