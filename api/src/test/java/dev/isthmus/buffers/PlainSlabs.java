// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/** Slabs of memory that no device knows: what a pool does by itself needs none. */
final class PlainSlabs implements SlabSource<PlainSlabs.Memory> {

    /** Memory, and how long it lives. */
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

    /** From now on nothing is allocated or freed; or it is again, with null. */
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
