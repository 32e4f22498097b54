// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.isthmus.perf.tools.PerftestException;
import dev.isthmus.verbs.Gid;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class CmAddressFormatTest {

    private static final Gid GID = Gid.of(HexFormat.of().parseHex("00000000000000000000ffff0a000001"));
    private static final PerftestDestination END =
            new PerftestDestination(0x1234, 16, 0x11, 0xabcdef, 0x2a2a2a2a, 0x7fff_0000_1000L, Optional.of(GID), 7);

    /** As C's struct lies in memory, with four bytes of padding before the address. */
    private static final byte[] BYTES = HexFormat.of()
            .parseHex("00001234" + "00000010" + "00000011" + "00abcdef" + "2a2a2a2a" + "00000000" + "00007fff00001000"
                    + "00000000000000000000ffff0a000001" + "00000007" + "00000000");

    @Test
    void shouldLieInMemoryAsTheStructOfC() {
        assertEquals(HexFormat.of().formatHex(BYTES), HexFormat.of().formatHex(ExchangeFormat.encodeStruct(END)));
        assertEquals(END, ExchangeFormat.decodeStruct(BYTES, true));
        assertEquals(Optional.empty(), ExchangeFormat.decodeStruct(BYTES, false).gid());
    }

    @Test
    void shouldRefuseNumbersThatAreTooLarge() {
        for (int field = 0; field < 4; field++) {
            byte[] hostile = BYTES.clone();
            Arrays.fill(hostile, 4 * field, 4 * field + 4, (byte) 0xff);
            assertThrows(
                    IllegalArgumentException.class, () -> ExchangeFormat.decodeStruct(hostile, true), "field " + field);
        }
    }

    @Test
    void shouldTakeAnEndThatIsNotThereYet() {
        byte[] empty = new byte[ExchangeFormat.STRUCT_BYTES];
        assertEquals(0, ExchangeFormat.decodeStruct(empty, false).qpNum());
    }

    @Test
    void shouldSayThatNoHostHasTheName() {
        var nobody = InetSocketAddress.createUnresolved("no.such.host", PerftestConnection.DEFAULT_PORT);
        var e = assertThrows(
                PerftestException.class, () -> CmChannel.connect(nobody, OutOfBandChannel.DEFAULT_DEADLINE));
        assertEquals("unknown host no.such.host", e.getMessage());
    }
}
