// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.internal.Codes;

/**
 * What was completed: {@code enum ibv_wc_opcode}.
 */
public enum CompletionOpcode {
    /** A SEND of any kind. {@code IBV_WC_SEND}. */
    SEND(0),
    /** An RDMA WRITE. {@code IBV_WC_RDMA_WRITE}. */
    RDMA_WRITE(1),
    /** An RDMA READ. {@code IBV_WC_RDMA_READ}. */
    RDMA_READ(2),
    /** A compare and swap. {@code IBV_WC_COMP_SWAP}. */
    COMP_SWAP(3),
    /** A fetch and add. {@code IBV_WC_FETCH_ADD}. */
    FETCH_ADD(4),
    /** A bind of a memory window. {@code IBV_WC_BIND_MW}. */
    BIND_MW(5),
    /** A local invalidate. {@code IBV_WC_LOCAL_INV}. */
    LOCAL_INV(6),
    /** A segmented send. {@code IBV_WC_TSO}. */
    TSO(7),
    /** A flush; needs rdma-core 45. {@code IBV_WC_FLUSH}. */
    FLUSH(8),
    /** An atomic write. {@code IBV_WC_ATOMIC_WRITE}. */
    ATOMIC_WRITE(9),
    /** A receive. {@code IBV_WC_RECV}. */
    RECV(128),
    /** A receive that an RDMA WRITE with immediate consumed. {@code IBV_WC_RECV_RDMA_WITH_IMM}. */
    RECV_RDMA_WITH_IMM(129),
    /** A tagged receive was added to a list. {@code IBV_WC_TM_ADD}. */
    TM_ADD(130),
    /** A tagged receive was taken off a list. {@code IBV_WC_TM_DEL}. */
    TM_DEL(131),
    /** Tag matching was synchronised. {@code IBV_WC_TM_SYNC}. */
    TM_SYNC(132),
    /** A tagged message was received. {@code IBV_WC_TM_RECV}. */
    TM_RECV(133),
    /** A message without a tag was received. {@code IBV_WC_TM_NO_TAG}. */
    TM_NO_TAG(134),
    /** A driver's own. {@code IBV_WC_DRIVER1}. */
    DRIVER1(135),
    /** A driver's own. {@code IBV_WC_DRIVER2}. */
    DRIVER2(136),
    /** A driver's own. {@code IBV_WC_DRIVER3}. */
    DRIVER3(137),
    /** A code that this version of Isthmus does not know. */
    UNKNOWN(-1);

    private static final Codes<CompletionOpcode> CODES = new Codes<>(values(), CompletionOpcode::code, UNKNOWN);

    private final int code;

    CompletionOpcode(int code) {
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
     * Whether a receive completed, rather than a send request: {@code IBV_WC_RECV} is a bit of its code.
     *
     * @return true if so
     */
    public boolean isReceive() {
        return this != UNKNOWN && (code & RECV.code) != 0;
    }

    /**
     * The constant of a code of {@code enum ibv_wc_opcode}.
     *
     * @param code the C value
     * @return its constant, {@link #UNKNOWN} if there is none
     */
    public static CompletionOpcode of(int code) {
        return CODES.of(code);
    }
}
