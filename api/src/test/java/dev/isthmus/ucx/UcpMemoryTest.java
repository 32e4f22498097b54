// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.UcxException;
import dev.isthmus.internal.ucx.UcxLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("ucx")
class UcpMemoryTest {

    private static UcpContext context(String tls) {
        return UcpContext.create(config -> config.set("TLS", tls).features(RemotePair.FEATURES));
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldTellWhatWasRegistered(String tls) {
        try (var context = context(tls);
                var arena = Arena.ofConfined()) {
            MemorySegment segment = arena.allocate(10_000);
            try (var memory = context.register(segment)) {
                assertEquals(segment, memory.segment());
                assertEquals(segment.address(), memory.address());
                assertEquals(10_000, memory.byteSize());
                UcpMemoryAttributes attributes = memory.attributes();
                assertTrue(attributes.address() <= segment.address());
                assertTrue(attributes.address() + attributes.byteSize() >= segment.address() + 10_000);
                assertEquals(Optional.of(UcpMemoryType.HOST), attributes.memoryType());
                assertEquals(0, attributes.memoryTypeCode());
                memory.advise(100, 9_900, UcpMemoryAdvice.WILL_NEED);
                memory.advise(0, 0, UcpMemoryAdvice.NORMAL);
                assertThrows(
                        IndexOutOfBoundsException.class, () -> memory.advise(1, 10_000, UcpMemoryAdvice.WILL_NEED));
                UcpPackedKey key = memory.packKey();
                assertEquals(segment.address(), key.address());
                assertEquals(10_000, key.byteSize());
                assertEquals(key, UcpPackedKey.of(key.toByteArray()));
            }
            segment.fill((byte) 1); // the program's, still
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldAllocateMemoryThatEndsWithIt(String tls) throws InterruptedException {
        try (var context = context(tls)) {
            UcpMemory memory = context.allocate(100_000, UcpMemoryConfig::nonBlocking);
            MemorySegment segment = memory.segment();
            assertEquals(100_000, segment.byteSize());
            Thread other = Thread.ofPlatform().start(() -> segment.fill((byte) 3));
            other.join();
            assertEquals(3, segment.get(ValueLayout.JAVA_BYTE, 99_999));
            assertTrue(memory.attributes().byteSize() >= 100_000);
            memory.close();
            memory.close();
            assertThrows(IllegalStateException.class, () -> segment.get(ValueLayout.JAVA_BYTE, 0));
            var e = assertThrows(IllegalStateException.class, memory::segment);
            assertTrue(e.getMessage().matches("UcpMemory\\(.*\\) is closed"), e.getMessage());
            assertThrows(IllegalStateException.class, memory::attributes);
            assertThrows(IllegalStateException.class, memory::packKey);
            assertThrows(IllegalStateException.class, () -> memory.advise(0, 1, UcpMemoryAdvice.NORMAL));
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldAllocateWhereNothingIs(String tls) {
        long address = 0x3f00_0000_0000L;
        try (var context = context(tls);
                var arena = Arena.ofConfined()) {
            try (var memory = context.allocate(50_000, config -> config.fixedAddress(address))) {
                assertEquals(address, memory.address());
                memory.segment().fill((byte) 1);
                refuse(context, config -> config.fixedAddress(address));
            }
            try (var again = context.allocate(5_000_000, config -> config.fixedAddress(address))) {
                again.segment().fill((byte) 2);
            }
            refuse(context, config -> config.fixedAddress(address + 8));
            long taken = (arena.allocate(1 << 20).address() + 4095) & -4096;
            refuse(context, config -> config.fixedAddress(taken));
        }
    }

    private static void refuse(UcpContext context, Consumer<UcpMemoryConfig> config) {
        assertThrows(IllegalArgumentException.class, () -> context.allocate(5000, config));
    }

    @Test
    void shouldRefuseMemoryThatUcxCannotUse() throws InterruptedException {
        try (var context = context(UcxTransports.any());
                var arena = Arena.ofConfined()) {
            MemorySegment closed;
            try (Arena short_lived = Arena.ofConfined()) {
                closed = short_lived.allocate(8);
            }
            MemorySegment good = arena.allocate(8);
            assertThrows(IllegalArgumentException.class, () -> context.register(MemorySegment.ofArray(new byte[8])));
            assertThrows(IllegalArgumentException.class, () -> context.register(good.asReadOnly()));
            assertThrows(IllegalArgumentException.class, () -> context.register(good.asSlice(0, 0)));
            assertThrows(IllegalStateException.class, () -> context.register(closed));
            assertThrows(
                    IllegalArgumentException.class, () -> context.register(good, config -> config.fixedAddress(4096)));
            refuse(context, config -> config.memoryType(UcpMemoryType.CUDA));
            refuse(context, config -> config.memoryType(UcpMemoryType.GAUDI));
            for (long size : new long[] {0, -1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 60}) {
                assertThrows(IllegalArgumentException.class, () -> context.allocate(size), "size " + size);
                assertThrows(IllegalArgumentException.class, () -> context.memoryInfo(size), "size " + size);
            }
            var failures = new Throwable[1];
            Thread other = Thread.ofPlatform()
                    .start(() -> failures[0] = assertThrows(WrongThreadException.class, () -> context.register(good)));
            other.join();
            assertTrue(failures[0] instanceof WrongThreadException);
            context.allocate(1, config -> config.memoryType(UcpMemoryType.HOST)).close();
            context.register(good, config -> config.memoryType(UcpMemoryType.HOST))
                    .close();
        }
    }

    @Test
    void shouldHoldItsContextOpen() {
        var context = context(UcxTransports.any());
        UcpMemory memory = context.allocate(8);
        var e = assertThrows(IllegalStateException.class, context::close);
        assertTrue(e.getMessage().contains("close first its 1 UcpMemory"), e.getMessage());
        memory.close();
        context.close();
        memory.close();
        assertThrows(IllegalStateException.class, () -> context.allocate(8));
        assertThrows(IllegalStateException.class, () -> context.memoryInfo(8));
    }

    @Test
    void shouldDescribeHowItAllocates() {
        try (var context = context(UcxTransports.any())) {
            assertTrue(context.memoryInfo(5000).contains("allocated "), context.memoryInfo(5000));
        }
    }

    @Test
    void shouldExportOrSayWhatCan() {
        try (var context = context(UcxTransports.any());
                var memory = context.allocate(4096)) {
            byte[] nonsense = Framed.of(UcpExportedMemory.MARK, 64, content -> {});
            UcpExportedMemory exported = UcpExportedMemory.of(nonsense);
            if (UcxLibrary.load()[1] >= 14) {
                var e = assertThrows(UcxException.class, memory::export); // no device of the tests can do it
                assertTrue(e.getMessage().startsWith("ucp_memh_pack("), e.getMessage());
            } else {
                var e = assertThrows(RdmaUnavailableException.class, memory::export);
                assertTrue(e.getMessage().startsWith("ucp_memh_pack needs UCX 1.14, and"), e.getMessage());
                var of = assertThrows(RdmaUnavailableException.class, () -> context.importMemory(exported));
                assertTrue(of.getMessage().startsWith("importing memory needs UCX 1.14"), of.getMessage());
            }
        }
    }

    @Test
    void shouldSayWhichVersionHasAnOption() {
        try (var context = context(UcxTransports.any())) {
            need(context, 16, "a symmetric remote key", UcpMemoryConfig::symmetricKey);
            need(context, 18, "locking memory", UcpMemoryConfig::locked);
        }
    }

    private static void need(UcpContext context, int minor, String what, Consumer<UcpMemoryConfig> option) {
        if (UcxLibrary.load()[1] >= minor) {
            context.allocate(4096, option).close();
        } else {
            var e = assertThrows(RdmaUnavailableException.class, () -> context.allocate(4096, option));
            assertTrue(e.getMessage().startsWith(what + " needs UCX 1." + minor), e.getMessage());
        }
    }
}
