// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.internal.Codes;
import dev.isthmus.internal.verbs.Conversions;

/**
 * How a work request ended: {@code enum ibv_wc_status}. Any status but {@link #SUCCESS} puts an RC queue pair into the
 * state ERR, where everything still posted ends with {@link #WR_FLUSH_ERR}. On UC and UD, a failed send may stop only
 * the sends, in the state SQE. The project's page {@code docs/errors.md} says what usually causes each.
 */
public enum CompletionStatus {
    /** Success. {@code IBV_WC_SUCCESS}. */
    SUCCESS(0),
    /** A receive buffer is too small for the message, or a message too long for the queue pair. {@code IBV_WC_LOC_LEN_ERR}. */
    LOC_LEN_ERR(1),
    /**
     * An inconsistency in the queue pair, for example a request that its type does not allow.
     * {@code IBV_WC_LOC_QP_OP_ERR}.
     */
    LOC_QP_OP_ERR(2),
    /** Obsolete. {@code IBV_WC_LOC_EEC_OP_ERR}. */
    LOC_EEC_OP_ERR(3),
    /** A local buffer is not in a registered region with the access needed: wrong lkey, range or flags. {@code IBV_WC_LOC_PROT_ERR}. */
    LOC_PROT_ERR(4),
    /** The queue pair went to ERR before this request was done. {@code IBV_WC_WR_FLUSH_ERR}. */
    WR_FLUSH_ERR(5),
    /** A memory window could not be bound. {@code IBV_WC_MW_BIND_ERR}. */
    MW_BIND_ERR(6),
    /** The responder answered with something unexpected. {@code IBV_WC_BAD_RESP_ERR}. */
    BAD_RESP_ERR(7),
    /** An RDMA WRITE with immediate broke the access rights of the local region. {@code IBV_WC_LOC_ACCESS_ERR}. */
    LOC_ACCESS_ERR(8),
    /**
     * The responder found the request invalid, for example longer than its receive buffer.
     * {@code IBV_WC_REM_INV_REQ_ERR}.
     */
    REM_INV_REQ_ERR(9),
    /** The remote address is not in a region with the access needed: wrong rkey, range or flags. {@code IBV_WC_REM_ACCESS_ERR}. */
    REM_ACCESS_ERR(10),
    /** The responder could not complete the request. {@code IBV_WC_REM_OP_ERR}. */
    REM_OP_ERR(11),
    /** No acknowledgement after all retries: the peer is gone, not yet connected, or unreachable. {@code IBV_WC_RETRY_EXC_ERR}. */
    RETRY_EXC_ERR(12),
    /** The responder had no receive posted, after all retries for that. {@code IBV_WC_RNR_RETRY_EXC_ERR}. */
    RNR_RETRY_EXC_ERR(13),
    /** Obsolete. {@code IBV_WC_LOC_RDD_VIOL_ERR}. */
    LOC_RDD_VIOL_ERR(14),
    /** Obsolete. {@code IBV_WC_REM_INV_RD_REQ_ERR}. */
    REM_INV_RD_REQ_ERR(15),
    /** The responder aborted. {@code IBV_WC_REM_ABORT_ERR}. */
    REM_ABORT_ERR(16),
    /** Obsolete. {@code IBV_WC_INV_EECN_ERR}. */
    INV_EECN_ERR(17),
    /** Obsolete. {@code IBV_WC_INV_EEC_STATE_ERR}. */
    INV_EEC_STATE_ERR(18),
    /** A fatal error of the device. {@code IBV_WC_FATAL_ERR}. */
    FATAL_ERR(19),
    /** No response in time. {@code IBV_WC_RESP_TIMEOUT_ERR}. */
    RESP_TIMEOUT_ERR(20),
    /** Another error: see the vendor error. {@code IBV_WC_GENERAL_ERR}. */
    GENERAL_ERR(21),
    /** An error of tag matching. {@code IBV_WC_TM_ERR}. */
    TM_ERR(22),
    /** A rendezvous of tag matching did not complete. {@code IBV_WC_TM_RNDV_INCOMPLETE}. */
    TM_RNDV_INCOMPLETE(23),
    /** A code that this version of Isthmus does not know. */
    UNKNOWN(-1);

    private static final Codes<CompletionStatus> CODES = new Codes<>(values(), CompletionStatus::code, UNKNOWN);

    private final int code;

    CompletionStatus(int code) {
        this.code = code;
    }

    /**
     * The value of the C constant.
     *
     * @return its code, -1 for {@link #UNKNOWN}
     */
    public int code() {
        return code;
    }

    /**
     * The constant of a code of {@code enum ibv_wc_status}.
     *
     * @param code the C value
     * @return its constant, {@link #UNKNOWN} if there is none
     */
    public static CompletionStatus of(int code) {
        return CODES.of(code);
    }

    /**
     * libibverbs' name for it: {@code ibv_wc_status_str}.
     *
     * @return words such as {@code transport retry counter exceeded}
     * @throws dev.isthmus.RdmaUnavailableException if libibverbs is not installed or native access is denied
     */
    public String description() {
        return Conversions.completionStatus(code);
    }
}
