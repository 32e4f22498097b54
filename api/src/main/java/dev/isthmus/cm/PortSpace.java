// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import dev.isthmus.internal.Codes;
import dev.isthmus.verbs.QueuePairType;

/** The kind of service behind a port number: {@code enum rdma_port_space}. It decides the type of the queue pairs. */
public enum PortSpace {
    /** Datagrams to peers that use IP over InfiniBand. {@code RDMA_PS_IPOIB}. */
    IPOIB(0x0002, QueuePairType.UD),
    /** Connections, like those of TCP. {@code RDMA_PS_TCP}. */
    TCP(0x0106, QueuePairType.RC),
    /** Datagrams, like those of UDP. {@code RDMA_PS_UDP}. */
    UDP(0x0111, QueuePairType.UD),
    /** Connections on InfiniBand, with private data of its own length. {@code RDMA_PS_IB}. */
    IB(0x013f, QueuePairType.RC),
    /** A code that this version of Isthmus does not know. */
    UNKNOWN(-1, QueuePairType.UNKNOWN);

    private static final Codes<PortSpace> CODES = new Codes<>(values(), PortSpace::code, UNKNOWN);

    private final int code;
    private final QueuePairType queuePairType;

    PortSpace(int code, QueuePairType queuePairType) {
        this.code = code;
        this.queuePairType = queuePairType;
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
     * The type of its queue pairs.
     *
     * @return RC or UD
     */
    public QueuePairType queuePairType() {
        return queuePairType;
    }

    /**
     * The constant of a code of {@code enum rdma_port_space}.
     *
     * @param code the C value
     * @return its constant, {@link #UNKNOWN} if there is none
     */
    public static PortSpace of(int code) {
        return CODES.of(code);
    }
}
