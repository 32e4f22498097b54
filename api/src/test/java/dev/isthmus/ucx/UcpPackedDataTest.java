// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.GuardedArena;
import dev.isthmus.UcxException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Data that the program packs and unpacks. */
@Tag("ucx")
@Tag("host")
class UcpPackedDataTest {

    static Stream<Arguments> transportsAndSizes() {
        return UcxTransports.all()
                .flatMap(tls -> LongStream.of(0, 8, 9000, 1 << 20).mapToObj(size -> Arguments.of(tls, size)));
    }

    private static byte at(long offset) {
        return (byte) (offset * 31 + (offset >> 9));
    }

    private static void compute(long offset, MemorySegment target) {
        for (long i = 0; i < target.byteSize(); i++) {
            target.set(ValueLayout.JAVA_BYTE, i, at(offset + i));
        }
    }

    /** Counts how many bytes were right. */
    private static final class Check implements UcpUnpacker {
        long right;

        @Override
        public void unpack(long offset, MemorySegment source) {
            for (long i = 0; i < source.byteSize(); i++) {
                right += source.get(ValueLayout.JAVA_BYTE, i) == at(offset + i) ? 1 : 0;
            }
        }
    }

    @ParameterizedTest
    @MethodSource("transportsAndSizes")
    void shouldPackAndUnpackMessages(String tls, long size) {
        try (var pair = new UcpPair(tls);
                var message = UcpTagMessage.of(pair.receiver)) {
            var check = new Check();
            var out = UcpPackedData.packing(pair.sender, size, UcpPackedDataTest::compute);
            var in = UcpPackedData.unpacking(pair.receiver, size, check);
            long early = pair.receiver.tagReceive(in, 1, UcpWorker.EXACT_TAG);
            long first = pair.endpoint.tagSend(out, 1);
            pair.await(pair.receiver, early);
            pair.await(pair.sender, first);
            assertEquals(UcsStatus.OK, pair.receiver.requests().status(early));
            assertEquals(size, pair.receiver.requests().length(early));
            assertEquals(size, check.right);
            long second = pair.endpoint.tagSendSync(out, 2);
            UcxTransports.until(() -> pair.receiver.tagTake(2, UcpWorker.EXACT_TAG, message), pair::progress);
            long late = message.receive(in);
            pair.await(pair.receiver, late);
            pair.await(pair.sender, second);
            assertEquals(2 * size, check.right);
            MemorySegment plain = pair.arena.allocate(size);
            long third = pair.receiver.tagReceive(plain, 3);
            long last = pair.endpoint.tagSend(out, 3);
            pair.await(pair.receiver, third);
            pair.await(pair.sender, last);
            check.unpack(0, plain);
            assertEquals(3 * size, check.right);
            var tooShort = UcpPackedData.unpacking(pair.receiver, size, check);
            long truncated = pair.receiver.tagReceive(tooShort, 4, UcpWorker.EXACT_TAG);
            long longer = pair.endpoint.tagSend(pair.arena.allocate(size + 1), 4);
            pair.await(pair.receiver, truncated);
            pair.await(pair.sender, longer);
            assertEquals(UcsStatus.MESSAGE_TRUNCATED, pair.receiver.requests().status(truncated));
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldPackAndUnpackStreams(String tls) {
        try (var pair = new StreamPair(tls)) {
            var check = new Check();
            var out = UcpPackedData.packing(pair.sender, 20_000, UcpPackedDataTest::compute);
            var in = UcpPackedData.unpacking(pair.receiver, 20_000, check);
            long receive = pair.back.receiveAll(in);
            long send = pair.there.send(out);
            pair.await(pair.receiver, receive);
            assertEquals(20_000, pair.receiver.requests().length(receive));
            assertEquals(20_000, check.right);
            pair.endAll(send);
            pair.release(receive);
        }
    }

    /** Over TCP, a message that began inside another one ended the JVM: tcp_ep.c:93. */
    @ParameterizedTest
    @MethodSource("transportsAndSizes")
    void shouldRefuseToUseTheWorkerInsideAPacker(String tls, long size) {
        try (var pair = new UcpPair(tls)) {
            MemorySegment plain = pair.arena.allocate(size);
            List<Executable> calls = List.of(
                    () -> pair.endpoint.tagSend(plain, 2),
                    () -> pair.endpoint.tagSendAsync(plain, 2),
                    () -> pair.endpoint.flush(),
                    () -> pair.sender.tagReceive(plain, 2),
                    () -> pair.sender.progress(),
                    () -> pair.sender.requests().outstanding(),
                    () -> pair.endpoint.close(),
                    () -> pair.sender.close());
            int[] packed = {0};
            var out = UcpPackedData.packing(pair.sender, size, (offset, target) -> {
                packed[0]++;
                calls.forEach(call -> {
                    var refused = assertThrows(IllegalStateException.class, call);
                    assertTrue(refused.getMessage().contains(WorkerCallbacks.PACKING), refused::getMessage);
                });
                compute(offset, target);
            });
            for (int round = 0; round < 2; round++) {
                long receive = pair.receiver.tagReceive(plain, 1);
                long send = pair.endpoint.tagSend(out, 1);
                pair.await(pair.receiver, receive);
                pair.await(pair.sender, send);
                var check = new Check();
                check.unpack(0, plain);
                assertEquals(size, check.right);
            }
            assertEquals(size > 0, packed[0] > 0);
        }
    }

    @ParameterizedTest
    @MethodSource("transportsAndSizes")
    void shouldSurviveWhatCallbacksThrow(String tls, long size) {
        try (var pair = new UcpPair(tls)) {
            var reason = new UnsupportedOperationException("of the program");
            var out = UcpPackedData.packing(pair.sender, size, (offset, target) -> {
                throw reason;
            });
            var in = UcpPackedData.unpacking(pair.receiver, size, (offset, source) -> {
                throw reason;
            });
            MemorySegment plain = pair.arena.allocate(size);
            List<Throwable> thrown = new ArrayList<>();
            Runnable progress = () -> {
                try {
                    pair.progress();
                } catch (UnsupportedOperationException e) {
                    thrown.add(e);
                }
            };
            long receive = pair.receiver.tagReceive(in, 1, UcpWorker.EXACT_TAG);
            long first = pair.endpoint.tagSend(plain, 1);
            UcxTransports.until(
                    () -> pair.receiver.requests().isDone(receive)
                            && pair.sender.requests().isDone(first),
                    progress);
            assertEquals(
                    size == 0 ? UcsStatus.OK : UcsStatus.IO_ERROR,
                    pair.receiver.requests().status(receive));
            plain.fill((byte) 1);
            long second = pair.receiver.tagReceive(plain, 2);
            long[] send = {0};
            boolean refused = false;
            try {
                send[0] = pair.endpoint.tagSend(out, 2);
            } catch (UcxException e) {
                refused = true;
                assertEquals(UcsStatus.IO_ERROR, UcsStatus.of(e.status()));
            }
            UcxTransports.until(
                    () -> pair.receiver.requests().isDone(second)
                            && pair.sender.requests().isDone(send[0]),
                    progress);
            UcsStatus status = pair.sender.requests().status(send[0]);
            assertTrue(size == 0 || refused || status == UcsStatus.IO_ERROR, status.toString());
            assertEquals(-1, plain.mismatch(pair.arena.allocate(size)), "not zero");
            progress.run();
            assertEquals(size == 0, thrown.isEmpty());
            assertTrue(thrown.stream().allMatch(reason::equals));
        }
    }

    @Test
    void shouldRefuseWhatCallbacksMayNot() {
        try (var pair = new UcpPair(UcxTransports.any())) {
            List<Throwable> refused = new ArrayList<>();
            List<MemorySegment> kept = new ArrayList<>();
            MemorySegment other = pair.arena.allocate(8);
            var out = UcpPackedData.packing(pair.sender, 8, (offset, target) -> {
                kept.add(target);
                refused.add(assertThrows(IllegalStateException.class, pair.sender::progress));
                refused.add(assertThrows(IllegalStateException.class, pair.sender::close));
                target.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, 77);
            });
            long receive = pair.receiver.tagReceive(other, 8);
            long send = pair.endpoint.tagSend(out, 8);
            pair.await(pair.receiver, receive);
            pair.await(pair.sender, send);
            assertEquals(77, other.get(ValueLayout.JAVA_LONG, 0));
            assertEquals(2 * kept.size(), refused.size());
            assertThrows(IllegalStateException.class, () -> kept.getFirst().get(ValueLayout.JAVA_BYTE, 0));
            var in = UcpPackedData.unpacking(pair.sender, 8, (offset, source) -> {});
            assertThrows(IllegalArgumentException.class, () -> pair.endpoint.tagSend(in, 1));
            assertThrows(IllegalArgumentException.class, () -> pair.sender.tagReceive(out, 1, 0));
            assertThrows(IllegalArgumentException.class, () -> pair.receiver.tagReceive(out, 1, 0));
            assertThrows(IllegalArgumentException.class, () -> UcpPackedData.packing(pair.sender, -1, (o, t) -> {}));
            assertInstanceOf(UcpPayload.class, in.options(UcpOperationOption.FAST_COMPLETION));
            assertNotNull(in.toString());
        }
    }

    /** Only the operation whose callback has thrown reports that. */
    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldTellTheOperationWhoseBytesWereWrong(String tls) {
        try (var pair = new UcpPair(tls);
                var arena = GuardedArena.ofConfined()) {
            var in = UcpPackedData.unpacking(pair.receiver, 8, (offset, source) -> {
                if (source.get(ValueLayout.JAVA_BYTE, 0) != 1) {
                    throw new IllegalArgumentException("wrong bytes");
                }
            });
            long wrong = pair.receiver.tagReceive(in, 1, UcpWorker.EXACT_TAG);
            long intact = pair.receiver.tagReceive(in, 2, UcpWorker.EXACT_TAG);
            MemorySegment bytes = arena.allocate(16);
            bytes.set(ValueLayout.JAVA_BYTE, 8, (byte) 1);
            long first = pair.endpoint.tagSend(bytes, 0, 8, 1);
            long second = pair.endpoint.tagSend(bytes, 8, 8, 2);
            // Asks about the later one first.
            UcxTransports.until(() -> pair.receiver.requests().isDone(intact), () -> {
                pair.sender.progress();
                try {
                    pair.receiver.progress();
                } catch (IllegalArgumentException e) {
                    assertEquals("wrong bytes", e.getMessage());
                }
            });
            assertEquals(UcsStatus.OK, pair.receiver.requests().status(intact));
            pair.await(pair.receiver, wrong);
            assertEquals(UcsStatus.IO_ERROR, pair.receiver.requests().status(wrong));
            pair.await(pair.sender, first);
            pair.await(pair.sender, second);
        }
    }
}
