// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("ucx")
class UcpStreamTest {

    static Stream<Arguments> transportsAndSizes() {
        return UcxTransports.all()
                .flatMap(tls -> LongStream.of(1, 8, 9000, 1 << 20).mapToObj(size -> Arguments.of(tls, size)));
    }

    @ParameterizedTest
    @MethodSource("transportsAndSizes")
    void shouldReceiveAllThatWasSentInParts(String tls, long size) {
        try (var pair = new StreamPair(tls)) {
            MemorySegment from = pair.arena.allocate(3 * size);
            MemorySegment to = pair.arena.allocate(3 * size + 8);
            UcpPair.fill(from, 1);
            long early = pair.back.receiveAll(to, 8, 2 * size);
            assertNotEquals(0, early);
            long[] sends = new long[3];
            for (int i = 0; i < 3; i++) {
                sends[i] = pair.there.send(from, i * size, size);
            }
            pair.await(pair.receiver, early);
            long late = pair.back.receiveAll(to, 8 + 2 * size, size);
            pair.await(pair.receiver, late);
            assertEquals(UcsStatus.OK, pair.receiver.requests().status(late));
            assertEquals(2 * size, pair.receiver.requests().length(early));
            assertEquals(size, pair.receiver.requests().length(late));
            assertEquals(0, pair.receiver.requests().senderTag(late));
            assertEquals(-1, to.asSlice(8).mismatch(from));
            assertEquals(0L, to.get(ValueLayout.JAVA_LONG, 0), "written before the offset");
            pair.release(early, late);
            pair.endAll(sends);
        }
    }

    @ParameterizedTest
    @MethodSource("transportsAndSizes")
    void shouldReceiveSomeWhenThereAreSome(String tls, long size) {
        try (var pair = new StreamPair(tls)) {
            MemorySegment from = pair.arena.allocate(size);
            MemorySegment to = pair.arena.allocate(size + 1);
            UcpPair.fill(from, 2);
            long send = pair.there.send(from, 0, size);
            long got = 0;
            while (got < size) {
                long receive = pair.back.receive(to, got, size + 1 - got);
                pair.await(pair.receiver, receive);
                long length = pair.receiver.requests().length(receive);
                assertTrue(length > 0, "of nothing");
                got += length;
                pair.release(receive);
            }
            assertEquals(size, got);
            assertEquals(-1, to.asSlice(0, size).mismatch(from));
            pair.endAll(send);
        }
    }

    @ParameterizedTest
    @MethodSource("transportsAndSizes")
    void shouldLendWhatHasCome(String tls, long size) {
        try (var pair = new StreamPair(tls);
                var data = UcpStreamData.of(pair.receiver)) {
            MemorySegment from = pair.arena.allocate(size);
            MemorySegment to = pair.arena.allocate(size);
            UcpPair.fill(from, 3);
            assertFalse(pair.back.receiveData(data));
            assertFalse(data.isHolding());
            long send = pair.there.send(from, 0, size);
            long got = 0;
            while (got < size) {
                UcxTransports.until(() -> pair.back.receiveData(data), pair::progress);
                assertTrue(data.isHolding());
                assertEquals(from.get(ValueLayout.JAVA_BYTE, got), data.getByte(0));
                assertEquals(-1, data.segment().mismatch(from.asSlice(got, data.length())));
                data.copyTo(to, got, 0, data.length());
                got += data.length();
                data.release();
            }
            assertEquals(size, got);
            assertEquals(-1, to.mismatch(from));
            pair.endAll(send);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#withPeerErrors")
    void shouldKeepOrderOfWhatIsSentBeforeTheConnectionIsMade(String tls) {
        try (var pair = connecting(tls)) {
            int count = 100;
            int large = 25_000; // waits in another place than a small one
            MemorySegment from = pair.arena.allocate(count + large);
            MemorySegment to = pair.arena.allocate(count + large);
            UcpPair.fill(from, 4);
            for (int round = 0; round < 30; round++) {
                UcpEndpoint there = pair.connect(config -> {});
                var sends = new ArrayList<Long>();
                boolean refused = false;
                for (int i = 0; i < count && !refused; i++) { // some before the address is resolved, some after it
                    try {
                        sends.add(there.stream().send(from, i, 1));
                    } catch (IllegalStateException e) {
                        assertTrue(e.getMessage().contains(" is still connecting, and UCX 1."), e::getMessage);
                        refused = true;
                    }
                    pair.client.progress();
                }
                UcpEndpoint back = pair.keep(pair.request().accept(pair.server, config -> {}));
                long receive = back.stream().receiveAll(to, 0, count + large);
                if (refused) {
                    UcxTransports.until(() -> pair.client.requests().isDone(sends.getLast()), pair::progress);
                }
                for (int i = sends.size(); i < count; i++) { // without a progress between
                    sends.add(there.stream().send(from, i, 1));
                }
                sends.add(there.stream().send(from, count, large));
                UcxTransports.until(() -> pair.server.requests().isDone(receive), pair::progress);
                assertEquals(-1, to.mismatch(from), "in round " + round);
                assertEquals(UcxVersion.loaded().minor() < 15, refused);
                pair.server.requests().release(receive);
                UcxTransports.until(() -> sends.stream().allMatch(pair.client.requests()::isDone), pair::progress);
                sends.forEach(pair.client.requests()::release);
                to.fill((byte) 0);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#withPeerErrors")
    void shouldTakeAllSendsOnceAFlushHasToldThatTheConnectionIsMade(String tls) {
        try (var pair = connecting(tls)) {
            int count = 100;
            MemorySegment from = pair.arena.allocate(count);
            MemorySegment to = pair.arena.allocate(count);
            UcpPair.fill(from, 5);
            UcpEndpoint there = pair.connect(config -> {});
            CompletableFuture<Void> connected = pair.client.requests().whenDone(there.flush());
            pair.client.progress();
            var sends = new ArrayList<Long>();
            sends.add(there.stream().send(from, 0, 1)); // a flush holds up none
            UcpConnectionRequest request = pair.request();
            assertFalse(connected.isDone());
            UcpEndpoint back = pair.keep(request.accept(pair.server, config -> {}));
            long receive = back.stream().receiveAll(to, 0, count);
            UcxTransports.until(connected::isDone, pair::progress);
            connected.join();
            for (int i = 1; i < count; i++) {
                sends.add(there.stream().send(from, i, 1));
                pair.client.progress();
            }
            UcxTransports.until(() -> pair.server.requests().isDone(receive), pair::progress);
            assertEquals(-1, to.mismatch(from));
            pair.server.requests().release(receive);
            UcxTransports.until(() -> sends.stream().allMatch(pair.client.requests()::isDone), pair::progress);
            sends.forEach(pair.client.requests()::release);
        }
    }

    private static SocketPair connecting(String tls) {
        return new SocketPair(
                tls, UcpPair.closingWithin(Duration.ofMillis(200)), EnumSet.of(UcpFeature.STREAM, UcpFeature.WAKEUP));
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldRefuseLentBytesAfterTheyWereGivenBack(String tls) {
        try (var pair = new StreamPair(tls);
                var data = UcpStreamData.of(pair.receiver)) {
            MemorySegment from = pair.arena.allocateFrom(ValueLayout.JAVA_LONG, 1, 2, 3);
            long send = pair.there.send(from, 0, 24);
            UcxTransports.until(() -> pair.back.receiveData(data), pair::progress);
            assertEquals(24, data.length());
            assertEquals(2, data.getLong(8));
            assertEquals(3, data.getInt(16));
            assertThrows(IndexOutOfBoundsException.class, () -> data.getLong(17));
            assertThrows(IndexOutOfBoundsException.class, () -> data.getByte(-1));
            assertThrows(IndexOutOfBoundsException.class, () -> data.copyTo(from, 1, 0, 24));
            assertThrows(IndexOutOfBoundsException.class, () -> data.copyTo(from, 0, 1, 24));
            assertThrows(IllegalStateException.class, () -> pair.back.receiveData(data), "it holds bytes");
            MemorySegment view = data.segment();
            assertThrows(IllegalArgumentException.class, () -> view.fill((byte) 0));
            data.release();
            data.release();
            assertThrows(IllegalStateException.class, () -> view.get(ValueLayout.JAVA_BYTE, 0));
            assertThrows(IllegalStateException.class, data::length);
            assertThrows(IllegalStateException.class, () -> data.getByte(0));
            assertThrows(IllegalStateException.class, data::segment);
            assertThrows(IllegalStateException.class, () -> data.copyTo(from, 0, 0, 0));
            pair.endAll(send);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldTakeLentBytesBackWhenEndpointCloses(String tls) {
        try (var pair = new StreamPair(tls)) {
            var held = new UcpStreamData[20];
            for (int i = 0; i < held.length; i++) {
                held[i] = UcpStreamData.of(pair.receiver);
                pair.endAll(pair.there.send(pair.arena.allocate(100), 0, 100));
                var data = held[i];
                UcxTransports.until(() -> pair.back.receiveData(data), pair::progress);
            }
            MemorySegment view = held[3].segment();
            held[5].release();
            // More is left in the stream than was lent.
            pair.endAll(pair.there.send(pair.arena.allocate(5000), 0, 5000));
            pair.closeBack();
            for (var data : held) {
                assertFalse(data.isHolding());
                data.release();
            }
            assertThrows(IllegalStateException.class, () -> view.get(ValueLayout.JAVA_BYTE, 0));
            assertThrows(IllegalStateException.class, () -> pair.back.receiveData(held[0]));
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldRefuseToGiveBackWhatIsBeingSent(String tls) {
        try (var pair = new StreamPair(tls);
                var data = UcpStreamData.of(pair.receiver)) {
            long first = pair.there.send(pair.arena.allocate(4000), 0, 4000);
            UcxTransports.until(() -> pair.back.receiveData(data), pair::progress);
            long length = data.length();
            long again = pair.back.endpoint().tagSendSync(data.segment(), 0, length, 1);
            assertNotEquals(0, again);
            assertThrows(IllegalStateException.class, data::release);
            assertTrue(data.isHolding());
            long receive = pair.sender.tagReceive(pair.arena.allocate(length), 1);
            pair.await(pair.receiver, again);
            pair.await(pair.sender, receive);
            data.release();
            pair.receiver.requests().release(again);
            pair.sender.requests().release(receive);
            pair.endAll(first);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldTellWhichStreamsAreReady(String tls) {
        try (var pair = new StreamPair(tls)) {
            var second = pair.context.createWorker();
            UcpEndpoint toReceiver = second.createEndpoint(pair.receiver.address());
            UcpEndpoint back = pair.receiver.createEndpoint(second.address());
            Runnable progress = () -> {
                pair.progress();
                second.progress();
            };
            var ready = UcpReadyStreams.of(pair.receiver, 1);
            assertEquals(0, ready.poll());
            MemorySegment to = pair.arena.allocate(8);
            for (int round = 0; round < 3; round++) {
                long a = pair.there.send(pair.arena.allocate(8), 0, 8);
                long b = toReceiver.stream().send(pair.arena.allocate(8), 0, 8);
                var seen = new java.util.HashSet<UcpStream>();
                UcxTransports.until(
                        () -> {
                            if (ready.poll() == 1) {
                                UcpStream stream = ready.stream(0);
                                assertTrue(seen.add(stream), "told of twice");
                                long receive = stream.receiveAll(to, 0, 8);
                                assertTrue(pair.receiver.requests().isDone(receive), "nothing was there");
                                pair.receiver.requests().release(receive);
                            }
                            return seen.size() == 2;
                        },
                        progress);
                assertTrue(seen.contains(pair.back) && seen.contains(back.stream()));
                assertEquals(0, ready.poll());
                assertEquals(0, ready.size());
                assertThrows(IndexOutOfBoundsException.class, () -> ready.stream(0));
                pair.endAll(a);
                UcxTransports.until(() -> second.requests().isDone(b), progress);
                second.requests().release(b);
            }
            // A stream whose endpoint is closed is not reported.
            long last = toReceiver.stream().send(pair.arena.allocate(8), 0, 8);
            UcxTransports.until(() -> second.requests().isDone(last), progress);
            long flush = toReceiver.flush();
            UcxTransports.until(() -> second.requests().isDone(flush), progress);
            long flushBack = back.flush();
            UcxTransports.until(() -> pair.receiver.requests().isDone(flushBack), progress);
            back.closeForcibly();
            assertEquals(0, ready.poll());
            pair.receiver.requests().release(flushBack);
            toReceiver.close();
            second.close();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldEndReceivesWhenEndpointCloses(String tls) {
        try (var pair = new StreamPair(tls)) {
            long some = pair.back.receive(pair.arena.allocate(8), 0, 8);
            long all = pair.back.receiveAll(pair.arena.allocate(8), 0, 8);
            var future = pair.back.receiveAsync(pair.arena.allocate(8));
            pair.closeBack();
            pair.await(pair.receiver, all);
            UcxTransports.until(future::isDone, pair::progress);
            assertEquals(UcsStatus.CANCELED, pair.receiver.requests().status(some));
            assertEquals(UcsStatus.CANCELED, pair.receiver.requests().status(all));
            assertEquals(0, pair.receiver.requests().length(some));
            assertTrue(future.isCompletedExceptionally());
            pair.release(some, all);
            assertEquals(0, pair.receiver.requests().outstanding());
        }
    }

    @Test
    void shouldCompleteFutures() {
        try (var pair = new StreamPair(UcxTransports.any())) {
            MemorySegment from = pair.arena.allocate(100_000);
            MemorySegment to = pair.arena.allocate(100_000);
            UcpPair.fill(from, 9);
            var all = pair.back.receiveAllAsync(to);
            var sent = pair.there.sendAsync(from);
            UcxTransports.until(() -> all.isDone() && sent.isDone(), pair::progress);
            assertEquals(100_000, all.join());
            assertEquals(-1, to.mismatch(from));
            var none = pair.back.receiveAsync(pair.arena.allocate(0));
            UcxTransports.until(none::isDone, pair::progress);
            assertEquals(0, none.join());
            assertEquals(0, pair.receiver.requests().outstanding());
        }
    }

    @Test
    void shouldSendNothingAsNothing() {
        try (var pair = new StreamPair(UcxTransports.any())) {
            MemorySegment buffer = pair.arena.allocate(8);
            assertEquals(0, pair.there.send(buffer, 8, 0));
            assertEquals(0, pair.there.send(UcpIov.allocate(pair.sender, 1)));
            long receive = pair.back.receiveAll(buffer, 0, 0);
            assertTrue(pair.receiver.requests().isDone(receive));
            assertEquals(0, pair.receiver.requests().length(receive));
            pair.release(receive);
            long some = pair.back.receive(buffer, 0, 8);
            pair.endAll(pair.there.send(buffer, 0, 1));
            pair.await(pair.receiver, some);
            assertEquals(1, pair.receiver.requests().length(some));
            pair.release(some);
        }
    }

    @Test
    void shouldRefuseMisuse() throws Exception {
        try (var pair = new StreamPair(UcxTransports.any());
                var data = UcpStreamData.of(pair.sender)) {
            MemorySegment buffer = pair.arena.allocate(8);
            MemorySegment heap = MemorySegment.ofArray(new byte[8]);
            assertSame(pair.there, pair.there.endpoint().stream());
            assertThrows(IllegalArgumentException.class, () -> pair.there.send(heap, 0, 8));
            assertThrows(IllegalArgumentException.class, () -> pair.there.receive(heap, 0, 8));
            assertThrows(IllegalArgumentException.class, () -> pair.there.receiveAll(buffer.asReadOnly(), 0, 8));
            assertThrows(IndexOutOfBoundsException.class, () -> pair.there.send(buffer, 1, 8));
            assertThrows(IndexOutOfBoundsException.class, () -> pair.there.receive(buffer, 0, 9));
            assertThrows(IndexOutOfBoundsException.class, () -> pair.there.receiveAll(buffer, -1, 4));
            assertThrows(IllegalArgumentException.class, () -> pair.there.send(UcpBuffer.of(pair.receiver, buffer)));
            assertThrows(IllegalArgumentException.class, () -> pair.there.receive(UcpBuffer.of(pair.receiver, buffer)));
            assertThrows(IllegalArgumentException.class, () -> pair.back.receiveData(data));
            assertThrows(IllegalArgumentException.class, () -> UcpReadyStreams.of(pair.sender, 0));
            var ready = UcpReadyStreams.of(pair.sender, 1);
            Other.thread(() -> assertThrows(WrongThreadException.class, () -> pair.there.send(buffer, 0, 8)));
            Other.thread(() -> assertThrows(WrongThreadException.class, () -> pair.there.receive(buffer, 0, 8)));
            Other.thread(() -> assertThrows(WrongThreadException.class, () -> pair.there.receiveData(data)));
            Other.thread(() -> assertThrows(WrongThreadException.class, ready::poll));
            Other.thread(() -> assertThrows(WrongThreadException.class, data::length));
            pair.closeBack();
            assertThrows(IllegalStateException.class, () -> pair.back.send(buffer, 0, 8));
            assertThrows(IllegalStateException.class, () -> pair.back.receive(buffer, 0, 8));
        }
        try (var pair = new UcpPair(UcxTransports.any())) {
            assertThrows(IllegalStateException.class, pair.endpoint::stream);
            assertThrows(IllegalStateException.class, () -> UcpReadyStreams.of(pair.sender, 1));
        }
    }
}
