// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
@Tag("connectx")
class UnreliableConnectionTest {

    private static RcPair connected() {
        return RcPair.connected(
                QueuePairType.UC, config -> config.maxInline(64).maxSendSge(2).maxRecvSge(2));
    }

    @Test
    void shouldDeliverMessageOfSeveralPackets() {
        try (var pair = connected()) {
            pair.a.memory().fill((byte) 7);
            pair.b.qp.post(pair.b.receive(0, 5000));
            pair.a.qp.post(pair.a.send(0, 5000).opcode(SendOpcode.SEND_WITH_IMM).immediate(-1));
            pair.b.awaitSuccess();
            assertEquals(5000, pair.b.done.byteLength(0));
            assertEquals(-1, pair.b.done.immediate(0));
            assertEquals(
                    -1,
                    pair.a.memory().asSlice(0, 5000).mismatch(pair.b.memory().asSlice(0, 5000)));
            pair.a.awaitSuccess();
        }
    }

    @Test
    void shouldWriteRemoteMemoryAndTellByImmediate() {
        try (var pair = connected()) {
            pair.a.memory().setString(0, "written");
            pair.b.qp.post(ReceiveRequest.prepare(0));
            pair.a.qp.post(pair.a
                    .send(0, 8)
                    .opcode(SendOpcode.RDMA_WRITE_WITH_IMM)
                    .immediate(9)
                    .remote(pair.b.region.address() + 16, pair.b.region.rkey()));
            pair.b.awaitSuccess();
            assertEquals(CompletionOpcode.RECV_RDMA_WITH_IMM, pair.b.done.opcode(0));
            assertEquals(9, pair.b.done.immediate(0));
            assertEquals("written", pair.b.memory().getString(16));
        }
    }

    @Test
    void shouldLoseMessageThatNobodyReceives() {
        try (var pair = connected()) {
            pair.a.qp.post(pair.a.send(0, 8));
            pair.a.awaitSuccess(); // sent is all that a sender learns
            pair.b.qp.post(pair.b.receive(0, 64));
            pair.a.qp.post(pair.a.send(0, 16));
            pair.b.awaitSuccess();
            assertEquals(16, pair.b.done.byteLength(0));
        }
    }

    @Test
    void shouldRefuseOperationsThatNeedAnAnswer() {
        try (var pair = connected()) {
            var read = pair.a.send(0, 8).opcode(SendOpcode.RDMA_READ).remote(0, 0);
            var e = assertThrows(IllegalArgumentException.class, () -> pair.a.qp.tryPost(read));
            assertTrue(e.getMessage().contains("UC queue pairs do not do RDMA_READ"), e.getMessage());
            var atomic = pair.a.send(0, 8).fetchAndAdd(0, 0, 1);
            assertThrows(IllegalArgumentException.class, () -> pair.a.qp.tryPost(atomic));
        }
    }

    @Test
    void shouldKeepAttributesThatConnectSet() {
        try (var pair = connected()) {
            var attributes = pair.a.qp.query();
            assertEquals(QueuePairState.RTS, attributes.state());
            assertEquals(
                    EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE), EnumSet.copyOf(attributes.access()));
            assertEquals(pair.b.gid.gid(), attributes.path().dgid());
            assertEquals(pair.a.gid.index(), attributes.path().sgidIndex());
            assertEquals(pair.b.qp.qpNum(), attributes.destQpNum());
        }
    }
}
