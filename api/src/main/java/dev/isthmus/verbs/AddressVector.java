// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_ah_attr;
import dev.isthmus.bindings.ibverbs.ibv_global_route;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.verbs.Libibverbs;
import dev.isthmus.internal.verbs.VerbsCall;
import dev.isthmus.verbs.attributes.PortAttributes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * The path to a peer's port: {@code struct ibv_ah_attr}. An immutable value: each method that sets a member returns a
 * new instance.
 */
public final class AddressVector {

    static {
        Natives.of(AddressVector.class).isCreatedFrom(MemorySegment.class, AddressVector::read);
    }

    private static final int MAX_FLOW_LABEL = 0xf_ffff;

    private int port;
    private int sgidIndex;
    private Gid dgid; // null if addressed by LID alone
    private int hopLimit;
    private int trafficClass;
    private int flowLabel;
    private int dlid;
    private int serviceLevel;
    private int srcPathBits;
    private Rate staticRate = Rate.MAX;

    private AddressVector() {}

    private AddressVector(AddressVector other) {
        port = other.port;
        sgidIndex = other.sgidIndex;
        dgid = other.dgid;
        hopLimit = other.hopLimit;
        trafficClass = other.trafficClass;
        flowLabel = other.flowLabel;
        dlid = other.dlid;
        serviceLevel = other.serviceLevel;
        srcPathBits = other.srcPathBits;
        staticRate = other.staticRate;
    }

    /**
     * A path by GID: RoCE, or InfiniBand through routers. The hop limit is 255.
     *
     * @param local the local GID, which packets carry as their source
     * @param dgid the peer's GID
     * @return the path
     * @throws IllegalArgumentException if the port or the index of the local GID is out of range
     */
    public static AddressVector global(GidEntry local, Gid dgid) {
        var vector = new AddressVector();
        vector.port = checked("port", local.port(), 1, 255);
        vector.sgidIndex = checked("sgidIndex", local.index(), 0, 255);
        vector.dgid = Objects.requireNonNull(dgid, "dgid");
        vector.hopLimit = 255;
        return vector;
    }

    /**
     * A path by LID: InfiniBand within a subnet.
     *
     * @param port the local port, from 1
     * @param dlid the peer's LID
     * @return the path
     * @throws IllegalArgumentException if one is out of range
     */
    public static AddressVector local(int port, int dlid) {
        var vector = new AddressVector();
        vector.port = checked("port", port, 1, 255);
        vector.dlid = checked("dlid", dlid, 0, 0xffff);
        return vector;
    }

    /**
     * The path back to the sender of a datagram: {@code ibv_init_ah_from_wc}.
     *
     * @param context the device that received it
     * @param port the port at which it arrived, from 1
     * @param done the completions that include its receive
     * @param index which of them
     * @param header the header in the receive's buffer; may be null if the completion has none
     * @return the path
     * @throws IndexOutOfBoundsException if there is no such completion
     * @throws IllegalStateException if the completion is not of a successful receive, or the device is closed
     * @throws IllegalArgumentException if the completion has a header, and none is given
     * @throws dev.isthmus.VerbsException if the call fails, for example because the header's addresses do not belong to
     *     the port
     */
    public static AddressVector ofSender(
            DeviceContext context, int port, WorkCompletions done, int index, GlobalRouteHeader header) {
        MemorySegment grh = done.headerOf(index, header);
        try (var call = new VerbsCall(context.lifetime())
                .explain(errno -> "the completion or its header is not of a datagram that this port received")) {
            MemorySegment attributes = call.allocate(ibv_ah_attr.layout());
            call.checkErrno(
                    Libibverbs.INIT_AH_FROM_WC,
                    context + ", port " + port,
                    context.handle(),
                    checkedPort(port),
                    done.completion(index),
                    grh,
                    attributes);
            return read(attributes);
        }
    }

    /** Reads what the C library wrote; null if it has no port, as for a queue pair whose path was never set. */
    static AddressVector read(MemorySegment attributes) {
        var vector = new AddressVector();
        vector.port = Byte.toUnsignedInt(ibv_ah_attr.port_num(attributes));
        vector.dlid = Short.toUnsignedInt(ibv_ah_attr.dlid(attributes));
        vector.serviceLevel = Byte.toUnsignedInt(ibv_ah_attr.sl(attributes));
        vector.srcPathBits = Byte.toUnsignedInt(ibv_ah_attr.src_path_bits(attributes));
        vector.staticRate = Rate.of(Byte.toUnsignedInt(ibv_ah_attr.static_rate(attributes)));
        if (ibv_ah_attr.is_global(attributes) != 0) {
            MemorySegment route = ibv_ah_attr.grh(attributes);
            vector.dgid = Gid.of(ibv_global_route.dgid(route).toArray(ValueLayout.JAVA_BYTE));
            vector.sgidIndex = Byte.toUnsignedInt(ibv_global_route.sgid_index(route));
            vector.hopLimit = Byte.toUnsignedInt(ibv_global_route.hop_limit(route));
            vector.trafficClass = Byte.toUnsignedInt(ibv_global_route.traffic_class(route));
            vector.flowLabel = ibv_global_route.flow_label(route);
        }
        return vector.port == 0 ? null : vector;
    }

    /**
     * This path with another hop limit.
     *
     * @param hops 0 to 255
     * @return the path
     * @throws IllegalArgumentException if it is out of range
     */
    public AddressVector withHopLimit(int hops) {
        var vector = new AddressVector(this);
        vector.hopLimit = checked("hopLimit", hops, 0, 255);
        return vector;
    }

    /**
     * This path with another traffic class.
     *
     * @param value DSCP and ECN for RoCE v2, 0 to 255
     * @return the path
     * @throws IllegalArgumentException if it is out of range
     */
    public AddressVector withTrafficClass(int value) {
        var vector = new AddressVector(this);
        vector.trafficClass = checked("trafficClass", value, 0, 255);
        return vector;
    }

    /**
     * This path with another flow label.
     *
     * @param value 20 bits
     * @return the path
     * @throws IllegalArgumentException if it is out of range
     */
    public AddressVector withFlowLabel(int value) {
        var vector = new AddressVector(this);
        vector.flowLabel = checked("flowLabel", value, 0, MAX_FLOW_LABEL);
        return vector;
    }

    /**
     * This path with the peer's LID, which InfiniBand needs in addition to its GID.
     *
     * @param lid 16 bits
     * @return the path
     * @throws IllegalArgumentException if it is out of range
     */
    public AddressVector withDlid(int lid) {
        var vector = new AddressVector(this);
        vector.dlid = checked("dlid", lid, 0, 0xffff);
        return vector;
    }

    /**
     * This path with another service level.
     *
     * @param level 0 to 15
     * @return the path
     * @throws IllegalArgumentException if it is out of range
     */
    public AddressVector withServiceLevel(int level) {
        var vector = new AddressVector(this);
        vector.serviceLevel = checked("serviceLevel", level, 0, 15);
        return vector;
    }

    /**
     * This path with another of the port's LIDs as its source.
     *
     * @param bits the low bits of the LID, 0 to 127; see {@link PortAttributes#lmc}
     * @return the path
     * @throws IllegalArgumentException if it is out of range
     */
    public AddressVector withSrcPathBits(int bits) {
        var vector = new AddressVector(this);
        vector.srcPathBits = checked("srcPathBits", bits, 0, 127);
        return vector;
    }

    /**
     * This path with a limit to the rate of packets.
     *
     * @param rate the rate; {@link Rate#MAX} is no limit
     * @return the path
     * @throws IllegalArgumentException if it is UNKNOWN
     */
    public AddressVector withStaticRate(Rate rate) {
        if (rate == Rate.UNKNOWN) {
            throw new IllegalArgumentException("staticRate is UNKNOWN");
        }
        var vector = new AddressVector(this);
        vector.staticRate = rate;
        return vector;
    }

    /**
     * The source UDP port of RoCE version 2 packets, by which networks spread them over several routes:
     * {@code ibv_flow_label_to_udp_sport}.
     *
     * @return 0xc000 to 0xffff
     */
    public int udpSourcePort() {
        int low = flowLabel & 0x3fff;
        int high = flowLabel & 0xf_c000;
        return (low ^ high >> 14) | 0xc000;
    }

    /** A port in C's type. */
    static byte checkedPort(int port) {
        return (byte) checked("port", port, 1, 255);
    }

    private static int checked(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " " + value + " is not between " + min + " and " + max);
        }
        return value;
    }

    /**
     * The local port.
     *
     * @return its number, from 1
     */
    public int port() {
        return port;
    }

    /**
     * The index of the local GID.
     *
     * @return the index; meaningless if {@link #dgid} is null
     */
    public int sgidIndex() {
        return sgidIndex;
    }

    /**
     * The peer's GID.
     *
     * @return the GID, or null for a path by LID alone
     */
    public Gid dgid() {
        return dgid;
    }

    /**
     * How many routers packets may pass.
     *
     * @return 0 to 255
     */
    public int hopLimit() {
        return hopLimit;
    }

    /**
     * The traffic class.
     *
     * @return 0 to 255
     */
    public int trafficClass() {
        return trafficClass;
    }

    /**
     * The flow label.
     *
     * @return 20 bits
     */
    public int flowLabel() {
        return flowLabel;
    }

    /**
     * The peer's LID.
     *
     * @return 16 bits, 0 on Ethernet
     */
    public int dlid() {
        return dlid;
    }

    /**
     * The service level.
     *
     * @return 0 to 15
     */
    public int serviceLevel() {
        return serviceLevel;
    }

    /**
     * Which of the port's LIDs is the source.
     *
     * @return the low bits of the LID
     */
    public int srcPathBits() {
        return srcPathBits;
    }

    /**
     * The limit to the rate of packets.
     *
     * @return the rate
     */
    public Rate staticRate() {
        return staticRate;
    }

    void write(MemorySegment attributes) {
        ibv_ah_attr.port_num(attributes, (byte) port);
        ibv_ah_attr.dlid(attributes, (short) dlid);
        ibv_ah_attr.sl(attributes, (byte) serviceLevel);
        ibv_ah_attr.src_path_bits(attributes, (byte) srcPathBits);
        ibv_ah_attr.static_rate(attributes, (byte) (staticRate == Rate.UNKNOWN ? 0 : staticRate.code()));
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

    @Override
    public boolean equals(Object other) {
        return other instanceof AddressVector that
                && port == that.port
                && sgidIndex == that.sgidIndex
                && Objects.equals(dgid, that.dgid)
                && hopLimit == that.hopLimit
                && trafficClass == that.trafficClass
                && flowLabel == that.flowLabel
                && dlid == that.dlid
                && serviceLevel == that.serviceLevel
                && srcPathBits == that.srcPathBits
                && staticRate == that.staticRate;
    }

    @Override
    public int hashCode() {
        return Objects.hash(port, sgidIndex, dgid, dlid, serviceLevel, hopLimit, trafficClass, flowLabel);
    }

    /** The port and the destination, for messages. */
    @Override
    public String toString() {
        return "port " + port + (dgid == null ? "" : ", gid index " + sgidIndex + " to gid " + dgid)
                + (dlid == 0 ? "" : ", to lid " + dlid);
    }
}
