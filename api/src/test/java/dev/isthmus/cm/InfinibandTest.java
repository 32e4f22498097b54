// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.CmException;
import dev.isthmus.CmException.Failure;
import dev.isthmus.RdmaException;
import dev.isthmus.testbed.RefusedByDevice;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.Gid;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.QueuePairState;
import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.Rate;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.attributes.LinkLayer;
import dev.isthmus.verbs.attributes.Mtu;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Features of InfiniBand alone, or rarely chosen: its addresses and paths, and unusual types of queue pairs. */
@Tag("device")
@Tag("iwarp")
class InfinibandTest {

    private static final Gid ANY = Gid.of(new byte[Gid.BYTES]);

    private static boolean isInfiniband(Device device) {
        try (DeviceContext context = device.open()) {
            return context.port(1).linkLayer() == LinkLayer.INFINIBAND;
        }
    }

    private static Gid gid(Device device) {
        try (DeviceContext context = device.open()) {
            return context.defaultGid(1).gid();
        }
    }

    private static void exchange(Rendezvous meeting, ConnectionId from, ConnectionId to) {
        MemoryRegion source = region(meeting, from);
        MemoryRegion target = region(meeting, to);
        source.segment().setString(0, "carried");
        assertTrue(to.queuePair().tryPost(ReceiveRequest.prepare(target)));
        assertTrue(from.queuePair()
                .tryPost(SendRequest.prepare(source).range(0, 64).signaled(true)));
        meeting.awaitSuccess(from);
        meeting.awaitSuccess(to);
        assertEquals("carried", target.segment().getString(0));
    }

    private static MemoryRegion region(Rendezvous meeting, ConnectionId id) {
        return meeting.closed(
                meeting.domain(id.device()).register(Arena.ofAuto().allocate(4096), AccessFlag.LOCAL_WRITE));
    }

    @Test
    void shouldKnowDevicesByAddressesOfInfinibandOnlyThere() {
        Device device = Device.list().getLast();
        try (var meeting = new Rendezvous()) {
            Gid gid = Rendezvous.isIwarp() ? Gid.of(Rendezvous.far()) : gid(device);
            IbAddress address = IbAddress.of(gid, PortSpace.IB, 0);
            ConnectionId id = meeting.id(PortSpace.IB);
            if (isInfiniband(device)) {
                id.bind(address);
                assertEquals(device.name(), id.device().device().name());
            } else { // the kernel gives such local addresses only to ports of InfiniBand
                var e = assertThrows(CmException.class, () -> id.bind(address));
                assertEquals("rdma_bind_addr", e.call());
                assertEquals("ENODEV", e.errnoName());
                assertEquals(Failure.NO_DEVICE, e.failure());
                if (Rendezvous.isIwarp()) {
                    var none = assertThrows(
                            CmException.class, () -> id.resolveAddress(null, address, Duration.ofSeconds(1)));
                    assertEquals("ENODEV", none.errnoName());
                } else { // a peer's are resolved on RoCE
                    id.resolveAddress(null, address, Rendezvous.DEADLINE);
                    meeting.expect(id, CmEvent.AddressResolved.class);
                    assertNotNull(id.device());
                }
            }
        }
    }

    @Test
    void shouldListenOnAnyAddressOfInfiniband() {
        try (var meeting = new Rendezvous()) {
            ConnectionId id = meeting.id(PortSpace.IB);
            id.bind(IbAddress.of(ANY, PortSpace.IB, 0x1234));
            id.listen(4);
            assertNull(id.device());
            assertNull(id.localAddress()); // it has no IP address
            ConnectionId other = meeting.id(PortSpace.IB);
            var e = assertThrows(CmException.class, () -> {
                other.bind(IbAddress.of(ANY, PortSpace.IB, 0x1234));
                other.listen(4);
            });
            assertEquals("EADDRNOTAVAIL", e.errnoName()); // the kernel says this if one address is a wildcard
            assertEquals(Failure.ADDRESS_IN_USE, e.failure());
            meeting.id(PortSpace.IB).bind(IbAddress.of(ANY, PortSpace.IB, 0x1235));
        }
    }

    @Test
    void shouldConnectByAPathThatTheProgramKnows() {
        try (var meeting = new Rendezvous()) {
            ConnectionId listener = meeting.listener(PortSpace.TCP);
            ConnectionId active = meeting.id(PortSpace.TCP);
            PathRecord path = PathRecord.between(Gid.of(Rendezvous.near()), Gid.of(Rendezvous.far()))
                    .route(0, 64, 0)
                    .packets(Mtu.MTU_512, Rate.GBPS_2_5)
                    .packetLifetime(14);
            assertThrows(IllegalStateException.class, () -> active.path(path));
            meeting.resolveAddress(active, listener.localAddress());
            active.path(path);
            meeting.expect(active, CmEvent.RouteResolved.class);
            meeting.queuePair(active);
            active.connect(config -> {});
            ConnectionId passive =
                    meeting.expect(listener, CmEvent.ConnectRequest.class).id();
            meeting.queuePair(passive);
            passive.accept(config -> {});
            meeting.expect(active, CmEvent.Established.class);
            meeting.expect(passive, CmEvent.Established.class);
            if (!Rendezvous.isIwarp()) { // which has no paths, and takes any
                assertEquals(Mtu.MTU_512, active.queuePair().query().pathMtu());
                assertEquals(Mtu.MTU_512, passive.queuePair().query().pathMtu());
            }
            exchange(meeting, active, passive);
            var twice = assertThrows(CmException.class, () -> active.path(path));
            assertEquals("EINVAL", twice.errnoName());
        }
    }

    /**
     * An id whose address and route are resolved. It is tried again, because the kernel can miss the answer of a
     * near host.
     */
    private static ConnectionId resolved(Rendezvous meeting, InetSocketAddress to, QueuePairType type) {
        var from = new InetSocketAddress(Rendezvous.near(), 0);
        var info = new AddressInfo(from, to, space(type), type);
        for (int attempt = 0; ; attempt++) {
            try {
                return meeting.closed(meeting.channel.createId(info));
            } catch (CmException e) {
                if (attempt == 10 || e.failure() != Failure.UNREACHABLE) {
                    throw e;
                }
            }
        }
    }

    private static PortSpace space(QueuePairType type) {
        return type == QueuePairType.RC ? PortSpace.TCP : PortSpace.IB;
    }

    private static ConnectionId listener(Rendezvous meeting, QueuePairType type) {
        var at = new AddressInfo(new InetSocketAddress(Rendezvous.far(), 0), null, space(type), type);
        ConnectionId listener = meeting.closed(meeting.channel.createId(at));
        listener.listen(4);
        assertEquals(type, listener.queuePairType());
        return listener;
    }

    private static void connect(QueuePairType type) {
        try (var meeting = new Rendezvous()) {
            ConnectionId listener = listener(meeting, type);
            ConnectionId active = resolved(meeting, listener.localAddress(), type);
            assertEquals(listener.localAddress(), active.peerAddress());
            assertEquals(type, meeting.queuePair(active).type());
            active.connect(config -> config.privateData(PrivateData.of("" + type)));
            var request = meeting.expect(listener, CmEvent.ConnectRequest.class);
            assertEquals("" + type, request.parameters().privateData().text());
            ConnectionId passive = request.id();
            assertEquals(type, passive.queuePairType());
            meeting.queuePair(passive);
            passive.accept(config -> {});
            meeting.expect(active, CmEvent.Established.class);
            assertEquals(QueuePairState.RTS, active.queuePair().state());
            meeting.expect(passive, CmEvent.Established.class);
            exchange(meeting, active, passive);
            active.disconnect();
            meeting.expect(passive, CmEvent.Disconnected.class);
        }
    }

    @Test
    void shouldConnectEndpointsThatAreResolvedAtOnce() {
        connect(QueuePairType.RC);
    }

    @Test
    void shouldConnectUnreliablyWhereTheTransportCan() {
        if (!Rendezvous.isIwarp()) {
            connect(QueuePairType.UC);
            return;
        }
        try (var meeting = new Rendezvous()) {
            ConnectionId listener = listener(meeting, QueuePairType.UC);
            ConnectionId active = resolved(meeting, listener.localAddress(), QueuePairType.UC);
            var e = assertThrows(CmException.class, () -> meeting.queuePair(active));
            throw RefusedByDevice.saying(e, "rdma_create_qp(", Rendezvous.LACKS);
        }
    }

    @Test
    void shouldMakeQueuePairsOfXrcWhereTheDeviceCan() {
        try (var meeting = new Rendezvous()) {
            ConnectionId active =
                    resolved(meeting, listener(meeting, QueuePairType.XRC_RECV).localAddress(), QueuePairType.XRC_SEND);
            try {
                assertEquals(QueuePairType.XRC_SEND, meeting.queuePair(active).type());
            } catch (RdmaException e) {
                throw RefusedByDevice.saying(e, "rdma_create_qp", Rendezvous.LACKS);
            }
        }
    }

    @Test
    void shouldSayThatAnEndpointsPeerIsNotThere() {
        try (var meeting = new Rendezvous()) {
            var info = new AddressInfo(null, null, PortSpace.TCP, QueuePairType.RC);
            assertThrows(IllegalArgumentException.class, () -> meeting.channel.createId(info));
            var at = new InetSocketAddress(Rendezvous.far(), 0);
            var other = new AddressInfo(at, null, PortSpace.TCP, QueuePairType.UC);
            var refused = assertThrows(IllegalArgumentException.class, () -> meeting.channel.createId(other));
            assertTrue(refused.getMessage().contains("port space IB"), refused.getMessage());
            assertEquals(new AddressInfo(at, null, PortSpace.IB, QueuePairType.UC), other.withType(QueuePairType.UC));
            byte[] bytes = Rendezvous.far().getAddress();
            bytes[bytes.length - 1] = (byte) 0xfd;
            var to = new InetSocketAddress(address(bytes), 1);
            var nobody = new AddressInfo(null, to, PortSpace.TCP, QueuePairType.RC);
            var e = assertThrows(CmException.class, () -> meeting.channel.createId(nobody));
            assertEquals("rdma_create_ep", e.call());
            assertEquals(Failure.UNREACHABLE, e.failure());
        }
    }

    private static InetAddress address(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }
}
