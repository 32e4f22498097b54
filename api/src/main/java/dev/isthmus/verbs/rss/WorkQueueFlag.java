// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.rss;

/** How a work queue treats packets: {@code enum ibv_wq_flags}. Devices support few of them. */
public enum WorkQueueFlag {
    /** The VLAN tag is removed from packets. {@code IBV_WQ_FLAGS_CVLAN_STRIPPING}. */
    CVLAN_STRIPPING(1),
    /** The frame's checksum is received, too. {@code IBV_WQ_FLAGS_SCATTER_FCS}. */
    SCATTER_FCS(1 << 1),
    /** Packets wait a while for a receive, rather than being dropped at once. {@code IBV_WQ_FLAGS_DELAY_DROP}. */
    DELAY_DROP(1 << 2),
    /** Packets are padded to the end of a cache line. {@code IBV_WQ_FLAGS_PCI_WRITE_END_PADDING}. */
    PCI_WRITE_END_PADDING(1 << 3);

    private final int code;

    WorkQueueFlag(int code) {
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
