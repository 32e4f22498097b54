// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a program keeps with a queue pair, and finds by a completion. */
@Tag("device")
@Tag("connectx")
class AttachmentTest {

    @Test
    void shouldFindTheQueuePairOfACompletion() {
        try (var pair = RcPair.connected()) {
            assertNull(pair.b.qp.attachment());
            pair.b.qp.attach("b");
            pair.b.qp.post(pair.b.receive(0, 8));
            pair.a.qp.post(pair.a.send(0, 8));
            pair.b.awaitSuccess();
            QueuePair from = pair.b.cq.queuePair(pair.b.done.qpNum(0));
            assertSame(pair.b.qp, from);
            assertEquals("b", from.attachment());
            from.attach(null);
            assertNull(from.attachment());
        }
    }

    @Test
    void shouldFindThoseThatAreOpen() {
        try (var pair = RcPair.unconnected(config -> {})) {
            var all = new ArrayList<QueuePair>();
            for (int i = 0; i < 40; i++) {
                all.add(pair.a.pd.createQueuePair(QueuePairType.RC, pair.a.cq, pair.a.cq));
            }
            for (int i = 0; i < 40; i += 2) {
                all.get(i).close();
            }
            for (int i = 0; i < 40; i++) {
                assertSame(
                        i % 2 == 0 ? null : all.get(i),
                        pair.a.cq.queuePair(all.get(i).qpNum()));
            }
            all.forEach(QueuePair::close);
            assertSame(pair.a.qp, pair.a.cq.queuePair(pair.a.qp.qpNum()));
            assertNull(pair.a.cq.queuePair(0));
            assertNull(pair.a.cq.queuePair(-1));
        }
    }

    /** Soft-RoCE leaves it in the queue. */
    @Test
    void shouldFindNoQueuePairForCompletionsOfAClosedOne() {
        try (var pair = RcPair.connected()) {
            QueuePair other = pair.a.anotherQueuePair(QueuePairType.RC);
            other.connect(pair.a.gid, pair.b.qp.address(pair.b.gid));
            other.post(pair.a.receive(0, 8));
            other.flush();
            other.close();
            int n = pair.a.cq.poll(pair.a.done);
            for (int i = 0; i < n; i++) {
                assertNull(pair.a.cq.queuePair(pair.a.done.qpNum(i)));
            }
            assertNull(pair.a.cq.queuePair(other.qpNum()));
        }
    }
}
