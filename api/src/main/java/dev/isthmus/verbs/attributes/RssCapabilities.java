// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.attributes;

import dev.isthmus.bindings.ibverbs.ibv_rss_caps;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * How a device spreads packets over receive queues: {@code struct ibv_rss_caps}.
 *
 * @param supportedQpTypes a bit for each {@code enum ibv_qp_type} that has it: see {@code QueuePairType.isIn}
 * @param maxRwqIndirectionTables most indirection tables
 * @param maxRwqIndirectionTableSize most receive queues in a table
 * @param rxHashFieldsMask {@code enum ibv_rx_hash_fields}, or'ed: see {@link #hashFields()}
 * @param rxHashFunctionFlags {@code enum ibv_rx_hash_function_flags}, or'ed: see {@link #hashFunctions()}
 */
public record RssCapabilities(
        int supportedQpTypes,
        long maxRwqIndirectionTables,
        long maxRwqIndirectionTableSize,
        long rxHashFieldsMask,
        int rxHashFunctionFlags) {

    /**
     * The parts of a packet that can be hashed.
     *
     * @return the known flags of {@link #rxHashFieldsMask}
     */
    public Set<RxHashField> hashFields() {
        return RxHashField.in(rxHashFieldsMask);
    }

    /**
     * The hash functions.
     *
     * @return the known flags of {@link #rxHashFunctionFlags}
     */
    public Set<RxHashFunction> hashFunctions() {
        return RxHashFunction.in(rxHashFunctionFlags);
    }

    static RssCapabilities read(MemorySegment caps) {
        return new RssCapabilities(
                ibv_rss_caps.supported_qpts(caps),
                Integer.toUnsignedLong(ibv_rss_caps.max_rwq_indirection_tables(caps)),
                Integer.toUnsignedLong(ibv_rss_caps.max_rwq_indirection_table_size(caps)),
                ibv_rss_caps.rx_hash_fields_mask(caps),
                Byte.toUnsignedInt(ibv_rss_caps.rx_hash_function(caps)));
    }
}
