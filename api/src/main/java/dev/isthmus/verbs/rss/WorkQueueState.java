// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.rss;

import dev.isthmus.internal.Codes;

/** The state of a work queue: {@code enum ibv_wq_state}. */
public enum WorkQueueState {
    /** Takes no receives. {@code IBV_WQS_RESET}. */
    RESET(0),
    /** Takes receives and messages. {@code IBV_WQS_RDY}. */
    RDY(1),
    /** Everything posted completes with an error. {@code IBV_WQS_ERR}. */
    ERR(2),
    /** A state that Isthmus does not know, including {@code IBV_WQS_UNKNOWN}. */
    UNKNOWN(3);

    private static final Codes<WorkQueueState> CODES = new Codes<>(values(), WorkQueueState::code, UNKNOWN);

    private final int code;

    WorkQueueState(int code) {
        this.code = code;
    }

    /**
     * The state of a code.
     *
     * @param code a value of the C enum
     * @return the state, or UNKNOWN
     */
    public static WorkQueueState of(int code) {
        return CODES.of(code);
    }

    /**
     * The value of the C constant.
     *
     * @return its code
     */
    public int code() {
        return code;
    }
}
