// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.Features;
import dev.isthmus.verbs.QueuePairType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
@Tag("connectx")
class FlowTest {

    private static FlowRule rule() {
        return FlowRule.match(
                1,
                FlowMatch.of(FlowLayer.ETH).with(FlowField.ETH_DST_MAC, 0x248a07a528c8L),
                FlowMatch.of(FlowLayer.UDP).with(FlowField.DST_PORT, 4711));
    }

    @Test
    void shouldSteerPacketsToItsQueuePair() {
        try (var context = Device.first().open();
                var pd = context.allocateProtectionDomain();
                var cq = context.createCompletionQueue(16);
                var qp = pd.createQueuePair(QueuePairType.UD, cq, cq)) {
            if (!Features.steersFlows(context)) {
                throw Features.unsupported("ibv_create_flow", qp + ", " + rule(), () -> Flow.create(qp, rule()));
            }
            try (Flow flow = Flow.create(qp, rule())) {
                var e = assertThrows(IllegalStateException.class, qp::close);
                assertTrue(e.getMessage().contains("1 Flow"), e.getMessage());
                assertTrue(flow.toString().contains("DST_PORT=1267"), flow.toString());
            }
        }
    }

    @Test
    void shouldCount() {
        try (var context = Device.first().open();
                Counters counters =
                        Features.make("ibv_create_counters", context.device().name(), () -> Counters.create(context))) {
            counters.attach(Counters.Kind.PACKETS, 0);
            counters.attach(Counters.Kind.BYTES, 1);
            assertEquals(0, counters.read(2, true)[0]); // nothing flows yet
            assertThrows(IndexOutOfBoundsException.class, () -> counters.attach(Counters.Kind.BYTES, -1));
            assertThrows(IllegalArgumentException.class, () -> counters.read(0, true));
            assertThrows(IllegalStateException.class, context::close);
        }
    }

    @Test
    void shouldEncrypt() {
        try (var context = Device.first().open();
                FlowAction action = Features.make(
                        "ibv_create_flow_action_esp",
                        context.device().name()
                                + ", ESP, spi=7, [ENCRYPT], AES-GCM of 128 bits, replayWindow=null, esn=null",
                        () -> FlowAction.createEsp(
                                context,
                                config -> config.association(7, 1, 0, 0, EspConfig.Flag.ENCRYPT)
                                        .aesGcm(new byte[16], 1, 2, 16)))) {
            action.modifyEsp(config -> config.esn(1));
            assertThrows(IllegalStateException.class, context::close);
        }
    }

    @Test
    void shouldRefuseUseOnAnotherThread() throws InterruptedException {
        try (var context = Device.first().open();
                var pd = context.allocateProtectionDomain();
                var cq = context.createCompletionQueue(16);
                var qp = pd.createQueuePair(QueuePairType.RC, cq, cq)) {
            var failure = new Throwable[1];
            var thread = new Thread(() -> Flow.create(qp, rule()));
            thread.setUncaughtExceptionHandler((t, e) -> failure[0] = e);
            thread.start();
            thread.join();
            assertEquals(WrongThreadException.class, failure[0].getClass());
        }
    }
}
