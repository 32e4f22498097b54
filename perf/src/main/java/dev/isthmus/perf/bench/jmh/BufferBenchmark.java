// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.jmh;

import dev.isthmus.buffers.UcpMemoryCache;
import dev.isthmus.buffers.UcpMemoryPool;
import dev.isthmus.ucx.UcpContext;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;

/**
 * The cost of acquiring and releasing a registered buffer, beside Netty's pool, whose buffers are not registered. The
 * pools of verbs and UCX differ only in their memory; the one here needs no device.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class BufferBenchmark {

    private static final int BYTES = 4096;
    private static final int WINDOW = 64;

    private UcpContext context;
    private UcpMemoryPool pool;
    private UcpMemoryCache cache;
    private Arena arena;
    private MemorySegment memory;
    private PooledByteBufAllocator netty;

    /** The buffers that one thread holds at a time. */
    @State(Scope.Thread)
    public static class HeldBuffers {
        private final long[] slices = new long[WINDOW];
        private final ByteBuf[] buffers = new ByteBuf[WINDOW];
    }

    /** Registers everything before measuring. */
    @Setup(Level.Trial)
    public void open() {
        context = UcpContext.create(config -> config.set("TLS", "self"));
        pool = UcpMemoryPool.create(context, BYTES, 4 << 20);
        pool.reserve();
        cache = UcpMemoryCache.create(context, 1 << 20, 16);
        arena = Arena.ofShared();
        memory = arena.allocate(BYTES, BYTES);
        netty = new PooledByteBufAllocator(
                true,
                0,
                PooledByteBufAllocator.defaultNumDirectArena(),
                PooledByteBufAllocator.defaultPageSize(),
                PooledByteBufAllocator.defaultMaxOrder(),
                PooledByteBufAllocator.defaultSmallCacheSize(),
                PooledByteBufAllocator.defaultNormalCacheSize(),
                true); // a cache for every thread, not only for Netty's
    }

    /** Fails unless everything was released. */
    @TearDown(Level.Trial)
    public void close() {
        cache.close();
        pool.close();
        arena.close();
        context.close();
    }

    /** A slice, on one thread. */
    @Benchmark
    public long slice() {
        long slice = pool.acquire();
        pool.release(slice);
        return slice;
    }

    /** A Netty buffer, on one thread. */
    @Benchmark
    public ByteBuf netty() {
        ByteBuf buffer = netty.directBuffer(BYTES);
        buffer.release();
        return buffer;
    }

    /** A slice, on two threads that share the pool. */
    @Benchmark
    @Threads(2)
    public long sliceByTwo() {
        return slice();
    }

    /** A Netty buffer, on two threads. */
    @Benchmark
    @Threads(2)
    public ByteBuf nettyByTwo() {
        return netty();
    }

    /** Acquires as many slices as a queue has receives, then releases all. */
    @Benchmark
    @OperationsPerInvocation(WINDOW)
    public void sliceWindow(HeldBuffers window) {
        for (int i = 0; i < WINDOW; i++) {
            window.slices[i] = pool.acquire();
        }
        for (long slice : window.slices) {
            pool.release(slice);
        }
    }

    /** Takes and releases a window of Netty's buffers. */
    @Benchmark
    @OperationsPerInvocation(WINDOW)
    public void nettyWindow(HeldBuffers window) {
        for (int i = 0; i < WINDOW; i++) {
            window.buffers[i] = netty.directBuffer(BYTES);
        }
        for (ByteBuf buffer : window.buffers) {
            buffer.release();
        }
    }

    /** Looks up a registration that is in the cache. */
    @Benchmark
    public long cached() {
        long lease = cache.acquire(memory);
        cache.release(lease);
        return lease;
    }
}
