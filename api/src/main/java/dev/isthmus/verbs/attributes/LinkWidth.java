// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.attributes;

import dev.isthmus.internal.Codes;

/**
 * How many lanes a link has: {@code active_width} of {@code struct ibv_port_attr}.
 */
public enum LinkWidth {
    /** One lane. */
    X1(1, 1),
    /** Four lanes. */
    X4(2, 4),
    /** Eight lanes. */
    X8(4, 8),
    /** Twelve lanes. */
    X12(8, 12),
    /** Two lanes. */
    X2(16, 2),
    /** A code that this version of Isthmus does not know. */
    UNKNOWN(-1, 0);

    private static final Codes<LinkWidth> CODES = new Codes<>(values(), LinkWidth::code, UNKNOWN);

    private final int code;
    private final int lanes;

    LinkWidth(int code, int lanes) {
        this.code = code;
        this.lanes = lanes;
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
     * The constant of a code of {@code active_width}.
     *
     * @param code the C value
     * @return its constant, {@link #UNKNOWN} if there is none
     */
    public static LinkWidth of(int code) {
        return CODES.of(code);
    }

    /**
     * The number of lanes.
     *
     * @return 1 to 12, 0 for {@link #UNKNOWN}
     */
    public int lanes() {
        return lanes;
    }
}
