// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;

/**
 * The 40 bytes in front of the message in a UD receive's buffer: {@code struct ibv_grh} or, for RoCE v2 over IPv4, 20
 * undefined bytes and the IPv4 header. A view of the receive's buffer: it changes with the buffer.
 *
 * <p>It is defined if the completion says so: {@link WorkCompletions#hasGrh}. The buffer has the 40 bytes even if it
 * is not.
 */
public final class GlobalRouteHeader {

    /** How many bytes precede the message in a UD receive's buffer. */
    public static final int BYTES = 40;

    private static final int IPV4 = 20;

    private final MemorySegment bytes;

    private GlobalRouteHeader(MemorySegment bytes) {
        this.bytes = bytes;
    }

    /**
     * The header at the start of a receive's buffer.
     *
     * @param memory the buffer's memory, such as a region's segment
     * @param offset where the buffer begins in it, in bytes
     * @return a view of 40 bytes
     * @throws IndexOutOfBoundsException if there are not 40 bytes
     * @throws IllegalArgumentException if the memory is on the heap, where no device writes
     */
    public static GlobalRouteHeader of(MemorySegment memory, long offset) {
        if (!memory.isNative()) {
            throw new IllegalArgumentException("the header of a receive is in native memory, not on the heap");
        }
        return new GlobalRouteHeader(memory.asSlice(offset, BYTES));
    }

    MemorySegment bytes() {
        return bytes;
    }

    /**
     * The version of the Internet protocol of this header. Both versions can look right: an IPv4 header with a correct
     * checksum counts as one, as in libibverbs.
     *
     * @return 4 or 6; 0 if it is neither
     */
    public int version() {
        boolean six = unsigned(0) >> 4 == 6;
        if (unsigned(IPV4) == 0x45 && (!six || checksum() == 0xffff)) {
            return 4;
        }
        return six ? 6 : 0;
    }

    /** The ones' complement sum of the IPv4 header, which is all ones if its checksum is right. */
    private int checksum() {
        int sum = 0;
        for (int i = IPV4; i < BYTES; i += 2) {
            sum += unsigned16(i);
        }
        while (sum > 0xffff) {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        return sum;
    }

    private int unsigned(long offset) {
        return Byte.toUnsignedInt(bytes.get(JAVA_BYTE, offset));
    }

    private int unsigned16(long offset) {
        return unsigned(offset) << 8 | unsigned(offset + 1);
    }

    /**
     * The GID of the sender.
     *
     * @return the GID; an IPv4 address in mapped form
     */
    public Gid sgid() {
        return version() == 4 ? mapped(IPV4 + 12) : gid(8);
    }

    /**
     * The GID to which the datagram was sent: one of this port, or of a multicast group.
     *
     * @return the GID; an IPv4 address in mapped form
     */
    public Gid dgid() {
        return version() == 4 ? mapped(IPV4 + 16) : gid(24);
    }

    private Gid gid(long offset) {
        return Gid.of(bytes.asSlice(offset, Gid.BYTES).toArray(JAVA_BYTE));
    }

    private Gid mapped(long offset) {
        byte[] gid = new byte[Gid.BYTES];
        gid[10] = (byte) 0xff;
        gid[11] = (byte) 0xff;
        MemorySegment.copy(bytes, JAVA_BYTE, offset, gid, 12, 4);
        return Gid.of(gid);
    }

    /**
     * The traffic class.
     *
     * @return 0 to 255: DSCP and ECN
     */
    public int trafficClass() {
        return version() == 4 ? unsigned(IPV4 + 1) : unsigned16(0) >> 4 & 0xff;
    }

    /**
     * The flow label.
     *
     * @return 20 bits; 0 for IPv4, which has none
     */
    public int flowLabel() {
        return version() == 4 ? 0 : (unsigned(1) & 0xf) << 16 | unsigned16(2);
    }

    /**
     * The next protocol.
     *
     * @return its number: 0x1b for InfiniBand, 17 (UDP) for RoCE v2
     */
    public int nextHeader() {
        return version() == 4 ? unsigned(IPV4 + 9) : unsigned(6);
    }

    /**
     * How many more routers the datagram could have passed.
     *
     * @return 0 to 255
     */
    public int hopLimit() {
        return version() == 4 ? unsigned(IPV4 + 8) : unsigned(7);
    }

    /** The version and the GIDs. */
    @Override
    public String toString() {
        return "GlobalRouteHeader(version " + version() + ", from " + sgid() + " to " + dgid() + ")";
    }
}
