// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.Allocated;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class SlabsTest {

    private static final long SLICE = 64 << 10;
    private static final int PER_SLAB = 32; // of 2 MiB
    private static final int SLABS = 4;
    private static final long BOUND = SLABS * PER_SLAB * SLICE;

    private final PlainSlabs source = new PlainSlabs();
    private final Slabs<PlainSlabs.Memory> pool = PlainSlabs.pool(source, SLICE, BOUND);

    private static IllegalStateException refused(org.junit.jupiter.api.function.Executable call) {
        return assertThrows(IllegalStateException.class, call);
    }

    private List<Long> acquireAll() {
        List<Long> all = new ArrayList<>();
        for (long slice = pool.tryAcquire(); slice != 0; slice = pool.tryAcquire()) {
            all.add(slice);
        }
        return all;
    }

    @Test
    void shouldGiveEachSliceToOne() {
        List<Long> all = acquireAll();
        assertEquals(SLABS * PER_SLAB, new HashSet<>(all).size());
        assertEquals(SLABS * PER_SLAB, pool.slicesOut());
        assertEquals(BOUND, pool.pinnedBytes());
        assertTrue(all.stream().allMatch(slice -> slice > 0));
        for (long slice : all) {
            assertEquals(SLICE, pool.segment(slice).byteSize());
            pool.segment(slice).fill((byte) slice);
        }
        for (long slice : all) { // none has overwritten another
            assertEquals((byte) slice, pool.segment(slice).get(ValueLayout.JAVA_BYTE, 0));
            assertEquals((byte) slice, pool.segment(slice).get(ValueLayout.JAVA_BYTE, SLICE - 1));
            MemorySegment slab = pool.memory(slice).segment();
            assertEquals(
                    slab.address() + pool.offset(slice), pool.segment(slice).address());
        }
        all.forEach(pool::release);
        assertEquals(0, pool.slicesOut());
        pool.close();
        assertEquals(0, source.allocated.get());
    }

    @Test
    void shouldRefuseBeyondItsBound() {
        List<Long> all = acquireAll();
        assertEquals(0, pool.tryAcquire());
        String message = refused(pool::acquire).getMessage();
        assertTrue(
                message.startsWith("a pool has no slice left: 128 are out, 8,388,608 bytes are pinned, and its bound is"
                        + " 8,388,608 bytes;"),
                message);
        assertFalse(message.contains("ulimit"), message);
        assertEquals(BOUND, source.allocated.get());
        pool.release(all.getFirst());
        assertNotEquals(0, pool.acquire());
    }

    @Test
    void shouldKeepToItsBoundWithAnySize() {
        for (long slice : new long[] {1, 40, 63, 65, 4095, 4097, 100_000, 3 << 20}) {
            for (long bound : new long[] {4096, 10_000, 1 << 20, (9 << 20) + 1}) {
                var plain = new PlainSlabs();
                if (Slabs.stride(slice) > (bound & -PlainSlabs.PAGE)) {
                    assertThrows(IllegalArgumentException.class, () -> PlainSlabs.pool(plain, slice, bound));
                    continue;
                }
                var any = PlainSlabs.pool(plain, slice, bound);
                any.reserve();
                assertTrue(plain.allocated.get() <= bound, slice + " of " + bound);
                assertTrue(any.pinnedBytes() <= bound, slice + " of " + bound);
                long count = 0;
                while (any.tryAcquire() != 0) {
                    count++;
                }
                assertEquals(count, any.slicesOut());
                assertTrue(count * Slabs.stride(slice) <= bound);
                assertTrue((count + 1) * Slabs.stride(slice) > bound - 9 * PlainSlabs.PAGE, count + " of " + slice);
            }
        }
    }

    @Test
    void shouldRefuseWhatWasReleased() {
        long slice = pool.acquire();
        assertTrue(pool.release(slice));
        assertStale(slice);
        long next = pool.acquire();
        assertEquals((int) slice, (int) next); // the same slice
        assertNotEquals(slice, next);
        assertStale(slice);
        pool.segment(next).fill((byte) 1);
        assertTrue(pool.release(next));
    }

    private void assertStale(long slice) {
        String message = refused(() -> pool.release(slice)).getMessage();
        assertTrue(message.contains("is no slice of a pool that is in use: it was released already"), message);
        refused(() -> pool.retain(slice));
        refused(() -> pool.segment(slice));
        refused(() -> pool.offset(slice));
        refused(() -> pool.memory(slice));
    }

    @Test
    void shouldRefuseNumbersThatItNeverGave() {
        assertStale(1L << 32); // before there is a slab
        long slice = pool.acquire();
        for (long made :
                new long[] {0, -1, Long.MIN_VALUE, Long.MAX_VALUE, slice + 1, slice + PER_SLAB, slice | 0xffff}) {
            assertStale(made);
        }
        assertStale(slice + (1L << 16)); // of a slab that is not there
        assertStale(slice + (1L << 32)); // of a use to come
        assertStale(-slice);
        pool.release(slice);
        assertStale((slice & 0xffff_ffffL) + (2L << 32)); // of the next use, which has not begun
    }

    @Test
    void shouldBeFreeWithTheLastReference() {
        long slice = pool.acquire();
        pool.retain(slice);
        pool.retain(slice);
        assertFalse(pool.release(slice));
        assertFalse(pool.release(slice));
        assertEquals(1, pool.slicesOut());
        assertTrue(pool.release(slice));
        assertEquals(0, pool.slicesOut());
        assertStale(slice);
    }

    @Test
    void shouldStayOpenWhileSlicesAreOut() {
        List<Long> all = acquireAll();
        assertTrue(refused(pool::close).getMessage().contains("cannot be closed yet: 128 slices are out"));
        all.subList(1, all.size()).forEach(pool::release);
        assertTrue(refused(pool::close).getMessage().contains("cannot be closed yet: 1 slice is out"));
        assertEquals(SLABS * PER_SLAB - 1, acquireAll().size()); // all as before
        MemorySegment kept = pool.segment(all.getFirst());
        assertTrue(kept.scope().isAlive());
    }

    @Test
    void shouldRefuseAllOnceClosed() {
        long slice = pool.acquire();
        MemorySegment segment = pool.segment(slice);
        pool.release(slice);
        pool.close();
        pool.close();
        assertFalse(segment.scope().isAlive());
        assertEquals("a pool is closed", refused(pool::acquire).getMessage());
        assertEquals("a pool is closed", refused(pool::tryAcquire).getMessage());
        refused(pool::reserve);
        refused(pool::trim);
        assertTrue(refused(() -> pool.segment(slice)).getMessage().endsWith("the pool is closed"));
    }

    @Test
    void shouldGiveBackSlabsThatNobodyUses() {
        List<Long> all = acquireAll();
        long kept = all.get(PER_SLAB + 1);
        all.remove(PER_SLAB + 1);
        all.forEach(pool::release);
        assertEquals((SLABS - 1) * PER_SLAB * SLICE, pool.trim());
        assertEquals(PER_SLAB * SLICE, source.allocated.get());
        assertEquals(1, pool.slicesOut());
        pool.segment(kept).fill((byte) 1);
        all.forEach(this::assertStale);
        List<Long> again = acquireAll(); // in new slabs, whose numbers are others
        assertEquals(SLABS * PER_SLAB - 1, again.size());
        assertTrue(again.stream().noneMatch(all::contains));
        all.forEach(this::assertStale);
        again.forEach(pool::release);
        pool.release(kept);
        assertEquals(BOUND, pool.trim());
        assertEquals(0, pool.trim());
        assertEquals(0, source.allocated.get());
    }

    @Test
    void shouldBeAsBeforeWhenMemoryIsRefused() {
        source.refuse(new UnsupportedOperationException("no memory"));
        assertThrows(UnsupportedOperationException.class, pool::tryAcquire);
        assertThrows(UnsupportedOperationException.class, pool::reserve);
        assertEquals(0, pool.pinnedBytes());
        source.refuse(null);
        List<Long> all = acquireAll();
        all.forEach(pool::release);
        source.refuse(new UnsupportedOperationException("still used"));
        assertThrows(UnsupportedOperationException.class, pool::trim);
        assertThrows(UnsupportedOperationException.class, pool::close);
        assertEquals(BOUND, pool.pinnedBytes());
        assertEquals(all.size(), acquireAll().size()); // none is lost
        assertEquals(all.size(), pool.slicesOut());
    }

    @Test
    void shouldAllocateNothing() {
        pool.reserve();
        long[] slices = new long[2 * PER_SLAB];
        Allocated.assertNone(() -> {
            for (int round = 0; round < 1_000; round++) {
                for (int i = 0; i < slices.length; i++) {
                    slices[i] = pool.acquire();
                    pool.retain(slices[i]);
                }
                for (long slice : slices) {
                    assertSame(pool.segment(slice), pool.segment(slice));
                    pool.release(slice);
                    pool.release(slice);
                }
            }
        });
    }
}
