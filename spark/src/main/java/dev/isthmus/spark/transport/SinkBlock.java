// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import dev.isthmus.buffers.UcpMemoryPool;
import dev.isthmus.ucx.UcpRemoteMemory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * A block received into a {@link BlockSink}: each part is fetched into memory, and written once all earlier parts are.
 * Until then the peer does not get its memory back, so it sends no more than fits here.
 */
final class SinkBlock extends IncomingBlock {

    private final TransportMemory memory;
    private final TransportTasks tasks;
    private final BlockSink sink;
    private final Map<Integer, Part> arrived = new HashMap<>(); // but not written
    private int next; // to be written
    private boolean writing;
    private Exception failure; // of writing

    SinkBlock(TransportContext context, BlockSink sink, long blockBytes) {
        super(context.memory(), context.settings(), blockBytes);
        this.memory = context.memory();
        this.tasks = context.tasks();
        this.sink = sink;
    }

    /** A part, in a slice or in ordinary memory. */
    private final class Part {
        private final int length;
        private final PartListener ended;
        private final long slice; // 0 if it is in ordinary memory
        private final OrdinaryMemory.Piece own;

        Part(int number, PartListener ended) {
            this.length = (int) length(number);
            this.ended = ended;
            this.slice = memory.tryAcquireReceived();
            this.own = slice == 0 ? memory.ordinary().allocate(length) : null;
        }

        CompletableFuture<Void> get(UcpRemoteMemory from, long place, boolean withUse) {
            UcpMemoryPool pool = memory.received();
            return slice == 0
                    ? from.getAsync(own.segment(), 0, length, place)
                    : from.getAsync(
                            pool.memory(slice), pool.offset(slice), withUse ? pool.sliceBytes() : length, place);
        }

        MemorySegment segment() {
            return (slice == 0 ? own.segment() : memory.received().segment(slice)).asSlice(0, length);
        }

        void free() {
            if (slice == 0) {
                memory.ordinary().free(own);
            } else {
                memory.received().release(slice);
            }
        }

        void end(Throwable get, Exception store) {
            free();
            partEnded(get == null && store == null);
            ended.ended(get, store);
        }
    }

    @Override
    void get(UcpRemoteMemory from, PeerMessage.Slice slice, boolean inOrder, PartListener ended) {
        int number = slice.part();
        var part = new Part(number, ended);
        boolean withUse = part.slice != 0 && isWithUse(number, inOrder);
        CompletableFuture<Void> got;
        try {
            got = part.get(from, slice.place(), withUse);
        } catch (RuntimeException | Error e) {
            part.free();
            throw e;
        }
        partBegun();
        MemorySegment fetched = withUse ? memory.received().segment(part.slice) : null;
        var _ = got.whenComplete((_, failure) -> check(from, slice, failure, fetched, wrong -> {
            if (wrong != null) {
                part.end(wrong, null);
                return;
            }
            arrived.put(number, part);
            write();
        }));
    }

    /** Writes the next part, if it has arrived and is still wanted. */
    private void write() {
        if (failure == null && isAbandoned()) {
            failure = new IOException("it is no longer wanted");
        }
        if (writing) {
            return;
        }
        if (failure != null) {
            var all = arrived.values().toArray(Part[]::new);
            arrived.clear();
            for (Part part : all) {
                part.end(null, failure);
            }
            return;
        }
        Part part = arrived.remove(next);
        if (part == null) {
            return;
        }
        writing = true;
        boolean last = ++next == parts;
        tasks.read(
                () -> {
                    IOException wrong = write(sink, part.segment(), last);
                    if (wrong != null) {
                        failure = wrong;
                    }
                },
                () -> {
                    writing = false;
                    part.end(null, failure);
                    write();
                });
    }

    /** Writes the next part of a block, on a thread that may block; returns why that failed, or null. */
    static IOException write(BlockSink sink, MemorySegment part, boolean last) {
        try {
            sink.write(part.asByteBuffer().asReadOnlyBuffer());
            if (last) {
                sink.complete();
            }
            return null;
        } catch (IOException e) {
            return e;
        } catch (Throwable e) { // whatever it is, a task waits for the block
            return new IOException(e);
        }
    }

    @Override
    void drop() {
        write();
    }

    @Override
    void free() {
        tasks.read(sink::discard, () -> {});
    }
}
