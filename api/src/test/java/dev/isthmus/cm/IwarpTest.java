// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.CmException;
import dev.isthmus.VerbsException;
import dev.isthmus.testbed.RefusedByDevice;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.CompletionStatus;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.Gid;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairState;
import dev.isthmus.verbs.QueuePairTransition;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import dev.isthmus.verbs.attributes.AtomicCapability;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What connections carry on every transport, and what iWARP lacks: datagrams, groups, atomics. */
@Tag("device")
@Tag("iwarp")
class IwarpTest {

    private static final Duration DRAINED_WITHIN = TestDeadlines.ofSeconds(60);

    private static MemoryRegion region(Rendezvous meeting, ConnectionId id) {
        return meeting.closed(meeting.domain(id.device())
                .register(
                        Arena.ofAuto().allocate(1 << 16),
                        AccessFlag.LOCAL_WRITE,
                        AccessFlag.REMOTE_WRITE,
                        AccessFlag.REMOTE_READ));
    }

    @Test
    void shouldWriteReadAndSendOverAConnection() {
        try (var meeting = new Rendezvous()) {
            Rendezvous.Pair pair = meeting.connect();
            MemoryRegion near = region(meeting, pair.active());
            MemoryRegion far = region(meeting, pair.passive());
            QueuePair qp = pair.active().queuePair();
            near.segment().setString(0, "written");
            assertTrue(qp.tryPost(SendRequest.prepare(near)
                    .opcode(SendOpcode.RDMA_WRITE)
                    .range(0, 30_000)
                    .remote(far.address(), far.rkey())
                    .signaled(true)));
            meeting.awaitSuccess(pair.active());
            assertTrue(qp.tryPost(SendRequest.prepare(near)
                    .opcode(SendOpcode.RDMA_READ)
                    .range(32_768, 30_000)
                    .remote(far.address(), far.rkey())
                    .signaled(true)));
            meeting.awaitSuccess(pair.active());
            assertEquals("written", far.segment().getString(0));
            assertEquals("written", near.segment().getString(32_768));
            assertTrue(pair.passive()
                    .queuePair()
                    .tryPost(ReceiveRequest.prepare(far).range(40_000, 20_000)));
            assertTrue(qp.tryPost(SendRequest.prepare(near).range(0, 20_000).signaled(true)));
            meeting.awaitSuccess(pair.active());
            assertEquals(20_000, meeting.await(pair.passive()).byteLength(0));
            assertEquals("written", far.segment().getString(40_000));
        }
    }

    @Test
    void shouldSendAgainOrEndTheConnectionWhenNothingReceives() {
        try (var meeting = new Rendezvous()) {
            Rendezvous.Pair pair = meeting.connect();
            MemoryRegion source = region(meeting, pair.active());
            MemoryRegion target = region(meeting, pair.passive());
            assertTrue(pair.active()
                    .queuePair()
                    .tryPost(SendRequest.prepare(source).range(0, 8).signaled(true)));
            if (Rendezvous.isIwarp()) {
                meeting.expect(pair.active(), CmEvent.Disconnected.class);
                meeting.expect(pair.passive(), CmEvent.Disconnected.class);
            } else {
                assertTrue(pair.passive().queuePair().tryPost(ReceiveRequest.prepare(target)));
                meeting.awaitSuccess(pair.active());
            }
        }
    }

    @Test
    void shouldDrainWhatIsOutstanding() {
        try (var meeting = new Rendezvous()) {
            Rendezvous.Pair pair = meeting.connect();
            QueuePair qp = pair.active().queuePair();
            qp.post(ReceiveRequest.prepare(region(meeting, pair.active())).wrId(7));
            var done = WorkCompletions.allocate(4);
            var flushed = new ArrayList<Long>();
            if (Rendezvous.isIwarp()) { // which takes no receive without a buffer, so no marker
                assertThrows(
                        VerbsException.class, () -> qp.drain(done, i -> flushed.add(done.wrId(i)), DRAINED_WITHIN));
                return;
            }
            assertTrue(qp.drain(done, i -> flushed.add(done.wrId(i)), DRAINED_WITHIN));
            assertEquals(List.of(7L), flushed);
        }
    }

    @Test
    void shouldGoOnPostingWhenAQueuePairWasQueried() {
        try (var meeting = new Rendezvous()) {
            Rendezvous.Pair pair = meeting.connect();
            QueuePair qp = pair.active().queuePair();
            Rendezvous.assertState(QueuePairState.RTS, qp); // SoftiWARP does not report it
            MemoryRegion target = region(meeting, pair.passive());
            assertTrue(pair.passive().queuePair().tryPost(ReceiveRequest.prepare(target)));
            assertTrue(qp.tryPost(SendRequest.prepare(region(meeting, pair.active()))
                    .range(0, 8)
                    .signaled(true)));
            meeting.awaitSuccess(pair.active());
        }
    }

    @Test
    void shouldHaveAtomicsAndAddressesInGidsWhereTheTransportHas() {
        Device device = Device.list().getFirst();
        boolean iwarp = Rendezvous.isIwarp();
        try (DeviceContext context = device.open()) {
            assertEquals(iwarp, context.attributes().atomicCap() == AtomicCapability.NONE);
            Gid address = Gid.of(Rendezvous.near());
            Gid gid = iwarp ? context.rawGid(1, 0) : context.defaultGid(1).gid();
            assertEquals(!iwarp, gid.equals(address), gid.toString());
        }
    }

    @Test
    void shouldAskOfStepsAndOfQueuePairsNumbersWhatTheTransportNeeds() {
        boolean iwarp = Rendezvous.isIwarp();
        try (var meeting = new Rendezvous()) {
            ConnectionId listener = meeting.listener(PortSpace.TCP);
            ConnectionId active = meeting.resolved(listener);
            QueuePairTransition init = active.transition(QueuePairState.INIT);
            assertTrue(init.toString().contains("access") && init.toString().contains("port"), init.toString());
            assertEquals(!iwarp, init.toString().contains("pkeyIndex"), init.toString());
            if (iwarp) { // whose kernel looks for the queue pair
                var e = assertThrows(
                        CmException.class, () -> active.connect(config -> config.queuePair(0xffffff, false)));
                assertEquals("EINVAL", e.errnoName());
            } else {
                active.connect(config -> config.queuePair(0xffffff, false));
                meeting.expect(listener, CmEvent.ConnectRequest.class);
            }
        }
    }

    @Test
    void shouldRefuseWhatThePeersKeyDoesNotAllow() {
        try (var meeting = new Rendezvous()) {
            Rendezvous.Pair pair = meeting.connect();
            MemoryRegion near = region(meeting, pair.active());
            MemoryRegion far = region(meeting, pair.passive());
            assertTrue(pair.active()
                    .queuePair()
                    .tryPost(SendRequest.prepare(near)
                            .opcode(SendOpcode.RDMA_READ)
                            .range(0, 64)
                            .remote(far.address(), far.rkey() ^ 0x5500)
                            .signaled(true)));
            CompletionStatus status = meeting.awaitFailure(pair.active());
            if (Rendezvous.isIwarp()) { // which ends the connection, and says no more
                assertEquals(CompletionStatus.WR_FLUSH_ERR, status);
                meeting.expect(pair.passive(), CmEvent.Disconnected.class);
            } else {
                assertEquals(CompletionStatus.REM_ACCESS_ERR, status);
            }
        }
    }

    @Test
    void shouldHaveDatagramsAndGroupsWhereTheTransportHas() throws UnknownHostException {
        var group = new InetSocketAddress(InetAddress.getByName("239.1.2.3"), 0);
        try (var meeting = new Rendezvous()) {
            ConnectionId id = meeting.id(PortSpace.UDP);
            id.bind(new InetSocketAddress(Rendezvous.near(), 0));
            if (!Rendezvous.isIwarp()) {
                meeting.queuePair(id);
                id.joinMulticast(group);
                meeting.expect(id, CmEvent.MulticastJoined.class);
                return;
            }
            var none = assertThrows(CmException.class, () -> id.joinMulticast(group));
            assertEquals("rdma_join_multicast", none.call());
            throw RefusedByDevice.saying(
                    assertThrows(CmException.class, () -> meeting.queuePair(id)),
                    "rdma_create_qp(siw",
                    Rendezvous.LACKS);
        }
    }
}
