// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.nio.stream.Loopback;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Peculiarities of sockets over RDMA: addresses of devices, and fixed sizes. */
@Tag("device")
@Tag("iwarp")
class RdmaSocketsTest {

    private static void assertReached(RdmaServerSocketChannel server, InetAddress by) throws IOException {
        int port = ((InetSocketAddress) server.getLocalAddress()).getPort();
        try (SocketChannel client = RdmaSocketChannel.open(new InetSocketAddress(by, port));
                SocketChannel accepted = server.accept()) {
            assertEquals(3, client.write(ByteBuffer.allocate(3)));
            assertEquals(3, accepted.read(ByteBuffer.allocate(10)));
            assertEquals(by, ((InetSocketAddress) accepted.getLocalAddress()).getAddress());
            assertEquals(client.getLocalAddress(), accepted.getRemoteAddress());
        }
    }

    @Test
    void shouldBeReachedOverEveryDeviceAtTheWildcard() throws Exception {
        try (var server = RdmaServerSocketChannel.open()) {
            server.bind(null);
            assertReached(server, Hosts.near());
            assertReached(server, Hosts.far());
        }
    }

    @Test
    void shouldSpeakIpv6() throws Exception {
        for (String host : System.getenv("ISTHMUS_ADDRESSES_IPV6").split(" ", -1)) {
            InetAddress address = InetAddress.getByName(host);
            try (var server = RdmaServerSocketChannel.open()) {
                server.bind(new InetSocketAddress(address, 0));
                assertReached(server, address);
                try (var client = RdmaSocketChannel.open()) {
                    int port = ((InetSocketAddress) client.bind(null).getLocalAddress()).getPort(); // of IPv4
                    client.connect(server.getLocalAddress());
                    assertEquals(port, ((InetSocketAddress) client.getLocalAddress()).getPort());
                    server.accept().close();
                }
            }
        }
    }

    @Test
    void shouldTellTheSizesThatItHas() throws Exception {
        try (var server = RdmaServerSocketChannel.open();
                var client = RdmaSocketChannel.open()) {
            server.setOption(StandardSocketOptions.SO_RCVBUF, 40_000).bind(new InetSocketAddress(Hosts.far(), 0));
            client.setOption(StandardSocketOptions.SO_SNDBUF, 30_000).connect(server.getLocalAddress());
            client.setOption(StandardSocketOptions.SO_SNDBUF, 90_000);
            assertEquals(30_000, client.getOption(StandardSocketOptions.SO_SNDBUF));
            try (SocketChannel accepted = server.accept()) {
                assertEquals(40_000, accepted.getOption(StandardSocketOptions.SO_RCVBUF));
            }
        }
    }

    /** No part of an unconnected socket may be the system's. */
    @Test
    void shouldSayAllThatSocketsDoByTheChannel() {
        assertEquals(Set.of("setPerformancePreferences"), inherited(ChannelSocket.class, Socket.class));
        assertEquals(Set.of("setPerformancePreferences"), inherited(ChannelServerSocket.class, ServerSocket.class));
    }

    private static Set<String> inherited(Class<?> type, Class<?> parent) {
        Set<String> names = new TreeSet<>();
        for (Method method : type.getMethods()) {
            if (method.getDeclaringClass() == parent && !Modifier.isStatic(method.getModifiers())) {
                names.add(method.getName());
            }
        }
        return names;
    }

    @Test
    void shouldLetOnlyThisMachineInAtLoopback() throws Exception {
        assertTrue(Loopback.isOfThisMachine(Hosts.near()));
        assertTrue(Loopback.isOfThisMachine(InetAddress.getLoopbackAddress()));
        for (String stranger : List.of("10.0.0.77", "192.0.2.1", "2001:db8::1")) {
            assertTrue(!Loopback.isOfThisMachine(InetAddress.getByName(stranger)), stranger);
        }
        try (var server = RdmaServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            int port = ((InetSocketAddress) server.getLocalAddress()).getPort();
            try (var client = RdmaSocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                    SocketChannel accepted = server.accept()) {
                assertTrue(client.isConnected() && accepted.isConnected());
            }
            assertThrows(IOException.class, () -> RdmaSocketChannel.open(new InetSocketAddress(Hosts.far(), port + 1)));
        }
    }
}
