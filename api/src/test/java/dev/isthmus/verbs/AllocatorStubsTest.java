// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.bindings.ibverbs.ibv_parent_domain_init_attr;
import dev.isthmus.bindings.ibverbs.verbs_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The function pointers, called as a driver calls them: through the attributes of a parent domain. */
@Tag("unit")
class AllocatorStubsTest {

    private final Arena arena = Arena.ofShared();
    private final List<String> calls = new ArrayList<>();

    @AfterEach
    void close() {
        arena.close();
    }

    private interface Allocate {
        MemorySegment apply(long bytes, long alignment);
    }

    private DomainAllocator allocator(Allocate allocate) {
        return new DomainAllocator() {
            @Override
            public MemorySegment allocate(long bytes, long alignment, long resourceType) {
                calls.add("allocate " + bytes + " " + alignment + " " + resourceType);
                return allocate.apply(bytes, alignment);
            }

            @Override
            public void free(MemorySegment memory, long resourceType) {
                calls.add("free " + memory.byteSize() + " " + resourceType);
            }
        };
    }

    private MemorySegment attributes(AllocatorStubs stubs) {
        MemorySegment attributes = arena.allocate(ibv_parent_domain_init_attr.layout());
        stubs.write(attributes);
        assertEquals(
                verbs_h.IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS(), ibv_parent_domain_init_attr.comp_mask(attributes));
        return attributes;
    }

    private static MemorySegment allocate(MemorySegment attributes, long bytes, long alignment) {
        return ibv_parent_domain_init_attr.alloc.invoke(
                ibv_parent_domain_init_attr.alloc(attributes),
                MemorySegment.NULL,
                MemorySegment.NULL,
                bytes,
                alignment,
                5L);
    }

    private static void free(MemorySegment attributes, MemorySegment pointer) {
        ibv_parent_domain_init_attr.free.invoke(
                ibv_parent_domain_init_attr.free(attributes), MemorySegment.NULL, MemorySegment.NULL, pointer, 5L);
    }

    @Test
    void shouldGiveMemoryAndTakeItBack() {
        try (var stubs = new AllocatorStubs(allocator(arena::allocate))) {
            MemorySegment attributes = attributes(stubs);
            MemorySegment pointer = allocate(attributes, 1000, 64);
            assertTrue(pointer.address() != 0 && pointer.address() % 64 == 0);
            free(attributes, pointer);
            free(attributes, pointer); // not its own any more
            assertEquals(List.of("allocate 1000 64 5", "free 1000 5"), calls);
            assertTrue(stubs.failure().isEmpty());
        }
    }

    @Test
    void shouldLeaveItToDriver() {
        try (var stubs = new AllocatorStubs(allocator((bytes, alignment) -> null))) {
            assertEquals(-1, allocate(attributes(stubs), 1000, 64).address()); // IBV_ALLOCATOR_USE_DEFAULT
        }
    }

    @Test
    void shouldKeepExceptionFromDriver() {
        try (var stubs = new AllocatorStubs(allocator((bytes, alignment) -> {
            throw new StackOverflowError("an error, even");
        }))) {
            assertEquals(0, allocate(attributes(stubs), 1000, 64).address());
            assertInstanceOf(StackOverflowError.class, stubs.failure().orElseThrow());
            assertTrue(stubs.failure().isEmpty());
        }
    }

    @Test
    void shouldRefuseMemoryThatWouldNotDo() {
        List<Allocate> bad = List.of(
                (bytes, alignment) -> MemorySegment.ofArray(new byte[(int) bytes]),
                (bytes, alignment) -> arena.allocate(bytes - 1, alignment),
                (bytes, alignment) -> arena.allocate(bytes, alignment).asReadOnly(),
                (bytes, alignment) -> arena.allocate(bytes + 8, alignment).asSlice(8));
        for (Allocate allocate : bad) {
            try (var stubs = new AllocatorStubs(allocator(allocate))) {
                assertEquals(0, allocate(attributes(stubs), 1000, 64).address());
                assertInstanceOf(IllegalArgumentException.class, stubs.failure().orElseThrow());
            }
        }
    }
}
