// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
@Tag("connectx")
class MemoryRegionTest {

    private final Arena arena = Arena.ofShared();
    private DeviceContext context;
    private ProtectionDomain pd;

    @BeforeEach
    void open() {
        context = Device.first().open();
        pd = context.allocateProtectionDomain();
    }

    @AfterEach
    void close() {
        pd.close();
        context.close();
        arena.close();
    }

    @Test
    void shouldKnowItsMemory() {
        MemorySegment memory = arena.allocate(4096);
        try (var region = pd.register(memory, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ)) {
            assertEquals(memory, region.segment());
            assertEquals(memory.address(), region.address());
            assertEquals(4096, region.length());
            assertNotEquals(0, region.lkey());
        }
    }

    @Test
    void shouldRefuseHeapSegment() {
        var e = assertThrows(IllegalArgumentException.class, () -> pd.register(MemorySegment.ofArray(new byte[64])));
        assertTrue(e.getMessage().contains("heap"), e.getMessage());
    }

    @Test
    void shouldRefuseMemoryThatCannotBeUsed() {
        assertThrows(IllegalArgumentException.class, () -> pd.register(arena.allocate(0)));
        MemorySegment readOnly = arena.allocate(64).asReadOnly();
        assertThrows(IllegalArgumentException.class, () -> pd.register(readOnly, AccessFlag.LOCAL_WRITE));
        Arena closed = Arena.ofConfined();
        MemorySegment gone = closed.allocate(64);
        closed.close();
        assertThrows(IllegalStateException.class, () -> pd.register(gone));
    }

    @Test
    void shouldRefuseRemoteWriteWithoutLocalWrite() {
        assertThrows(IllegalArgumentException.class, () -> pd.register(arena.allocate(64), AccessFlag.REMOTE_WRITE));
    }

    @Test
    void shouldRefuseConfinedMemoryOfAnotherThread() {
        try (var confined = Arena.ofConfined()) {
            MemorySegment memory = confined.allocate(64);
            var e = assertThrows(
                    ExecutionException.class,
                    () -> CompletableFuture.runAsync(() -> pd.register(memory).close())
                            .get());
            assertEquals(WrongThreadException.class, e.getCause().getClass());
        }
    }

    @Test
    void shouldRefuseToBeRegisteredAnewOnceClosed() {
        MemoryRegion region = pd.register(arena.allocate(64), AccessFlag.LOCAL_WRITE);
        region.close();
        var e = assertThrows(IllegalStateException.class, () -> region.reregister(change -> change.access()));
        assertTrue(e.getMessage().endsWith("is closed"), e.getMessage());
    }

    @Test
    void shouldHoldItsDomainOpen() {
        var region = pd.register(arena.allocate(64));
        var e = assertThrows(IllegalStateException.class, pd::close);
        assertTrue(e.getMessage().contains("1 MemoryRegion"), e.getMessage());
        region.close();
        region.close();
    }
}
