// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NoConnectionPendingException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import org.junit.jupiter.api.Test;

/** How channels are bound and connected. */
interface ConnectContract {

    Transport transport();

    private InetSocketAddress nobody() {
        return new InetSocketAddress(transport().serverAddress(), 9);
    }

    @Test
    default void shouldTellBothAddresses() throws Exception {
        try (var linked = transport().linked()) {
            assertTrue(linked.client.isConnected());
            assertTrue(linked.client.finishConnect());
            assertEquals(linked.listener.getLocalAddress(), linked.client.getRemoteAddress());
            assertEquals(linked.listener.getLocalAddress(), linked.server.getLocalAddress());
            assertEquals(linked.client.getLocalAddress(), linked.server.getRemoteAddress());
            assertThrows(AlreadyConnectedException.class, () -> linked.client.connect(nobody()));
            assertThrows(AlreadyBoundException.class, () -> linked.client.bind(null));
            assertTrue(linked.client.isOpen());
        }
    }

    @Test
    default void shouldConnectFromWhereItIsBound() throws Exception {
        try (ServerSocketChannel listener = transport().listening();
                SocketChannel client = transport().open()) {
            assertNull(client.getLocalAddress());
            client.bind(new InetSocketAddress(transport().serverAddress(), 0));
            var bound = (InetSocketAddress) client.getLocalAddress();
            assertNotEquals(0, bound.getPort());
            assertThrows(AlreadyBoundException.class, () -> client.bind(null));
            client.connect(listener.getLocalAddress());
            try (SocketChannel server = listener.accept()) {
                assertEquals(bound, server.getRemoteAddress());
                assertEquals(bound, client.getLocalAddress());
            }
        }
    }

    @Test
    default void shouldBindToAPortOfTheKernelsChoice() throws Exception {
        try (SocketChannel client = transport().open();
                ServerSocketChannel server = transport().openServer()) {
            assertNotEquals(0, ((InetSocketAddress) client.bind(null).getLocalAddress()).getPort());
            assertNull(server.getLocalAddress());
            assertNotEquals(0, ((InetSocketAddress) server.bind(null).getLocalAddress()).getPort());
            assertThrows(AlreadyBoundException.class, () -> server.bind(null));
        }
    }

    @Test
    default void shouldRefuseAnAddressInUse() throws Exception {
        try (ServerSocketChannel first = transport().listening();
                ServerSocketChannel second = transport().openServer();
                SocketChannel client = transport().open()) {
            SocketAddress used = first.getLocalAddress();
            assertThrows(BindException.class, () -> second.bind(used));
            assertThrows(BindException.class, () -> client.bind(used));
            assertNotEquals(used, second.bind(null).getLocalAddress());
            assertNotEquals(used, client.bind(null).getLocalAddress());
        }
    }

    @Test
    default void shouldRefuseAddressesThatAreNone() throws Exception {
        var unresolved = InetSocketAddress.createUnresolved("nowhere.invalid", 1);
        var unsupported = new SocketAddress() {
            private static final long serialVersionUID = 1;
        };
        try (SocketChannel client = transport().open();
                ServerSocketChannel server = transport().openServer()) {
            assertThrows(UnresolvedAddressException.class, () -> client.connect(unresolved));
            assertThrows(UnresolvedAddressException.class, () -> client.bind(unresolved));
            assertThrows(UnresolvedAddressException.class, () -> server.bind(unresolved));
            assertThrows(UnsupportedAddressTypeException.class, () -> client.connect(unsupported));
            assertThrows(UnsupportedAddressTypeException.class, () -> client.bind(unsupported));
            assertThrows(UnsupportedAddressTypeException.class, () -> server.bind(unsupported));
            assertThrows(NullPointerException.class, () -> client.connect(null));
            assertTrue(client.isOpen());
            assertTrue(server.isOpen());
        }
    }

    @Test
    default void shouldRefuseWhatNeedsAConnection() throws Exception {
        try (SocketChannel client = transport().open();
                ServerSocketChannel server = transport().openServer()) {
            ByteBuffer one = ByteBuffer.allocate(1);
            assertThrows(NotYetConnectedException.class, () -> client.read(one));
            assertThrows(NotYetConnectedException.class, () -> client.write(one));
            assertThrows(NotYetConnectedException.class, () -> client.read(new ByteBuffer[] {one}));
            assertThrows(NotYetConnectedException.class, () -> client.write(new ByteBuffer[] {one}));
            assertThrows(NotYetConnectedException.class, client::shutdownInput);
            assertThrows(NotYetConnectedException.class, client::shutdownOutput);
            assertThrows(NoConnectionPendingException.class, client::finishConnect);
            assertThrows(NotYetBoundException.class, server::accept);
            assertNull(client.getRemoteAddress());
            assertTrue(client.isOpen());
        }
    }

    @Test
    default void shouldBeClosedWhenItIsRefused() throws Exception {
        try (SocketChannel blocking = transport().open();
                SocketChannel polled = transport().open()) {
            assertThrows(ConnectException.class, () -> blocking.connect(nobody()));
            assertFalse(blocking.isOpen());
            polled.configureBlocking(false);
            assertThrows(ConnectException.class, () -> {
                boolean connected = polled.connect(nobody());
                while (!connected) {
                    connected = polled.finishConnect();
                }
            });
            assertFalse(polled.isOpen());
            assertFalse(polled.isConnectionPending());
        }
    }

    @Test
    default void shouldConnectWithoutBlocking() throws Exception {
        try (ServerSocketChannel listener = transport().listening();
                SocketChannel client = transport().open()) {
            client.configureBlocking(false);
            boolean connected = client.connect(listener.getLocalAddress());
            assertEquals(!connected, client.isConnectionPending());
            while (!connected) {
                connected = client.finishConnect();
            }
            assertTrue(client.isConnected());
            assertFalse(client.isConnectionPending());
            listener.accept().close();
        }
    }

    @Test
    default void shouldRefuseASecondConnectWhileOneIsPending() throws Exception {
        try (var silent = transport().silent();
                SocketChannel client = transport().open()) {
            client.configureBlocking(false);
            assertFalse(client.connect(silent.address()));
            assertTrue(client.isConnectionPending());
            assertFalse(client.isConnected());
            assertFalse(client.finishConnect());
            assertThrows(ConnectionPendingException.class, () -> client.connect(silent.address()));
            assertThrows(ConnectionPendingException.class, () -> client.bind(null));
            assertThrows(NotYetConnectedException.class, () -> client.read(ByteBuffer.allocate(1)));
            assertTrue(client.isConnectionPending());
        }
    }

    @Test
    default void shouldRefuseAllOnceItIsClosed() throws Exception {
        try (var linked = transport().linked()) {
            SocketAddress address = linked.listener.getLocalAddress();
            SocketChannel closed = linked.client;
            closed.close();
            closed.close();
            linked.listener.close();
            ByteBuffer one = ByteBuffer.allocate(1);
            assertThrows(ClosedChannelException.class, () -> closed.read(one));
            assertThrows(ClosedChannelException.class, () -> closed.write(one));
            assertThrows(ClosedChannelException.class, () -> closed.write(new ByteBuffer[] {one}));
            assertThrows(ClosedChannelException.class, () -> closed.connect(address));
            assertThrows(ClosedChannelException.class, closed::finishConnect);
            assertThrows(ClosedChannelException.class, () -> closed.bind(null));
            assertThrows(ClosedChannelException.class, closed::shutdownInput);
            assertThrows(ClosedChannelException.class, closed::shutdownOutput);
            assertThrows(ClosedChannelException.class, closed::getLocalAddress);
            assertThrows(ClosedChannelException.class, closed::getRemoteAddress);
            assertThrows(ClosedChannelException.class, () -> closed.getOption(StandardSocketOptions.SO_RCVBUF));
            assertThrows(ClosedChannelException.class, () -> closed.configureBlocking(false));
            assertThrows(ClosedChannelException.class, linked.listener::accept);
            assertThrows(ClosedChannelException.class, () -> linked.listener.bind(null));
            assertFalse(closed.isConnected());
        }
    }

    @Test
    default void shouldAcceptFirstInFirstOutAndWithoutBlocking() throws IOException {
        try (ServerSocketChannel listener = transport().listening();
                SocketChannel first = transport().open();
                SocketChannel second = transport().open()) {
            listener.configureBlocking(false);
            assertNull(listener.accept());
            first.connect(listener.getLocalAddress());
            second.connect(listener.getLocalAddress());
            try (SocketChannel one = awaitOne(listener);
                    SocketChannel two = awaitOne(listener)) {
                assertEquals(first.getLocalAddress(), one.getRemoteAddress());
                assertEquals(second.getLocalAddress(), two.getRemoteAddress());
                assertTrue(one.isBlocking());
                assertNull(listener.accept());
            }
        }
    }

    private static SocketChannel awaitOne(ServerSocketChannel listener) throws IOException {
        SocketChannel accepted;
        do {
            accepted = listener.accept();
        } while (accepted == null);
        return accepted;
    }
}
