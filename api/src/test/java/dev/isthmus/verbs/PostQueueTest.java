// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.VerbsException;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.OwnerThread;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a driver's answer means for the requests: none that was lost may be reported as posted. */
@Tag("device")
@Tag("connectx")
class PostQueueTest {

    @Test
    void shouldTakeAReceiveThatNoDriverNamesForLost() {
        try (var pair = RcPair.unconnected(config -> {})) {
            var function = pair.a.device.ops().postSharedReceive();
            var owner = new OwnerThread("a shared queue");
            var queue = ReceiveQueue.of("ibv_post_srq_recv", "a shared queue", owner, () -> {}, pair.a.pd, function, 0);
            var first = pair.a.receive(0, 8).next(pair.a.receive(8, 8));
            assertSame(first, queue.firstRefused(first, -Errno.ENOMEM)); // cxgb4's full shared queue
            assertSame(first, queue.firstRefused(first, Errno.ENOMEM));
            assertThrows(VerbsException.class, () -> queue.firstRefused(first, Errno.EINVAL));
        }
    }

    @Test
    void shouldTakeASendForPostedOnlyWhereTheDriverQueuesItFirst() {
        try (var pair = RcPair.unconnected(config -> {})) {
            var send = pair.a.send(0, 8);
            boolean queuesFirst = SoftRoce.is(pair.a.device.device());
            SendQueue own = queue(pair.a.qp, pair.a.device.ops().postSend());
            if (queuesFirst) {
                assertNull(own.firstRefused(send, Errno.ENOMEM)); // the kernel's, after all was queued
            }
            SendQueue other = queuesFirst ? queue(pair.a.qp, MemorySegment.ofAddress(8)) : own;
            var e = assertThrows(VerbsException.class, () -> other.firstRefused(send, Errno.ENOMEM));
            assertTrue(e.getMessage().contains("does not say which"), e.getMessage());
        }
    }

    private static SendQueue queue(QueuePair qp, MemorySegment function) {
        return SendQueue.of(qp, new OwnerThread("a queue"), () -> {}, function, null);
    }
}
