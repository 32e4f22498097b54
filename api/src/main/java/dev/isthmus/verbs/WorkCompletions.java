// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_wc;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.NativeMemory;
import dev.isthmus.internal.verbs.CompletionFlag;
import dev.isthmus.internal.verbs.DataPath;
import dev.isthmus.internal.verbs.IbverbsLibrary;
import dev.isthmus.internal.verbs.NetworkOrder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Objects;

/**
 * The completions that a poll returned: an array of {@code struct ibv_wc} in native memory of its own. C writes to
 * that memory, so it lives as long as this object, and you cannot supply the arena. Read it by index. Create it
 * once and poll into it many times; each poll replaces its contents. Use it from one thread at a time. Reading
 * allocates nothing.
 *
 * <p>For a completion that failed, only {@link #wrId}, {@link #status}, {@link #vendorError} and {@link #qpNum} are
 * defined (ibv_poll_cq(3)); the other methods refuse it.
 */
public final class WorkCompletions {

    /** {@code struct ibv_wc}, apart so that a missing library is found by {@link #allocate} rather than here. */
    private static final class Wc {
        static final long SIZE = ibv_wc.sizeof();
        static final long SIXTEENTHS = SIZE / 16; // 3
        static final long WR_ID = ibv_wc.wr_id$offset();
        static final long STATUS = ibv_wc.status$offset();
        static final long OPCODE = ibv_wc.opcode$offset();
        static final long VENDOR_ERR = ibv_wc.vendor_err$offset();
        static final long BYTE_LEN = ibv_wc.byte_len$offset();
        static final long IMM_DATA = ibv_wc.imm_data$offset();
        static final long QP_NUM = ibv_wc.qp_num$offset();
        static final long SRC_QP = ibv_wc.src_qp$offset();
        static final long WC_FLAGS = ibv_wc.wc_flags$offset();
        static final long PKEY_INDEX = ibv_wc.pkey_index$offset();
        static final long SLID = ibv_wc.slid$offset();
        static final long SL = ibv_wc.sl$offset();
        static final long DLID_PATH_BITS = ibv_wc.dlid_path_bits$offset();

        private Wc() {}
    }

    /** This many take 48 MiB, and no poll returns as many. */
    private static final int MAX_CAPACITY = 1 << 20;

    private final MemorySegment array;
    private final long address; // of the array, for the JIT: docs/instructions.md
    private final int capacity;
    private final int shortCapacity; // the capacity, at most that of a short poll
    private int count;

    private WorkCompletions(int capacity) {
        this.array = Arena.ofAuto().allocate(ibv_wc.layout(), capacity);
        this.address = array.address();
        this.capacity = capacity;
        this.shortCapacity = Math.min(capacity, DataPath.MAX_CRITICAL_BATCH);
    }

    /**
     * Allocates room for completions.
     *
     * @param capacity how many a poll can return at most
     * @return an empty array
     * @throws IllegalArgumentException if {@code capacity} is not between 1 and 1,048,576
     * @throws dev.isthmus.RdmaUnavailableException if libibverbs is not installed
     */
    public static WorkCompletions allocate(int capacity) {
        if (capacity < 1 || capacity > MAX_CAPACITY) {
            throw new IllegalArgumentException(
                    "room for 1 to " + MAX_CAPACITY + " completions can be made, not for " + capacity);
        }
        IbverbsLibrary.require();
        return new WorkCompletions(capacity);
    }

    @HotPath
    long address() {
        return address;
    }

    /** The address of a completion, or of room for one. */
    @HotPath
    long address(int index) {
        return address + index * Wc.SIZE;
    }

    @HotPath
    int capacity() {
        return capacity;
    }

    @HotPath
    int shortCapacity() {
        return shortCapacity;
    }

    @HotPath
    void received(int received) {
        count = received;
    }

    /**
     * How many completions the last poll returned.
     *
     * @return their number
     */
    public int count() {
        return count;
    }

    /**
     * The number that was set on the work request.
     *
     * @param index below {@link #count()}
     * @return its {@code wr_id}
     * @throws IndexOutOfBoundsException if the last poll returned fewer completions
     */
    @HotPath
    public long wrId(int index) {
        return getLong(index, Wc.WR_ID);
    }

    /**
     * Whether the work request succeeded.
     *
     * @param index below {@link #count()}
     * @return true if the status is {@link CompletionStatus#SUCCESS}
     * @throws IndexOutOfBoundsException if the last poll returned fewer completions
     */
    @HotPath
    public boolean isSuccess(int index) {
        return statusCode(index) == 0;
    }

    /**
     * How the work request ended.
     *
     * @param index below {@link #count()}
     * @return the status, UNKNOWN for one that Isthmus does not know: see {@link #statusCode}
     * @throws IndexOutOfBoundsException if the last poll returned fewer completions
     */
    @HotPath
    public CompletionStatus status(int index) {
        return CompletionStatus.of(statusCode(index));
    }

    /**
     * How the work request ended, as a number.
     *
     * @param index below {@link #count()}
     * @return the code of {@code enum ibv_wc_status}
     * @throws IndexOutOfBoundsException if the last poll returned fewer completions
     */
    @HotPath
    public int statusCode(int index) {
        return getInt(index, Wc.STATUS);
    }

    /**
     * The device's own code for an error.
     *
     * @param index below {@link #count()}
     * @return the code, defined by the vendor
     * @throws IndexOutOfBoundsException if the last poll returned fewer completions
     */
    @HotPath
    public int vendorError(int index) {
        return getInt(index, Wc.VENDOR_ERR);
    }

    /**
     * The queue pair whose work request completed.
     *
     * @param index below {@link #count()}
     * @return the number of the local queue pair
     * @throws IndexOutOfBoundsException if the last poll returned fewer completions
     */
    @HotPath
    public int qpNum(int index) {
        return getInt(index, Wc.QP_NUM);
    }

    /**
     * Which operation completed.
     *
     * @param index below {@link #count()}
     * @return the opcode
     * @throws IndexOutOfBoundsException if the last poll returned fewer completions
     * @throws IllegalStateException if the work request failed
     */
    @HotPath
    public CompletionOpcode opcode(int index) {
        return CompletionOpcode.of(getInt(successful(index), Wc.OPCODE));
    }

    /**
     * How many bytes were received, read, or fetched; undefined for sends and writes.
     *
     * @param index below {@link #count()}
     * @return bytes, unsigned
     * @throws IndexOutOfBoundsException if the last poll returned fewer completions
     * @throws IllegalStateException if the work request failed
     */
    @HotPath
    public long byteLength(int index) {
        return Integer.toUnsignedLong(getInt(successful(index), Wc.BYTE_LEN));
    }

    /**
     * Whether a receive got an immediate value.
     *
     * @param index below {@link #count()}
     * @return true if {@link #immediate} is defined
     * @throws IndexOutOfBoundsException if the last poll returned fewer completions
     * @throws IllegalStateException if the work request failed
     */
    @HotPath
    public boolean hasImmediate(int index) {
        return (flags(index) & CompletionFlag.WITH_IMM) != 0;
    }

    /**
     * The immediate value of the message that was received, as the sender gave it.
     *
     * @param index below {@link #count()}
     * @return the value
     * @throws IndexOutOfBoundsException if the last poll returned fewer completions
     * @throws IllegalStateException if the work request failed, or got no immediate value
     */
    @HotPath
    public int immediate(int index) {
        check(hasImmediate(index), index, "no immediate value");
        return NetworkOrder.toHost(getInt(index, Wc.IMM_DATA));
    }

    /**
     * Whether a receive invalidated a key of this end, as the sender asked.
     *
     * @param index below {@link #count()}
     * @return true if {@link #invalidatedRkey} is defined
     * @throws IndexOutOfBoundsException if the last poll returned fewer completions
     * @throws IllegalStateException if the work request failed
     */
    @HotPath
    public boolean hasInvalidatedRkey(int index) {
        return (flags(index) & CompletionFlag.WITH_INV) != 0;
    }

    /**
     * The key that a receive invalidated.
     *
     * @param index below {@link #count()}
     * @return the rkey
     * @throws IndexOutOfBoundsException if the last poll returned fewer completions
     * @throws IllegalStateException if the work request failed, or invalidated no key
     */
    @HotPath
    public int invalidatedRkey(int index) {
        check(hasInvalidatedRkey(index), index, "no invalidated rkey");
        return getInt(index, Wc.IMM_DATA);
    }

    /**
     * Whether the 40 bytes in front of a datagram are a header: {@code IBV_WC_GRH}.
     *
     * @param index below {@link #count()}
     * @return true if {@link GlobalRouteHeader} can read them
     * @throws IndexOutOfBoundsException if the last poll returned fewer completions
     * @throws IllegalStateException if the work request failed
     */
    @HotPath
    public boolean hasGrh(int index) {
        return (flags(index) & CompletionFlag.GRH) != 0;
    }

    /**
     * Whether the device found the IPv4 and the TCP or UDP checksums correct: {@code IBV_WC_IP_CSUM_OK}.
     *
     * @param index below {@link #count()}
     * @return true if so; false if the device does not check
     * @throws IndexOutOfBoundsException if the last poll returned fewer completions
     * @throws IllegalStateException if the work request failed
     */
    @HotPath
    public boolean isIpChecksumOk(int index) {
        return (flags(index) & CompletionFlag.IP_CSUM_OK) != 0;
    }

    /**
     * The flags, including those that have no method here.
     *
     * @param index below {@link #count()}
     * @return {@code enum ibv_wc_flags}, or'ed
     * @throws IndexOutOfBoundsException if the last poll returned fewer completions
     * @throws IllegalStateException if the work request failed
     */
    @HotPath
    public int flags(int index) {
        return getInt(successful(index), Wc.WC_FLAGS);
    }

    /**
     * The queue pair that sent the received message; defined for datagrams.
     *
     * @param index below {@link #count()}
     * @return the number of the remote queue pair
     * @throws IndexOutOfBoundsException if the last poll returned fewer completions
     * @throws IllegalStateException if the work request failed
     */
    @HotPath
    public int sourceQpNum(int index) {
        return getInt(successful(index), Wc.SRC_QP);
    }

    /**
     * The index of the received packet's partition key; defined for the management queue pair of InfiniBand. With an
     * immediate value, libmlx5 returns the value's low half instead.
     *
     * @param index below {@link #count()}
     * @return the index in the port's table
     * @throws IndexOutOfBoundsException if the last poll returned fewer completions
     * @throws IllegalStateException if the work request failed
     */
    @HotPath
    public int pkeyIndex(int index) {
        return Short.toUnsignedInt(getShort(successful(index), Wc.PKEY_INDEX));
    }

    /**
     * The source LID of a datagram; 0 on Ethernet.
     *
     * @param index below {@link #count()}
     * @return 16 bits
     * @throws IndexOutOfBoundsException if the last poll returned fewer completions
     * @throws IllegalStateException if the work request failed
     */
    @HotPath
    public int slid(int index) {
        return Short.toUnsignedInt(getShort(successful(index), Wc.SLID));
    }

    /**
     * The service level of a datagram.
     *
     * @param index below {@link #count()}
     * @return 0 to 15
     * @throws IndexOutOfBoundsException if the last poll returned fewer completions
     * @throws IllegalStateException if the work request failed
     */
    @HotPath
    public int serviceLevel(int index) {
        return Byte.toUnsignedInt(getByte(successful(index), Wc.SL));
    }

    /**
     * Which of the port's LIDs a datagram was sent to.
     *
     * @param index below {@link #count()}
     * @return the low bits of the LID
     * @throws IndexOutOfBoundsException if the last poll returned fewer completions
     * @throws IllegalStateException if the work request failed
     */
    @HotPath
    public int dlidPathBits(int index) {
        return Byte.toUnsignedInt(getByte(successful(index), Wc.DLID_PATH_BITS));
    }

    /** One completion, for C. */
    MemorySegment completion(int index) {
        return array.asSlice(Objects.checkIndex(index, count) * Wc.SIZE, Wc.SIZE);
    }

    /** The header of a received datagram, for C; NULL if the completion has none. */
    MemorySegment headerOf(int index, GlobalRouteHeader header) {
        if (!opcode(index).isReceive()) {
            throw new IllegalStateException("completion " + index + " is of a " + opcode(index) + ", not of a receive");
        }
        if (!hasGrh(index)) {
            return MemorySegment.NULL;
        }
        if (header == null) {
            throw new IllegalArgumentException("the datagram has a header, and none is given");
        }
        return header.bytes();
    }

    private void check(boolean has, int index, String what) {
        if (!has) {
            throw new IllegalStateException("completion " + index + " has " + what);
        }
    }

    /** Reads a member by its address. The index is checked; a segment's other checks would always succeed here. */
    @HotPath
    private int getInt(int index, long member) {
        try {
            return NativeMemory.getInt(at(index) + member);
        } finally {
            Reference.reachabilityFence(this); // the array must not be collected before it has been read
        }
    }

    @HotPath
    private long getLong(int index, long member) {
        try {
            return NativeMemory.getLong(at(index) + member);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @HotPath
    private short getShort(int index, long member) {
        try {
            return NativeMemory.getShort(at(index) + member);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @HotPath
    private byte getByte(int index, long member) {
        try {
            return NativeMemory.getByte(at(index) + member);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * The address of a completion that the last poll returned. Written for the JIT: docs/instructions.md, "Lines written
     * for the JIT".
     */
    @HotPath
    private long at(int index) {
        long unsigned = Integer.toUnsignedLong(index);
        if (unsigned >= count) {
            throw new IndexOutOfBoundsException("completion " + index + " of " + count);
        }
        return (address & NativeMemory.ANY_ADDRESS) + ((unsigned * Wc.SIXTEENTHS) << 4);
    }

    /** The index, after a check that its completion has all members. */
    @HotPath
    private int successful(int index) {
        if (statusCode(index) != 0) {
            throw undefined(index);
        }
        return index;
    }

    private IllegalStateException undefined(int index) {
        return new IllegalStateException("completion " + index + " failed with " + status(index)
                + ": only its wrId, status, vendorError and qpNum are defined");
    }

    /** The completions with their numbers and statuses. */
    @Override
    public String toString() {
        var text = new StringBuilder("WorkCompletions[");
        for (int i = 0; i < count; i++) {
            text.append(i == 0 ? "" : ", ").append(wrId(i)).append(' ').append(status(i));
        }
        return text.append(']').toString();
    }
}
