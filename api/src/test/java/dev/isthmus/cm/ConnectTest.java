// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.CmException;
import dev.isthmus.testbed.RefusedByDevice;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.AsyncEventType;
import dev.isthmus.verbs.ConnectionEstablishment;
import dev.isthmus.verbs.Descriptors;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairState;
import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
@Tag("iwarp")
class ConnectTest {

    private static MemoryRegion region(Rendezvous meeting, ConnectionId id) {
        return meeting.closed(
                meeting.domain(id.device()).register(Arena.ofAuto().allocate(4096), AccessFlag.LOCAL_WRITE));
    }

    /** Sends a text from one to the other, by sends and receives of their queue pairs. */
    private static String sent(Rendezvous meeting, ConnectionId from, ConnectionId to, String text) {
        MemoryRegion source = region(meeting, from);
        MemoryRegion target = region(meeting, to);
        source.segment().setString(0, text);
        assertTrue(to.queuePair().tryPost(ReceiveRequest.prepare(target).range(0, 4096)));
        assertTrue(from.queuePair()
                .tryPost(SendRequest.prepare(source).range(0, 100).signaled(true)));
        meeting.awaitSuccess(from);
        meeting.awaitSuccess(to);
        return target.segment().getString(0);
    }

    @Test
    void shouldConnectAndCarryMessagesBothWays() {
        try (var meeting = new Rendezvous()) {
            Rendezvous.Pair pair = meeting.connect();
            assertEquals(QueuePairType.RC, pair.active().queuePair().type());
            assertEquals(QueuePairState.RTS, pair.active().queuePair().state());
            Rendezvous.assertState(QueuePairState.RTS, pair.passive().queuePair());
            assertEquals("there", sent(meeting, pair.active(), pair.passive(), "there"));
            assertEquals("and back", sent(meeting, pair.passive(), pair.active(), "and back"));
            assertEquals(pair.active().localAddress(), pair.passive().peerAddress());
            assertEquals(pair.active().peerAddress(), pair.passive().localAddress());
        }
    }

    @Test
    void shouldCarryPrivateDataAndDepthsBothWays() {
        try (var meeting = new Rendezvous()) {
            ConnectionId listener = meeting.listener(PortSpace.TCP);
            ConnectionId active = meeting.resolved(listener);
            QueuePair qp = meeting.queuePair(active);
            active.connect(config -> config.privateData(PrivateData.of("knock"))
                    .responderResources(4)
                    .initiatorDepth(2)
                    .retryCount(5)
                    .rnrRetryCount(4));
            var request = meeting.expect(listener, CmEvent.ConnectRequest.class);
            assertSame(listener, request.listener());
            assertSame(listener, request.id().listener());
            ConnectionParameters asked = request.parameters();
            assertEquals("knock", asked.privateData().text());
            // What the peer serves at once is what this side may have outstanding, and vice versa.
            assertEquals(4, asked.initiatorDepth());
            assertEquals(2, asked.responderResources());
            assertEquals(Rendezvous.isIwarp() ? 0 : qp.qpNum(), asked.qpNum()); // iWARP does not tell
            meeting.queuePair(request.id());
            request.id().accept(config -> config.privateData(PrivateData.of("come in")));
            ConnectionParameters granted =
                    meeting.expect(active, CmEvent.Established.class).parameters();
            assertEquals("come in", granted.privateData().text());
            meeting.expect(request.id(), CmEvent.Established.class);
            if (Rendezvous.isIwarp()) { // SoftiWARP mixes the two up (Linux 6.1), and TCP knows no such count
                assertEquals(
                        Set.of(2, 4),
                        Set.of(qp.query().maxRdAtomic(), qp.query().maxDestRdAtomic()));
                assertEquals(0, qp.query().retryCount());
            } else {
                assertEquals(2, qp.query().maxRdAtomic());
                assertEquals(4, qp.query().maxDestRdAtomic());
                assertEquals(5, qp.query().retryCount());
                // Each side says how many times the other one sends again when it has no receive posted.
                assertEquals(7, qp.query().rnrRetry());
                assertEquals(4, request.id().queuePair().query().rnrRetry());
                assertEquals(0, qp.query().minRnrTimer()); // 655 ms
            }
        }
    }

    @Test
    void shouldRefuseMorePrivateDataThanFits() {
        try (var meeting = new Rendezvous()) {
            ConnectionId listener = meeting.listener(PortSpace.TCP);
            ConnectionId active = meeting.resolved(listener);
            meeting.queuePair(active);
            int request = 56;
            int answer = 148;
            if (Rendezvous.isIwarp()) { // 512, but SoftiWARP counts them in a byte, and 4 of its own (Linux 6.1)
                request = 251;
                answer = 251;
                ConnectionId other = meeting.resolved(listener);
                meeting.queuePair(other);
                other.connect(config -> config.privateData(PrivateData.of(new byte[252])));
                assertEquals(
                        RejectReason.CONNECTION_RESET,
                        meeting.expect(other, CmEvent.Rejected.class).reason());
            } else {
                PrivateData most = PrivateData.of(new byte[PrivateData.MAX_BYTES]);
                var e = assertThrows(CmException.class, () -> active.connect(config -> config.privateData(most)));
                assertTrue(e.getMessage().contains("at most 56 bytes"), e.getMessage());
            }
            PrivateData asked = PrivateData.of(new byte[request]);
            active.connect(config -> config.privateData(asked));
            var asking = meeting.expect(listener, CmEvent.ConnectRequest.class);
            assertEquals(request, asking.parameters().privateData().length());
            meeting.queuePair(asking.id());
            asking.id().reject(PrivateData.of(new byte[answer]));
            assertEquals(
                    answer,
                    meeting.expect(active, CmEvent.Rejected.class).privateData().length());
        }
    }

    @Test
    void shouldRejectWithReasonAndPrivateData() {
        try (var meeting = new Rendezvous()) {
            ConnectionId listener = meeting.listener(PortSpace.TCP);
            ConnectionId active = meeting.resolved(listener);
            QueuePair qp = meeting.queuePair(active);
            active.connect(config -> {});
            meeting.expect(listener, CmEvent.ConnectRequest.class).id().reject(PrivateData.of("full"));
            CmEvent.Rejected rejected = meeting.expect(active, CmEvent.Rejected.class);
            assertEquals("full", rejected.privateData().text());
            assertEquals(
                    Rendezvous.isIwarp() ? RejectReason.CONNECTION_RESET : RejectReason.CONSUMER_DEFINED,
                    rejected.reason());
            assertEquals(QueuePairState.ERR, qp.state());
            Rendezvous.assertState(QueuePairState.ERR, qp);
        }
    }

    @Test
    void shouldRejectBecauseOfVendorOptions() {
        try (var meeting = new Rendezvous()) {
            ConnectionId listener = meeting.listener(PortSpace.TCP);
            ConnectionId active = meeting.resolved(listener);
            active.localEce(new ConnectionEstablishment(0x1234, 5));
            int qpNum = meeting.ownQueuePair(active).qpNum();
            active.connect(config -> config.queuePair(qpNum, false));
            ConnectionId passive =
                    meeting.expect(listener, CmEvent.ConnectRequest.class).id();
            boolean iwarp = Rendezvous.isIwarp(); // the messages of iWARP carry no such options
            assertEquals(new ConnectionEstablishment(iwarp ? 0 : 0x1234, iwarp ? 0 : 5), passive.remoteEce());
            passive.rejectEce(PrivateData.NONE);
            assertEquals(
                    iwarp ? RejectReason.CONNECTION_RESET : RejectReason.VENDOR_OPTION_NOT_SUPPORTED,
                    meeting.expect(active, CmEvent.Rejected.class).reason());
            assertThrows(IllegalArgumentException.class, () -> active.localEce(new ConnectionEstablishment(0, 5)));
        }
    }

    @Test
    void shouldRejectARequestThatIsClosed() {
        try (var meeting = new Rendezvous()) {
            ConnectionId listener = meeting.listener(PortSpace.TCP);
            ConnectionId active = meeting.resolved(listener);
            meeting.queuePair(active);
            active.connect(config -> {});
            meeting.expect(listener, CmEvent.ConnectRequest.class).id().close();
            meeting.expect(active, CmEvent.Rejected.class);
        }
    }

    @Test
    void shouldSayThatNobodyListens() {
        try (var meeting = new Rendezvous()) {
            ConnectionId id = meeting.resolved(PortSpace.TCP, new InetSocketAddress(Rendezvous.far(), 9));
            meeting.queuePair(id);
            if (Rendezvous.isIwarp()) { // which connects by TCP before it says anything
                var refused = assertThrows(CmException.class, () -> id.connect(config -> {}));
                assertEquals(CmException.Failure.REJECTED, refused.failure());
                assertEquals("ECONNREFUSED", refused.errnoName());
                return;
            }
            id.connect(config -> {});
            CmEvent.Rejected rejected = meeting.expect(id, CmEvent.Rejected.class);
            assertEquals(RejectReason.NOBODY_LISTENS, rejected.reason());
        }
    }

    @Test
    void shouldEstablishOnDataThatComesBeforeThePeersLastMessage() {
        try (var meeting = new Rendezvous()) {
            ConnectionId listener = meeting.listener(PortSpace.TCP);
            ConnectionId active = meeting.resolved(listener);
            int qpNum = meeting.ownQueuePair(active).qpNum();
            active.connect(config -> config.queuePair(qpNum, false)); // so its last message is not sent
            ConnectionId passive =
                    meeting.expect(listener, CmEvent.ConnectRequest.class).id();
            meeting.queuePair(passive);
            passive.accept(config -> {});
            if (Rendezvous.isIwarp()) { // which has no last message: who accepts is connected
                meeting.expect(active, CmEvent.Established.class);
                meeting.expect(passive, CmEvent.Established.class);
                passive.notifyOf(AsyncEventType.COMM_EST); // does nothing
                return;
            }
            meeting.expect(active, CmEvent.ConnectResponse.class);
            passive.notifyOf(AsyncEventType.COMM_EST);
            meeting.expect(passive, CmEvent.Established.class);
        }
    }

    @Test
    void shouldTellBothSidesOfTheEnd() throws InterruptedException {
        try (var meeting = new Rendezvous()) {
            Rendezvous.Pair pair = meeting.connect();
            pair.active().disconnect();
            assertEquals(QueuePairState.ERR, pair.active().queuePair().state());
            meeting.expect(pair.passive(), CmEvent.Disconnected.class);
            pair.passive().disconnect();
            meeting.expect(pair.active(), CmEvent.Disconnected.class);
            Rendezvous.assertState(QueuePairState.ERR, pair.passive().queuePair());
            if (Rendezvous.isIwarp()) { // where TCP waits, and says nothing
                assertNull(meeting.channel.await(Duration.ofSeconds(2)));
            } else {
                meeting.expect(pair.active(), CmEvent.TimewaitExit.class);
            }
        }
    }

    @Test
    void shouldTellThePeerOfAnIdThatIsClosed() {
        try (var meeting = new Rendezvous()) {
            Rendezvous.Pair pair = meeting.connect();
            var e = assertThrows(IllegalStateException.class, pair.active()::close);
            assertTrue(e.getMessage().contains("1 QueuePair"), e.getMessage());
            pair.active().queuePair().close();
            assertNull(pair.active().queuePair());
            pair.active().close();
            meeting.expect(pair.passive(), CmEvent.Disconnected.class);
        }
    }

    @Test
    void shouldApplyOnTheOwnersThreadWhatAnotherThreadsEventReported() throws InterruptedException {
        try (var meeting = new Rendezvous()) {
            ConnectionId listener = meeting.listener(PortSpace.TCP);
            ConnectionId active = meeting.resolved(listener);
            QueuePair qp = meeting.queuePair(active);
            MemoryRegion region = region(meeting, active);
            SendRequest request = SendRequest.prepare(region).range(0, 1);
            assertEquals(QueuePairState.INIT, qp.state());
            assertThrows(IllegalStateException.class, () -> qp.tryPost(request));
            active.connect(config -> {});
            Thread other = Thread.ofPlatform().start(() -> {
                ConnectionId passive =
                        meeting.expect(listener, CmEvent.ConnectRequest.class).id();
                meeting.queuePair(passive); // falls to the test's thread when this one has ended
                passive.accept(config -> {});
                meeting.expect(active, CmEvent.Established.class);
            });
            other.join();
            assertEquals(QueuePairState.RTS, qp.state());
            assertTrue(qp.tryPost(request));
        }
    }

    @Test
    void shouldConnectAQueuePairOfTheProgramsOwnMaking() {
        try (var meeting = new Rendezvous()) {
            ConnectionId listener = meeting.listener(PortSpace.TCP);
            ConnectionId active = meeting.resolved(listener);
            QueuePair own = meeting.ownQueuePair(active);
            active.connect(config -> config.queuePair(own.qpNum(), false));
            ConnectionId passive =
                    meeting.expect(listener, CmEvent.ConnectRequest.class).id();
            meeting.queuePair(passive);
            passive.accept(config -> config.privateData(PrivateData.of("yes")));
            ConnectionParameters granted;
            if (Rendezvous.isIwarp()) { // the kernel has found the queue pair, and brought it to RTS
                granted = meeting.expect(active, CmEvent.Established.class).parameters();
            } else {
                granted = meeting.expect(active, CmEvent.ConnectResponse.class).parameters();
                assertEquals(passive.queuePair().qpNum(), granted.qpNum());
            }
            assertEquals("yes", granted.privateData().text());
            own.modify(active.transition(QueuePairState.RTR));
            own.modify(active.transition(QueuePairState.RTS));
            if (Rendezvous.isIwarp()) {
                assertThrows(IllegalStateException.class, active::establish);
            } else {
                active.establish();
            }
            meeting.expect(passive, CmEvent.Established.class);
            MemoryRegion source = region(meeting, active);
            MemoryRegion target = region(meeting, passive);
            source.segment().setString(0, "own");
            assertTrue(passive.queuePair().tryPost(ReceiveRequest.prepare(target)));
            assertTrue(own.tryPost(SendRequest.prepare(source).range(0, 10)));
            meeting.awaitSuccess(passive);
            assertEquals("own", target.segment().getString(0));
            assertThrows(IllegalStateException.class, passive::establish);
        }
    }

    @Test
    void shouldMakeExtendedQueuePairs() {
        try (var meeting = new Rendezvous()) {
            ConnectionId listener = meeting.listener(PortSpace.TCP);
            ConnectionId active = meeting.resolved(listener);
            try {
                meeting.queuePair(active, config -> config.extendedPosting(SendOpcode.SEND));
            } catch (CmException e) {
                throw RefusedByDevice.saying(e, "rdma_create_qp_ex(", Rendezvous.LACKS);
            }
            sendToSharedQueue(meeting, listener, active, source -> {
                var batch = active.queuePair().sendBatch();
                batch.start();
                batch.next(1, true).send().sge(source, 0, 10);
                assertTrue(batch.complete());
            });
        }
    }

    @Test
    void shouldUseASharedReceiveQueue() {
        try (var meeting = new Rendezvous()) {
            ConnectionId listener = meeting.listener(PortSpace.TCP);
            ConnectionId active = meeting.resolved(listener);
            meeting.queuePair(active);
            sendToSharedQueue(
                    meeting,
                    listener,
                    active,
                    source -> assertTrue(active.queuePair()
                            .tryPost(SendRequest.prepare(source).range(0, 10))));
        }
    }

    private static void sendToSharedQueue(
            Rendezvous meeting, ConnectionId listener, ConnectionId active, Consumer<MemoryRegion> send) {
        active.connect(config -> {});
        ConnectionId passive =
                meeting.expect(listener, CmEvent.ConnectRequest.class).id();
        ProtectionDomain pd = meeting.domain(passive.device());
        var srq = meeting.closed(pd.createSharedReceiveQueue(config -> config.maxWr(8)));
        meeting.queuePair(passive, config -> config.sharedReceiveQueue(srq));
        passive.accept(config -> {});
        meeting.expect(active, CmEvent.Established.class);
        MemoryRegion source = region(meeting, active);
        MemoryRegion target = region(meeting, passive);
        source.segment().setString(0, "shared");
        assertTrue(srq.tryPost(ReceiveRequest.prepare(target)));
        send.accept(source);
        meeting.awaitSuccess(passive);
        assertEquals("shared", target.segment().getString(0));
    }

    @Test
    void shouldRefuseObjectsOfAnotherOpenDevice() {
        try (var meeting = new Rendezvous()) {
            ConnectionId id = meeting.id(PortSpace.TCP);
            var early = assertThrows(IllegalStateException.class, () -> id.createQueuePair(null, null, null, c -> {}));
            assertTrue(early.getMessage().contains("no device yet"), early.getMessage());
            id.bind(new InetSocketAddress(Rendezvous.near(), 0));
            try (var other = id.device().device().open();
                    var pd = other.allocateProtectionDomain();
                    var cq = other.createCompletionQueue(4)) {
                var e = assertThrows(
                        IllegalArgumentException.class, () -> id.createQueuePair(pd, cq, cq, config -> {}));
                assertTrue(e.getMessage().contains("device().allocateProtectionDomain()"), e.getMessage());
            }
            QueuePair qp = meeting.queuePair(id);
            assertSame(qp, id.queuePair());
            assertThrows(IllegalStateException.class, () -> meeting.queuePair(id));
        }
    }

    @Test
    void shouldMoveToAnotherChannelWithItsEvents() throws InterruptedException {
        try (var other = EventChannel.open();
                var meeting = new Rendezvous()) {
            Rendezvous.Pair pair = meeting.connect();
            pair.passive().disconnect();
            Descriptors.isReadable(meeting.channel.fileDescriptor(), 30_000);
            pair.active().migrate(other);
            assertSame(other, pair.active().channel());
            CmEvent event = other.await(Rendezvous.DEADLINE);
            assertEquals(CmEventType.DISCONNECTED, event.type());
            assertSame(pair.active(), event.id());
            assertThrows(IllegalStateException.class, other::close);
            pair.active().disconnect();
            meeting.expect(pair.passive(), CmEvent.Disconnected.class);
            pair.active().migrate(other);
            pair.active().migrate(meeting.channel);
            assertNotSame(other, pair.active().channel());
        }
    }

    /** The kernel would move its requests without their connections, so nobody could answer them (Linux 6.1). */
    @Test
    void shouldMoveNoListenerWhoseRequestsWouldBeLost() {
        try (var other = EventChannel.open();
                var meeting = new Rendezvous()) {
            ConnectionId listener = meeting.id(PortSpace.TCP);
            listener.migrate(other);
            listener.migrate(meeting.channel);
            listener.bind(new InetSocketAddress(Rendezvous.far(), 0));
            listener.listen(4);
            var e = assertThrows(IllegalStateException.class, () -> listener.migrate(other));
            assertTrue(e.getMessage().contains("comes before listen()"), e.getMessage());
            listener.migrate(meeting.channel); // where it is
        }
    }

    @Test
    void shouldWakeWhoWaitsWhereAConnectionMovesTo() throws InterruptedException {
        try (var other = EventChannel.open();
                var meeting = new Rendezvous()) {
            ConnectionId id = meeting.id(PortSpace.TCP);
            id.resolveAddress(new InetSocketAddress(Rendezvous.far(), 1), Rendezvous.DEADLINE);
            Descriptors.isReadable(meeting.channel.fileDescriptor(), 30_000);
            var taken = new ArrayBlockingQueue<CmEvent>(1);
            Thread waiting = Thread.ofPlatform().start(() -> {
                try {
                    taken.add(other.await());
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            id.migrate(other);
            assertSame(
                    id, taken.poll(TestDeadlines.seconds(30), TimeUnit.SECONDS).id());
            waiting.join();
        }
    }

    /** The kernel would send the request on, and meanwhile its id could not be destroyed: for 102 s on Linux 6.1. */
    @Test
    void shouldRefuseToAnswerWhatIsNoRequest() {
        try (var meeting = new Rendezvous()) {
            ConnectionId listener = meeting.listener(PortSpace.TCP);
            ConnectionId active = meeting.resolved(listener);
            QueuePair own = meeting.ownQueuePair(active);
            active.connect(config -> config.queuePair(own.qpNum(), false));
            for (Runnable answer : new Runnable[] {
                () -> active.reject(PrivateData.NONE),
                () -> active.rejectEce(PrivateData.NONE),
                () -> active.accept(config -> {}),
                active::establish
            }) {
                var e = assertThrows(IllegalStateException.class, answer::run);
                assertTrue(e.getMessage().contains("it is CONNECTING"), e.getMessage());
            }
            long start = System.nanoTime();
            own.close();
            active.close();
            assertTrue(System.nanoTime() - start < 60_000_000_000L); // not until its retries are used up
        }
    }
}
