// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
@Tag("connectx")
class RegisteredMemoryTest {

    @Test
    void shouldBeClosedAsOne() {
        try (var context = Device.first().open();
                var pd = context.allocateProtectionDomain()) {
            var memory = pd.allocate(10_000, AccessFlag.LOCAL_WRITE);
            MemorySegment segment = memory.segment();
            assertEquals(0, segment.address() % 4096);
            assertEquals(10_000, memory.region().length());
            segment.fill((byte) 1);
            assertThrows(IllegalStateException.class, pd::close);
            memory.close();
            memory.close();
            assertThrows(IllegalStateException.class, () -> segment.get(ValueLayout.JAVA_BYTE, 0));
        }
    }

    @Test
    void shouldFreeMemoryWhenItCannotBeRegistered() {
        try (var context = Device.first().open();
                var pd = context.allocateProtectionDomain()) {
            assertThrows(IllegalArgumentException.class, () -> pd.allocate(4096, AccessFlag.REMOTE_WRITE));
            assertThrows(IllegalArgumentException.class, () -> pd.allocate(0));
        }
    }

    @Test
    void shouldCarryMessages() {
        try (var pair = RcPair.connected();
                var from = pair.a.pd.allocate(PageMemory.TRANSPARENT_HUGE_PAGES, 3 << 20);
                var into = pair.b.pd.allocate(3 << 20, AccessFlag.LOCAL_WRITE)) {
            from.segment().fill((byte) 7);
            assertTrue(pair.b.qp.tryPost(ReceiveRequest.prepare(into.region())));
            assertTrue(pair.a.qp.tryPost(SendRequest.prepare(from.region()).signaled(true)));
            pair.b.await();
            assertTrue(pair.b.done.isSuccess(0), pair.b.done.toString());
            assertEquals(-1, from.segment().mismatch(into.segment()));
            pair.a.await();
        }
    }
}
