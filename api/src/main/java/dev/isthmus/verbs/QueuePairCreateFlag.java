// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

/**
 * How to create a queue pair: {@code enum ibv_qp_create_flags}. Most devices support few of them.
 */
public enum QueuePairCreateFlag {
    /** Multicast datagrams do not come back to the queue pair that sent them. {@code IBV_QP_CREATE_BLOCK_SELF_MCAST_LB}. */
    BLOCK_SELF_MCAST_LB(1 << 1),
    /** Frames are received with their checksum. {@code IBV_QP_CREATE_SCATTER_FCS}. */
    SCATTER_FCS(1 << 8),
    /** The VLAN tag of a frame is removed. {@code IBV_QP_CREATE_CVLAN_STRIPPING}. */
    CVLAN_STRIPPING(1 << 9),
    /** Datagrams name another queue pair as their source: see {@link QueuePairConfig#sourceQpNum}. {@code IBV_QP_CREATE_SOURCE_QPN}. */
    SOURCE_QPN(1 << 10),
    /** The device pads its writes to whole cache lines. {@code IBV_QP_CREATE_PCI_WRITE_END_PADDING}. */
    PCI_WRITE_END_PADDING(1 << 11);

    private final int code;

    QueuePairCreateFlag(int code) {
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
