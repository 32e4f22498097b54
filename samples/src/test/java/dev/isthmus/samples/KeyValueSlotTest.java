// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a client of the key-value store accepts as an entry. */
@Tag("unit")
class KeyValueSlotTest {

    /** A slot with the right sum, whatever else is wrong with it. */
    private static byte[] slot(long version, int keyLength, int valueLength, String text) {
        var slot = ByteBuffer.allocate(KeyValueServer.SLOT).putLong(0, version);
        slot.putShort(12, (short) keyLength).putShort(14, (short) valueLength).put(16, text.getBytes(UTF_8));
        var sum = new CRC32C();
        sum.update(slot.array(), 0, 8);
        sum.update(slot.array(), 12, KeyValueServer.SLOT - 12);
        slot.putInt(8, (int) sum.getValue());
        return slot.array();
    }

    @Test
    void shouldReadAnEntry() {
        assertEquals(new KeyValueServer.Entry(4, "key", "grüße"), KeyValueServer.entry(slot(4, 3, 7, "keygrüße")));
    }

    @Test
    void shouldNotTakeForAnEntryWhatIsBeingWritten() {
        assertNull(KeyValueServer.entry(slot(5, 3, 5, "keyvalue")));
    }

    @Test
    void shouldNotTakeForAnEntryWhatWasNeverWritten() {
        assertNull(KeyValueServer.entry(new byte[KeyValueServer.SLOT])); // its sum is not 0
    }

    @Test
    void shouldNoticeEveryByteThatIsAnother() {
        byte[] slot = slot(4, 3, 5, "keyvalue");
        for (int i = 0; i < slot.length; i++) {
            slot[i] ^= 2;
            assertNull(KeyValueServer.entry(slot), "byte " + i);
            slot[i] ^= 2;
        }
        assertNotNull(KeyValueServer.entry(slot));
    }

    @Test
    void shouldNotReadBeyondTheSlot() {
        assertNotNull(KeyValueServer.entry(slot(4, 1, KeyValueServer.MAX_BYTES - 1, "key")));
        assertNull(KeyValueServer.entry(slot(4, 1, KeyValueServer.MAX_BYTES, "key")));
        assertNull(KeyValueServer.entry(slot(4, -1, 5, "key")));
        assertNull(KeyValueServer.entry(slot(4, 3, -1, "key")));
        assertNull(KeyValueServer.entry(slot(4, Short.MAX_VALUE, Short.MAX_VALUE, "key")));
    }
}
