// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.netty;

import dev.isthmus.netty.RegisteredByteBuf.Block;
import dev.isthmus.nio.stream.SendMemory;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.concurrent.FastThreadLocal;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Allocates direct buffers whose bytes an {@link RdmaSocketChannel} sends without a copy. It is the default allocator of
 * these channels.
 *
 * <p>Buffers of up to 1 MiB are pooled in blocks of powers of two, from 64 bytes on, of slabs of at least 256 KiB. An
 * event loop registers a slab when it first sends from it, which pins the slab ({@code ulimit -l}); if that fails, what
 * is sent from it is copied. Slabs are kept. Larger buffers, and heap buffers, are Netty's unpooled ones; their
 * bytes are copied when they are sent, and so are those of a buffer that has grown beyond 1 MiB.
 *
 * <p>Thread-safe. A buffer may be released on any thread.
 */
public final class RdmaByteBufAllocator extends AbstractByteBufAllocator {

    /** The allocator that the channels share. */
    public static final RdmaByteBufAllocator DEFAULT = new RdmaByteBufAllocator();

    private static final int SMALLEST_SHIFT = 6;
    private static final int LARGEST_SHIFT = 20;
    private static final int CLASSES = LARGEST_SHIFT - SMALLEST_SHIFT + 1;
    private static final int SLAB = 1 << 18;
    private static final int BLOCKS_PER_SLAB = 4; // at least
    private static final int CACHED_BYTES = 1 << 18; // of each class, by each thread
    private static final int MAX_CACHED = 64;
    private static final long PAGE = 4096;

    private final Stack[] free = new Stack[CLASSES]; // each guarded by itself
    private final FastThreadLocal<Stack[]> caches = new FastThreadLocal<>() {

        @Override
        protected Stack[] initialValue() {
            Stack[] mine = new Stack[CLASSES];
            Arrays.setAll(mine, i -> new Stack());
            return mine;
        }

        @Override
        protected void onRemoval(Stack[] mine) { // the thread ends
            for (int i = 0; i < CLASSES; i++) {
                move(mine[i], i, mine[i].count);
            }
        }
    };

    /** Creates an allocator with slabs of its own. */
    public RdmaByteBufAllocator() {
        super(true);
        Arrays.setAll(free, i -> new Stack());
    }

    /** Free buffers of a class. */
    private static final class Stack {

        private RegisteredByteBuf[] buffers = new RegisteredByteBuf[8];
        private int count;

        RegisteredByteBuf pop() {
            RegisteredByteBuf last = buffers[--count];
            buffers[count] = null;
            return last;
        }

        void push(RegisteredByteBuf buffer) {
            if (count == buffers.length) {
                buffers = Arrays.copyOf(buffers, 2 * count);
            }
            buffers[count++] = buffer;
        }
    }

    private static int sizeClass(int bytes) {
        int largestIndex = Math.max(0, bytes - 1); // also of a buffer that begins empty
        return Math.max(0, Integer.SIZE - Integer.numberOfLeadingZeros(largestIndex) - SMALLEST_SHIFT);
    }

    private static int cached(int sizeClass) {
        return Math.clamp(CACHED_BYTES >> (sizeClass + SMALLEST_SHIFT), 1, MAX_CACHED);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        if (initialCapacity > 1 << LARGEST_SHIFT) {
            return UnpooledByteBufAllocator.DEFAULT.directBuffer(initialCapacity, maxCapacity);
        }
        return toLeakAwareBuffer(take(initialCapacity).begin(initialCapacity, maxCapacity));
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        return UnpooledByteBufAllocator.DEFAULT.heapBuffer(initialCapacity, maxCapacity);
    }

    /** Has a buffer tell of its leak, if Netty's leak detection has chosen it. */
    static ByteBuf leakAware(ByteBuf buffer) {
        return toLeakAwareBuffer(buffer);
    }

    /** Takes a buffer whose block has at least so many bytes. */
    RegisteredByteBuf take(int bytes) {
        if (bytes > 1 << LARGEST_SHIFT) { // a buffer that grows
            return make(bytes, 1, CLASSES)[0];
        }
        int sizeClass = sizeClass(bytes);
        Stack mine = caches.get()[sizeClass];
        if (mine.count == 0) {
            refill(mine, sizeClass);
        }
        return mine.pop();
    }

    private void refill(Stack mine, int sizeClass) {
        Stack shared = free[sizeClass];
        synchronized (shared) {
            if (shared.count == 0) {
                int block = 1 << (sizeClass + SMALLEST_SHIFT);
                for (RegisteredByteBuf each : make(block, Math.max(BLOCKS_PER_SLAB, SLAB / block), sizeClass)) {
                    shared.push(each);
                }
            }
            for (int i = Math.min(shared.count, (cached(sizeClass) + 1) / 2); i > 0; i--) {
                mine.push(shared.pop());
            }
        }
    }

    private RegisteredByteBuf[] make(int block, int count, int sizeClass) {
        MemorySegment segment = Arena.ofAuto().allocate((long) block * count, PAGE);
        var slab = new SendMemory(segment);
        RegisteredByteBuf[] made = new RegisteredByteBuf[count];
        for (int i = 0; i < count; i++) {
            MemorySegment its = segment.asSlice((long) i * block, block);
            made[i] = new RegisteredByteBuf(this, new Block(slab, its.asByteBuffer(), its.address(), sizeClass));
        }
        return made;
    }

    /** Whether a block comes back to a pool. Another has a slab of its own, which is the garbage collector's. */
    static boolean isPooled(Block block) {
        return block.sizeClass() < CLASSES;
    }

    /** Takes a buffer back. */
    void give(RegisteredByteBuf buffer) {
        if (!isPooled(buffer.block())) {
            return;
        }
        int sizeClass = buffer.block().sizeClass();
        Stack mine = caches.get()[sizeClass];
        if (mine.count >= cached(sizeClass)) {
            move(mine, sizeClass, (mine.count + 1) / 2);
        }
        mine.push(buffer);
    }

    private void move(Stack from, int sizeClass, int count) {
        Stack shared = free[sizeClass];
        synchronized (shared) {
            for (int i = 0; i < count; i++) {
                shared.push(from.pop());
            }
        }
    }

    @Override
    public boolean isDirectBufferPooled() {
        return true;
    }
}
