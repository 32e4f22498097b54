// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import dev.isthmus.verbs.Gid;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the ping-pong programs tell each other of a queue pair: 52 bytes of text with a NUL.
 *
 * @param lid the port's LID
 * @param qpNum the queue pair's number
 * @param psn its first packet sequence number
 * @param gid the port's GID, zero when the peer is to go by the LID
 */
record PingPongAddress(int lid, int qpNum, int psn, Gid gid) {

    static final int BYTES = 52;

    /** Stands where there is no queue pair. */
    static final PingPongAddress NONE = new PingPongAddress(0, 0, 0, Gid.of(new byte[Gid.BYTES]));

    private static final Pattern FORMAT = Pattern.compile("([0-9a-f]{4}):([0-9a-f]{6}):([0-9a-f]{6}):([0-9a-f]{32})\0");

    byte[] encode() {
        String text = String.format(
                Locale.ROOT,
                "%04x:%06x:%06x:%s\0",
                lid,
                qpNum,
                psn,
                HexFormat.of().formatHex(gid.bytes()));
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    static PingPongAddress decode(byte[] message) throws IOException {
        String text = new String(message, StandardCharsets.ISO_8859_1);
        Matcher fields = FORMAT.matcher(text);
        if (!fields.matches()) {
            throw new IOException("the peer sent no address, but " + printable(text));
        }
        return new PingPongAddress(
                Integer.parseInt(fields.group(1), 16),
                Integer.parseInt(fields.group(2), 16),
                Integer.parseInt(fields.group(3), 16),
                Gid.of(HexFormat.of().parseHex(fields.group(4))));
    }

    /** In quotes, so that what a stranger sends stays on one line and does nothing to a terminal. */
    static String printable(String text) {
        var shown = new StringBuilder("\"");
        text.chars()
                .forEach(c -> shown.append(
                        c >= ' ' && c < 0x7f ? String.valueOf((char) c) : String.format(Locale.ROOT, "\\x%02x", c)));
        return shown.append('"').toString();
    }

    /** Whether the half of the GID that names the port is there, by which the C programs judge. */
    boolean hasGid() {
        return !Arrays.equals(gid.bytes(), 8, Gid.BYTES, new byte[8], 0, 8);
    }

    /** As C prints it. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT, "LID 0x%04x, QPN 0x%06x, PSN 0x%06x, GID %s", lid, qpNum, psn, gid.toIpString());
    }
}
