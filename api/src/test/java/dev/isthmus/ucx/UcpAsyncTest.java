// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.UcxException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("ucx")
class UcpAsyncTest {

    private UcpPair pair;

    @BeforeEach
    void open() {
        pair = new UcpPair(UcxTransports.any());
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private void until(CompletableFuture<?> future) {
        UcxTransports.until(future::isDone, pair::progress);
    }

    @Test
    void shouldCompleteFutures() {
        for (int size : new int[] {0, 100, 4 << 20}) {
            MemorySegment from = pair.arena.allocate(size);
            MemorySegment to = pair.arena.allocate(size);
            UcpPair.fill(from, 7);
            var received = pair.receiver.tagReceiveAsync(to, 0x70, 0xF0);
            assertFalse(received.isDone());
            var sent = pair.endpoint.tagSendAsync(from, 0x71);
            until(received);
            until(sent);
            assertEquals(new UcpTagReceived(size, 0x71), received.join());
            assertEquals(-1, to.mismatch(from));
        }
        assertEquals(0, pair.receiver.requests().outstanding());
        assertEquals(0, pair.sender.requests().outstanding());
    }

    @Test
    void shouldFailFutureOfTruncatedMessage() {
        var received = pair.receiver.tagReceiveAsync(pair.arena.allocate(4), 1, UcpWorker.EXACT_TAG);
        var sent = pair.endpoint.tagSendAsync(pair.arena.allocate(5), 1);
        until(received);
        until(sent);
        var e = assertThrows(CompletionException.class, received::join);
        var cause = assertInstanceOf(UcxException.class, e.getCause());
        assertEquals(UcsStatus.MESSAGE_TRUNCATED, UcsStatus.of(cause.status()));
    }

    @Test
    void shouldCancelReceiveOfCancelledFuture() {
        var received = pair.receiver.tagReceiveAsync(pair.arena.allocate(8), 1, UcpWorker.EXACT_TAG);
        assertEquals(1, pair.receiver.requests().outstanding());
        assertTrue(received.cancel(false));
        UcxTransports.until(() -> pair.receiver.requests().outstanding() == 0, pair::progress);
    }

    @Test
    void shouldCancelReceiveOfFutureThatTimedOut() {
        var received = pair.receiver
                .tagReceiveAsync(pair.arena.allocate(8), 1, UcpWorker.EXACT_TAG)
                .orTimeout(20, TimeUnit.MILLISECONDS);
        UcxTransports.until(() -> pair.receiver.requests().outstanding() == 0, pair::progress);
        var e = assertThrows(CompletionException.class, received::join);
        assertInstanceOf(TimeoutException.class, e.getCause());
    }

    @Test
    void shouldMakeFutureOfAnyOperation() {
        UcpRequests sent = pair.sender.requests();
        assertTrue(sent.whenDone(0).isDone());
        MemorySegment buffer = pair.arena.allocate(8);
        long request = pair.endpoint.tagSendSync(buffer, 0, 8, 1);
        var done = sent.whenDone(request);
        until(pair.receiver.tagReceiveAsync(pair.arena.allocate(8), 1, UcpWorker.EXACT_TAG));
        until(done);
        done.join();
        assertThrows(IllegalArgumentException.class, () -> sent.release(request));
        assertThrows(IllegalArgumentException.class, () -> sent.whenDone(request));
        var truncated = pair.receiver.requests().whenDone(pair.receiver.tagReceive(buffer, 0, 4, 2, 0));
        until(sent.whenDone(pair.endpoint.tagSend(buffer, 2)));
        until(truncated);
        var e = assertThrows(CompletionException.class, truncated::join);
        assertEquals(
                "ucp_tag_recv_nbx",
                assertInstanceOf(UcxException.class, e.getCause()).call());
    }

    @Test
    void shouldLetActionsUseAndProgressTheWorker() {
        MemorySegment buffer = pair.arena.allocate(8);
        var second = pair.receiver
                .tagReceiveAsync(buffer, 1, UcpWorker.EXACT_TAG)
                .thenCompose(first -> {
                    pair.receiver.progress();
                    pair.sender.progress();
                    return pair.receiver.tagReceiveAsync(buffer, 2, UcpWorker.EXACT_TAG);
                });
        var sent = pair.endpoint.tagSendAsync(pair.arena.allocate(8), 1).thenRun(pair::progress);
        var last = pair.endpoint.tagSendAsync(pair.arena.allocate(8), 2);
        until(second);
        until(sent);
        until(last);
        assertEquals(2, second.join().senderTag());
    }

    @Test
    void shouldCompleteManyFuturesInAnyOrder() {
        int count = 500;
        List<CompletableFuture<UcpTagReceived>> received = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            received.add(pair.receiver.tagReceiveAsync(pair.arena.allocate(8), i, UcpWorker.EXACT_TAG));
        }
        for (int i = count - 1; i >= 0; i--) {
            until(pair.endpoint.tagSendAsync(pair.arena.allocate(8), i));
        }
        for (int i = 0; i < count; i++) {
            until(received.get(i));
            assertEquals(i, received.get(i).join().senderTag());
        }
    }

    @Test
    void shouldFailFuturesWhenClosed() {
        var worker = pair.context.createWorker();
        var received = worker.tagReceiveAsync(pair.arena.allocate(8), 1, UcpWorker.EXACT_TAG);
        worker.close();
        var e = assertThrows(CompletionException.class, received::join);
        assertInstanceOf(IllegalStateException.class, e.getCause());
    }
}
