package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.VerbsException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
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
                pair.b.qp.tryPost(pair.b.receive(0, 8).wrId(i));
            }
            for (int i = 0; i < 5; i++) {
                pair.a.qp.tryPost(pair.a.send(0, 8));
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
                failures[0] = failure(() -> cq.poll(done));
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
