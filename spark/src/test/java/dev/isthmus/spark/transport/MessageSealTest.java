// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class MessageSealTest {

    private static final int LENGTH = 100;

    private final MessageSeal sender = MessageSeal.of(1, new byte[] {7});
    private final MessageSeal receiver = MessageSeal.of(2, new byte[] {7});

    /** A message in memory as UCX sends it, for process 2. */
    private static byte[] sealed(MessageSeal seal) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(LENGTH + MessageSeal.BYTES);
            memory.asSlice(0, LENGTH).fill((byte) 5);
            int length = seal.seal(memory, LENGTH, 2);
            return memory.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    @Test
    void shouldOpenWhatWasSealedForIt() {
        byte[] sealed = sealed(sender);
        assertEquals(LENGTH + MessageSeal.BYTES, sealed.length);
        ByteBuffer message = receiver.open(ByteBuffer.wrap(sealed));
        assertEquals(ByteBuffer.wrap(sealed, 0, LENGTH), message);
        assertEquals(message, receiver.open(ByteBuffer.wrap(sealed)), "and once more");
    }

    @Test
    void shouldRefuseEverythingElse() {
        byte[] sealed = sealed(sender);
        for (int i = 0; i < sealed.length; i++) {
            byte[] altered = sealed.clone();
            altered[i] ^= 1;
            assertThrows(BadMessageException.class, () -> receiver.open(ByteBuffer.wrap(altered)), "byte " + i);
            ByteBuffer cut = ByteBuffer.wrap(sealed, 0, i);
            assertThrows(BadMessageException.class, () -> receiver.open(cut), "cut to " + i);
        }
        ByteBuffer other = ByteBuffer.wrap(sealed);
        assertThrows(BadMessageException.class, () -> sender.open(other), "it was for another process");
        ByteBuffer stranger = ByteBuffer.wrap(sealed(MessageSeal.of(1, new byte[] {8})));
        assertThrows(BadMessageException.class, () -> receiver.open(stranger), "another secret");
    }

    @Test
    void shouldLeaveMessagesAsTheyAreWithoutSealing() {
        byte[] message = sealed(MessageSeal.none());
        assertEquals(LENGTH, message.length);
        ByteBuffer bytes = ByteBuffer.wrap(message);
        assertSame(bytes, MessageSeal.none().open(bytes));
    }
}
