// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.attributes;

import dev.isthmus.bindings.ibverbs.ibv_port_attr;
import dev.isthmus.internal.Natives;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * The attributes of a port: {@code struct ibv_port_attr}.
 *
 * <p>Counters are 32 bits wide and wrap. A {@code Code} or {@code Flags} is C's value, including what this version of
 * Isthmus does not know.
 *
 * @param stateCode logical state: see {@link #state()}
 * @param maxMtuCode largest MTU: see {@link #maxMtu()}
 * @param activeMtuCode MTU in use: see {@link #activeMtu()}
 * @param gidTableLength length of the GID table, empty entries included
 * @param portCapFlags {@code enum ibv_port_cap_flags}, or'ed: see {@link #capabilities()}
 * @param maxMessageSize longest message, in bytes
 * @param badPkeyCounter packets with a wrong partition key
 * @param qkeyViolationCounter packets with a wrong Q_Key
 * @param pkeyTableLength length of the partition key table
 * @param lid base LID; 0 on Ethernet
 * @param smLid LID of the subnet manager
 * @param lmc number of low bits of the LID that name a path
 * @param maxVlNum number of virtual lanes, as a code: see {@link #virtualLanes()}
 * @param smSl service level of the subnet manager
 * @param subnetTimeout propagation delay: 4.096 us * 2^n
 * @param initTypeReply type of initialisation that the subnet manager did
 * @param activeWidthCode link width: see {@link #activeWidth()}
 * @param activeSpeedCode speed of a lane: see {@link #activeSpeed()}
 * @param physStateCode physical state: see {@link #physState()}
 * @param linkLayerCode link layer: see {@link #linkLayer()}
 * @param flags {@code IBV_QPF_*}, or'ed: see {@link #isGrhRequired()}
 * @param portCapFlags2 {@code enum ibv_port_cap_flags2}, or'ed: see {@link #capabilities2()}
 */
public record PortAttributes(
        int stateCode,
        int maxMtuCode,
        int activeMtuCode,
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
        int activeWidthCode,
        int activeSpeedCode,
        int physStateCode,
        int linkLayerCode,
        int flags,
        int portCapFlags2) {

    static {
        Natives.of(PortAttributes.class).isCreatedFrom(MemorySegment.class, PortAttributes::read);
    }

    private static final int GRH_REQUIRED = 1;

    /**
     * The logical state.
     *
     * @return the constant of {@link #stateCode}
     */
    public PortState state() {
        return PortState.of(stateCode);
    }

    /**
     * The largest MTU.
     *
     * @return the constant of {@link #maxMtuCode}
     */
    public Mtu maxMtu() {
        return Mtu.of(maxMtuCode);
    }

    /**
     * The MTU in use.
     *
     * @return the constant of {@link #activeMtuCode}
     */
    public Mtu activeMtu() {
        return Mtu.of(activeMtuCode);
    }

    /**
     * The physical state.
     *
     * @return the constant of {@link #physStateCode}
     */
    public PhysicalState physState() {
        return PhysicalState.of(physStateCode);
    }

    /**
     * How many lanes the link has.
     *
     * @return the constant of {@link #activeWidthCode}
     */
    public LinkWidth activeWidth() {
        return LinkWidth.of(activeWidthCode);
    }

    /**
     * How fast a lane of the link is.
     *
     * @return the constant of {@link #activeSpeedCode}
     */
    public LinkSpeed activeSpeed() {
        return LinkSpeed.of(activeSpeedCode);
    }

    /**
     * The link layer.
     *
     * @return the constant of {@link #linkLayerCode}
     */
    public LinkLayer linkLayer() {
        return LinkLayer.of(linkLayerCode);
    }

    /**
     * How many virtual lanes the port has.
     *
     * @return 1, 2, 4, 8 or 15; 0 if {@link #maxVlNum} is not a known code
     */
    public int virtualLanes() {
        return switch (maxVlNum) {
            case 1, 2, 3, 4 -> 1 << (maxVlNum - 1);
            case 5 -> 15; // the sixteenth belongs to the subnet manager
            default -> 0;
        };
    }

    /**
     * What the port can do, as far as this version of Isthmus knows.
     *
     * @return the capabilities of {@link #portCapFlags}
     */
    public Set<PortCapability> capabilities() {
        return PortCapability.in(portCapFlags);
    }

    /**
     * What else the port can do, as far as this version of Isthmus knows.
     *
     * @return the capabilities of {@link #portCapFlags2}
     */
    public Set<PortCapability2> capabilities2() {
        return PortCapability2.in(portCapFlags2);
    }

    /**
     * Whether every packet needs a global route header, as on RoCE: {@code IBV_QPF_GRH_REQUIRED}.
     *
     * @return true if so
     */
    public boolean isGrhRequired() {
        return (flags & GRH_REQUIRED) != 0;
    }

    static PortAttributes read(MemorySegment attributes) {
        return new PortAttributes(
                ibv_port_attr.state(attributes),
                ibv_port_attr.max_mtu(attributes),
                ibv_port_attr.active_mtu(attributes),
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
                Byte.toUnsignedInt(ibv_port_attr.link_layer(attributes)),
                Byte.toUnsignedInt(ibv_port_attr.flags(attributes)),
                Short.toUnsignedInt(ibv_port_attr.port_cap_flags2(attributes)));
    }
}
