// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor.info;

import dev.isthmus.verbs.attributes.CqModerationCapabilities;
import dev.isthmus.verbs.attributes.DeviceAttributes;
import dev.isthmus.verbs.attributes.DeviceCapability;
import dev.isthmus.verbs.attributes.ExtendedDeviceAttributes;
import dev.isthmus.verbs.attributes.OdpCapabilities;
import dev.isthmus.verbs.attributes.OdpCapability;
import dev.isthmus.verbs.attributes.OdpOperation;
import dev.isthmus.verbs.attributes.PacketPacingCapabilities;
import dev.isthmus.verbs.attributes.RawPacketCapability;
import dev.isthmus.verbs.attributes.RssCapabilities;
import dev.isthmus.verbs.attributes.TagMatchingCapabilities;
import dev.isthmus.verbs.attributes.TagMatchingCapability;
import dev.isthmus.verbs.attributes.TsoCapabilities;
import java.util.Arrays;
import java.util.Set;
import java.util.function.ToLongFunction;

/** Prints the extended attributes like ibv_devinfo -v. */
record CapabilityReport(AttributeLines lines) {

    /** The upper half of the extended flags: the lower one is printed with the original attributes. */
    private static final long EXTENDED = 0xffff_ffff_0000_0000L;

    /** {@code 1 << IBV_QPT_UD} and {@code 1 << IBV_QPT_RAW_PACKET}: the types that are told apart. */
    private static final int UD = 1 << 4;

    private static final int RAW_PACKET = 1 << 8;

    void print(ExtendedDeviceAttributes attributes) {
        print(attributes.odp());
        printClock(attributes);
        if (attributes.rawPacketCapFlags() != 0) {
            printRawPacket(attributes.rawPacketCapabilities());
        }
        lines.line("\tdevice_cap_flags_ex:\t\t0x%X", attributes.deviceCapFlagsEx());
        printExtended(attributes.deviceCapFlagsEx() & EXTENDED, attributes.capabilities());
        print(attributes.tso());
        print(attributes.rss());
        lines.attribute("max_wq_type_rq:\t\t\t", Integer.toUnsignedString(attributes.maxWqTypeRq()));
        print(attributes.packetPacing());
        print(attributes.tagMatching());
        print(attributes.cqModeration());
        if (attributes.maxDmSize() != 0) {
            lines.line("\tmaximum available device memory:\t%sBytes\n", Long.toUnsignedString(attributes.maxDmSize()));
        }
    }

    /** The unknown flags of the original attributes. */
    static long unknown(DeviceAttributes attributes) {
        return Integer.toUnsignedLong(attributes.deviceCapFlags())
                & ~mask(DeviceCapability.values(), DeviceCapability::code);
    }

    private static <E> long mask(E[] flags, ToLongFunction<E> code) {
        return Arrays.stream(flags).mapToLong(code).reduce(0, (a, b) -> a | b);
    }

    private void print(OdpCapabilities odp) {
        lines.line("\tgeneral_odp_caps:");
        lines.flags("ODP_", odp.general());
        lines.unknownFlags(odp.generalFlags() & ~mask(OdpCapability.values(), OdpCapability::code));
        printTransport("rc", odp.rcFlags(), odp.rc());
        printTransport("uc", odp.ucFlags(), odp.uc());
        printTransport("ud", odp.udFlags(), odp.ud());
        printTransport("xrc", odp.xrcFlags(), odp.xrc());
    }

    private void printTransport(String transport, int bits, Set<OdpOperation> operations) {
        lines.line("\t%s_odp_caps:", transport);
        if (bits == 0) {
            lines.flag("NO SUPPORT");
        }
        operations.forEach(
                operation -> lines.flag("SUPPORT_" + (operation == OdpOperation.SRQ_RECV ? "SRQ" : operation.name())));
        lines.unknownFlags(Integer.toUnsignedLong(bits) & ~mask(OdpOperation.values(), OdpOperation::code));
    }

    private void printClock(ExtendedDeviceAttributes attributes) {
        if (attributes.completionTimestampMask() != 0) {
            lines.line("\tcompletion timestamp_mask:\t\t\t0x%016x", attributes.completionTimestampMask());
        } else {
            lines.line("\tcompletion_timestamp_mask not supported");
        }
        if (attributes.coreClockKhz() != 0) {
            lines.line("\thca_core_clock:\t\t\t%skHZ", Long.toUnsignedString(attributes.coreClockKhz()));
        } else {
            lines.line("\tcore clock not supported");
        }
    }

    private void printRawPacket(Set<RawPacketCapability> capabilities) {
        lines.line("\traw packet caps:");
        for (RawPacketCapability capability : capabilities) {
            lines.flag(
                    switch (capability) {
                        case CVLAN_STRIPPING -> "C-VLAN stripping offload";
                        case SCATTER_FCS -> "Scatter FCS offload";
                        case IP_CSUM -> "IP csum offload";
                        case DELAY_DROP -> "Delay drop";
                    });
        }
    }

    private void printExtended(long bits, Set<DeviceCapability> capabilities) {
        for (DeviceCapability capability : capabilities) {
            if ((capability.code() & bits) != 0) {
                lines.flag(capability.name());
            }
        }
        lines.unknownFlags(bits & ~mask(DeviceCapability.values(), DeviceCapability::code));
    }

    private void print(TsoCapabilities tso) {
        lines.line("\ttso_caps:");
        lines.line("\t\tmax_tso:\t\t\t%d", (int) tso.maxTso()); // signed, there
        if (tso.maxTso() != 0) {
            printQueuePairs(tso.supportedQpTypes());
        }
    }

    private void print(RssCapabilities rss) {
        lines.line("\trss_caps:");
        lines.line("\t\tmax_rwq_indirection_tables:\t\t\t%d", rss.maxRwqIndirectionTables());
        lines.line("\t\tmax_rwq_indirection_table_size:\t\t\t%d", rss.maxRwqIndirectionTableSize());
        lines.line("\t\trx_hash_function:\t\t\t\t0x%x", rss.rxHashFunctionFlags());
        lines.line("\t\trx_hash_fields_mask:\t\t\t\t0x%X", rss.rxHashFieldsMask());
        if (rss.supportedQpTypes() != 0) {
            printQueuePairs(rss.supportedQpTypes());
        }
    }

    private void print(PacketPacingCapabilities pacing) {
        lines.line("\tpacket_pacing_caps:");
        lines.line("\t\tqp_rate_limit_min:\t%dkbps", pacing.minKbps());
        lines.line("\t\tqp_rate_limit_max:\t%dkbps", pacing.maxKbps());
        if (pacing.maxKbps() != 0) {
            printQueuePairs(pacing.supportedQpTypes());
        }
    }

    private void printQueuePairs(int types) {
        lines.line("\t\tsupported_qp:");
        if ((types & RAW_PACKET) != 0) {
            lines.flag("SUPPORT_RAW_PACKET");
        }
        if ((types & UD) != 0) {
            lines.flag("SUPPORT_UD");
        }
        lines.unknownFlags(Integer.toUnsignedLong(types & ~(RAW_PACKET | UD)));
    }

    private void print(TagMatchingCapabilities tags) {
        if (tags.maxTags() == 0) {
            lines.line("\ttag matching not supported");
            return;
        }
        lines.attribute("max_rndv_hdr_size:\t\t", tags.maxRndvHeaderSize());
        lines.attribute("max_num_tags:\t\t\t", tags.maxTags());
        lines.attribute("max_ops:\t\t\t", tags.maxOperations());
        lines.attribute("max_sge:\t\t\t", tags.maxSge());
        lines.line("\tflags:");
        if (tags.capabilities().contains(TagMatchingCapability.RC)) {
            lines.flag("IBV_TM_CAP_RC");
        }
    }

    private void print(CqModerationCapabilities moderation) {
        if (moderation.maxCount() != 0 && moderation.maxPeriodMicros() != 0) {
            lines.line("\n\tcq moderation caps:");
            lines.line("\t\tmax_cq_count:\t%d", moderation.maxCount());
            lines.line("\t\tmax_cq_period:\t%d us\n", moderation.maxPeriodMicros());
        }
    }
}
