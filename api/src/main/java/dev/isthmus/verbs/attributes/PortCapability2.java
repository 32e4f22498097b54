// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.attributes;

import dev.isthmus.internal.Codes;
import java.util.Set;

/**
 * What else a port can do: {@code enum ibv_port_cap_flags2}.
 */
public enum PortCapability2 {
    /** The node description can be set. {@code IBV_PORT_SET_NODE_DESC_SUP}. */
    SET_NODE_DESC_SUP(1),
    /** Extended port information. {@code IBV_PORT_INFO_EXT_SUP}. */
    INFO_EXT_SUP(1 << 1),
    /** Virtual ports. {@code IBV_PORT_VIRT_SUP}. */
    VIRT_SUP(1 << 2),
    /** A table of a switch's port states. {@code IBV_PORT_SWITCH_PORT_STATE_TABLE_SUP}. */
    SWITCH_PORT_STATE_TABLE_SUP(1 << 3),
    /** Links of two lanes. {@code IBV_PORT_LINK_WIDTH_2X_SUP}. */
    LINK_WIDTH_2X_SUP(1 << 4),
    /** The speed HDR. {@code IBV_PORT_LINK_SPEED_HDR_SUP}. */
    LINK_SPEED_HDR_SUP(1 << 5),
    /** The speed NDR. {@code IBV_PORT_LINK_SPEED_NDR_SUP}. */
    LINK_SPEED_NDR_SUP(1 << 10);

    private final int code;

    PortCapability2(int code) {
        this.code = code;
    }

    /**
     * The value of the C constant.
     *
     * @return its bit
     */
    public int code() {
        return code;
    }

    /** The capabilities in {@code flags} that this version of Isthmus knows. */
    static Set<PortCapability2> in(long flags) {
        return Codes.flags(PortCapability2.class, flags, PortCapability2::code);
    }
}
