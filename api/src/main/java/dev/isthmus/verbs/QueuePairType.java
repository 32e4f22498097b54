// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.internal.Codes;

/**
 * The transport service of a queue pair: {@code enum ibv_qp_type}.
 */
public enum QueuePairType {
    /** Reliable connection: one peer, in order, acknowledged. {@code IBV_QPT_RC}. */
    RC(2),
    /** Unreliable connection: one peer, in order; a lost packet loses its message. {@code IBV_QPT_UC}. */
    UC(3),
    /** Unreliable datagram: any peer; each message is one packet, which can be lost. {@code IBV_QPT_UD}. */
    UD(4),
    /** Raw Ethernet frames; needs CAP_NET_RAW. {@code IBV_QPT_RAW_PACKET}. */
    RAW_PACKET(8),
    /** The sending end of an extended reliable connection. {@code IBV_QPT_XRC_SEND}. */
    XRC_SEND(9),
    /** The receiving end of an extended reliable connection, to which nothing is posted. {@code IBV_QPT_XRC_RECV}. */
    XRC_RECV(10),
    /** A type of the driver's own, which only its own library can create. {@code IBV_QPT_DRIVER}. */
    DRIVER(0xff),
    /** A code that this version of Isthmus does not know. */
    UNKNOWN(-1);

    private static final Codes<QueuePairType> CODES = new Codes<>(values(), QueuePairType::code, UNKNOWN);

    private final int code;

    QueuePairType(int code) {
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
     * The constant of a code of {@code enum ibv_qp_type}.
     *
     * @param code the C value
     * @return its constant, {@link #UNKNOWN} if there is none
     */
    public static QueuePairType of(int code) {
        return CODES.of(code);
    }

    /**
     * Whether its bit is set, for example in the types for which a device has TCP segmentation:
     * {@code ibv_is_qpt_supported}.
     *
     * @param types a bit for each type, as in {@link dev.isthmus.verbs.attributes.TsoCapabilities#supportedQpTypes}
     * @return true if so
     */
    public boolean isIn(int types) {
        return Codes.isSet(types, code);
    }

    /** Whether queue pairs of this type are connected in pairs. */
    boolean isConnected() {
        return this == RC || this == UC;
    }

    /** Whether it has a send queue, and so needs a completion queue for that. */
    boolean sends() {
        return this != XRC_RECV;
    }

    /** Whether it has a receive queue, or a shared one in its place. */
    boolean receives() {
        return this != XRC_RECV && this != XRC_SEND;
    }
}
