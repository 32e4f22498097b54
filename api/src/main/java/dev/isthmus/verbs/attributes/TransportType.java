// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.attributes;

import dev.isthmus.internal.Codes;

/**
 * The transport of a device: {@code enum ibv_transport_type}.
 */
public enum TransportType {
    /** InfiniBand, also over Ethernet (RoCE). {@code IBV_TRANSPORT_IB}. */
    IB(0),
    /** iWARP: RDMA over TCP. {@code IBV_TRANSPORT_IWARP}. */
    IWARP(1),
    /** Cisco usNIC. {@code IBV_TRANSPORT_USNIC}. */
    USNIC(2),
    /** Cisco usNIC over UDP. {@code IBV_TRANSPORT_USNIC_UDP}. */
    USNIC_UDP(3),
    /** None of these, for example a vendor's own. {@code IBV_TRANSPORT_UNSPECIFIED}. */
    UNSPECIFIED(4),
    /** A code that this version of Isthmus does not know. */
    UNKNOWN(-1);

    private static final Codes<TransportType> CODES = new Codes<>(values(), TransportType::code, UNKNOWN);

    private final int code;

    TransportType(int code) {
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
     * The constant of a code of {@code enum ibv_transport_type}.
     *
     * @param code the C value
     * @return its constant, {@link #UNKNOWN} if there is none
     */
    public static TransportType of(int code) {
        return CODES.of(code);
    }
}
