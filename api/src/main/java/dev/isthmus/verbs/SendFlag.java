// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

/** How to send a request of a {@link SendBatch}: {@code enum ibv_send_flags}. */
public enum SendFlag {
    /** Waits for earlier READs and atomics. {@code IBV_SEND_FENCE}. */
    FENCE(1),
    /** Produces a completion. {@code IBV_SEND_SIGNALED}. */
    SIGNALED(1 << 1),
    /** Wakes a receiver that waits only for solicited events. {@code IBV_SEND_SOLICITED}. */
    SOLICITED(1 << 2),
    /**
     * Copies its data, by {@link SendBatch#inline(java.lang.foreign.MemorySegment, long, long) inline}. Most drivers
     * need not know beforehand; Soft-RoCE's must. {@code IBV_SEND_INLINE}.
     */
    INLINE(1 << 3),
    /** The device computes the checksums of IPv4, TCP and UDP. {@code IBV_SEND_IP_CSUM}. */
    IP_CSUM(1 << 4);

    /** All flags, or'ed. */
    static final int ALL = mask(values());

    private final int code;

    SendFlag(int code) {
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

    /**
     * Flags for {@link SendBatch#next(long, int)}; compute them once.
     *
     * @param flags the flags
     * @return their codes, or'ed
     */
    public static int mask(SendFlag... flags) {
        int mask = 0;
        for (SendFlag flag : flags) {
            mask |= flag.code;
        }
        return mask;
    }
}
