// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.devicememory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.isthmus.VerbsException;
import dev.isthmus.internal.Errno;
import dev.isthmus.testbed.RefusedByDevice;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.Features;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
class DeviceMemoryTest {

    private DeviceContext context;

    @BeforeEach
    void open() {
        context = Device.first().open();
    }

    @AfterEach
    void close() {
        context.close();
    }

    private String device() {
        return context.device().name();
    }

    @Test
    void shouldAllocateDeviceMemory() {
        try (var memory = deviceMemory();
                var pd = context.allocateProtectionDomain();
                var region = memory.register(pd, 0, 256, AccessFlag.LOCAL_WRITE)) {
            byte[] bytes = {1, 2, 3, 4, 5, 6, 7, 8};
            memory.copyIn(16, MemorySegment.ofArray(bytes));
            byte[] back = new byte[8];
            memory.copyOut(16, MemorySegment.ofArray(back));
            assertEquals(-1, MemorySegment.ofArray(bytes).mismatch(MemorySegment.ofArray(back)));
            assertEquals(0, region.address());
            assertThrows(IllegalStateException.class, memory::close);
            assertThrows(IndexOutOfBoundsException.class, () -> memory.copyIn(252, MemorySegment.ofArray(bytes)));
            assertThrows(IndexOutOfBoundsException.class, () -> memory.copyOut(-4, MemorySegment.ofArray(back)));
            assertThrows(IndexOutOfBoundsException.class, () -> memory.register(pd, 4, 256, AccessFlag.LOCAL_WRITE));
        }
    }

    private DeviceMemory deviceMemory() {
        try {
            return DeviceMemory.allocate(context, 256, 4);
        } catch (VerbsException e) {
            assertEquals(0, context.extendedAttributes().maxDmSize(), "bytes that the device says it has");
            throw RefusedByDevice.saying(
                    e,
                    "ibv_alloc_dm(" + device()
                            + ", 256 bytes): EOPNOTSUPP (95): this device has no memory for programs");
        }
    }

    @Test
    void shouldRefuseDeviceMemoryThatCannotBe() {
        assertThrows(IllegalArgumentException.class, () -> DeviceMemory.allocate(context, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> DeviceMemory.allocate(context, 64, 3));
        assertThrows(IllegalArgumentException.class, () -> DeviceMemory.importFrom(context, 0, 0));
    }

    @Test
    void shouldSayThatThereIsNoDeviceMemoryToImport() {
        var e = assertThrows(VerbsException.class, () -> DeviceMemory.importFrom(context, 4711, 64));
        if (e.errno() == Errno.EOPNOTSUPP) {
            throw Features.unsupported("ibv_import_dm", device() + ", imported 4711", e);
        }
        assertEquals("ibv_import_dm", e.call());
    }
}
