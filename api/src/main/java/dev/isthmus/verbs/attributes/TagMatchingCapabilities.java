// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.attributes;

import dev.isthmus.bindings.ibverbs.ibv_tm_caps;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * How a device matches tags: {@code struct ibv_tm_caps}.
 *
 * @param maxRndvHeaderSize longest header of a rendezvous request, in bytes
 * @param maxTags most tagged buffers in a list; 0 if the device matches no tags
 * @param flags {@code enum ibv_tm_cap_flags}, or'ed: see {@link #capabilities()}
 * @param maxOperations most outstanding operations on a list
 * @param maxSge most scatter elements of a tagged buffer
 */
public record TagMatchingCapabilities(
        long maxRndvHeaderSize, long maxTags, int flags, long maxOperations, long maxSge) {

    /**
     * Where the device matches tags.
     *
     * @return the known flags of {@link #flags}
     */
    public Set<TagMatchingCapability> capabilities() {
        return TagMatchingCapability.in(flags);
    }

    static TagMatchingCapabilities read(MemorySegment caps) {
        return new TagMatchingCapabilities(
                Integer.toUnsignedLong(ibv_tm_caps.max_rndv_hdr_size(caps)),
                Integer.toUnsignedLong(ibv_tm_caps.max_num_tags(caps)),
                ibv_tm_caps.flags(caps),
                Integer.toUnsignedLong(ibv_tm_caps.max_ops(caps)),
                Integer.toUnsignedLong(ibv_tm_caps.max_sge(caps)));
    }
}
