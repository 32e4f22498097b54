// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.attributes;

import dev.isthmus.bindings.ibverbs.ibv_tso_caps;
import java.lang.foreign.MemorySegment;

/**
 * How a device segments TCP: {@code struct ibv_tso_caps}.
 *
 * @param maxTso longest payload that it segments, in bytes; 0 if it does not
 * @param supportedQpTypes a bit for each {@code enum ibv_qp_type} that has it: see {@code QueuePairType.isIn}
 */
public record TsoCapabilities(long maxTso, int supportedQpTypes) {

    static TsoCapabilities read(MemorySegment caps) {
        return new TsoCapabilities(
                Integer.toUnsignedLong(ibv_tso_caps.max_tso(caps)), ibv_tso_caps.supported_qpts(caps));
    }
}
