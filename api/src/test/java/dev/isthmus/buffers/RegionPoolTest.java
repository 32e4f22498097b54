// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.testbed.Allocated;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.CompletionOpcode;
import dev.isthmus.verbs.PageMemory;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
@Tag("connectx")
class RegionPoolTest {

    private static final long SLICE = 4096;
    private static final long BOUND = 64 * SLICE;
    private static final int MESSAGES = 200;
    private static final int WINDOW = 16;

    private final Loop loop = new Loop();
    private final SendRequest send = SendRequest.prepare(1).signaled(true);
    private final ReceiveRequest receive = ReceiveRequest.prepare(1);

    @AfterEach
    void close() {
        loop.close();
    }

    private RegionPool pool() {
        return RegionPool.create(loop.pd, SLICE, BOUND, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
    }

    /** One thread sends, receives and polls; others look at what arrived, and release the slices. */
    @Test
    void shouldHandMessagesToOtherThreads() throws Exception {
        try (var pool = pool();
                ExecutorService workers = Executors.newFixedThreadPool(2)) {
            List<Future<Long>> looked = new ArrayList<>();
            for (int i = 0; i < WINDOW; i++) {
                postReceive(pool);
            }
            int sent = 0;
            int completed = 0;
            while (looked.size() < MESSAGES || completed < MESSAGES) {
                if (sent < MESSAGES && sent - looked.size() < WINDOW && sent - completed < WINDOW) {
                    postSend(pool, sent++);
                    continue;
                }
                int n = loop.await();
                for (int i = 0; i < n; i++) {
                    long slice = loop.done.wrId(i);
                    if (loop.done.opcode(i) != CompletionOpcode.RECV) {
                        pool.release(slice); // its bytes have been sent
                        completed++;
                        continue;
                    }
                    long length = loop.done.byteLength(i);
                    looked.add(workers.submit(() -> look(pool, slice, length)));
                    postReceive(pool);
                }
            }
            for (int message = 0; message < MESSAGES; message++) {
                assertEquals(message, looked.get(message).get());
            }
            assertEquals(WINDOW, pool.slicesOut()); // the receives that got no message
            String message =
                    assertThrows(IllegalStateException.class, pool::close).getMessage();
            assertTrue(message.contains(WINDOW + " slices are out"), message);
            assertTrue(loop.b.drain(loop.done, i -> pool.release(loop.done.wrId(i)), TestDeadlines.ofSeconds(60)));
            assertEquals(0, pool.slicesOut());
        }
    }

    private void postReceive(RegionPool pool) {
        long slice = acquire(pool);
        loop.b.post(pool.into(receive, slice).wrId(slice));
    }

    private void postSend(RegionPool pool, int message) {
        long slice = acquire(pool);
        long length = 8 + message * 8L % (SLICE - 8);
        MemorySegment memory = pool.segment(slice);
        for (long at = 0; at < length; at += 8) {
            memory.set(ValueLayout.JAVA_LONG, at, message + at);
        }
        loop.a.post(pool.into(send, slice, 0, length).wrId(slice));
    }

    /** Acquires a slice; if there is none, waits until a thread that looks at messages has released one. */
    private static long acquire(RegionPool pool) {
        long deadline = System.nanoTime() + TestDeadlines.ofSeconds(60).toNanos();
        long slice = pool.tryAcquire();
        while (slice == 0) {
            assertTrue(System.nanoTime() - deadline < 0, "nobody gives a slice back");
            Thread.onSpinWait();
            slice = pool.tryAcquire();
        }
        return slice;
    }

    private static long look(RegionPool pool, long slice, long length) {
        MemorySegment memory = pool.segment(slice);
        long message = memory.get(ValueLayout.JAVA_LONG, 0);
        assertEquals(8 + message * 8L % (SLICE - 8), length);
        for (long at = 0; at < length; at += 8) {
            assertEquals(message + at, memory.get(ValueLayout.JAVA_LONG, at));
        }
        assertTrue(pool.release(slice));
        return message;
    }

    @Test
    void shouldBeWrittenToByAPeer() {
        try (var pool = pool()) {
            long skipped = pool.acquire();
            long from = pool.acquire();
            long into = pool.acquire();
            assertNotEquals(0, pool.offset(from));
            pool.segment(from).asSlice(100, 50).fill((byte) 7);
            loop.a.post(pool.into(send, from, 100, 50)
                    .opcode(SendOpcode.RDMA_WRITE)
                    .remote(pool.remoteMemory(into), 200)
                    .wrId(from));
            assertEquals(1, loop.await());
            assertEquals(
                    -1,
                    pool.segment(into)
                            .asSlice(200, 50)
                            .mismatch(pool.segment(from).asSlice(100, 50)));
            assertEquals(0, pool.segment(into).get(ValueLayout.JAVA_BYTE, 250));
            assertSame(pool.region(from), pool.region(into));
            assertEquals(
                    pool.region(into).address() + pool.offset(into),
                    pool.remoteMemory(into).address());
            assertEquals(pool.region(into).rkey(), pool.remoteMemory(into).rkey());
            assertThrows(IndexOutOfBoundsException.class, () -> send.remote(pool.remoteMemory(into), SLICE + 1));
            pool.release(skipped);
            pool.release(from);
            pool.release(into);
        }
    }

    @Test
    void shouldPinNoMoreThanItsBound() {
        var pool = pool();
        pool.reserve();
        assertEquals(BOUND, pool.pinnedBytes());
        List<Long> all = new ArrayList<>();
        for (long slice = pool.tryAcquire(); slice != 0; slice = pool.tryAcquire()) {
            all.add(slice);
        }
        assertEquals(BOUND / SLICE, all.size());
        assertEquals(BOUND, pool.pinnedBytes());
        String message =
                assertThrows(IllegalStateException.class, () -> pool.acquire()).getMessage();
        assertTrue(message.contains("slices of 4,096 bytes) has no slice left: 64 are out"), message);
        assertFalse(message.contains("ulimit"), message);
        all.forEach(pool::release);
        assertEquals(BOUND, pool.trim());
        assertEquals(0, pool.pinnedBytes());
        pool.close();
    }

    @Test
    void shouldRefuseBeforeADeviceCouldReachIt() {
        try (var pool = pool()) {
            long slice = pool.acquire();
            long other = pool.acquire();
            assertThrows(IndexOutOfBoundsException.class, () -> pool.into(send, slice, 0, SLICE + 1));
            assertThrows(IndexOutOfBoundsException.class, () -> pool.into(send, slice, -1, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> pool.into(send, slice, SLICE, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> pool.into(SendRequest.prepare(0), slice));
            pool.release(slice);
            assertThrows(IllegalStateException.class, () -> pool.into(send, slice));
            assertThrows(IllegalStateException.class, () -> pool.into(send, slice, 0, 1));
            assertThrows(IllegalStateException.class, () -> pool.region(slice));
            assertThrows(IllegalStateException.class, () -> pool.remoteMemory(slice));
            pool.into(send, other);
            pool.release(other);
        }
        assertThrows(IllegalStateException.class, () -> loop.a.tryPost(send)); // its memory is gone
        try (var readOnly = RegionPool.create(loop.pd, SLICE, BOUND)) {
            long slice = readOnly.acquire();
            assertThrows(IllegalArgumentException.class, () -> readOnly.into(receive, slice));
            readOnly.release(slice);
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> RegionPool.create(loop.pd, SLICE, BOUND, AccessFlag.REMOTE_WRITE));
        assertThrows(IllegalArgumentException.class, () -> RegionPool.create(loop.pd, SLICE, SLICE - 1));
        ProtectionDomain closed = loop.device.allocateProtectionDomain();
        closed.close();
        assertThrows(IllegalStateException.class, () -> RegionPool.create(closed, SLICE, BOUND));
        assertThrows(IllegalStateException.class, () -> RegionCache.create(closed, BOUND, 1));
        assertThrows(IllegalArgumentException.class, () -> RegionPool.create(loop.pd, 0, BOUND));
        assertThrows(IllegalArgumentException.class, () -> RegionPool.create(loop.pd, SLICE, 0));
        assertThrows(IllegalArgumentException.class, () -> RegionPool.create(loop.pd, 1L << 31, 1L << 32));
    }

    @Test
    void shouldTakeThePagesItIsAskedFor() {
        for (PageMemory pages : List.of(PageMemory.PAGES, PageMemory.TRANSPARENT_HUGE_PAGES)) {
            try (var pool = RegionPool.create(loop.pd, pages, 100, 1 << 20, AccessFlag.LOCAL_WRITE)) {
                exchange(pool);
            }
        }
        try (var pool = RegionPool.create(loop.pd, SLICE, 5 << 20, AccessFlag.LOCAL_WRITE)) { // of which a slab is huge
            exchange(pool);
        }
        RegionPool huge;
        try {
            huge = RegionPool.create(loop.pd, PageMemory.HUGE_PAGES, 100, 64 << 20, AccessFlag.LOCAL_WRITE);
        } catch (RdmaUnavailableException e) {
            assertTrue(e.getMessage().contains("no huge pages"), e.getMessage());
            return;
        }
        try {
            exchange(huge);
        } catch (RdmaUnavailableException e) {
            assertTrue(e.getMessage().contains("sysctl vm.nr_hugepages"), e.getMessage());
            assertEquals(0, huge.pinnedBytes());
        }
        huge.close();
    }

    private void exchange(RegionPool pool) {
        long in = pool.acquire();
        long out = pool.acquire();
        pool.segment(out).setString(0, "hello");
        loop.b.post(pool.into(receive, in).wrId(in));
        loop.a.post(pool.into(send, out, 0, 6).wrId(out));
        for (int n = 0; n < 2; ) {
            n += loop.await();
        }
        assertEquals("hello", pool.segment(in).getString(0));
        pool.release(in);
        pool.release(out);
    }

    @Test
    void shouldAllocateNothingPerMessage() {
        try (var pool = pool()) {
            pool.reserve();
            Allocated.assertNone(() -> {
                for (int i = 0; i < MESSAGES; i++) {
                    long in = pool.acquire();
                    loop.b.post(pool.into(receive, in).wrId(in));
                    long out = pool.acquire();
                    pool.segment(out).set(ValueLayout.JAVA_LONG, 0, i);
                    loop.a.post(pool.into(send, out, 0, 8).wrId(out));
                    for (int completed = 0; completed < 2; ) {
                        int n = loop.await();
                        for (int c = 0; c < n; c++) {
                            pool.release(loop.done.wrId(c));
                        }
                        completed += n;
                    }
                }
            });
        }
    }
}
