// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.attributes;

import dev.isthmus.bindings.ibverbs.ibv_cq_moderation_caps;
import java.lang.foreign.MemorySegment;

/**
 * How far a completion queue's events can be held back: {@code struct ibv_cq_moderation_caps}.
 *
 * @param maxCount most completions that share an event; 0 if the device cannot do it
 * @param maxPeriodMicros longest delay, in microseconds
 */
public record CqModerationCapabilities(int maxCount, int maxPeriodMicros) {

    static CqModerationCapabilities read(MemorySegment caps) {
        return new CqModerationCapabilities(
                Short.toUnsignedInt(ibv_cq_moderation_caps.max_cq_count(caps)),
                Short.toUnsignedInt(ibv_cq_moderation_caps.max_cq_period(caps)));
    }
}
