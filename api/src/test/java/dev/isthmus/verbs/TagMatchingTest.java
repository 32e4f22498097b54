// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.VerbsException;
import dev.isthmus.internal.Errno;
import dev.isthmus.verbs.tags.TagOperation;
import dev.isthmus.verbs.tags.TagQueue;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Shared receive queues of the kinds that Soft-RoCE does not have. */
@Tag("device")
class TagMatchingTest {

    /** {@code IBV_TMH_EAGER}: the opcode in the header that begins a message, {@code struct ibv_tmh}. */
    private static final byte EAGER = 3;

    @Test
    void shouldAddAndDeleteTags() {
        try (var context = Device.first().open();
                var pd = context.allocateProtectionDomain();
                var region = pd.register(Arena.ofAuto().allocate(4096), AccessFlag.LOCAL_WRITE);
                var cq = context.createCompletionQueue(64)) {
            try (SharedReceiveQueue queue = Features.make(
                    "ibv_create_srq_ex",
                    context.device().name() + ", TM, maxWr=64, maxSge=1, tags=8, operations=4",
                    () -> pd.createSharedReceiveQueue(config -> config.tagMatching(cq, 8, 4)))) {
                assertEquals(SharedReceiveQueueType.TM, queue.type());
                assertThrows(IllegalStateException.class, cq::close);
                var tags = TagQueue.of(queue);
                var operation = TagOperation.prepare().buffer(region, 0, 4096).signaled(true);
                assertTrue(tags.tryPost(operation.add(7, 0x1234, -1).wrId(8)));
                assertEquals(8, await(cq));
                int handle = operation.handle();
                assertTrue(tags.tryPost(operation.delete(handle).wrId(9)));
                assertEquals(9, await(cq));
                assertThrows(IndexOutOfBoundsException.class, () -> tags.tryPost(operation.delete(handle + 1)));
                var chain = TagOperation.prepare().signaled(true).wrId(10);
                assertNull(tags.tryPostChain(
                        operation.synchronize().unexpectedCount(0).next(chain)));
            }
        }
    }

    @Test
    void shouldReceiveWhatATagIsFor() {
        try (SharedPair pair = Features.make(
                "ibv_create_srq_ex",
                Device.list().getLast().name() + ", TM, maxWr=64, maxSge=1, tags=8, operations=4",
                () -> SharedPair.on(1, (side, config) -> config.tagMatching(side.cq, 8, 4)))) {
            RcPair.Side b = pair.b();
            for (int i = 0; i < 33; i++) { // devices want this many before they match
                pair.srq.post(b.receive(8192, 64).wrId(1));
            }
            var operation = TagOperation.prepare().signaled(true).wrId(2);
            assertTrue(TagQueue.of(pair.srq)
                    .tryPost(operation.buffer(b.region, 0, 64).add(3, 0x1234, -1)));
            b.await();
            assertEquals(CompletionOpcode.TM_ADD, b.done.opcode(0));
            pair.a().memory().set(ValueLayout.JAVA_BYTE, 0, EAGER);
            pair.a().memory().set(ValueLayout.JAVA_LONG, 8, Long.reverseBytes(0x1234));
            pair.a().memory().setString(16, "tagged");
            pair.senders.getFirst().post(pair.a().send(0, 32));
            b.await();
            assertEquals(CompletionOpcode.TM_RECV, b.done.opcode(0));
            assertEquals(3, b.done.wrId(0));
            assertEquals("tagged", b.memory().getString(0)); // without the header
        }
    }

    private static long await(CompletionQueue cq) {
        var done = WorkCompletions.allocate(1);
        while (cq.poll(done) == 0) {
            Thread.onSpinWait();
        }
        assertEquals(CompletionStatus.SUCCESS, done.status(0));
        return done.wrId(0);
    }

    @Test
    void shouldRefuseTagsOnAQueueThatMatchesNone() {
        try (var context = Device.first().open();
                var pd = context.allocateProtectionDomain();
                var queue = pd.createSharedReceiveQueue(config -> {})) {
            var operation = TagOperation.prepare();
            var tags = TagQueue.of(queue);
            assertThrows(IndexOutOfBoundsException.class, () -> tags.tryPost(operation.delete(0)));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> tags.tryPost(operation.synchronize().next(TagOperation.prepare())));
            var single = TagOperation.prepare();
            var e = assertThrows(VerbsException.class, () -> tags.tryPost(single));
            String arguments = queue + ", TagOperation(SYNC)";
            if (e.errno() == Errno.EOPNOTSUPP) {
                throw Features.unsupported("ibv_post_srq_ops", arguments, e);
            }
            assertEquals(
                    "ibv_post_srq_ops(" + arguments + "): EINVAL (22): the queue was made without tagMatching()",
                    e.getMessage());
        }
    }

    @Test
    void shouldSayWhenItHasNoNumber() {
        try (var context = Device.first().open();
                var pd = context.allocateProtectionDomain();
                var queue = pd.createSharedReceiveQueue(config -> {})) {
            int number = Features.make("ibv_get_srq_num", context.device().name() + ", BASIC", queue::srqNum);
            assertTrue(number > 0);
        }
    }

    @Test
    void shouldRefuseObjectsOfAnotherDevice() {
        try (var context = Device.first().open();
                var other = Device.first().open();
                var pd = context.allocateProtectionDomain();
                var cq = other.createCompletionQueue(4)) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> pd.createSharedReceiveQueue(config -> config.tagMatching(cq, 1, 1)));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> pd.createSharedReceiveQueue(config -> config.tagMatching(cq, 0, 1)));
        }
    }
}
