// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

/** What a FLUSH covers: {@code enum ibv_selectivity_level} of rdma-core 45. */
public enum FlushRange {
    /** A range of a region. {@code IBV_FLUSH_RANGE}. */
    RANGE(0),
    /** The whole region. {@code IBV_FLUSH_MR}. */
    REGION(1);

    private final int code;

    FlushRange(int code) {
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
