// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.isthmus.bindings.ibverbs.ibv_cq_ex;
import dev.isthmus.bindings.ibverbs.ibv_poll_cq_attr;
import dev.isthmus.internal.HotPath;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The calls of an extended completion queue, which verbs.h has inline: they go through the function pointers in
 * {@code struct ibv_cq_ex}. Nothing is checked here: for a field that was not requested, C jumps to NULL, and outside
 * of a poll it reads what does not exist. No call is critical: a poll keeps the queue locked from its start to its end,
 * and a driver's choice of functions depends on the request.
 */
public final class ExtendedPoll {

    private static final MethodHandle START = DataPath.link(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle END = DataPath.link(FunctionDescriptor.ofVoid(JAVA_LONG));
    private static final MethodHandle INT = DataPath.link(FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle BYTE = DataPath.link(FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG));
    private static final MethodHandle SHORT = DataPath.link(FunctionDescriptor.of(JAVA_SHORT, JAVA_LONG));
    private static final MethodHandle LONG = DataPath.link(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle TM_INFO = DataPath.link(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));

    /** All zero: there are no attributes so far. */
    private static final MemorySegment NO_ATTRIBUTES = Arena.global().allocate(ibv_poll_cq_attr.layout());

    private final long queue;
    private final MemorySegment startPoll;
    private final MemorySegment nextPoll;
    private final MemorySegment endPoll;

    /** The functions that always exist. */
    public final MemorySegment opcode;

    public final MemorySegment vendorError;
    public final MemorySegment flags;

    /** The functions of requested fields; NULL for a field that was not requested. */
    public final MemorySegment byteLength;

    public final MemorySegment immediate;
    public final MemorySegment qpNum;
    public final MemorySegment sourceQpNum;
    public final MemorySegment slid;
    public final MemorySegment serviceLevel;
    public final MemorySegment dlidPathBits;
    public final MemorySegment timestamp;
    public final MemorySegment wallClock;
    public final MemorySegment customerVlan;
    public final MemorySegment flowTag;
    public final MemorySegment tagMatching;

    /** Reads the function pointers of a new queue. */
    public ExtendedPoll(MemorySegment struct) {
        queue = struct.address();
        startPoll = ibv_cq_ex.start_poll(struct);
        nextPoll = ibv_cq_ex.next_poll(struct);
        endPoll = ibv_cq_ex.end_poll(struct);
        opcode = ibv_cq_ex.read_opcode(struct);
        vendorError = ibv_cq_ex.read_vendor_err(struct);
        flags = ibv_cq_ex.read_wc_flags(struct);
        byteLength = ibv_cq_ex.read_byte_len(struct);
        immediate = ibv_cq_ex.read_imm_data(struct);
        qpNum = ibv_cq_ex.read_qp_num(struct);
        sourceQpNum = ibv_cq_ex.read_src_qp(struct);
        slid = ibv_cq_ex.read_slid(struct);
        serviceLevel = ibv_cq_ex.read_sl(struct);
        dlidPathBits = ibv_cq_ex.read_dlid_path_bits(struct);
        timestamp = ibv_cq_ex.read_completion_ts(struct);
        wallClock = ibv_cq_ex.read_completion_wallclock_ns(struct);
        customerVlan = ibv_cq_ex.read_cvlan(struct);
        flowTag = ibv_cq_ex.read_flow_tag(struct);
        tagMatching = ibv_cq_ex.read_tm_info(struct);
    }

    /** {@code int (*start_poll)(struct ibv_cq_ex *, struct ibv_poll_cq_attr *)}: returns 0, ENOENT, or an error. */
    @HotPath
    public int start() {
        try {
            return (int) START.invokeExact(startPoll, queue, NO_ATTRIBUTES.address());
        } catch (Throwable t) {
            throw DataPath.unexpected(t);
        }
    }

    /** {@code int (*next_poll)(struct ibv_cq_ex *)}: returns 0, ENOENT, or an error. */
    @HotPath
    public int next() {
        return readInt(nextPoll);
    }

    /** {@code void (*end_poll)(struct ibv_cq_ex *)}. */
    @HotPath
    public void end() {
        try {
            END.invokeExact(endPoll, queue);
        } catch (Throwable t) {
            throw DataPath.unexpected(t);
        }
    }

    /** {@code uint32_t (*)(struct ibv_cq_ex *)}. */
    @HotPath
    public int readInt(MemorySegment function) {
        try {
            return (int) INT.invokeExact(function, queue);
        } catch (Throwable t) {
            throw DataPath.unexpected(t);
        }
    }

    /** {@code uint8_t (*)(struct ibv_cq_ex *)}. */
    @HotPath
    public int readByte(MemorySegment function) {
        try {
            return Byte.toUnsignedInt((byte) BYTE.invokeExact(function, queue));
        } catch (Throwable t) {
            throw DataPath.unexpected(t);
        }
    }

    /** {@code uint16_t (*)(struct ibv_cq_ex *)}. */
    @HotPath
    public int readShort(MemorySegment function) {
        try {
            return Short.toUnsignedInt((short) SHORT.invokeExact(function, queue));
        } catch (Throwable t) {
            throw DataPath.unexpected(t);
        }
    }

    /** {@code uint64_t (*)(struct ibv_cq_ex *)}. */
    @HotPath
    public long readLong(MemorySegment function) {
        try {
            return (long) LONG.invokeExact(function, queue);
        } catch (Throwable t) {
            throw DataPath.unexpected(t);
        }
    }

    /** {@code void (*read_tm_info)(struct ibv_cq_ex *, struct ibv_wc_tm_info *)}. */
    @HotPath
    public void readTagMatching(long into) {
        try {
            TM_INFO.invokeExact(tagMatching, queue, into);
        } catch (Throwable t) {
            throw DataPath.unexpected(t);
        }
    }
}
