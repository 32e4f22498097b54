// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.isthmus.GuardedArena;
import dev.isthmus.loop.EventLoop;
import dev.isthmus.ucx.UcpBuffer;
import dev.isthmus.ucx.UcpCompletions;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpFeature;
import dev.isthmus.ucx.UcpRemoteMemory;
import dev.isthmus.ucx.UcpWorker;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.EnumSet;

/**
 * Counts the lines of a text in a peer's memory, which it gets piece by piece into a small window. UCX would accept any
 * number of gets, and queue those that it cannot send yet; the window limits them. Here the peer is a thread of the
 * same process. In another process it would look the same.
 */
public final class UcpFetch {

    private static final int SLOTS = 8; // of the window: so many gets are under way at most
    private static final long SLOT_BYTES = 64 << 10;

    private UcpFetch() {}

    /** Counts lines, however long the text is: a window of {@link #SLOTS} pieces holds what is under way. */
    static long countLines(UcpWorker worker, UcpRemoteMemory text, MemorySegment window) {
        var piece = UcpBuffer.of(worker, window);
        var done = UcpCompletions.allocate(SLOTS);
        var lengths = new long[SLOTS];
        var busy = new BitSet(SLOTS);
        long lines = 0;
        long next = 0; // where the next piece begins
        while (next < text.byteSize() || !busy.isEmpty()) {
            int slot = busy.nextClearBit(0);
            if (slot < SLOTS && next < text.byteSize()) {
                lengths[slot] = Math.min(SLOT_BYTES, text.byteSize() - next);
                long begun =
                        text.get(piece.range(slot * SLOT_BYTES, lengths[slot]).userData(slot), next);
                busy.set(slot, begun != 0); // 0: it is done already, and no poll reports it
                lines += begun != 0 ? 0 : countLines(window.asSlice(slot * SLOT_BYTES, lengths[slot]));
                next += lengths[slot];
            }
            worker.progress();
            for (int i = worker.poll(done) - 1; i >= 0; i--) {
                int ended = (int) done.userData(i);
                if (!done.isSuccess(i)) {
                    throw new IllegalStateException("a piece was not fetched: " + done.status(i));
                }
                lines += countLines(window.asSlice(ended * SLOT_BYTES, lengths[ended]));
                busy.clear(ended);
            }
        }
        return lines;
    }

    private static long countLines(MemorySegment piece) {
        long lines = 0;
        for (long i = 0; i < piece.byteSize(); i++) {
            lines += piece.get(JAVA_BYTE, i) == '\n' ? 1 : 0;
        }
        return lines;
    }

    /**
     * Needs no RDMA device.
     *
     * @param args how many lines the text has
     */
    public static void main(String... args) {
        byte[] lines = "a line\n".repeat(Integer.parseInt(args[0])).getBytes(StandardCharsets.UTF_8);
        try (var context = UcpContext.create(config -> config.features(EnumSet.of(UcpFeature.RMA, UcpFeature.WAKEUP)));
                var loop = EventLoop.start();
                var serving = context.createWorker(loop, config -> {}); // gives the text, and runs nothing for that
                var memory = context.allocate(lines.length);
                var arena = GuardedArena.ofConfined();
                var worker = context.createWorker();
                var endpoint = worker.createEndpoint(loop.call(serving::address));
                var text = endpoint.unpack(memory.packKey())) { // bytes, which a peer elsewhere would be sent
            memory.segment().copyFrom(MemorySegment.ofArray(lines));
            long count = countLines(worker, text, arena.allocate(SLOTS * SLOT_BYTES));
            System.out.println(count + " lines in " + text.byteSize() + " bytes");
        }
    }
}
