// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.verbs.Gid;
import dev.isthmus.verbs.attributes.Mtu;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The messages of perftest's exchange as bytes. Every decoder takes a message of exactly the right length. For anything
 * that C would not have sent, it throws an {@link IllegalArgumentException} that says what is wrong.
 */
final class ExchangeFormat {

    static final int VERSION_BYTES = 16;
    static final int INT_BYTES = 4;
    static final int MTU_BYTES = 2;
    static final int DESTINATION_BYTES = 59;
    static final int DESTINATION_GID_BYTES = 108;
    static final int STRUCT_BYTES = 56;

    private static final int VADDR_OFFSET = 24;
    private static final int NO_GID = -1;

    /** What C writes at the end, with its NUL. Nobody reads it. */
    static final byte[] DONE = {'d', 'o', 'n', 'e', 0};

    /** Hexadecimal fields of fixed widths between colons, a GID byte by byte. */
    private static final Pattern DESTINATION = Pattern.compile(
            "(X{4}):(X{4}):(X{6}):(X{6}):(X{8}):(X{16}):((?:X{2}:){16})?(X{8}):?\0".replace("X", "\\p{XDigit}"));

    private ExchangeFormat() {}

    static byte[] encodeVersion(String version) {
        return Arrays.copyOf(ascii(version), VERSION_BYTES);
    }

    /** A decimal number such as 6.06. C compares it as a number, too. */
    static BigDecimal decodeVersion(byte[] message) {
        int length = 0;
        while (length < VERSION_BYTES && message[length] != 0) {
            length++;
        }
        if (length == VERSION_BYTES) {
            throw new IllegalArgumentException("a version without an end: " + printable(latin1(message)));
        }
        // C sends a cleared buffer, but older versions fill it by strncpy: ignore what follows the NUL.
        String text = latin1(Arrays.copyOf(message, length));
        if (!text.matches("[0-9]{1,4}(\\.[0-9]{1,8})?")) {
            throw new IllegalArgumentException("not a version: " + printable(text));
        }
        return new BigDecimal(text);
    }

    static byte[] encodeInt(int value) {
        return ByteBuffer.allocate(INT_BYTES).putInt(value).array();
    }

    static int decodeInt(String what, byte[] message, int min, int max) {
        int value = ByteBuffer.wrap(message).getInt();
        if (value < min || value > max) {
            throw new IllegalArgumentException(what + " " + value + " is not between " + min + " and " + max);
        }
        return value;
    }

    static byte[] encodeMtu(Mtu mtu) {
        return new byte[] {(byte) ('0' + mtu.code()), 0};
    }

    static Mtu decodeMtu(byte[] message) {
        Mtu mtu = Mtu.of(message[0] - '0');
        if (mtu == Mtu.UNKNOWN || message[1] != 0) {
            throw new IllegalArgumentException("not an MTU: " + printable(latin1(message)));
        }
        return mtu;
    }

    static byte[] encodeDestination(PerftestDestination destination) {
        String text = String.format(
                Locale.ROOT,
                "%04x:%04x:%06x:%06x:%08x:%016x:",
                destination.lid(),
                destination.outReads(),
                destination.qpNum(),
                destination.psn(),
                destination.rkey(),
                destination.address());
        String srq = String.format(Locale.ROOT, "%08x", destination.srqNum());
        // The colon at the end is what C looks for to find where the last field ends.
        text += destination
                .gid()
                .map(gid -> HexFormat.ofDelimiter(":").formatHex(gid.bytes()) + ":" + srq + ":")
                .orElse(srq);
        return Arrays.copyOf(ascii(text), text.length() + 1);
    }

    /** The length, which follows from whether our own end has a GID, leaves no choice of the format. */
    static PerftestDestination decodeDestination(byte[] message) {
        Matcher fields = DESTINATION.matcher(latin1(message));
        if (!fields.matches()) {
            throw new IllegalArgumentException("not a queue pair's address: " + printable(latin1(message)));
        }
        return new PerftestDestination(
                HexFormat.fromHexDigits(fields.group(1)),
                HexFormat.fromHexDigits(fields.group(2)),
                HexFormat.fromHexDigits(fields.group(3)),
                HexFormat.fromHexDigits(fields.group(4)),
                HexFormat.fromHexDigits(fields.group(5)),
                HexFormat.fromHexDigitsToLong(fields.group(6)),
                Optional.ofNullable(fields.group(7))
                        .map(gid -> Gid.of(HexFormat.of().parseHex(gid.replace(":", "")))),
                HexFormat.fromHexDigits(fields.group(8)));
    }

    /**
     * The same for a queue pair of RDMA CM: C's {@code struct pingpong_dest} in the memory of a 64-bit machine, with each
     * field in network order.
     */
    static byte[] encodeStruct(PerftestDestination mine) {
        return ByteBuffer.allocate(STRUCT_BYTES)
                .putInt(mine.lid())
                .putInt(mine.outReads())
                .putInt(mine.qpNum())
                .putInt(mine.psn())
                .putInt(mine.rkey())
                .position(VADDR_OFFSET)
                .putLong(mine.address())
                .put(mine.gid().map(Gid::bytes).orElseGet(() -> new byte[Gid.BYTES]))
                .putInt(mine.srqNum())
                .putInt(mine.gid().isPresent() ? 0 : NO_GID)
                .array();
    }

    /** The peer's GID index is its own affair, but both ends must agree on whether there is a GID. */
    static PerftestDestination decodeStruct(byte[] message, boolean withGid) {
        var in = ByteBuffer.wrap(message);
        int lid = in.getInt();
        int outReads = in.getInt();
        int qpNum = in.getInt();
        int psn = in.getInt();
        int rkey = in.getInt();
        long address = in.position(VADDR_OFFSET).getLong();
        byte[] gid = new byte[Gid.BYTES];
        in.get(gid);
        int srqNum = in.getInt();
        return new PerftestDestination(
                lid,
                outReads,
                qpNum,
                psn,
                rkey,
                address,
                withGid ? Optional.of(Gid.of(gid)) : Optional.empty(),
                srqNum);
    }

    /** Makes text from the network fit for a one-line message. */
    static String printable(String text) {
        var out = new StringBuilder("\"");
        int shown = Math.min(text.length(), 64);
        for (int i = 0; i < shown; i++) {
            char c = text.charAt(i);
            out.append(
                    c >= ' ' && c < 0x7f && c != '"' && c != '\\'
                            ? String.valueOf(c)
                            : String.format(Locale.ROOT, "\\x%02x", (int) c));
        }
        return out.append(shown < text.length() ? "...\"" : "\"").toString();
    }

    static String printable(byte[] message, int length) {
        return printable(latin1(Arrays.copyOf(message, length)));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static String latin1(byte[] message) {
        return new String(message, StandardCharsets.ISO_8859_1);
    }
}
