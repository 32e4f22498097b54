// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import static dev.isthmus.spark.transport.BadMessageException.unless;

import dev.isthmus.loop.Timer;
import dev.isthmus.verbs.RemoteMemory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.function.IntFunction;

/** A call to a peer, and the READs that follow its answer. Confined to the transport's thread. */
final class VerbsCall {

    private static final String NO_MEMORY = "there is no registered memory for it";
    private static final String READ_FAILED = "a READ has failed";

    final long number;
    final List<BlockKey> blocks;
    private final int base; // the listener's index of the first block
    private final FetchListener listener;
    private final IntFunction<BlockSink> sinks; // null if blocks go to memory
    private final VerbsContext context;
    private final BitSet open; // blocks whose outcome the listener has not got
    private final Deque<Runnable> stores = new ArrayDeque<>(); // that begin one after the other
    private int reading; // READs that have not ended
    private long lastProgress;
    private boolean answered;
    Timer timer; // null until it is sent

    VerbsCall(
            VerbsContext context,
            long number,
            List<BlockKey> blocks,
            int base,
            FetchListener listener,
            IntFunction<BlockSink> sinks) {
        this.context = context;
        this.number = number;
        this.blocks = blocks;
        this.base = base;
        this.listener = listener;
        this.sinks = sinks;
        this.open = new BitSet(blocks.size());
        this.open.set(0, blocks.size());
        this.lastProgress = System.nanoTime();
    }

    /** Whether nothing more is read of it. */
    boolean isOver() {
        return open.isEmpty() && reading == 0;
    }

    /** How long the peer has owed something: none while its blocks are written to sinks. */
    long idleNanos() {
        return answered && reading == 0 ? 0 : System.nanoTime() - lastProgress;
    }

    /** The length limit of the blocks. */
    private long maxBlockBytes() {
        return sinks == null ? context.settings().blockBytes() : PeerMessage.MAX_BLOCK_BYTES;
    }

    VerbsMessage.Locate message() {
        return new VerbsMessage.Locate(number, maxBlockBytes(), blocks);
    }

    /** Reads the blocks of the answer. */
    void located(VerbsMessage.Located located, VerbsPeer peer) {
        unless(!answered, "a second answer to a call");
        unless(located.places().size() == blocks.size(), "an answer of another number of blocks");
        long most = maxBlockBytes();
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
                fetch(i, place.memory(), peer);
            }
        }
        storeNext();
    }

    private void fetch(int index, RemoteMemory from, VerbsPeer peer) {
        if (from.length() == 0) {
            received(index, Received.ofHeap(ByteBuffer.allocate(0)));
        } else if (sinks == null) {
            read(index, from, peer);
        } else {
            stores.add(() -> store(index, from, peer));
        }
    }

    private void storeNext() {
        if (!stores.isEmpty()) {
            stores.remove().run();
        }
    }

    private void store(int index, RemoteMemory from, VerbsPeer peer) {
        boolean begun = false;
        try {
            begun = isWanted(index) && VerbsSinkBlock.begin(context, this, index, from, peer);
            if (!begun) {
                refuse(index, NO_MEMORY);
            }
        } catch (Throwable e) { // whatever it is, a task waits for the block
            fail(index, e);
        }
        if (!begun) {
            storeNext();
        }
    }

    BlockSink sink(int index) {
        return sinks.apply(base + index);
    }

    boolean isWanted(int index) {
        return open.get(index);
    }

    void readBegun() {
        reading++;
    }

    /** A READ of a part has ended, with so many bytes; none if it has failed. */
    void readEnded(long bytes) {
        reading--;
        if (bytes > 0) {
            lastProgress = System.nanoTime();
            context.figures().bytesByGet.add(bytes);
        }
    }

    /** A block is complete in its sink. */
    void stored(int index, long bytes, VerbsPeer peer) {
        open.clear(index);
        context.figures().bytesToSinks.add(bytes);
        context.figures().blocksReceived.increment();
        tell(index, () -> listener.stored(base + index));
        storeEnded(peer);
    }

    /** A block is in no sink: it could not be written, or else not be read. */
    void notStored(int index, IOException failure, VerbsPeer peer) {
        if (failure == null) {
            refuse(index, READ_FAILED);
        } else {
            fail(index, failure);
        }
        storeEnded(peer);
    }

    private void storeEnded(VerbsPeer peer) {
        storeNext();
        if (isOver()) {
            peer.over(this);
        }
    }

    private void read(int index, RemoteMemory from, VerbsPeer peer) {
        long[] slices = acquire(from.length());
        if (slices == null) {
            refuse(index, NO_MEMORY);
            return;
        }
        int sliceBytes = context.settings().sliceBytes();
        var block = new Block(index, from.length(), slices);
        for (int i = 0; i < slices.length; i++) {
            long offset = (long) i * sliceBytes;
            long length = Math.min(sliceBytes, from.length() - offset);
            readBegun();
            peer.post(VerbsOperation.read(
                    context,
                    peer,
                    from,
                    offset,
                    length,
                    slices[i],
                    success -> partEnded(block, length, success, peer)));
        }
    }

    private long[] acquire(long bytes) {
        int sliceBytes = context.settings().sliceBytes();
        long[] slices = new long[Math.toIntExact((bytes + sliceBytes - 1) / sliceBytes)];
        for (int i = 0; i < slices.length; i++) {
            slices[i] = VerbsContext.tryAcquire(context.received());
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
        readEnded(success ? length : 0);
        block.failed |= !success;
        if (--block.left == 0) {
            if (block.failed || !open.get(block.index)) {
                release(block.slices);
                refuse(block.index, READ_FAILED);
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
        tell(index, () -> listener.received(base + index, block));
    }

    private void tell(int index, Runnable notification) {
        try {
            notification.run();
        } catch (Throwable e) { // the loop must go on for others
            context.log().log("a listener of fetched blocks threw", e);
            listener.failed(base + index, new FetchFailedException("its listener threw " + e));
        }
    }

    private void fail(int index, Throwable why) {
        if (open.get(index)) {
            open.clear(index);
            context.figures().blocksFailed.increment();
            var failure = new FetchFailedException(blocks.get(index) + " cannot be stored: " + why);
            tell(index, () -> listener.failed(base + index, failure));
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
        tell(index, () -> listener.refused(base + index, why));
    }
}
