// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import static dev.isthmus.spark.transport.BadMessageException.unless;

import dev.isthmus.loop.Timer;
import dev.isthmus.verbs.RemoteMemory;
import dev.isthmus.verbs.SendOpcode;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.List;

/** A call to a peer, and the READs that follow its answer. Confined to the transport's thread. */
final class VerbsCall {

    final long number;
    final List<BlockKey> blocks;
    private final int base; // the listener's index of the first block
    private final FetchListener listener;
    private final VerbsContext context;
    private final BitSet open; // blocks whose outcome the listener has not got
    private int reading; // READs that have not ended
    private long lastProgress;
    private boolean answered;
    Timer timer; // null until it is sent

    VerbsCall(VerbsContext context, long number, List<BlockKey> blocks, int base, FetchListener listener) {
        this.context = context;
        this.number = number;
        this.blocks = blocks;
        this.base = base;
        this.listener = listener;
        this.open = new BitSet(blocks.size());
        this.open.set(0, blocks.size());
        this.lastProgress = System.nanoTime();
    }

    /** Whether nothing more is read of it. */
    boolean isOver() {
        return open.isEmpty() && reading == 0;
    }

    long idleNanos() {
        return System.nanoTime() - lastProgress;
    }

    VerbsMessage.Locate message() {
        return new VerbsMessage.Locate(number, context.settings().blockBytes(), blocks);
    }

    /** Reads the blocks of the answer. */
    void located(VerbsMessage.Located located, VerbsPeer peer) {
        unless(!answered, "a second answer to a call");
        unless(located.places().size() == blocks.size(), "an answer of another number of blocks");
        long most = context.settings().blockBytes();
        for (VerbsMessage.Place place : located.places()) {
            unless(
                    place.memory() == null || place.memory().length() <= most,
                    "a block that is longer than the limit of " + most + " bytes");
        }
        answered = true;
        lastProgress = System.nanoTime();
        for (int i = 0; i < blocks.size(); i++) {
            VerbsMessage.Place place = located.places().get(i);
            if (place.memory() == null) {
                refuse(i, place.why());
            } else if (open.get(i)) {
                read(i, place.memory(), peer);
            }
        }
    }

    private void read(int index, RemoteMemory from, VerbsPeer peer) {
        if (from.length() == 0) {
            received(index, Received.ofHeap(ByteBuffer.allocate(0)));
            return;
        }
        long[] slices = acquire(from.length());
        if (slices == null) {
            refuse(index, "there is no registered memory for it");
            return;
        }
        int sliceBytes = context.settings().sliceBytes();
        var block = new Block(index, from.length(), slices);
        reading += slices.length;
        for (int i = 0; i < slices.length; i++) {
            long slice = slices[i];
            long offset = (long) i * sliceBytes;
            long length = Math.min(sliceBytes, from.length() - offset);
            peer.post(new VerbsOperation(
                    peer,
                    request -> context.received()
                            .into(request, slice, 0, length)
                            .opcode(SendOpcode.RDMA_READ)
                            .remote(from, offset),
                    success -> partEnded(block, length, success, peer)));
        }
    }

    private long[] acquire(long bytes) {
        int sliceBytes = context.settings().sliceBytes();
        long[] slices = new long[Math.toIntExact((bytes + sliceBytes - 1) / sliceBytes)];
        for (int i = 0; i < slices.length; i++) {
            slices[i] = context.received().tryAcquire();
            if (slices[i] == 0) {
                release(slices);
                return null;
            }
        }
        return slices;
    }

    private void release(long[] slices) {
        for (long slice : slices) {
            if (slice != 0) {
                context.received().release(slice);
            }
        }
    }

    /** A block that is being read. */
    private static final class Block {
        private final int index;
        private final long bytes;
        private final long[] slices;
        private int left;
        private boolean failed;

        Block(int index, long bytes, long[] slices) {
            this.index = index;
            this.bytes = bytes;
            this.slices = slices;
            this.left = slices.length;
        }
    }

    private void partEnded(Block block, long length, boolean success, VerbsPeer peer) {
        reading--;
        block.failed |= !success;
        if (success) {
            lastProgress = System.nanoTime();
            context.figures().bytesByGet.add(length);
        }
        if (--block.left == 0) {
            if (block.failed || !open.get(block.index)) {
                release(block.slices);
                refuse(block.index, "a READ has failed");
            } else {
                var pieces = new MemorySegment[block.slices.length];
                for (int i = 0; i < pieces.length; i++) {
                    pieces[i] = context.received().segment(block.slices[i]);
                }
                received(block.index, new Received(pieces, block.bytes, () -> release(block.slices)));
            }
        }
        if (isOver()) {
            peer.over(this);
        }
    }

    private void received(int index, Received block) {
        open.clear(index);
        context.figures().blocksReceived.increment();
        try {
            listener.received(base + index, block);
        } catch (Throwable e) { // the loop must go on for others
            context.log().log("a listener of fetched blocks threw", e);
            listener.failed(base + index, new FetchFailedException("its listener threw " + e));
        }
    }

    /** The missing blocks must be fetched by other means. */
    void refuse(String why) {
        for (int i = open.nextSetBit(0); i >= 0; i = open.nextSetBit(i + 1)) {
            refuse(i, why);
        }
    }

    private void refuse(int index, String why) {
        if (!open.get(index)) {
            return;
        }
        open.clear(index);
        context.figures().blocksRefused.increment();
        try {
            listener.refused(base + index, why);
        } catch (Throwable e) {
            context.log().log("a listener of fetched blocks threw", e);
            listener.failed(base + index, new FetchFailedException("its listener threw " + e));
        }
    }
}
