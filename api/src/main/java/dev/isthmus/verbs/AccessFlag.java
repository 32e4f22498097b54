package dev.isthmus.verbs;

/**
 * What may be done to a region: {@code enum ibv_access_flags}. Reading by the local side is always allowed.
 */
public enum AccessFlag {
    /** The device may write here for this side: receives and the results of READs and atomics. {@code IBV_ACCESS_LOCAL_WRITE}. */
    LOCAL_WRITE(1),
    /** The peer may write; needs LOCAL_WRITE. {@code IBV_ACCESS_REMOTE_WRITE}. */
    REMOTE_WRITE(1 << 1),
    /** The peer may read. {@code IBV_ACCESS_REMOTE_READ}. */
    REMOTE_READ(1 << 2),
    /** The peer may use atomics; needs LOCAL_WRITE. {@code IBV_ACCESS_REMOTE_ATOMIC}. */
    REMOTE_ATOMIC(1 << 3);

    private final int code;

    AccessFlag(int code) {
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
