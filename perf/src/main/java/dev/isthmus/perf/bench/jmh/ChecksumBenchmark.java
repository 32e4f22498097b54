// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.jmh;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/** What the checksum of a part of a shuffle block costs, beside a copy of the part: slice after slice of a large memory. */
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class ChecksumBenchmark extends ThreadBenchmark {

    private static final int SLICE_BYTES = 256 << 10; // spark.isthmus.sliceBytes
    private static final long BYTES = 64 << 20; // more than caches keep
    private static final int PAGE_BYTES = 4096;

    private Arena arena;
    private ByteBuffer memory;
    private MemorySegment segment;
    private MemorySegment copy;
    private int at;

    /** Writes to the memory, so that its pages exist before. */
    @Setup(Level.Trial)
    public void open() {
        arena = Arena.ofConfined();
        segment = arena.allocate(BYTES, PAGE_BYTES).fill((byte) 1);
        copy = arena.allocate(SLICE_BYTES, PAGE_BYTES).fill((byte) 1);
        memory = segment.asByteBuffer();
    }

    /** Runs on the measuring thread. */
    @TearDown(Level.Trial)
    public void close() {
        arena.close();
    }

    private int next() {
        at = (int) ((at + SLICE_BYTES) % BYTES);
        return at;
    }

    /** CRC-32C, as the Spark module computes it on both sides. */
    @Benchmark
    public long checksum() {
        int from = next();
        var sum = new CRC32C();
        sum.update(memory.limit(from + SLICE_BYTES).position(from));
        return sum.getValue();
    }

    /** The copy to another slice. */
    @Benchmark
    public MemorySegment copy() {
        return copy.copyFrom(segment.asSlice(next(), SLICE_BYTES));
    }
}
