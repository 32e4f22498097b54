// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** Socket addresses in C's memory: {@code struct sockaddr_in} and {@code struct sockaddr_in6}. */
public final class SocketAddresses {

    private static final short AF_INET = 2;
    private static final short AF_INET6 = 10;

    // struct sockaddr_in: family, port, address; struct sockaddr_in6: family, port, flow, address, scope
    private static final long PORT = 2;
    private static final long ADDRESS_V4 = 4;
    private static final long ADDRESS_V6 = 8;
    private static final long SCOPE_V6 = 24;
    private static final long LENGTH_V4 = 16;
    private static final long LENGTH_V6 = 28;

    private SocketAddresses() {}

    /**
     * Writes an address.
     *
     * @return a struct of its family's length
     * @throws IllegalArgumentException if it is an unresolved name
     */
    public static MemorySegment write(SegmentAllocator allocator, InetSocketAddress address) {
        InetAddress ip = address.getAddress();
        if (ip == null) {
            throw new IllegalArgumentException(address + " is not resolved: there is no such host, or nobody asked");
        }
        boolean six = ip instanceof Inet6Address;
        MemorySegment to = allocator.allocate(six ? LENGTH_V6 : LENGTH_V4, Long.BYTES);
        to.set(JAVA_SHORT, 0, six ? AF_INET6 : AF_INET);
        to.set(JAVA_BYTE, PORT, (byte) (address.getPort() >>> 8));
        to.set(JAVA_BYTE, PORT + 1, (byte) address.getPort());
        byte[] bytes = ip.getAddress();
        MemorySegment.copy(bytes, 0, to, JAVA_BYTE, six ? ADDRESS_V6 : ADDRESS_V4, bytes.length);
        if (ip instanceof Inet6Address v6) {
            to.set(JAVA_INT, SCOPE_V6, v6.getScopeId());
        }
        return to;
    }

    /** Reads an address; null if it is of neither family, for instance before it is set. */
    public static InetSocketAddress read(MemorySegment pointer) {
        short family = NativeCall.sized(pointer, Short.BYTES).get(JAVA_SHORT, 0);
        long length = family == AF_INET6 ? LENGTH_V6 : LENGTH_V4; // C's memory may have no more
        MemorySegment from = NativeCall.sized(pointer, length);
        int port =
                Byte.toUnsignedInt(from.get(JAVA_BYTE, PORT)) << 8 | Byte.toUnsignedInt(from.get(JAVA_BYTE, PORT + 1));
        return switch (family) {
            case AF_INET -> new InetSocketAddress(ip(from, ADDRESS_V4, 4, 0), port);
            case AF_INET6 -> new InetSocketAddress(ip(from, ADDRESS_V6, 16, from.get(JAVA_INT, SCOPE_V6)), port);
            default -> null;
        };
    }

    private static InetAddress ip(MemorySegment from, long offset, int length, int scope) {
        byte[] bytes = from.asSlice(offset, length).toArray(JAVA_BYTE);
        try {
            return scope == 0 ? InetAddress.getByAddress(bytes) : Inet6Address.getByAddress(null, bytes, scope);
        } catch (UnknownHostException e) {
            throw new AssertionError("4 or 16 bytes", e);
        }
    }
}
