// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.attributes;

import dev.isthmus.bindings.ibverbs.ibv_device_attr;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.Natives;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * What a device can do, and its limits: {@code struct ibv_device_attr}.
 *
 * <p>A {@code Code} or {@code Flags} is C's value, including what this version of Isthmus does not know.
 *
 * @param fwVersion firmware version
 * @param nodeGuid GUID of the node
 * @param sysImageGuid GUID of the system image
 * @param maxMrSize longest region, in bytes, unsigned
 * @param pageSizeCap supported page sizes, a bit for each
 * @param vendorId IEEE OUI of the vendor
 * @param vendorPartId part number
 * @param hwVersion hardware version
 * @param maxQp most queue pairs
 * @param maxQpWr most work requests outstanding on a queue
 * @param deviceCapFlags {@code enum ibv_device_cap_flags}, or'ed: see {@link #capabilities()}
 * @param maxSge most scatter/gather elements of a request
 * @param maxSgeRd most scatter/gather elements of an RDMA READ
 * @param maxCq most completion queues
 * @param maxCqe most entries of a completion queue
 * @param maxMr most regions
 * @param maxPd most protection domains
 * @param maxQpRdAtomic most READs and atomics outstanding with a queue pair as target
 * @param maxEeRdAtomic as {@code maxQpRdAtomic}, of an EE context, which no device has
 * @param maxResRdAtomic most resources for READs and atomics as target
 * @param maxQpInitRdAtomic most outstanding READs and atomics that a queue pair started
 * @param maxEeInitRdAtomic as {@code maxQpInitRdAtomic}, of an EE context
 * @param atomicCapCode {@code enum ibv_atomic_cap}: see {@link #atomicCap()}
 * @param maxEe most EE contexts, which no device has
 * @param maxRdd most reliable datagram domains, which no device has
 * @param maxMw most memory windows
 * @param maxRawIpv6Qp most raw IPv6 queue pairs, which no device has
 * @param maxRawEthernetQp most raw Ethernet queue pairs
 * @param maxMulticastGroups most multicast groups
 * @param maxMulticastQpAttach most queue pairs in a multicast group
 * @param maxTotalMulticastQpAttach most queue pairs in multicast groups
 * @param maxAh most address handles
 * @param maxFmr most fast memory regions, which no device has any more
 * @param maxMapPerFmr most mappings of a fast memory region
 * @param maxSrq most shared receive queues
 * @param maxSrqWr most work requests outstanding on a shared receive queue
 * @param maxSrqSge most scatter elements of a shared receive
 * @param maxPkeys most partitions
 * @param localCaAckDelay how long an acknowledgement may take: 4.096 us * 2^n
 * @param physPortCount number of ports
 */
public record DeviceAttributes(
        String fwVersion,
        long nodeGuid,
        long sysImageGuid,
        long maxMrSize,
        long pageSizeCap,
        int vendorId,
        int vendorPartId,
        int hwVersion,
        int maxQp,
        int maxQpWr,
        int deviceCapFlags,
        int maxSge,
        int maxSgeRd,
        int maxCq,
        int maxCqe,
        int maxMr,
        int maxPd,
        int maxQpRdAtomic,
        int maxEeRdAtomic,
        int maxResRdAtomic,
        int maxQpInitRdAtomic,
        int maxEeInitRdAtomic,
        int atomicCapCode,
        int maxEe,
        int maxRdd,
        int maxMw,
        int maxRawIpv6Qp,
        int maxRawEthernetQp,
        int maxMulticastGroups,
        int maxMulticastQpAttach,
        int maxTotalMulticastQpAttach,
        int maxAh,
        int maxFmr,
        int maxMapPerFmr,
        int maxSrq,
        int maxSrqWr,
        int maxSrqSge,
        int maxPkeys,
        int localCaAckDelay,
        int physPortCount) {

    static {
        Natives.of(DeviceAttributes.class).isCreatedFrom(MemorySegment.class, DeviceAttributes::read);
    }

    /**
     * What the device can do, as far as this version of Isthmus knows.
     *
     * @return the capabilities of {@link #deviceCapFlags}
     */
    public Set<DeviceCapability> capabilities() {
        return DeviceCapability.in(Integer.toUnsignedLong(deviceCapFlags));
    }

    /**
     * With whom its atomics are atomic.
     *
     * @return the constant of {@link #atomicCapCode}
     */
    public AtomicCapability atomicCap() {
        return AtomicCapability.of(atomicCapCode);
    }

    static DeviceAttributes read(MemorySegment attributes) {
        return new DeviceAttributes(
                ibv_device_attr.fw_ver(attributes).getString(0),
                NativeCall.fromBigEndian(ibv_device_attr.node_guid(attributes)),
                NativeCall.fromBigEndian(ibv_device_attr.sys_image_guid(attributes)),
                ibv_device_attr.max_mr_size(attributes),
                ibv_device_attr.page_size_cap(attributes),
                ibv_device_attr.vendor_id(attributes),
                ibv_device_attr.vendor_part_id(attributes),
                ibv_device_attr.hw_ver(attributes),
                ibv_device_attr.max_qp(attributes),
                ibv_device_attr.max_qp_wr(attributes),
                ibv_device_attr.device_cap_flags(attributes),
                ibv_device_attr.max_sge(attributes),
                ibv_device_attr.max_sge_rd(attributes),
                ibv_device_attr.max_cq(attributes),
                ibv_device_attr.max_cqe(attributes),
                ibv_device_attr.max_mr(attributes),
                ibv_device_attr.max_pd(attributes),
                ibv_device_attr.max_qp_rd_atom(attributes),
                ibv_device_attr.max_ee_rd_atom(attributes),
                ibv_device_attr.max_res_rd_atom(attributes),
                ibv_device_attr.max_qp_init_rd_atom(attributes),
                ibv_device_attr.max_ee_init_rd_atom(attributes),
                ibv_device_attr.atomic_cap(attributes),
                ibv_device_attr.max_ee(attributes),
                ibv_device_attr.max_rdd(attributes),
                ibv_device_attr.max_mw(attributes),
                ibv_device_attr.max_raw_ipv6_qp(attributes),
                ibv_device_attr.max_raw_ethy_qp(attributes),
                ibv_device_attr.max_mcast_grp(attributes),
                ibv_device_attr.max_mcast_qp_attach(attributes),
                ibv_device_attr.max_total_mcast_qp_attach(attributes),
                ibv_device_attr.max_ah(attributes),
                ibv_device_attr.max_fmr(attributes),
                ibv_device_attr.max_map_per_fmr(attributes),
                ibv_device_attr.max_srq(attributes),
                ibv_device_attr.max_srq_wr(attributes),
                ibv_device_attr.max_srq_sge(attributes),
                Short.toUnsignedInt(ibv_device_attr.max_pkeys(attributes)),
                Byte.toUnsignedInt(ibv_device_attr.local_ca_ack_delay(attributes)),
                Byte.toUnsignedInt(ibv_device_attr.phys_port_cnt(attributes)));
    }
}
