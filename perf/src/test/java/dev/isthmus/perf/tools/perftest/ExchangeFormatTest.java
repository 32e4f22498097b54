// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.verbs.Gid;
import dev.isthmus.verbs.attributes.Mtu;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("unit")
class ExchangeFormatTest {

    private static final Gid GID = Gid.of(HexFormat.of().parseHex("00000000000000000000ffff0a000001"));
    private static final String WITHOUT_GID = "0001:0010:000011:cd7d94:0000020f:00007f1234567890:00000000\0";
    private static final String WITH_GID = "0000:0001:000011:cd7d94:0000020f:00007f1234567890:"
            + "00:00:00:00:00:00:00:00:00:00:ff:ff:0a:00:00:01:00000000:\0";

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static PerftestDestination destination(int lid, int outReads, Optional<Gid> gid) {
        return new PerftestDestination(lid, outReads, 0x11, 0xcd7d94, 0x20f, 0x7f1234567890L, gid, 0);
    }

    @Test
    void shouldWriteTheTextThatTheCProgramWritesWithoutGid() {
        assertArrayEquals(bytes(WITHOUT_GID), ExchangeFormat.encodeDestination(destination(1, 16, Optional.empty())));
        assertEquals(ExchangeFormat.DESTINATION_BYTES, WITHOUT_GID.length());
    }

    @Test
    void shouldWriteTheTextThatTheCProgramWritesWithGid() {
        assertArrayEquals(bytes(WITH_GID), ExchangeFormat.encodeDestination(destination(0, 1, Optional.of(GID))));
        assertEquals(ExchangeFormat.DESTINATION_GID_BYTES, WITH_GID.length());
    }

    @Test
    void shouldReadWhatItWrites() {
        var largest = new PerftestDestination(
                0xffff, 0xffff, 0xffffff, 0xffffff, -1, -1L, Optional.of(GID), Integer.MIN_VALUE);
        assertEquals(largest, ExchangeFormat.decodeDestination(ExchangeFormat.encodeDestination(largest)));
        assertEquals(destination(1, 16, Optional.empty()), ExchangeFormat.decodeDestination(bytes(WITHOUT_GID)));
        assertEquals(
                new BigDecimal("6.06"),
                ExchangeFormat.decodeVersion(ExchangeFormat.encodeVersion(PerftestSession.VERSION)));
        assertEquals(4096, ExchangeFormat.decodeInt("page size", ExchangeFormat.encodeInt(4096), 1, 65536));
        assertEquals(Mtu.MTU_1024, ExchangeFormat.decodeMtu(ExchangeFormat.encodeMtu(Mtu.MTU_1024)));
    }

    @Test
    void shouldWriteIntegersInNetworkOrder() {
        assertArrayEquals(new byte[] {0, 0, 0x10, 0}, ExchangeFormat.encodeInt(4096));
        assertArrayEquals(new byte[] {'3', 0}, ExchangeFormat.encodeMtu(Mtu.MTU_1024));
    }

    @Test
    void shouldPadTheVersionWithNulBytes() {
        assertArrayEquals(bytes("6.06" + "\0".repeat(12)), ExchangeFormat.encodeVersion(PerftestSession.VERSION));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0000:0001:000011:cd7d94:0000020f:00007f1234567890:00000000:",
                "000g:0001:000011:cd7d94:0000020f:00007f1234567890:00000000\0",
                "0000:0001:+00011:cd7d94:0000020f:00007f1234567890:00000000\0",
                "0000:0001:000011:cd7d94:0000020f:00007f1234567890 00000000\0",
                "0000 0001:000011:cd7d94:0000020f:00007f1234567890:00000000\0",
                "0000:0001:000011:cd7d94:0000020f:00007f1234567890:0000000\0\0",
                "0000:0001:000011:cd7d94:0000020f:00007f1234567890:000000001",
                "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
            })
    void shouldRefuseAnAddressThatCWouldNotHaveSent(String text) {
        byte[] message = bytes(text);
        assertEquals(ExchangeFormat.DESTINATION_BYTES, message.length);
        assertThrows(IllegalArgumentException.class, () -> ExchangeFormat.decodeDestination(message));
    }

    @Test
    void shouldRefuseAnAddressWithGidWhoseEndIsNotRight() {
        for (String wrong : new String[] {":x", "0\0", "\0:", "  "}) {
            byte[] message = bytes(WITH_GID.substring(0, WITH_GID.length() - 2) + wrong);
            assertEquals(ExchangeFormat.DESTINATION_GID_BYTES, message.length);
            assertThrows(IllegalArgumentException.class, () -> ExchangeFormat.decodeDestination(message), wrong);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "6.", ".06", "6.06 ", "-6.06", "6.0.6", "6e9", "NaN", "HTTP/1.1 400 Bad", "99999.1"})
    void shouldRefuseAVersionThatIsNone(String text) {
        byte[] message = Arrays.copyOf(bytes(text), ExchangeFormat.VERSION_BYTES);
        assertThrows(IllegalArgumentException.class, () -> ExchangeFormat.decodeVersion(message));
    }

    @Test
    void shouldCompareVersionsAsNumbers() {
        assertTrue(isSupported("5.70"));
        assertTrue(isSupported("5.7"));
        assertTrue(isSupported("26.01"));
        assertEquals(false, isSupported("5.69"));
        assertEquals(false, isSupported("4.5"));
    }

    private static boolean isSupported(String version) {
        return ExchangeFormat.decodeVersion(ExchangeFormat.encodeVersion(version))
                        .compareTo(PerftestSession.OLDEST)
                >= 0;
    }

    @Test
    void shouldRefuseNumbersOutOfRange() {
        for (int value : new int[] {0, -1, 65537, Integer.MIN_VALUE}) {
            var e = assertThrows(
                    IllegalArgumentException.class,
                    () -> ExchangeFormat.decodeInt("page size", ExchangeFormat.encodeInt(value), 1, 65536));
            assertEquals("page size " + value + " is not between 1 and 65536", e.getMessage());
        }
    }

    @Test
    void shouldRefuseAnMtuThatIsNone() {
        for (byte[] message : new byte[][] {{'0', 0}, {'6', 0}, {'3', '3'}, {0, 0}, {(byte) 0xff, 0}}) {
            assertThrows(IllegalArgumentException.class, () -> ExchangeFormat.decodeMtu(message));
        }
    }

    @Test
    void shouldKeepControlCharactersOfThePeerOutOfMessages() {
        assertEquals("\"a\\x0a\\x1b[2J\\x22\"", ExchangeFormat.printable("a\n\u001b[2J\""));
    }
}
