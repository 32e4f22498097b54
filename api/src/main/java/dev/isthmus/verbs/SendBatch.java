// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.CheckReturnValue;
import dev.isthmus.bindings.ibverbs.ibv_data_buf;
import dev.isthmus.bindings.ibverbs.ibv_mw_bind_info;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.verbs.ExtendedSend;
import dev.isthmus.internal.verbs.NetworkOrder;
import dev.isthmus.internal.verbs.VerbsErrors;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Objects;

/**
 * The second way to post send requests: {@code struct ibv_qp_ex} and the {@code ibv_wr_*} calls. You do not prepare
 * requests in memory. You state them one after another, and give them to the device together:
 *
 * {@snippet :
 * var batch = qp.sendBatch();               // qp made with config.extendedPosting(RDMA_WRITE, SEND)
 * batch.start();
 * batch.next(1, false).write(there, 0).sge(region, 0, 4096); // there: RemoteMemory
 * batch.next(2, flags).send().inline(note, 0, 16); // flags: SendFlag.mask(SIGNALED, INLINE)
 * while (!batch.complete()) {               // false: the queue was full, and nothing of it was posted
 *     drain(cq, done);
 *     // say it again
 * }
 * }
 *
 * <p>Each request is {@link #next}, an operation, and what that needs: its data by {@code sge}, {@code sges},
 * {@code inline} or {@link #noData}, and on UD queue pairs its destination by {@link #to}. If a request lacks
 * something, the following call refuses it. Between {@link #start} and {@link #complete} or {@link #abort}, the queue
 * pair can only post receives. An exception in between leaves the batch started; complete or abort it.
 *
 * <p>Belongs to the thread of its queue pair's sends. Does not block and allocates nothing.
 */
public final class SendBatch {

    private static final int SIGNALED = SendFlag.SIGNALED.code();
    private static final int INLINE = SendFlag.INLINE.code();

    // What the current request still lacks.
    private static final int DATA = 1;
    private static final int DESTINATION = 1 << 1;

    private static final int ATOMIC_BYTES = SendRequest.ATOMIC_BYTES;

    private static final long BUFFER = ibv_data_buf.sizeof();
    private static final long BUFFER_ADDR = ibv_data_buf.addr$offset();
    private static final long BUFFER_LENGTH = ibv_data_buf.length$offset();

    private final QueuePair qp;
    private final ExtendedSend c;
    private final int operations; // the bits of enum ibv_qp_create_send_ops_flags that it was created with
    private final boolean softRoce;
    private final boolean rawPackets; // drivers copy their headers from the buffer
    private final int needed; // bits of each operation with data
    private int maxRequests;
    private int maxSge;
    private int maxInline;
    private MemorySegment scratch; // for C to read during a call: 8 bytes, a bind, or a list of buffers
    private boolean started;
    private int count;
    private int lacks;
    private boolean begun; // next() was called, but no operation since
    private boolean copies; // the data is inline
    private boolean writes; // the device will write to the buffers
    private boolean atomic; // the buffer is 8 bytes
    private long maxLength; // of a message; a datagram is one packet
    private long room; // of the current request: this, or the rest of the peer's memory

    SendBatch(QueuePair qp, ExtendedSend c, int operations, boolean softRoce) {
        this.softRoce = softRoce;
        this.rawPackets = qp.type() == QueuePairType.RAW_PACKET;
        this.qp = qp;
        this.c = c;
        this.operations = operations;
        this.needed = qp.type() == QueuePairType.UD ? DATA | DESTINATION : DATA;
    }

    /** Sets the capacities of the queue pair. */
    void setCapabilities(QueuePairCapabilities capabilities) {
        maxRequests = capabilities.maxSendWr();
        maxSge = capabilities.maxSendSge();
        maxInline = capabilities.maxInline();
        scratch = Arena.ofAuto().allocate(Math.max(maxInline, ibv_mw_bind_info.sizeof() + maxSge * BUFFER), Long.BYTES);
    }

    /**
     * Starts a batch: {@code ibv_wr_start}.
     *
     * @throws WrongThreadException if the sends of the queue pair belong to another thread
     * @throws IllegalStateException if the queue pair is closed or in a state that cannot send, or a batch is
     *     started already
     */
    @HotPath
    public void start() {
        maxLength = qp.startBatch();
        started = true;
        count = 0;
        lacks = 0;
        begun = false;
        c.start();
    }

    /**
     * Begins a request.
     *
     * @param wrId the number that its completion will carry
     * @param signaled whether it produces a completion: see {@link SendRequest#signaled}
     * @return this
     * @throws IllegalStateException if no batch is started, or the previous request lacks something
     * @throws IllegalArgumentException if the batch is longer than the send queue
     */
    @HotPath
    public SendBatch next(long wrId, boolean signaled) {
        return next(wrId, signaled ? SIGNALED : 0);
    }

    /**
     * Begins a request.
     *
     * @param wrId the number that its completion will carry
     * @param flags what {@link SendFlag#mask} returned
     * @return this
     * @throws IllegalStateException if no batch is started, or the previous request lacks something
     * @throws IllegalArgumentException if the batch is longer than the send queue, or a flag is not one of
     *     {@link SendFlag}
     */
    @HotPath
    public SendBatch next(long wrId, int flags) {
        checkStarted();
        checkWhole();
        if ((flags & ~SendFlag.ALL) != 0) {
            throw new IllegalArgumentException("the flags are not what SendFlag.mask() returns: " + flags);
        }
        if (++count > maxRequests) {
            throw tooLong();
        }
        c.next(wrId, flags);
        copies = (flags & INLINE) != 0;
        begun = true;
        return this;
    }

    /**
     * Sends a message: {@code ibv_wr_send}.
     *
     * @return this, which needs the data next
     * @throws IllegalStateException if {@link #next} does not precede
     * @throws IllegalArgumentException if the queue pair was not created with the operation
     */
    @HotPath
    public SendBatch send() {
        begin(SendOpcode.SEND, needed);
        c.send();
        return this;
    }

    /**
     * Sends a message with an immediate value: {@code ibv_wr_send_imm}.
     *
     * @param value any value; the peer reads the same, whatever its byte order
     * @return this, which needs the data next
     * @throws IllegalStateException if {@link #next} does not precede
     * @throws IllegalArgumentException if the queue pair was not created with the operation
     */
    @HotPath
    public SendBatch sendImmediate(int value) {
        begin(SendOpcode.SEND_WITH_IMM, needed);
        c.sendImmediate(NetworkOrder.fromHost(value));
        return this;
    }

    /**
     * Sends a message, and invalidates a key of the peer: {@code ibv_wr_send_inv}.
     *
     * @param rkey the key of a region or window of the peer
     * @return this, which needs the data next
     * @throws IllegalStateException if {@link #next} does not precede
     * @throws IllegalArgumentException if the queue pair was not created with the operation
     */
    @HotPath
    public SendBatch sendInvalidate(int rkey) {
        begin(SendOpcode.SEND_WITH_INV, needed);
        c.sendInvalidate(rkey);
        return this;
    }

    /**
     * Sends a long TCP payload in segments: {@code ibv_wr_send_tso}.
     *
     * @param header the headers up to TCP's, native memory; copied
     * @param mss the payload of a segment in bytes, 16 bits
     * @return this, which needs the data next
     * @throws IllegalStateException if {@link #next} does not precede
     * @throws IllegalArgumentException if the queue pair was not created with the operation, the header is on the heap
     *     or longer than 65,535 bytes, or {@code mss} is out of range
     */
    @HotPath
    public SendBatch segments(MemorySegment header, int mss) {
        long bytes = header.byteSize();
        if (!header.isNative()) {
            throw new IllegalArgumentException("a header on the heap cannot be given to C: allocate it from an Arena");
        }
        SendRequest.checkSegments(bytes, mss);
        checkAccess(header);
        begin(SendOpcode.TSO, needed);
        try {
            c.segments(header.address(), (short) bytes, (short) mss);
        } finally {
            Reference.reachabilityFence(header);
        }
        return this;
    }

    /**
     * Writes to memory that the peer lends: {@code ibv_wr_rdma_write}.
     *
     * @param memory the memory that the peer lends
     * @param offset where to begin in it, in bytes
     * @return this, which needs the data next, no more than fits into the rest of the memory
     * @throws IllegalStateException if {@link #next} does not precede
     * @throws IllegalArgumentException if the queue pair was not created with the operation
     * @throws IndexOutOfBoundsException if the offset is not within the memory
     */
    @HotPath
    public SendBatch write(RemoteMemory memory, long offset) {
        write(memory.at(offset, 0), memory.rkey());
        room = memory.length() - offset;
        return this;
    }

    /**
     * Writes to the peer's memory: {@code ibv_wr_rdma_write}.
     *
     * @param address the remote address
     * @param rkey the remote region's key
     * @return this, which needs the data next
     * @throws IllegalStateException if {@link #next} does not precede
     * @throws IllegalArgumentException if the queue pair was not created with the operation
     */
    @HotPath
    public SendBatch write(long address, int rkey) {
        begin(SendOpcode.RDMA_WRITE, DATA);
        c.write(rkey, address);
        return this;
    }

    /**
     * Writes to memory that the peer lends, and completes a receive there: {@code ibv_wr_rdma_write_imm}.
     *
     * @param memory the memory that the peer lends
     * @param offset where to begin in it, in bytes
     * @param value the immediate value
     * @return this, which needs the data next, no more than fits into the rest of the memory
     * @throws IllegalStateException if {@link #next} does not precede
     * @throws IllegalArgumentException if the queue pair was not created with the operation
     * @throws IndexOutOfBoundsException if the offset is not within the memory
     */
    @HotPath
    public SendBatch writeImmediate(RemoteMemory memory, long offset, int value) {
        writeImmediate(memory.at(offset, 0), memory.rkey(), value);
        room = memory.length() - offset;
        return this;
    }

    /**
     * Writes to the peer's memory and completes a receive there: {@code ibv_wr_rdma_write_imm}.
     *
     * @param address the remote address
     * @param rkey the remote region's key
     * @param value the immediate value
     * @return this, which needs the data next
     * @throws IllegalStateException if {@link #next} does not precede
     * @throws IllegalArgumentException if the queue pair was not created with the operation
     */
    @HotPath
    public SendBatch writeImmediate(long address, int rkey, int value) {
        begin(SendOpcode.RDMA_WRITE_WITH_IMM, DATA);
        c.writeImmediate(rkey, address, NetworkOrder.fromHost(value));
        return this;
    }

    /**
     * Reads memory that the peer lends: {@code ibv_wr_rdma_read}.
     *
     * @param memory the memory that the peer lends
     * @param offset where to begin in it, in bytes
     * @return this, which needs the buffer next, no longer than the rest of the memory, in a region with LOCAL_WRITE
     * @throws IllegalStateException if {@link #next} does not precede
     * @throws IllegalArgumentException if the queue pair was not created with the operation
     * @throws IndexOutOfBoundsException if the offset is not within the memory
     */
    @HotPath
    public SendBatch read(RemoteMemory memory, long offset) {
        read(memory.at(offset, 0), memory.rkey());
        room = memory.length() - offset;
        return this;
    }

    /**
     * Reads the peer's memory: {@code ibv_wr_rdma_read}.
     *
     * @param address the remote address
     * @param rkey the remote region's key
     * @return this, which needs the buffer next, in a region with LOCAL_WRITE
     * @throws IllegalStateException if {@link #next} does not precede
     * @throws IllegalArgumentException if the queue pair was not created with the operation
     */
    @HotPath
    public SendBatch read(long address, int rkey) {
        begin(SendOpcode.RDMA_READ, DATA);
        writes = true;
        c.read(rkey, address);
        return this;
    }

    /**
     * Replaces 8 bytes of memory that the peer lends, if they equal a value: {@code ibv_wr_atomic_cmp_swp}.
     *
     * @param memory the memory that the peer lends
     * @param offset where in it the 8 bytes are, at a multiple of 8
     * @param compare the value to compare with
     * @param swap the value to write if it is equal
     * @return this, which needs a buffer of 8 bytes next, in a region with LOCAL_WRITE
     * @throws IllegalStateException if {@link #next} does not precede
     * @throws IllegalArgumentException if the queue pair was not created with the operation, or the address is not a
     *     multiple of 8
     * @throws IndexOutOfBoundsException if the 8 bytes are not within the memory
     */
    @HotPath
    public SendBatch compareAndSwap(RemoteMemory memory, long offset, long compare, long swap) {
        return compareAndSwap(memory.at(offset, ATOMIC_BYTES), memory.rkey(), compare, swap);
    }

    /**
     * Replaces 8 bytes of the peer's memory if they equal a value: {@code ibv_wr_atomic_cmp_swp}.
     *
     * @param address the remote address, a multiple of 8
     * @param rkey the remote region's key
     * @param compare the value to compare with
     * @param swap the value to write if it is equal
     * @return this, which needs a buffer of 8 bytes next, in a region with LOCAL_WRITE
     * @throws IllegalStateException if {@link #next} does not precede
     * @throws IllegalArgumentException if the queue pair was not created with the operation, or the address is not a
     *     multiple of 8
     */
    @HotPath
    public SendBatch compareAndSwap(long address, int rkey, long compare, long swap) {
        SendRequest.checkAligned(address);
        begin(SendOpcode.ATOMIC_CMP_AND_SWP, DATA);
        writes = true;
        atomic = true;
        c.compareAndSwap(rkey, address, compare, swap);
        return this;
    }

    /**
     * Adds to 8 bytes of memory that the peer lends: {@code ibv_wr_atomic_fetch_add}.
     *
     * @param memory the memory that the peer lends
     * @param offset where in it the 8 bytes are, at a multiple of 8
     * @param add the value to add; it wraps
     * @return this, which needs a buffer of 8 bytes next, in a region with LOCAL_WRITE
     * @throws IllegalStateException if {@link #next} does not precede
     * @throws IllegalArgumentException if the queue pair was not created with the operation, or the address is not a
     *     multiple of 8
     * @throws IndexOutOfBoundsException if the 8 bytes are not within the memory
     */
    @HotPath
    public SendBatch fetchAndAdd(RemoteMemory memory, long offset, long add) {
        return fetchAndAdd(memory.at(offset, ATOMIC_BYTES), memory.rkey(), add);
    }

    /**
     * Adds to 8 bytes of the peer's memory: {@code ibv_wr_atomic_fetch_add}.
     *
     * @param address the remote address, a multiple of 8
     * @param rkey the remote region's key
     * @param add the value to add; it wraps
     * @return this, which needs a buffer of 8 bytes next, in a region with LOCAL_WRITE
     * @throws IllegalStateException if {@link #next} does not precede
     * @throws IllegalArgumentException if the queue pair was not created with the operation, or the address is not a
     *     multiple of 8
     */
    @HotPath
    public SendBatch fetchAndAdd(long address, int rkey, long add) {
        SendRequest.checkAligned(address);
        begin(SendOpcode.ATOMIC_FETCH_AND_ADD, DATA);
        writes = true;
        atomic = true;
        c.fetchAndAdd(rkey, address, add);
        return this;
    }

    /**
     * Writes 8 bytes atomically to memory that the peer lends: {@code ibv_wr_atomic_write}.
     *
     * @param memory the memory that the peer lends
     * @param offset where in it the 8 bytes are, at a multiple of 8
     * @param value what to write, in this machine's byte order
     * @return this, which needs nothing more
     * @throws IllegalStateException if {@link #next} does not precede
     * @throws IllegalArgumentException if the queue pair was not created with the operation, or the address is not a
     *     multiple of 8
     * @throws IndexOutOfBoundsException if the 8 bytes are not within the memory
     */
    @HotPath
    public SendBatch atomicWrite(RemoteMemory memory, long offset, long value) {
        return atomicWrite(memory.at(offset, ATOMIC_BYTES), memory.rkey(), value);
    }

    /**
     * Writes 8 bytes atomically to the peer's memory: {@code ibv_wr_atomic_write}.
     *
     * @param address the remote address, a multiple of 8
     * @param rkey the remote region's key
     * @param value what to write, in this machine's byte order
     * @return this, which needs nothing more
     * @throws IllegalStateException if {@link #next} does not precede
     * @throws IllegalArgumentException if the queue pair was not created with the operation, or the address is not a
     *     multiple of 8
     */
    @HotPath
    public SendBatch atomicWrite(long address, int rkey, long value) {
        SendRequest.checkAligned(address);
        begin(SendOpcode.ATOMIC_WRITE, 0);
        scratch.set(JAVA_LONG, 0, value);
        try {
            c.atomicWrite(rkey, address, scratch.address());
        } finally {
            Reference.reachabilityFence(this);
        }
        return this;
    }

    /**
     * Waits until earlier writes to memory that the peer lends are visible to all, or persistent: {@code ibv_wr_flush}.
     * Otherwise like {@link #flush(long, int, long, FlushType, FlushRange)}.
     *
     * @param memory the memory that the peer lends, registered with FLUSH_GLOBAL or FLUSH_PERSISTENT
     * @param offset where in it the range begins, in bytes
     * @param length the length of the range in bytes
     * @param type what to wait for
     * @param range what to flush
     * @return this, which needs nothing more
     * @throws IllegalStateException if {@link #next} does not precede
     * @throws IllegalArgumentException if the queue pair was not created with the operation
     * @throws IndexOutOfBoundsException if the range is not within the memory
     */
    @HotPath
    public SendBatch flush(RemoteMemory memory, long offset, long length, FlushType type, FlushRange range) {
        return flush(memory.at(offset, length), memory.rkey(), length, type, range);
    }

    /**
     * Waits until earlier writes to the peer's memory are visible to all, or persistent: {@code ibv_wr_flush}. It needs
     * a device, a kernel (6.3) and a library (rdma-core 45) that know it.
     *
     * @param address where the range begins in the peer's memory; ignored for {@link FlushRange#REGION}
     * @param rkey the remote region's key; registered with FLUSH_GLOBAL or FLUSH_PERSISTENT
     * @param length the length of the range in bytes; ignored for {@link FlushRange#REGION}
     * @param type what to wait for
     * @param range what to flush
     * @return this, which needs nothing more
     * @throws IllegalStateException if {@link #next} does not precede
     * @throws IllegalArgumentException if the queue pair was not created with the operation, or the length is negative
     */
    @HotPath
    public SendBatch flush(long address, int rkey, long length, FlushType type, FlushRange range) {
        if (length < 0) {
            throw new IllegalArgumentException("length is negative: " + length);
        }
        begin(SendOpcode.FLUSH, 0);
        c.flush(rkey, address, length, type.code(), range.code());
        return this;
    }

    /**
     * Invalidates a key of this end: {@code ibv_wr_local_inv}.
     *
     * @param rkey the key of a region or window
     * @return this, which needs nothing more
     * @throws IllegalStateException if {@link #next} does not precede
     * @throws IllegalArgumentException if the queue pair was not created with the operation
     */
    @HotPath
    public SendBatch localInvalidate(int rkey) {
        begin(SendOpcode.LOCAL_INV, 0);
        c.localInvalidate(rkey);
        return this;
    }

    /**
     * Binds a memory window of type 2: {@code ibv_wr_bind_mw}.
     *
     * @param window the window, of this thread
     * @param rkey the key it gets: see {@link MemoryWindow#nextRkey}
     * @param binding what the peer may access
     * @return this, which needs nothing more
     * @throws IllegalStateException if {@link #next} does not precede, or the window or the region is closed
     * @throws IllegalArgumentException if the queue pair was not created with the operation, or window, region and
     *     queue pair do not share a protection domain
     */
    public SendBatch bind(MemoryWindow window, int rkey, WindowBinding binding) {
        window.prepare(binding);
        window.checkBinder(qp.protectionDomain());
        window.checkBind(binding.region(), qp);
        begin(SendOpcode.BIND_MW, 0);
        binding.write(scratch);
        try {
            c.bindWindow(window.handle().address(), rkey, scratch.address());
        } finally {
            Reference.reachabilityFence(this);
        }
        return this;
    }

    /**
     * Sets the destination of a datagram: {@code ibv_wr_set_ud_addr}.
     *
     * @param handle the path to the port, of the queue pair's protection domain; keep it open until the send
     *     has completed
     * @param qpNum the number of the queue pair there, 24 bits; {@link QueuePair#MULTICAST} for a group
     * @param qkey the key of that queue pair
     * @return this
     * @throws IllegalStateException if no operation that takes an address precedes
     * @throws IllegalArgumentException if the number is out of range, or the handle belongs to another
     *     protection domain
     */
    @HotPath
    public SendBatch to(AddressHandle handle, int qpNum, int qkey) {
        checkLacks(DESTINATION);
        SendRequest.checkQpNum(qpNum);
        handle.checkOwner();
        handle.checkDomain(qp.protectionDomain());
        c.setDatagram(handle.address(), qpNum, qkey);
        lacks &= ~DESTINATION;
        return this;
    }

    /**
     * Sets the shared receive queue that receives a request of an XRC_SEND queue pair: {@code ibv_wr_set_xrc_srqn}.
     *
     * @param number the number of the peer's shared receive queue
     * @return this
     * @throws IllegalStateException if no operation precedes
     * @throws IllegalArgumentException if the queue pair is not of type XRC_SEND
     */
    @HotPath
    public SendBatch sharedReceiveQueue(int number) {
        checkLacks(DATA);
        if (qp.type() != QueuePairType.XRC_SEND) {
            throw new IllegalArgumentException(qp + " is not of type XRC_SEND");
        }
        c.setSharedReceiveQueue(number);
        return this;
    }

    /**
     * Sets one buffer as the data: {@code ibv_wr_set_sge}.
     *
     * @param region the region of the buffer
     * @param offset where it begins in the region, in bytes
     * @param length its length in bytes
     * @return this
     * @throws IllegalStateException if no operation with data precedes, or the region is closed
     * @throws IndexOutOfBoundsException if the range is outside the region
     * @throws IllegalArgumentException if the device would write to a region without LOCAL_WRITE, or the region belongs
     *     to another protection domain
     */
    @HotPath
    public SendBatch sge(MemoryRegion region, long offset, long length) {
        checkLacks(DATA);
        checkNotInline();
        region.checkUsable();
        ScatterGatherList.checkDomain(region, qp.protectionDomain(), qp);
        ScatterGatherList.checkRange(region, offset, length);
        if (writes && !region.isWritable()) {
            throw ScatterGatherList.notWritable(region);
        }
        if (rawPackets && !region.isHostAddressed()) {
            throw ScatterGatherList.notCopyable(region);
        }
        checkLength(1, length);
        c.setSge(region.lkey(), region.address() + offset, (int) length);
        lacks &= ~DATA;
        return this;
    }

    /**
     * Sets the buffers of a prepared request as the data; nothing else of that request counts:
     * {@code ibv_wr_set_sge_list}.
     *
     * @param buffers a request with the buffers; C reads the list now, and the buffers until the request completes
     * @return this
     * @throws IllegalStateException if no operation with data precedes, or a region is closed
     * @throws WrongThreadException if the request belongs to another thread
     * @throws IllegalArgumentException if there are more buffers than the queue pair takes, or a region belongs to
     *     another protection domain
     */
    @HotPath
    public SendBatch sges(WorkRequest<?> buffers) {
        checkLacks(DATA);
        checkNotInline();
        buffers.checkOwner();
        buffers.checkBuffers();
        buffers.checkDomain(qp.protectionDomain(), qp);
        checkCount(buffers.sgeCount());
        if (writes) {
            buffers.checkWritable();
        }
        if (rawPackets) {
            buffers.checkCopyable();
        }
        checkLength(buffers.sgeCount(), buffers.messageLength());
        if (softRoce) {
            checkEqual(buffers);
        }
        try {
            c.setSgeList(buffers.sgeCount(), buffers.sgeListAddress());
        } finally {
            Reference.reachabilityFence(buffers);
        }
        lacks &= ~DATA;
        return this;
    }

    /**
     * Sets an empty message: {@code ibv_wr_set_sge_list} without a buffer.
     *
     * @return this
     * @throws IllegalStateException if no operation with data precedes
     */
    @HotPath
    public SendBatch noData() {
        checkLacks(DATA);
        checkNotInline();
        checkLength(0, 0);
        c.setSgeList(0, scratch.address());
        lacks &= ~DATA;
        return this;
    }

    /**
     * Copies the data now: {@code ibv_wr_set_inline_data}. The data need not be registered. Begin the request with
     * {@link SendFlag#INLINE}. No other thread may close the data's arena meanwhile: see {@link SendRequest#inline}.
     *
     * @param data native memory
     * @param offset where it begins, in bytes
     * @param length its length in bytes, at most {@link QueuePairCapabilities#maxInline}
     * @return this
     * @throws IllegalStateException if no operation with data precedes, or the data's arena is closed
     * @throws IllegalArgumentException if the memory is on the heap or too long, or the operation reads from the peer
     * @throws IndexOutOfBoundsException if the range is outside the memory
     * @throws WrongThreadException if the memory belongs to another thread
     */
    @HotPath
    public SendBatch inline(MemorySegment data, long offset, long length) {
        checkLacks(DATA);
        Objects.checkFromIndexSize(offset, length, data.byteSize());
        checkInline(data.isNative(), length);
        checkAccess(data);
        try {
            c.setInline(data.address() + offset, length);
        } finally {
            Reference.reachabilityFence(data);
        }
        lacks &= ~DATA;
        return this;
    }

    /**
     * Copies the data now from the buffers of a prepared request: {@code ibv_wr_set_inline_data_list}. Begin the
     * request with {@link SendFlag#INLINE}. No other thread may close their arenas meanwhile: see
     * {@link SendRequest#inline}.
     *
     * @param buffers a request with the buffers
     * @return this
     * @throws IllegalStateException if no operation with data precedes, or a region or its arena is closed
     * @throws IllegalArgumentException if there are more buffers, or is more data, than the queue pair takes, or the
     *     operation reads from the peer
     */
    @HotPath
    public SendBatch inline(WorkRequest<?> buffers) {
        checkLacks(DATA);
        buffers.checkOwner();
        buffers.checkBuffers();
        buffers.checkCopyable();
        int n = buffers.sgeCount();
        checkCount(n);
        checkInline(true, buffers.messageLength());
        if (softRoce) {
            inlineGathered(buffers);
        } else {
            inlineList(buffers);
        }
        lacks &= ~DATA;
        return this;
    }

    @HotPath
    private void inlineList(WorkRequest<?> buffers) {
        int n = buffers.sgeCount();
        for (int i = 0; i < n; i++) {
            scratch.set(JAVA_LONG, i * BUFFER + BUFFER_ADDR, buffers.sgeAddress(i));
            scratch.set(JAVA_LONG, i * BUFFER + BUFFER_LENGTH, buffers.sgeLength(i));
        }
        try {
            c.setInlineList(n, scratch.address());
        } finally {
            Reference.reachabilityFence(buffers);
            Reference.reachabilityFence(this);
        }
    }

    /** Soft-RoCE's driver before rdma-core 45 sends an empty message for a list, so it gets one buffer. */
    @HotPath
    private void inlineGathered(WorkRequest<?> buffers) {
        long length = buffers.gather(scratch);
        try {
            c.setInline(scratch.address(), length);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Gives the requests to the device: {@code ibv_wr_complete}. Posts all of them or none.
     *
     * @return false if the send queue was full, and nothing was posted: poll the completion queue, and state them again
     * @throws IllegalStateException if no batch is started, or its last request lacks something; then it stays started
     * @throws dev.isthmus.VerbsException if the driver refuses a request: nothing was posted
     */
    @CheckReturnValue
    @HotPath
    public boolean complete() {
        checkStarted();
        checkWhole();
        started = false;
        int errno = c.complete();
        qp.endBatch();
        return errno == 0 || isPosted(errno);
    }

    /**
     * Drops the requests since {@link #start}: {@code ibv_wr_abort}. Does nothing if no batch is started.
     *
     * @throws WrongThreadException if the sends of the queue pair belong to another thread
     */
    @HotPath
    public void abort() {
        if (started) {
            checkStarted();
            started = false;
            c.abort();
            qp.endBatch();
        }
    }

    /**
     * Returns false for a full queue, which some drivers, such as Soft-RoCE's, call ENOSPC; throws for anything else.
     * ENOMEM of Soft-RoCE's driver comes from the kernel, which was to learn of requests in the queue; the next post
     * tells it (providers/rxe/rxe.c, wr_complete).
     */
    private boolean isPosted(int result) {
        int errno = Math.abs(result);
        if (softRoce && errno == Errno.ENOMEM) {
            return true;
        }
        if (errno != Errno.ENOMEM && errno != Errno.ENOSPC) {
            throw VerbsErrors.failure("ibv_wr_complete", qp + ", " + count + " requests", errno, "");
        }
        return false;
    }

    @HotPath
    private void begin(SendOpcode opcode, int needs) {
        checkStarted();
        if (!begun) {
            throw new IllegalStateException("next(wrId, signaled) comes before each operation");
        }
        if ((operations & opcode.batchBit()) == 0) {
            throw notCreatedWith(opcode);
        }
        begun = false;
        lacks = needs;
        room = maxLength;
        writes = false;
        atomic = false;
    }

    private IllegalArgumentException notCreatedWith(SendOpcode opcode) {
        return new IllegalArgumentException(
                qp + " was not created with " + opcode + ": add it to extendedPosting() of its configuration");
    }

    @HotPath
    private void checkStarted() {
        qp.checkSender();
        if (!started) {
            throw new IllegalStateException("no batch is started on " + qp + ": start() comes first");
        }
    }

    @HotPath
    private void checkWhole() {
        if (begun || lacks != 0) {
            throw unfinished();
        }
    }

    private IllegalStateException unfinished() {
        String what = begun
                ? "an operation"
                : (lacks & DATA) != 0 ? "its data: sge(), sges(), inline() or noData()" : "its destination: to()";
        return new IllegalStateException("request " + (count - 1) + " of the batch lacks " + what);
    }

    @HotPath
    private void checkLacks(int what) {
        checkStarted();
        if (begun || (lacks & what) == 0) {
            throw new IllegalStateException("the request has that already, or its operation has no use for it");
        }
    }

    private IllegalArgumentException tooLong() {
        count--;
        return new IllegalArgumentException("the batch is longer than the send queue of " + qp + ", which has room for "
                + maxRequests + " requests");
    }

    @HotPath
    private void checkCount(int buffers) {
        if (buffers > maxSge) {
            throw new IllegalArgumentException(buffers + " buffers are more than " + qp + " takes, which is " + maxSge);
        }
    }

    /**
     * Soft-RoCE's driver before rdma-core 64 takes the first buffer's length for that of all buffers, and so sends a
     * wrong message.
     */
    @HotPath
    private static void checkEqual(WorkRequest<?> buffers) {
        for (int i = 1; i < buffers.sgeCount(); i++) {
            if (buffers.sgeLength(i) != buffers.sgeLength(0)) {
                throw new IllegalArgumentException("Soft-RoCE's driver sends the wrong length from buffers that are not"
                        + " equally long: post this request by tryPost");
            }
        }
    }

    @HotPath
    private void checkNotInline() {
        if (copies) {
            throw new IllegalStateException(
                    "the request was begun with SendFlag.INLINE: its data is given by inline()");
        }
    }

    @HotPath
    private void checkLength(int buffers, long length) {
        if (atomic && (buffers != 1 || length != ATOMIC_BYTES)) {
            throw new IllegalArgumentException(
                    "an atomic needs one buffer of 8 bytes, not " + buffers + " with " + length + " bytes");
        }
        if (length > room) {
            throw tooLong(length);
        }
    }

    private IllegalArgumentException tooLong(long length) {
        return new IllegalArgumentException(length
                + (room == maxLength
                        ? " bytes are too long for a datagram: it is one packet, of at most " + maxLength + " bytes"
                        : " bytes go beyond the end of the peer's memory, of which " + room + " are left there"));
    }

    @HotPath
    private void checkInline(boolean isNative, long length) {
        if (!isNative || length > maxInline || writes || !copies) {
            throw notInline(isNative, length);
        }
        checkLength(1, length);
    }

    private IllegalArgumentException notInline(boolean isNative, long length) {
        return new IllegalArgumentException(
                !copies
                        ? "the request was not begun with SendFlag.INLINE"
                        : writes
                                ? "an operation that reads from the peer needs a buffer of a region, not inline data"
                                : isNative
                                        ? length + " bytes are more than " + qp + " takes inline, which is " + maxInline
                                                + ": ask for more by maxInline() when creating it"
                                        : "inline data on the heap cannot be given to C: allocate it from an Arena");
    }

    @HotPath
    private static void checkAccess(MemorySegment data) {
        if (!data.scope().isAlive()) {
            throw new IllegalStateException("the arena of the data is closed");
        }
        if (!data.isAccessibleBy(Thread.currentThread())) {
            throw new WrongThreadException("the data belongs to another thread's confined arena");
        }
    }
}
