package dev.isthmus.verbs;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * A GID: the 16 byte address of a port, {@code union ibv_gid}, in network order. For RoCE v2 it holds an IPv6
 * address, or an IPv4 address in mapped form. An immutable value.
 */
public final class Gid {

    /** The size of a GID in bytes. */
    public static final int BYTES = 16;

    private final byte[] bytes;

    private Gid(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * A GID of its bytes.
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
     * Whether it stands for an IPv4 address: {@code ::ffff:a.b.c.d}.
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
     * Whether it stands for a multicast group: an IPv6 multicast address, or an IPv4 one in mapped form.
     *
     * @return true if so
     */
    public boolean isMulticast() {
        return bytes[0] == (byte) 0xff || (isIpv4Mapped() && (bytes[12] & 0xf0) == 0xe0);
    }

    /**
     * The GID that stands for an IP address in RoCE v2.
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
     * The IP address that a RoCE v2 GID stands for.
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

    /** In eight groups of four hexadecimal digits, as sysfs and ibv_devinfo print it. */
    @Override
    public String toString() {
        var text = new StringBuilder(39);
        for (int i = 0; i < BYTES; i += 2) {
            text.append(i == 0 ? "" : ":").append(String.format("%02x%02x", bytes[i] & 0xff, bytes[i + 1] & 0xff));
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
