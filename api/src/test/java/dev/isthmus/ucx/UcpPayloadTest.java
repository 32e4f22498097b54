// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.RdmaUnavailableException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Sends and receives of lists of buffers, and of buffers with options. */
@Tag("ucx")
class UcpPayloadTest {

    private static final int PARTS = 40;

    static Stream<Arguments> transportsAndSizes() {
        return UcxTransports.all()
                .flatMap(tls -> LongStream.of(1, 50, 3000, 100_000).mapToObj(size -> Arguments.of(tls, size)));
    }

    /** Parts of a segment in backward order, with gaps between them, of different lengths. */
    private static UcpIov scatter(UcpWorker worker, MemorySegment memory, long size) {
        UcpIov iov = UcpIov.allocate(worker, PARTS);
        for (int i = PARTS - 1; i >= 0; i--) {
            iov.add(memory, i * (size + 16), i % 3 == 0 ? size : size / 2);
        }
        return iov;
    }

    private static MemorySegment gather(Arena arena, MemorySegment memory, long size, long total) {
        MemorySegment all = arena.allocate(total);
        long at = 0;
        for (int i = PARTS - 1; i >= 0; i--) {
            long length = i % 3 == 0 ? size : size / 2;
            MemorySegment.copy(memory, i * (size + 16), all, at, length);
            at += length;
        }
        assertEquals(total, at);
        return all;
    }

    @ParameterizedTest
    @MethodSource("transportsAndSizes")
    void shouldSendAndReceiveLists(String tls, long size) {
        try (var pair = new UcpPair(tls)) {
            MemorySegment from = pair.arena.allocate(PARTS * (size + 16));
            MemorySegment to = pair.arena.allocate(PARTS * (size + 16));
            UcpPair.fill(from, 1);
            UcpIov out = scatter(pair.sender, from, size);
            UcpIov in = scatter(pair.receiver, to, size);
            long total = out.byteSize();
            MemorySegment expected = gather(pair.arena, from, size, total);
            for (int round = 0; round < 3; round++) {
                to.fill((byte) 0);
                long receive = pair.receiver.tagReceive(in, 1, UcpWorker.EXACT_TAG);
                long send = round == 1 ? pair.endpoint.tagSendSync(out, 1) : pair.endpoint.tagSend(out, 1);
                pair.await(pair.receiver, receive);
                pair.await(pair.sender, send);
                assertEquals(UcsStatus.OK, pair.receiver.requests().status(receive));
                assertEquals(total, pair.receiver.requests().length(receive));
                assertEquals(-1, gather(pair.arena, to, size, total).mismatch(expected));
                assertEquals(0L, to.get(ValueLayout.JAVA_LONG_UNALIGNED, size), "written between the parts");
                pair.receiver.requests().release(receive);
                pair.sender.requests().release(send);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("transportsAndSizes")
    void shouldTakeListsAndBuffersForEachOther(String tls, long size) {
        try (var pair = new UcpPair(tls);
                var message = UcpTagMessage.of(pair.receiver)) {
            MemorySegment from = pair.arena.allocate(PARTS * (size + 16));
            UcpPair.fill(from, 2);
            UcpIov out = scatter(pair.sender, from, size);
            long total = out.byteSize();
            MemorySegment to = pair.arena.allocate(total);
            long send = pair.endpoint.tagSend(out, 1);
            UcxTransports.until(() -> pair.receiver.tagTake(1, UcpWorker.EXACT_TAG, message), pair::progress);
            assertEquals(total, message.length());
            long receive = message.receive(UcpBuffer.of(pair.receiver, to));
            pair.await(pair.receiver, receive);
            pair.await(pair.sender, send);
            assertEquals(-1, to.mismatch(gather(pair.arena, from, size, total)));
            // And back to a list, of less room than the message has.
            UcpIov in = UcpIov.allocate(pair.receiver, 2).add(to, 0, total / 2).add(to, total / 2, total / 2);
            long tooLong = pair.receiver.tagReceive(in, 2, UcpWorker.EXACT_TAG);
            long last = pair.endpoint.tagSend(from, 0, total + 2, 2);
            pair.await(pair.receiver, tooLong);
            pair.await(pair.sender, last);
            assertEquals(UcsStatus.MESSAGE_TRUNCATED, pair.receiver.requests().status(tooLong));
        }
    }

    @ParameterizedTest
    @MethodSource("transportsAndSizes")
    void shouldStreamLists(String tls, long size) {
        try (var pair = new StreamPair(tls)) {
            MemorySegment from = pair.arena.allocate(PARTS * (size + 16));
            MemorySegment to = pair.arena.allocate(PARTS * (size + 16));
            UcpPair.fill(from, 3);
            UcpIov out = scatter(pair.sender, from, size).options(UcpOperationOption.NEVER_AT_ONCE);
            UcpIov in = scatter(pair.receiver, to, size).options(UcpOperationOption.NEVER_AT_ONCE);
            long total = out.byteSize();
            long early = pair.back.receiveAll(in);
            pair.endAll(pair.there.send(out));
            pair.await(pair.receiver, early);
            assertEquals(total, pair.receiver.requests().length(early));
            MemorySegment expected = gather(pair.arena, from, size, total);
            assertEquals(-1, gather(pair.arena, to, size, total).mismatch(expected));
            pair.release(early);
            to.fill((byte) 0);
            pair.endAll(pair.there.send(out));
            long late = pair.back.receiveAll(in);
            pair.await(pair.receiver, late);
            assertEquals(total, pair.receiver.requests().length(late));
            assertEquals(-1, gather(pair.arena, to, size, total).mismatch(expected));
            pair.release(late);
            pair.endAll(pair.there.send(out));
            MemorySegment plain = pair.arena.allocate(total);
            long got = 0;
            while (got < total) {
                long some = pair.back.receive(UcpBuffer.of(pair.receiver, plain).range(got, total - got));
                pair.await(pair.receiver, some);
                got += pair.receiver.requests().length(some);
                pair.release(some);
            }
            assertEquals(-1, plain.mismatch(expected));
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldObeyOptions(String tls) {
        try (var pair = new UcpPair(tls)) {
            MemorySegment memory = pair.arena.allocate(1 << 20);
            pair.exchange(memory.asSlice(0, 8), memory.asSlice(8, 8), 1); // connects
            UcpBuffer small = UcpBuffer.of(pair.sender, memory).range(0, 8).memoryType(UcpMemoryType.HOST);
            for (var option : UcpOperationOption.values()) {
                long receive = pair.receiver.tagReceive(memory.asSlice(100, 8), 2);
                long send = pair.endpoint.tagSend(small.options(option), 2);
                if (option == UcpOperationOption.NEVER_AT_ONCE) {
                    assertNotEquals(0, send);
                }
                if (send == UcpRequests.NOT_BEGUN) {
                    assertEquals(UcpOperationOption.ONLY_AT_ONCE, option);
                    send = pair.endpoint.tagSend(small.options(), 2);
                }
                pair.await(pair.receiver, receive);
                pair.await(pair.sender, send);
                pair.receiver.requests().release(receive);
                pair.sender.requests().release(send);
            }
            UcpBuffer large = UcpBuffer.of(pair.sender, memory)
                    .options(UcpOperationOption.ONLY_AT_ONCE, UcpOperationOption.MULTI_SEND);
            assertEquals(UcpRequests.NOT_BEGUN, pair.endpoint.tagSend(large, 3));
            assertEquals(0, pair.sender.requests().outstanding());
            assertThrows(IllegalArgumentException.class, () -> pair.endpoint.tagSendSync(large, 3));
            UcpBuffer target = UcpBuffer.of(pair.receiver, memory).options(UcpOperationOption.ONLY_AT_ONCE);
            assertThrows(IllegalArgumentException.class, () -> pair.receiver.tagReceive(target, 3, 0));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> large.options(UcpOperationOption.ONLY_AT_ONCE, UcpOperationOption.NEVER_AT_ONCE));
            assertThrows(IllegalArgumentException.class, () -> large.memoryType(UcpMemoryType.CUDA));
            assertThrows(
                    IllegalArgumentException.class, () -> pair.sender.requests().isDone(UcpRequests.NOT_BEGUN));
        }
    }

    @Test
    void shouldNotReceiveStreamThatHasNothingAtOnce() {
        try (var pair = new StreamPair(UcxTransports.any())) {
            UcpBuffer target =
                    UcpBuffer.of(pair.receiver, pair.arena.allocate(8)).options(UcpOperationOption.ONLY_AT_ONCE);
            assertEquals(UcpRequests.NOT_BEGUN, pair.back.receiveAll(target));
            pair.endAll(pair.there.send(pair.arena.allocate(8), 0, 8));
            long[] receive = {UcpRequests.NOT_BEGUN};
            UcxTransports.until(
                    () -> (receive[0] = pair.back.receiveAll(target)) != UcpRequests.NOT_BEGUN, pair::progress);
            assertTrue(pair.receiver.requests().isDone(receive[0]));
            assertEquals(8, pair.receiver.requests().length(receive[0]));
            pair.release(receive);
        }
    }

    @Test
    void shouldRefuseChangeOfListThatIsInUse() {
        try (var pair = new UcpPair(UcxTransports.any())) {
            MemorySegment memory = pair.arena.allocate(100);
            UcpIov list = UcpIov.allocate(pair.receiver, 3).add(memory, 0, 10).add(memory, 20, 10);
            long receive = pair.receiver.tagReceive(list, 1, UcpWorker.EXACT_TAG);
            assertThrows(IllegalStateException.class, list::clear);
            assertThrows(IllegalStateException.class, () -> list.add(memory, 0, 1));
            assertThrows(IllegalStateException.class, () -> list.set(0, memory, 0, 1));
            long send = pair.endpoint.tagSend(memory, 0, 20, 1);
            pair.await(pair.receiver, receive);
            pair.await(pair.sender, send);
            list.set(1, memory, 30, 5).set(0, memory, 0, 1).add(memory, 0, 7);
            assertEquals(13, list.byteSize());
            assertEquals(3, list.size());
            assertEquals(0, list.clear().byteSize());
        }
    }

    @Test
    void shouldCountBytesAsUcxDoesOrSayWhichVersionCan() {
        try (var pair = new UcpPair(UcxTransports.any())) {
            MemorySegment memory = pair.arena.allocate(100);
            var buffer = UcpBuffer.of(pair.sender, memory).range(3, 70);
            var list = UcpIov.allocate(pair.sender, 3).add(memory, 0, 10).add(memory, 20, 11);
            var packed = UcpPackedData.packing(pair.sender, 12, (offset, target) -> {});
            if (UcxVersion.loaded().minor() < 14) {
                var e = assertThrows(RdmaUnavailableException.class, buffer::packedByteSize);
                assertTrue(e.getMessage().contains("1.14"), e.getMessage());
            } else {
                assertEquals(70, buffer.packedByteSize());
                assertEquals(21, list.packedByteSize());
                assertEquals(12, packed.packedByteSize());
            }
        }
    }

    @Test
    void shouldRefuseMisuse() throws Exception {
        try (var pair = new UcpPair(UcxTransports.any())) {
            MemorySegment memory = pair.arena.allocate(100);
            UcpIov list = UcpIov.allocate(pair.sender, 2);
            assertThrows(IllegalArgumentException.class, () -> UcpIov.allocate(pair.sender, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> list.set(0, memory, 0, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> list.add(memory, 1, 100));
            assertThrows(IndexOutOfBoundsException.class, () -> list.add(memory, -1, 1));
            assertThrows(IllegalArgumentException.class, () -> list.add(MemorySegment.ofArray(new byte[4]), 0, 4));
            assertEquals(0, list.add(memory, 5, 0).size());
            list.add(memory, 0, 1).add(memory, 1, 1);
            assertThrows(IndexOutOfBoundsException.class, () -> list.add(memory, 2, 1));
            assertThrows(IllegalArgumentException.class, () -> list.set(0, memory, 0, 0));
            assertThrows(IllegalArgumentException.class, () -> pair.receiver.tagReceive(list, 1, 0));
            UcpBuffer buffer = UcpBuffer.of(pair.sender, memory);
            assertThrows(IndexOutOfBoundsException.class, () -> buffer.range(90, 11));
            Other.thread(() -> assertThrows(WrongThreadException.class, () -> buffer.range(0, 1)));
            Other.thread(() -> assertThrows(WrongThreadException.class, list::clear));
            Other.thread(() -> assertThrows(WrongThreadException.class, () -> pair.endpoint.tagSend(list, 1)));
            Arena closed = Arena.ofConfined();
            UcpIov gone = UcpIov.allocate(pair.sender, 1).add(closed.allocate(8), 0, 8);
            UcpBuffer goneToo = UcpBuffer.of(pair.sender, closed.allocate(8));
            closed.close();
            assertThrows(IllegalStateException.class, () -> pair.endpoint.tagSend(gone, 1));
            assertThrows(IllegalStateException.class, () -> pair.endpoint.tagSend(goneToo, 1));
            UcpBuffer readOnly = UcpBuffer.of(pair.sender, memory.asReadOnly());
            assertThrows(IllegalArgumentException.class, () -> pair.sender.tagReceive(readOnly, 1, 0));
            assertEquals(0, pair.sender.requests().outstanding());
        }
    }
}
