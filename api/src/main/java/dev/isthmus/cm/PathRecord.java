// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.isthmus.bindings.ibverbs.ibv_path_data;
import dev.isthmus.bindings.ibverbs.ibv_path_record;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.verbs.Gid;
import dev.isthmus.verbs.Rate;
import dev.isthmus.verbs.attributes.Mtu;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.Objects;

/**
 * A path between two ports, as a subnet manager describes it: {@code struct ibv_path_record}. Pass it to
 * {@link ConnectionId#path} if the program knows the path better than the kernel would find it. An immutable value:
 * each setter returns a new instance. The path works in both directions.
 */
public final class PathRecord {

    private static final int FLAGS = 1 | 1 << 1 | 1 << 3 | 1 << 5; // GMP, PRIMARY, BIDIRECTIONAL: no others are valid
    private static final byte REVERSIBLE_ONE_PATH = (byte) 0x81;
    private static final int EXACTLY = 2 << 6; // the selector of an MTU, a rate, a lifetime

    private final Gid source;
    private final Gid destination;
    private int sourceLid;
    private int destinationLid;
    private int pkey = 0xffff;
    private int serviceLevel;
    private int flowLabel;
    private int hopLimit = 64;
    private int trafficClass;
    private Mtu mtu = Mtu.MTU_1024;
    private Rate rate = Rate.GBPS_2_5;
    private int packetLifetime = 16;

    private PathRecord(Gid source, Gid destination) {
        this.source = Objects.requireNonNull(source, "source");
        this.destination = Objects.requireNonNull(destination, "destination");
    }

    /**
     * A path with the default partition, MTU 1024, 2.5 Gbit/s, a hop limit of 64 and a lifetime of 268 ms.
     *
     * @param source the GID of the local port
     * @param destination the GID of the peer's port
     * @return the path
     */
    public static PathRecord between(Gid source, Gid destination) {
        return new PathRecord(source, destination);
    }

    private PathRecord copy() {
        var copy = new PathRecord(source, destination);
        copy.sourceLid = sourceLid;
        copy.destinationLid = destinationLid;
        copy.pkey = pkey;
        copy.serviceLevel = serviceLevel;
        copy.flowLabel = flowLabel;
        copy.hopLimit = hopLimit;
        copy.trafficClass = trafficClass;
        copy.mtu = mtu;
        copy.rate = rate;
        copy.packetLifetime = packetLifetime;
        return copy;
    }

    /**
     * Sets the LIDs of both ports, on InfiniBand. Default: 0.
     *
     * @param own the local port's, 16 bits
     * @param peer the peer's, 16 bits
     * @return a new path
     * @throws IllegalArgumentException if one is out of range
     */
    public PathRecord lids(int own, int peer) {
        PathRecord copy = copy();
        copy.sourceLid = checked("LID", own, 0xffff);
        copy.destinationLid = checked("LID", peer, 0xffff);
        return copy;
    }

    /**
     * Sets the partition. Default: 0xffff.
     *
     * @param key the partition key, 16 bits
     * @param level the service level in it, 4 bits
     * @return a new path
     * @throws IllegalArgumentException if one is out of range
     */
    public PathRecord partition(int key, int level) {
        PathRecord copy = copy();
        copy.pkey = checked("partition key", key, 0xffff);
        copy.serviceLevel = checked("service level", level, 15);
        return copy;
    }

    /**
     * Sets what packets carry for routers. Default: hop limit 64, the others 0.
     *
     * @param label the flow label, 20 bits
     * @param hops the hop limit, 8 bits
     * @param traffic the traffic class, 8 bits
     * @return a new path
     * @throws IllegalArgumentException if one is out of range
     */
    public PathRecord route(int label, int hops, int traffic) {
        PathRecord copy = copy();
        copy.flowLabel = checked("flow label", label, 0xf_ffff);
        copy.hopLimit = checked("hop limit", hops, 0xff);
        copy.trafficClass = checked("traffic class", traffic, 0xff);
        return copy;
    }

    /**
     * Sets the size of packets and their rate.
     *
     * @param size the MTU
     * @param speed the rate
     * @return a new path
     * @throws IllegalArgumentException if one is UNKNOWN
     */
    public PathRecord packets(Mtu size, Rate speed) {
        if (size == Mtu.UNKNOWN || speed == Rate.UNKNOWN) {
            throw new IllegalArgumentException("the MTU or the rate is UNKNOWN");
        }
        PathRecord copy = copy();
        copy.mtu = size;
        copy.rate = speed;
        return copy;
    }

    /**
     * Sets how long a packet lives; the retransmission timeout depends on it. Default: 16.
     *
     * @param code 4.096 us * 2^code: 0 to 63
     * @return a new path
     * @throws IllegalArgumentException if it is out of range
     */
    public PathRecord packetLifetime(int code) {
        PathRecord copy = copy();
        copy.packetLifetime = checked("packet lifetime", code, 63);
        return copy;
    }

    private static int checked(String name, int value, int max) {
        if (value < 0 || value > max) {
            throw new IllegalArgumentException(name + " " + value + " is not between 0 and " + max);
        }
        return value;
    }

    /** Writes a {@code struct ibv_path_data}. */
    MemorySegment write(SegmentAllocator allocator) {
        MemorySegment data = allocator.allocate(ibv_path_data.layout());
        ibv_path_data.flags(data, FLAGS);
        MemorySegment record = ibv_path_data.path(data);
        MemorySegment.copy(source.bytes(), 0, ibv_path_record.sgid(record), JAVA_BYTE, 0, Gid.BYTES);
        MemorySegment.copy(destination.bytes(), 0, ibv_path_record.dgid(record), JAVA_BYTE, 0, Gid.BYTES);
        ibv_path_record.slid(record, bigEndian16(sourceLid));
        ibv_path_record.dlid(record, bigEndian16(destinationLid));
        ibv_path_record.flowlabel_hoplimit(
                record, (int) NativeCall.fromBigEndian((long) (flowLabel << 8 | hopLimit) << 32));
        ibv_path_record.tclass(record, (byte) trafficClass);
        ibv_path_record.reversible_numpath(record, REVERSIBLE_ONE_PATH);
        ibv_path_record.pkey(record, bigEndian16(pkey));
        ibv_path_record.qosclass_sl(record, bigEndian16(serviceLevel));
        ibv_path_record.mtu(record, (byte) (EXACTLY | mtu.code()));
        ibv_path_record.rate(record, (byte) (EXACTLY | rate.code()));
        ibv_path_record.packetlifetime(record, (byte) (EXACTLY | packetLifetime));
        return data;
    }

    private static short bigEndian16(int value) {
        return (short) NativeCall.fromBigEndian((long) value << 48);
    }

    /** Both ends and what packets carry. */
    @Override
    public String toString() {
        return "PathRecord(" + source + " to " + destination + ", pkey " + Integer.toHexString(pkey) + ", " + mtu + ", "
                + rate + ")";
    }
}
