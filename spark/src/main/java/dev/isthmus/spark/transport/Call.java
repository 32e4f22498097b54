// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import static dev.isthmus.spark.transport.BadMessageException.unless;

import dev.isthmus.loop.Timer;
import dev.isthmus.ucx.UcpRemoteMemory;
import java.util.BitSet;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;

/** A request to a peer, and its progress. Confined to the transport's thread. */
final class Call {

    final long number;
    final List<BlockKey> blocks;
    private final int base; // the listener's index of the first block
    private final FetchListener listener;
    private final IntFunction<BlockSink> sinks; // null if long blocks go to memory
    private final TransportContext context;
    private final BitSet open; // blocks whose outcome the listener has not got
    private final IncomingBlock[] incoming; // null until a part of a long block has come
    private long lastProgress = System.nanoTime();
    private Figures.OfTransport figures; // null until it is sent
    Timer timer; // null until it is set

    Call(
            TransportContext context,
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
        this.incoming = new IncomingBlock[blocks.size()];
    }

    /** The length limit of the blocks that the peer sends. */
    long maxBlockBytes() {
        return sinks == null ? context.settings().blockBytes() : PeerMessage.MAX_BLOCK_BYTES;
    }

    /** The request was sent to a peer with these figures. */
    void sent(Figures.OfTransport ofTransport) {
        figures = ofTransport;
        lastProgress = System.nanoTime();
    }

    boolean isOver() {
        return open.isEmpty();
    }

    /** The nanoseconds since the peer's last sign of progress. */
    long idleNanos() {
        return System.nanoTime() - lastProgress;
    }

    /** Whole blocks have arrived. */
    void data(PeerMessage.Data data) {
        lastProgress = System.nanoTime();
        for (PeerMessage.Piece piece : data.pieces()) {
            checkExpected(piece.index());
            unless(incoming[piece.index()] == null, "a block that comes both whole and in parts");
            context.figures().bytesInline.add(piece.bytes().remaining());
            figures.bytesReceived.add(piece.bytes().remaining());
            received(piece.index(), Received.ofHeap(piece.bytes()));
        }
    }

    private void checkExpected(int index) {
        checkRange(index);
        unless(open.get(index), "block " + index + " of a request, repeated");
    }

    private void checkRange(int index) {
        unless(index < blocks.size(), "block " + index + " of a request that has fewer");
    }

    /** A part of a long block is ready: gets it, and calls back when the peer may reuse its memory. */
    void slice(PeerMessage.Slice slice, UcpRemoteMemory memory, boolean inOrder, BiConsumer<Long, Throwable> ended) {
        lastProgress = System.nanoTime();
        int index = slice.index();
        checkRange(index);
        unless(
                slice.blockBytes() <= maxBlockBytes(),
                "a block of " + slice.blockBytes() + " bytes, longer than the limit of " + maxBlockBytes());
        unless(
                context.memory().uses().isWithin(memory, slice.place()),
                "a slice without room for the number of its use");
        if (!open.get(index)) { // it has failed here, and the peer did not know yet
            ended.accept(slice.ticket(), null);
            return;
        }
        try {
            IncomingBlock block = incomingBlock(slice);
            block.begin(slice);
            block.get(memory, slice, inOrder, (failure, store) -> {
                ended.accept(slice.ticket(), failure);
                partEnded(block, index, failure == null ? block.length(slice.part()) : 0, store);
            });
        } catch (IndexOutOfBoundsException e) {
            throw new BadMessageException("a part outside of its memory: " + e.getMessage());
        } catch (OutOfMemoryError e) {
            refuse(index, "there is no memory for a block of " + slice.blockBytes() + " bytes: " + e.getMessage());
            ended.accept(slice.ticket(), null);
        }
    }

    private IncomingBlock incomingBlock(PeerMessage.Slice slice) {
        int index = slice.index();
        if (incoming[index] == null) {
            incoming[index] = sinks == null
                    ? newMemoryBlock(slice.blockBytes())
                    : new SinkBlock(context, sinks.apply(base + index), slice.blockBytes());
        }
        return incoming[index];
    }

    private MemoryBlock newMemoryBlock(long bytes) {
        var block = new MemoryBlock(context.memory(), context.settings(), bytes);
        if (!block.isPooled()) {
            context.figures().blocksUnpooled.increment();
        }
        return block;
    }

    private void partEnded(IncomingBlock block, int index, long bytes, Exception store) {
        if (bytes > 0) {
            lastProgress = System.nanoTime();
            context.figures().bytesByGet.add(bytes);
            figures.bytesReceived.add(bytes);
        }
        if (!open.get(index)) {
            return;
        }
        if (store != null) {
            fail(index, new FetchFailedException(blocks.get(index) + " cannot be stored: " + store));
        } else if (block.isWhole()) {
            incoming[index] = null;
            if (block instanceof MemoryBlock whole) {
                received(index, whole.take());
            } else {
                stored(index, block.blockBytes);
            }
        }
    }

    /** A block will not come. */
    void failed(PeerMessage.Failed failed) {
        lastProgress = System.nanoTime();
        int index = failed.index();
        checkRange(index);
        if (!open.get(index)) { // it has failed here, and the peer did not know yet
            return;
        }
        if (failed.otherwise()) {
            refuse(index, failed.why());
        } else {
            fail(index, new FetchFailedException("the peer cannot read " + blocks.get(index) + ": " + failed.why()));
        }
    }

    /** Nothing more will come. */
    void fail(Exception why) {
        for (int i = open.nextSetBit(0); i >= 0; i = open.nextSetBit(i + 1)) {
            fail(i, why);
        }
    }

    /** The missing blocks must be fetched by other means. */
    void refuse(String why) {
        for (int i = open.nextSetBit(0); i >= 0; i = open.nextSetBit(i + 1)) {
            refuse(i, why);
        }
    }

    private void refuse(int index, String why) {
        end(index);
        context.figures().blocksRefused.increment();
        notifyListener(index, () -> listener.refused(base + index, why));
    }

    private void fail(int index, Exception why) {
        end(index);
        context.figures().blocksFailed.increment();
        try {
            listener.failed(base + index, why);
        } catch (Throwable e) { // the loop must go on for others
            context.log().log("a listener of fetched blocks threw", e);
        }
    }

    private void received(int index, Received block) {
        end(index);
        context.figures().blocksReceived.increment();
        figures.blocksReceived.increment();
        notifyListener(index, () -> listener.received(base + index, block));
    }

    private void stored(int index, long bytes) {
        end(index);
        context.figures().bytesToSinks.add(bytes);
        context.figures().blocksReceived.increment();
        figures.blocksReceived.increment();
        notifyListener(index, () -> listener.stored(base + index));
    }

    private void end(int index) {
        open.clear(index);
        if (incoming[index] != null) {
            incoming[index].abandon();
            incoming[index] = null;
        }
        if (isOver() && timer != null) {
            timer.cancel();
        }
    }

    /** A listener that throws may not have told its own waiters, so a block that it could not take counts as failed. */
    private void notifyListener(int index, Runnable notification) {
        try {
            notification.run();
        } catch (Throwable e) {
            context.log().log("a listener of fetched blocks threw", e);
            fail(index, new FetchFailedException("its listener threw " + e));
        }
    }
}
