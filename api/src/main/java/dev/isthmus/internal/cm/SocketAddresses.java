// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.cm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.isthmus.internal.NativeCall;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;

/** Socket addresses in C's memory: {@code struct sockaddr_in} and {@code struct sockaddr_in6}. */
public final class SocketAddresses {

    private static final short AF_INET = 2;
    private static final short AF_INET6 = 10;
    private static final short AF_IB = 27;

    /** {@code sizeof(struct sockaddr_storage)}. */
    private static final long STORAGE = 128;

    // struct sockaddr_in: family, port, address; struct sockaddr_in6: family, port, flow, address, scope
    private static final long PORT = 2;
    private static final long ADDRESS_V4 = 4;
    private static final long ADDRESS_V6 = 8;
    private static final long SCOPE_V6 = 24;
    private static final long LENGTH_V4 = 16;
    private static final long LENGTH_V6 = 28;

    // struct sockaddr_ib: family, partition key, flow, GID, service, its mask, scope
    private static final long IB_PKEY = 2;
    private static final long IB_SERVICE = 24;
    private static final long IB_MASK = 32;

    /** The offset of the GID in {@code struct sockaddr_ib}. */
    public static final long IB_GID = 8;

    private SocketAddresses() {}

    /** Writes a {@code struct sockaddr_ib} except for its GID. */
    public static MemorySegment allocateIb(SegmentAllocator allocator, int pkey, long service, long mask) {
        MemorySegment segment = allocator.allocate(STORAGE, Long.BYTES);
        segment.set(JAVA_SHORT, 0, AF_IB);
        segment.set(JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN), IB_PKEY, (short) pkey);
        segment.set(JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN), IB_SERVICE, service);
        segment.set(JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN), IB_MASK, mask);
        return segment;
    }

    /**
     * Writes an address.
     *
     * @throws IllegalArgumentException if it is an unresolved name, or link-local without a scope, which the kernel
     *     would refuse without a reason
     */
    public static MemorySegment write(SegmentAllocator allocator, InetSocketAddress address) {
        InetAddress ip = address.getAddress();
        if (ip == null) {
            throw new IllegalArgumentException(address + " is not resolved: there is no such host, or nobody asked");
        }
        if (ip instanceof Inet6Address v6 && v6.isLinkLocalAddress() && v6.getScopeId() == 0) {
            throw new IllegalArgumentException(
                    address + " is link-local and names no interface: add a scope, as in fe80::1%eth0");
        }
        MemorySegment segment = allocator.allocate(STORAGE, Long.BYTES);
        byte[] bytes = ip.getAddress();
        segment.set(JAVA_BYTE, PORT, (byte) (address.getPort() >>> 8));
        segment.set(JAVA_BYTE, PORT + 1, (byte) address.getPort());
        if (ip instanceof Inet6Address v6) {
            segment.set(JAVA_SHORT, 0, AF_INET6);
            MemorySegment.copy(bytes, 0, segment, JAVA_BYTE, ADDRESS_V6, bytes.length);
            segment.set(JAVA_INT, SCOPE_V6, v6.getScopeId());
        } else {
            segment.set(JAVA_SHORT, 0, AF_INET);
            MemorySegment.copy(bytes, 0, segment, JAVA_BYTE, ADDRESS_V4, bytes.length);
        }
        return segment;
    }

    /** How many bytes of it C reads. */
    public static int length(InetSocketAddress address) {
        return (int) (address.getAddress() instanceof Inet6Address ? LENGTH_V6 : LENGTH_V4);
    }

    /** Reads an address; null if it is of neither family, for instance before it is set. */
    public static InetSocketAddress read(MemorySegment pointer) {
        short family = NativeCall.sized(pointer, Short.BYTES).get(JAVA_SHORT, 0);
        long length = family == AF_INET6 ? LENGTH_V6 : LENGTH_V4; // C's memory may have no more
        MemorySegment segment = NativeCall.sized(pointer, length);
        int port = Byte.toUnsignedInt(segment.get(JAVA_BYTE, PORT)) << 8
                | Byte.toUnsignedInt(segment.get(JAVA_BYTE, PORT + 1));
        return switch (family) {
            case AF_INET -> new InetSocketAddress(ip(segment, ADDRESS_V4, 4, 0), port);
            case AF_INET6 -> new InetSocketAddress(ip(segment, ADDRESS_V6, 16, segment.get(JAVA_INT, SCOPE_V6)), port);
            default -> null;
        };
    }

    private static InetAddress ip(MemorySegment segment, long offset, int length, int scope) {
        byte[] bytes = segment.asSlice(offset, length).toArray(JAVA_BYTE);
        try {
            return scope == 0 ? InetAddress.getByAddress(bytes) : Inet6Address.getByAddress(null, bytes, scope);
        } catch (UnknownHostException e) {
            throw new AssertionError("4 or 16 bytes", e);
        }
    }
}
