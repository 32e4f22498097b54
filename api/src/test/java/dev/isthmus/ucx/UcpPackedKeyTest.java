// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class UcpPackedKeyTest {

    /** A key of memory domains 0 and 5, of 3 and 0 bytes. */
    private static byte[] rkey() {
        return ByteBuffer.allocate(14)
                .order(ByteOrder.nativeOrder())
                .putLong(0b10_0001)
                .put((byte) 0)
                .put(new byte[] {3, 'a', 'b', 'c', 0})
                .array();
    }

    @Test
    void shouldComeBackFromItsBytes() {
        UcpPackedKey key = UcpPackedKey.ofRaw(0x7fff_0000_1000L, 4096, rkey());
        UcpPackedKey again = UcpPackedKey.of(key.toByteArray());
        assertEquals(key, again);
        assertEquals(key.hashCode(), again.hashCode());
        assertEquals(0x7fff_0000_1000L, again.address());
        assertEquals(4096, again.byteSize());
        assertArrayEquals(rkey(), again.rkey());
        assertEquals("UcpPackedKey(4096 bytes at 0x7fff00001000, key of 14 bytes)", key.toString());
    }

    @Test
    void shouldRefuseBytesThatWereCutOrChanged() {
        byte[] bytes = UcpPackedKey.ofRaw(4096, 64, rkey()).toByteArray();
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThrows(IllegalArgumentException.class, () -> UcpPackedKey.of(cut), "cut to " + length);
        }
        for (int i = 0; i < bytes.length; i++) {
            byte[] changed = bytes.clone();
            changed[i] ^= 4;
            var e = assertThrows(IllegalArgumentException.class, () -> UcpPackedKey.of(changed), "changed at " + i);
            assertTrue(e.getMessage().contains("are not a packed key"), e.getMessage());
        }
        byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
        assertThrows(IllegalArgumentException.class, () -> UcpPackedKey.of(longer));
        assertThrows(IllegalArgumentException.class, () -> UcpExportedMemory.of(bytes));
    }

    @Test
    void shouldRefuseKeysThatCWouldReadBeyond() {
        byte[] whole = rkey();
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThrows(IllegalArgumentException.class, () -> UcpPackedKey.ofRaw(0, 0, cut), "cut to " + length);
        }
        UcpPackedKey.ofRaw(0, 0, Arrays.copyOf(whole, whole.length + 7)); // a newer version's
        byte[] longer = rkey();
        longer[9] = 5;
        assertThrows(IllegalArgumentException.class, () -> UcpPackedKey.ofRaw(0, 0, longer));
        byte[] more = rkey();
        more[1] = -1;
        assertThrows(IllegalArgumentException.class, () -> UcpPackedKey.ofRaw(0, 0, more));
        assertThrows(IllegalArgumentException.class, () -> UcpPackedKey.ofRaw(0, 0, new byte[1 << 20]));
        UcpPackedKey.ofRaw(0, 0, new byte[9]); // of no memory
        var random = new Random(1);
        for (int i = 0; i < 100_000; i++) {
            byte[] any = new byte[random.nextInt(100)];
            random.nextBytes(any);
            try {
                assertTrue(UcpPackedKey.ofRaw(0, 0, any).toString().contains("key of"));
            } catch (IllegalArgumentException e) {
                assertTrue(e.getMessage().contains("are not a key"), e.getMessage());
            }
        }
    }

    @Test
    void shouldRefuseMemoryThatCannotBe() {
        assertThrows(IllegalArgumentException.class, () -> UcpPackedKey.ofRaw(4096, -1, rkey()));
        assertThrows(IllegalArgumentException.class, () -> UcpPackedKey.ofRaw(-4096, 4097, rkey()));
        assertThrows(IllegalArgumentException.class, () -> UcpPackedKey.ofRaw(-1, Long.MAX_VALUE, rkey()));
        assertEquals(4096, UcpPackedKey.ofRaw(-4096, 4096, rkey()).byteSize());
        assertEquals(
                Long.MAX_VALUE, UcpPackedKey.ofRaw(8, Long.MAX_VALUE, rkey()).byteSize());
    }

    @Test
    void shouldRefuseMemoryTypesThatTheVersionDoesNotKnow() {
        assertEquals(5, UcpMemoryType.known(13));
        assertEquals(6, UcpMemoryType.known(16));
        assertEquals(9, UcpMemoryType.known(20));
        assertEquals(10, UcpMemoryType.known(99));
        byte[] strange = rkey();
        strange[8] = 100;
        assertThrows(IllegalArgumentException.class, () -> PackedKeyFormat.checkMemoryType(strange));
        PackedKeyFormat.checkMemoryType(rkey());
    }
}
