// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import dev.isthmus.verbs.RemoteMemory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;

/**
 * A block that is READ part by part into a few slices, each of which is written to a {@link BlockSink} before another part
 * takes its place. Confined to the transport's thread.
 */
final class VerbsSinkBlock {

    /** The most slices of one block: parts that are READ, or wait to be written. */
    static final int MAX_SLICES = 16;

    private final VerbsContext context;
    private final VerbsCall call;
    private final int index;
    private final RemoteMemory from;
    private final VerbsPeer peer;
    private final BlockSink sink;
    private final long[] slices;
    private final long parts;
    private final BitSet arrived = new BitSet(); // slices that wait to be written
    private long read; // parts whose READ was posted
    private long written;
    private int reading;
    private boolean writing;
    private boolean lost; // a READ has failed
    private boolean ended;
    private IOException failure; // of writing

    private VerbsSinkBlock(
            VerbsContext context,
            VerbsCall call,
            int index,
            RemoteMemory from,
            VerbsPeer peer,
            BlockSink sink,
            long[] slices) {
        this.context = context;
        this.call = call;
        this.index = index;
        this.from = from;
        this.peer = peer;
        this.sink = sink;
        this.slices = slices;
        this.parts = parts(context, from.length());
    }

    private static long parts(VerbsContext context, long bytes) {
        int sliceBytes = context.settings().sliceBytes();
        return (bytes + sliceBytes - 1) / sliceBytes;
    }

    /** Begins to read a block; returns false if there is no memory for it. */
    static boolean begin(VerbsContext context, VerbsCall call, int index, RemoteMemory from, VerbsPeer peer) {
        long[] slices = new long[(int) Math.min(MAX_SLICES, parts(context, from.length()))];
        int count = 0;
        while (count < slices.length && (slices[count] = VerbsContext.tryAcquire(context.received())) != 0) {
            count++;
        }
        if (count == 0) {
            return false;
        }
        long[] own = Arrays.copyOf(slices, count);
        BlockSink sink;
        try {
            sink = call.sink(index);
        } catch (Throwable e) {
            release(context, own);
            throw e;
        }
        new VerbsSinkBlock(context, call, index, from, peer, sink, own).read();
        return true;
    }

    private static void release(VerbsContext context, long[] slices) {
        for (long slice : slices) {
            context.received().release(slice);
        }
    }

    private boolean isOver() {
        return lost || failure != null || !call.isWanted(index);
    }

    /** READs into each slice that is free. */
    private void read() {
        while (!isOver() && read < parts && read < written + slices.length) {
            long part = read++;
            long offset = part * context.settings().sliceBytes();
            reading++;
            call.readBegun();
            peer.post(VerbsOperation.read(
                    context, peer, from, offset, length(part), slices[slot(part)], success -> partRead(part, success)));
        }
    }

    private int slot(long part) {
        return (int) (part % slices.length);
    }

    private long length(long part) {
        int sliceBytes = context.settings().sliceBytes();
        return Math.min(sliceBytes, from.length() - part * sliceBytes);
    }

    private void partRead(long part, boolean success) {
        reading--;
        call.readEnded(success ? length(part) : 0);
        if (success) {
            arrived.set(slot(part));
        } else {
            lost = true;
        }
        write();
    }

    /** Writes the next part if it has arrived. */
    private void write() {
        if (writing || ended) {
            return;
        }
        if (isOver()) {
            if (reading == 0) {
                end();
            }
            return;
        }
        int slot = slot(written);
        if (arrived.get(slot)) {
            arrived.clear(slot);
            writing = true;
            MemorySegment part = context.received().segment(slices[slot]).asSlice(0, length(written));
            boolean last = written + 1 == parts;
            context.tasks()
                    .read(
                            () -> {
                                IOException wrong = SinkBlock.write(sink, part, last);
                                if (wrong != null) {
                                    failure = wrong;
                                }
                            },
                            () -> {
                                writing = false;
                                written++;
                                if (written == parts && !isOver()) {
                                    ended = true;
                                    release(context, slices);
                                    call.stored(index, from.length(), peer);
                                } else {
                                    read();
                                    write();
                                }
                            });
        }
    }

    /** Nothing of it is kept. */
    private void end() {
        ended = true;
        release(context, slices);
        context.tasks().read(sink::discard, () -> {});
        call.notStored(index, failure, peer);
    }
}
