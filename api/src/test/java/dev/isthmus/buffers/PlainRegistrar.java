// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Registrations without a device, which suffice for what a cache does by itself. */
final class PlainRegistrar implements Registrar<PlainRegistrar.Memory> {

    /** Registered memory. */
    static final class Memory {
        final MemorySegment segment;
        volatile boolean registered = true;

        Memory(MemorySegment segment) {
            this.segment = segment;
        }
    }

    /** Says that the system allows no more. */
    static final class NoRoom extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    final List<Memory> registered = new CopyOnWriteArrayList<>();
    final AtomicInteger made = new AtomicInteger();
    volatile boolean writable;
    volatile int mostOfTheSystem = Integer.MAX_VALUE;
    volatile RuntimeException refusal;
    volatile Runnable duringRegistration = () -> {};

    @Override
    public Memory register(MemorySegment segment) {
        duringRegistration.run();
        if (registered.size() >= mostOfTheSystem) {
            throw new NoRoom();
        }
        if (!segment.scope().isAlive()) {
            throw new IllegalStateException("the arena of the segment is closed");
        }
        var memory = new Memory(segment);
        registered.add(memory);
        made.incrementAndGet();
        return memory;
    }

    @Override
    public void deregister(Memory memory) {
        if (refusal != null) {
            throw refusal;
        }
        if (!registered.remove(memory)) {
            throw new AssertionError("deregistered twice");
        }
        memory.registered = false;
    }

    @Override
    public boolean isWritable() {
        return writable;
    }

    @Override
    public boolean isLimitReached(RuntimeException e) {
        return e instanceof NoRoom;
    }
}
