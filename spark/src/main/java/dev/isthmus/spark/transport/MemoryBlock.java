// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import dev.isthmus.buffers.UcpMemoryPool;
import dev.isthmus.ucx.UcpRemoteMemory;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;

/**
 * A block received into slices of the pool if there are enough, otherwise into ordinary memory. Once the block is
 * complete, any thread may use it.
 */
final class MemoryBlock extends IncomingBlock {

    private final UcpMemoryPool pool;
    private final OrdinaryMemory ordinary;
    private final long[] slices; // null if it is in ordinary memory
    private final OrdinaryMemory.Piece own; // null if it is in slices

    /** Throws an OutOfMemoryError if there is room in neither. */
    MemoryBlock(TransportMemory memory, Settings settings, long blockBytes) {
        super(memory, settings, blockBytes);
        this.pool = memory.received();
        this.ordinary = memory.ordinary();
        this.slices = acquire(memory, parts);
        this.own = slices == null ? ordinary.allocate(blockBytes) : null;
    }

    private static long[] acquire(TransportMemory memory, int parts) {
        UcpMemoryPool pool = memory.received();
        if ((long) parts * pool.sliceBytes() > pool.maxBytes()) {
            return null;
        }
        long[] slices = new long[parts];
        for (int i = 0; i < parts; i++) {
            slices[i] = memory.tryAcquireReceived();
            if (slices[i] == 0) {
                release(pool, slices);
                return null;
            }
        }
        return slices;
    }

    private static void release(UcpMemoryPool pool, long[] slices) {
        for (long slice : slices) {
            if (slice != 0) {
                pool.release(slice);
            }
        }
    }

    boolean isPooled() {
        return slices != null;
    }

    @Override
    void get(UcpRemoteMemory from, PeerMessage.Slice slice, boolean inOrder, PartListener ended) {
        int part = slice.part();
        boolean withUse = slices != null && isWithUse(part, inOrder);
        long length = withUse ? pool.sliceBytes() : length(part);
        CompletableFuture<Void> got = slices == null
                ? from.getAsync(own.segment(), (long) part * sliceBytes, length, slice.place())
                : from.getAsync(pool.memory(slices[part]), pool.offset(slices[part]), length, slice.place());
        partBegun();
        MemorySegment fetched = withUse ? pool.segment(slices[part]) : null;
        var _ = got.whenComplete((_, failure) -> check(from, slice, failure, fetched, wrong -> {
            partEnded(wrong == null);
            ended.ended(wrong, null);
        }));
    }

    @Override
    void free() {
        if (slices == null) {
            ordinary.free(own);
        } else {
            release(pool, slices);
        }
    }

    /** The complete block, which owns the memory from now on. */
    Received take() {
        if (slices == null) {
            return new Received(new MemorySegment[] {own.segment()}, blockBytes, this::free);
        }
        var pieces = new MemorySegment[parts];
        for (int i = 0; i < parts; i++) {
            pieces[i] = pool.segment(slices[i]).asSlice(0, sliceBytes);
        }
        return new Received(pieces, blockBytes, this::free);
    }
}
