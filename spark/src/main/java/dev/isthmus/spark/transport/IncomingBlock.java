// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import static dev.isthmus.spark.transport.BadMessageException.unless;

import dev.isthmus.ucx.UcpRemoteMemory;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.function.Consumer;

/**
 * A long block that is being received, part by part. It lives as long as a get writes to it, whatever happens to the
 * request. Confined to the transport's thread.
 */
abstract class IncomingBlock {

    /** Gets the outcome of a part. */
    @FunctionalInterface
    interface PartListener {
        /**
         * The part has ended. If it failed, one is not null: the exception of the get, which is a {@link
         * BadMessageException} if other bytes came than the peer has announced; or that of storing the part.
         */
        void ended(Throwable get, Exception store);
    }

    final long blockBytes;
    final int sliceBytes;
    final int parts;
    private final SliceUses uses;
    private final int credits;
    private final BitSet begun = new BitSet();
    private int done;
    private int underWay;
    private boolean abandoned;
    private boolean freed;

    IncomingBlock(TransportMemory memory, Settings settings, long blockBytes) {
        this.uses = memory.uses();
        this.sliceBytes = settings.sliceBytes();
        this.credits = settings.credits();
        long count = (blockBytes + sliceBytes - 1) / sliceBytes;
        unless(count <= Integer.MAX_VALUE, "a block of " + blockBytes + " bytes");
        this.blockBytes = blockBytes;
        this.parts = (int) count;
    }

    /** Begins a part; each may begin only once. */
    final void begin(PeerMessage.Slice slice) {
        int part = slice.part();
        unless(slice.blockBytes() == blockBytes, "a block that changes its length");
        unless(part < parts && !begun.get(part), "part " + part + " of a block, repeated or beyond its end");
        unless(
                part < (long) done + credits,
                "part " + part + " too far ahead of its turn"); // parts are recorded one by one
        begun.set(part);
    }

    /** The length of a part. */
    final long length(int part) {
        return Math.min(sliceBytes, blockBytes - (long) part * sliceBytes);
    }

    /**
     * Gets a part that has begun from the peer's memory, and checks it. Throws an
     * IndexOutOfBoundsException if the part is not within that memory, or an OutOfMemoryError if there is no room for
     * it here. In both cases it has begun nothing.
     *
     * @param inOrder whether a get copies byte after byte, on the thread that uses slices anew
     */
    abstract void get(UcpRemoteMemory from, PeerMessage.Slice slice, boolean inOrder, PartListener ended);

    /** Whether a get of the part can bring the number behind its slice, too. */
    final boolean isWithUse(int part, boolean inOrder) {
        return inOrder && length(part) == sliceBytes;
    }

    /**
     * Passes on what is wrong with a part that a get has brought; null if nothing is. A peer that has ended the
     * connection uses its memory for others, and a get may then still succeed.
     *
     * @param withUse the slice that the get has brought with the number behind it; null if it was without
     */
    final void check(
            UcpRemoteMemory from,
            PeerMessage.Slice slice,
            Throwable failure,
            MemorySegment withUse,
            Consumer<Throwable> then) {
        if (failure != null) {
            then.accept(failure);
        } else if (withUse != null) {
            then.accept(uses.check(withUse, slice));
        } else {
            uses.check(from, slice, then);
        }
    }

    /** UCX has begun to write. */
    final void partBegun() {
        underWay++;
    }

    /** A part has arrived, or has failed. */
    final void partEnded(boolean well) {
        underWay--;
        done += well ? 1 : 0;
        freeIfOver();
    }

    final boolean isWhole() {
        return done == parts;
    }

    /** Nobody wants the block any more. */
    final void abandon() {
        abandoned = true;
        drop();
        freeIfOver();
    }

    final boolean isAbandoned() {
        return abandoned;
    }

    private void freeIfOver() {
        if (abandoned && underWay == 0 && !freed) {
            freed = true;
            free();
        }
    }

    /** Ends the parts that wait for others. */
    void drop() {}

    /** Frees the memory of an abandoned block. */
    abstract void free();
}
