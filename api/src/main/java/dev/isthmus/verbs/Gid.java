// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A GID: the 16 byte address of a port, {@code union ibv_gid}, in network order. For RoCE v2 it holds an IPv6
 * address, or an IPv4 address in mapped form. An immutable value.
 */
public final class Gid {

    /** The size of a GID in bytes. */
    public static final int BYTES = 16;

    private static final int GROUPS = BYTES / 2;

    private final byte[] bytes;

    private Gid(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * A GID from its bytes.
     *
     * @param bytes 16 bytes in network order; copied
     * @return the GID
     * @throws IllegalArgumentException if there are not 16
     */
    public static Gid of(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a GID has 16 bytes, not " + bytes.length);
        }
        return new Gid(bytes.clone());
    }

    /**
     * The bytes in network order.
     *
     * @return a copy of the 16 bytes
     */
    public byte[] bytes() {
        return bytes.clone();
    }

    /**
     * Whether it represents an IPv4 address: {@code ::ffff:a.b.c.d}.
     *
     * @return true if so
     */
    public boolean isIpv4Mapped() {
        for (int i = 0; i < 10; i++) {
            if (bytes[i] != 0) {
                return false;
            }
        }
        return bytes[10] == (byte) 0xff && bytes[11] == (byte) 0xff;
    }

    /**
     * Whether it represents a multicast group: an IPv6 multicast address, or an IPv4 one in mapped form.
     *
     * @return true if so
     */
    public boolean isMulticast() {
        return bytes[0] == (byte) 0xff || (isIpv4Mapped() && (bytes[12] & 0xf0) == 0xe0);
    }

    /**
     * The GID that represents an IP address in RoCE v2.
     *
     * @param address an IPv6 address, or an IPv4 address, which is mapped
     * @return the GID
     */
    public static Gid of(InetAddress address) {
        byte[] raw = address.getAddress();
        byte[] gid = new byte[BYTES];
        if (raw.length == 4) {
            gid[10] = (byte) 0xff;
            gid[11] = (byte) 0xff;
        }
        System.arraycopy(raw, 0, gid, BYTES - raw.length, raw.length);
        return new Gid(gid);
    }

    /**
     * Whether all bytes are zero, as in an empty entry of a GID table.
     *
     * @return true if so
     */
    public boolean isZero() {
        return Arrays.equals(bytes, new byte[BYTES]);
    }

    /**
     * The IP address that a RoCE v2 GID represents.
     *
     * @return an IPv4 address if it is mapped, an IPv6 address otherwise
     */
    public InetAddress toInetAddress() {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError("16 bytes are an address", e);
        }
    }

    /**
     * The IP address that a RoCE v2 GID represents, in its short form, as inet_ntop(3) writes it.
     *
     * @return a text such as {@code fe80::1} or {@code ::ffff:10.0.0.1}
     */
    public String toIpString() {
        int zeros = 0; // the start of the longest run of zero groups
        int longest = 1; // a single group is not shortened
        for (int first = 0; first < GROUPS; first++) {
            int next = first;
            while (next < GROUPS && group(next) == 0) {
                next++;
            }
            if (next - first > longest) {
                zeros = first;
                longest = next - first;
            }
        }
        if (longest == 1) {
            return groups(0, GROUPS);
        }
        boolean ipv4 = zeros == 0 && (longest == 6 || (longest == 5 && group(5) == 0xffff));
        if (ipv4) {
            return "::" + (longest == 5 ? "ffff:" : "") + (bytes[12] & 0xff) + '.' + (bytes[13] & 0xff) + '.'
                    + (bytes[14] & 0xff) + '.' + (bytes[15] & 0xff);
        }
        return groups(0, zeros) + "::" + groups(zeros + longest, GROUPS);
    }

    private int group(int index) {
        return (bytes[2 * index] & 0xff) << 8 | (bytes[2 * index + 1] & 0xff);
    }

    private String groups(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(i -> Integer.toHexString(group(i)))
                .collect(Collectors.joining(":"));
    }

    /** Eight groups of four hexadecimal digits, as sysfs and ibv_devinfo print it. */
    @Override
    public String toString() {
        var text = new StringBuilder(39);
        for (int i = 0; i < BYTES; i += 2) {
            text.append(i == 0 ? "" : ":")
                    .append(String.format(Locale.ROOT, "%02x%02x", bytes[i] & 0xff, bytes[i + 1] & 0xff));
        }
        return text.toString();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Gid gid && Arrays.equals(bytes, gid.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }
}
