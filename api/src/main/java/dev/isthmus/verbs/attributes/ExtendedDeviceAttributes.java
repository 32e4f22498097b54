// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.attributes;

import dev.isthmus.bindings.ibverbs.ibv_device_attr_ex;
import dev.isthmus.internal.Natives;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * What else a device can do: {@code struct ibv_device_attr_ex}.
 *
 * <p>Attributes that the device, its driver or the loaded library does not know are 0. A {@code Flags} or {@code Mask}
 * is C's value, including what this version of Isthmus does not know.
 *
 * @param original the attributes of {@code ibv_query_device}
 * @param compMask no bit is defined
 * @param odp on-demand paging
 * @param completionTimestampMask the bits of a completion's timestamp that count; 0 if there is none
 * @param coreClockKhz frequency of the device's clock, in kHz; 0 if it has none
 * @param deviceCapFlagsEx the flags of {@link DeviceAttributes#deviceCapFlags}, and more: see {@link #capabilities()}
 * @param tso segmentation of TCP
 * @param rss receive side scaling
 * @param maxWqTypeRq most receive work queues
 * @param packetPacing packet pacing
 * @param rawPacketCapFlags {@code enum ibv_raw_packet_caps}, or'ed: see {@link #rawPacketCapabilities()}
 * @param tagMatching tag matching
 * @param cqModeration moderation of completion events
 * @param maxDmSize device memory that can be allocated, in bytes, unsigned
 * @param pciAtomics atomics over PCI
 * @param physPortCountEx number of ports, which may exceed 255: see {@link #physPortCount()}
 */
public record ExtendedDeviceAttributes(
        DeviceAttributes original,
        int compMask,
        OdpCapabilities odp,
        long completionTimestampMask,
        long coreClockKhz,
        long deviceCapFlagsEx,
        TsoCapabilities tso,
        RssCapabilities rss,
        int maxWqTypeRq,
        PacketPacingCapabilities packetPacing,
        int rawPacketCapFlags,
        TagMatchingCapabilities tagMatching,
        CqModerationCapabilities cqModeration,
        long maxDmSize,
        PciAtomicCapabilities pciAtomics,
        int physPortCountEx) {

    static {
        Natives.of(ExtendedDeviceAttributes.class).isCreatedFrom(MemorySegment.class, ExtendedDeviceAttributes::read);
    }

    /**
     * What the device can do, as far as this version of Isthmus knows.
     *
     * @return the capabilities of {@link #deviceCapFlagsEx} and of the original attributes
     */
    public Set<DeviceCapability> capabilities() {
        return DeviceCapability.in(deviceCapFlagsEx | Integer.toUnsignedLong(original.deviceCapFlags()));
    }

    /**
     * What the device does for raw packets.
     *
     * @return the known flags of {@link #rawPacketCapFlags}
     */
    public Set<RawPacketCapability> rawPacketCapabilities() {
        return RawPacketCapability.in(rawPacketCapFlags);
    }

    /**
     * The number of ports.
     *
     * @return the number that may exceed 255 if the driver gives it, or else that of the original attributes
     */
    public int physPortCount() {
        return physPortCountEx != 0 ? physPortCountEx : original.physPortCount();
    }

    static ExtendedDeviceAttributes read(MemorySegment attributes) {
        return new ExtendedDeviceAttributes(
                DeviceAttributes.read(ibv_device_attr_ex.orig_attr(attributes)),
                ibv_device_attr_ex.comp_mask(attributes),
                OdpCapabilities.read(attributes),
                ibv_device_attr_ex.completion_timestamp_mask(attributes),
                ibv_device_attr_ex.hca_core_clock(attributes),
                ibv_device_attr_ex.device_cap_flags_ex(attributes),
                TsoCapabilities.read(ibv_device_attr_ex.tso_caps(attributes)),
                RssCapabilities.read(ibv_device_attr_ex.rss_caps(attributes)),
                ibv_device_attr_ex.max_wq_type_rq(attributes),
                PacketPacingCapabilities.read(ibv_device_attr_ex.packet_pacing_caps(attributes)),
                ibv_device_attr_ex.raw_packet_caps(attributes),
                TagMatchingCapabilities.read(ibv_device_attr_ex.tm_caps(attributes)),
                CqModerationCapabilities.read(ibv_device_attr_ex.cq_mod_caps(attributes)),
                ibv_device_attr_ex.max_dm_size(attributes),
                PciAtomicCapabilities.read(ibv_device_attr_ex.pci_atomic_caps(attributes)),
                ibv_device_attr_ex.phys_port_cnt_ex(attributes));
    }
}
