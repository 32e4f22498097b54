// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Sockets of {@code java.net}: what the JDK's own do, those over RDMA do, too. */
interface JavaNetContract {

    int LONG = (int) TestDeadlines.ofSeconds(30).toMillis(); // milliseconds, which no test waits for

    Socket socket() throws IOException;

    ServerSocket serverSocket() throws IOException;

    /** Where servers listen. */
    InetAddress address() throws IOException;

    private ServerSocket listening() throws IOException {
        ServerSocket server = serverSocket();
        server.bind(new InetSocketAddress(address(), 0));
        return server;
    }

    /** Two connected sockets, and the server that accepted one. */
    record Linked(ServerSocket listener, Socket client, Socket server) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            client.close();
            server.close();
            listener.close();
        }
    }

    private Linked linked() throws IOException {
        ServerSocket listener = listening();
        Socket client = socket();
        client.connect(listener.getLocalSocketAddress(), LONG);
        return new Linked(listener, client, listener.accept());
    }

    @Test
    default void shouldExchangeBytes() throws Exception {
        try (Linked linked = linked()) {
            OutputStream out = linked.client.getOutputStream();
            InputStream in = linked.server.getInputStream();
            out.write(200);
            out.write(new byte[] {1, 2, 3, 4}, 1, 2);
            out.write(new byte[0]);
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
            assertTrue(linked.client.isClosed());
            assertEquals(5, in.readAllBytes().length);
            assertEquals(-1, in.read());
            linked.server.close();
            assertEquals(-1, in.read());
        }
    }

    /** A program that forgets a socket leaves its peer no connection for ever. */
    @Test
    default void shouldBeClosedWhenItIsForgotten() throws Exception {
        try (ServerSocket listener = listening();
                Socket server = acceptedFromForgotten(listener)) {
            server.setSoTimeout(100);
            long deadline = System.nanoTime() + TestDeadlines.ofSeconds(30).toNanos();
            int end = 0;
            while (end == 0) {
                assertTrue(System.nanoTime() < deadline, "the connection is still there");
                System.gc();
                try {
                    end = server.getInputStream().read();
                } catch (SocketTimeoutException _) {
                    // not collected yet
                }
            }
            assertEquals(-1, end);
        }
    }

    private Socket acceptedFromForgotten(ServerSocket listener) throws IOException {
        Socket forgotten = socket();
        forgotten.connect(listener.getLocalSocketAddress(), LONG);
        return listener.accept();
    }

    @Test
    default void shouldMoveMoreThanTheBuffersHold() throws Exception {
        byte[] sent = new byte[3_000_000];
        for (int i = 0; i < sent.length; i++) {
            sent[i] = (byte) (i * 31);
        }
        try (Linked linked = linked()) {
            Running<?> writing = Running.of(() -> {
                linked.client.getOutputStream().write(sent);
                linked.client.shutdownOutput();
                return null;
            });
            assertArrayEquals(sent, linked.server.getInputStream().readAllBytes());
            writing.get();
            linked.server.getOutputStream().write(7); // the other direction is open
            assertEquals(7, linked.client.getInputStream().read());
        }
    }

    @Test
    default void shouldGiveUpInTime() throws Exception {
        try (Linked linked = linked()) {
            linked.server.setSoTimeout(30);
            linked.listener.setSoTimeout(30);
            InputStream in = linked.server.getInputStream();
            assertThrows(SocketTimeoutException.class, in::read);
            assertThrows(SocketTimeoutException.class, linked.listener::accept);
            assertFalse(linked.server.isClosed() || linked.listener.isClosed());
            linked.client.getOutputStream().write(9);
            linked.server.setSoTimeout(LONG);
            assertEquals(9, in.read());
            assertEquals(LONG, linked.server.getSoTimeout());
            assertEquals(30, linked.listener.getSoTimeout());
        }
    }

    @Test
    default void shouldTellWhereItIs() throws Exception {
        try (Linked linked = linked()) {
            assertEquals(address(), linked.client.getInetAddress());
            assertEquals(linked.listener.getLocalPort(), linked.client.getPort());
            assertEquals(linked.client.getLocalPort(), linked.server.getPort());
            assertEquals(linked.client.getLocalSocketAddress(), linked.server.getRemoteSocketAddress());
            assertEquals(linked.listener.getLocalPort(), linked.server.getLocalPort());
            assertEquals(address(), linked.listener.getInetAddress());
            assertTrue(linked.listener.getLocalPort() > 0);
        }
        try (Socket unconnected = socket()) {
            assertFalse(unconnected.isBound());
            assertThrows(SocketException.class, unconnected::getInputStream);
            unconnected.bind(new InetSocketAddress(address(), 0));
            assertTrue(unconnected.getLocalPort() > 0);
            assertEquals(address(), unconnected.getLocalAddress());
        }
    }

    @Test
    default void shouldConnectFromABoundSocket() throws Exception {
        try (ServerSocket server = listening();
                Socket client = socket()) {
            client.bind(new InetSocketAddress(address(), 0));
            int port = client.getLocalPort();
            client.connect(server.getLocalSocketAddress());
            try (Socket accepted = server.accept()) {
                assertEquals(port, accepted.getPort());
            }
        }
    }

    @Test
    default void shouldSayWhyItCannotConnect() throws Exception {
        int free;
        try (ServerSocket closed = listening()) {
            free = closed.getLocalPort();
        }
        try (Socket one = socket();
                Socket two = socket()) {
            assertThrows(ConnectException.class, () -> one.connect(new InetSocketAddress(address(), free), LONG));
            assertTrue(one.isClosed());
            var unresolved = InetSocketAddress.createUnresolved("nowhere.invalid", 1);
            assertThrows(UnknownHostException.class, () -> two.connect(unresolved));
            assertTrue(two.isClosed());
        }
        try (Socket bound = socket()) {
            bound.bind(new InetSocketAddress(address(), 0));
            var unresolved = InetSocketAddress.createUnresolved("nowhere.invalid", 1);
            assertThrows(UnknownHostException.class, () -> bound.connect(unresolved));
            assertTrue(bound.isClosed());
        }
        try (Linked linked = linked()) {
            var unresolved = InetSocketAddress.createUnresolved("nowhere.invalid", 1);
            assertThrows(SocketException.class, () -> linked.client.connect(unresolved));
            assertFalse(linked.client.isClosed());
        }
    }

    @Test
    default void shouldEndWaitsByClosing() throws Exception {
        try (Linked linked = linked()) {
            Running<Integer> reading =
                    Running.of(linked.client.getInputStream()::read).awaitBlocked();
            Running<Socket> accepting = Running.of(linked.listener::accept).awaitBlocked();
            linked.client.close();
            linked.listener.close();
            assertEquals(SocketException.class, reading.failure().getClass());
            assertEquals(SocketException.class, accepting.failure().getClass());
            assertEquals(-1, linked.server.getInputStream().read());
        }
    }

    @Test
    default void shouldEndAWriteByClosing() throws Exception {
        try (Linked linked = linked()) {
            Running<?> writing = Running.of(() -> {
                linked.client.getOutputStream().write(new byte[20_000_000]);
                return null;
            });
            writing.awaitBlocked();
            linked.client.close();
            assertInstanceOf(SocketException.class, writing.failure());
        }
    }

    @Test
    default void shouldLeaveAnInterruptToAPlatformThread() throws Exception {
        try (Linked linked = linked()) {
            Running<Integer> reading =
                    Running.of(linked.client.getInputStream()::read).awaitBlocked();
            reading.interrupt();
            linked.server.getOutputStream().write(5);
            assertEquals(5, reading.get());
            assertTrue(reading.wasInterrupted());
            assertFalse(linked.client.isClosed());
        }
    }

    @Test
    default void shouldCloseWhatAnInterruptedVirtualThreadWaitsFor() throws Exception {
        try (Linked linked = linked()) {
            var failure = new CompletableFuture<Integer>();
            InputStream in = linked.client.getInputStream();
            Thread reading = Thread.ofVirtual().start(() -> {
                try {
                    failure.complete(in.read());
                } catch (IOException e) {
                    failure.completeExceptionally(e);
                }
            });
            reading.interrupt(); // whether it waits already or not
            reading.join();
            assertInstanceOf(SocketException.class, failure.exceptionNow());
            assertTrue(linked.client.isClosed());
        }
    }

    @Test
    default void shouldShutEachDirection() throws Exception {
        try (Linked linked = linked()) {
            OutputStream out = linked.client.getOutputStream();
            linked.client.shutdownOutput();
            assertEquals(-1, linked.server.getInputStream().read());
            assertThrows(SocketException.class, () -> out.write(1));
            InputStream in = linked.client.getInputStream();
            linked.client.shutdownInput();
            assertEquals(-1, in.read());
            assertEquals(0, in.available());
        }
    }

    @Test
    default void shouldResetAfterALingerOfZero() throws Exception {
        try (Linked linked = linked()) {
            linked.client.setSoLinger(true, 0);
            linked.client.close();
            InputStream in = linked.server.getInputStream();
            assertThrows(SocketException.class, in::read);
        }
    }

    @Test
    default void shouldTakeOptions() throws Exception {
        try (Linked linked = linked();
                Socket before = socket();
                ServerSocket server = serverSocket()) {
            for (Socket each : new Socket[] {before, linked.client}) {
                assertEquals(-1, each.getSoLinger());
                each.setSoLinger(true, 5);
                assertEquals(5, each.getSoLinger());
                each.setSoLinger(false, 0);
                assertEquals(-1, each.getSoLinger());
                each.setTcpNoDelay(true);
                each.setKeepAlive(true);
                each.setReuseAddress(true);
                assertTrue(each.getTcpNoDelay() && each.getKeepAlive() && each.getReuseAddress());
                each.setOption(StandardSocketOptions.SO_KEEPALIVE, false);
                assertFalse(each.getKeepAlive());
                each.setReceiveBufferSize(20_000);
                each.setSendBufferSize(20_000);
                assertTrue(each.getReceiveBufferSize() > 0 && each.getSendBufferSize() > 0);
                each.setTrafficClass(16);
                each.setOOBInline(true);
                assertTrue(each.getOOBInline());
                assertTrue(each.supportedOptions().contains(StandardSocketOptions.TCP_NODELAY));
                assertThrows(
                        UnsupportedOperationException.class,
                        () -> each.setOption(StandardSocketOptions.IP_MULTICAST_TTL, 1));
            }
            server.setReceiveBufferSize(20_000);
            server.setReuseAddress(true);
            assertTrue(server.getReuseAddress());
            assertTrue(server.supportedOptions().contains(StandardSocketOptions.SO_RCVBUF));
            server.setOption(StandardSocketOptions.SO_RCVBUF, 30_000);
            assertTrue(server.getOption(StandardSocketOptions.SO_RCVBUF) > 0);
        }
    }
}
