// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.mlx5;

import java.lang.foreign.MemorySegment;

/** The memory of a queue pair and its completion queue, for tests that compare it, or write what a card would write. */
public final class MappedQueues {

    private final QueuePairLayout queuePair;
    private final CompletionQueueLayout completionQueue;

    /**
     * Finds the memory.
     *
     * @param driver a function of the device's driver
     */
    public MappedQueues(MemorySegment driver, MemorySegment qp, MemorySegment cq) {
        try {
            Mlx5Library library = Mlx5Library.driving(driver);
            queuePair = library.queuePair(qp);
            completionQueue = library.completionQueue(cq);
        } catch (NotDirect e) {
            throw new AssertionError(e);
        }
    }

    public MemorySegment sends() {
        return memory(queuePair.sends(), (long) queuePair.blocks() * queuePair.blockSize());
    }

    public MemorySegment receives() {
        return memory(queuePair.receives(), (long) queuePair.entries() * queuePair.entrySize());
    }

    public MemorySegment records() {
        return memory(queuePair.records(), 8);
    }

    /** Both halves. */
    public MemorySegment register() {
        return memory(queuePair.register(), 2L * queuePair.half());
    }

    public MemorySegment completions() {
        return memory(completionQueue.entries(), (long) completionQueue.count() * completionQueue.entrySize());
    }

    public MemorySegment completionRecords() {
        return memory(completionQueue.records(), 8);
    }

    /** The doorbell that asks for an event. */
    public MemorySegment doorbell() {
        return memory(completionQueue.page() + 0x20, 8);
    }

    public int completionQueueNumber() {
        return completionQueue.number();
    }

    /** Memory of C's. */
    @SuppressWarnings("restricted")
    public static MemorySegment memory(long address, long size) {
        return MemorySegment.ofAddress(address).reinterpret(size);
    }
}
