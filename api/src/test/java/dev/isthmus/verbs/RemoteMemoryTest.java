// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import java.util.HexFormat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The bytes that describe memory to a peer. */
@Tag("unit")
class RemoteMemoryTest {

    private static final RemoteMemory MEMORY = new RemoteMemory(0x7f00_0000_1000L, 0xcafe_0102, 4096);

    @Test
    void shouldBeTheSameBytesInEveryBuffer() {
        byte[] expected = HexFormat.of().parseHex("00007f0000001000" + "cafe0102" + "0000000000001000");
        for (ByteOrder order : new ByteOrder[] {ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN}) {
            ByteBuffer buffer = ByteBuffer.allocate(30).order(order).position(3);
            assertEquals(buffer, MEMORY.write(buffer));
            assertEquals(3 + RemoteMemory.BYTES, buffer.position());
            byte[] written = new byte[RemoteMemory.BYTES];
            buffer.get(3, written);
            assertArrayEquals(expected, written);
            assertEquals(MEMORY, RemoteMemory.read(buffer.position(3)));
            assertEquals(3 + RemoteMemory.BYTES, buffer.position());
            assertEquals(order, buffer.order());
        }
    }

    @Test
    void shouldRefuseBytesThatDescribeNoMemory() {
        assertRefused(bytes(1, 1, -1), "bytes");
        assertRefused(bytes(1, 1, Long.MIN_VALUE), "bytes");
        assertRefused(bytes(-8, 1, 9), "bytes"); // its end is beyond that of the address space
        assertRefused(bytes(Long.MIN_VALUE, 1, Long.MAX_VALUE).position(1), "19 remain");
        assertRefused(ByteBuffer.allocate(0), "0 remain");
        assertEquals(8, RemoteMemory.read(bytes(-8, 1, 8)).length());
        assertEquals(0, RemoteMemory.read(bytes(-1, 1, 0)).length());
        assertEquals(
                Long.MAX_VALUE,
                RemoteMemory.read(bytes(Long.MIN_VALUE, 1, Long.MAX_VALUE)).length());
    }

    private static ByteBuffer bytes(long address, int rkey, long length) {
        return ByteBuffer.allocate(RemoteMemory.BYTES)
                .putLong(address)
                .putInt(rkey)
                .putLong(length)
                .flip();
    }

    private static void assertRefused(ByteBuffer bytes, String why) {
        int position = bytes.position();
        var e = assertThrows(IllegalArgumentException.class, () -> RemoteMemory.read(bytes));
        assertTrue(e.getMessage().contains(why), e.getMessage());
        assertEquals(position, bytes.position());
    }

    @Test
    void shouldBeWrittenWhereThereIsRoomOnly() {
        var small = ByteBuffer.allocate(RemoteMemory.BYTES - 1);
        assertThrows(IllegalArgumentException.class, () -> MEMORY.write(small));
        assertEquals(0, small.position());
        var fixed = ByteBuffer.allocate(RemoteMemory.BYTES).asReadOnlyBuffer();
        assertThrows(ReadOnlyBufferException.class, () -> MEMORY.write(fixed));
    }

    @Test
    void shouldBeCut() {
        assertEquals(new RemoteMemory(0x7f00_0000_1008L, 0xcafe_0102, 24), MEMORY.slice(8, 24));
        assertEquals(0, MEMORY.slice(4096, 0).length());
        assertThrows(IndexOutOfBoundsException.class, () -> MEMORY.slice(8, 4089));
        assertThrows(IndexOutOfBoundsException.class, () -> MEMORY.slice(-1, 1));
        assertThrows(IndexOutOfBoundsException.class, () -> MEMORY.slice(1, Long.MAX_VALUE));
    }
}
