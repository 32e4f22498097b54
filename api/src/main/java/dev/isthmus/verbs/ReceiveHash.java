package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_rx_hash_conf;
import dev.isthmus.internal.Codes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

/**
 * How packets are spread over the work queues of an indirection table: {@code struct ibv_rx_hash_conf}, with the Toeplitz
 * function, the only one there is. Immutable.
 */
public final class ReceiveHash {

    /** What of a packet is hashed: {@code enum ibv_rx_hash_fields}. */
    public enum Field {
        /** The sender's IPv4 address. {@code IBV_RX_HASH_SRC_IPV4}. */
        SRC_IPV4(1),
        /** The receiver's IPv4 address. {@code IBV_RX_HASH_DST_IPV4}. */
        DST_IPV4(1 << 1),
        /** The sender's IPv6 address. {@code IBV_RX_HASH_SRC_IPV6}. */
        SRC_IPV6(1 << 2),
        /** The receiver's IPv6 address. {@code IBV_RX_HASH_DST_IPV6}. */
        DST_IPV6(1 << 3),
        /** The sender's TCP port. {@code IBV_RX_HASH_SRC_PORT_TCP}. */
        SRC_PORT_TCP(1 << 4),
        /** The receiver's TCP port. {@code IBV_RX_HASH_DST_PORT_TCP}. */
        DST_PORT_TCP(1 << 5),
        /** The sender's UDP port. {@code IBV_RX_HASH_SRC_PORT_UDP}. */
        SRC_PORT_UDP(1 << 6),
        /** The receiver's UDP port. {@code IBV_RX_HASH_DST_PORT_UDP}. */
        DST_PORT_UDP(1 << 7),
        /** The index of the security association. {@code IBV_RX_HASH_IPSEC_SPI}. */
        IPSEC_SPI(1 << 8),
        /** Take the other fields from the packet inside of a tunnel. {@code IBV_RX_HASH_INNER}. */
        INNER(1 << 31);

        private final int code;

        Field(int code) {
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

    /** {@code IBV_RX_HASH_FUNC_TOEPLITZ}. */
    private static final byte TOEPLITZ = 1;

    private final byte[] key;
    private final Set<Field> fields;

    private ReceiveHash(byte[] key, Set<Field> fields) {
        this.key = key;
        this.fields = fields;
    }

    /**
     * A Toeplitz hash.
     *
     * @param key the key; devices want 40 bytes
     * @param fields what is hashed
     * @return the hash
     * @throws IllegalArgumentException if the key is empty or longer than 255 bytes
     */
    public static ReceiveHash toeplitz(byte[] key, Field... fields) {
        if (key.length < 1 || key.length > 255) {
            throw new IllegalArgumentException("the key has 1 to 255 bytes, not " + key.length);
        }
        Set<Field> set = EnumSet.noneOf(Field.class);
        set.addAll(List.of(fields));
        return new ReceiveHash(key.clone(), set);
    }

    /** Fills in a {@code struct ibv_rx_hash_conf}, whose key comes from the allocator. */
    void write(MemorySegment conf, SegmentAllocator allocator) {
        ibv_rx_hash_conf.rx_hash_function(conf, TOEPLITZ);
        ibv_rx_hash_conf.rx_hash_key_len(conf, (byte) key.length);
        ibv_rx_hash_conf.rx_hash_key(conf, allocator.allocateFrom(ValueLayout.JAVA_BYTE, key));
        ibv_rx_hash_conf.rx_hash_fields_mask(conf, Integer.toUnsignedLong(Codes.mask(fields, Field::code)));
    }

    /** The fields and the key. */
    @Override
    public String toString() {
        return "ReceiveHash(" + fields + ", key " + HexFormat.of().formatHex(key) + ")";
    }
}
