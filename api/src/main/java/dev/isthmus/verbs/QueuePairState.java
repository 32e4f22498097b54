// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.internal.Codes;

/**
 * The state of a queue pair: {@code enum ibv_qp_state}.
 */
public enum QueuePairState {
    /** Just created: nothing can be posted. {@code IBV_QPS_RESET}. */
    RESET(0),
    /** Receives can be posted. {@code IBV_QPS_INIT}. */
    INIT(1),
    /** Ready to receive: connected, and receives are served. {@code IBV_QPS_RTR}. */
    RTR(2),
    /** Ready to send. {@code IBV_QPS_RTS}. */
    RTS(3),
    /** The send queue drains: no new sends begin. {@code IBV_QPS_SQD}. */
    SQD(4),
    /** The send queue is in error (unreliable types). {@code IBV_QPS_SQE}. */
    SQE(5),
    /** In error: everything posted is flushed. {@code IBV_QPS_ERR}. */
    ERR(6),
    /** A code that this version of Isthmus does not know. */
    UNKNOWN(-1);

    private static final Codes<QueuePairState> CODES = new Codes<>(values(), QueuePairState::code, UNKNOWN);

    private final int code;

    QueuePairState(int code) {
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
     * The constant of a code of {@code enum ibv_qp_state}.
     *
     * @param code the C value
     * @return its constant, {@link #UNKNOWN} if there is none
     */
    public static QueuePairState of(int code) {
        return CODES.of(code);
    }

    boolean allowsReceives() {
        return this != RESET && this != UNKNOWN;
    }

    /** Whether a queue pair in this state has been in INIT. */
    boolean hasBeenInit() {
        return this != ERR && allowsReceives();
    }

    /** Whether a queue pair in this state has been in RTS. */
    boolean hasBeenReady() {
        return this != ERR && allowsSends();
    }

    boolean allowsSends() {
        return switch (this) {
            case RESET, INIT, RTR, UNKNOWN -> false;
            case RTS, SQD, SQE, ERR -> true;
        };
    }
}
