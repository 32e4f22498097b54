// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.exchange;

import dev.isthmus.verbs.Gid;
import dev.isthmus.verbs.QueuePairAddress;
import dev.isthmus.verbs.attributes.Mtu;
import java.nio.ByteBuffer;
import java.util.Locale;

/**
 * The messages of an {@link AddressExchange}, big-endian: a prefix of 8 bytes (magic 4, version 2, kind 2), and in an
 * address 32 bytes more (queue pair number 4, packet sequence number 4, LID 2, MTU code 1, read depth 1, GID 16, length
 * of the data 2, zero 2) and the data.
 */
final class ExchangeMessage {

    static final int PREFIX_BYTES = 8;
    static final int ADDRESS_BYTES = 32;

    /** The kinds of messages. */
    enum Kind {
        ADDRESS(1, "its address"),
        READY(2, "that it is ready");

        private final int code;
        private final String text;

        Kind(int code, String text) {
            this.code = code;
            this.text = text;
        }

        /** What was awaited, for messages. */
        String text() {
            return text;
        }
    }

    private static final int MAGIC = 0x49737468; // "Isth"
    private static final int VERSION = 1;
    private static final int MULTICAST = 0xff;

    private ExchangeMessage() {}

    static ByteBuffer ready() {
        return prefix(Kind.READY, 0).flip();
    }

    static ByteBuffer address(QueuePairAddress mine, ByteBuffer data) {
        int length = data.remaining();
        if (length > AddressExchange.MAX_DATA_BYTES) {
            throw new IllegalArgumentException(length + " bytes of data are more than the "
                    + AddressExchange.MAX_DATA_BYTES + " that can be sent");
        }
        return prefix(Kind.ADDRESS, ADDRESS_BYTES + length)
                .putInt(mine.qpNum())
                .putInt(mine.psn())
                .putShort((short) mine.lid())
                .put((byte) mine.mtu().code())
                .put((byte) mine.readDepth())
                .put(mine.gid().bytes())
                .putShort((short) length)
                .putShort((short) 0)
                .put(data.duplicate())
                .flip();
    }

    private static ByteBuffer prefix(Kind kind, int more) {
        return ByteBuffer.allocate(PREFIX_BYTES + more)
                .putInt(MAGIC)
                .putShort((short) VERSION)
                .putShort((short) kind.code);
    }

    /** Whether a prefix belongs to another version of this protocol. */
    static boolean isOtherVersion(ByteBuffer prefix) {
        return prefix.getInt(0) == MAGIC && prefix.getShort(4) != VERSION;
    }

    /** How a prefix differs from the expected one, as the end of a sentence; empty if it does not. */
    static String whatIsWrong(ByteBuffer prefix, Kind expected) {
        if (prefix.getInt(0) != MAGIC) {
            return "does not speak this protocol: it began with " + printable(prefix);
        }
        int version = Short.toUnsignedInt(prefix.getShort(4));
        if (version != VERSION) {
            return "speaks version " + version + " of the protocol, this is version " + VERSION;
        }
        int kind = Short.toUnsignedInt(prefix.getShort(6));
        for (Kind known : Kind.values()) {
            if (known.code == kind) {
                return known == expected ? "" : "told " + known.text + " instead of " + expected.text;
            }
        }
        return "sent a message of the unknown kind " + kind;
    }

    /** How many bytes follow an address. */
    static int dataLength(ByteBuffer address) {
        int length = Short.toUnsignedInt(address.getShort(28));
        if (length > AddressExchange.MAX_DATA_BYTES || address.getShort(30) != 0) {
            throw new IllegalArgumentException("announced " + length + " bytes of data, with "
                    + Integer.toHexString(address.getShort(30)) + " behind: at most " + AddressExchange.MAX_DATA_BYTES
                    + " and 0 are possible");
        }
        return length;
    }

    static QueuePairAddress decode(ByteBuffer address) {
        byte[] bytes = new byte[Gid.BYTES];
        address.get(12, bytes);
        int lid = Short.toUnsignedInt(address.getShort(8));
        Gid gid = Gid.of(bytes);
        if (Byte.toUnsignedInt(bytes[0]) == MULTICAST) {
            throw new IllegalArgumentException("sent the GID of a multicast group, " + gid);
        }
        if (gid.isZero() && lid == 0) {
            throw new IllegalArgumentException("sent neither a GID nor a LID");
        }
        int mtu = Byte.toUnsignedInt(address.get(10));
        if (Mtu.of(mtu) == Mtu.UNKNOWN) {
            throw new IllegalArgumentException("sent the unknown MTU code " + mtu);
        }
        int readDepth = Byte.toUnsignedInt(address.get(11));
        try {
            return new QueuePairAddress(address.getInt(0), address.getInt(4), lid, gid, Mtu.of(mtu), readDepth);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("sent an impossible address: " + e.getMessage(), e);
        }
    }

    /** Received bytes, in quotes; everything but plain ASCII as hexadecimal digits. */
    private static String printable(ByteBuffer bytes) {
        var text = new StringBuilder("\"");
        for (int i = 0; i < bytes.limit(); i++) {
            int b = Byte.toUnsignedInt(bytes.get(i));
            boolean plain = b >= ' ' && b < 0x7f && b != '"' && b != '\\';
            text.append(plain ? String.valueOf((char) b) : String.format(Locale.ROOT, "\\x%02x", b));
        }
        return text.append('"').toString();
    }
}
