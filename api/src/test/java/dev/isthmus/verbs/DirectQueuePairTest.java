// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.LogListener;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.logging.Level;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which queue pairs are direct, and what is said of the others: {@link DirectTwinsTest} tests what they write. */
class DirectQueuePairTest {

    /** A queue pair that asks for it, and the sentences that are logged. */
    private static final class Asked implements AutoCloseable {

        private final Deque<AutoCloseable> open = new ArrayDeque<>();
        private final LogListener log = new LogListener("dev.isthmus", Level.INFO);
        private final List<String> said = log.messages();

        final DeviceContext device = opened(Device.list().getFirst().open());
        final ProtectionDomain pd = opened(device.allocateProtectionDomain());

        <T extends AutoCloseable> T opened(T resource) {
            open.push(resource);
            return resource;
        }

        CompletionQueue queue() {
            return opened(device.createCompletionQueue(256, of -> of.sizeUnchecked()));
        }

        QueuePair create(QueuePairType type, CompletionQueue cq, Consumer<QueuePairConfig> configure) {
            return opened(pd.createQueuePair(type, cq, cq, config -> {
                config.direct(true);
                configure.accept(config);
            }));
        }

        void assertSaid(String reason) {
            assertEquals(1, said.size(), said.toString());
            assertTrue(said.getFirst().endsWith(" is not direct, because " + reason), said.getFirst());
            said.clear();
        }

        @Override
        public void close() {
            log.close();
            while (!open.isEmpty()) {
                try {
                    open.pop().close();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    @Test
    @Tag("device")
    @Tag("connectx")
    void shouldWorkWhateverTheDevice() {
        boolean isCard = "connectx".equals(System.getenv("ISTHMUS_TESTBED"));
        try (var pair = RcPair.connected(config -> config.direct(true))) {
            assertEquals(isCard, pair.a.qp.isDirect());
            pair.a.memory().setString(0, "straight");
            pair.b.qp.post(pair.b.receive(100, 16));
            pair.a.qp.post(pair.a.send(0, 16).wrId(7));
            pair.b.awaitSuccess();
            pair.a.awaitSuccess();
            assertEquals(7, pair.a.done.wrId(0));
            assertEquals("straight", pair.b.memory().getString(100));
        }
    }

    @Test
    @Tag("connectx")
    void shouldSayWhatCannotBeDirect() throws InterruptedException {
        try (var asked = new Asked()) {
            assertTrue(asked.create(QueuePairType.RC, asked.queue(), of -> {}).isDirect());
            assertTrue(asked.create(QueuePairType.UC, asked.queue(), of -> {}).isDirect());
            assertTrue(asked.create(QueuePairType.UD, asked.queue(), of -> {}).isDirect());
            assertEquals(List.of(), asked.said);
            assertFalse(asked.create(QueuePairType.RC, asked.queue(), of -> of.direct(false))
                    .isDirect());
            assertEquals(List.of(), asked.said);

            var shared = asked.opened(asked.pd.createSharedReceiveQueue(of -> {}));
            assertFalse(asked.create(QueuePairType.RC, asked.queue(), of -> of.sharedReceiveQueue(shared))
                    .isDirect());
            asked.assertSaid("it has a shared receive queue");
            assertFalse(asked.create(QueuePairType.RC, asked.queue(), of -> of.extendedPosting(SendOpcode.SEND))
                    .isDirect());
            asked.assertSaid("it has creation flags, a TSO header, or extended posting");

            var drivers = asked.opened(asked.device.createCompletionQueue(
                    16, of -> of.direct(false).sizeUnchecked()));
            assertFalse(asked.create(QueuePairType.RC, drivers, of -> {}).isDirect());
            asked.assertSaid("the configuration of its completion queue says so");
            CompletionQueue resized = asked.queue();
            resized.resize(300);
            assertFalse(asked.create(QueuePairType.RC, resized, of -> {}).isDirect());
            asked.assertSaid("its completion queue was resized");
            CompletionQueue another = asked.queue();
            var thread = new Thread(() -> {});
            another.handOver(thread);
            assertFalse(asked.create(QueuePairType.RC, another, of -> {}).isDirect());
            asked.assertSaid("its completion queue, which has had no queue pair yet, belongs to another thread");
            thread.start();
            thread.join();
        }
    }

    @Test
    @Tag("connectx")
    void shouldNotMixWithOthersInACompletionQueue() {
        try (var asked = new Asked()) {
            CompletionQueue direct = asked.queue();
            var shared = asked.opened(asked.pd.createSharedReceiveQueue(of -> {}));
            assertTrue(asked.create(QueuePairType.RC, direct, of -> {}).isDirect());
            assertTrue(asked.create(QueuePairType.UD, direct, of -> {}).isDirect());
            var e = assertThrows(
                    IllegalArgumentException.class,
                    () -> asked.create(QueuePairType.RC, direct, of -> of.sharedReceiveQueue(shared)));
            assertTrue(
                    e.getMessage()
                            .endsWith("because it has a shared receive queue: create another"
                                    + " completion queue for it, with direct(false)"),
                    e.getMessage());
            assertThrows(
                    IllegalArgumentException.class,
                    () -> asked.create(QueuePairType.RC, direct, of -> of.direct(false)));
            assertThrows(IllegalStateException.class, () -> direct.resize(1000));

            CompletionQueue drivers = asked.queue();
            assertFalse(asked.create(QueuePairType.RC, drivers, of -> of.direct(false))
                    .isDirect());
            assertFalse(asked.create(QueuePairType.RC, drivers, of -> {}).isDirect());
            asked.assertSaid("its completion queue has one that is not");
        }
    }

    @Test
    @Tag("connectx")
    void shouldShareRegistersOnlyAmongThemselves() {
        try (var asked = new Asked()) {
            CompletionQueue direct = asked.queue();
            for (int i = 0; i < 20; i++) { // more than there are registers
                assertTrue(asked.create(QueuePairType.RC, direct, of -> {}).isDirect());
            }
            var e = assertThrows(
                    IllegalStateException.class,
                    () -> asked.create(QueuePairType.RC, asked.queue(), of -> of.direct(false)));
            assertTrue(e.getMessage().contains("set MLX5_TOTAL_UUARS"), e.getMessage());
        }
        try (var asked = new Asked()) {
            for (int i = 0; i < 15; i++) {
                asked.create(QueuePairType.RC, asked.queue(), of -> of.direct(false));
            }
            assertFalse(asked.create(QueuePairType.RC, asked.queue(), of -> {}).isDirect());
            asked.assertSaid("a queue pair that libmlx5 drives has the same BlueFlame register: MLX5_TOTAL_UUARS in"
                    + " the environment gives the process more of them");
        }
    }

    @Test
    @Tag("connectx")
    void shouldRefuseWhatItDoesNotPost() {
        try (var pair = RcPair.connected(config -> config.direct(true))) {
            var e = assertThrows(
                    IllegalArgumentException.class,
                    () -> pair.a.qp.tryPost(
                            SendRequest.prepare(0).opcode(SendOpcode.LOCAL_INV).invalidate(1)));
            assertTrue(e.getMessage().endsWith(" is direct, and does not do LOCAL_INV: create it with direct(false)"));
        }
    }

    @Test
    @Tag("connectx")
    void shouldSkipCompletionsOfAClosedQueuePair() {
        try (var pair = RcPair.connected(config -> config.direct(true))) {
            QueuePair other = pair.a.pd.createQueuePair(QueuePairType.RC, pair.a.cq, pair.a.cq, c -> c.direct(true));
            other.connect(pair.a.gid, other.address(pair.a.gid));
            other.post(SendRequest.prepare(0)
                    .opcode(SendOpcode.RDMA_WRITE)
                    .remote(0, 0)
                    .signaled(true));
            other.flush(); // waits for the card
            other.close();
            pair.b.qp.post(pair.b.receive(0, 8));
            pair.a.qp.post(pair.a.send(0, 8).wrId(3));
            pair.a.awaitSuccess();
            assertEquals(3, pair.a.done.wrId(0));
            assertEquals(pair.a.qp.qpNum(), pair.a.done.qpNum(0));
        }
    }
}
