// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.isthmus.VerbsException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Optional;

/**
 * The network interfaces of this process's network namespace. {@code java.net.NetworkInterface} does not see those
 * without an IP address.
 */
public final class NetworkInterfaces {

    /** {@code IF_NAMESIZE} of net/if.h. */
    private static final int NAME_SIZE = 16;

    /** {@code char *if_indextoname(unsigned, char *)}: NULL if there is none. */
    private static final NativeFunction INDEX_TO_NAME = Libc.function("if_indextoname", ADDRESS, JAVA_INT, ADDRESS);

    private static final NativeFunction GETIFADDRS = Libc.function("getifaddrs", JAVA_INT, ADDRESS);
    private static final NativeFunction FREEIFADDRS = Libc.procedure("freeifaddrs", ADDRESS);

    // struct ifaddrs of ifaddrs.h
    private static final long IFA_NEXT = 0;
    private static final long IFA_NAME = 8;
    private static final long IFA_ADDR = 24;
    private static final long IFADDRS_BYTES = 56;

    // struct sockaddr_in, sockaddr_in6 and sockaddr_ll
    private static final short AF_INET = 2;
    private static final long IN_ADDR = 4;
    private static final short AF_INET6 = 10;
    private static final long IN6_ADDR = 8;
    private static final short AF_PACKET = 17;
    private static final long LL_HALEN = 11;
    private static final long LL_ADDR = 12;

    private static final int IPV4_BYTES = 4;
    private static final int IPV6_BYTES = 16;
    private static final int MAC_BYTES = 6;

    /** What precedes an IPv4 address in a GID. */
    private static final byte[] MAPPED = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1};

    /** What precedes the identifier in a link-local address. */
    private static final byte[] LINK_LOCAL = {(byte) 0xfe, (byte) 0x80, 0, 0, 0, 0, 0, 0};

    private NetworkInterfaces() {}

    /** The name of the interface with an index; empty if there is none in this namespace. */
    public static Optional<String> name(int index) {
        try (var call = new NativeCall()) {
            MemorySegment name = call.allocate(NAME_SIZE, 1);
            return call.pointer(INDEX_TO_NAME, index, name).address() == 0
                    ? Optional.empty()
                    : Optional.of(name.getString(0));
        }
    }

    /**
     * Whether RoCE may give an interface of this namespace a GID: one for each of its IP addresses, and one made of its
     * Ethernet address.
     *
     * @param index the interface's index; interfaces of other namespaces may have the same
     * @param gid the GID
     */
    public static boolean hasGid(int index, byte[] gid) {
        Optional<String> name = name(index);
        return name.isPresent() && hasGid(name.get(), gid);
    }

    private static boolean hasGid(String name, byte[] gid) {
        try (var call = new NativeCall()) {
            MemorySegment list = call.allocate(ADDRESS);
            if (call.integer(GETIFADDRS, list) != 0) {
                throw new VerbsException(GETIFADDRS.name(), "", call.errno(), "");
            }
            MemorySegment first = list.get(ADDRESS, 0);
            try {
                return hasGid(first, name, gid);
            } finally {
                call.nothing(FREEIFADDRS, first);
            }
        }
    }

    private static boolean hasGid(MemorySegment first, String name, byte[] gid) {
        for (MemorySegment next = first; next.address() != 0; ) {
            MemorySegment entry = NativeCall.sized(next, IFADDRS_BYTES);
            String label = NativeCall.string(entry.get(ADDRESS, IFA_NAME)); // of an IPv4 address also "eth0:1"
            MemorySegment address = entry.get(ADDRESS, IFA_ADDR);
            if ((label.equals(name) || label.startsWith(name + ":")) && address.address() != 0 && gives(address, gid)) {
                return true;
            }
            next = entry.get(ADDRESS, IFA_NEXT);
        }
        return false;
    }

    /** Whether RoCE makes the GID of the address. */
    private static boolean gives(MemorySegment sockaddr, byte[] gid) {
        return switch (NativeCall.sized(sockaddr, Short.BYTES).get(JAVA_SHORT, 0)) {
            case AF_INET ->
                startsWith(gid, MAPPED)
                        && Arrays.equals(bytes(sockaddr, IN_ADDR, IPV4_BYTES), Arrays.copyOfRange(gid, 12, 16));
            case AF_INET6 -> Arrays.equals(bytes(sockaddr, IN6_ADDR, IPV6_BYTES), gid);
            case AF_PACKET ->
                NativeCall.sized(sockaddr, LL_ADDR).get(JAVA_BYTE, LL_HALEN) == MAC_BYTES
                        && startsWith(gid, LINK_LOCAL)
                        && isMadeOf(bytes(sockaddr, LL_ADDR, MAC_BYTES), gid);
            default -> false;
        };
    }

    private static byte[] bytes(MemorySegment sockaddr, long offset, int count) {
        return NativeCall.sized(sockaddr, offset + count).asSlice(offset).toArray(JAVA_BYTE);
    }

    private static boolean startsWith(byte[] gid, byte[] prefix) {
        return Arrays.equals(gid, 0, prefix.length, prefix, 0, prefix.length);
    }

    /**
     * Whether an identifier is that of an Ethernet address: three of its bytes, two that the driver may choose, and the
     * other three; one bit of the first byte may differ (addrconf_ifid_eui48 of net/addrconf.h).
     */
    private static boolean isMadeOf(byte[] mac, byte[] gid) {
        return ((gid[8] ^ mac[0]) & ~2) == 0
                && Arrays.equals(gid, 9, 11, mac, 1, 3)
                && Arrays.equals(gid, 13, 16, mac, 3, 6);
    }
}
