// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which channels use RDMA, which use TCP, and servers that can be reached by both. */
@Tag("device")
@Tag("iwarp")
class RdmaSelectorProviderTest {

    private static RdmaSelectorProvider withRules(String... lines) {
        return new RdmaSelectorProvider(JdkProvider.get(), Rules.of("rules", List.of(lines)));
    }

    private static InetSocketAddress far(int port) {
        return new InetSocketAddress(Hosts.far(), port);
    }

    private static int portOf(ServerSocketChannel server) throws IOException {
        return ((InetSocketAddress) server.getLocalAddress()).getPort();
    }

    private static void assertLinked(SocketChannel client, SocketChannel server) throws IOException {
        assertEquals(3, client.write(ByteBuffer.allocate(3)));
        assertEquals(3, server.read(ByteBuffer.allocate(10)));
        assertEquals(client.getLocalAddress(), server.getRemoteAddress());
        client.close();
        assertEquals(-1, server.read(ByteBuffer.allocate(10)));
        server.close();
    }

    private static void end(ServerSocketChannel server) throws IOException {
        server.close();
    }

    private static SocketChannel chosen(SocketChannel channel) {
        return ((SwitchedSocketChannel) channel).chosen();
    }

    @Test
    void shouldGoAsTheRulesSay() throws Exception {
        var all = new RdmaSelectorProvider();
        try (ServerSocketChannel rdma = all.openServerSocketChannel().bind(far(0));
                ServerSocketChannel tcp = withRules().openServerSocketChannel().bind(far(0))) {
            assertInstanceOf(RdmaServerSocketChannel.class, ((SwitchedServerSocketChannel) rdma).chosen());
            var rules = withRules(
                    "connect " + Hosts.far().getHostAddress() + "/31 " + portOf(rdma),
                    "bind " + Hosts.near().getHostAddress() + " *");
            try (SocketChannel client = rules.openSocketChannel()) {
                assertNull(chosen(client));
                client.connect(rdma.getLocalAddress());
                assertInstanceOf(RdmaSocketChannel.class, chosen(client));
                assertLinked(client, rdma.accept());
            }
            try (SocketChannel client = rules.openSocketChannel()) {
                client.connect(tcp.getLocalAddress());
                assertEquals(withRules().jdk(), chosen(client).provider());
                assertLinked(client, tcp.accept());
            }
            try (SocketChannel client = rules.openSocketChannel().bind(new InetSocketAddress(Hosts.near(), 0))) {
                assertInstanceOf(RdmaSocketChannel.class, chosen(client));
                client.connect(rdma.getLocalAddress());
                assertLinked(client, rdma.accept());
            }
        }
    }

    /** Without a rule: an address of no device, and a network that no device reaches. */
    @Test
    void shouldGoByTcpWhereNoDeviceLeads() throws Exception {
        assertTrue(Addresses.isCarriedTo(Hosts.far()));
        assertTrue(Addresses.isCarriedTo(InetAddress.getLoopbackAddress()));
        assertTrue(Addresses.isCarriedAt(Hosts.near()));
        assertTrue(!Addresses.isCarriedAt(InetAddress.getByName("192.0.2.1")));
        assertTrue(!Addresses.isCarriedTo(InetAddress.getByName("198.51.100.7")), "the testbed has no such route");
    }

    @Test
    void shouldKeepOptionsUntilItIsDecided() throws Exception {
        var rules = withRules("connect * 1");
        try (SocketChannel client = rules.openSocketChannel();
                ServerSocketChannel tcp = rules.openServerSocketChannel()) {
            client.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            client.setOption(RdmaSocketOptions.SEND_QUEUE, 50);
            client.setOption(StandardSocketOptions.IP_TOS, 16);
            assertEquals(true, client.getOption(StandardSocketOptions.SO_KEEPALIVE));
            assertEquals(16, client.getOption(StandardSocketOptions.IP_TOS));
            tcp.setOption(StandardSocketOptions.SO_REUSEPORT, true).bind(far(0));
            assertEquals(true, tcp.getOption(StandardSocketOptions.SO_REUSEPORT));
            client.configureBlocking(false);
            client.connect(tcp.getLocalAddress());
            assertEquals(true, chosen(client).getOption(StandardSocketOptions.SO_KEEPALIVE));
            assertEquals(16, client.getOption(StandardSocketOptions.IP_TOS));
            assertTrue(!chosen(client).isBlocking());
        }
        try (SocketChannel client = rules.openSocketChannel()) {
            client.setOption(RdmaSocketOptions.SEND_QUEUE, 50);
            client.setOption(StandardSocketOptions.IP_TOS, 16);
            client.configureBlocking(false);
            client.connect(far(1));
            assertEquals(50, chosen(client).getOption(RdmaSocketOptions.SEND_QUEUE));
        }
    }

    @Test
    void shouldBeReachedByBothAtOnePort() throws Exception {
        var both = withRules("bind * * tcp", "connect * *");
        var tcp = withRules();
        try (ServerSocketChannel server = both.openServerSocketChannel()) {
            if (Hosts.isIwarp()) {
                var e = assertThrows(BindException.class, () -> server.bind(far(0)));
                assertTrue(e.getMessage().contains("iWARP shares TCP's ports"), e.getMessage());
                return;
            }
            server.bind(far(0));
            for (RdmaSelectorProvider provider : List.of(both, tcp, both)) {
                try (SocketChannel client = provider.openSocketChannel()) {
                    client.connect(far(portOf(server)));
                    SocketChannel accepted = server.accept();
                    assertEquals(provider == both, accepted instanceof RdmaSocketChannel);
                    assertLinked(client, accepted);
                }
            }
            server.configureBlocking(false);
            assertNull(server.accept());
            try (SocketChannel client = tcp.openSocketChannel()) {
                client.connect(far(portOf(server)));
                SocketChannel accepted;
                do {
                    accepted = server.accept();
                } while (accepted == null);
                assertLinked(client, accepted);
            }
            for (RdmaSelectorProvider provider : List.of(both, tcp)) {
                try (SocketChannel client = provider.openSocketChannel();
                        Selector selector = both.openSelector()) {
                    server.register(selector, SelectionKey.OP_ACCEPT);
                    assertEquals(0, selector.selectNow());
                    client.connect(far(portOf(server)));
                    assertEquals(1, selector.select());
                    assertLinked(client, server.accept());
                }
            }
            server.configureBlocking(true);
            server.socket().setSoTimeout(20);
            assertThrows(SocketTimeoutException.class, () -> server.socket().accept());
            assertThrows(
                    BindException.class, () -> tcp.openServerSocketChannel().bind(far(portOf(server))));
        }
    }

    @Test
    void shouldEndAnAcceptOfBoth() throws Exception {
        if (Hosts.isIwarp()) {
            return; // see above: it cannot be bound
        }
        var both = withRules("bind * * tcp");
        for (boolean byInterrupt : new boolean[] {true, false}) {
            try (ServerSocketChannel server = both.openServerSocketChannel().bind(far(0))) {
                int port = portOf(server);
                Running<?> accepting = Running.of(server::accept).awaitBlocked();
                if (byInterrupt) {
                    accepting.interrupt();
                } else {
                    end(server);
                }
                assertEquals(
                        byInterrupt ? ClosedByInterruptException.class : AsynchronousCloseException.class,
                        accepting.failure().getClass());
                assertTrue(!server.isOpen());
                try (ServerSocketChannel next = both.openServerSocketChannel()) {
                    assertEquals(port, portOf(next.bind(far(port)))); // it is free again, of both
                }
            }
        }
    }
}
