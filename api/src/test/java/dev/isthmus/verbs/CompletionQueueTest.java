// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.VerbsException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
@Tag("connectx")
class CompletionQueueTest {

    @Test
    void shouldPollNothingWhenEmpty() {
        try (var context = Device.first().open();
                var cq = context.createCompletionQueue(16)) {
            assertTrue(cq.entries() >= 16);
            var done = WorkCompletions.allocate(4);
            assertEquals(0, cq.poll(done));
            assertEquals(0, done.count());
            assertThrows(IndexOutOfBoundsException.class, () -> done.wrId(0));
        }
    }

    @Test
    void shouldReturnNoMoreThanThereIsRoomFor() {
        try (var pair = RcPair.connected()) {
            for (int i = 0; i < 5; i++) {
                pair.b.qp.post(pair.b.receive(0, 8).wrId(i));
            }
            for (int i = 0; i < 5; i++) {
                pair.a.qp.post(pair.a.send(0, 8));
            }
            for (int seen = 0; seen < 5; ) {
                seen += pair.a.await();
            }
            // All are acknowledged, so all were received.
            var two = WorkCompletions.allocate(2);
            assertEquals(2, pair.b.cq.poll(two));
            assertEquals(0, two.wrId(0));
            assertEquals(1, two.wrId(1));
            assertThrows(IndexOutOfBoundsException.class, () -> two.wrId(2));
            assertEquals(2, pair.b.cq.poll(two));
            assertEquals(2, two.wrId(0));
            assertEquals(1, pair.b.cq.poll(two));
            assertEquals(4, two.wrId(0));
            assertThrows(IndexOutOfBoundsException.class, () -> two.wrId(1));
        }
    }

    @Test
    void shouldExplainMoreEntriesThanTheDeviceAllows() {
        try (var context = Device.first().open()) {
            int limit = context.attributes().maxCqe();
            var e = assertThrows(VerbsException.class, () -> context.createCompletionQueue(limit + 1));
            assertTrue(e.getMessage().contains("the device allows " + limit), e.getMessage());
            assertThrows(IllegalArgumentException.class, () -> context.createCompletionQueue(0));
        }
    }

    @Test
    void shouldCreateQueuesOfEverySizeOnEveryVector() {
        try (var context = Device.first().open();
                var channel = context.createCompletionChannel()) {
            int max = context.attributes().maxCqe();
            int vectors = context.completionVectors();
            assertTrue(vectors >= 1);
            for (int entries : new int[] {1, max / 2, max}) {
                for (int vector : new int[] {0, vectors - 1}) {
                    try (var cq = context.createCompletionQueue(entries, config -> config.vector(vector))) {
                        assertTrue(cq.entries() >= entries);
                    }
                }
                try (var cq = context.createCompletionQueue(entries, config -> config.channel(channel))) {
                    assertTrue(cq.entries() >= entries);
                }
            }
            var e = assertThrows(
                    IllegalArgumentException.class,
                    () -> context.createCompletionQueue(16, config -> config.vector(vectors)));
            assertTrue(e.getMessage().contains("numbered from 0 to " + (vectors - 1)), e.getMessage());
            assertThrows(
                    IllegalArgumentException.class,
                    () -> context.createCompletionQueue(16, config -> config.vector(-1)));
        }
    }

    @Test
    void shouldKeepCompletionsWhenResized() {
        try (var pair =
                RcPair.connected(config -> {}, side -> side.device.createCompletionQueue(3, of -> of.direct(false)))) {
            CompletionQueue cq = pair.a.cq;
            cq.resize(1);
            assertTrue(cq.entries() >= 1);
            cq.resize(7);
            assertTrue(cq.entries() >= 7);
            var one = WorkCompletions.allocate(1);
            for (int i = 0; i < 6; i++) {
                pair.b.qp.post(pair.b.receive(0, 8));
                pair.a.qp.post(pair.a.send(0, 8).wrId(i));
                pair.b.awaitSuccess();
            }
            for (int seen = 0; seen < 6; ) {
                cq.resize(7 + seen);
                if (cq.poll(one) == 1) { // the acknowledgement of the last may still be on its way
                    assertEquals(seen++, one.wrId(0));
                }
            }
        }
    }

    @Test
    void shouldExplainWhyItCannotBeResized() {
        try (var pair = RcPair.connected(
                config -> {}, side -> side.device.createCompletionQueue(256, of -> of.direct(false)))) {
            for (int i = 0; i < 5; i++) {
                pair.b.qp.post(pair.b.receive(0, 8));
                pair.a.qp.post(pair.a.send(0, 8));
                pair.a.awaitSuccess();
            }
            var e = assertThrows(VerbsException.class, () -> pair.b.cq.resize(1));
            assertEquals("EINVAL", e.errnoName());
            assertTrue(e.getMessage().contains("to 1): EINVAL"), e.getMessage());
            assertTrue(e.getMessage().endsWith("it may hold more completions than that: poll first"), e.getMessage());
            assertEquals(5, pair.b.cq.poll(pair.b.done)); // as before

            int limit = pair.b.device.attributes().maxCqe();
            e = assertThrows(VerbsException.class, () -> pair.b.cq.resize(limit + 1));
            assertTrue(e.getMessage().endsWith("the device allows " + limit + " entries"), e.getMessage());
            assertThrows(IllegalArgumentException.class, () -> pair.b.cq.resize(0));
        }
    }

    @Test
    void shouldModerateEvents() {
        Device device = Device.first();
        try (var context = device.open();
                var cq = context.createCompletionQueue(16)) {
            assertThrows(IllegalArgumentException.class, () -> cq.moderate(-1, 0));
            assertThrows(IllegalArgumentException.class, () -> cq.moderate(0, 65_536));
            try {
                cq.moderate(10, 20);
            } catch (VerbsException e) {
                throw Features.unsupported("ibv_modify_cq", device.name() + ", 16 entries, count=10, period=20 us", e);
            }
            cq.moderate(0, 0);
        }
    }

    @Test
    void shouldRefuseToCloseBeforeItsQueuePairs() {
        try (var pair = RcPair.connected()) {
            var e = assertThrows(IllegalStateException.class, pair.a.cq::close);
            assertTrue(e.getMessage().contains("1 QueuePair"), e.getMessage());
            assertEquals(0, pair.a.cq.poll(pair.a.done)); // still open
        }
    }

    @Test
    void shouldRefuseUseAfterCloseAndForeignThread() throws InterruptedException {
        try (var context = Device.first().open()) {
            var cq = context.createCompletionQueue(16);
            var done = WorkCompletions.allocate(4);
            Class<?>[] failures = new Class<?>[2];
            var thread = new Thread(() -> {
                failures[0] = failure(() -> assertEquals(0, cq.poll(done)));
                failures[1] = failure(cq::close);
            });
            thread.start();
            thread.join();
            assertEquals(WrongThreadException.class, failures[0]);
            assertEquals(WrongThreadException.class, failures[1]);
            cq.close();
            assertThrows(IllegalStateException.class, () -> cq.poll(done));
        }
    }

    private static Class<?> failure(Runnable action) {
        try {
            action.run();
            return null;
        } catch (RuntimeException e) {
            return e.getClass();
        }
    }
}
