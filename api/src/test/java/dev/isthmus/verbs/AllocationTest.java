// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.isthmus.testbed.Allocated;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
@Tag("connectx")
class AllocationTest {

    private static final int MESSAGES = 2_000;
    private static final int FEW = 400;

    @Test
    void shouldAllocateNothingPerMessage() {
        try (var pair = RcPair.connected()) {
            var send = pair.a.send(0, 8).inline(true);
            var receive = pair.b.receive(0, 64);
            pair.b.qp.attach(pair.b);
            Allocated.assertNone(() -> exchange(pair, send, receive));
        }
    }

    @Test
    void shouldAllocateNothingPerAtomicOrDatagram() {
        try (var pair = RcPair.connected();
                var datagrams = RcPair.datagrams()) {
            var atomic = pair.a.send(0, 8);
            var datagram = datagrams.a.send(0, 8);
            var receive = datagrams.b.receive(0, 256);
            AddressHandle way = datagrams.a.wayTo(datagrams.b);
            RemoteMemory there = pair.b.region.remoteMemory();
            Allocated.assertNone(() -> {
                for (int i = 0; i < FEW; i++) {
                    pair.a.qp.post(atomic.fetchAndAdd(there, 64, 1));
                    pair.a.awaitSuccess();
                    datagrams.b.qp.post(receive);
                    datagrams.a.qp.post(datagram.to(way, datagrams.b.qp.qpNum(), RcPair.QKEY));
                    datagrams.b.awaitSuccess();
                    datagrams.a.awaitSuccess();
                }
            });
        }
    }

    private static void exchange(RcPair pair, SendRequest send, ReceiveRequest receive) {
        for (int i = 0; i < MESSAGES; i++) {
            pair.b.qp.post(receive.wrId(i));
            pair.a.qp.post(send.wrId(i).length(i % 64));
            pair.b.await();
            assertEquals(i, pair.b.done.wrId(0));
            assertSame(pair.b, pair.b.cq.queuePair(pair.b.done.qpNum(0)).attachment());
            pair.a.await();
            if (pair.a.done.status(0) != CompletionStatus.SUCCESS) {
                throw new AssertionError(pair.a.done);
            }
        }
    }
}
