package dev.isthmus.verbs;

/**
 * The transport service of a queue pair: {@code enum ibv_qp_type}.
 */
public enum QueuePairType {
    /** Reliable connection: one peer, in order, acknowledged. {@code IBV_QPT_RC}. */
    RC(2);

    private final int code;

    QueuePairType(int code) {
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
}
