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

/** Converts between {@link InetSocketAddress} and {@code struct sockaddr_in} and {@code sockaddr_in6}. */
public final class SocketAddresses {

    /** {@code sizeof(struct sockaddr_storage)}, which holds an address of any family. */
    public static final long STORAGE_BYTES = 128;

    private static final short AF_INET = 2;
    private static final short AF_INET6 = 10;
    private static final long PORT = 2;
    private static final long ADDRESS4 = 4;
    private static final long ADDRESS6 = 8;
    private static final long SCOPE6 = 24;
    private static final long BYTES4 = 16;
    private static final long BYTES6 = 28;

    private SocketAddresses() {}

    /**
     * Writes an address.
     *
     * @return a {@code struct sockaddr} of its family's length
     * @throws IllegalArgumentException if the address is an unresolved host name
     */
    public static MemorySegment write(SegmentAllocator allocator, InetSocketAddress address) {
        InetAddress host = address.getAddress();
        if (host == null) {
            throw new IllegalArgumentException("the host name " + address.getHostString() + " is not resolved");
        }
        boolean six = host instanceof Inet6Address;
        MemorySegment to = allocator.allocate(six ? BYTES6 : BYTES4, Long.BYTES);
        to.set(JAVA_SHORT, 0, six ? AF_INET6 : AF_INET);
        to.set(JAVA_BYTE, PORT, (byte) (address.getPort() >> 8));
        to.set(JAVA_BYTE, PORT + 1, (byte) address.getPort());
        byte[] bytes = host.getAddress();
        MemorySegment.copy(bytes, 0, to, JAVA_BYTE, six ? ADDRESS6 : ADDRESS4, bytes.length);
        if (host instanceof Inet6Address v6) {
            to.set(JAVA_INT, SCOPE6, v6.getScopeId());
        }
        return to;
    }

    /**
     * Reads an address.
     *
     * @param from a {@code struct sockaddr_storage}
     * @return the address; null if it is not of an internet family
     */
    public static InetSocketAddress read(MemorySegment from) {
        short family = from.get(JAVA_SHORT, 0);
        if (family != AF_INET && family != AF_INET6) {
            return null;
        }
        boolean six = family == AF_INET6;
        byte[] bytes = new byte[six ? 16 : 4];
        MemorySegment.copy(from, JAVA_BYTE, six ? ADDRESS6 : ADDRESS4, bytes, 0, bytes.length);
        int port = (Byte.toUnsignedInt(from.get(JAVA_BYTE, PORT)) << 8)
                | Byte.toUnsignedInt(from.get(JAVA_BYTE, PORT + 1));
        try {
            int scope = six ? from.get(JAVA_INT, SCOPE6) : 0;
            InetAddress host =
                    scope == 0 ? InetAddress.getByAddress(bytes) : Inet6Address.getByAddress(null, bytes, scope);
            return new InetSocketAddress(host, port);
        } catch (UnknownHostException e) {
            throw new AssertionError("an address of " + bytes.length + " bytes", e);
        }
    }
}
