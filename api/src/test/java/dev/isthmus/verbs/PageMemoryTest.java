// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.RdmaUnavailableException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("unit")
class PageMemoryTest {

    @ParameterizedTest
    @EnumSource(
            value = PageMemory.class,
            names = {"PAGES", "TRANSPARENT_HUGE_PAGES"})
    void shouldAlignToPagesAndZero(PageMemory pages) {
        try (var arena = Arena.ofConfined()) {
            MemorySegment memory = pages.allocate(arena, 100_001);
            assertEquals(0, memory.address() % pages.pageBytes());
            assertEquals(100_001, memory.byteSize());
            assertEquals(0, memory.get(ValueLayout.JAVA_BYTE, 100_000));
            memory.fill((byte) 1);
        }
    }

    @Test
    void shouldUnmapWithItsArena() throws IOException {
        String where;
        MemorySegment memory;
        try (var arena = Arena.ofConfined()) {
            memory = PageMemory.PAGES.allocate(arena, 1 << 20);
            memory.fill((byte) 1);
            where = Long.toHexString(memory.address());
            assertTrue(isMapped(memory.address()), where);
        }
        assertThrows(IllegalStateException.class, () -> memory.get(ValueLayout.JAVA_BYTE, 0));
    }

    private static boolean isMapped(long address) throws IOException {
        return Files.readAllLines(Path.of("/proc/self/maps")).stream().anyMatch(line -> {
            String[] range = line.substring(0, line.indexOf(' ')).split("-", 2);
            return Long.parseUnsignedLong(range[0], 16) <= address && address < Long.parseUnsignedLong(range[1], 16);
        });
    }

    @Test
    void shouldGiveHugePagesOrSayHowToSetSomeAside() throws IOException {
        try (var arena = Arena.ofConfined()) {
            MemorySegment memory = PageMemory.HUGE_PAGES.allocate(arena, 1);
            assertEquals(0, memory.address() % PageMemory.HUGE_PAGES.pageBytes());
            memory.fill((byte) 1);
        } catch (RdmaUnavailableException e) {
            assertEquals(
                    "0",
                    Files.readString(Path.of("/proc/sys/vm/nr_overcommit_hugepages"))
                            .strip());
            assertTrue(
                    e.getMessage().contains("ENOMEM (12): it takes 1 huge pages of ")
                            && e.getMessage().contains("0 are free: sysctl vm.nr_hugepages=N"),
                    e.getMessage());
        }
    }

    @Test
    void shouldRefuseWhatCannotBeAllocated() {
        try (var arena = Arena.ofConfined()) {
            assertThrows(IllegalArgumentException.class, () -> PageMemory.PAGES.allocate(arena, 0));
            assertThrows(IllegalArgumentException.class, () -> PageMemory.PAGES.allocate(arena, Long.MAX_VALUE));
            assertThrows(OutOfMemoryError.class, () -> PageMemory.PAGES.allocate(arena, 1L << 60));
        }
        Arena closed = Arena.ofConfined();
        closed.close();
        assertThrows(IllegalStateException.class, () -> PageMemory.PAGES.allocate(closed, 4096));
    }
}
