// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Probing for messages, taking and receiving them, and sends that wait for a receive. */
@Tag("ucx")
class UcpTagMessageTest {

    static Stream<Arguments> transportsAndSizes() {
        return UcxTransports.all()
                .flatMap(tls -> LongStream.of(0, 8, 9000, 1 << 20).mapToObj(size -> Arguments.of(tls, size)));
    }

    private static void untilTaken(UcpPair pair, UcpTagMessage message, long tag) {
        UcxTransports.until(() -> pair.receiver.tagTake(tag, UcpWorker.EXACT_TAG, message), pair::progress);
    }

    @ParameterizedTest
    @MethodSource("transportsAndSizes")
    void shouldFindTakeAndReceiveMessage(String tls, long size) {
        try (var pair = new UcpPair(tls);
                var message = UcpTagMessage.of(pair.receiver)) {
            MemorySegment from = pair.arena.allocate(size);
            MemorySegment to = pair.arena.allocate(size + 8);
            UcpPair.fill(from, 11);
            assertFalse(pair.receiver.tagProbe(0, UcpWorker.ANY_TAG, message));
            long send = pair.endpoint.tagSend(from, UcpPair.TAG);
            UcxTransports.until(() -> pair.receiver.tagProbe(0, UcpWorker.ANY_TAG, message), pair::progress);
            assertEquals(size, message.length());
            assertEquals(UcpPair.TAG, message.senderTag());
            assertFalse(message.isHolding());
            assertThrows(IllegalStateException.class, () -> message.receive(to, 0, size));
            assertFalse(pair.receiver.tagTake(UcpPair.TAG + 1, UcpWorker.EXACT_TAG, message));
            assertTrue(pair.receiver.tagTake(UcpPair.TAG, UcpWorker.EXACT_TAG, message));
            assertTrue(message.isHolding());
            assertEquals(size, message.length());
            var other = UcpTagMessage.of(pair.receiver);
            assertFalse(pair.receiver.tagProbe(0, UcpWorker.ANY_TAG, other), "found by others after it was taken");
            assertThrows(IllegalStateException.class, () -> pair.receiver.tagTake(0, UcpWorker.ANY_TAG, message));
            long receive = message.receive(to, 8, size);
            assertNotEquals(0, receive);
            assertFalse(message.isHolding());
            assertThrows(IllegalStateException.class, () -> message.receive(to, 0, size));
            pair.await(pair.receiver, receive);
            pair.await(pair.sender, send);
            assertEquals(UcsStatus.OK, pair.receiver.requests().status(receive));
            assertEquals(size, pair.receiver.requests().length(receive));
            assertEquals(UcpPair.TAG, pair.receiver.requests().senderTag(receive));
            assertEquals(-1, to.asSlice(8, size).mismatch(from));
        }
    }

    @ParameterizedTest
    @MethodSource("transportsAndSizes")
    void shouldDropMessageThatIsClosed(String tls, long size) {
        try (var pair = new UcpPair(tls)) {
            MemorySegment from = pair.arena.allocate(size);
            long send = pair.endpoint.tagSendSync(from, 0, size, 5);
            try (var message = UcpTagMessage.of(pair.receiver)) {
                untilTaken(pair, message, 5);
            }
            pair.await(pair.sender, send);
            assertEquals(UcsStatus.OK, pair.sender.requests().status(send));
            assertEquals(0, pair.receiver.requests().outstanding());
        }
    }

    @ParameterizedTest
    @MethodSource("transportsAndSizes")
    void shouldTellThatTakenMessageWasTooLong(String tls, long size) {
        try (var pair = new UcpPair(tls);
                var message = UcpTagMessage.of(pair.receiver)) {
            long send = pair.endpoint.tagSend(pair.arena.allocate(size + 1), 5);
            untilTaken(pair, message, 5);
            long receive = message.receive(pair.arena.allocate(size), 0, size);
            pair.await(pair.receiver, receive);
            pair.await(pair.sender, send);
            assertEquals(UcsStatus.MESSAGE_TRUNCATED, pair.receiver.requests().status(receive));
        }
    }

    @ParameterizedTest
    @MethodSource("transportsAndSizes")
    void shouldDropWhatIsHeldWhenWorkerCloses(String tls, long size) {
        try (var pair = new UcpPair(tls)) {
            var worker = pair.context.createWorker(UcpPair.closingWithin(Duration.ofMillis(500)));
            var endpoint = pair.sender.createEndpoint(worker.address());
            var messages = new UcpTagMessage[20];
            var sends = new long[messages.length];
            for (int i = 0; i < messages.length; i++) {
                sends[i] = endpoint.tagSend(pair.arena.allocate(size), i);
                messages[i] = UcpTagMessage.of(worker);
                int tag = i;
                UcxTransports.until(() -> worker.tagTake(tag, UcpWorker.EXACT_TAG, messages[tag]), () -> {
                    pair.progress();
                    worker.progress();
                });
            }
            messages[7].close();
            worker.close();
            for (var message : messages) {
                assertFalse(message.isHolding());
                message.close();
                assertThrows(IllegalStateException.class, () -> message.receive(pair.arena.allocate(8), 0, 8));
            }
            assertThrows(IllegalStateException.class, () -> worker.tagProbe(0, UcpWorker.ANY_TAG, messages[0]));
            endpoint.closeForcibly();
        }
    }

    @ParameterizedTest
    @MethodSource("transportsAndSizes")
    void shouldEndSynchronousSendWhenItIsReceived(String tls, long size) {
        try (var pair = new UcpPair(tls);
                var message = UcpTagMessage.of(pair.receiver)) {
            MemorySegment from = pair.arena.allocate(size + 4);
            MemorySegment to = pair.arena.allocate(size);
            UcpPair.fill(from, 3);
            long send = pair.endpoint.tagSendSync(from, 4, size, 6);
            assertNotEquals(0, send);
            UcxTransports.until(() -> pair.receiver.tagProbe(6, UcpWorker.EXACT_TAG, message), pair::progress);
            for (int i = 0; i < 200; i++) {
                pair.progress();
            }
            assertFalse(pair.sender.requests().isDone(send), "done before it was received");
            long receive = pair.receiver.tagReceive(to, 6);
            pair.await(pair.sender, send);
            pair.await(pair.receiver, receive);
            assertEquals(UcsStatus.OK, pair.sender.requests().status(send));
            assertEquals(-1, to.mismatch(from.asSlice(4, size)));
        }
    }

    @Test
    void shouldReceiveTakenMessageWithFuture() {
        try (var pair = new UcpPair(UcxTransports.any());
                var message = UcpTagMessage.of(pair.receiver)) {
            long send = pair.endpoint.tagSend(pair.arena.allocateFrom("future"), 5);
            untilTaken(pair, message, 5);
            MemorySegment to = pair.arena.allocate(64);
            var received = message.receiveAsync(to);
            UcxTransports.until(received::isDone, pair::progress);
            pair.await(pair.sender, send);
            assertEquals(new UcpTagReceived(7, 5), received.join());
            assertEquals("future", to.getString(0));
            assertEquals(0, pair.receiver.requests().outstanding());
        }
    }

    @Test
    void shouldRefuseMisuse() throws Exception {
        try (var pair = new UcpPair(UcxTransports.any());
                var message = UcpTagMessage.of(pair.receiver)) {
            Arena closed = Arena.ofConfined();
            assertThrows(IllegalArgumentException.class, () -> pair.sender.tagProbe(0, UcpWorker.ANY_TAG, message));
            MemorySegment gone = closed.allocate(8);
            closed.close();
            long send = pair.endpoint.tagSend(pair.arena.allocate(8), 5);
            untilTaken(pair, message, 5);
            MemorySegment to = pair.arena.allocate(8);
            assertThrows(IndexOutOfBoundsException.class, () -> message.receive(to, 1, 8));
            assertThrows(IndexOutOfBoundsException.class, () -> message.receive(to, -1, 8));
            assertThrows(IllegalArgumentException.class, () -> message.receive(to.asReadOnly(), 0, 8));
            assertThrows(IllegalStateException.class, () -> message.receive(gone, 0, 8));
            assertThrows(
                    IllegalArgumentException.class, () -> message.receive(MemorySegment.ofArray(new byte[8]), 0, 8));
            Other.thread(() -> assertThrows(WrongThreadException.class, () -> message.receive(to, 0, 8)));
            Other.thread(() -> assertThrows(WrongThreadException.class, message::close));
            assertThrows(IllegalArgumentException.class, () -> message.receive(UcpBuffer.of(pair.sender, to)));
            assertTrue(message.isHolding(), "lost by a refused receive");
            long receive = message.receive(to, 0, 8);
            pair.await(pair.receiver, receive);
            pair.await(pair.sender, send);
            assertThrows(
                    IllegalArgumentException.class,
                    () -> pair.endpoint.tagSendSync(MemorySegment.ofArray(new byte[8]), 0, 8, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> pair.endpoint.tagSendSync(to, 4, 5, 1));
        }
        try (var context = UcpContext.create(config ->
                        config.set("TLS", UcxTransports.any()).features(java.util.EnumSet.of(UcpFeature.STREAM)));
                var worker = context.createWorker();
                var message = UcpTagMessage.of(worker)) {
            assertThrows(IllegalStateException.class, () -> worker.tagProbe(0, UcpWorker.ANY_TAG, message));
            assertThrows(IllegalStateException.class, () -> worker.tagTake(0, UcpWorker.ANY_TAG, message));
        }
    }
}
