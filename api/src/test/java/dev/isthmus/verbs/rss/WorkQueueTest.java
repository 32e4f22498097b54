// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.rss;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.Features;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePairState;
import dev.isthmus.verbs.QueuePairTransition;
import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.attributes.RxHashField;
import java.lang.foreign.Arena;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
@Tag("connectx")
class WorkQueueTest {

    @Test
    void shouldTakeReceivesFromRdyOn() {
        try (var context = Device.first().open();
                var pd = context.allocateProtectionDomain();
                var region = pd.register(Arena.ofAuto().allocate(64), AccessFlag.LOCAL_WRITE);
                var cq = context.createCompletionQueue(16)) {
            try (WorkQueue queue = make(pd, cq)) {
                var receive = ReceiveRequest.prepare(region);
                var e = assertThrows(IllegalStateException.class, () -> queue.tryPost(receive));
                assertTrue(e.getMessage().contains("is in RESET"), e.getMessage());
                assertThrows(IllegalArgumentException.class, () -> queue.modify(WorkQueueState.UNKNOWN));
                queue.modify(WorkQueueState.RDY);
                assertEquals(WorkQueueState.RDY, queue.state());
                assertTrue(queue.tryPost(receive));
                assertEquals(null, queue.tryPostChain(receive));
                assertThrows(
                        IllegalArgumentException.class,
                        () -> queue.modifyFlags(
                                EnumSet.noneOf(WorkQueueFlag.class), EnumSet.of(WorkQueueFlag.SCATTER_FCS)));
                assertThrows(IllegalStateException.class, cq::close);
            }
        }
    }

    private static WorkQueue make(ProtectionDomain pd, CompletionQueue cq) {
        return Features.make(
                "ibv_create_wq",
                pd.context().device().name() + ", maxWr=8, maxSge=1",
                () -> WorkQueue.create(pd, cq, config -> config.maxWr(8).maxSge(1)));
    }

    @Test
    void shouldStandInATable() {
        try (var context = Device.first().open();
                var pd = context.allocateProtectionDomain();
                var cq = context.createCompletionQueue(16)) {
            try (WorkQueue queue = make(pd, cq)) {
                queue.modify(WorkQueueState.RDY);
                try (var table = ReceiveIndirectionTable.create(context, Collections.nCopies(4, queue))) {
                    var e = assertThrows(IllegalStateException.class, queue::close);
                    assertTrue(e.getMessage().contains("1 ReceiveIndirectionTable"), e.getMessage());
                    assertEquals(context, table.context());
                    var hash = ReceiveHash.toeplitz(new byte[40], RxHashField.SRC_IPV4, RxHashField.DST_IPV4);
                    assertThrows(
                            IllegalArgumentException.class, () -> table.createQueuePair(pd, QueuePairType.RC, hash));
                    try (var spread = table.createQueuePair(pd, QueuePairType.RAW_PACKET, hash)) {
                        assertThrows(IllegalStateException.class, table::close);
                        spread.modify(
                                QueuePairTransition.to(QueuePairState.INIT).port(1));
                        spread.modify(QueuePairTransition.to(QueuePairState.RTR));
                        assertThrows(
                                IllegalStateException.class,
                                () -> spread.tryPost(ReceiveRequest.prepare(0))); // those go to the work queues
                    }
                }
                assertThrows(
                        IllegalArgumentException.class,
                        () -> ReceiveIndirectionTable.create(context, Collections.nCopies(3, queue)));
            }
        }
    }

    @Test
    void shouldExplainFlagsInMessages() {
        try (var context = Device.first().open();
                var pd = context.allocateProtectionDomain();
                var cq = context.createCompletionQueue(16)) {
            Features.make(
                            "ibv_create_wq",
                            context.device().name() + ", maxWr=64, maxSge=1, [SCATTER_FCS]",
                            () -> WorkQueue.create(pd, cq, config -> config.flags(WorkQueueFlag.SCATTER_FCS)))
                    .close();
        }
    }

    @Test
    void shouldRefuseWrongArgumentsBeforeTheCall() {
        try (var context = Device.first().open();
                var other = Device.first().open();
                var pd = context.allocateProtectionDomain();
                var cq = other.createCompletionQueue(16)) {
            assertThrows(IllegalArgumentException.class, () -> WorkQueue.create(pd, cq, config -> {}));
            assertThrows(IllegalArgumentException.class, () -> WorkQueue.create(pd, cq, config -> config.maxWr(0)));
            assertThrows(IllegalArgumentException.class, () -> ReceiveIndirectionTable.create(context, List.of()));
        }
    }
}
