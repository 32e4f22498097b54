// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

/** The kind of a shared receive queue: {@code enum ibv_srq_type}. */
public enum SharedReceiveQueueType {
    /** Serves the queue pairs created with it. {@code IBV_SRQT_BASIC}. */
    BASIC(0),
    /** Serves an XRC domain: senders name the queue. {@code IBV_SRQT_XRC}. */
    XRC(1),
    /** Serves queue pairs, and gives a message with a tag the receive posted for that tag. {@code IBV_SRQT_TM}. */
    TM(2);

    private final int code;

    SharedReceiveQueueType(int code) {
        this.code = code;
    }

    /**
     * The value of the C constant.
     *
     * @return its code
     */
    public int code() {
        return code;
    }

    static SharedReceiveQueueType of(int code) {
        for (SharedReceiveQueueType type : values()) {
            if (type.code == code) {
                return type;
            }
        }
        throw new AssertionError("no type " + code);
    }
}
