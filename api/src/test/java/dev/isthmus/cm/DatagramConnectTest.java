// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.CmException;
import dev.isthmus.testbed.RefusedByDevice;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.AddressHandle;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairState;
import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendRequest;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
class DatagramConnectTest {

    /** A global route header is in front of every datagram. */
    private static final int HEADER = 40;

    private static InetSocketAddress group(String address) {
        try {
            return new InetSocketAddress(InetAddress.getByName(address), 0);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private static MemoryRegion region(Rendezvous meeting, ConnectionId id) {
        return meeting.closed(
                meeting.domain(id.device()).register(Arena.ofAuto().allocate(4096), AccessFlag.LOCAL_WRITE));
    }

    private static void send(Rendezvous meeting, ConnectionId from, DatagramParameters to, String text) {
        MemoryRegion region = region(meeting, from);
        region.segment().setString(0, text);
        AddressHandle handle = meeting.closed(meeting.domain(from.device()).createAddressHandle(to.path()));
        assertTrue(from.queuePair()
                .tryPost(SendRequest.prepare(region)
                        .range(0, 64)
                        .to(handle, to.qpNum(), to.qkey())
                        .signaled(true)));
        meeting.awaitSuccess(from);
    }

    private static MemoryRegion receive(Rendezvous meeting, ConnectionId id) {
        MemoryRegion region = region(meeting, id);
        assertTrue(id.queuePair().tryPost(ReceiveRequest.prepare(region)));
        return region;
    }

    @Test
    void shouldTellWhereToSendDatagrams() {
        try (var meeting = new Rendezvous()) {
            ConnectionId listener = meeting.listener(PortSpace.UDP);
            ConnectionId active = meeting.resolved(listener);
            QueuePair qp = meeting.queuePair(active);
            assertEquals(QueuePairType.UD, qp.type());
            assertEquals(QueuePairState.RTS, qp.state());
            active.connect(config -> config.privateData(PrivateData.of("where?")));
            var request = meeting.expect(listener, CmEvent.DatagramRequest.class);
            assertEquals("where?", request.privateData().text());
            assertSame(listener, request.listener());
            ConnectionId passive = request.id();
            meeting.queuePair(passive);
            passive.accept(config -> config.privateData(PrivateData.of("here")));
            DatagramParameters to =
                    meeting.expect(active, CmEvent.DatagramEstablished.class).parameters();
            assertEquals("here", to.privateData().text());
            assertEquals(passive.queuePair().qpNum(), to.qpNum());
            MemoryRegion received = receive(meeting, passive);
            send(meeting, active, to, "datagram");
            meeting.awaitSuccess(passive);
            assertEquals("datagram", received.segment().getString(HEADER));
        }
    }

    @Test
    void shouldSayThatNobodyTakesDatagrams() {
        try (var meeting = new Rendezvous()) {
            ConnectionId id = meeting.resolved(PortSpace.UDP, new InetSocketAddress(Rendezvous.far(), 9));
            meeting.queuePair(id);
            id.connect(config -> {});
            var event = meeting.expect(id, CmEvent.Unreachable.class);
            assertTrue(event.status() > 0, event.toString()); // IB_SIDR_UNSUPPORTED
        }
    }

    @Test
    void shouldRejectDatagrams() {
        try (var meeting = new Rendezvous()) {
            ConnectionId listener = meeting.listener(PortSpace.UDP);
            ConnectionId active = meeting.resolved(listener);
            meeting.queuePair(active);
            active.connect(config -> {});
            meeting.expect(listener, CmEvent.DatagramRequest.class).id().reject(PrivateData.NONE);
            meeting.expect(active, CmEvent.Unreachable.class);
        }
    }

    @Test
    void shouldReceiveWhatIsSentToAGroupUntilItIsLeft() {
        try (var meeting = new Rendezvous()) {
            ConnectionId receiving = meeting.id(PortSpace.UDP);
            receiving.bind(new InetSocketAddress(Rendezvous.far(), 0));
            meeting.queuePair(receiving);
            ConnectionId sending = meeting.id(PortSpace.UDP);
            sending.bind(new InetSocketAddress(Rendezvous.near(), 0));
            meeting.queuePair(sending);
            MulticastMembership in = receiving.joinMulticast(group("239.1.2.3"));
            assertThrows(IllegalStateException.class, () -> receiving.joinMulticast(group("239.1.2.3")));
            var joined = meeting.expect(receiving, CmEvent.MulticastJoined.class);
            assertSame(in, joined.membership());
            assertSame(receiving, in.id());
            assertEquals(QueuePair.MULTICAST, joined.parameters().qpNum());
            sending.joinMulticast(group("239.1.2.3"));
            DatagramParameters to =
                    meeting.expect(sending, CmEvent.MulticastJoined.class).parameters();
            assertNotNull(to.path());
            MemoryRegion received = receive(meeting, receiving);
            send(meeting, sending, to, "to all");
            meeting.awaitSuccess(receiving);
            assertEquals("to all", received.segment().getString(HEADER));
            in.close();
            in.close();
            assertNull(receiving.membership(in.number()));
            // It can be joined anew, and is left with the queue pair.
            receiving.joinMulticast(group("239.1.2.3"));
            meeting.expect(receiving, CmEvent.MulticastJoined.class);
            receiving.queuePair().close();
        }
    }

    @Test
    void shouldJoinAGroupToSendOnly() {
        try (var meeting = new Rendezvous()) {
            ConnectionId id = meeting.id(PortSpace.UDP);
            id.bind(new InetSocketAddress(Rendezvous.near(), 0));
            meeting.queuePair(id);
            try {
                MulticastMembership out = id.joinMulticastToSend(group("239.1.2.4"));
                assertTrue(out.isSendOnly());
                if (meeting.expect(id, CmEvent.class) instanceof CmEvent.MulticastError error) {
                    throw RefusedByDevice.by("rdma_join_multicast_ex", "MULTICAST_ERROR " + error.status());
                }
            } catch (CmException e) {
                throw RefusedByDevice.saying(e, "rdma_join_multicast_ex(", Rendezvous.LACKS);
            }
        }
    }

    @Test
    void shouldRefuseAGroupThatIsNone() {
        try (var meeting = new Rendezvous()) {
            ConnectionId id = meeting.id(PortSpace.UDP);
            assertThrows(IllegalArgumentException.class, () -> id.joinMulticast(group("10.0.0.2")));
            var e = assertThrows(CmException.class, () -> id.joinMulticast(group("239.1.2.3")));
            assertTrue(e.getMessage().contains("it is CREATED"), e.getMessage());
        }
    }
}
