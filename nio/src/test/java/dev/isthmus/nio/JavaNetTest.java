// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.isthmus.testbed.Allocated;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sockets of {@code java.net} over RDMA, beside the JDK's own. They need no factory, which other tests would get, too. */
class JavaNetTest {

    private static final int ROUND_TRIPS = 1_000;

    /** A socket with an implementation that only a subclass can give it. */
    private static final class RdmaSocket extends Socket {
        RdmaSocket(RdmaSelectorProvider provider) throws SocketException {
            super(new SwitchedSocketImpl(provider));
        }
    }

    private static final class RdmaServer extends ServerSocket {
        private final RdmaSelectorProvider provider;

        RdmaServer(RdmaSelectorProvider provider) {
            super(new SwitchedServerSocketImpl(provider));
            this.provider = provider;
        }

        @Override
        public Socket accept() throws IOException {
            Socket socket = new RdmaSocket(provider);
            acceptInto(socket);
            return socket;
        }

        void acceptInto(Socket socket) throws IOException {
            implAccept(socket);
        }
    }

    private static RdmaSelectorProvider withRules(String... rules) {
        return new RdmaSelectorProvider(JdkProvider.get(), Rules.of("rules", List.of(rules)));
    }

    @Nested
    @Tag("unit")
    class Tcp implements JavaNetContract {

        @Override
        public Socket socket() {
            return new Socket();
        }

        @Override
        public ServerSocket serverSocket() throws IOException {
            return new ServerSocket();
        }

        @Override
        public InetAddress address() {
            return InetAddress.getLoopbackAddress();
        }
    }

    @Nested
    @Tag("device")
    @Tag("iwarp")
    class Rdma implements JavaNetContract {

        private final RdmaSelectorProvider provider = new RdmaSelectorProvider();

        @Override
        public Socket socket() throws IOException {
            return new RdmaSocket(provider);
        }

        @Override
        public ServerSocket serverSocket() {
            return new RdmaServer(provider);
        }

        @Override
        public InetAddress address() {
            return Hosts.far();
        }

        /** Each read sleeps: nobody polls, and the answer comes once the other thread has been woken. */
        @Test
        void shouldAllocateNothingInRoundTrips() throws Exception {
            try (ServerSocket listener = serverSocket();
                    Socket client = socket()) {
                listener.bind(new InetSocketAddress(address(), 0));
                client.connect(listener.getLocalSocketAddress(), LONG);
                client.setOption(RdmaSocketOptions.POLLING, 0);
                try (Socket server = listener.accept()) {
                    server.setOption(RdmaSocketOptions.POLLING, 0);
                    Running<?> echo = Running.of(() -> {
                        InputStream in = server.getInputStream();
                        OutputStream out = server.getOutputStream();
                        var bytes = new byte[300];
                        while (in.readNBytes(bytes, 0, bytes.length) == bytes.length) {
                            out.write(bytes);
                        }
                        return null;
                    });
                    InputStream in = client.getInputStream();
                    OutputStream out = client.getOutputStream();
                    var bytes = new byte[300];
                    Allocated.assertNone(() -> {
                        try {
                            for (int i = 0; i < ROUND_TRIPS; i++) {
                                out.write(bytes);
                                assertEquals(bytes.length, in.readNBytes(bytes, 0, bytes.length));
                            }
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    });
                    client.shutdownOutput();
                    echo.get();
                }
            }
        }
    }

    /** The rules say so: the JDK's own sockets do everything. */
    @Nested
    @Tag("unit")
    class Switched implements JavaNetContract {

        private final RdmaSelectorProvider provider = withRules();

        @Override
        public Socket socket() throws IOException {
            return new RdmaSocket(provider);
        }

        @Override
        public ServerSocket serverSocket() {
            return new RdmaServer(provider);
        }

        @Override
        public InetAddress address() {
            return InetAddress.getLoopbackAddress();
        }
    }

    /** A program may accept into a socket that it made, and has closed. */
    @Test
    @Tag("unit")
    void shouldNotAcceptIntoAClosedSocket() throws Exception {
        var tcp = withRules();
        var used = new RdmaSocket(tcp);
        used.setTcpNoDelay(true); // so that there is something to close
        used.close();
        try (var server = new RdmaServer(tcp);
                var client = new Socket()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            client.connect(server.getLocalSocketAddress());
            assertThrows(SocketException.class, () -> server.acceptInto(used));
            assertEquals(-1, client.getInputStream().read());
        }
    }

    /** The new connection takes the place of the former one, which ends. */
    @Test
    @Tag("unit")
    void shouldEndTheConnectionOfASocketThatIsAcceptedInto() throws Exception {
        try (var server = new RdmaServer(withRules());
                var first = new Socket();
                var second = new Socket()) {
            first.setSoTimeout(JavaNetContract.LONG);
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            first.connect(server.getLocalSocketAddress());
            try (Socket accepted = server.accept()) {
                second.connect(server.getLocalSocketAddress());
                server.acceptInto(accepted);
                assertEquals(-1, first.getInputStream().read());
                second.getOutputStream().write(8);
                assertEquals(8, accepted.getInputStream().read());
            }
        }
    }

    @Test
    @Tag("device")
    void shouldBeReachedByBoth() throws Exception {
        var both = withRules("bind * * tcp", "connect * *");
        try (ServerSocket server = new RdmaServer(both)) {
            server.setSoTimeout(JavaNetContract.LONG);
            server.bind(new InetSocketAddress(Hosts.far(), 0));
            for (var provider : List.of(both, withRules(), both)) {
                try (Socket client = new RdmaSocket(provider)) {
                    client.connect(server.getLocalSocketAddress(), JavaNetContract.LONG);
                    try (Socket accepted = server.accept()) {
                        client.getOutputStream().write(3);
                        assertEquals(3, accepted.getInputStream().read());
                        assertEquals(
                                provider == both, accepted.supportedOptions().contains(RdmaSocketOptions.POLLING));
                    }
                }
            }
            server.setSoTimeout(30);
            assertThrows(SocketTimeoutException.class, server::accept);
        }
    }
}
