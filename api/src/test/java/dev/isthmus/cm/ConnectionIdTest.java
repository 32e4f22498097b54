// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.CmException;
import dev.isthmus.CmException.Failure;
import dev.isthmus.verbs.AsyncEventType;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.QueuePairState;
import dev.isthmus.verbs.QueuePairType;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

@Tag("device")
@Tag("iwarp")
class ConnectionIdTest {

    private static InetSocketAddress socket(String address, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByName(address), port);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldFindDeviceAndRouteOfAnAddress() {
        try (var meeting = new Rendezvous()) {
            ConnectionId id = meeting.id(PortSpace.TCP);
            assertNull(id.device());
            assertNull(id.peerAddress());
            assertEquals(0, id.devicePort());
            var to = new InetSocketAddress(Rendezvous.far(), 7471);
            meeting.resolveAddress(id, to);
            assertEquals(Device.list().getFirst().name(), id.device().device().name());
            assertEquals(1, id.devicePort());
            assertEquals(to, id.peerAddress());
            assertEquals(Rendezvous.near(), id.localAddress().getAddress());
            assertTrue(id.localAddress().getPort() > 0);
            id.resolveRoute(Rendezvous.DEADLINE);
            meeting.expect(id, CmEvent.RouteResolved.class);
            assertNull(id.listener());
            assertNull(id.queuePair());
        }
    }

    @Test
    void shouldShareADeviceAmongConnectionsAndKeepItOpen() {
        try (var meeting = new Rendezvous()) {
            ConnectionId a = meeting.id(PortSpace.TCP);
            ConnectionId b = meeting.id(PortSpace.UDP);
            a.bind(new InetSocketAddress(Rendezvous.near(), 0));
            b.bind(new InetSocketAddress(Rendezvous.near(), 0));
            DeviceContext device = a.device();
            assertSame(device, b.device());
            device.close();
            device.attributes();
            try (var pd = device.allocateProtectionDomain()) {
                assertSame(device, pd.context());
            }
            assertTrue(EventChannel.devices().contains(device));
        }
    }

    @Test
    void shouldLetTheKernelChooseAPort() {
        try (var meeting = new Rendezvous()) {
            ConnectionId id = meeting.listener(PortSpace.TCP);
            assertTrue(id.localAddress().getPort() > 0, id.localAddress().toString());
            assertNotNull(id.device());
        }
    }

    @Test
    void shouldSayThatAnAddressIsInUse() {
        try (var meeting = new Rendezvous()) {
            ConnectionId first = meeting.listener(PortSpace.TCP);
            ConnectionId second = meeting.id(PortSpace.TCP);
            var e = assertThrows(CmException.class, () -> {
                second.bind(first.localAddress());
                second.listen(1);
            });
            assertEquals(Failure.ADDRESS_IN_USE, e.failure());
            assertEquals("EADDRINUSE", e.errnoName());
            // Another port space has ports of its own.
            meeting.id(PortSpace.UDP).bind(first.localAddress());
        }
    }

    @Test
    void shouldSayThatAPortIsInUseWhereOneAddressIsAny() {
        try (var meeting = new Rendezvous()) {
            ConnectionId one = meeting.listener(PortSpace.TCP);
            int port = one.localAddress().getPort();
            assertInUse(() -> meeting.id(PortSpace.TCP).bind(new InetSocketAddress(port)));
            ConnectionId any = meeting.id(PortSpace.TCP);
            any.bind(new InetSocketAddress(0));
            var beside =
                    new InetSocketAddress(Rendezvous.far(), any.localAddress().getPort());
            assertInUse(() -> meeting.id(PortSpace.TCP).bind(beside));
            var to = new InetSocketAddress(Rendezvous.near(), 1);
            assertInUse(() -> meeting.id(PortSpace.TCP).resolveAddress(beside, to, Rendezvous.DEADLINE));
        }
    }

    @Test
    void shouldSayThatThePortOfAnEndpointIsInUse() {
        try (var meeting = new Rendezvous()) {
            InetSocketAddress taken = meeting.listener(PortSpace.TCP).localAddress();
            var same = assertThrows(CmException.class, () -> meeting.channel.createId(listening(taken)));
            assertEquals(Failure.ADDRESS_IN_USE, same.failure());
            assertEquals("EADDRINUSE", same.errnoName());
            assertEquals("rdma_create_ep", same.call());
            assertInUse(() -> meeting.channel.createId(listening(new InetSocketAddress(taken.getPort()))));
            ConnectionId any = meeting.id(PortSpace.TCP);
            any.bind(new InetSocketAddress(0));
            var beside =
                    new InetSocketAddress(Rendezvous.far(), any.localAddress().getPort());
            assertInUse(() -> meeting.channel.createId(listening(beside)));
            var to = new InetSocketAddress(Rendezvous.near(), 1);
            var from = new AddressInfo(beside, to, PortSpace.TCP, QueuePairType.RC);
            assertInUse(() -> meeting.channel.createId(from));
            var foreign = listening(socket("192.0.2.1", 7471));
            var nobodys = assertThrows(CmException.class, () -> meeting.channel.createId(foreign));
            assertEquals("EADDRNOTAVAIL", nobodys.errnoName());
            assertEquals(Failure.NO_DEVICE, nobodys.failure());
        }
    }

    private static AddressInfo listening(InetSocketAddress at) {
        return new AddressInfo(at, null, PortSpace.TCP, QueuePairType.RC);
    }

    private static void assertInUse(Executable call) {
        var e = assertThrows(CmException.class, call);
        assertEquals("EADDRNOTAVAIL", e.errnoName()); // this is what the kernel says
        assertEquals(Failure.ADDRESS_IN_USE, e.failure());
        assertTrue(e.getMessage().contains("the port is taken"), e.getMessage());
    }

    @Test
    void shouldShareAnAddressWhereAllAllowIt() {
        try (var meeting = new Rendezvous()) {
            ConnectionId first = meeting.id(PortSpace.TCP);
            first.reuseAddress(true);
            first.bind(new InetSocketAddress(Rendezvous.near(), 0));
            ConnectionId second = meeting.id(PortSpace.TCP);
            second.reuseAddress(true);
            second.bind(first.localAddress());
            ConnectionId third = meeting.id(PortSpace.TCP);
            assertThrows(CmException.class, () -> third.bind(first.localAddress()));
        }
    }

    @Test
    void shouldSayThatNoDeviceHasAnAddress() {
        try (var meeting = new Rendezvous()) {
            ConnectionId id = meeting.id(PortSpace.TCP);
            var e = assertThrows(CmException.class, () -> id.bind(socket("192.0.2.1", 7471)));
            assertEquals("EADDRNOTAVAIL", e.errnoName());
            assertEquals(Failure.NO_DEVICE, e.failure());
            ConnectionId loopback = meeting.id(PortSpace.TCP);
            var from = socket("192.0.2.1", 0);
            var to = new InetSocketAddress(Rendezvous.far(), 1);
            try {
                loopback.resolveAddress(from, to, Rendezvous.DEADLINE);
                var event = meeting.expect(loopback, CmEvent.AddressError.class);
                assertTrue(event.status() < 0, event.toString());
            } catch (CmException refused) {
                assertEquals(Failure.NO_DEVICE, refused.failure());
            }
        }
    }

    @Test
    void shouldSayThatNobodyHasAnAddress() {
        try (var meeting = new Rendezvous()) {
            byte[] bytes = Rendezvous.far().getAddress();
            bytes[bytes.length - 1] = (byte) 0xfd;
            ConnectionId id = meeting.id(PortSpace.TCP);
            try {
                id.resolveAddress(new InetSocketAddress(InetAddress.getByAddress(bytes), 1), Duration.ofMillis(300));
            } catch (UnknownHostException e) {
                throw new AssertionError(e);
            }
            var event = meeting.expect(id, CmEvent.AddressError.class);
            assertEquals(-110, event.status()); // ETIMEDOUT
            assertEquals(CmEventType.ADDR_ERROR, event.type());
        }
    }

    @Test
    void shouldExplainCallsInTheWrongOrder() {
        try (var meeting = new Rendezvous()) {
            ConnectionId id = meeting.id(PortSpace.TCP);
            for (Runnable tooEarly : new Runnable[] {
                () -> id.resolveRoute(Rendezvous.DEADLINE),
                () -> id.connect(config -> {}),
                () -> id.accept(config -> {}),
                id::disconnect,
                () -> id.transition(QueuePairState.INIT)
            }) {
                var e = assertThrows(IllegalStateException.class, tooEarly::run);
                assertTrue(e.getMessage().contains("it is CREATED"), e.getMessage());
            }
            id.bind(new InetSocketAddress(Rendezvous.near(), 0));
            var e = assertThrows(CmException.class, () -> id.connect(config -> {}));
            assertTrue(e.getMessage().contains("EINVAL (22): it is BOUND"), e.getMessage());
            assertThrows(CmException.class, () -> id.bind(new InetSocketAddress(Rendezvous.near(), 0)));
            assertThrows(IllegalStateException.class, () -> id.accept(config -> {}));
            assertThrows(IllegalStateException.class, () -> id.reject(PrivateData.NONE));
            assertThrows(CmException.class, id::disconnect);
            assertThrows(IllegalStateException.class, id::establish);
            assertThrows(CmException.class, () -> id.notifyOf(AsyncEventType.COMM_EST));
        }
    }

    @Test
    void shouldRefuseValuesThatAreOutOfRange() {
        try (var meeting = new Rendezvous()) {
            ConnectionId id = meeting.id(PortSpace.TCP);
            var to = new InetSocketAddress(Rendezvous.far(), 1);
            assertThrows(IllegalArgumentException.class, () -> id.resolveAddress(to, Duration.ZERO));
            assertThrows(IllegalArgumentException.class, () -> id.resolveAddress(to, Duration.ofDays(25)));
            assertThrows(IllegalArgumentException.class, () -> id.bind(InetSocketAddress.createUnresolved("a.b", 1)));
            assertThrows(IllegalArgumentException.class, () -> id.listen(-1));
            assertThrows(IllegalArgumentException.class, () -> id.typeOfService(256));
            assertThrows(IllegalArgumentException.class, () -> id.ackTimeout(32));
            assertThrows(IllegalArgumentException.class, () -> id.notifyOf(AsyncEventType.UNKNOWN));
            assertThrows(IllegalArgumentException.class, () -> id.joinMulticast(to));
        }
    }

    @Test
    void shouldTakeOptions() {
        try (var meeting = new Rendezvous()) {
            ConnectionId id = meeting.id(PortSpace.TCP);
            id.typeOfService(0x28);
            id.ackTimeout(14);
            id.reuseAddress(true);
            id.addressFamilyOnly(true);
            ConnectionId datagrams = meeting.id(PortSpace.UDP);
            var e = assertThrows(CmException.class, () -> datagrams.ackTimeout(14));
            assertEquals("rdma_set_option", e.call());
        }
    }

    @Test
    void shouldBindAnIpv6WildcardBesideAnIpv4OneOnlyIfToldTo() {
        try (var meeting = new Rendezvous()) {
            ConnectionId v4 = meeting.id(PortSpace.TCP);
            v4.bind(socket("0.0.0.0", 0));
            v4.listen(1);
            int port = v4.localAddress().getPort();
            ConnectionId both = meeting.id(PortSpace.TCP);
            assertThrows(CmException.class, () -> {
                both.bind(socket("::", port));
                both.listen(1);
            });
            ConnectionId v6 = meeting.id(PortSpace.TCP);
            v6.addressFamilyOnly(true);
            v6.bind(socket("::", port));
            v6.listen(1);
            assertNull(v6.device());
        }
    }

    @Test
    void shouldBindAnIpv6AddressOfADevice() throws SocketException {
        try (var meeting = new Rendezvous()) {
            InetAddress linkLocal = NetworkInterface.getByInetAddress(Rendezvous.near())
                    .inetAddresses()
                    .filter(address -> address instanceof Inet6Address)
                    .findFirst()
                    .orElseThrow();
            ConnectionId id = meeting.id(PortSpace.TCP);
            id.bind(new InetSocketAddress(linkLocal, 0));
            id.listen(1);
            assertNotNull(id.device());
            assertEquals(linkLocal, id.localAddress().getAddress());
        }
    }

    @Test
    void shouldRefuseAllOnceClosed() {
        try (var meeting = new Rendezvous()) {
            ConnectionId id = meeting.id(PortSpace.TCP);
            id.bind(new InetSocketAddress(Rendezvous.near(), 0));
            id.close();
            id.close();
            for (Runnable late : new Runnable[] {
                () -> id.listen(1),
                () -> id.connect(config -> {}),
                id::disconnect,
                id::localAddress,
                id::devicePort,
                id::remoteEce,
                () -> id.migrate(EventChannel.open()),
                () -> id.migrate(meeting.channel), // where it was
                () -> id.typeOfService(1)
            }) {
                assertThrows(IllegalStateException.class, late::run);
            }
        }
    }

    @Test
    void shouldDropEventsOfAnIdThatIsClosed() {
        try (var meeting = new Rendezvous()) {
            var to = new InetSocketAddress(Rendezvous.far(), 1);
            for (int i = 0; i < 50; i++) {
                try (var id = meeting.channel.createId(PortSpace.TCP)) {
                    id.resolveAddress(to, Rendezvous.DEADLINE); // its event is there, or not yet
                }
            }
            assertNull(meeting.channel.poll());
        }
    }
}
