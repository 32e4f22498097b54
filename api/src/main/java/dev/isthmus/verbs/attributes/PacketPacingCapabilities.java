// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.attributes;

import dev.isthmus.bindings.ibverbs.ibv_packet_pacing_caps;
import java.lang.foreign.MemorySegment;

/**
 * How slowly and how fast a queue pair can be set to send: {@code struct ibv_packet_pacing_caps}.
 *
 * @param minKbps lowest rate, in kbit/s
 * @param maxKbps highest rate, in kbit/s; 0 if the device has no pacing
 * @param supportedQpTypes a bit for each {@code enum ibv_qp_type} that has it: see {@code QueuePairType.isIn}
 */
public record PacketPacingCapabilities(long minKbps, long maxKbps, int supportedQpTypes) {

    static PacketPacingCapabilities read(MemorySegment caps) {
        return new PacketPacingCapabilities(
                Integer.toUnsignedLong(ibv_packet_pacing_caps.qp_rate_limit_min(caps)),
                Integer.toUnsignedLong(ibv_packet_pacing_caps.qp_rate_limit_max(caps)),
                ibv_packet_pacing_caps.supported_qpts(caps));
    }
}
