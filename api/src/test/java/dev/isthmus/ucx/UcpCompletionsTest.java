// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.GuardedArena;
import dev.isthmus.loop.EventLoop;
import dev.isthmus.testbed.TestDeadlines;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Operations that carry user data, which a poll reports. */
@Tag("ucx")
class UcpCompletionsTest {

    private static final long EXACT = UcpWorker.EXACT_TAG;

    private final UcpCompletions done = UcpCompletions.allocate(16);

    static Stream<Arguments> transportsAndSizes() {
        return UcxTransports.all()
                .flatMap(tls -> LongStream.of(0, 8, 3000, 1_000_000).mapToObj(size -> Arguments.of(tls, size)));
    }

    private int poll(UcpWorker worker, Runnable progress) {
        int[] n = new int[1];
        UcxTransports.until(() -> (n[0] = worker.poll(done)) > 0, progress);
        return n[0];
    }

    private void assertNothing(UcpWorker worker) {
        assertEquals(0, worker.poll(done));
        assertEquals(0, done.size());
        assertEquals(0, worker.requests().outstanding());
    }

    /** Checks how one operation of a worker ends, given what its call returned. */
    private void assertEnds(UcpWorker worker, long began, long userData, long length, Runnable progress) {
        assertTrue(began <= 0, () -> Long.toHexString(began));
        if (began == 0) {
            return; // done at once, and so not reported
        }
        assertEquals(1, poll(worker, progress));
        assertEquals(UcsStatus.OK, done.status(0));
        assertTrue(done.isSuccess(0));
        assertEquals(userData, done.userData(0));
        assertEquals(length, done.length(0));
    }

    @ParameterizedTest
    @MethodSource("transportsAndSizes")
    void shouldTellOfMessages(String tls, long size) {
        try (var pair = new UcpPair(tls)) {
            MemorySegment from = pair.arena.allocate(Math.max(1, size));
            MemorySegment to = pair.arena.allocate(Math.max(1, size));
            UcpPair.fill(from, 3);
            UcpBuffer out = UcpBuffer.of(pair.sender, from).range(0, size);
            UcpBuffer in = UcpBuffer.of(pair.receiver, to).range(0, size);
            for (int round = 0; round < 3; round++) {
                to.fill((byte) 0);
                boolean expected = round < 2; // else the message is there before its receive
                long receive = expected ? pair.receiver.tagReceive(in.userData(-7), 5, EXACT) : 0;
                long send = round == 1
                        ? pair.endpoint.tagSendSync(out.userData(round), 5)
                        : pair.endpoint.tagSend(out.userData(round), 5);
                if (!expected) {
                    pair.progress();
                    receive = pair.receiver.tagReceive(in.userData(-7), 5, EXACT);
                }
                assertTrue(receive < 0);
                assertEquals(1, poll(pair.receiver, pair::progress));
                assertEquals(UcsStatus.OK, done.status(0));
                assertEquals(-7, done.userData(0));
                assertEquals(size, done.length(0));
                assertEquals(5, done.senderTag(0));
                assertEquals(-1, size == 0 ? -1 : to.mismatch(from));
                assertEnds(pair.sender, send, round, 0, pair::progress);
                assertNothing(pair.sender);
                assertNothing(pair.receiver);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("transportsAndSizes")
    void shouldTellOfStreams(String tls, long size) {
        try (var pair = new StreamPair(tls)) {
            MemorySegment from = pair.arena.allocate(Math.max(1, size));
            MemorySegment to = pair.arena.allocate(Math.max(1, size));
            UcpPair.fill(from, 4);
            UcpBuffer out = UcpBuffer.of(pair.sender, from).range(0, size);
            UcpBuffer in = UcpBuffer.of(pair.receiver, to).range(0, size);
            long receive = pair.back.receiveAll(in.userData(1));
            assertTrue(receive < 0);
            long send = pair.there.send(out.userData(2));
            assertEnds(pair.receiver, receive, 1, size, pair::progress);
            assertEnds(pair.sender, send, 2, 0, pair::progress);
            send = pair.there.send(out.userData(3));
            if (size == 8) { // all of it is there before the receive, which is reported all the same
                for (int i = 0; i < 100; i++) {
                    pair.progress();
                }
            }
            receive = pair.back.receiveAll(in.userData(4));
            assertTrue(receive < 0);
            assertEnds(pair.receiver, receive, 4, size, pair::progress);
            assertEnds(pair.sender, send, 3, 0, pair::progress);
            assertEquals(-1, size == 0 ? -1 : to.mismatch(from));
            assertNothing(pair.sender);
            assertNothing(pair.receiver);
        }
    }

    @ParameterizedTest
    @MethodSource("transportsAndSizes")
    void shouldTellOfTransfers(String tls, long size) {
        try (var pair = new RemotePair(tls, Math.max(1, size))) {
            MemorySegment local = pair.arena.allocate(Math.max(1, size));
            UcpPair.fill(local, 5);
            UcpBuffer buffer = UcpBuffer.of(pair.pair.sender, local).range(0, size);
            UcpWorker worker = pair.pair.sender;
            long put = pair.remote.put(buffer.userData(11), 0);
            assertEnds(worker, put, 11, 0, pair.pair::progress);
            pair.flush();
            assertEquals(-1, size == 0 ? -1 : pair.segment().asSlice(0, size).mismatch(local));
            local.fill((byte) 0);
            long get = pair.remote.get(buffer.userData(12), 0);
            assertEnds(worker, get, 12, 0, pair.pair::progress);
            assertEquals(-1, size == 0 ? -1 : pair.segment().asSlice(0, size).mismatch(local));
            assertNothing(worker);
            assertThrows(IndexOutOfBoundsException.class, () -> pair.remote.get(buffer, 2));
        }
    }

    @ParameterizedTest
    @MethodSource("transportsAndSizes")
    void shouldTellOfActiveMessages(String tls, long size) {
        try (var pair = new UcpPair(
                config -> config.set("TLS", tls).features(EnumSet.of(UcpFeature.AM)),
                UcpPair.closingWithin(Duration.ofSeconds(5)))) {
            MemorySegment from = pair.arena.allocate(Math.max(1, size));
            UcpBuffer out = UcpBuffer.of(pair.sender, from).range(0, size);
            var lengths = new ArrayList<Long>();
            pair.receiver.activeMessages().setHandler(1, message -> lengths.add(message.length()));
            long send = pair.endpoint.amSend(1, MemorySegment.NULL, out.userData(8), 0);
            UcxTransports.until(() -> !lengths.isEmpty(), pair::progress);
            assertEquals(List.of(size), lengths);
            assertEnds(pair.sender, send, 8, 0, pair::progress);
            assertNothing(pair.sender);
        }
    }

    @ParameterizedTest
    @MethodSource("transportsAndSizes")
    void shouldReportTheDataOfActiveMessages(String tls, long size) {
        try (var pair = new UcpPair(
                config -> config.set("TLS", tls).features(EnumSet.of(UcpFeature.AM)),
                UcpPair.closingWithin(Duration.ofSeconds(5)))) {
            MemorySegment from = pair.arena.allocate(Math.max(1, size)).asSlice(0, size);
            MemorySegment to = pair.arena.allocate(size + 8);
            UcpPair.fill(from, 6);
            var began = new ArrayList<Long>();
            var kept = new UcpKeptMessage();
            pair.receiver.activeMessages().setPersistentHandler(1, message -> began.add(message.receive(to, 8, 21)));
            pair.receiver.activeMessages().setPersistentHandler(2, message -> message.keep(kept));
            for (int id = 1; id <= 2; id++) {
                to.fill((byte) 0);
                long send = pair.endpoint.amSend(id, MemorySegment.NULL, from, UcpActiveMessages.RENDEZVOUS);
                UcxTransports.until(() -> !began.isEmpty() || kept.isHolding(), pair::progress);
                long receive = kept.isHolding() ? kept.receive(to, 8, 21) : began.removeFirst();
                assertFalse(kept.isHolding());
                assertTrue(size < 1_000_000 || receive < 0, "a rendezvous has to be fetched");
                assertEnds(pair.receiver, receive, 21, 0, pair::progress);
                pair.await(pair.sender, send);
                assertEquals(-1, to.asSlice(8).mismatch(from));
                assertNothing(pair.receiver);
            }
        }
    }

    @Test
    void shouldAnswerWithUserData() {
        try (var pair = new UcpPair(
                config -> config.set("TLS", "posix,self").features(EnumSet.of(UcpFeature.AM)), config -> {})) {
            MemorySegment large = pair.arena.allocate(1_000_000);
            UcpPair.fill(large, 7);
            UcpBuffer out = UcpBuffer.of(pair.receiver, large);
            var began = new ArrayList<Long>();
            var got = new ArrayList<Long>();
            pair.receiver
                    .activeMessages()
                    .setHandler(
                            1,
                            message -> began.add(message.reply(
                                    2, MemorySegment.NULL, out.userData(31), UcpActiveMessages.RENDEZVOUS)));
            pair.sender.activeMessages().setHandler(2, message -> got.add(message.length()));
            MemorySegment question = pair.arena.allocate(8);
            pair.await(pair.sender, pair.endpoint.amSend(1, MemorySegment.NULL, question, UcpActiveMessages.REPLY));
            UcxTransports.until(() -> !got.isEmpty(), pair::progress);
            assertEquals(List.of(1_000_000L), got);
            assertTrue(began.getFirst() < 0);
            assertEnds(pair.receiver, began.getFirst(), 31, 0, pair::progress);
            assertNothing(pair.receiver);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldReportFlushes(String tls) {
        try (var pair = new RemotePair(tls, 1_000_000)) {
            UcpWorker worker = pair.pair.sender;
            MemorySegment from = pair.filled(1_000_000, 3);
            UcpBuffer buffer = UcpBuffer.of(worker, from);
            long put = pair.remote.put(buffer, 0);
            assertEnds(worker, pair.pair.endpoint.flush(5), 5, 0, pair.pair::progress);
            assertEquals(-1, pair.segment().mismatch(from));
            pair.end(put);
            put = pair.remote.put(buffer, 0);
            assertEnds(worker, worker.flush(6), 6, 0, pair.pair::progress);
            pair.end(put);
            assertNothing(worker);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldReportAtomics(String tls) {
        try (var pair = new RemotePair(tls, 16)) {
            UcpWorker worker = pair.pair.sender;
            UcpRemoteAtomics atomics = pair.remote.atomics();
            assertAtomic(pair, atomics.apply64(UcpAtomic.ADD, 8, 40, 1), 1, 0);
            assertAtomic(pair, atomics.fetch64(UcpAtomic.ADD, 8, 2, 2), 2, 40);
            assertAtomic(pair, atomics.compareAndSwap64(8, 42, -1, 3), 3, 42);
            assertAtomic(pair, atomics.fetch64(UcpAtomic.SWAP, 8, 0, 4), 4, -1);
            assertAtomic(pair, atomics.apply32(UcpAtomic.ADD, 4, -5, 5), 5, 0);
            assertAtomic(pair, atomics.fetch32(UcpAtomic.SWAP, 4, 7, 6), 6, -5);
            assertAtomic(pair, atomics.compareAndSwap32(4, 7, 9, 7), 7, 7);
            assertEquals(9, pair.segment().get(ValueLayout.JAVA_INT, 4));
            assertEquals(0, pair.segment().get(ValueLayout.JAVA_LONG, 8));
            assertThrows(IllegalArgumentException.class, () -> atomics.apply64(UcpAtomic.SWAP, 8, 1, 1));
            assertThrows(IllegalArgumentException.class, () -> atomics.fetch32(UcpAtomic.ADD, 2, 1, 1));
            assertNothing(worker);
        }
    }

    private void assertAtomic(RemotePair pair, long began, long userData, long fetched) {
        assertTrue(began < 0, "an atomic operation is never done at once");
        assertEnds(pair.pair.sender, began, userData, 0, pair.pair::progress);
        assertEquals(fetched, done.fetched(0));
    }

    /**
     * No more than there is room for, in the order in which they ended; a list can be in several operations at once.
     */
    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldTellAsManyAsThereIsRoomFor(String tls) {
        try (var pair = new UcpPair(tls)) {
            MemorySegment memory = pair.arena.allocate(64);
            UcpIov in = UcpIov.allocate(pair.receiver, 2).add(memory, 0, 4).add(memory, 8, 4);
            for (int i = 0; i < 10; i++) {
                pair.receiver.tagReceive(in.userData(i), i, EXACT);
            }
            assertEquals(10, pair.receiver.requests().outstanding());
            for (int i = 9; i >= 0; i--) {
                pair.await(pair.sender, pair.endpoint.tagSend(memory, 32, 8, i));
            }
            var four = UcpCompletions.allocate(4);
            var order = new ArrayList<Long>();
            UcxTransports.until(
                    () -> {
                        int n = pair.receiver.poll(four);
                        assertTrue(n <= 4);
                        for (int i = 0; i < n; i++) {
                            order.add(four.userData(i));
                            assertEquals(order.getLast(), four.senderTag(i));
                        }
                        return order.size() == 10;
                    },
                    pair::progress);
            assertEquals(List.of(9L, 8L, 7L, 6L, 5L, 4L, 3L, 2L, 1L, 0L), order);
            assertNothing(pair.receiver);
        }
    }

    @Test
    void shouldCancelByTheNumberThatTheCallReturned() {
        try (var pair = new UcpPair("posix,self")) {
            UcpBuffer in = UcpBuffer.of(pair.receiver, pair.arena.allocate(8));
            long receive = pair.receiver.tagReceive(in.userData(77), 1, EXACT);
            UcpRequests requests = pair.receiver.requests();
            for (Runnable misuse : List.<Runnable>of(
                    () -> requests.isDone(receive),
                    () -> requests.release(receive),
                    () -> assertFalse(requests.whenDone(receive).isDone()),
                    () -> requests.length(receive),
                    () -> requests.isDone(receive & Long.MAX_VALUE),
                    () -> requests.release(receive & Long.MAX_VALUE),
                    () -> requests.cancel(receive & Long.MAX_VALUE),
                    () -> requests.cancel(receive + 1),
                    () -> requests.cancel(UcpRequests.NOT_BEGUN),
                    () -> pair.sender.requests().cancel(receive))) {
                assertThrows(IllegalArgumentException.class, misuse::run);
            }
            requests.cancel(receive);
            assertEquals(1, poll(pair.receiver, pair::progress));
            assertEquals(UcsStatus.CANCELED, done.status(0));
            assertFalse(done.isSuccess(0));
            assertEquals(77, done.userData(0));
            assertEquals(0, done.length(0));
            assertThrows(IllegalArgumentException.class, () -> requests.cancel(receive));
            assertThrows(IndexOutOfBoundsException.class, () -> done.userData(1));
            assertThrows(IllegalArgumentException.class, () -> UcpCompletions.allocate(0));
        }
    }

    @Test
    void shouldLetTheArenaBeClosedOnceAnOperationHasEnded() {
        Arena arena = GuardedArena.ofConfined();
        try (var pair = new UcpPair("posix,self")) {
            UcpBuffer in = UcpBuffer.of(pair.receiver, arena.allocate(8));
            pair.receiver.tagReceive(in.userData(1), 1, EXACT);
            assertThrows(IllegalStateException.class, arena::close);
            pair.await(pair.sender, pair.endpoint.tagSend(pair.arena.allocate(8), 1));
            UcxTransports.until(pair.receiver::hasUndelivered, pair::progress);
            arena.close(); // it has ended, though nobody has polled
            assertEquals(1, pair.receiver.poll(done));
            assertEquals(UcsStatus.OK, done.status(0));
            assertEquals(8, done.length(0));
        }
    }

    @Test
    @Tag("host") // over TCP, which the devices of the testbed are not
    void shouldNotSleepWhileThereIsSomethingToPoll() {
        try (var pair = new UcpPair(
                config -> config.set("TLS", "tcp,self").features(EnumSet.of(UcpFeature.TAG, UcpFeature.WAKEUP)),
                config -> {})) {
            UcpBuffer in = UcpBuffer.of(pair.receiver, pair.arena.allocate(8));
            pair.receiver.tagReceive(in.userData(1), 1, EXACT);
            pair.await(pair.sender, pair.endpoint.tagSend(pair.arena.allocate(8), 1));
            UcxTransports.until(pair.receiver::hasUndelivered, pair::progress);
            assertFalse(pair.receiver.wakeup().arm());
            assertEquals(1, pair.receiver.poll(done));
            UcxTransports.until(pair.receiver.wakeup()::arm, pair::progress);
        }
    }

    /** What has not been polled is lost with the worker; what was polled stays. */
    @Test
    void shouldCloseWithOperationsThatNobodyPolled() {
        var pair = new UcpPair("posix,self");
        try (pair) {
            UcpBuffer in = UcpBuffer.of(pair.receiver, pair.arena.allocate(8));
            for (int i = 0; i < 3; i++) {
                pair.receiver.tagReceive(in.userData(i), i, EXACT);
            }
            pair.await(pair.sender, pair.endpoint.tagSend(pair.arena.allocate(8), 0));
            pair.await(pair.sender, pair.endpoint.tagSend(pair.arena.allocate(8), 1));
            var one = UcpCompletions.allocate(1);
            UcxTransports.until(() -> pair.receiver.poll(one) == 1, pair::progress);
            pair.receiver.close();
            assertEquals(0, one.userData(0));
            assertThrows(IllegalStateException.class, () -> pair.receiver.poll(one));
        }
    }

    @Test
    void shouldTellOnTheThreadOfALoop() throws InterruptedException {
        BlockingQueue<Long> told = new LinkedBlockingQueue<>();
        try (var context = UcpContext.create(config ->
                        config.set("TLS", "posix,self").features(EnumSet.of(UcpFeature.TAG, UcpFeature.WAKEUP)));
                var arena = Arena.ofShared();
                var loop = EventLoop.start();
                var worker = context.createWorker(
                        loop,
                        config -> config.completions(2, completions -> {
                            for (int i = 0; i < completions.size(); i++) {
                                told.add(completions.userData(i));
                            }
                        }))) {
            MemorySegment memory = arena.allocate(64);
            UcpEndpoint self = loop.submit(() -> {
                        UcpBuffer in = UcpBuffer.of(worker, memory).range(0, 8);
                        for (int i = 0; i < 5; i++) {
                            assertTrue(worker.tagReceive(in.userData(i), 1, EXACT) < 0);
                        }
                        UcpEndpoint endpoint = worker.createEndpoint(worker.address());
                        for (int i = 0; i < 5; i++) {
                            assertEquals(0, endpoint.tagSend(memory, 32, 8, 1));
                        }
                        return endpoint;
                    })
                    .join();
            for (long i = 0; i < 5; i++) {
                assertEquals(i, told.poll(TestDeadlines.seconds(20), TimeUnit.SECONDS));
            }
            loop.call(() -> {
                self.closeForcibly();
                return null;
            });
        }
    }

    @Test
    void shouldRefuseUserDataWhereALoopDeliversNoCompletions() {
        try (var context = UcpContext.create(config ->
                        config.set("TLS", "posix,self").features(EnumSet.of(UcpFeature.TAG, UcpFeature.WAKEUP)));
                var arena = Arena.ofShared();
                var loop = EventLoop.start();
                var worker = context.createWorker(loop, config -> {})) {
            MemorySegment memory = arena.allocate(8);
            for (Function<UcpWorker, Executable> misuse : List.<Function<UcpWorker, Executable>>of(
                    on -> () -> UcpBuffer.of(on, memory).userData(1), on -> () -> on.flush(1))) {
                String refusal = loop.submit(() -> assertThrows(IllegalStateException.class, misuse.apply(worker))
                                .getMessage())
                        .join();
                assertTrue(refusal.contains("UcpWorkerConfig.completions()"), refusal);
            }
        }
    }
}
