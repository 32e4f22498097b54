package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_port_attr;
import java.lang.foreign.MemorySegment;

/**
 * The attributes of a port: {@code struct ibv_port_attr}.
 *
 * <p>Counters are 32 bits wide and wrap.
 *
 * @param state logical state
 * @param maxMtu largest MTU
 * @param activeMtu MTU in use
 * @param gidTableLength length of the GID table, empty entries included
 * @param portCapFlags {@code enum ibv_port_cap_flags}, or'ed
 * @param maxMessageSize longest message, in bytes
 * @param badPkeyCounter packets with a wrong partition key
 * @param qkeyViolationCounter packets with a wrong Q_Key
 * @param pkeyTableLength length of the partition key table
 * @param lid base LID; 0 on Ethernet
 * @param smLid LID of the subnet manager
 * @param lmc number of low bits of the LID that name a path
 * @param maxVlNum number of virtual lanes, as a code
 * @param smSl service level of the subnet manager
 * @param subnetTimeout propagation delay: 4.096 us * 2^n
 * @param initTypeReply kind of initialisation that the subnet manager did
 * @param activeWidth link width, as a code: 1, 2, 4, 8 for 1X, 4X, 8X, 12X
 * @param activeSpeed link speed, as a code
 * @param physState physical state, as a code: 5 is link up
 * @param linkLayer what the port runs on
 * @param flags {@code IBV_QPF_*}, or'ed
 * @param portCapFlags2 {@code enum ibv_port_cap_flags2}, or'ed
 */
public record PortAttributes(
        PortState state,
        Mtu maxMtu,
        Mtu activeMtu,
        int gidTableLength,
        int portCapFlags,
        long maxMessageSize,
        long badPkeyCounter,
        long qkeyViolationCounter,
        int pkeyTableLength,
        int lid,
        int smLid,
        int lmc,
        int maxVlNum,
        int smSl,
        int subnetTimeout,
        int initTypeReply,
        int activeWidth,
        int activeSpeed,
        int physState,
        LinkLayer linkLayer,
        int flags,
        int portCapFlags2) {

    static PortAttributes read(MemorySegment attributes) {
        return new PortAttributes(
                PortState.of(ibv_port_attr.state(attributes)),
                Mtu.of(ibv_port_attr.max_mtu(attributes)),
                Mtu.of(ibv_port_attr.active_mtu(attributes)),
                ibv_port_attr.gid_tbl_len(attributes),
                ibv_port_attr.port_cap_flags(attributes),
                Integer.toUnsignedLong(ibv_port_attr.max_msg_sz(attributes)),
                Integer.toUnsignedLong(ibv_port_attr.bad_pkey_cntr(attributes)),
                Integer.toUnsignedLong(ibv_port_attr.qkey_viol_cntr(attributes)),
                Short.toUnsignedInt(ibv_port_attr.pkey_tbl_len(attributes)),
                Short.toUnsignedInt(ibv_port_attr.lid(attributes)),
                Short.toUnsignedInt(ibv_port_attr.sm_lid(attributes)),
                Byte.toUnsignedInt(ibv_port_attr.lmc(attributes)),
                Byte.toUnsignedInt(ibv_port_attr.max_vl_num(attributes)),
                Byte.toUnsignedInt(ibv_port_attr.sm_sl(attributes)),
                Byte.toUnsignedInt(ibv_port_attr.subnet_timeout(attributes)),
                Byte.toUnsignedInt(ibv_port_attr.init_type_reply(attributes)),
                Byte.toUnsignedInt(ibv_port_attr.active_width(attributes)),
                Byte.toUnsignedInt(ibv_port_attr.active_speed(attributes)),
                Byte.toUnsignedInt(ibv_port_attr.phys_state(attributes)),
                LinkLayer.of(ibv_port_attr.link_layer(attributes)),
                Byte.toUnsignedInt(ibv_port_attr.flags(attributes)),
                Short.toUnsignedInt(ibv_port_attr.port_cap_flags2(attributes)));
    }
}
