// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_parent_domain_init_attr;
import dev.isthmus.bindings.ibverbs.verbs_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The function pointers by which C calls a {@link DomainAllocator}. They live until they are closed, after C's last
 * call. Exceptions of the allocator stay here: one that left an upcall would end the JVM.
 */
final class AllocatorStubs implements AutoCloseable {

    private final DomainAllocator allocator;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment allocate;
    private final MemorySegment free;
    private final Map<Long, MemorySegment> allocated = new ConcurrentHashMap<>(); // also keeps automatic arenas alive
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    AllocatorStubs(DomainAllocator allocator) {
        this.allocator = allocator;
        this.allocate = ibv_parent_domain_init_attr.alloc.allocate(this::allocate, arena);
        this.free = ibv_parent_domain_init_attr.free.allocate(this::free, arena);
    }

    /** Writes the functions to the attributes of a new parent domain. */
    void write(MemorySegment attributes) {
        ibv_parent_domain_init_attr.alloc(attributes, allocate);
        ibv_parent_domain_init_attr.free(attributes, free);
        ibv_parent_domain_init_attr.comp_mask(
                attributes,
                ibv_parent_domain_init_attr.comp_mask(attributes) | verbs_h.IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS());
    }

    private MemorySegment allocate(
            MemorySegment pd, MemorySegment context, long bytes, long alignment, long resourceType) {
        try {
            MemorySegment memory = allocator.allocate(bytes, alignment, resourceType);
            if (memory == null) {
                return verbs_h.IBV_ALLOCATOR_USE_DEFAULT();
            }
            check(memory, bytes, alignment);
            allocated.put(memory.address(), memory);
            return memory;
        } catch (Throwable t) {
            failure.compareAndSet(null, t);
            return MemorySegment.NULL; // the driver reports ENOMEM
        }
    }

    // Any thread may write to it in the driver, so memory of a confined or closed arena will not do.
    private static void check(MemorySegment memory, long bytes, long alignment) {
        if (!memory.isNative() || memory.isReadOnly() || memory.byteSize() < bytes) {
            throw new IllegalArgumentException("the allocator returned " + memory + " where " + bytes
                    + " writable bytes of native memory were wanted");
        }
        if (alignment > 1 && memory.address() % alignment != 0) {
            throw new IllegalArgumentException(
                    "the allocator returned memory that is not aligned to " + alignment + " bytes: " + memory);
        }
        if (!memory.scope().isAlive()) {
            throw new IllegalArgumentException("the allocator returned memory whose arena is closed");
        }
    }

    private void free(MemorySegment pd, MemorySegment context, MemorySegment pointer, long resourceType) {
        try {
            MemorySegment memory = allocated.remove(pointer.address());
            if (memory != null) {
                allocator.free(memory, resourceType);
            }
        } catch (Throwable t) {
            failure.compareAndSet(null, t);
        }
    }

    /** The first exception since the last call. */
    Optional<Throwable> failure() {
        return Optional.ofNullable(failure.getAndSet(null));
    }

    @Override
    public void close() {
        arena.close();
    }
}
