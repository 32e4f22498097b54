// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import dev.isthmus.RdmaException;
import dev.isthmus.buffers.UcpMemoryPool;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpMemory;
import dev.isthmus.ucx.UcpPackedKey;
import java.util.HashMap;
import java.util.Map;

/** The memory of a transport. Confined to the transport's thread, except for the counters. */
final class TransportMemory {

    private static final long SLICE_ALIGNMENT = 64; // at least as much as pools have
    private static final long PAGE = 64 << 10; // at least as long as the system's

    private final SharedPool slices; // that peers read from
    private final SharedPool messages;
    private final SliceUses uses;
    private final UcpMemoryPool received;
    private final OrdinaryMemory ordinary;
    private final TransportLog log;
    private final Map<UcpMemory, UcpPackedKey> keys = new HashMap<>();
    private boolean logged; // that no more can be registered

    TransportMemory(UcpContext context, Settings settings, TransportLog log) {
        this.log = log;
        this.uses = new SliceUses(settings.sliceBytes());
        int sliceBytes = settings.sliceBytes();
        this.slices = shared(context, sliceBytes + SliceUses.BYTES, withUses(settings.servingBytes(), sliceBytes));
        this.messages = shared(context, PeerMessage.MAX_BYTES, settings.messageBytes());
        this.received = UcpMemoryPool.create(
                context, sliceBytes + SliceUses.BYTES, withUses(settings.receivingBytes(), sliceBytes));
        this.ordinary = new OrdinaryMemory(settings.unpooledBytes());
    }

    /** As much memory as has room for the same number of slices, each with the number of its use. */
    private static long withUses(long bytes, int sliceBytes) {
        long stride = sliceBytes + SliceUses.BYTES + SLICE_ALIGNMENT & -SLICE_ALIGNMENT;
        return Math.ceilDiv(bytes / sliceBytes * stride, PAGE) * PAGE;
    }

    private SharedPool shared(UcpContext context, long sliceBytes, long maxBytes) {
        return new SharedPool(UcpMemoryPool.create(context, sliceBytes, maxBytes), this::logRefusal);
    }

    /** Slices that peers read blocks from. */
    SharedPool slices() {
        return slices;
    }

    SharedPool messages() {
        return messages;
    }

    /** The numbers behind the slices. */
    SliceUses uses() {
        return uses;
    }

    /** Where received blocks go. */
    UcpMemoryPool received() {
        return received;
    }

    /** Where received blocks go if the pool has no room. */
    OrdinaryMemory ordinary() {
        return ordinary;
    }

    /** A slice for a received block; 0 if the pool is at its limit, or no more memory can be registered. */
    long tryAcquireReceived() {
        try {
            return received.tryAcquire();
        } catch (RdmaException | OutOfMemoryError e) {
            logRefusal(e);
            return 0;
        }
    }

    /** Allocates the first memory of each kind, so that the first blocks do not wait for it. */
    void prepare() {
        prepare(messages);
        prepare(slices);
        long slice = tryAcquireReceived();
        if (slice != 0) {
            received.release(slice);
        }
    }

    private static void prepare(SharedPool pool) {
        long slice = pool.tryAcquire(0, 1);
        if (slice != 0) {
            pool.release(slice);
        }
    }

    private void logRefusal(Throwable e) {
        if (!logged) {
            logged = true;
            log.log("no more memory can be registered; this is logged once", e);
        }
    }

    UcpPackedKey key(UcpMemory memory) {
        return keys.computeIfAbsent(memory, UcpMemory::packKey);
    }

    long pinnedBytes() {
        return slices.pinnedBytes() + received.pinnedBytes() + messages.pinnedBytes();
    }

    long slicesOut() {
        return slices.slicesOut() + received.slicesOut();
    }

    /** Frees what peers read from and what is sent. */
    void closeServing() {
        slices.close();
        messages.close();
    }

    /** Frees received blocks; throws an IllegalStateException while some are held. */
    void closeReceived() {
        received.close();
    }
}
