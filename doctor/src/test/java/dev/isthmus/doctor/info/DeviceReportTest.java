// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor.info;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.verbs.attributes.CqModerationCapabilities;
import dev.isthmus.verbs.attributes.DeviceAttributes;
import dev.isthmus.verbs.attributes.ExtendedDeviceAttributes;
import dev.isthmus.verbs.attributes.OdpCapabilities;
import dev.isthmus.verbs.attributes.PacketPacingCapabilities;
import dev.isthmus.verbs.attributes.PciAtomicCapabilities;
import dev.isthmus.verbs.attributes.RssCapabilities;
import dev.isthmus.verbs.attributes.TagMatchingCapabilities;
import dev.isthmus.verbs.attributes.TsoCapabilities;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Features that other devices have and the testbed's lack. The expected text follows from ibv_devinfo's format strings.
 */
@Tag("unit")
class DeviceReportTest {

    private static DeviceAttributes original(int flags) {
        return new DeviceAttributes(
                "", 0, 0, 0, 0, 0, 0, 0, 0, 0, flags, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                0, 0, 0, 0, 0, 0, 1);
    }

    private static final ExtendedDeviceAttributes RICH = new ExtendedDeviceAttributes(
            original(1 | 1 << 30),
            0,
            new OdpCapabilities(7, 0x3f, 0x1c1, 0, 0),
            -1L,
            156250,
            1L << 34 | 1L << 36 | 1L << 60 | 1,
            new TsoCapabilities(262144, 1 << 8),
            new RssCapabilities(1 << 8 | 1 << 4 | 1 << 2, 8388608, 2048, 0x8000_01ffL, 1),
            8388608,
            new PacketPacingCapabilities(1, 25_000_000, 1 << 8),
            15,
            new TagMatchingCapabilities(48, 127, 1, 32768, 1),
            new CqModerationCapabilities(65535, 4095),
            131072,
            new PciAtomicCapabilities(0, 0, 0),
            1);

    @Test
    void shouldPrintTheCapabilitiesOfRichDevice() {
        var text = new StringWriter();
        var out = new PrintWriter(text);
        new CapabilityReport(new AttributeLines(out)).print(RICH);
        out.flush();
        assertEquals("""
                >general_odp_caps:
                >>>>>ODP_SUPPORT
                >>>>>ODP_SUPPORT_IMPLICIT
                >>>>>Unknown flags: 0x4
                >rc_odp_caps:
                >>>>>SUPPORT_SEND
                >>>>>SUPPORT_RECV
                >>>>>SUPPORT_WRITE
                >>>>>SUPPORT_READ
                >>>>>SUPPORT_ATOMIC
                >>>>>SUPPORT_SRQ
                >uc_odp_caps:
                >>>>>SUPPORT_SEND
                >>>>>SUPPORT_FLUSH
                >>>>>SUPPORT_ATOMIC_WRITE
                >>>>>Unknown flags: 0x100
                >ud_odp_caps:
                >>>>>NO SUPPORT
                >xrc_odp_caps:
                >>>>>NO SUPPORT
                >completion timestamp_mask:>>>0xffffffffffffffff
                >hca_core_clock:>>>156250kHZ
                >raw packet caps:
                >>>>>C-VLAN stripping offload
                >>>>>Scatter FCS offload
                >>>>>IP csum offload
                >>>>>Delay drop
                >device_cap_flags_ex:>>0x1000001400000001
                >>>>>RAW_SCATTER_FCS
                >>>>>PCI_WRITE_END_PADDING
                >>>>>Unknown flags: 0x1000000000000000
                >tso_caps:
                >>max_tso:>>>262144
                >>supported_qp:
                >>>>>SUPPORT_RAW_PACKET
                >rss_caps:
                >>max_rwq_indirection_tables:>>>8388608
                >>max_rwq_indirection_table_size:>>>2048
                >>rx_hash_function:>>>>0x1
                >>rx_hash_fields_mask:>>>>0x800001FF
                >>supported_qp:
                >>>>>SUPPORT_RAW_PACKET
                >>>>>SUPPORT_UD
                >>>>>Unknown flags: 0x4
                >max_wq_type_rq:>>>8388608
                >packet_pacing_caps:
                >>qp_rate_limit_min:>1kbps
                >>qp_rate_limit_max:>25000000kbps
                >>supported_qp:
                >>>>>SUPPORT_RAW_PACKET
                >max_rndv_hdr_size:>>48
                >max_num_tags:>>>127
                >max_ops:>>>32768
                >max_sge:>>>1
                >flags:
                >>>>>IBV_TM_CAP_RC

                >cq moderation caps:
                >>max_cq_count:>65535
                >>max_cq_period:>4095 us

                >maximum available device memory:>131072Bytes

                """.replace('>', '\t'), text.toString());
    }

    @Test
    void shouldTellTheFlagsThatNobodyKnows() {
        assertEquals(1 << 30, CapabilityReport.unknown(RICH.original()));
        assertEquals(0x8000_0000L, CapabilityReport.unknown(original(1 << 31 | 1 << 29)));
    }
}
