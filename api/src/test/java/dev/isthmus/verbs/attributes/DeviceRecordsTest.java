// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.attributes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.bindings.ibverbs.ibv_device_attr;
import dev.isthmus.bindings.ibverbs.ibv_device_attr_ex;
import dev.isthmus.bindings.ibverbs.ibv_odp_caps;
import dev.isthmus.bindings.ibverbs.ibv_packet_pacing_caps;
import dev.isthmus.bindings.ibverbs.ibv_port_attr;
import dev.isthmus.bindings.ibverbs.ibv_tm_caps;
import dev.isthmus.testbed.CProgram;
import dev.isthmus.verbs.AsyncEventType;
import dev.isthmus.verbs.CompletionStatus;
import dev.isthmus.verbs.Gid;
import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.Rate;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How the records of a device interpret the numbers in C's structs, of which any one device has only some. */
@Tag("unit")
class DeviceRecordsTest {

    /** Fills both structs, each member with a number of its own, and writes them as hexadecimal digits. */
    private static final String FILLED = """
            #include <infiniband/verbs.h>
            #include <stdio.h>
            #include <string.h>
            #include <endian.h>
            static void dump(const void *p, size_t n) {
                for (size_t i = 0; i < n; i++) printf("%02x", ((const unsigned char *) p)[i]);
                puts("");
            }
            int main(void) {
                struct ibv_device_attr_ex a;
                memset(&a, 0, sizeof a);
                strcpy(a.orig_attr.fw_ver, "1.2.3");
                a.orig_attr.node_guid = htobe64(0xfedcba9876543210ull);
                a.orig_attr.sys_image_guid = htobe64(2);
                a.orig_attr.max_mr_size = ~0ull;
                a.orig_attr.page_size_cap = 4;
                a.orig_attr.max_pkeys = 65535; a.orig_attr.local_ca_ack_delay = 200; a.orig_attr.phys_port_cnt = 255;
                int n = 5;
                a.orig_attr.vendor_id = n++; a.orig_attr.vendor_part_id = n++; a.orig_attr.hw_ver = n++;
                a.orig_attr.max_qp = n++; a.orig_attr.max_qp_wr = n++; a.orig_attr.device_cap_flags = n++;
                a.orig_attr.max_sge = n++; a.orig_attr.max_sge_rd = n++; a.orig_attr.max_cq = n++;
                a.orig_attr.max_cqe = n++; a.orig_attr.max_mr = n++; a.orig_attr.max_pd = n++;
                a.orig_attr.max_qp_rd_atom = n++; a.orig_attr.max_ee_rd_atom = n++; a.orig_attr.max_res_rd_atom = n++;
                a.orig_attr.max_qp_init_rd_atom = n++; a.orig_attr.max_ee_init_rd_atom = n++;
                a.orig_attr.atomic_cap = n++; a.orig_attr.max_ee = n++; a.orig_attr.max_rdd = n++;
                a.orig_attr.max_mw = n++; a.orig_attr.max_raw_ipv6_qp = n++; a.orig_attr.max_raw_ethy_qp = n++;
                a.orig_attr.max_mcast_grp = n++; a.orig_attr.max_mcast_qp_attach = n++;
                a.orig_attr.max_total_mcast_qp_attach = n++; a.orig_attr.max_ah = n++; a.orig_attr.max_fmr = n++;
                a.orig_attr.max_map_per_fmr = n++; a.orig_attr.max_srq = n++; a.orig_attr.max_srq_wr = n++;
                a.orig_attr.max_srq_sge = n++;
                a.comp_mask = 101;
                a.odp_caps.general_caps = 102; a.odp_caps.per_transport_caps.rc_odp_caps = 103;
                a.odp_caps.per_transport_caps.uc_odp_caps = 104; a.odp_caps.per_transport_caps.ud_odp_caps = 105;
                a.xrc_odp_caps = 106;
                a.completion_timestamp_mask = ~0ull; a.hca_core_clock = 107; a.device_cap_flags_ex = 108;
                a.tso_caps.max_tso = ~0u; a.tso_caps.supported_qpts = 109;
                a.rss_caps.supported_qpts = 110; a.rss_caps.max_rwq_indirection_tables = ~0u;
                a.rss_caps.max_rwq_indirection_table_size = 111; a.rss_caps.rx_hash_fields_mask = 112;
                a.rss_caps.rx_hash_function = 255;
                a.max_wq_type_rq = 113;
                a.packet_pacing_caps.qp_rate_limit_min = 114; a.packet_pacing_caps.qp_rate_limit_max = ~0u;
                a.packet_pacing_caps.supported_qpts = 115;
                a.raw_packet_caps = 116;
                a.tm_caps.max_rndv_hdr_size = 117; a.tm_caps.max_num_tags = ~0u; a.tm_caps.flags = 118;
                a.tm_caps.max_ops = 119; a.tm_caps.max_sge = 120;
                a.cq_mod_caps.max_cq_count = 65535; a.cq_mod_caps.max_cq_period = 121;
                a.max_dm_size = 122;
                a.pci_atomic_caps.fetch_add = 123; a.pci_atomic_caps.swap = 124; a.pci_atomic_caps.compare_swap = 65535;
                a.phys_port_cnt_ex = 300;
                dump(&a, sizeof a);
                struct ibv_port_attr p = {
                    .state = 1, .max_mtu = 2, .active_mtu = 3, .gid_tbl_len = 4, .port_cap_flags = 5,
                    .max_msg_sz = ~0u, .bad_pkey_cntr = 7, .qkey_viol_cntr = 8, .pkey_tbl_len = 65535, .lid = 65534,
                    .sm_lid = 11, .lmc = 12, .max_vl_num = 13, .sm_sl = 14, .subnet_timeout = 15,
                    .init_type_reply = 16, .active_width = 17, .active_speed = 128, .phys_state = 19,
                    .link_layer = 20, .flags = 21, .port_cap_flags2 = 65533 };
                dump(&p, sizeof p);
                return 0;
            }
            """;

    private static MemorySegment segment(Arena arena, String digits) {
        byte[] bytes = HexFormat.of().parseHex(digits);
        return arena.allocate(bytes.length, Long.BYTES).copyFrom(MemorySegment.ofArray(bytes));
    }

    @Test
    void shouldReadEveryMemberThatACProgramWrites() {
        try (var program = CProgram.compile(FILLED);
                var arena = Arena.ofConfined()) {
            List<String> structs = program.run();
            assertEquals(device(), ExtendedDeviceAttributes.read(segment(arena, structs.getFirst())));
            assertEquals(
                    new PortAttributes(
                            1,
                            2,
                            3,
                            4,
                            5,
                            0xffff_ffffL,
                            7,
                            8,
                            65535,
                            65534,
                            11,
                            12,
                            13,
                            14,
                            15,
                            16,
                            17,
                            128,
                            19,
                            20,
                            21,
                            65533),
                    PortAttributes.read(segment(arena, structs.getLast())));
        }
    }

    private static ExtendedDeviceAttributes device() {
        var original = new DeviceAttributes(
                "1.2.3",
                0xfedcba9876543210L,
                2,
                -1,
                4,
                5,
                6,
                7,
                8,
                9,
                10,
                11,
                12,
                13,
                14,
                15,
                16,
                17,
                18,
                19,
                20,
                21,
                22,
                23,
                24,
                25,
                26,
                27,
                28,
                29,
                30,
                31,
                32,
                33,
                34,
                35,
                36,
                65535,
                200,
                255);
        return new ExtendedDeviceAttributes(
                original,
                101,
                new OdpCapabilities(102, 103, 104, 105, 106),
                -1,
                107,
                108,
                new TsoCapabilities(0xffff_ffffL, 109),
                new RssCapabilities(110, 0xffff_ffffL, 111, 112, 255),
                113,
                new PacketPacingCapabilities(114, 0xffff_ffffL, 115),
                116,
                new TagMatchingCapabilities(117, 0xffff_ffffL, 118, 119, 120),
                new CqModerationCapabilities(65535, 121),
                122,
                new PciAtomicCapabilities(123, 124, 65535),
                300);
    }

    @Test
    void shouldNameTheCapabilitiesThatItKnowsAndKeepTheOthers() {
        try (var arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(ibv_device_attr_ex.layout());
            ibv_device_attr.device_cap_flags(ibv_device_attr_ex.orig_attr(attributes), 1 << 20 | 1 << 31);
            ibv_device_attr.atomic_cap(ibv_device_attr_ex.orig_attr(attributes), 77);
            ibv_device_attr_ex.device_cap_flags_ex(attributes, 1L << 34 | 1L << 50);
            MemorySegment odp = ibv_device_attr_ex.odp_caps(attributes);
            ibv_odp_caps.general_caps(odp, 3);
            ibv_odp_caps.per_transport_caps.rc_odp_caps(ibv_odp_caps.per_transport_caps(odp), -1);
            ibv_device_attr_ex.xrc_odp_caps(attributes, 1 << 5 | 1 << 9);
            ibv_packet_pacing_caps.supported_qpts(
                    ibv_device_attr_ex.packet_pacing_caps(attributes), 1 << QueuePairType.RC.code());
            ibv_device_attr_ex.raw_packet_caps(attributes, 5);
            ibv_tm_caps.flags(ibv_device_attr_ex.tm_caps(attributes), 3);
            var device = ExtendedDeviceAttributes.read(attributes);
            assertEquals(Set.of(DeviceCapability.XRC, DeviceCapability.RAW_SCATTER_FCS), device.capabilities());
            assertEquals(Set.of(DeviceCapability.XRC), device.original().capabilities());
            assertEquals(1 << 20 | 1 << 31, device.original().deviceCapFlags());
            assertEquals(1L << 34 | 1L << 50, device.deviceCapFlagsEx());
            assertEquals(AtomicCapability.UNKNOWN, device.original().atomicCap());
            assertEquals(77, device.original().atomicCapCode());
            assertEquals(EnumSet.allOf(OdpCapability.class), device.odp().general());
            assertEquals(EnumSet.allOf(OdpOperation.class), device.odp().rc());
            assertEquals(Set.of(), device.odp().uc());
            assertEquals(Set.of(), device.odp().ud());
            assertEquals(Set.of(OdpOperation.SRQ_RECV), device.odp().xrc());
            assertTrue(QueuePairType.RC.isIn(device.packetPacing().supportedQpTypes()));
            assertFalse(QueuePairType.RC.isIn(device.tso().supportedQpTypes()));
            assertFalse(QueuePairType.RC.isIn(device.rss().supportedQpTypes()));
            assertEquals(
                    Set.of(RawPacketCapability.CVLAN_STRIPPING, RawPacketCapability.IP_CSUM),
                    device.rawPacketCapabilities());
            assertEquals(Set.of(TagMatchingCapability.RC), device.tagMatching().capabilities());
            assertEquals(0, device.physPortCount());
        }
    }

    @Test
    void shouldNameTheSizesAndHashesOfDevice() {
        var rss = new RssCapabilities(0, 0, 0, 1L << 31 | 1 | 1L << 40, 3);
        assertEquals(Set.of(RxHashField.INNER, RxHashField.SRC_IPV4), rss.hashFields());
        assertEquals(Set.of(RxHashFunction.TOEPLITZ), rss.hashFunctions());
        var atomics = new PciAtomicCapabilities(1, 2, 12);
        assertEquals(Set.of(PciAtomicSize.BYTES_4), atomics.fetchAdd());
        assertEquals(Set.of(PciAtomicSize.BYTES_8), atomics.swap());
        assertEquals(Set.of(PciAtomicSize.BYTES_16), atomics.compareSwap());
    }

    @Test
    void shouldKeepTheCodesThatItDoesNotKnow() {
        try (var arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(ibv_port_attr.layout());
            attributes.fill((byte) 0xff);
            var port = PortAttributes.read(attributes);
            assertEquals(PortState.UNKNOWN, port.state());
            assertEquals(Mtu.UNKNOWN, port.maxMtu());
            assertEquals(Mtu.UNKNOWN, port.activeMtu());
            assertEquals(PhysicalState.UNKNOWN, port.physState());
            assertEquals(LinkWidth.UNKNOWN, port.activeWidth());
            assertEquals(LinkSpeed.UNKNOWN, port.activeSpeed());
            assertEquals(LinkLayer.UNKNOWN, port.linkLayer());
            assertEquals(255, port.activeSpeedCode());
            assertEquals(0, port.virtualLanes());
            assertEquals(EnumSet.allOf(PortCapability.class), port.capabilities());
            assertEquals(EnumSet.allOf(PortCapability2.class), port.capabilities2());
            assertTrue(port.isGrhRequired());
        }
    }

    @Test
    void shouldConvertRatesAsTheLibraryDoes() {
        assertEquals(OptionalInt.of(8), Rate.GBPS_20.multiple());
        assertEquals(OptionalInt.empty(), Rate.GBPS_14.multiple());
        assertEquals(OptionalInt.of(14062), Rate.GBPS_14.mbps());
        for (Rate rate : Rate.values()) {
            assertEquals(rate, Rate.of(rate.code()));
            rate.mbps().ifPresent(mbps -> assertEquals(rate, Rate.ofMbps(mbps)));
            rate.multiple().ifPresent(multiple -> assertEquals(rate, Rate.ofMultiple(multiple)));
            assertEquals(rate == Rate.MAX || rate == Rate.UNKNOWN, rate.mbps().isEmpty());
        }
        assertEquals(Rate.MAX, Rate.ofMultiple(3));
        assertEquals(Rate.MAX, Rate.ofMbps(1));
    }

    @Test
    void shouldDescribeCodesInTheWordsOfTheLibrary() {
        assertEquals("InfiniBand channel adapter", NodeType.CA.description());
        assertEquals("unknown", NodeType.UNKNOWN.description());
        assertEquals("active", PortState.ACTIVE.description());
        assertEquals("unknown", PortState.UNKNOWN.description());
        assertEquals("port active", AsyncEventType.PORT_ACTIVE.description());
        assertEquals("unknown", AsyncEventType.UNKNOWN.description());
        assertEquals("transport retry counter exceeded", CompletionStatus.RETRY_EXC_ERR.description());
        assertEquals("unknown", CompletionStatus.UNKNOWN.description());
        assertEquals(
                CompletionStatus.values().length,
                Stream.of(CompletionStatus.values())
                        .map(CompletionStatus::description)
                        .distinct()
                        .count());
    }

    @Test
    void shouldWriteGidAsIpAddressAsTheCLibraryDoes() {
        List<String> digits = List.of(
                "00000000000000000000000000000000",
                "00000000000000000000000000000001",
                "00000000000000000000ffff0a000001",
                "00000000000000000000ffff00000000",
                "000000000000000000000000c6120001",
                "00000000000000000000fffe0a000001",
                "fe80000000000000505400fffe123456",
                "20010db8000000010000000000000001",
                "20010db8000000000001000000000001",
                "20010db8000100010001000100010000",
                "00000001000000020003000400050006",
                "00010002000300040005000600070008",
                "ff0e0000000000000000ffffe0000001",
                "20010db8000000000000000000000000");
        String source = """
                #include <arpa/inet.h>
                #include <stdio.h>
                int main(int argc, char **argv) {
                    for (int i = 1; i < argc; i++) {
                        unsigned char gid[16];
                        char text[INET6_ADDRSTRLEN];
                        for (int b = 0; b < 16; b++) sscanf(argv[i] + 2 * b, "%2hhx", &gid[b]);
                        puts(inet_ntop(AF_INET6, gid, text, sizeof text));
                    }
                    return 0;
                }
                """;
        try (var program = CProgram.compile(source)) {
            assertEquals(
                    program.run(digits.toArray(String[]::new)),
                    digits.stream()
                            .map(d -> Gid.of(HexFormat.of().parseHex(d)).toIpString())
                            .toList());
        }
    }

    @Test
    void shouldCountVirtualLanes() {
        assertEquals(
                List.of(0, 1, 2, 4, 8, 15, 0),
                IntStream.range(0, 7)
                        .map(code -> portWithLanes(code).virtualLanes())
                        .boxed()
                        .toList());
    }

    private static PortAttributes portWithLanes(int code) {
        return new PortAttributes(4, 5, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, code, 0, 0, 0, 1, 8, 5, 2, 0, 0);
    }
}
