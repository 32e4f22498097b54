// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.loop.EventLoop;
import dev.isthmus.testbed.ProcessFigures;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("ucx")
class UcpWorkerTest {

    /** More than the limit that its close is given, and what it does besides. */
    private static final long LATE_MILLIS = TestDeadlines.ofSeconds(10).toMillis();

    /** Asks for a handler that cannot be set, as if UCX had refused it. */
    private static void setImpossibleHandler(UcpWorkerConfig config) {
        config.handlers().put(UcpActiveMessages.MAX_ID + 1, message -> {});
    }

    @Test
    void shouldLeaveNothingOpenIfAHandlerCannotBeSet() {
        try (var context = UcpContext.create(config ->
                        config.set("TLS", UcxTransports.any()).features(EnumSet.of(UcpFeature.AM, UcpFeature.WAKEUP)));
                var loop = EventLoop.open()) {
            long before = SocketPair.openFiles();
            assertThrows(
                    IllegalArgumentException.class, () -> context.createWorker(UcpWorkerTest::setImpossibleHandler));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> context.createWorker(loop, UcpWorkerTest::setImpossibleHandler));
            assertEquals(before, SocketPair.openFiles());
        } // which would be refused while a worker is open
    }

    @Test
    void shouldLeaveNothingBehindIfTheContextIsClosed() throws IOException {
        var context = UcpContext.create(config -> config.set("TLS", UcxTransports.any()));
        context.close();
        ProcessFigures.assertStill(
                () -> {
                    for (int i = 0; i < 2000; i++) {
                        assertThrows(IllegalStateException.class, context::createWorker);
                    }
                },
                100_000);
    }

    @Test
    void shouldRefuseBufferOnHeap() {
        try (var pair = new UcpPair(UcxTransports.any())) {
            MemorySegment heap = MemorySegment.ofArray(new byte[8]);
            assertThrows(IllegalArgumentException.class, () -> pair.endpoint.tagSend(heap, 1));
            assertThrows(IllegalArgumentException.class, () -> pair.receiver.tagReceive(heap, 1));
            assertEquals(0, pair.receiver.requests().outstanding());
        }
    }

    @Test
    void shouldRefuseReadOnlyBufferForReceiveOnly() {
        try (var pair = new UcpPair(UcxTransports.any())) {
            MemorySegment buffer = pair.arena.allocate(8);
            MemorySegment readOnly = buffer.asReadOnly();
            assertThrows(IllegalArgumentException.class, () -> pair.receiver.tagReceive(readOnly, 1));
            pair.exchange(readOnly, buffer, 1);
        }
    }

    @Test
    void shouldRefuseRangeOutOfBounds() {
        try (var pair = new UcpPair(UcxTransports.any())) {
            MemorySegment buffer = pair.arena.allocate(8);
            long[][] ranges = {
                {0, 9}, {8, 1}, {9, 0}, {-1, 1}, {0, -1}, {1, Long.MAX_VALUE}, {Long.MAX_VALUE, 1}, {Long.MIN_VALUE, 0}
            };
            for (long[] range : ranges) {
                assertThrows(
                        IndexOutOfBoundsException.class, () -> pair.endpoint.tagSend(buffer, range[0], range[1], 1));
                assertThrows(
                        IndexOutOfBoundsException.class,
                        () -> pair.receiver.tagReceive(buffer, range[0], range[1], 1, UcpWorker.EXACT_TAG));
            }
        }
    }

    @Test
    void shouldRefuseBufferOfClosedArena() {
        try (var pair = new UcpPair(UcxTransports.any())) {
            MemorySegment buffer;
            try (Arena arena = Arena.ofShared()) {
                buffer = arena.allocate(8);
            }
            var e = assertThrows(IllegalStateException.class, () -> pair.endpoint.tagSend(buffer, 1));
            assertTrue(e.getMessage().contains("closed"), e.getMessage());
            assertThrows(IllegalStateException.class, () -> pair.receiver.tagReceive(buffer, 1));
        }
    }

    @Test
    void shouldRefuseBufferOfOtherThreadsArena() throws InterruptedException {
        BlockingQueue<MemorySegment> made = new ArrayBlockingQueue<>(1);
        BlockingQueue<Boolean> used = new ArrayBlockingQueue<>(1);
        Thread owner = new Thread(() -> {
            try (Arena arena = Arena.ofConfined()) {
                made.add(arena.allocate(8));
                used.poll(UcxTransports.DEADLINE_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        owner.start();
        try (var pair = new UcpPair(UcxTransports.any())) {
            MemorySegment buffer = made.take();
            assertThrows(WrongThreadException.class, () -> pair.endpoint.tagSend(buffer, 1));
            assertThrows(WrongThreadException.class, () -> pair.receiver.tagReceive(buffer, 1));
        } finally {
            used.add(true);
            owner.join();
        }
    }

    @Test
    void shouldRefuseUseAfterClose() {
        try (var context = UcpContext.create(config -> config.set("TLS", UcxTransports.any()));
                Arena arena = Arena.ofConfined()) {
            UcpWorker worker = context.createWorker();
            UcpAddress address = worker.address();
            long receive = worker.tagReceive(arena.allocate(8), 1);
            UcpRequests requests = worker.requests();
            worker.close();
            worker.close();
            assertThrows(IllegalStateException.class, worker::progress);
            assertThrows(IllegalStateException.class, worker::address);
            assertThrows(IllegalStateException.class, () -> worker.tagReceive(arena.allocate(8), 1));
            assertThrows(IllegalStateException.class, () -> worker.createEndpoint(address));
            assertThrows(IllegalStateException.class, () -> requests.isDone(receive));
            assertThrows(IllegalStateException.class, () -> requests.cancel(receive));
            var e = assertThrows(IllegalStateException.class, () -> requests.release(receive));
            assertTrue(e.getMessage().matches("UcpWorker\\(.*\\) is closed"), e.getMessage());
        }
    }

    @Test
    void shouldRefuseToCloseWhileEndpointsAreOpen() {
        try (var pair = new UcpPair(UcxTransports.any())) {
            var e = assertThrows(IllegalStateException.class, pair.sender::close);
            assertTrue(e.getMessage().contains("close first its 1 UcpEndpoint"), e.getMessage());
            pair.exchange(pair.arena.allocate(8), pair.arena.allocate(8), 1);
        }
    }

    @Test
    void shouldBelongToTheThreadThatItIsHandedTo() throws InterruptedException {
        try (var context = UcpContext.create(config -> config.set("TLS", UcxTransports.any()))) {
            UcpWorker worker = context.createWorker();
            BlockingQueue<Throwable> failure = new ArrayBlockingQueue<>(1);
            Thread other = new Thread(() -> {
                try (Arena arena = Arena.ofConfined();
                        worker;
                        var loop = worker.createEndpoint(worker.address())) {
                    long receive = worker.tagReceive(arena.allocate(8), 1);
                    assertTrue(worker.await(
                            loop.tagSend(arena.allocate(8), 1), Duration.ofSeconds(UcxTransports.DEADLINE_SECONDS)));
                    assertTrue(worker.await(receive, Duration.ofSeconds(UcxTransports.DEADLINE_SECONDS)));
                } catch (Throwable t) {
                    failure.add(t);
                }
            });
            worker.handOver(other);
            assertThrows(WrongThreadException.class, worker::progress);
            assertThrows(WrongThreadException.class, worker::close);
            other.start();
            other.join();
            assertEquals(null, failure.poll());
            assertThrows(IllegalStateException.class, worker::progress);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldCloseWithReceivesOutstanding(String tls) {
        // It would take the whole time if it waited for messages that nobody sends.
        var pair = new UcpPair(tls, UcpPair.closingWithin(Duration.ofSeconds(2 * UcxTransports.DEADLINE_SECONDS)));
        pair.exchange(pair.arena.allocate(8), pair.arena.allocate(8), 1);
        for (int i = 0; i < 100; i++) {
            assertTrue(pair.receiver.tagReceive(pair.arena.allocate(1000), i) > 0);
        }
        long begin = System.nanoTime();
        pair.close();
        long seconds = (System.nanoTime() - begin) / 1_000_000_000;
        assertTrue(seconds < UcxTransports.DEADLINE_SECONDS, "closing took " + seconds + " s");
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldCloseInTimeWithSendsThatNobodyReceives(String tls) {
        // Rendezvous, which waits for its receive. Each version of UCX has its own default for when to use it.
        var pair = new UcpPair(
                config -> config.set("TLS", tls).set("RNDV_THRESH", "64k"),
                UcpPair.closingWithin(Duration.ofMillis(50)));
        pair.connect();
        MemorySegment large = pair.arena.allocate(4 << 20);
        long send = pair.endpoint.tagSend(large, 1);
        for (int i = 0; i < 1000; i++) {
            pair.progress();
        }
        assertEquals(UcsStatus.IN_PROGRESS, pair.sender.requests().status(send));
        long begin = System.nanoTime();
        pair.closeAtOnce();
        long millis = (System.nanoTime() - begin) / 1_000_000;
        assertTrue(millis < LATE_MILLIS, "closing took " + millis + " ms");
    }

    @ParameterizedTest
    @Tag("host") // over RDMA the receiver reads the data without asking
    @MethodSource("dev.isthmus.ucx.UcxTransports#withPeerErrors")
    void shouldCloseWhileALargeMessageIsBeingReceived(String tls) {
        // The answer to the sender is in a list of the endpoint that UCX has made for it. It must be empty in the end.
        var pair = new UcpPair(
                config -> config.set("TLS", tls).set("RNDV_THRESH", "64k"),
                UcpPair.closingWithin(Duration.ofMillis(50)));
        var failing = pair.sender.createEndpoint(
                pair.receiver.address(), config -> config.errorHandling(UcpErrorHandling.PEER));
        pair.connect();
        pair.connect(failing);
        var message = UcpTagMessage.of(pair.receiver);
        assertTrue(failing.tagSend(pair.arena.allocate(4 << 20), 1) > 0);
        UcxTransports.until(() -> pair.receiver.tagProbe(1, UcpWorker.EXACT_TAG, message), pair::progress);
        long receive = pair.receiver.tagReceive(pair.arena.allocate(4 << 20), 1);
        for (int i = 0; i < 100; i++) {
            pair.receiver.progress(); // asks for the data, which the sender does not send
        }
        assertEquals(UcsStatus.IN_PROGRESS, pair.receiver.requests().status(receive));
        pair.receiver.close();
        failing.closeForcibly();
        pair.endpoint.closeForcibly();
        pair.sender.close();
        pair.context.close();
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldCloseInTimeWhenPeerNeverProgressed(String tls) {
        var pair = new UcpPair(tls, UcpPair.closingWithin(Duration.ofMillis(50)));
        for (int i = 0; i < 5000; i++) { // more than fits the way there
            assertTrue(pair.endpoint.tagSend(pair.arena.allocate(1000), 1) >= 0);
        }
        long begin = System.nanoTime();
        // A peer that goes before it was connected to over TCP ends the process, with UCX 1.13: docs/ucx-faults.md
        pair.endpoint.close();
        pair.sender.close();
        pair.closeAtOnce();
        long millis = (System.nanoTime() - begin) / 1_000_000;
        assertTrue(millis < LATE_MILLIS, "closing took " + millis + " ms");
    }

    @Test
    void shouldTellItsAttributes() {
        try (var context = UcpContext.create(
                        config -> config.set("TLS", UcxTransports.any()).features(EnumSet.of(UcpFeature.AM)));
                var worker = context.createWorker(config -> config.name("first").clientId(7));
                var single = context.createWorker(config -> config.threadMode(UcpThreadMode.SINGLE))) {
            UcpWorkerAttributes attributes = worker.attributes();
            assertEquals("first", attributes.name());
            assertEquals(UcpThreadMode.SERIALIZED, attributes.threadMode());
            assertTrue(attributes.maxInfoBytes() > 0);
            assertTrue(attributes.maxActiveMessageHeaderBytes() > 0);
            assertTrue(worker.info().contains("UCP worker"), worker.info());
            assertEquals(UcpThreadMode.SINGLE, single.attributes().threadMode());
            assertThrows(IllegalStateException.class, () -> single.handOver(new Thread(() -> {})));
        }
        var config = new UcpWorkerConfig();
        assertThrows(IllegalArgumentException.class, () -> config.threadMode(UcpThreadMode.MULTI));
    }

    /** UCX compares the thread with the first one that used the worker; from 1.17 on an assertion ends the process. */
    @Test
    void shouldKeepSingleThreadedWorkerToItsThread() throws Exception {
        List<UcpWorker> made = new CopyOnWriteArrayList<>();
        List<Throwable> refused = new CopyOnWriteArrayList<>();
        // Both stay until the process ends: nobody else can close them.
        var context = UcpContext.create(config -> config.set("TLS", "self"));
        Thread maker = Thread.ofPlatform().start(() -> {
            made.add(context.createWorker(config -> config.threadMode(UcpThreadMode.SINGLE)));
            made.getFirst().progress();
        });
        maker.join();
        UcpWorker worker = made.getFirst();
        var e = assertThrows(WrongThreadException.class, worker::progress);
        assertTrue(e.getMessage().contains("close it on its thread"), e.getMessage());
        assertThrows(WrongThreadException.class, worker::close);
        Thread virtual = Thread.ofVirtual()
                .start(() -> refused.add(assertThrows(
                        IllegalStateException.class, () -> new UcpWorkerConfig().threadMode(UcpThreadMode.SINGLE))));
        virtual.join();
        assertEquals(1, refused.size());
    }

    @Test
    void shouldTellWhoseAddressItIs() {
        try (var pair = new UcpPair(UcxTransports.any())) {
            long uid = pair.receiver.address().workerUid();
            assertEquals(uid, pair.receiver.networkAddress().workerUid());
            assertTrue(pair.receiver.networkAddress().toRawBytes().length
                    <= pair.receiver.address().toRawBytes().length);
            assertTrue(uid != pair.sender.address().workerUid());
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldFlushWhatAllItsEndpointsSent(String tls) {
        try (var pair = new UcpPair(tls);
                var second = pair.sender.createEndpoint(pair.receiver.address())) {
            long first = pair.endpoint.tagSend(pair.arena.allocate(100), 1);
            long other = second.tagSend(pair.arena.allocate(100), 2);
            long flush = pair.sender.flush();
            pair.await(pair.sender, flush);
            assertEquals(UcsStatus.OK, pair.sender.requests().status(flush));
            assertTrue(pair.sender.requests().isDone(first));
            assertTrue(pair.sender.requests().isDone(other));
            pair.await(pair.receiver, pair.receiver.tagReceive(pair.arena.allocate(100), 1));
            pair.await(pair.receiver, pair.receiver.tagReceive(pair.arena.allocate(100), 2));
            pair.await(pair.sender, second.flush());
        }
    }

    @Test
    void shouldFence() {
        try (var context = UcpContext.create(config -> config.features(EnumSet.of(UcpFeature.TAG, UcpFeature.RMA)));
                var worker = context.createWorker();
                var loop = worker.createEndpoint(worker.address());
                var arena = Arena.ofConfined()) {
            long receive = worker.tagReceive(arena.allocate(8), 1);
            long send = loop.tagSend(arena.allocate(8), 1);
            worker.fence(); // UCX may wait in there, for this worker itself
            assertTrue(worker.await(receive, Duration.ofSeconds(UcxTransports.DEADLINE_SECONDS)));
            assertTrue(worker.await(send, Duration.ofSeconds(UcxTransports.DEADLINE_SECONDS)));
            worker.callbacks().enter();
            assertThrows(IllegalStateException.class, worker::fence);
            worker.callbacks().leave();
        }
    }

    @Test
    void shouldDeferClosesInsideCallbackAndRefuseProgress() {
        try (var pair = new UcpPair(UcxTransports.any())) {
            pair.exchange(pair.arena.allocate(8), pair.arena.allocate(8), 1);
            pair.await(pair.sender, pair.endpoint.flush());
            WorkerCallbacks callbacks = pair.sender.callbacks();
            callbacks.enter();
            var e = assertThrows(IllegalStateException.class, pair.sender::progress);
            assertTrue(e.getMessage().startsWith("progress is not possible inside a callback of"), e.getMessage());
            assertThrows(IllegalStateException.class, () -> pair.sender.await(0, Duration.ZERO));
            assertThrows(IllegalStateException.class, pair.sender::close);
            pair.endpoint.close();
            assertThrows(IllegalStateException.class, () -> pair.endpoint.tagSend(pair.arena.allocate(8), 1));
            assertTrue(pair.endpoint.isOpen(), "C still has it");
            callbacks.leave();
            pair.sender.progress();
            assertTrue(!pair.endpoint.isOpen());
        }
    }
}
