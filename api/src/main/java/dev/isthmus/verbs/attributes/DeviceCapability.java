// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.attributes;

import dev.isthmus.internal.Codes;
import java.util.Set;

/**
 * What a device can do: {@code enum ibv_device_cap_flags}, and the flags beyond its 32 bits that verbs.h and the
 * kernel's ib_user_verbs.h define.
 */
public enum DeviceCapability {
    /** The capacity of a queue pair can be changed. {@code IBV_DEVICE_RESIZE_MAX_WR}. */
    RESIZE_MAX_WR(1),
    /** Counts packets with a wrong partition key. {@code IBV_DEVICE_BAD_PKEY_CNTR}. */
    BAD_PKEY_CNTR(1 << 1),
    /** Counts packets with a wrong Q_Key. {@code IBV_DEVICE_BAD_QKEY_CNTR}. */
    BAD_QKEY_CNTR(1 << 2),
    /** Raw multicast packets. {@code IBV_DEVICE_RAW_MULTI}. */
    RAW_MULTI(1 << 3),
    /** Queue pairs move to an alternate path by themselves. {@code IBV_DEVICE_AUTO_PATH_MIG}. */
    AUTO_PATH_MIG(1 << 4),
    /** A queue pair can move to another port in the state SQD. {@code IBV_DEVICE_CHANGE_PHY_PORT}. */
    CHANGE_PHY_PORT(1 << 5),
    /** Checks that an address handle is for the queue pair's port. {@code IBV_DEVICE_UD_AV_PORT_ENFORCE}. */
    UD_AV_PORT_ENFORCE(1 << 6),
    /** A transition can name the state that it starts from. {@code IBV_DEVICE_CURR_QP_STATE_MOD}. */
    CURR_QP_STATE_MOD(1 << 7),
    /** A port can be shut down. {@code IBV_DEVICE_SHUTDOWN_PORT}. */
    SHUTDOWN_PORT(1 << 8),
    /** A port's type of initialisation can be chosen. {@code IBV_DEVICE_INIT_TYPE}. */
    INIT_TYPE(1 << 9),
    /** Reports when a port becomes active. {@code IBV_DEVICE_PORT_ACTIVE_EVENT}. */
    PORT_ACTIVE_EVENT(1 << 10),
    /** Has a GUID of the system image. {@code IBV_DEVICE_SYS_IMAGE_GUID}. */
    SYS_IMAGE_GUID(1 << 11),
    /** An RC responder without a receive reports that. {@code IBV_DEVICE_RC_RNR_NAK_GEN}. */
    RC_RNR_NAK_GEN(1 << 12),
    /** A shared receive queue can be resized. {@code IBV_DEVICE_SRQ_RESIZE}. */
    SRQ_RESIZE(1 << 13),
    /** Notifies after a number of completions. {@code IBV_DEVICE_N_NOTIFY_CQ}. */
    N_NOTIFY_CQ(1 << 14),
    /** Memory windows of type 1. {@code IBV_DEVICE_MEM_WINDOW}. */
    MEM_WINDOW(1 << 17),
    /** IP checksums on UD queue pairs. {@code IBV_DEVICE_UD_IP_CSUM}. */
    UD_IP_CSUM(1 << 18),
    /** Extended reliable connections. {@code IBV_DEVICE_XRC}. */
    XRC(1 << 20),
    /** Local invalidation, sends that invalidate, and fast registration in the kernel. {@code IBV_DEVICE_MEM_MGT_EXTENSIONS}. */
    MEM_MGT_EXTENSIONS(1 << 21),
    /** Memory windows of type 2A. {@code IBV_DEVICE_MEM_WINDOW_TYPE_2A}. */
    MEM_WINDOW_TYPE_2A(1 << 23),
    /** Memory windows of type 2B. {@code IBV_DEVICE_MEM_WINDOW_TYPE_2B}. */
    MEM_WINDOW_TYPE_2B(1 << 24),
    /** IP checksums on RC queue pairs. {@code IBV_DEVICE_RC_IP_CSUM}. */
    RC_IP_CSUM(1 << 25),
    /** IP checksums on raw packet queue pairs. {@code IBV_DEVICE_RAW_IP_CSUM}. */
    RAW_IP_CSUM(1 << 26),
    /** Steers flows of packets to queue pairs. {@code IBV_DEVICE_MANAGED_FLOW_STEERING}. */
    MANAGED_FLOW_STEERING(1 << 29),
    /** Raw packets are received with their frame check sequence. {@code IBV_DEVICE_RAW_SCATTER_FCS}. */
    RAW_SCATTER_FCS(1L << 34),
    /** Pads writes over PCI to full cache lines. {@code IBV_DEVICE_PCI_WRITE_END_PADDING}. */
    PCI_WRITE_END_PADDING(1L << 36),
    /** A peer can wait until its writes are visible to all. {@code IB_UVERBS_DEVICE_FLUSH_GLOBAL}. */
    FLUSH_GLOBAL(1L << 38),
    /** A peer can wait until its writes are persistent. {@code IB_UVERBS_DEVICE_FLUSH_PERSISTENT}. */
    FLUSH_PERSISTENT(1L << 39),
    /** Atomic writes of 8 bytes. {@code IB_UVERBS_DEVICE_ATOMIC_WRITE}. */
    ATOMIC_WRITE(1L << 40);

    private final long code;

    DeviceCapability(long code) {
        this.code = code;
    }

    /**
     * The value of the C constant.
     *
     * @return its bit
     */
    public long code() {
        return code;
    }

    /** The capabilities in {@code flags} that this version of Isthmus knows. */
    static Set<DeviceCapability> in(long flags) {
        return Codes.flags(DeviceCapability.class, flags, DeviceCapability::code);
    }
}
