// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("ucx")
class UcpRequestsTest {

    private UcpPair pair;
    private UcpRequests received;

    @BeforeEach
    void open() {
        pair = new UcpPair(UcxTransports.any());
        received = pair.receiver.requests();
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private long receive() {
        return pair.receiver.tagReceive(pair.arena.allocate(8), UcpPair.TAG);
    }

    private void send() {
        long send = pair.endpoint.tagSend(pair.arena.allocate(8), UcpPair.TAG);
        pair.await(pair.sender, send);
        pair.sender.requests().release(send);
    }

    @Test
    void shouldCancelReceive() {
        long receive = receive();
        received.cancel(receive);
        pair.await(pair.receiver, receive);
        assertEquals(UcsStatus.CANCELED, received.status(receive));
        assertEquals(-16, received.statusCode(receive));
        assertEquals(0, received.length(receive));
        received.release(receive);
        long next = receive();
        send();
        pair.await(pair.receiver, next);
        assertEquals(UcsStatus.OK, received.status(next), "the message went to the cancelled receive");
    }

    @Test
    void shouldIgnoreCancelOfWhatIsDone() {
        long receive = receive();
        send();
        pair.await(pair.receiver, receive);
        received.cancel(receive);
        assertEquals(UcsStatus.OK, received.status(receive));
    }

    @Test
    void shouldTakeZeroForDone() {
        assertTrue(received.isDone(0));
        assertEquals(UcsStatus.OK, received.status(0));
        assertEquals(0, received.length(0));
        assertEquals(0, received.senderTag(0));
        received.cancel(0);
        received.release(0);
    }

    @Test
    void shouldRefuseSecondRelease() {
        long receive = receive();
        send();
        pair.await(pair.receiver, receive);
        received.release(receive);
        var e = assertThrows(IllegalArgumentException.class, () -> received.release(receive));
        assertTrue(e.getMessage().contains("released already"), e.getMessage());
        assertThrows(IllegalArgumentException.class, () -> received.isDone(receive));
        assertThrows(IllegalArgumentException.class, () -> received.cancel(receive));
        assertThrows(IllegalArgumentException.class, () -> received.length(receive));
        assertThrows(IllegalArgumentException.class, () -> received.senderTag(receive));
    }

    @Test
    void shouldRefuseStaleNumberOfSlotThatIsInUseAgain() {
        Set<Long> stale = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            long receive = receive();
            assertTrue(stale.add(receive), "a number was given twice");
            received.cancel(receive);
            pair.await(pair.receiver, receive);
            received.release(receive);
        }
        long live = receive();
        for (long request : stale) {
            assertThrows(IllegalArgumentException.class, () -> received.status(request));
        }
        assertEquals(UcsStatus.IN_PROGRESS, received.status(live));
    }

    @Test
    void shouldRefuseNumberOfOtherWorker() {
        long receive = receive();
        UcpRequests others = pair.sender.requests();
        assertThrows(IllegalArgumentException.class, () -> others.release(receive));
        assertThrows(IllegalArgumentException.class, () -> others.cancel(receive));
        assertEquals(UcsStatus.IN_PROGRESS, received.status(receive));
    }

    @Test
    void shouldRefuseNumbersThatNobodyGave() {
        long live = receive();
        for (long request : new long[] {-1, 1, Long.MIN_VALUE, Long.MAX_VALUE, live + 1, live | Long.MIN_VALUE}) {
            assertThrows(IllegalArgumentException.class, () -> received.release(request), Long.toHexString(request));
        }
    }

    @Test
    void shouldRefuseReleaseOfWhatIsInProgress() {
        long receive = receive();
        var e = assertThrows(IllegalStateException.class, () -> received.release(receive));
        assertTrue(e.getMessage().contains("cancel()"), e.getMessage());
        send();
        pair.await(pair.receiver, receive);
        received.release(receive);
    }

    @Test
    void shouldReuseSlots() {
        for (int i = 0; i < 10_000; i++) {
            long receive = receive();
            assertNotEquals(0, receive);
            received.cancel(receive);
            pair.await(pair.receiver, receive);
            received.release(receive);
        }
        assertEquals(0, received.outstanding());
    }

    @Test
    void shouldKeepBufferOfAutomaticArenaWhilePending() {
        var sentinel = new WeakReference<>(Arena.ofAuto().allocate(8));
        long receive = pair.receiver.tagReceive(sentinel.get(), UcpPair.TAG);
        for (int i = 0; i < 5; i++) {
            System.gc();
            assertNotEquals(null, sentinel.get(), "collected while UCX may write to it");
        }
        send();
        pair.await(pair.receiver, receive);
        UcxTransports.until(() -> sentinel.get() == null, System::gc);
    }

    @Test
    void shouldRefuseMoreThanThereCanBe() {
        var config = new UcpWorkerConfig();
        assertThrows(IllegalArgumentException.class, () -> config.reservedRequests(0));
        assertThrows(IllegalArgumentException.class, () -> config.reservedRequests(RequestSlots.MAX_SLOTS + 1));
    }

    @Test
    void shouldRefuseUseOnOtherThread() throws InterruptedException {
        long receive = receive();
        MemorySegment nothing = MemorySegment.NULL;
        var thrown = new Throwable[3];
        Thread thread = new Thread(() -> {
            thrown[0] = assertThrows(WrongThreadException.class, () -> received.isDone(receive));
            thrown[1] = assertThrows(WrongThreadException.class, () -> received.release(receive));
            thrown[2] = assertThrows(WrongThreadException.class, () -> pair.endpoint.tagSend(nothing, 1));
        });
        thread.start();
        thread.join();
        for (Throwable t : thrown) {
            assertNotEquals(null, t, "not refused");
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldSayWhatAnOperationIs(String tls) {
        try (var other = new UcpPair(tls)) {
            describe(other);
        }
    }

    private static void describe(UcpPair pair) {
        UcpRequests received = pair.receiver.requests();
        UcpRequests sent = pair.sender.requests();
        assertEquals(UcsStatus.OK, sent.attributes(0).status());
        MemorySegment buffer = pair.arena.allocate(1 << 20);
        long receive = pair.receiver.tagReceive(buffer, 1);
        UcpRequestAttributes waiting = received.attributes(receive);
        assertEquals(UcsStatus.IN_PROGRESS, waiting.status());
        assertEquals(Optional.of(UcpMemoryType.HOST), waiting.memoryType());
        boolean describes = UcxVersion.loaded().minor() < 14;
        assertEquals(describes, waiting.description().contains("1048576"), waiting.description());
        long[] sends = new long[8];
        for (int i = 0; i < sends.length; i++) {
            // From before the connection is made, and through a rendezvous.
            sends[i] = pair.endpoint.tagSendSync(buffer, 0, i % 2 == 0 ? 1 << 20 : 8, 2);
            UcpRequestAttributes sending = sent.attributes(sends[i]);
            assertEquals(UcsStatus.IN_PROGRESS, sending.status());
            assertEquals(describes, !sending.description().isEmpty());
            pair.progress();
        }
        long last = pair.endpoint.tagSend(buffer, 1);
        UcxTransports.until(
                () -> {
                    for (long send : sends) {
                        assertNotNull(sent.attributes(send).description());
                    }
                    return received.isDone(receive) && sent.isDone(last);
                },
                pair::progress);
        assertEquals(UcsStatus.OK, received.attributes(receive).status());
        assertEquals("", received.attributes(receive).description());
        received.release(receive);
        assertThrows(IllegalArgumentException.class, () -> received.attributes(receive));
        for (long send : sends) {
            long match = pair.receiver.tagReceive(buffer, 2);
            pair.await(pair.sender, send);
            pair.await(pair.receiver, match);
        }
    }

    @Test
    void shouldCountGenerationsOnAfterTheLast() {
        var slots = new RequestSlots(new RequestMemory(pair.arena, 256), 1);
        RequestSlot slot = slots.nextSlot();
        slot.handle |= -1L << 21; // the last generation
        long last = slots.take(slot);
        slots.free(slot);
        long first = slots.take(slots.nextSlot());
        assertTrue(first > 0 && last > 0, first + " " + last);
        assertEquals(slot, slots.find(first));
        assertEquals(null, slots.find(last));
    }

    @Test
    void shouldNotTakeStaleNumberForLiveOneAfterHundredsOfMillionsOfOperations() {
        var slots = new RequestSlots(new RequestMemory(pair.arena, 256), 1);
        long stale = slots.take(slots.nextSlot());
        slots.free(slots.find(stale));
        for (int i = 0; i < 1 << 28; i++) {
            RequestSlot slot = slots.nextSlot();
            if (slots.take(slot) == stale) {
                throw new AssertionError("again after " + i);
            }
            slots.free(slot);
        }
    }

    @Test
    void shouldNotTakeNumberOfAnyOtherWorker() {
        var slots = new RequestSlots(new RequestMemory(pair.arena, 256), 1);
        long number = slots.take(slots.nextSlot());
        for (int i = 0; i < 1 << 17; i++) {
            try (Arena arena = Arena.ofConfined()) {
                var others = new RequestSlots(new RequestMemory(arena, 256), 1);
                others.take(others.nextSlot());
                assertNull(others.find(number));
            }
        }
    }
}
