// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.attributes;

import dev.isthmus.internal.Codes;
import java.util.Set;

/**
 * What a port can do: {@code enum ibv_port_cap_flags}.
 */
public enum PortCapability {
    /** A subnet manager runs here. {@code IBV_PORT_SM}. */
    SM(1 << 1),
    /** Notices. {@code IBV_PORT_NOTICE_SUP}. */
    NOTICE_SUP(1 << 2),
    /** Traps. {@code IBV_PORT_TRAP_SUP}. */
    TRAP_SUP(1 << 3),
    /** Optional inter-packet delays. {@code IBV_PORT_OPT_IPD_SUP}. */
    OPT_IPD_SUP(1 << 4),
    /** Automatic path migration. {@code IBV_PORT_AUTO_MIGR_SUP}. */
    AUTO_MIGR_SUP(1 << 5),
    /** Service levels are mapped to virtual lanes. {@code IBV_PORT_SL_MAP_SUP}. */
    SL_MAP_SUP(1 << 6),
    /** Keeps its M_Key when switched off. {@code IBV_PORT_MKEY_NVRAM}. */
    MKEY_NVRAM(1 << 7),
    /** Keeps its partition keys when switched off. {@code IBV_PORT_PKEY_NVRAM}. */
    PKEY_NVRAM(1 << 8),
    /** Its LED can be set. {@code IBV_PORT_LED_INFO_SUP}. */
    LED_INFO_SUP(1 << 9),
    /** A GUID of the system image. {@code IBV_PORT_SYS_IMAGE_GUID_SUP}. */
    SYS_IMAGE_GUID_SUP(1 << 11),
    /** Traps of partition keys at switch ports. {@code IBV_PORT_PKEY_SW_EXT_PORT_TRAP_SUP}. */
    PKEY_SW_EXT_PORT_TRAP_SUP(1 << 12),
    /** Speeds from FDR on. {@code IBV_PORT_EXTENDED_SPEEDS_SUP}. */
    EXTENDED_SPEEDS_SUP(1 << 14),
    /** There are more flags: {@link PortCapability2}. {@code IBV_PORT_CAP_MASK2_SUP}. */
    CAP_MASK2_SUP(1 << 15),
    /** Connection management. {@code IBV_PORT_CM_SUP}. */
    CM_SUP(1 << 16),
    /** SNMP tunnelling. {@code IBV_PORT_SNMP_TUNNEL_SUP}. */
    SNMP_TUNNEL_SUP(1 << 17),
    /** Can be initialised again. {@code IBV_PORT_REINIT_SUP}. */
    REINIT_SUP(1 << 18),
    /** Device management. {@code IBV_PORT_DEVICE_MGMT_SUP}. */
    DEVICE_MGMT_SUP(1 << 19),
    /** Vendors' management classes. {@code IBV_PORT_VENDOR_CLASS_SUP}. */
    VENDOR_CLASS_SUP(1 << 20),
    /** Direct-route notices. {@code IBV_PORT_DR_NOTICE_SUP}. */
    DR_NOTICE_SUP(1 << 21),
    /** Notices of changed capabilities. {@code IBV_PORT_CAP_MASK_NOTICE_SUP}. */
    CAP_MASK_NOTICE_SUP(1 << 22),
    /** Boot management. {@code IBV_PORT_BOOT_MGMT_SUP}. */
    BOOT_MGMT_SUP(1 << 23),
    /** Measures the latency of the link. {@code IBV_PORT_LINK_LATENCY_SUP}. */
    LINK_LATENCY_SUP(1 << 24),
    /** Clients can be asked to register again. {@code IBV_PORT_CLIENT_REG_SUP}. */
    CLIENT_REG_SUP(1 << 25),
    /** GIDs are IP addresses. {@code IBV_PORT_IP_BASED_GIDS}. */
    IP_BASED_GIDS(1 << 26);

    private final int code;

    PortCapability(int code) {
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
    static Set<PortCapability> in(long flags) {
        return Codes.flags(PortCapability.class, flags, PortCapability::code);
    }
}
