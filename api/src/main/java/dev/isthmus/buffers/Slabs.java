// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.Libc;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Locale;

/**
 * What pools of slices have in common, whatever their memory: slabs, which are created one by one as needed, up to
 * a bound.
 *
 * <p>Slices are taken and released without a lock. A lock guards changes of the number of slabs. Nothing else waits for
 * it: neither a release, nor an acquire that finds a slice.
 */
final class Slabs<M> {

    /** Slices begin at cache lines. */
    private static final long ALIGNMENT = 64;

    private static final long SMALLEST_SLAB = 2L << 20; // a huge page of most machines
    private static final long LARGEST_SLAB = 64L << 20;
    private static final int SLABS = 16; // about this many, between these sizes
    private static final int MAX_SLABS = 0xffff;

    private final String name;
    private final SlabSource<M> source;
    private final long sliceBytes;
    private final long stride;
    private final long maxBytes;
    private final long pageBytes;
    private final int slicesPerSlab;

    private volatile Slab<M>[] slabs = array(0); // null where one was freed
    private Slab<M> recent = Slab.empty(); // asked first; any slab will do

    private volatile boolean full; // the bound allows no further slab
    private volatile int changes; // odd while slabs are being freed, or about to be
    private volatile boolean closed;

    // Guarded by the lock.
    private long pinnedBytes;
    private int[] firstGenerations = new int[0]; // of the next slab at an index

    /**
     * Creates a pool without slabs.
     *
     * @param name as it appears in error messages
     * @param pageBytes the size to which the source rounds memory up
     */
    Slabs(String name, SlabSource<M> source, long sliceBytes, long maxBytes, long pageBytes) {
        this.name = name;
        this.source = source;
        this.sliceBytes = sliceBytes;
        this.pageBytes = pageBytes;
        this.maxBytes = maxBytes & -pageBytes;
        this.stride = stride(sliceBytes);
        if (stride > this.maxBytes) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "a pool of at most %,d bytes has no room for a slice of %,d, as memory comes in pages of %,d",
                    maxBytes,
                    sliceBytes,
                    pageBytes));
        }
        long slab = Math.clamp(maxBytes / SLABS, Math.max(SMALLEST_SLAB, pageBytes), Math.max(LARGEST_SLAB, pageBytes));
        this.slicesPerSlab = Math.clamp(slab / stride, 1, Slab.MAX_SLICES);
    }

    /** Checks the arguments of a pool before it is given a name. */
    static void check(long sliceBytes, long maxBytes) {
        if (sliceBytes <= 0 || sliceBytes > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("a slice has 1 to 2,147,483,647 bytes, not " + sliceBytes);
        }
        if (maxBytes <= 0) {
            throw new IllegalArgumentException("the bound of a pool is not positive: " + maxBytes);
        }
    }

    static long stride(long sliceBytes) {
        return (sliceBytes + ALIGNMENT - 1) & -ALIGNMENT;
    }

    /** The usual page size, for memory without huge pages. */
    static long usualPage() {
        return Libc.pageSize();
    }

    @SuppressWarnings("unchecked")
    private static <M> Slab<M>[] array(int length) {
        return (Slab<M>[]) new Slab<?>[length];
    }

    /** Takes a slice; returns its number, or 0 if none is free and the bound is reached. */
    @HotPath
    long tryAcquire() {
        long slice = recent.tryAcquire();
        return slice != 0 ? slice : search();
    }

    /** Takes a slice, or throws. */
    @HotPath
    long acquire() {
        long slice = tryAcquire();
        if (slice == 0) {
            throw exhausted();
        }
        return slice;
    }

    private IllegalStateException exhausted() {
        return new IllegalStateException(String.format(
                Locale.ROOT,
                "%s has no slice left: %,d are out, %,d bytes are pinned, and its bound is %,d bytes; release slices, or"
                        + " make the pool with a higher bound",
                this,
                slicesOut(),
                pinnedBytes(),
                maxBytes));
    }

    private long search() {
        int before = changes;
        long slice = searchSlabs();
        if (slice != 0 || (full && (before & 1) == 0 && before == changes)) {
            return slice;
        }
        synchronized (this) {
            checkOpen();
            slice = searchSlabs();
            return slice != 0 || !grow() ? slice : recent.tryAcquire();
        }
    }

    private long searchSlabs() {
        for (Slab<M> slab : slabs) {
            long slice = slab == null ? 0 : slab.tryAcquire();
            if (slice != 0) {
                recent = slab;
                return slice;
            }
        }
        return 0;
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException(this + " is closed");
        }
    }

    private int roomForSlices() {
        return (int) Math.min((maxBytes - pinnedBytes) / stride, slicesPerSlab);
    }

    /** Adds a slab; returns false if there is no room for one. The caller holds the lock. */
    private boolean grow() {
        int slices = roomForSlices();
        int index = freeIndex();
        if (slices == 0 || index == MAX_SLABS) {
            full = true;
            return false;
        }
        long bytes = slices * stride;
        M memory = source.allocate(bytes);
        boolean added = false;
        try {
            add(new Slab<>(memory, source.segment(memory), index, firstGeneration(index), slices, sliceBytes, stride));
            added = true;
        } finally {
            if (!added) {
                source.free(memory);
            }
        }
        pinnedBytes += pinned(bytes);
        full = roomForSlices() == 0;
        return true;
    }

    private long pinned(long bytes) {
        return (bytes + pageBytes - 1) & -pageBytes;
    }

    private int freeIndex() {
        Slab<M>[] all = slabs;
        for (int i = 0; i < all.length; i++) {
            if (all[i] == null) {
                return i;
            }
        }
        return all.length;
    }

    private int firstGeneration(int index) {
        return index < firstGenerations.length ? firstGenerations[index] : 1;
    }

    private void add(Slab<M> slab) {
        int index = freeIndex();
        set(index, slab);
        recent = slab;
    }

    private void set(int index, Slab<M> slab) {
        Slab<M>[] all = slabs;
        Slab<M>[] changed = Arrays.copyOf(all, Math.max(all.length, index + 1));
        changed[index] = slab;
        slabs = changed;
    }

    /** Adds as many slabs as the bound allows. */
    synchronized void reserve() {
        checkOpen();
        boolean more = true;
        while (more) {
            more = grow();
        }
    }

    /** Frees the slabs without slices in use; returns how many bytes that was. */
    synchronized long trim() {
        checkOpen();
        long before = pinnedBytes;
        change(() -> {
            Slab<M>[] all = slabs;
            for (int i = 0; i < all.length; i++) {
                if (all[i] != null && all[i].retire()) {
                    giveBack(i);
                }
            }
        });
        return before - pinnedBytes;
    }

    /** Frees all memory, or throws if slices are in use. */
    synchronized void close() {
        if (closed) {
            return;
        }
        change(() -> {
            retireAll();
            for (int i = 0; i < slabs.length; i++) {
                if (slabs[i] != null) {
                    giveBack(i);
                }
            }
            closed = true;
            full = false; // so that a thread that finds no slice checks whether this is closed
        });
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // the lock is held
    private void change(Runnable change) {
        changes++;
        try {
            change.run();
        } finally {
            changes++;
        }
    }

    private void retireAll() {
        Slab<M>[] all = slabs;
        for (int i = 0; i < all.length; i++) {
            if (all[i] != null && !all[i].retire()) {
                for (int j = 0; j < i; j++) {
                    restore(all[j]);
                }
                long out = slicesOut();
                throw new IllegalStateException(this + " cannot be closed yet: " + Math.max(1, out)
                        + (out > 1 ? " slices are out" : " slice is out") + "; release first what was acquired");
            }
        }
    }

    private static void restore(Slab<?> slab) {
        if (slab != null) {
            slab.restore();
        }
    }

    /** Frees a retired slab. If that fails, all retired slabs are restored. */
    private void giveBack(int index) {
        Slab<M> slab = slabs[index];
        boolean freed = false;
        try {
            source.free(slab.memory());
            freed = true;
        } finally {
            if (!freed) {
                restoreFrom(index);
            }
        }
        firstGenerations = Arrays.copyOf(firstGenerations, Math.max(firstGenerations.length, slabs.length));
        firstGenerations[index] = slab.generationAfter();
        set(index, null);
        if (recent == slab) {
            recent = Slab.empty();
        }
        pinnedBytes -= pinned(slab.capacity() * stride);
        full = false;
    }

    private void restoreFrom(int index) {
        for (int i = index; i < slabs.length; i++) {
            if (slabs[i] != null && slabs[i].isRetired()) {
                slabs[i].restore();
            }
        }
    }

    /** The slab of a slice in use; its index there is {@link Slab#index}. */
    @HotPath
    Slab<M> slab(long number) {
        Slab<M>[] all = slabs;
        int index = (int) (number >>> Slab.INDEX_SHIFT) & MAX_SLABS;
        Slab<M> slab = index < all.length ? all[index] : null;
        if (slab == null) {
            throw stale(number);
        }
        return slab;
    }

    @HotPath
    private int index(Slab<M> slab, long number) {
        int index = slab.index(number);
        if (index < 0) {
            throw stale(number);
        }
        return index;
    }

    private IllegalStateException stale(long number) {
        return new IllegalStateException("0x" + Long.toHexString(number) + " is no slice of " + this
                + " that is in use: it was released already, or never acquired here"
                + (closed ? "; the pool is closed" : ""));
    }

    @HotPath
    void retain(long number) {
        if (!slab(number).retain(number)) {
            throw stale(number);
        }
    }

    /** Releases a reference; returns whether it was the last one. */
    @HotPath
    boolean release(long number) {
        int left = slab(number).release(number);
        if (left < 0) {
            throw stale(number);
        }
        return left == 0;
    }

    @HotPath
    MemorySegment segment(long number) {
        Slab<M> slab = slab(number);
        return slab.segment(index(slab, number));
    }

    @HotPath
    M memory(long number) {
        Slab<M> slab = slab(number);
        index(slab, number);
        return slab.memory();
    }

    @HotPath
    long offset(long number) {
        return offset(slab(number), number);
    }

    @HotPath
    long offset(Slab<M> slab, long number) {
        return slab.offset(index(slab, number));
    }

    @HotPath
    long sliceBytes() {
        return sliceBytes;
    }

    long maxBytes() {
        return maxBytes;
    }

    synchronized long pinnedBytes() {
        return pinnedBytes;
    }

    /** How many slices are in use, or are just being released. */
    long slicesOut() {
        long out = 0;
        for (Slab<M> slab : slabs) {
            out += slab == null || slab.isRetired() ? 0 : slab.capacity() - slab.free();
        }
        return out;
    }

    /** The pool as it appears in error messages. */
    @Override
    public String toString() {
        return name;
    }
}
