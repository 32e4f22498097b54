// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.cm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.isthmus.internal.SocketAddresses;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;

/** Socket addresses as librdmacm takes them: {@link SocketAddresses}, and {@code struct sockaddr_ib}. */
public final class CmSocketAddresses {

    private static final short AF_IB = 27;

    // struct sockaddr_ib: family, partition key, flow, GID, service, its mask, scope
    private static final long IB_LENGTH = 48;
    private static final long IB_PKEY = 2;
    private static final long IB_SERVICE = 24;
    private static final long IB_MASK = 32;

    /** The offset of the GID in {@code struct sockaddr_ib}. */
    public static final long IB_GID = 8;

    private CmSocketAddresses() {}

    /** Writes a {@code struct sockaddr_ib} except for its GID. */
    public static MemorySegment allocateIb(SegmentAllocator allocator, int pkey, long service, long mask) {
        MemorySegment segment = allocator.allocate(IB_LENGTH, Long.BYTES);
        segment.set(JAVA_SHORT, 0, AF_IB);
        segment.set(JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN), IB_PKEY, (short) pkey);
        segment.set(JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN), IB_SERVICE, service);
        segment.set(JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN), IB_MASK, mask);
        return segment;
    }

    /**
     * Writes an address.
     *
     * @return a struct of its family's length
     * @throws IllegalArgumentException if it is an unresolved name, or link-local without a scope, which the kernel
     *     would refuse without a reason
     */
    public static MemorySegment write(SegmentAllocator allocator, InetSocketAddress address) {
        if (address.getAddress() instanceof Inet6Address v6 && v6.isLinkLocalAddress() && v6.getScopeId() == 0) {
            throw new IllegalArgumentException(
                    address + " is link-local and names no interface: add a scope, as in fe80::1%eth0");
        }
        return SocketAddresses.write(allocator, address);
    }
}
