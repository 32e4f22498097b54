// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.attributes;

import dev.isthmus.internal.Codes;

/**
 * The link layer of a port: {@code IBV_LINK_LAYER_*}.
 */
public enum LinkLayer {
    /** Not specified: an old InfiniBand device. {@code IBV_LINK_LAYER_UNSPECIFIED}. */
    UNSPECIFIED(0),
    /** InfiniBand: addressed by LID. {@code IBV_LINK_LAYER_INFINIBAND}. */
    INFINIBAND(1),
    /** Ethernet: RoCE, addressed by GID, or iWARP. {@code IBV_LINK_LAYER_ETHERNET}. */
    ETHERNET(2),
    /** A code that this version of Isthmus does not know. */
    UNKNOWN(-1);

    private static final Codes<LinkLayer> CODES = new Codes<>(values(), LinkLayer::code, UNKNOWN);

    private final int code;

    LinkLayer(int code) {
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
     * The constant of a code of {@code IBV_LINK_LAYER_*}.
     *
     * @param code the C value
     * @return its constant, {@link #UNKNOWN} if there is none
     */
    public static LinkLayer of(int code) {
        return CODES.of(code);
    }
}
