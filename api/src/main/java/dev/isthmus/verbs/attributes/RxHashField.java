// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.attributes;

import dev.isthmus.internal.Codes;
import java.util.Set;

/**
 * A part of a packet to hash, to spread packets over receive queues: {@code enum ibv_rx_hash_fields}.
 */
public enum RxHashField {
    /** Source address of IPv4. {@code IBV_RX_HASH_SRC_IPV4}. */
    SRC_IPV4(1),
    /** Destination address of IPv4. {@code IBV_RX_HASH_DST_IPV4}. */
    DST_IPV4(1 << 1),
    /** Source address of IPv6. {@code IBV_RX_HASH_SRC_IPV6}. */
    SRC_IPV6(1 << 2),
    /** Destination address of IPv6. {@code IBV_RX_HASH_DST_IPV6}. */
    DST_IPV6(1 << 3),
    /** Source port of TCP. {@code IBV_RX_HASH_SRC_PORT_TCP}. */
    SRC_PORT_TCP(1 << 4),
    /** Destination port of TCP. {@code IBV_RX_HASH_DST_PORT_TCP}. */
    DST_PORT_TCP(1 << 5),
    /** Source port of UDP. {@code IBV_RX_HASH_SRC_PORT_UDP}. */
    SRC_PORT_UDP(1 << 6),
    /** Destination port of UDP. {@code IBV_RX_HASH_DST_PORT_UDP}. */
    DST_PORT_UDP(1 << 7),
    /** Security parameter index of IPsec. {@code IBV_RX_HASH_IPSEC_SPI}. */
    IPSEC_SPI(1 << 8),
    /** Hashes the inner packet of a tunnel. {@code IBV_RX_HASH_INNER}. */
    INNER(1L << 31);

    private final long code;

    RxHashField(long code) {
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

    /** The fields in {@code flags} that this version of Isthmus knows. */
    static Set<RxHashField> in(long flags) {
        return Codes.flags(RxHashField.class, flags, RxHashField::code);
    }
}
