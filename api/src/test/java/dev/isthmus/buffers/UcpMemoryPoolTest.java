// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.Allocated;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpRequests;
import dev.isthmus.ucx.UcpWorker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("ucx")
class UcpMemoryPoolTest {

    private static final long SLICE = 10_000;
    private static final long BOUND = 1 << 20;
    private static final int MESSAGES = 200;

    /** One thread sends and receives; others look at what arrived, and release the slices. */
    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldHandMessagesToOtherThreads(String tls) throws Exception {
        try (var loop = new UcpLoop(tls);
                var pool = UcpMemoryPool.create(loop.context, SLICE, 8 * SLICE);
                ExecutorService workers = Executors.newFixedThreadPool(2)) {
            List<Future<Long>> looked = new ArrayList<>();
            for (int message = 0; message < MESSAGES; message++) {
                long length = 8 + message * 97L % (SLICE - 8) / 8 * 8;
                long in = acquire(loop, pool);
                long receive = loop.receiver.tagReceive(pool.segment(in), UcpLoop.TAG);
                long out = acquire(loop, pool);
                fill(pool.segment(out), message, length);
                long send = loop.endpoint.tagSend(pool.segment(out), 0, length, UcpLoop.TAG);
                loop.until(() -> loop.receiver.requests().isDone(receive));
                assertEquals(length, loop.receiver.requests().length(receive));
                loop.end(loop.receiver, receive);
                loop.end(loop.sender, send);
                pool.release(out);
                looked.add(workers.submit(() -> look(pool, in, length)));
            }
            for (int message = 0; message < MESSAGES; message++) {
                assertEquals(message, looked.get(message).get());
            }
            assertEquals(0, pool.slicesOut());
        }
    }

    /** Acquires a slice; if there is none, waits until a thread that looks at messages has released one. */
    private static long acquire(UcpLoop loop, UcpMemoryPool pool) {
        long[] slice = {0};
        loop.until(() -> {
            slice[0] = pool.tryAcquire();
            return slice[0] != 0;
        });
        return slice[0];
    }

    private static void fill(MemorySegment memory, long message, long length) {
        for (long at = 0; at < length; at += 8) {
            memory.set(ValueLayout.JAVA_LONG, at, message + at);
        }
    }

    private static long look(UcpMemoryPool pool, long slice, long length) {
        MemorySegment memory = pool.segment(slice);
        long message = memory.get(ValueLayout.JAVA_LONG, 0);
        for (long at = 0; at < length; at += 8) {
            assertEquals(message + at, memory.get(ValueLayout.JAVA_LONG, at));
        }
        assertTrue(pool.release(slice));
        return message;
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldPutAndGetRegisteredSlices(String tls) {
        try (var loop = new UcpLoop(tls);
                var pool = UcpMemoryPool.create(loop.context, SLICE, BOUND)) {
            long skipped = pool.acquire();
            long there = pool.acquire();
            try (var remote = loop.endpoint.unpack(pool.memory(there).packKey())) {
                long out = pool.acquire();
                long in = pool.acquire();
                assertNotEquals(0, pool.offset(there));
                fill(pool.segment(out), 4711, 8_000);
                pool.segment(there).fill((byte) 0);
                loop.end(loop.sender, remote.put(pool.memory(out), pool.offset(out), 8_000, pool.offset(there) + 16));
                loop.end(loop.sender, loop.endpoint.flush());
                assertEquals(
                        -1,
                        pool.segment(there)
                                .asSlice(16, 8_000)
                                .mismatch(pool.segment(out).asSlice(0, 8_000)));
                assertEquals(0, pool.segment(there).get(ValueLayout.JAVA_LONG, 8));
                loop.end(loop.sender, remote.get(pool.memory(in), pool.offset(in), 8_000, pool.offset(there) + 16));
                assertEquals(
                        -1,
                        pool.segment(in)
                                .asSlice(0, 8_000)
                                .mismatch(pool.segment(out).asSlice(0, 8_000)));
                List.of(skipped, there, out, in).forEach(pool::release);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldKeepItsMemoryWhileUcxUsesIt(String tls) {
        try (var loop = new UcpLoop(tls)) {
            var pool = UcpMemoryPool.create(loop.context, SLICE, BOUND);
            long slice = pool.acquire();
            MemorySegment memory = pool.segment(slice);
            long receive = loop.receiver.tagReceive(memory, UcpLoop.TAG);
            String message =
                    assertThrows(IllegalStateException.class, pool::close).getMessage();
            assertTrue(message.contains("1 slice is out"), message);
            pool.release(slice); // too early
            message = assertThrows(IllegalStateException.class, pool::close).getMessage();
            assertTrue(message.contains("1 receive of " + loop.receiver), message);
            message = assertThrows(IllegalStateException.class, pool::trim).getMessage();
            assertTrue(message.contains("1 receive of " + loop.receiver), message);
            assertTrue(memory.scope().isAlive());
            long again = pool.acquire(); // as before
            pool.release(again);
            loop.receiver.requests().cancel(receive);
            loop.until(() -> loop.receiver.requests().isDone(receive));
            loop.receiver.requests().release(receive);
            pool.close();
            assertThrows(IllegalStateException.class, () -> loop.receiver.tagReceive(memory, UcpLoop.TAG));
            assertThrows(IllegalStateException.class, () -> pool.segment(again));
        }
    }

    @Test
    void shouldPinNoMoreThanItsBound() {
        try (var context = UcpContext.create(config -> config.set("TLS", "self"));
                var pool = UcpMemoryPool.create(context, SLICE, BOUND)) {
            pool.reserve();
            assertTrue(pool.pinnedBytes() <= BOUND);
            List<Long> all = new ArrayList<>();
            for (long slice = pool.tryAcquire(); slice != 0; slice = pool.tryAcquire()) {
                all.add(slice);
            }
            assertEquals(BOUND / Slabs.stride(SLICE), all.size());
            String message = assertThrows(IllegalStateException.class, () -> pool.acquire())
                    .getMessage();
            assertTrue(message.contains("has no slice left: " + all.size() + " are out"), message);
            all.forEach(pool::release);
            assertThrows(IllegalStateException.class, () -> pool.memory(all.getFirst()));
            assertThrows(IllegalStateException.class, context::close);
        }
        var closed = UcpContext.create(config -> config.set("TLS", "self"));
        closed.close();
        assertThrows(IllegalStateException.class, () -> UcpMemoryPool.create(closed, SLICE, BOUND));
        assertThrows(IllegalStateException.class, () -> UcpMemoryCache.create(closed, BOUND, 1));
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldAllocateNothingPerMessage(String tls) {
        try (var loop = new UcpLoop(tls);
                var pool = UcpMemoryPool.create(loop.context, SLICE, BOUND)) {
            pool.reserve();
            UcpRequests sent = loop.sender.requests();
            UcpRequests received = loop.receiver.requests();
            Allocated.assertNone(() -> {
                for (int i = 0; i < 5_000; i++) {
                    long in = pool.acquire();
                    long out = pool.acquire();
                    long receive =
                            loop.receiver.tagReceive(pool.segment(in), 0, SLICE, UcpLoop.TAG, UcpWorker.EXACT_TAG);
                    long send = loop.endpoint.tagSend(pool.segment(out), 0, 64, UcpLoop.TAG);
                    while (!received.isDone(receive) || !sent.isDone(send)) {
                        loop.sender.progress();
                        loop.receiver.progress();
                    }
                    received.release(receive);
                    sent.release(send);
                    pool.release(in);
                    pool.release(out);
                }
            });
        }
    }
}
