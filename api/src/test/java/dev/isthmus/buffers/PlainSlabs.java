// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/** Slabs of memory without a device, which suffice for what a pool does by itself. */
final class PlainSlabs implements SlabSource<PlainSlabs.Memory> {

    /** Memory, and the arena that ends it. */
    record Memory(Arena arena, MemorySegment segment) {}

    static final long PAGE = 4096;

    final AtomicLong allocated = new AtomicLong();
    private volatile RuntimeException refusal;

    static Slabs<Memory> pool(PlainSlabs source, long sliceBytes, long maxBytes) {
        return new Slabs<>("a pool", source, sliceBytes, maxBytes, PAGE);
    }

    static Slabs<Memory> pool(long sliceBytes, long maxBytes) {
        return pool(new PlainSlabs(), sliceBytes, maxBytes);
    }

    /** From now on, refuses to allocate or free with this exception; with null, no longer refuses. */
    void refuse(RuntimeException because) {
        refusal = because;
    }

    private void refuseIfAsked() {
        if (refusal != null) {
            throw refusal;
        }
    }

    @Override
    public Memory allocate(long bytes) {
        refuseIfAsked();
        Arena arena = Arena.ofShared();
        allocated.addAndGet(bytes);
        return new Memory(arena, arena.allocate(bytes, PAGE));
    }

    @Override
    public MemorySegment segment(Memory memory) {
        return memory.segment();
    }

    @Override
    public void free(Memory memory) {
        refuseIfAsked();
        memory.arena().close();
        allocated.addAndGet(-memory.segment().byteSize());
    }
}
