// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

/** What a FLUSH waits for: {@code enum ibv_placement_type} of rdma-core 45. */
public enum FlushType {
    /** The writes are visible to all, on the peer's side and elsewhere. {@code IBV_FLUSH_GLOBAL}. */
    GLOBAL(1),
    /** The writes survive a loss of power. {@code IBV_FLUSH_PERSISTENT}. */
    PERSISTENT(1 << 1);

    private final int code;

    FlushType(int code) {
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
