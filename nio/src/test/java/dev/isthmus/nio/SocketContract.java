// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.IllegalBlockingModeException;
import org.junit.jupiter.api.Test;

/** The sockets of channels. */
interface SocketContract {

    int LONG = (int) TestDeadlines.ofSeconds(30).toMillis(); // milliseconds, which no test waits for

    Transport transport();

    private Socket unconnected() throws IOException {
        return transport().open().socket();
    }

    @Test
    default void shouldExchangeBytesByStreams() throws Exception {
        try (ServerSocket listener = transport().openServer().socket();
                Socket client = unconnected()) {
            listener.bind(new InetSocketAddress(transport().serverAddress(), 0));
            client.connect(listener.getLocalSocketAddress(), LONG);
            try (Socket server = listener.accept()) {
                OutputStream out = client.getOutputStream();
                out.write(200);
                out.write(new byte[] {1, 2, 3, 4}, 1, 2);
                out.write(new byte[0]);
                InputStream in = server.getInputStream();
                assertEquals(200, in.read());
                assertArrayEquals(new byte[] {2, 3}, in.readNBytes(2));
                assertEquals(0, in.available());
                out.write(new byte[5]);
                while (in.available() < 5) {
                    Thread.onSpinWait();
                }
                assertEquals(5, in.available());
                assertEquals(0, in.read(new byte[0]));
                assertThrows(IndexOutOfBoundsException.class, () -> in.read(new byte[3], 2, 2));
                assertThrows(IndexOutOfBoundsException.class, () -> out.write(new byte[3], 2, 2));
                out.close();
                assertTrue(client.isClosed());
                assertEquals(5, in.readAllBytes().length);
                assertEquals(-1, in.read());
            }
        }
    }

    @Test
    default void shouldStayUsableAfterATimeout() throws Exception {
        try (var linked = transport().linked()) {
            Socket server = linked.server.socket();
            InputStream in = server.getInputStream();
            server.setSoTimeout(30);
            assertEquals(30, server.getSoTimeout());
            assertThrows(SocketTimeoutException.class, in::read);
            assertThrows(SocketTimeoutException.class, () -> in.read(new byte[7]));
            assertFalse(server.isClosed());
            linked.client.socket().getOutputStream().write(9);
            server.setSoTimeout(LONG);
            assertEquals(9, in.read());
            server.setSoTimeout(0);
            Running<Integer> reading = Running.of(in::read).awaitBlocked();
            linked.client.socket().getOutputStream().write(8);
            assertEquals(8, reading.get());
            assertThrows(IllegalArgumentException.class, () -> server.setSoTimeout(-1));
        }
    }

    @Test
    default void shouldAcceptAfterATimeout() throws Exception {
        try (ServerSocket listener = transport().listening().socket();
                Socket client = unconnected()) {
            listener.setSoTimeout(30);
            assertThrows(SocketTimeoutException.class, listener::accept);
            listener.setSoTimeout(LONG);
            client.connect(listener.getLocalSocketAddress());
            try (Socket accepted = listener.accept()) {
                assertEquals(client.getLocalSocketAddress(), accepted.getRemoteSocketAddress());
                assertSame(accepted, accepted.getChannel().socket());
            }
        }
    }

    @Test
    default void shouldGiveUpConnectingInTime() throws Exception {
        try (var silent = transport().silent();
                Socket client = unconnected()) {
            assertThrows(SocketTimeoutException.class, () -> client.connect(silent.address(), 100));
            assertTrue(client.isClosed());
        }
    }

    @Test
    default void shouldRefuseToConnectAsSocketsDo() throws Exception {
        var unresolved = InetSocketAddress.createUnresolved("nowhere.invalid", 1);
        var unsupported = new SocketAddress() {
            private static final long serialVersionUID = 1;
        };
        try (Socket one = unconnected();
                Socket two = unconnected();
                Socket three = unconnected()) {
            assertThrows(IllegalArgumentException.class, () -> one.connect(null));
            assertThrows(IllegalArgumentException.class, () -> one.connect(new InetSocketAddress(9), -1));
            assertThrows(SocketException.class, () -> one.connect(unsupported));
            assertThrows(SocketException.class, () -> one.bind(unsupported));
            assertThrows(SocketException.class, () -> one.bind(unresolved));
            assertFalse(one.isClosed());
            one.bind(null);
            assertThrows(SocketException.class, () -> one.bind(null));
            assertThrows(UnknownHostException.class, () -> one.connect(unresolved));
            assertTrue(one.isClosed());
            two.getChannel().configureBlocking(false);
            assertThrows(IllegalBlockingModeException.class, () -> two.connect(new InetSocketAddress(9)));
            assertThrows(
                    ConnectException.class,
                    () -> three.connect(new InetSocketAddress(transport().serverAddress(), 9), LONG));
            assertTrue(three.isClosed());
        }
        try (var linked = transport().linked()) {
            var address = linked.listener.getLocalAddress();
            assertThrows(SocketException.class, () -> linked.client.socket().connect(unresolved));
            assertThrows(SocketException.class, () -> linked.client.socket().connect(address));
            assertFalse(linked.client.socket().isClosed());
        }
    }

    @Test
    default void shouldTellItsState() throws Exception {
        Socket socket = unconnected();
        assertFalse(socket.isBound() || socket.isConnected() || socket.isClosed());
        assertNull(socket.getInetAddress());
        assertNull(socket.getLocalSocketAddress());
        assertNull(socket.getRemoteSocketAddress());
        assertEquals(-1, socket.getLocalPort());
        assertEquals(0, socket.getPort());
        assertTrue(socket.getLocalAddress().isAnyLocalAddress());
        assertThrows(SocketException.class, socket::getInputStream);
        assertThrows(SocketException.class, socket::getOutputStream);
        assertThrows(SocketException.class, socket::shutdownOutput);
        assertEquals("Socket[unconnected]", socket.toString());
        socket.close();
        assertTrue(socket.isClosed());
        try (var linked = transport().linked()) {
            Socket client = linked.client.socket();
            InetSocketAddress remote = (InetSocketAddress) linked.client.getRemoteAddress();
            int port = ((InetSocketAddress) linked.client.getLocalAddress()).getPort();
            assertTrue(client.isBound() && client.isConnected());
            assertEquals(
                    "Socket[addr=" + remote.getAddress() + ",port=" + remote.getPort() + ",localport=" + port + "]",
                    client.toString());
            client.close();
            assertTrue(client.isBound() && client.isClosed());
            assertFalse(client.isConnected());
            assertEquals(remote, client.getRemoteSocketAddress());
            assertEquals(remote.getPort(), client.getPort());
            assertEquals(port, client.getLocalPort());
            assertTrue(client.getLocalAddress().isAnyLocalAddress());
            assertFalse(client.isInputShutdown() || client.isOutputShutdown());
        }
    }

    @Test
    default void shouldShutEachDirection() throws Exception {
        try (var linked = transport().linked()) {
            Socket client = linked.client.socket();
            InputStream in = client.getInputStream();
            OutputStream out = client.getOutputStream();
            client.shutdownOutput();
            assertTrue(client.isOutputShutdown());
            assertFalse(client.isInputShutdown());
            assertThrows(SocketException.class, client::getOutputStream);
            assertThrows(IOException.class, () -> out.write(1));
            assertEquals(-1, linked.server.socket().getInputStream().read());
            client.shutdownInput();
            assertTrue(client.isInputShutdown());
            assertThrows(SocketException.class, client::getInputStream);
            assertEquals(-1, in.read());
            assertEquals(0, in.available());
            client.close();
            assertThrows(IOException.class, in::read);
            assertThrows(IOException.class, in::available);
            assertThrows(IOException.class, () -> out.write(1));
        }
    }

    @Test
    default void shouldEndAReadByCloseOrInterrupt() throws Exception {
        for (int timeout : new int[] {0, LONG}) {
            try (var linked = transport().linked()) {
                linked.client.socket().setSoTimeout(timeout);
                linked.server.socket().setSoTimeout(timeout);
                InputStream in = linked.client.socket().getInputStream();
                Running<Integer> closed = Running.of(in::read).awaitBlocked();
                Running<Integer> interrupted = Running.of(linked.server.socket().getInputStream()::read)
                        .awaitBlocked();
                interrupted.interrupt();
                assertInstanceOf(ClosedByInterruptException.class, interrupted.failure());
                assertTrue(interrupted.wasInterrupted());
                assertTrue(linked.server.socket().isClosed());
                assertEquals(-1, closed.get());
                linked.client.socket().close();
            }
        }
    }

    @Test
    default void shouldEndAWriteOfWhichAPartHasGoneByClose() throws Exception {
        try (var linked = transport().linked()) {
            OutputStream out = linked.client.socket().getOutputStream();
            Running<?> writing = Running.of(() -> {
                out.write(new byte[20_000_000]);
                return null;
            });
            writing.awaitBlocked();
            linked.client.close();
            assertInstanceOf(IOException.class, writing.failure());
        }
    }

    @Test
    default void shouldRefuseStreamsOfChannelsThatDoNotBlock() throws Exception {
        try (var linked = transport().linked()) {
            Socket client = linked.client.socket();
            InputStream in = client.getInputStream();
            OutputStream out = client.getOutputStream();
            linked.client.configureBlocking(false);
            assertThrows(IllegalBlockingModeException.class, in::read);
            assertThrows(IllegalBlockingModeException.class, () -> out.write(1));
            linked.listener.configureBlocking(false);
            assertThrows(
                    IllegalBlockingModeException.class,
                    () -> linked.listener.socket().accept());
        }
    }

    @Test
    default void shouldTellTheStateOfAServer() throws Exception {
        ServerSocket server = transport().openServer().socket();
        assertFalse(server.isBound() || server.isClosed());
        assertNull(server.getInetAddress());
        assertNull(server.getLocalSocketAddress());
        assertEquals(-1, server.getLocalPort());
        server.bind(new InetSocketAddress(transport().serverAddress(), 0), 5);
        assertTrue(server.isBound());
        assertEquals(transport().serverAddress(), server.getInetAddress());
        assertThrows(SocketException.class, () -> server.bind(null));
        assertSame(server, server.getChannel().socket());
        Running<Socket> accepting = Running.of(server::accept).awaitBlocked();
        server.close();
        assertInstanceOf(IOException.class, accepting.failure());
        assertTrue(server.isClosed() && server.isBound());
        assertThrows(SocketException.class, () -> server.setSoTimeout(1));
        assertThrows(SocketException.class, server::getReuseAddress);
        assertThrows(IOException.class, server::accept);
    }

    @Test
    default void shouldTakeOptions() throws Exception {
        try (var linked = transport().linked()) {
            Socket client = linked.client.socket();
            assertEquals(-1, client.getSoLinger());
            client.setSoLinger(true, 70_000);
            assertEquals(65_535, client.getSoLinger());
            client.setSoLinger(true, -1);
            assertEquals(-1, client.getSoLinger());
            client.setTcpNoDelay(true);
            client.setKeepAlive(true);
            client.setReuseAddress(true);
            assertTrue(client.getTcpNoDelay() && client.getKeepAlive() && client.getReuseAddress());
            client.setOption(StandardSocketOptions.SO_KEEPALIVE, false);
            assertFalse(client.getKeepAlive());
            client.setReceiveBufferSize(20_000);
            client.setSendBufferSize(20_000);
            assertTrue(client.getReceiveBufferSize() > 0 && client.getSendBufferSize() > 0);
            client.setTrafficClass(16);
            client.setOOBInline(true);
            assertTrue(client.getOOBInline());
            assertThrows(IllegalArgumentException.class, () -> client.setSendBufferSize(0));
            assertThrows(IllegalArgumentException.class, () -> client.setReceiveBufferSize(0));
            assertThrows(IllegalArgumentException.class, () -> client.setTrafficClass(300));
            assertThrows(
                    UnsupportedOperationException.class,
                    () -> client.setOption(StandardSocketOptions.IP_MULTICAST_TTL, 1));
            assertThrows(
                    IllegalArgumentException.class, () -> linked.client.setOption(StandardSocketOptions.SO_SNDBUF, -1));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> linked.client.setOption(StandardSocketOptions.SO_LINGER, null));
            linked.client.setOption(StandardSocketOptions.SO_SNDBUF, 0);
            client.close();
            assertThrows(SocketException.class, client::getTcpNoDelay);
            assertThrows(SocketException.class, () -> client.setSoTimeout(1));
        }
    }
}
