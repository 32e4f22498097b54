package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_ah_attr;
import dev.isthmus.bindings.ibverbs.ibv_global_route;
import java.lang.foreign.MemorySegment;

/**
 * The way to a peer's port: {@code struct ibv_ah_attr}. An immutable value: each method that sets a member returns
 * another one.
 *
 * @param port the local port, from 1
 * @param sgidIndex the index of the local GID; ignored without {@code dgid}
 * @param dgid the peer's GID, or null for a path by LID alone (InfiniBand only)
 * @param hopLimit how many routers may be passed, 0 to 255
 * @param trafficClass the traffic class (DSCP and ECN for RoCE v2), 0 to 255
 * @param flowLabel the flow label, 20 bits
 * @param dlid the peer's LID; 0 on Ethernet
 * @param serviceLevel the service level, 0 to 15
 */
public record AddressVector(
        int port, int sgidIndex, Gid dgid, int hopLimit, int trafficClass, int flowLabel, int dlid, int serviceLevel) {

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if a number is out of its range
     */
    public AddressVector {
        checkRange("port", port, 1, 255);
        checkRange("sgidIndex", sgidIndex, 0, 255);
        checkRange("hopLimit", hopLimit, 0, 255);
        checkRange("trafficClass", trafficClass, 0, 255);
        checkRange("flowLabel", flowLabel, 0, 0xf_ffff);
        checkRange("dlid", dlid, 0, 0xffff);
        checkRange("serviceLevel", serviceLevel, 0, 15);
    }

    private static void checkRange(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " " + value + " is not between " + min + " and " + max);
        }
    }

    /**
     * A way by GID: RoCE, or InfiniBand through routers. The hop limit is 255.
     *
     * @param local the local GID that packets come from
     * @param dgid the peer's GID
     * @return the way
     */
    public static AddressVector global(GidEntry local, Gid dgid) {
        return new AddressVector(local.port(), local.index(), dgid, 255, 0, 0, 0, 0);
    }

    /**
     * A way by LID: InfiniBand within a subnet.
     *
     * @param port the local port, from 1
     * @param dlid the peer's LID
     * @return the way
     */
    public static AddressVector local(int port, int dlid) {
        return new AddressVector(port, 0, null, 0, 0, 0, dlid, 0);
    }

    /**
     * With another hop limit.
     *
     * @param hops 0 to 255
     * @return the way
     */
    public AddressVector withHopLimit(int hops) {
        return new AddressVector(port, sgidIndex, dgid, hops, trafficClass, flowLabel, dlid, serviceLevel);
    }

    /**
     * With another traffic class.
     *
     * @param value 0 to 255
     * @return the way
     */
    public AddressVector withTrafficClass(int value) {
        return new AddressVector(port, sgidIndex, dgid, hopLimit, value, flowLabel, dlid, serviceLevel);
    }

    /**
     * With another flow label.
     *
     * @param value 20 bits
     * @return the way
     */
    public AddressVector withFlowLabel(int value) {
        return new AddressVector(port, sgidIndex, dgid, hopLimit, trafficClass, value, dlid, serviceLevel);
    }

    /**
     * With the peer's LID, which InfiniBand needs besides its GID.
     *
     * @param lid 16 bits
     * @return the way
     */
    public AddressVector withDlid(int lid) {
        return new AddressVector(port, sgidIndex, dgid, hopLimit, trafficClass, flowLabel, lid, serviceLevel);
    }

    /**
     * With another service level.
     *
     * @param level 0 to 15
     * @return the way
     */
    public AddressVector withServiceLevel(int level) {
        return new AddressVector(port, sgidIndex, dgid, hopLimit, trafficClass, flowLabel, dlid, level);
    }

    void write(MemorySegment attributes) {
        ibv_ah_attr.port_num(attributes, (byte) port);
        ibv_ah_attr.dlid(attributes, (short) dlid);
        ibv_ah_attr.sl(attributes, (byte) serviceLevel);
        if (dgid != null) {
            ibv_ah_attr.is_global(attributes, (byte) 1);
            MemorySegment route = ibv_ah_attr.grh(attributes);
            ibv_global_route.dgid(route).copyFrom(MemorySegment.ofArray(dgid.bytes()));
            ibv_global_route.sgid_index(route, (byte) sgidIndex);
            ibv_global_route.hop_limit(route, (byte) hopLimit);
            ibv_global_route.traffic_class(route, (byte) trafficClass);
            ibv_global_route.flow_label(route, flowLabel);
        }
    }
}
