// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.CmException;
import dev.isthmus.CmException.Failure;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Connections between IPv6 addresses on the two ends of the link. */
@Tag("device")
@Tag("iwarp")
class Ipv6Test {

    private static final Duration DEADLINE = TestDeadlines.ofSeconds(30);

    /** The link-local address of the interface that has this other address. */
    private static InetAddress linkLocal(InetAddress other) throws SocketException {
        return NetworkInterface.getByInetAddress(other)
                .inetAddresses()
                .filter(InetAddress::isLinkLocalAddress)
                .findFirst()
                .orElseThrow();
    }

    /**
     * A link-local address in the form in which the connecting side names it: with the interface by which it
     * is reached.
     */
    private static InetAddress across(InetAddress address, InetAddress from) throws UnknownHostException {
        return Inet6Address.getByAddress(null, address.getAddress(), ((Inet6Address) from).getScopeId());
    }

    /** Sends one message over a connection between a listener and a connector that must have these addresses. */
    private static void exchange(InetAddress near, InetAddress far, InetAddress seenFromNear)
            throws InterruptedException {
        try (Listener listener = Listener.bind(
                new InetSocketAddress(far, 0),
                config -> config.connections(setup -> setup.prepare(Ipv6Test::postReceive)))) {
            int port = listener.localAddress().getPort();
            assertEquals(far, listener.localAddress().getAddress());
            var to = new InetSocketAddress(seenFromNear, port);
            Task<String> client = Task.start(() -> {
                try (Connection connection = Connector.connect(
                        to,
                        DEADLINE,
                        setup -> setup.from(new InetSocketAddress(near, 0)).prepare(Ipv6Test::postReceive))) {
                    assertEquals(to, connection.peerAddress());
                    return received(connection);
                }
            });
            try (Connection connection = listener.accept(DEADLINE)) {
                InetAddress peer = connection.peerAddress().getAddress();
                assertEquals(Inet6Address.class, peer.getClass());
                assertTrue(Arrays.equals(near.getAddress(), peer.getAddress()), peer.toString());
                RegisteredMemory memory = connection.allocate(4096);
                memory.segment().setString(0, "over IPv6");
                assertTrue(connection
                        .queuePair()
                        .tryPost(SendRequest.prepare(memory.region()).range(0, 64)));
                assertEquals("over IPv6", client.get());
                assertEquals(Failure.DISCONNECTED, connection.awaitEnd(DEADLINE).failure());
            }
        }
    }

    private static void postReceive(Connection connection) {
        RegisteredMemory memory = connection.allocate(4096, AccessFlag.LOCAL_WRITE);
        connection.id().attach(memory);
        assertTrue(connection.queuePair().tryPost(ReceiveRequest.prepare(memory.region())));
    }

    private static String received(Connection connection) throws InterruptedException {
        WorkCompletions done = WorkCompletions.allocate(1);
        assertEquals(1, connection.await(done, DEADLINE));
        assertTrue(done.isSuccess(0), done.toString());
        return ((RegisteredMemory) connection.id().attachment()).segment().getString(0);
    }

    @Test
    void shouldConnectLinkLocalAddresses() throws Exception {
        InetAddress near = linkLocal(Rendezvous.near());
        InetAddress far = linkLocal(Rendezvous.far());
        exchange(near, far, across(far, near));
    }

    @Test
    void shouldSayThatALinkLocalAddressNeedsAScope() throws Exception {
        InetAddress bare =
                Inet6Address.getByAddress(null, linkLocal(Rendezvous.far()).getAddress(), -1);
        try (var meeting = new Rendezvous()) {
            ConnectionId id = meeting.id(PortSpace.TCP);
            var to = new InetSocketAddress(bare, 1);
            var e = assertThrows(IllegalArgumentException.class, () -> id.resolveAddress(to, Duration.ofSeconds(1)));
            assertTrue(e.getMessage().contains("add a scope"), e.getMessage());
            assertThrows(IllegalArgumentException.class, () -> id.bind(to));
        }
    }

    @Test
    void shouldConnectUniqueLocalAddresses() throws Exception {
        String both = System.getenv().getOrDefault("ISTHMUS_ADDRESSES_IPV6", "");
        if (both.isEmpty()) { // not in the testbed's vm, where nobody has such an address
            var nobody = new InetSocketAddress(InetAddress.getByName("fd69:7374:686d::1"), 0);
            var e = assertThrows(CmException.class, () -> Listener.bind(nobody));
            assertEquals(Failure.NO_DEVICE, e.failure());
            return;
        }
        InetAddress near = address(both, 0);
        InetAddress far = address(both, 1);
        exchange(near, far, far);
    }

    private static InetAddress address(String both, int which) throws UnknownHostException {
        return InetAddress.getByName(both.split(" ", 2)[which]);
    }

    @Test
    void shouldTellAnEventOfAnIpv6Listener() throws Exception {
        InetAddress near = linkLocal(Rendezvous.near());
        InetAddress far = linkLocal(Rendezvous.far());
        try (var meeting = new Rendezvous()) {
            ConnectionId listener = meeting.id(PortSpace.TCP);
            listener.bind(new InetSocketAddress(far, 0));
            listener.listen(4);
            ConnectionId active = meeting.id(PortSpace.TCP);
            var to = new InetSocketAddress(
                    across(far, near), listener.localAddress().getPort());
            meeting.resolveAddress(active, new InetSocketAddress(near, 0), to);
            active.resolveRoute(DEADLINE);
            meeting.expect(active, CmEvent.RouteResolved.class);
            meeting.queuePair(active);
            active.connect(config -> config.privateData(PrivateData.of("six")));
            var request = meeting.expect(listener, CmEvent.ConnectRequest.class);
            assertEquals("six", request.parameters().privateData().text());
            meeting.queuePair(request.id());
            request.id().accept(config -> {});
            meeting.expect(active, CmEvent.Established.class);
            assertEquals(
                    active.localAddress().getPort(), request.id().peerAddress().getPort());
        }
    }
}
