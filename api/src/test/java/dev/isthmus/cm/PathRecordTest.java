// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.isthmus.verbs.Gid;
import dev.isthmus.verbs.Rate;
import dev.isthmus.verbs.attributes.Mtu;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** PathRecord and IbAddress, byte by byte as the kernel and the header have them. */
@Tag("unit")
class PathRecordTest {

    private static final Gid A = Gid.of(HexFormat.of().parseHex("000102030405060708090a0b0c0d0e0f"));
    private static final Gid B = Gid.of(HexFormat.of().parseHex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"));

    private static String hex(MemorySegment segment, long from, long to) {
        return HexFormat.of().formatHex(segment.asSlice(from, to - from).toArray(JAVA_BYTE));
    }

    @Test
    void shouldBeWrittenAsASubnetManagerDoes() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment data = PathRecord.between(A, B)
                    .lids(0x1234, 0x5678)
                    .partition(0x8001, 5)
                    .route(0xabcde, 3, 0x28)
                    .packets(Mtu.MTU_4096, Rate.GBPS_2_5)
                    .packetLifetime(18)
                    .write(arena);
            assertEquals(72, data.byteSize());
            assertEquals(0b101011, data.get(JAVA_BYTE, 0)); // GMP, primary, bidirectional
            assertEquals("0000000000000000", hex(data, 8, 16)); // service
            assertEquals(HexFormat.of().formatHex(B.bytes()), hex(data, 16, 32));
            assertEquals(HexFormat.of().formatHex(A.bytes()), hex(data, 32, 48));
            assertEquals("5678" + "1234" + "0abcde03" + "28" + "81", hex(data, 48, 58));
            assertEquals("8001" + "0005" + "85" + "82" + "92" + "00", hex(data, 58, 66));
        }
    }

    @Test
    void shouldStayAsItIsWhenAnotherIsMade() {
        PathRecord first = PathRecord.between(A, B);
        String before = first.toString();
        first.partition(1, 2).packets(Mtu.MTU_256, Rate.GBPS_2_5);
        assertEquals(before, first.toString());
    }

    @Test
    void shouldRefuseWhatDoesNotFit() {
        PathRecord path = PathRecord.between(A, B);
        assertThrows(IllegalArgumentException.class, () -> path.lids(0x10000, 1));
        assertThrows(IllegalArgumentException.class, () -> path.lids(1, -1));
        assertThrows(IllegalArgumentException.class, () -> path.partition(0x10000, 0));
        assertThrows(IllegalArgumentException.class, () -> path.partition(1, 16));
        assertThrows(IllegalArgumentException.class, () -> path.route(1 << 20, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> path.route(1, 256, 1));
        assertThrows(IllegalArgumentException.class, () -> path.route(1, 1, 256));
        assertThrows(IllegalArgumentException.class, () -> path.packets(Mtu.UNKNOWN, Rate.GBPS_2_5));
        assertThrows(IllegalArgumentException.class, () -> path.packetLifetime(64));
    }

    @Test
    void shouldWriteAddressesOfInfiniband() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = IbAddress.of(A, PortSpace.IB, 0x1234).write(arena);
            assertEquals(27, address.get(JAVA_BYTE, 0));
            assertEquals("ffff" + "00000000", hex(address, 2, 8));
            assertEquals(HexFormat.of().formatHex(A.bytes()), hex(address, 8, 24));
            assertEquals("00000000013f1234" + "ffffffffffffffff", hex(address, 24, 40));
        }
        assertThrows(IllegalArgumentException.class, () -> new IbAddress(A, 0x10000, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> IbAddress.of(A, PortSpace.UNKNOWN, 1));
        assertThrows(IllegalArgumentException.class, () -> IbAddress.of(A, PortSpace.IB, 0x10000));
    }
}
