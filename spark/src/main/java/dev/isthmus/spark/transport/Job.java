// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import dev.isthmus.ucx.UcpPackedKey;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.Consumer;

/**
 * A peer's request, and how much of it was answered. It belongs to the transport's thread, except for methods that say
 * that they read.
 */
final class Job {

    private final PeerMessage.Fetch fetch;
    private BlockSource.Range[] ranges; // null until they are looked up, as waiting jobs should be small
    private String[] failures;
    private final BitSet refused = new BitSet();
    private int index;
    private int part;
    private volatile boolean cancelled;

    Job(PeerMessage.Fetch fetch) {
        this.fetch = fetch;
    }

    /** Looks up where the blocks are; this reads files. */
    void find(BlockSource source) {
        ranges = new BlockSource.Range[size()];
        failures = new String[size()];
        Arrays.fill(failures, "it was not looked up");
        for (int i = 0; i < ranges.length && !cancelled; i++) {
            try {
                ranges[i] = source.find(fetch.blocks().get(i));
                failures[i] = whyNot(ranges[i]);
                refused.set(i, failures[i] != null);
            } catch (Throwable e) { // Scala throws checked exceptions undeclared
                failures[i] = e.toString();
            }
        }
    }

    private String whyNot(BlockSource.Range range) {
        if (range == null) {
            return "it is in no file";
        }
        return range.length() <= fetch.most() ? null : "it has " + range.length() + " bytes, more than " + fetch.most();
    }

    long call() {
        return fetch.call();
    }

    int size() {
        return fetch.blocks().size();
    }

    int index() {
        return index;
    }

    boolean isSent() {
        return index == size();
    }

    boolean isCancelled() {
        return cancelled;
    }

    void cancel() {
        cancelled = true;
    }

    /** Why the next block cannot be sent; null if it can. */
    String failure() {
        return failures[index];
    }

    /** Whether the next block is to be fetched by other means. */
    boolean isRefused() {
        return refused.get(index);
    }

    void next() {
        index++;
        part = 0;
    }

    boolean isShort(int most) {
        return ranges[index].length() <= most;
    }

    private static void read(BlockSource.Range range, long offset, ByteBuffer to) throws IOException {
        try (var file = FileChannel.open(range.file(), StandardOpenOption.READ)) {
            long at = range.offset() + offset;
            while (to.hasRemaining()) {
                int count = file.read(to, at);
                if (count < 0) {
                    throw new EOFException(range.file() + " ends at " + at);
                }
                at += count;
            }
        }
    }

    /** The next blocks, as many short ones as fit into a message. */
    Batch nextBatch(int most) {
        int first = index;
        long bytes = 0;
        while (!isSent() && failure() == null && isShort(most)) {
            bytes += ranges[index].length();
            if (index > first && bytes > PeerMessage.roomForData(index - first + 1)) {
                break;
            }
            next();
        }
        return new Batch(first, index);
    }

    /** Short blocks that go in one message. */
    final class Batch {
        private final int first;
        private final int end;
        private final List<PeerMessage> failed = new ArrayList<>();
        private int count;
        private long bytes;

        private Batch(int first, int end) {
            this.first = first;
            this.end = end;
        }

        /** Reads the blocks into a message. */
        void read(PeerMessage.Header header, ByteBuffer to) {
            PeerMessage.beginData(call(), header, to);
            for (int i = first; i < end; i++) {
                int begin = to.position();
                int length = (int) ranges[i].length();
                try {
                    PeerMessage.beginPiece(i, length, to);
                    to.limit(to.position() + length);
                    Job.read(ranges[i], 0, to);
                    count++;
                    bytes += length;
                } catch (Throwable e) {
                    to.position(begin);
                    failed.add(new PeerMessage.Failed(call(), i, false, e.toString()));
                }
                to.limit(to.capacity());
            }
            PeerMessage.endData(count, to);
        }

        List<PeerMessage> failures() {
            return failed;
        }

        boolean isEmpty() {
            return count == 0;
        }

        long bytes() {
            return bytes;
        }
    }

    /** The next part of a long block. */
    Part nextPart(int sliceBytes) {
        BlockSource.Range range = ranges[index];
        long offset = (long) part * sliceBytes;
        var next = new Part(range, index, part, offset, (int) Math.min(sliceBytes, range.length() - offset));
        part++;
        if (offset + next.length >= range.length()) {
            next();
        }
        return next;
    }

    /** A part of a long block. */
    final class Part {
        private final BlockSource.Range range;
        private final int block;
        private final int number;
        private final long offset;
        private final int length;
        private String failure = "it was not read";

        private Part(BlockSource.Range range, int block, int number, long offset, int length) {
            this.range = range;
            this.block = block;
            this.number = number;
            this.offset = offset;
            this.length = length;
        }

        int length() {
            return length;
        }

        /** Reads the part. */
        void read(ByteBuffer to) {
            try {
                Job.read(range, offset, to);
                failure = null;
            } catch (Throwable e) {
                failure = e.toString();
            }
        }

        String failure() {
            return failure;
        }

        /** Reports that the block cannot be read, once for all of its parts. */
        void failIfFirst(Consumer<PeerMessage> peer) {
            if (failure != null && failures[block] == null && !cancelled) {
                failures[block] = failure;
                peer.accept(new PeerMessage.Failed(call(), block, false, failure));
                if (index == block) {
                    next(); // its other parts need not be read
                }
            }
        }

        PeerMessage.Slice slice(long ticket, long place, long use, UcpPackedKey key) {
            return new PeerMessage.Slice(call(), block, range.length(), number, ticket, place, use, key);
        }
    }
}
