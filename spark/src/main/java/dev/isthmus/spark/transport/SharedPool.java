// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import dev.isthmus.RdmaException;
import dev.isthmus.buffers.UcpMemoryPool;
import dev.isthmus.ucx.UcpMemory;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashSet;
import java.util.SequencedSet;
import java.util.function.Consumer;

/**
 * Slices that all peers share. A peer that has some gets another only while more are free than it has. So however many
 * peers take slices and return none, the next peer finds some. Confined to the transport's thread.
 */
final class SharedPool implements AutoCloseable {

    /** Waits for a slice. */
    @FunctionalInterface
    interface SliceWaiter {
        /** Goes on; waits again if there is still no slice for it. */
        void pump();
    }

    private final UcpMemoryPool pool;
    private final Consumer<Throwable> refused;
    private final SequencedSet<SliceWaiter> waiting = new LinkedHashSet<>();
    private int most;
    private int out;
    private boolean waking;
    private boolean released; // a slice was released during wake

    /** Shares a pool; the consumer is told if memory cannot be registered. */
    SharedPool(UcpMemoryPool pool, Consumer<Throwable> refused) {
        this.pool = pool;
        this.refused = refused;
        this.most = Math.toIntExact(Math.min(Integer.MAX_VALUE, pool.maxBytes() / pool.sliceBytes()));
    }

    /**
     * A slice for a peer that has this many; 0 if there is none for it now.
     *
     * @param share into how many parts the free slices are divided; the peer may have as many slices as one part
     */
    long tryAcquire(int has, int share) {
        int free = most - out;
        if (free <= 0 || (has > 0 && has >= free / share)) {
            return 0;
        }
        long slice = tryAcquire();
        if (slice == 0) {
            if (out > 0) { // otherwise it says nothing of how many there can be
                most = out; // the slices that the system allows are all there are to share
            }
            return 0;
        }
        out++;
        return slice;
    }

    private long tryAcquire() {
        try {
            return pool.tryAcquire();
        } catch (RdmaException | OutOfMemoryError e) {
            refused.accept(e);
            return 0;
        }
    }

    /** Whether nobody has a slice; then waiting for one is pointless. */
    boolean isUnused() {
        return out == 0;
    }

    /** Calls the waiter when a slice is released. */
    void waitFor(SliceWaiter waiter) {
        waiting.add(waiter);
    }

    void remove(SliceWaiter waiter) {
        waiting.remove(waiter);
    }

    void release(long slice) {
        pool.release(slice);
        out--;
        released = true;
        if (!waking) { // otherwise the running wake does it: a send that ends at once gets here from within
            waking = true;
            try {
                wake();
            } finally {
                waking = false;
            }
        }
    }

    /** Every waiter has its turn: one that is refused may have its share already, when the next one has nothing. */
    private void wake() {
        while (released) {
            released = false;
            for (int i = waiting.size(); i > 0 && out < most && !waiting.isEmpty(); i--) {
                waiting.removeFirst().pump();
            }
        }
    }

    MemorySegment segment(long slice) {
        return pool.segment(slice);
    }

    long offset(long slice) {
        return pool.offset(slice);
    }

    UcpMemory memory(long slice) {
        return pool.memory(slice);
    }

    long pinnedBytes() {
        return pool.pinnedBytes();
    }

    long slicesOut() {
        return pool.slicesOut();
    }

    @Override
    public void close() {
        pool.close();
    }
}
