// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.internal.Codes;

/**
 * The protocol that a GID belongs to: {@code enum ibv_gid_type}.
 */
public enum GidType {
    /** InfiniBand. {@code IBV_GID_TYPE_IB}. */
    IB(0),
    /** RoCE v1: directly over Ethernet, not routed. {@code IBV_GID_TYPE_ROCE_V1}. */
    ROCE_V1(1),
    /** RoCE v2: over UDP, routed. {@code IBV_GID_TYPE_ROCE_V2}. */
    ROCE_V2(2),
    /** A code that this version of Isthmus does not know. */
    UNKNOWN(-1);

    private static final Codes<GidType> CODES = new Codes<>(values(), GidType::code, UNKNOWN);

    private final int code;

    GidType(int code) {
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
     * The constant of a code of {@code enum ibv_gid_type}.
     *
     * @param code the C value
     * @return its constant, {@link #UNKNOWN} if there is none
     */
    public static GidType of(int code) {
        return CODES.of(code);
    }
}
