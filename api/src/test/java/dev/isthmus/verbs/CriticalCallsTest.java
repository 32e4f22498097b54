// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.internal.verbs.ContextOps;
import dev.isthmus.internal.verbs.DataPath;
import dev.isthmus.verbs.attributes.TransportType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class CriticalCallsTest {

    @Test
    @Tag("device")
    @Tag("connectx")
    @Tag("iwarp")
    void shouldBeMadeOnlyOfWhatTheDriverIsKnownToDoQuickly() {
        Device device = Device.first();
        try (var context = device.open()) {
            ContextOps ops = context.ops();
            boolean softiwarp = device.transportType() == TransportType.IWARP;
            assertEquals(SoftRoce.is(device) || softiwarp, DataPath.isCriticalPoll(ops.pollCq()));
            assertEquals(SoftRoce.is(device), DataPath.isCriticalReceive(ops.postReceive()));
            assertFalse(DataPath.isCriticalReceive(ops.postSend()));
            assertFalse(DataPath.isCriticalPoll(ops.requestNotify()));
        }
    }

    @Test
    @Tag("device")
    @Tag("connectx")
    void shouldNotBeAllThatCanBePostedAndPolledAtOnce() {
        for (int messages :
                new int[] {DataPath.MAX_CRITICAL_BATCH, DataPath.MAX_CRITICAL_BATCH + 1, 2 * DataPath.MAX_CRITICAL_BATCH
                }) {
            int requests = messages;
            try (var pair = RcPair.connected(
                    config -> config.maxSendWr(requests).maxRecvWr(requests),
                    side -> side.device.createCompletionQueue(requests))) {
                postAndPoll(pair, requests);
            }
        }
    }

    private static void postAndPoll(RcPair pair, int messages) {
        ReceiveRequest receives = null;
        for (int i = messages - 1; i >= 0; i--) {
            receives = pair.b.receive(0, 8).wrId(i).next(receives);
        }
        assertNull(pair.b.qp.tryPostChain(receives));
        for (int i = 0; i < messages; i++) {
            assertTrue(pair.a.qp.tryPost(pair.a.send(0, 8)));
        }
        for (int seen = 0; seen < messages; ) { // an acknowledged message is a received one
            seen += pair.a.await();
        }
        var all = WorkCompletions.allocate(messages);
        assertEquals(messages, pair.b.cq.poll(all));
        for (int i = 0; i < messages; i++) {
            assertTrue(all.isSuccess(i));
            assertEquals(i, all.wrId(i));
        }
    }
}
