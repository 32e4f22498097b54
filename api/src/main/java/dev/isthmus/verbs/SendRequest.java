// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.isthmus.bindings.ibverbs.ibv_send_wr;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.mlx5.Mlx5Library;
import dev.isthmus.internal.mlx5.PreparedEntry;
import dev.isthmus.internal.verbs.NetworkOrder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A send request: {@code struct ibv_send_wr}. Its buffers belong to the device from the post until the request, or
 * a later one of the same queue pair, has completed. The post copies inline data, and its buffer is yours again
 * after that.
 */
public final class SendRequest extends WorkRequest<SendRequest> {

    /** Offsets in {@code struct ibv_send_wr}. */
    private static final class Member {
        static final long OPCODE = ibv_send_wr.opcode$offset();
        static final long SEND_FLAGS = ibv_send_wr.send_flags$offset();
        static final long IMM_DATA = ibv_send_wr.imm_data$offset();
        static final long INVALIDATE_RKEY = ibv_send_wr.invalidate_rkey$offset();
        static final long WR = ibv_send_wr.wr$offset();
        static final long REMOTE_ADDR = WR + ibv_send_wr.wr.rdma.remote_addr$offset();
        static final long RKEY = WR + ibv_send_wr.wr.rdma.rkey$offset();
        static final long ATOMIC_ADDR = WR + ibv_send_wr.wr.atomic.remote_addr$offset();
        static final long COMPARE_ADD = WR + ibv_send_wr.wr.atomic.compare_add$offset();
        static final long SWAP = WR + ibv_send_wr.wr.atomic.swap$offset();
        static final long ATOMIC_RKEY = WR + ibv_send_wr.wr.atomic.rkey$offset();
        static final long AH = WR + ibv_send_wr.wr.ud.ah$offset();
        static final long REMOTE_QPN = WR + ibv_send_wr.wr.ud.remote_qpn$offset();
        static final long REMOTE_QKEY = WR + ibv_send_wr.wr.ud.remote_qkey$offset();
        static final long SRQ_NUM = ibv_send_wr.qp_type$offset() + ibv_send_wr.qp_type.xrc.remote_srqn$offset();
        static final long MW = ibv_send_wr.bind_mw$offset() + ibv_send_wr.bind_mw.mw$offset();
        static final long MW_RKEY = ibv_send_wr.bind_mw$offset() + ibv_send_wr.bind_mw.rkey$offset();
        static final long BIND_INFO = ibv_send_wr.bind_mw$offset() + ibv_send_wr.bind_mw.bind_info$offset();
        static final long HDR = ibv_send_wr.tso$offset() + ibv_send_wr.tso.hdr$offset();
        static final long HDR_SZ = ibv_send_wr.tso$offset() + ibv_send_wr.tso.hdr_sz$offset();
        static final long MSS = ibv_send_wr.tso$offset() + ibv_send_wr.tso.mss$offset();

        private Member() {}
    }

    // enum ibv_send_flags
    private static final int FENCE = 1;
    private static final int SIGNALED = 1 << 1;
    private static final int SOLICITED = 1 << 2;
    private static final int INLINE = 1 << 3;
    private static final int IP_CSUM = 1 << 4;

    /** The size and alignment of an atomic's operand. */
    static final int ATOMIC_BYTES = 8;

    private static final int MAX_16_BITS = 0xffff;

    private final PreparedEntry prepared = new PreparedEntry();
    private int flags;
    private SendOpcode opcode;
    private int has = SendForm.IMMEDIATE | SendForm.NOT_INLINE | SendForm.IN_BOUNDS; // an immediate value of 0
    private long room = Long.MAX_VALUE; // of the peer's memory after the remote address, if known
    private long limit = Long.MAX_VALUE; // the last inspection accepted lengths up to this
    private long plainLimit = Long.MAX_VALUE; // lengths up to this change nothing at all
    private int kind;
    private AddressHandle destination; // null until set
    private MemoryWindow bindWindow; // null until set
    private MemoryRegion bindRegion; // set together with the window
    private QueuePair binder; // set when a queue pair has checked it
    private MemorySegment header = MemorySegment.NULL; // this request's own copy

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
     * A SEND of a message that is gathered from several buffers; it has none yet. Not signaled.
     *
     * @param maxSge how many buffers it can have
     * @return the request
     * @throws IllegalArgumentException if {@code maxSge} is negative or above 65,536
     * @throws dev.isthmus.RdmaUnavailableException if libibverbs is not installed
     */
    public static SendRequest prepare(int maxSge) {
        return new SendRequest(checked(maxSge));
    }

    /**
     * Sets what the request does. You can set what else the operation needs before or after.
     *
     * @param opcode the operation
     * @return this
     * @throws IllegalArgumentException if it is UNKNOWN
     */
    @HotPath
    public SendRequest opcode(SendOpcode opcode) {
        checkOwner();
        int code = opcode.code();
        if (code < 0) {
            throw new IllegalArgumentException("there is no such operation: " + opcode);
        }
        prepared.forget();
        wr.set(JAVA_INT, Member.OPCODE, code);
        if (opcode != this.opcode) {
            this.opcode = opcode;
            updateKind();
        }
        return this;
    }

    /** Records what the unions hold now. */
    @HotPath
    private SendRequest holds(int bit, int union) {
        int held = (has & ~union) | bit;
        if (held != has) { // for most messages only the value is new, so nothing else changes
            has = held;
            updateKind();
        }
        return this;
    }

    /** Operation or form have changed, so a queue must inspect it. */
    @HotPath
    private void updateKind() {
        kind = SendForm.kind(opcode.code(), has);
        updateLengths();
        updateSoleRegion();
        invalidate();
    }

    @HotPath
    private void updateLengths() {
        plainLimit = (has & SendForm.IN_BOUNDS) == 0 ? -1 : Math.min(room, limit);
    }

    @Override
    @HotPath
    void lengthChanged(long length) {
        prepared.forget();
        if (length > plainLimit) {
            holds(length <= room ? SendForm.IN_BOUNDS : 0, SendForm.IN_BOUNDS);
            if (length > limit) {
                invalidate();
            }
        }
    }

    /**
     * Sets whether the request produces a completion: {@code IBV_SEND_SIGNALED}. On a network card, a request that does
     * not keeps its place in the send queue until a later, signaled one has completed and you have polled that
     * completion. Signal at least one in {@code maxSendWr} requests, or a card's queue stays full.
     *
     * <p>Soft-RoCE and SoftiWARP hide this mistake: the kernel frees the place itself, and takes any number of requests
     * without a signal. Isthmus does not count them, because each post would pay for it.
     *
     * @param on true to get a completion
     * @return this
     */
    @HotPath
    public SendRequest signaled(boolean on) {
        return flag(SIGNALED, on);
    }

    /**
     * Sets whether the post copies the data: {@code IBV_SEND_INLINE}. Use it for short messages, up to the queue pair's
     * {@link QueuePairCapabilities#maxInline}.
     *
     * <p>C reads the buffers during the post. Before that, the post checks that their memory is there, but it does not
     * hold the memory, which would cost an atomic operation or more each time. If another thread closes the arena, or
     * the {@link RegisteredMemory}, at just that moment, the copy reads freed memory, and the process may end. Close it
     * on the thread that posts, or once you know that this thread no longer posts it.
     *
     * @param on true to copy
     * @return this
     */
    @HotPath
    public SendRequest inline(boolean on) {
        flag(INLINE, on);
        return holds(on ? 0 : SendForm.NOT_INLINE, SendForm.NOT_INLINE);
    }

    /**
     * Sets whether the request waits for all earlier READs and atomics: {@code IBV_SEND_FENCE}.
     *
     * @param on true to wait
     * @return this
     */
    @HotPath
    public SendRequest fence(boolean on) {
        return flag(FENCE, on);
    }

    /**
     * Sets whether the message wakes a receiver that waits only for solicited events: {@code IBV_SEND_SOLICITED}.
     *
     * @param on true to wake
     * @return this
     */
    @HotPath
    public SendRequest solicited(boolean on) {
        return flag(SOLICITED, on);
    }

    /**
     * Sets whether the device computes the IPv4 and the TCP or UDP checksums of the packet: {@code IBV_SEND_IP_CSUM}.
     * Only for devices that report support, on UD and RAW_PACKET queue pairs.
     *
     * @param on true to compute
     * @return this
     */
    @HotPath
    public SendRequest ipChecksum(boolean on) {
        return flag(IP_CSUM, on);
    }

    @HotPath
    private SendRequest flag(int flag, boolean on) {
        checkOwner();
        prepared.forget();
        int changed = on ? flags | flag : flags & ~flag;
        setInt(Member.SEND_FLAGS, changed);
        flags = changed;
        return this;
    }

    /**
     * Sets the value that an operation with immediate carries to the peer. It shares memory with {@link #invalidate}.
     *
     * @param value any value; the peer reads the same, whatever its byte order
     * @return this
     */
    @HotPath
    public SendRequest immediate(int value) {
        checkOwner();
        prepared.forget();
        setInt(Member.IMM_DATA, NetworkOrder.fromHost(value));
        return holds(SendForm.IMMEDIATE, SendForm.IMMEDIATE_UNION);
    }

    /**
     * Sets the key that SEND_WITH_INV invalidates at the peer, or LOCAL_INV at this end. It shares memory with
     * {@link #immediate}.
     *
     * @param rkey the key of a region or a memory window
     * @return this
     */
    @HotPath
    public SendRequest invalidate(int rkey) {
        checkOwner();
        prepared.forget();
        wr.set(JAVA_INT, Member.INVALIDATE_RKEY, rkey);
        return holds(SendForm.RKEY, SendForm.IMMEDIATE_UNION);
    }

    /**
     * Sets where in the peer's memory an RDMA READ or WRITE begins. A post refuses the request while its message goes
     * beyond the end of that memory, even if you change its length later. It shares memory with its overloads, with
     * {@link #compareAndSwap}, {@link #fetchAndAdd} and {@link #to}: the last call counts.
     *
     * @param memory the memory that the peer lends
     * @param offset where to begin in it, in bytes; a multiple of 8 for ATOMIC_WRITE
     * @return this
     * @throws IndexOutOfBoundsException if the offset is negative, or beyond the end of the memory
     */
    @HotPath
    public SendRequest remote(RemoteMemory memory, long offset) {
        checkOwner();
        return remote(memory.at(offset, 0), memory.rkey(), memory.length() - offset);
    }

    /**
     * Sets where in the peer's memory an RDMA READ or WRITE begins, if you do not know where that memory ends. The
     * peer's device checks it. Otherwise like {@link #remote(RemoteMemory, long)}.
     *
     * @param address the remote address; a multiple of 8 for ATOMIC_WRITE
     * @param rkey the remote region's key
     * @return this
     */
    @HotPath
    public SendRequest remote(long address, int rkey) {
        checkOwner();
        return remote(address, rkey, Long.MAX_VALUE);
    }

    @HotPath
    private SendRequest remote(long address, int rkey, long left) {
        prepared.forget();
        setLong(Member.REMOTE_ADDR, address);
        setInt(Member.RKEY, rkey);
        if (left != room) {
            bound(left);
        }
        return holds(SendForm.REMOTE, SendForm.ADDRESS_UNION);
    }

    @HotPath
    private void bound(long left) {
        room = left;
        holds(messageLength() <= left ? SendForm.IN_BOUNDS : 0, SendForm.IN_BOUNDS);
        updateLengths();
    }

    /**
     * Makes this ATOMIC_CMP_AND_SWP, like {@link #compareAndSwap(long, int, long, long)}, on memory that the
     * peer lends.
     *
     * @param memory registered with REMOTE_ATOMIC
     * @param offset where in it the 8 bytes are, at a multiple of 8
     * @param compare the value to compare with
     * @param swap the value to write if it is equal
     * @return this
     * @throws IndexOutOfBoundsException if the 8 bytes are not within the memory
     * @throws IllegalArgumentException if their address is not a multiple of 8
     */
    @HotPath
    public SendRequest compareAndSwap(RemoteMemory memory, long offset, long compare, long swap) {
        return compareAndSwap(memory.at(offset, ATOMIC_BYTES), memory.rkey(), compare, swap);
    }

    /**
     * Makes this ATOMIC_FETCH_AND_ADD, like {@link #fetchAndAdd(long, int, long)}, on memory that the peer lends.
     *
     * @param memory registered with REMOTE_ATOMIC
     * @param offset where in it the 8 bytes are, at a multiple of 8
     * @param add the value to add; it wraps
     * @return this
     * @throws IndexOutOfBoundsException if the 8 bytes are not within the memory
     * @throws IllegalArgumentException if their address is not a multiple of 8
     */
    @HotPath
    public SendRequest fetchAndAdd(RemoteMemory memory, long offset, long add) {
        return fetchAndAdd(memory.at(offset, ATOMIC_BYTES), memory.rkey(), add);
    }

    /**
     * Makes this ATOMIC_CMP_AND_SWP: replaces 8 bytes of the peer's memory if they equal a value. The request's buffer,
     * one of 8 bytes, gets their former value, in the byte order of the peer's memory.
     *
     * @param address the remote address, a multiple of 8
     * @param rkey the remote region's key; registered with REMOTE_ATOMIC
     * @param compare the value to compare with
     * @param swap the value to write if it is equal
     * @return this
     * @throws IllegalArgumentException if the address is not a multiple of 8
     */
    @HotPath
    public SendRequest compareAndSwap(long address, int rkey, long compare, long swap) {
        atomic(SendOpcode.ATOMIC_CMP_AND_SWP, address, rkey, compare);
        wr.set(JAVA_LONG, Member.SWAP, swap);
        return holds(SendForm.COMPARE_AND_SWAP, SendForm.ADDRESS_UNION);
    }

    /**
     * Makes this ATOMIC_FETCH_AND_ADD: adds a value to 8 bytes of the peer's memory. The request's buffer, one of 8
     * bytes, gets their former value.
     *
     * @param address the remote address, a multiple of 8
     * @param rkey the remote region's key; registered with REMOTE_ATOMIC
     * @param add the value to add; it wraps
     * @return this
     * @throws IllegalArgumentException if the address is not a multiple of 8
     */
    @HotPath
    public SendRequest fetchAndAdd(long address, int rkey, long add) {
        atomic(SendOpcode.ATOMIC_FETCH_AND_ADD, address, rkey, add);
        return holds(SendForm.FETCH_AND_ADD, SendForm.ADDRESS_UNION);
    }

    @HotPath
    private void atomic(SendOpcode which, long address, int rkey, long compareOrAdd) {
        checkOwner();
        checkAligned(address);
        prepared.forget();
        wr.set(JAVA_LONG, Member.ATOMIC_ADDR, address);
        wr.set(JAVA_LONG, Member.COMPARE_ADD, compareOrAdd);
        wr.set(JAVA_INT, Member.ATOMIC_RKEY, rkey);
        opcode(which);
    }

    /** Checks the number of a destination. */
    @HotPath
    static void checkQpNum(int qpNum) {
        if ((qpNum & ~QueuePair.MULTICAST) != 0) { // the highest number
            throw new IllegalArgumentException("queue pair number " + qpNum + " is not of 24 bits");
        }
    }

    @HotPath
    static void checkAligned(long address) {
        if ((address & (ATOMIC_BYTES - 1)) != 0) {
            throw new IllegalArgumentException("the remote address of an atomic is a multiple of 8, and 0x"
                    + Long.toHexString(address) + " is not");
        }
    }

    /**
     * Sets the destination of a datagram, for UD queue pairs. It shares memory with {@link #remote}: the last
     * call counts.
     *
     * @param handle the path to the port, of the queue pair's protection domain; keep it open until the send
     *     has completed
     * @param qpNum the number of the queue pair there, 24 bits; {@link QueuePair#MULTICAST} for a group
     * @param qkey the key of that queue pair; if its highest bit is set, this end's own key is sent
     * @return this
     * @throws IllegalArgumentException if the number is out of range
     */
    @HotPath
    public SendRequest to(AddressHandle handle, int qpNum, int qkey) {
        checkOwner();
        checkQpNum(qpNum);
        prepared.forget();
        wr.set(JAVA_LONG, Member.AH, handle.address());
        wr.set(JAVA_INT, Member.REMOTE_QPN, qpNum);
        wr.set(JAVA_INT, Member.REMOTE_QKEY, qkey);
        if (destination == null || destination.protectionDomain() != handle.protectionDomain()) {
            invalidate();
        }
        destination = handle;
        return holds(SendForm.DATAGRAM, SendForm.ADDRESS_UNION);
    }

    /**
     * Sets the shared receive queue that receives a request of an XRC_SEND queue pair.
     *
     * @param number the number of the peer's shared receive queue
     * @return this
     */
    @HotPath
    public SendRequest sharedReceiveQueue(int number) {
        checkOwner();
        wr.set(JAVA_INT, Member.SRQ_NUM, number);
        return this;
    }

    /**
     * Makes this TSO: the device cuts the long TCP payload in the buffers into segments, and puts the header
     * before each.
     *
     * @param packetHeader the headers up to TCP's, at most 65,535 bytes; copied
     * @param mss the payload of a segment in bytes, 16 bits
     * @return this
     * @throws IllegalArgumentException if the header is too long, or {@code mss} out of range
     * @throws IllegalStateException if the header's arena is closed; the request stays as it was
     * @throws WrongThreadException if the header belongs to another thread's confined arena
     */
    public SendRequest segments(MemorySegment packetHeader, int mss) {
        checkOwner();
        long bytes = packetHeader.byteSize();
        checkSegments(bytes, mss);
        MemorySegment copy = bytes > header.byteSize() ? Arena.ofAuto().allocate(bytes) : header;
        copy.copyFrom(packetHeader); // may throw, and until then the struct points to the old copy
        header = copy;
        wr.set(JAVA_LONG, Member.HDR, header.address());
        wr.set(JAVA_SHORT, Member.HDR_SZ, (short) bytes);
        wr.set(JAVA_SHORT, Member.MSS, (short) mss);
        opcode(SendOpcode.TSO);
        return holds(SendForm.SEGMENTS, SendForm.OFFLOAD_UNION);
    }

    @HotPath
    static void checkSegments(long headerBytes, int mss) {
        if (headerBytes > MAX_16_BITS || mss < 1 || mss > MAX_16_BITS) {
            throw new IllegalArgumentException(
                    "a header of " + headerBytes + " bytes, or an mss of " + mss + ", is not of 16 bits");
        }
    }

    /**
     * Makes this BIND_MW: it binds a memory window of type 2. The peer can use the key once this has completed, or as
     * soon as a request posted after this one reaches it. From now on the window holds the region open, and from the
     * post on also the queue pair: see {@link MemoryWindow#release}. The request has no buffers: prepare it with
     * {@link #prepare(int) prepare(0)}.
     *
     * @param window of the region's domain; it belongs to the calling thread, which must also post this
     * @param rkey the key that the window gets, from {@link MemoryWindow#nextRkey}: the device uses only the lowest
     *     8 bits
     * @param binding what the peer may access
     * @return this
     * @throws IllegalStateException if the window or the region is closed, or the window is of type 1
     * @throws IllegalArgumentException if window and region belong to different domains, or the length is 0
     * @throws WrongThreadException if the window belongs to another thread
     */
    public SendRequest bind(MemoryWindow window, int rkey, WindowBinding binding) {
        checkOwner();
        window.prepare(binding);
        binding.write(wr.asSlice(Member.BIND_INFO));
        bindWindow = window;
        bindRegion = binding.region();
        invalidate();
        return bind(window.handle(), rkey);
    }

    /** Makes it a bind; {@link #check} checks everything that C follows pointers to. */
    SendRequest bind(MemorySegment window, int rkey) {
        wr.set(JAVA_LONG, Member.MW, window.address());
        wr.set(JAVA_INT, Member.MW_RKEY, rkey);
        immediate(0); // Soft-RoCE refuses other values
        opcode(SendOpcode.BIND_MW);
        return holds(SendForm.BIND, SendForm.OFFLOAD_UNION);
    }

    /** Its entry in the queue of a direct queue pair, for when it is posted again. */
    @HotPath
    PreparedEntry prepared() {
        return prepared;
    }

    /** The address of its destination's {@code struct mlx5_wqe_av}; 0 for a request without a destination. */
    @HotPath
    long vector(Mlx5Library library) {
        return SendForm.isDatagram(kind) ? destination.vector(library) : 0;
    }

    /** The operation. */
    @HotPath
    SendOpcode opcode() {
        return opcode;
    }

    /** The kind of the request, as a bit: see {@link SendForm}. */
    @HotPath
    int kind() {
        return kind;
    }

    /**
     * Checks everything for a queue pair that accepts the kind, and records up to which length that holds.
     *
     * @param maxInline its limit of inline data
     * @param rawPackets whether it sends raw packets: drivers copy the first header from the buffer
     */
    @HotPath
    void check(QueuePair qp, int maxInline, boolean rawPackets) {
        ProtectionDomain pd = qp.protectionDomain();
        long longest = Long.MAX_VALUE;
        if (isInline()) {
            longest = maxInline;
            checkInline(qp, maxInline);
        } else {
            checkDomain(pd, qp);
        }
        if (SendForm.isDatagram(kind)) {
            destination.checkDomain(pd);
            if (opcode != SendOpcode.TSO) {
                longest = Math.min(longest, qp.maxDatagram());
                checkDatagram(qp.maxDatagram());
            }
        }
        if (rawPackets) {
            checkCopyable();
        }
        switch (opcode) {
            case RDMA_READ -> checkWritable();
            case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD -> {
                longest = -1; // so every change is checked
                checkWritable();
                checkAtomic();
            }
            case ATOMIC_WRITE -> {
                longest = -1;
                checkAtomic();
            }
            case BIND_MW -> {
                checkNoBuffers();
                bindWindow.checkBinder(pd);
                binder = qp;
            }
            case LOCAL_INV -> checkNoBuffers();
            default -> {}
        }
        limit = longest;
        updateLengths();
    }

    /**
     * Whether more than buffers needs a check at each post: other objects can end, and an address be set, at any time.
     */
    @Override
    @HotPath
    boolean namesMore() {
        return SendForm.isDatagram(kind) || opcode == SendOpcode.BIND_MW || opcode == SendOpcode.ATOMIC_WRITE;
    }

    @Override
    @HotPath
    void checkEach() {
        checkBuffers();
        if (SendForm.isDatagram(kind)) {
            destination.checkOwner();
        } else if (opcode == SendOpcode.BIND_MW) {
            bindWindow.checkBind(bindRegion, binder);
        } else if (opcode == SendOpcode.ATOMIC_WRITE) {
            checkAligned(wr.get(JAVA_LONG, Member.REMOTE_ADDR));
        }
    }

    @HotPath
    private void checkInline(QueuePair qp, int maxInline) {
        if (messageLength() > maxInline) {
            throw new IllegalArgumentException(this + " is inline, and " + qp + " takes " + maxInline
                    + " bytes so: ask for more by maxInline() when creating it");
        }
        checkCopyable();
    }

    @HotPath
    private void checkDatagram(long most) {
        if (messageLength() > most) {
            throw tooLong(most);
        }
    }

    @HotPath
    private void checkAtomic() {
        if (sgeCount() != 1 || messageLength() != ATOMIC_BYTES) {
            throw new IllegalArgumentException(opcode + " needs one buffer of 8 bytes, and this is " + this);
        }
    }

    @HotPath
    private void checkNoBuffers() {
        if (sgeCount() != 0) {
            throw new IllegalArgumentException(
                    opcode + " takes no buffer: prepare its request with SendRequest.prepare(0)");
        }
    }

    private IllegalArgumentException tooLong(long maxDatagram) {
        return new IllegalArgumentException(this + " is too long for a datagram: it is one packet, of at most "
                + maxDatagram + " bytes, which is the port's active MTU; the device would drop it without a word");
    }

    /** Why a queue pair does not accept it. */
    IllegalArgumentException refused(QueuePair by) {
        return new IllegalArgumentException(
                by + " does not take " + this + ": " + SendForm.refusal(by.type(), opcode, has));
    }

    /** The header sent before each segment, for a test. */
    MemorySegment header() {
        return header;
    }

    /** The address of that header in the struct, for a test. */
    long headerAddress() {
        return wr.get(JAVA_LONG, Member.HDR);
    }

    /** Whether the post copies the data, so that the device does not access the buffer. */
    @HotPath
    private boolean isInline() {
        return (flags & INLINE) != 0;
    }

    /** The operation, the buffers and the length. */
    @Override
    public String toString() {
        return "SendRequest(" + opcode + ", " + sgeCount() + " buffers, " + messageLength() + " bytes)";
    }
}
