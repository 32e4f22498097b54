// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A received block, in one piece of memory or in several of equal length. It is reference-counted: after the last
 * release its memory is reused, so do not read it any more. Any thread may retain, release and read it.
 */
public final class Received {

    private final MemorySegment[] pieces; // all but the last of the same length
    private final long size;
    private final Runnable free;
    private final AtomicInteger references = new AtomicInteger(1);

    Received(MemorySegment[] pieces, long size, Runnable free) {
        this.pieces = pieces;
        this.size = size;
        this.free = free;
    }

    /** A block on the heap, which nobody needs to release. */
    static Received ofHeap(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        return new Received(new MemorySegment[] {MemorySegment.ofArray(copy)}, copy.length, () -> {});
    }

    /**
     * The length of the block.
     *
     * @return bytes
     */
    public long size() {
        return size;
    }

    /** Adds a reference, which must also be released. */
    public void retain() {
        if (references.getAndUpdate(count -> count > 0 ? count + 1 : 0) == 0) {
            throw released();
        }
    }

    /** Releases a reference. After the last release, the memory is used for other blocks. */
    public void release() {
        int before = references.getAndUpdate(count -> Math.max(0, count - 1));
        if (before == 0) {
            throw released();
        }
        if (before == 1) {
            free.run();
        }
    }

    private static IllegalStateException released() {
        return new IllegalStateException("the block was released: read it before, or retain it first");
    }

    private void check() {
        if (references.get() == 0) {
            throw released();
        }
    }

    /**
     * The bytes as a buffer: the memory itself if it is one piece, otherwise a copy on the heap.
     *
     * @return a read-only buffer, valid until the last release
     */
    public ByteBuffer bytes() {
        check();
        if (pieces.length == 1) {
            return pieces[0].asSlice(0, size).asByteBuffer().asReadOnlyBuffer();
        }
        ByteBuffer copy = ByteBuffer.allocate(Math.toIntExact(size));
        for (MemorySegment piece : pieces) {
            copy.put(piece.asSlice(0, Math.min(piece.byteSize(), copy.remaining()))
                    .asByteBuffer());
        }
        return copy.flip().asReadOnlyBuffer();
    }

    /**
     * Reads the bytes.
     *
     * @return a stream for one thread; reading it after the last release throws
     */
    public InputStream stream() {
        return new BlockInputStream();
    }

    private final class BlockInputStream extends InputStream {
        private long at;

        @Override
        public int read() {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] to, int offset, int length) {
            Objects.checkFromIndexSize(offset, length, to.length);
            check();
            if (at == size || length == 0) {
                return length == 0 ? 0 : -1;
            }
            long pieceBytes = pieces[0].byteSize();
            MemorySegment piece = pieces[(int) Math.min(at / pieceBytes, pieces.length - 1)];
            long from = at % pieceBytes;
            int count = (int) Math.min(length, Math.min(size - at, piece.byteSize() - from));
            MemorySegment.copy(piece, JAVA_BYTE, from, to, offset, count);
            at += count;
            return count;
        }

        @Override
        public long skip(long count) {
            long skipped = Math.clamp(count, 0, size - at);
            at += skipped;
            return skipped;
        }

        @Override
        public int available() {
            return (int) Math.min(Integer.MAX_VALUE, size - at);
        }
    }
}
