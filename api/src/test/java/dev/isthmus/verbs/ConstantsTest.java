// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.bindings.ibverbs.ibv_recv_wr;
import dev.isthmus.bindings.ibverbs.ibv_send_wr;
import dev.isthmus.bindings.ibverbs.verbs_h;
import dev.isthmus.internal.verbs.CompletionFlag;
import dev.isthmus.verbs.attributes.AtomicCapability;
import dev.isthmus.verbs.attributes.DeviceCapability;
import dev.isthmus.verbs.attributes.LinkLayer;
import dev.isthmus.verbs.attributes.Mtu;
import dev.isthmus.verbs.attributes.NodeType;
import dev.isthmus.verbs.attributes.OdpCapability;
import dev.isthmus.verbs.attributes.OdpOperation;
import dev.isthmus.verbs.attributes.PciAtomicSize;
import dev.isthmus.verbs.attributes.PortCapability;
import dev.isthmus.verbs.attributes.PortCapability2;
import dev.isthmus.verbs.attributes.PortState;
import dev.isthmus.verbs.attributes.RawPacketCapability;
import dev.isthmus.verbs.attributes.RxHashField;
import dev.isthmus.verbs.attributes.RxHashFunction;
import dev.isthmus.verbs.attributes.TagMatchingCapability;
import dev.isthmus.verbs.attributes.TransportType;
import dev.isthmus.verbs.flow.Counters;
import dev.isthmus.verbs.flow.EspConfig;
import dev.isthmus.verbs.flow.FlowLayer;
import dev.isthmus.verbs.flow.FlowRule;
import dev.isthmus.verbs.rss.WorkQueueFlag;
import dev.isthmus.verbs.rss.WorkQueueState;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares the codes in the enums with verbs.h. They are literals there, so that reading one loads no library. */
@Tag("unit")
class ConstantsTest {

    @Test
    void shouldHaveTheCodesOfTheHeader() {
        check(CompletionStatus.values(), "IBV_WC_", CompletionStatus::code);
        // FLUSH comes with rdma-core 45, but the bindings are of 44.
        var completions =
                EnumSet.complementOf(EnumSet.of(CompletionOpcode.FLUSH)).toArray(CompletionOpcode[]::new);
        check(completions, "IBV_WC_", CompletionOpcode::code);
        assertEquals(8, CompletionOpcode.FLUSH.code());
        var opcodes = EnumSet.complementOf(EnumSet.of(SendOpcode.FLUSH)).toArray(SendOpcode[]::new);
        check(opcodes, "IBV_WR_", SendOpcode::code);
        assertEquals(14, SendOpcode.FLUSH.code());
        check(QueuePairState.values(), "IBV_QPS_", QueuePairState::code);
        check(QueuePairType.values(), "IBV_QPT_", QueuePairType::code);
        check(QueuePairCreateFlag.values(), "IBV_QP_CREATE_", QueuePairCreateFlag::code);
        check(SharedReceiveQueueType.values(), "IBV_SRQT_", SharedReceiveQueueType::code);
        check(WorkQueueState.values(), "IBV_WQS_", WorkQueueState::code);
        check(WorkQueueFlag.values(), "IBV_WQ_FLAGS_", WorkQueueFlag::code);
        check(FlowLayer.values(), "IBV_FLOW_SPEC_", FlowLayer::code);
        check(FlowRule.Type.values(), "IBV_FLOW_ATTR_", FlowRule.Type::code);
        check(FlowRule.Flag.values(), "IBV_FLOW_ATTR_FLAGS_", FlowRule.Flag::code);
        check(EspConfig.Flag.values(), "IBV_FLOW_ACTION_ESP_FLAGS_", EspConfig.Flag::code);
        check(Counters.Kind.values(), "IBV_COUNTER_", Counters.Kind::code);
        var access = EnumSet.complementOf(EnumSet.of(AccessFlag.FLUSH_GLOBAL, AccessFlag.FLUSH_PERSISTENT))
                .toArray(AccessFlag[]::new);
        check(access, "IBV_ACCESS_", AccessFlag::code);
        assertEquals(1 << 8, AccessFlag.FLUSH_GLOBAL.code());
        assertEquals(1 << 9, AccessFlag.FLUSH_PERSISTENT.code());
        check(PortState.values(), "IBV_PORT_", PortState::code);
        check(NodeType.values(), "IBV_NODE_", NodeType::code);
        check(LinkLayer.values(), "IBV_LINK_LAYER_", LinkLayer::code);
        check(GidType.values(), "IBV_GID_TYPE_", GidType::code);
        check(Mtu.values(), "IBV_", Mtu::code);
        check(PathMigrationState.values(), "IBV_MIG_", PathMigrationState::code);
        check(AsyncEventType.values(), "IBV_EVENT_", AsyncEventType::code);
        check(TransportType.values(), "IBV_TRANSPORT_", TransportType::code);
        check(AtomicCapability.values(), "IBV_ATOMIC_", AtomicCapability::code);
        check(MemoryAdvice.values(), "IBV_ADVISE_MR_ADVICE_", MemoryAdvice::code);
        check(MemoryWindowType.values(), "IBV_MW_", MemoryWindowType::code);
        check(ForkStatus.values(), "IBV_FORK_", ForkStatus::code);
    }

    @Test
    void shouldHaveTheBitsOfDevicesAndPortsOfTheHeader() {
        check(PortCapability.values(), "IBV_PORT_", PortCapability::code);
        check(PortCapability2.values(), "IBV_PORT_", PortCapability2::code);
        var paged = EnumSet.complementOf(EnumSet.of(OdpOperation.FLUSH, OdpOperation.ATOMIC_WRITE))
                .toArray(OdpOperation[]::new);
        check(paged, "IBV_ODP_SUPPORT_", OdpOperation::code);
        assertEquals(1 << 6, OdpOperation.FLUSH.code());
        assertEquals(1 << 7, OdpOperation.ATOMIC_WRITE.code());
        check(OdpCapability.values(), "IBV_ODP_", OdpCapability::code);
        check(RxHashFunction.values(), "IBV_RX_HASH_FUNC_", RxHashFunction::code);
        check(RxHashField.values(), "IBV_RX_HASH_", flag -> (int) flag.code());
        check(RawPacketCapability.values(), "IBV_RAW_PACKET_CAP_", RawPacketCapability::code);
        check(TagMatchingCapability.values(), "IBV_TM_CAP_", TagMatchingCapability::code);
        assertEquals(verbs_h.IBV_DEVICE_RAW_SCATTER_FCS(), DeviceCapability.RAW_SCATTER_FCS.code());
        assertEquals(verbs_h.IBV_DEVICE_PCI_WRITE_END_PADDING(), DeviceCapability.PCI_WRITE_END_PADDING.code());
        for (DeviceCapability flag : DeviceCapability.values()) {
            if (flag.code() <= Integer.MAX_VALUE) {
                assertEquals(header("IBV_DEVICE_" + flag.name()), flag.code(), flag.name());
            }
        }
        for (PciAtomicSize size : PciAtomicSize.values()) {
            String bytes = size.name().substring("BYTES_".length());
            assertEquals(header("IBV_PCI_ATOMIC_OPERATION_" + bytes + "_BYTE_SIZE_SUP"), size.code(), size.name());
        }
        for (Rate rate : Rate.values()) {
            if (rate.code() > 0) {
                String gbps = rate.name().substring("GBPS_".length());
                assertEquals(header("IBV_RATE_" + gbps + "_GBPS"), rate.code(), rate.name());
            }
        }
    }

    @Test
    void shouldHaveTheCodesOfReregistrationOfTheHeader() {
        assertEquals(verbs_h.IBV_REREG_MR_CHANGE_TRANSLATION(), Reregistration.CHANGE_TRANSLATION);
        assertEquals(verbs_h.IBV_REREG_MR_CHANGE_PD(), Reregistration.CHANGE_PD);
        assertEquals(verbs_h.IBV_REREG_MR_CHANGE_ACCESS(), Reregistration.CHANGE_ACCESS);
        assertEquals(-1, verbs_h.IBV_REREG_MR_ERR_INPUT());
        assertEquals(-2, verbs_h.IBV_REREG_MR_ERR_DONT_FORK_NEW());
        assertEquals(-3, verbs_h.IBV_REREG_MR_ERR_DO_FORK_OLD());
        assertEquals(-4, verbs_h.IBV_REREG_MR_ERR_CMD());
        assertEquals(-5, verbs_h.IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW());
    }

    private static <E extends Enum<E>> void check(E[] constants, String prefix, ToIntFunction<E> code) {
        Map<String, Integer> expected = Arrays.stream(constants)
                .filter(constant -> !constant.name().equals("UNKNOWN"))
                .collect(Collectors.toMap(
                        constant -> prefix + constant.name(), constant -> header(prefix + constant.name())));
        Map<String, Integer> actual = Arrays.stream(constants)
                .filter(constant -> !constant.name().equals("UNKNOWN"))
                .collect(Collectors.toMap(constant -> prefix + constant.name(), code::applyAsInt));
        assertTrue(!expected.isEmpty());
        assertEquals(new TreeMap<>(expected), new TreeMap<>(actual));
    }

    @Test
    void shouldHaveTheMaskBitsOfTheHeader() {
        Map<QueuePairAttribute, String> names = Map.ofEntries(
                Map.entry(QueuePairAttribute.ACCESS, "ACCESS_FLAGS"),
                Map.entry(QueuePairAttribute.PKEY_INDEX, "PKEY_INDEX"),
                Map.entry(QueuePairAttribute.PORT, "PORT"),
                Map.entry(QueuePairAttribute.PATH, "AV"),
                Map.entry(QueuePairAttribute.PATH_MTU, "PATH_MTU"),
                Map.entry(QueuePairAttribute.TIMEOUT, "TIMEOUT"),
                Map.entry(QueuePairAttribute.RETRY_COUNT, "RETRY_CNT"),
                Map.entry(QueuePairAttribute.RNR_RETRY, "RNR_RETRY"),
                Map.entry(QueuePairAttribute.RQ_PSN, "RQ_PSN"),
                Map.entry(QueuePairAttribute.MAX_RD_ATOMIC, "MAX_QP_RD_ATOMIC"),
                Map.entry(QueuePairAttribute.MIN_RNR_TIMER, "MIN_RNR_TIMER"),
                Map.entry(QueuePairAttribute.SQ_PSN, "SQ_PSN"),
                Map.entry(QueuePairAttribute.MAX_DEST_RD_ATOMIC, "MAX_DEST_RD_ATOMIC"),
                Map.entry(QueuePairAttribute.DEST_QP_NUM, "DEST_QPN"),
                Map.entry(QueuePairAttribute.CURRENT_STATE, "CUR_STATE"),
                Map.entry(QueuePairAttribute.SQD_ASYNC_NOTIFY, "EN_SQD_ASYNC_NOTIFY"),
                Map.entry(QueuePairAttribute.QKEY, "QKEY"),
                Map.entry(QueuePairAttribute.ALTERNATE_PATH, "ALT_PATH"),
                Map.entry(QueuePairAttribute.PATH_MIGRATION_STATE, "PATH_MIG_STATE"),
                Map.entry(QueuePairAttribute.CAPABILITIES, "CAP"),
                Map.entry(QueuePairAttribute.RATE_LIMIT, "RATE_LIMIT"));
        for (QueuePairAttribute attribute : QueuePairAttribute.values()) {
            assertEquals(header("IBV_QP_" + names.get(attribute)), attribute.mask(), attribute.name());
        }
    }

    @Test
    void shouldHaveTheCompletionFlagsOfTheHeader() {
        assertEquals(verbs_h.IBV_WC_GRH(), CompletionFlag.GRH);
        assertEquals(verbs_h.IBV_WC_WITH_IMM(), CompletionFlag.WITH_IMM);
        assertEquals(verbs_h.IBV_WC_IP_CSUM_OK(), CompletionFlag.IP_CSUM_OK);
        assertEquals(verbs_h.IBV_WC_WITH_INV(), CompletionFlag.WITH_INV);
    }

    @Test
    void shouldGiveUnknownForCodesOfNewerVersions() {
        assertEquals(CompletionStatus.UNKNOWN, CompletionStatus.of(4711));
        assertEquals(CompletionOpcode.UNKNOWN, CompletionOpcode.of(10));
        assertEquals(Mtu.UNKNOWN, Mtu.of(-1));
        assertEquals(Mtu.MTU_4096, Mtu.of(5));
        assertEquals(4096, Mtu.MTU_4096.bytes());
    }

    @Test
    void shouldFindSharedMembersOfRequestsInTheSamePlace() {
        assertEquals(ibv_recv_wr.wr_id$offset(), ibv_send_wr.wr_id$offset());
        assertEquals(ibv_recv_wr.next$offset(), ibv_send_wr.next$offset());
        assertEquals(ibv_recv_wr.sg_list$offset(), ibv_send_wr.sg_list$offset());
        assertEquals(ibv_recv_wr.num_sge$offset(), ibv_send_wr.num_sge$offset());
    }

    private static int header(String name) {
        try {
            Method constant = verbs_h.class.getMethod(name);
            return (int) constant.invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("verbs.h has no " + name, e);
        }
    }
}
