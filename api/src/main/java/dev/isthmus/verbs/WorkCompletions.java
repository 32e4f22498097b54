package dev.isthmus.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.bindings.ibverbs.ibv_wc;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.verbs.IbverbsLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * What a poll returned: an array of {@code struct ibv_wc} in native memory of its own, which lives as long
 * as it does: C writes to it, so no arena of the caller's will do. Read by index. Made once and polled into
 * many times: each poll replaces what it holds. Used by one thread at a time; reading allocates nothing.
 *
 * <p>Of a completion that failed only {@link #wrId}, {@link #status}, {@link #vendorError} and {@link #qpNum} are
 * defined (ibv_poll_cq(3)); the others are refused for it.
 */
public final class WorkCompletions {

    /** {@code struct ibv_wc}, apart so that a missing library is found by {@link #allocate} rather than here. */
    private static final class Wc {
        static final long SIZE = ibv_wc.sizeof();
        static final long WR_ID = ibv_wc.wr_id$offset();
        static final long STATUS = ibv_wc.status$offset();
        static final long OPCODE = ibv_wc.opcode$offset();
        static final long VENDOR_ERR = ibv_wc.vendor_err$offset();
        static final long BYTE_LEN = ibv_wc.byte_len$offset();
        static final long IMM_DATA = ibv_wc.imm_data$offset();
        static final long QP_NUM = ibv_wc.qp_num$offset();
        static final long SRC_QP = ibv_wc.src_qp$offset();
        static final long WC_FLAGS = ibv_wc.wc_flags$offset();

        private Wc() {}
    }

    /** {@code IBV_WC_WITH_IMM}. */
    private static final int WITH_IMM = 1 << 1;

    private final MemorySegment array;
    private final int capacity;
    private int count;

    private WorkCompletions(int capacity) {
        this.array = Arena.ofAuto().allocate(ibv_wc.layout(), capacity);
        this.capacity = capacity;
    }

    /**
     * Room for completions.
     *
     * @param capacity how many a poll can return at most
     * @return an empty array
     * @throws IllegalArgumentException if {@code capacity} is not positive
     * @throws dev.isthmus.RdmaUnavailableException if libibverbs is not installed
     */
    public static WorkCompletions allocate(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("room for at least 1 completion is needed, not " + capacity);
        }
        IbverbsLibrary.require();
        return new WorkCompletions(capacity);
    }

    @HotPath
    long address() {
        return array.address();
    }

    @HotPath
    int capacity() {
        return capacity;
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
     * The number that the work request was given.
     *
     * @param index below {@link #count()}
     * @return its {@code wr_id}
     * @throws IndexOutOfBoundsException if the last poll returned fewer completions
     */
    @HotPath
    public long wrId(int index) {
        return array.get(JAVA_LONG, at(index) + Wc.WR_ID);
    }

    /**
     * Whether the work request was done.
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
     * @return the status, UNKNOWN for one that this library does not know: see {@link #statusCode}
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
        return array.get(JAVA_INT, at(index) + Wc.STATUS);
    }

    /**
     * The device's own code for an error.
     *
     * @param index below {@link #count()}
     * @return the code, whose meaning its vendor knows
     * @throws IndexOutOfBoundsException if the last poll returned fewer completions
     */
    @HotPath
    public int vendorError(int index) {
        return array.get(JAVA_INT, at(index) + Wc.VENDOR_ERR);
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
        return array.get(JAVA_INT, at(index) + Wc.QP_NUM);
    }

    /**
     * What was done.
     *
     * @param index below {@link #count()}
     * @return the opcode
     * @throws IndexOutOfBoundsException if the last poll returned fewer completions
     * @throws IllegalStateException if the work request failed
     */
    @HotPath
    public CompletionOpcode opcode(int index) {
        return CompletionOpcode.of(array.get(JAVA_INT, atSuccess(index) + Wc.OPCODE));
    }

    /**
     * How much was received, read, or fetched; not defined for sends and writes.
     *
     * @param index below {@link #count()}
     * @return bytes, unsigned
     * @throws IndexOutOfBoundsException if the last poll returned fewer completions
     * @throws IllegalStateException if the work request failed
     */
    @HotPath
    public long byteLength(int index) {
        return Integer.toUnsignedLong(array.get(JAVA_INT, atSuccess(index) + Wc.BYTE_LEN));
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
        return (array.get(JAVA_INT, atSuccess(index) + Wc.WC_FLAGS) & WITH_IMM) != 0;
    }

    /**
     * The immediate value of the message that was received, as the sender gave it; undefined when there is none.
     *
     * @param index below {@link #count()}
     * @return the value
     * @throws IndexOutOfBoundsException if the last poll returned fewer completions
     * @throws IllegalStateException if the work request failed
     */
    @HotPath
    public int immediate(int index) {
        return NetworkOrder.toHost(array.get(JAVA_INT, atSuccess(index) + Wc.IMM_DATA));
    }

    /**
     * The queue pair that sent what was received; defined for datagrams.
     *
     * @param index below {@link #count()}
     * @return the number of the remote queue pair
     * @throws IndexOutOfBoundsException if the last poll returned fewer completions
     * @throws IllegalStateException if the work request failed
     */
    @HotPath
    public int sourceQpNum(int index) {
        return array.get(JAVA_INT, atSuccess(index) + Wc.SRC_QP);
    }

    private long at(int index) {
        return Objects.checkIndex(index, count) * Wc.SIZE;
    }

    private long atSuccess(int index) {
        long offset = at(index);
        if (array.get(JAVA_INT, offset + Wc.STATUS) != 0) {
            throw undefined(index);
        }
        return offset;
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
