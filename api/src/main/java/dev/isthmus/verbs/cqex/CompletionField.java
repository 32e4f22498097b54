// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.cqex;

/**
 * What you can read of a completion of an {@link ExtendedCompletionQueue} if you asked for it:
 * {@code enum ibv_create_cq_wc_flags}. The less you ask for, the less a driver has to do for a completion.
 */
public enum CompletionField {
    /** {@link ExtendedCompletionQueue#byteLength}. {@code IBV_WC_EX_WITH_BYTE_LEN}. */
    BYTE_LEN(1),
    /**
     * {@link ExtendedCompletionQueue#immediate} and {@link ExtendedCompletionQueue#invalidatedRkey}.
     * {@code IBV_WC_EX_WITH_IMM}.
     */
    IMM(1 << 1),
    /** {@link ExtendedCompletionQueue#qpNum}. {@code IBV_WC_EX_WITH_QP_NUM}. */
    QP_NUM(1 << 2),
    /** {@link ExtendedCompletionQueue#sourceQpNum}. {@code IBV_WC_EX_WITH_SRC_QP}. */
    SRC_QP(1 << 3),
    /** {@link ExtendedCompletionQueue#slid}. {@code IBV_WC_EX_WITH_SLID}. */
    SLID(1 << 4),
    /** {@link ExtendedCompletionQueue#serviceLevel}. {@code IBV_WC_EX_WITH_SL}. */
    SL(1 << 5),
    /** {@link ExtendedCompletionQueue#dlidPathBits}. {@code IBV_WC_EX_WITH_DLID_PATH_BITS}. */
    DLID_PATH_BITS(1 << 6),
    /** {@link ExtendedCompletionQueue#completionTimestamp}. {@code IBV_WC_EX_WITH_COMPLETION_TIMESTAMP}. */
    COMPLETION_TIMESTAMP(1 << 7),
    /** {@link ExtendedCompletionQueue#customerVlan}. {@code IBV_WC_EX_WITH_CVLAN}. */
    CVLAN(1 << 8),
    /** {@link ExtendedCompletionQueue#flowTag}. {@code IBV_WC_EX_WITH_FLOW_TAG}. */
    FLOW_TAG(1 << 9),
    /** {@link ExtendedCompletionQueue#tag}. {@code IBV_WC_EX_WITH_TM_INFO}. */
    TM_INFO(1 << 10),
    /**
     * {@link ExtendedCompletionQueue#completionWallClockNanos}. {@code IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK}.
     */
    COMPLETION_TIMESTAMP_WALLCLOCK(1 << 11);

    private final int code;

    CompletionField(int code) {
        this.code = code;
    }

    /**
     * The value of the C constant.
     *
     * @return its bit
     */
    public int code() {
        return code;
    }

    /**
     * Whether every device with extended completion queues has it: {@code IBV_WC_STANDARD_FLAGS}.
     *
     * @return true if so
     */
    public boolean isStandard() {
        return compareTo(DLID_PATH_BITS) <= 0;
    }
}
