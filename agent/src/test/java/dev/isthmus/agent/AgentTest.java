// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.ChildJvm;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program that knows nothing of RDMA, with the agent. Neither Isthmus nor a flag of it is on its command line. */
class AgentTest {

    @TempDir
    Path folder;

    /** The class path of the program alone. */
    private static String programs() {
        return Path.of(Program.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .getPath())
                .toString();
    }

    private ChildJvm.Result run(String options, String... arguments) throws IOException {
        return new ChildJvm()
                .options("-javaagent:" + AgentJar.in(folder) + options, "--illegal-native-access=deny")
                .classPath(programs())
                .run(Program.class, arguments);
    }

    @Test
    @Tag("unit")
    void shouldNameTheOptionsThatThereAre() throws IOException {
        for (String wrong : List.of("=conect=*", "=connect", "=*")) {
            ChildJvm.Result result = run(wrong, "127.0.0.1");
            assertEquals(1, result.status(), result.output());
            assertTrue(result.output().contains("is no option of the agent"), result.output());
            assertTrue(result.output().contains("\n  connect "), result.output());
            assertFalse(result.output().contains("\tat "), result.output());
        }
    }

    @Test
    @Tag("unit")
    void shouldRefuseAMalformedRule() throws IOException {
        ChildJvm.Result result = run("=connect=10.0.0.0/99 *", "127.0.0.1");
        assertEquals(1, result.status(), result.output());
        assertTrue(result.output().contains("isthmus-agent: system property isthmus.nio.connect:"), result.output());
        assertFalse(result.output().contains("\tat "), result.output());
    }

    @Test
    @Tag("unit")
    void shouldLeaveToTcpWhatNoRuleNames() throws IOException {
        ChildJvm.Result result = run("=connect=;bind=", "127.0.0.1");
        assertEquals(0, result.status(), result.output());
        assertTrue(
                result.output()
                        .contains("isthmus-agent: sockets use RDMA where these rules say so: bind=; connect="
                                + " (channels, asynchronous channels, java.net)"),
                result.output());
        assertTrue(result.output().contains("java.net over TCP, channels over TCP"), result.output());
    }

    @Test
    @Tag("device")
    void shouldTakeAProgramToRdma() throws IOException {
        String address = System.getenv("ISTHMUS_ADDRESSES").split(" ", 2)[1];
        ChildJvm.Result result = run("=connect=" + address + " *;bind=" + address + " *", address);
        assertEquals(0, result.status(), result.output());
        assertTrue(result.output().contains("java.net over RDMA, channels over RDMA"), result.output());
        assertEquals(2, result.output().lines().count(), result.output()); // no warning of the JVM, for instance
    }

    /** Says one thing to itself by each kind of socket. */
    static final class Program {

        private Program() {}

        public static void main(String[] arguments) throws Exception {
            var address = new InetSocketAddress(arguments[0], 0);
            System.out.println(javaNet(address) + ", " + channels(address));
            AsynchronousSocketChannel.open().close();
            try (Selector selector = Selector.open();
                    DatagramChannel datagrams = DatagramChannel.open()) { // needs an export of the JDK
                datagrams.configureBlocking(false).register(selector, 0);
            }
        }

        private static String over(Iterable<SocketOption<?>> options) {
            for (SocketOption<?> option : options) {
                if (option.getClass().getName().startsWith("dev.isthmus.")) {
                    return "over RDMA";
                }
            }
            return "over TCP";
        }

        private static String javaNet(InetSocketAddress address) throws IOException {
            try (var server = new ServerSocket()) {
                server.bind(address);
                try (var client = new Socket(server.getInetAddress(), server.getLocalPort());
                        Socket accepted = server.accept()) {
                    client.getOutputStream().write(7);
                    check(accepted.getInputStream().read() == 7);
                    return "java.net " + over(client.supportedOptions());
                }
            }
        }

        private static String channels(InetSocketAddress address) throws IOException {
            try (ServerSocketChannel server = ServerSocketChannel.open().bind(address);
                    SocketChannel client = SocketChannel.open(server.getLocalAddress());
                    SocketChannel accepted = server.accept()) {
                client.write(ByteBuffer.wrap(new byte[] {7}));
                check(accepted.read(ByteBuffer.allocate(1)) == 1);
                return "channels " + over(client.supportedOptions());
            }
        }

        private static void check(boolean holds) {
            if (!holds) {
                throw new AssertionError();
            }
        }
    }
}
