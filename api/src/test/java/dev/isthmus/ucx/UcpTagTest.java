// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("ucx")
class UcpTagTest {

    private static final long[] SIZES = {0, 1, 8, 63, 1000, 8192, 65_537, 1 << 20, 16 << 20};

    static Stream<Arguments> transportsAndSizes() {
        return UcxTransports.all().flatMap(tls -> LongStream.of(SIZES).mapToObj(size -> Arguments.of(tls, size)));
    }

    @ParameterizedTest
    @MethodSource("transportsAndSizes")
    void shouldDeliverEveryByteToTheReceiveThatWaits(String tls, long size) {
        try (var pair = new UcpPair(tls)) {
            MemorySegment from = pair.arena.allocate(size + 16);
            MemorySegment to = pair.arena.allocate(size + 16);
            UcpPair.fill(from, 1);
            long receive = pair.receiver.tagReceive(to, 8, size, UcpPair.TAG, UcpWorker.EXACT_TAG);
            long send = pair.endpoint.tagSend(from, 4, size, UcpPair.TAG);
            pair.await(pair.receiver, receive);
            pair.await(pair.sender, send);
            assertEquals(UcsStatus.OK, pair.receiver.requests().status(receive));
            assertEquals(UcsStatus.OK, pair.sender.requests().status(send));
            assertEquals(size, pair.receiver.requests().length(receive));
            assertEquals(UcpPair.TAG, pair.receiver.requests().senderTag(receive));
            assertEquals(-1, to.asSlice(8, size).mismatch(from.asSlice(4, size)));
            assertEquals(0L, to.get(ValueLayout.JAVA_LONG_UNALIGNED, 0), "written before the offset");
            assertEquals(0L, to.get(ValueLayout.JAVA_LONG_UNALIGNED, 8 + size), "written behind the length");
            pair.receiver.requests().release(receive);
            pair.sender.requests().release(send);
        }
    }

    @ParameterizedTest
    @MethodSource("transportsAndSizes")
    void shouldDeliverMessageThatCameBeforeItsReceive(String tls, long size) {
        try (var pair = new UcpPair(tls)) {
            MemorySegment from = pair.arena.allocate(size);
            MemorySegment to = pair.arena.allocate(size);
            UcpPair.fill(from, 2);
            long send = pair.endpoint.tagSend(from, UcpPair.TAG);
            // If a later message over the same transport is there, so is the first one.
            pair.exchange(pair.arena.allocate(1), pair.arena.allocate(1), 99);
            long receive = pair.receiver.tagReceive(to, UcpPair.TAG);
            pair.await(pair.receiver, receive);
            pair.await(pair.sender, send);
            assertEquals(UcsStatus.OK, pair.receiver.requests().status(receive));
            assertEquals(size, pair.receiver.requests().length(receive));
            assertEquals(UcpPair.TAG, pair.receiver.requests().senderTag(receive));
            assertEquals(-1, to.mismatch(from));
            pair.receiver.requests().release(receive);
            pair.sender.requests().release(send);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldMatchOnlyTheBitsOfTheMask(String tls) {
        try (var pair = new UcpPair(tls)) {
            MemorySegment even = pair.arena.allocate(8);
            MemorySegment odd = pair.arena.allocate(8);
            long other = pair.receiver.tagReceive(even, 0, 8, 0xB0, 0xF0);
            long receive = pair.receiver.tagReceive(odd, 0, 8, 0xA0, 0xF0);
            MemorySegment message = pair.arena.allocateFrom(ValueLayout.JAVA_LONG, 42);
            long send = pair.endpoint.tagSend(message, 0x1A7);
            pair.await(pair.receiver, receive);
            pair.await(pair.sender, send);
            assertEquals(0x1A7, pair.receiver.requests().senderTag(receive));
            assertEquals(42, odd.get(ValueLayout.JAVA_LONG, 0));
            assertEquals(UcsStatus.IN_PROGRESS, pair.receiver.requests().status(other));
            pair.receiver.requests().release(receive);
            pair.sender.requests().release(send);
            long last = pair.endpoint.tagSend(message, 0xB1);
            pair.await(pair.receiver, other);
            pair.await(pair.sender, last);
            assertEquals(0xB1, pair.receiver.requests().senderTag(other));
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldReceiveAnyTag(String tls) {
        try (var pair = new UcpPair(tls)) {
            MemorySegment buffer = pair.arena.allocate(8);
            long receive = pair.receiver.tagReceive(buffer, 0, 8, 0, UcpWorker.ANY_TAG);
            pair.await(pair.sender, pair.endpoint.tagSend(pair.arena.allocate(3), -1L));
            pair.await(pair.receiver, receive);
            assertEquals(-1L, pair.receiver.requests().senderTag(receive));
            assertEquals(3, pair.receiver.requests().length(receive));
        }
    }

    @ParameterizedTest
    @MethodSource("transportsAndSizes")
    void shouldTellThatMessageWasTooLong(String tls, long size) {
        try (var pair = new UcpPair(tls)) {
            MemorySegment from = pair.arena.allocate(size + 100);
            MemorySegment to = pair.arena.allocate(size + 100);
            UcpPair.fill(from, 3);
            long receive = pair.receiver.tagReceive(to, 0, size, UcpPair.TAG, UcpWorker.EXACT_TAG);
            long send = pair.endpoint.tagSend(from, UcpPair.TAG);
            pair.await(pair.receiver, receive);
            pair.await(pair.sender, send);
            assertEquals(UcsStatus.MESSAGE_TRUNCATED, pair.receiver.requests().status(receive));
            assertEquals(0, pair.receiver.requests().length(receive));
            assertEquals(-1, to.asSlice(size).mismatch(pair.arena.allocate(100)), "written behind the length");
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldKeepOrderAmongManyOutstandingOperations(String tls) {
        int count = 3000;
        try (var pair = new UcpPair(tls, config -> config.reservedRequests(4))) {
            MemorySegment from = pair.arena.allocate(8L * count);
            MemorySegment to = pair.arena.allocate(8L * count);
            UcpPair.fill(from, 4);
            long[] receives = new long[count];
            long[] sends = new long[count];
            for (int i = 0; i < count; i++) {
                receives[i] = pair.receiver.tagReceive(to, 8L * i, 8, UcpPair.TAG, UcpWorker.EXACT_TAG);
            }
            assertEquals(count, pair.receiver.requests().outstanding());
            for (int i = 0; i < count; i++) {
                sends[i] = pair.endpoint.tagSend(from, 8L * i, 8, UcpPair.TAG);
            }
            for (int i = 0; i < count; i++) {
                pair.await(pair.sender, sends[i]);
                pair.await(pair.receiver, receives[i]);
                assertEquals(UcsStatus.OK, pair.receiver.requests().status(receives[i]));
                pair.sender.requests().release(sends[i]);
                pair.receiver.requests().release(receives[i]);
            }
            assertEquals(-1, to.mismatch(from));
            assertEquals(0, pair.receiver.requests().outstanding());
            assertEquals(0, pair.sender.requests().outstanding());
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldSendToItself(String tls) {
        try (var pair = new UcpPair(tls);
                var loop = pair.sender.createEndpoint(pair.sender.address())) {
            MemorySegment to = pair.arena.allocate(64);
            long receive = pair.sender.tagReceive(to, 5);
            long send = loop.tagSend(pair.arena.allocateFrom("to myself"), 5);
            pair.await(pair.sender, receive);
            pair.await(pair.sender, send);
            assertEquals("to myself", to.getString(0));
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldFlushWhatWasSent(String tls) {
        try (var pair = new UcpPair(tls)) {
            MemorySegment from = pair.arena.allocate(4096);
            MemorySegment to = pair.arena.allocate(4096);
            UcpPair.fill(from, 5);
            long receive = pair.receiver.tagReceive(to, UcpPair.TAG);
            long send = pair.endpoint.tagSend(from, UcpPair.TAG);
            long flush = pair.endpoint.flush();
            pair.await(pair.sender, flush);
            assertEquals(UcsStatus.OK, pair.sender.requests().status(flush));
            assertTrue(pair.sender.requests().isDone(send), "flushed, but the send before it is not done");
            pair.await(pair.receiver, receive);
            assertEquals(-1, to.mismatch(from));
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldAwaitNoLongerThanAsked(String tls) {
        try (var pair = new UcpPair(tls)) {
            long receive = pair.receiver.tagReceive(pair.arena.allocate(8), UcpPair.TAG);
            assertNotEquals(0, receive);
            assertEquals(false, pair.receiver.await(receive, Duration.ofMillis(20)));
            pair.await(pair.sender, pair.endpoint.tagSend(pair.arena.allocate(8), UcpPair.TAG));
            UcxTransports.until(() -> pair.receiver.await(receive, Duration.ofMillis(5)), pair.sender::progress);
        }
    }
}
