// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Threads that acquire slices, pass them to each other and release them, while others trim the pool and try to
 * close it.
 */
@Tag("unit")
class SlabsStressTest {

    private static final int THREADS = 4;
    private static final int ROUNDS = 30_000;
    private static final long SLICE = 256 << 10; // eight in a slab
    private static final long BOUND = 4 << 20;

    private final PlainSlabs source = new PlainSlabs();
    private final Slabs<PlainSlabs.Memory> pool = PlainSlabs.pool(source, SLICE, BOUND);
    private final ConcurrentLinkedQueue<Long> passed = new ConcurrentLinkedQueue<>();
    private final AtomicInteger working = new AtomicInteger(THREADS);
    private final AtomicInteger taken = new AtomicInteger();

    private static <T> FutureTask<T> start(Callable<T> work) {
        var task = new FutureTask<>(work);
        Thread.ofPlatform().daemon().start(task);
        return task;
    }

    private Void work(int seed) {
        int random = seed;
        for (int i = 0; i < ROUNDS; i++) {
            random = random * 1_664_525 + 1_013_904_223;
            Long given = (random & 0x100) == 0 ? passed.poll() : null;
            if (given != null) {
                end(given);
                continue;
            }
            long slice = pool.tryAcquire();
            if (slice == 0) {
                given = passed.poll(); // a thread that holds slices releases some, or all would wait
                if (given != null) {
                    end(given);
                }
                continue;
            }
            taken.incrementAndGet();
            begin(slice);
            if ((random & 0x200) == 0) {
                pool.retain(slice);
                passed.add(slice); // its thread ends the references that this one does not
                check(slice);
                pool.release(slice);
            } else if ((random & 0x400) == 0) {
                passed.add(slice);
            } else {
                end(slice);
            }
        }
        working.decrementAndGet();
        return null;
    }

    /** Marks the slice as taken, which it must not be yet. */
    private void begin(long slice) {
        MemorySegment memory = pool.segment(slice);
        assertEquals(0, memory.get(ValueLayout.JAVA_LONG, 0), "two have the same slice");
        memory.set(ValueLayout.JAVA_LONG, 0, slice);
        memory.set(ValueLayout.JAVA_LONG, SLICE - 8, slice);
    }

    private void check(long slice) {
        MemorySegment memory = pool.segment(slice);
        long first = memory.get(ValueLayout.JAVA_LONG, 0);
        assertTrue(first == slice || first == 0, "another wrote to it"); // 0 when the other thread has cleared it
    }

    /** Clears the mark if this is the last user, and ends a reference. */
    private void end(long slice) {
        MemorySegment memory = pool.segment(slice);
        assertEquals(slice, memory.get(ValueLayout.JAVA_LONG, 0));
        assertEquals(slice, memory.get(ValueLayout.JAVA_LONG, SLICE - 8));
        memory.set(ValueLayout.JAVA_LONG, SLICE - 8, 0);
        memory.set(ValueLayout.JAVA_LONG, 0, 0);
        pool.release(slice);
    }

    @Test
    void shouldNeverGiveASliceToTwo() throws Exception {
        List<FutureTask<Void>> workers = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int seed = i;
            workers.add(start(() -> work(seed)));
        }
        FutureTask<Long> trimmer = start(() -> {
            long bytes = 0;
            while (working.get() > 0) {
                bytes += pool.trim();
                assertTrue(source.allocated.get() <= BOUND);
            }
            return bytes;
        });
        for (FutureTask<Void> worker : workers) {
            worker.get();
        }
        trimmer.get();
        for (Long slice = passed.poll(); slice != null; slice = passed.poll()) {
            end(slice);
        }
        assertEquals(0, pool.slicesOut());
        assertTrue(taken.get() > ROUNDS / 4, () -> "only " + taken + " were acquired");
        pool.close();
        assertEquals(0, source.allocated.get());
    }

    @Test
    void shouldReleaseOnceWhenAllRelease() throws Exception {
        for (int round = 0; round < 500; round++) {
            long slice = pool.acquire();
            var go = new CountDownLatch(1);
            var ended = new AtomicInteger();
            List<FutureTask<Void>> releasing = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                releasing.add(start(() -> {
                    go.await();
                    try {
                        ended.addAndGet(pool.release(slice) ? 1 : 0);
                    } catch (IllegalStateException e) {
                        assertTrue(e.getMessage().contains("released already"), e.getMessage());
                    }
                    return null;
                }));
            }
            go.countDown();
            for (FutureTask<Void> each : releasing) {
                each.get();
            }
            assertEquals(1, ended.get());
            assertEquals(0, pool.slicesOut());
        }
    }

    @Test
    void shouldCloseBetweenTwoUsesOrNotAtAll() throws Exception {
        for (int round = 0; round < 100; round++) {
            var one = PlainSlabs.pool(source, SLICE, BOUND);
            var go = new CountDownLatch(1);
            FutureTask<Void> user = start(() -> {
                go.await();
                try {
                    while (true) {
                        long slice = one.acquire();
                        one.segment(slice).fill((byte) 1); // freed memory would throw another exception, or end the JVM
                        one.release(slice);
                    }
                } catch (IllegalStateException e) {
                    assertEquals("a pool is closed", e.getMessage());
                }
                return null;
            });
            one.release(one.acquire());
            go.countDown();
            boolean closed = false;
            while (!closed) {
                try {
                    one.close();
                    closed = true;
                } catch (IllegalStateException e) {
                    assertTrue(e.getMessage().contains("1 slice is out"), e.getMessage());
                    LockSupport.parkNanos(1); // a busy machine may have stopped the user in the middle
                }
            }
            user.get();
        }
        assertEquals(0, source.allocated.get());
    }
}
