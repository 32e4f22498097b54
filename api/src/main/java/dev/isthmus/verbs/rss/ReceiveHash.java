// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.rss;

import dev.isthmus.bindings.ibverbs.ibv_rx_hash_conf;
import dev.isthmus.verbs.attributes.RxHashField;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

/**
 * How to spread packets over the work queues of an indirection table: {@code struct ibv_rx_hash_conf} with the Toeplitz
 * function, the only one there is. Immutable.
 */
public final class ReceiveHash {

    /** {@code IBV_RX_HASH_FUNC_TOEPLITZ}. */
    private static final byte TOEPLITZ = 1;

    private final byte[] key;
    private final Set<RxHashField> fields;

    private ReceiveHash(byte[] key, Set<RxHashField> fields) {
        this.key = key;
        this.fields = fields;
    }

    /**
     * A Toeplitz hash.
     *
     * @param key the key; devices need 40 bytes
     * @param fields what to hash
     * @return the hash
     * @throws IllegalArgumentException if the key is empty or longer than 255 bytes
     */
    public static ReceiveHash toeplitz(byte[] key, RxHashField... fields) {
        if (key.length < 1 || key.length > 255) {
            throw new IllegalArgumentException("the key has 1 to 255 bytes, not " + key.length);
        }
        Set<RxHashField> set = EnumSet.noneOf(RxHashField.class);
        set.addAll(List.of(fields));
        return new ReceiveHash(key.clone(), set);
    }

    /** Fills in a {@code struct ibv_rx_hash_conf}; the allocator allocates its key. */
    void write(MemorySegment conf, SegmentAllocator allocator) {
        ibv_rx_hash_conf.rx_hash_function(conf, TOEPLITZ);
        ibv_rx_hash_conf.rx_hash_key_len(conf, (byte) key.length);
        ibv_rx_hash_conf.rx_hash_key(conf, allocator.allocateFrom(ValueLayout.JAVA_BYTE, key));
        ibv_rx_hash_conf.rx_hash_fields_mask(conf, mask(fields));
    }

    private static long mask(Set<RxHashField> fields) {
        long mask = 0;
        for (RxHashField field : fields) {
            mask |= field.code();
        }
        return mask;
    }

    /** The fields and the key. */
    @Override
    public String toString() {
        return "ReceiveHash(" + fields + ", key " + HexFormat.of().formatHex(key) + ")";
    }
}
