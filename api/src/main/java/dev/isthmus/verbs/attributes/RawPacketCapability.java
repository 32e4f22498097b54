// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.attributes;

import dev.isthmus.internal.Codes;
import java.util.Set;

/**
 * What a device does for raw packets: {@code enum ibv_raw_packet_caps}.
 */
public enum RawPacketCapability {
    /** Removes the VLAN tag from received packets. {@code IBV_RAW_PACKET_CAP_CVLAN_STRIPPING}. */
    CVLAN_STRIPPING(1),
    /** Receives the frame check sequence, too. {@code IBV_RAW_PACKET_CAP_SCATTER_FCS}. */
    SCATTER_FCS(1 << 1),
    /** Computes IP checksums. {@code IBV_RAW_PACKET_CAP_IP_CSUM}. */
    IP_CSUM(1 << 2),
    /** Delays the drop of packets for which no receive is posted. {@code IBV_RAW_PACKET_CAP_DELAY_DROP}. */
    DELAY_DROP(1 << 3);

    private final int code;

    RawPacketCapability(int code) {
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
    static Set<RawPacketCapability> in(long flags) {
        return Codes.flags(RawPacketCapability.class, flags, RawPacketCapability::code);
    }
}
