// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.ChildJvm;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program without knowledge of RDMA, in a JVM with the one flag. */
class DefaultProviderTest {

    private static final String FLAG =
            "-Djava.nio.channels.spi.SelectorProvider=" + RdmaSelectorProvider.class.getName();

    private static ChildJvm.Result run(String... options) throws Exception {
        return new ChildJvm()
                .options(FLAG, "--enable-native-access=ALL-UNNAMED")
                .options(options)
                .run(Program.class);
    }

    private static int count(String text, String part) {
        return text.split(part, -1).length - 1;
    }

    @Test
    @Tag("unit")
    void shouldGoByTcpWithoutADeviceAndSaySoOnce() throws Exception {
        ChildJvm.Result result = run();
        assertEquals(0, result.status(), result.output());
        assertTrue(result.output().contains("EPollSelectorImpl"), result.output());
        assertEquals(1, count(result.output(), "all sockets use TCP: "), result.output());
        assertEquals(0, count(result.output(), "RdmaSocketChannel"), result.output());
    }

    @Test
    @Tag("unit")
    void shouldNameTheRuleThatCannotBeRead(@TempDir Path folder) throws Exception {
        Path rules = Files.writeString(folder.resolve("rules"), "\nconnect 10.0.0.0/8\n");
        ChildJvm.Result result = run("-Disthmus.nio.rules=" + rules);
        assertEquals(1, result.status(), result.output());
        assertTrue(result.output().contains(rules + ":2: \"connect 10.0.0.0/8\": this is not a rule"), result.output());
        result = run("-Disthmus.nio.connect=10.0.0.0/8 *, * ssh");
        assertTrue(
                result.output()
                        .contains("system property isthmus.nio.connect: \"connect * ssh\": \"ssh\" is not a port"),
                result.output());
        result = run("-Disthmus.nio.rules=" + folder.resolve("nowhere"));
        assertTrue(result.output().contains("isthmus.nio.rules names a file that cannot be read: "), result.output());
    }

    /** A deadlock of two initializers, unless one thread has all of them to itself. */
    @Test
    @Tag("unit")
    void shouldBeCreatedByTwoThreadsAtOnce() {
        ChildJvm.Result result = new ChildJvm()
                .options(FLAG, "--enable-native-access=ALL-UNNAMED")
                .deadline(TestDeadlines.ofSeconds(60))
                .run(TwoThreads.class);
        assertEquals(0, result.status(), result.output());
        assertTrue(result.output().contains("both are there"), result.output());
    }

    @Test
    @Tag("device")
    @Tag("extended")
    @Tag("iwarp")
    void shouldGoAsTheFileSays(@TempDir Path folder) throws Exception {
        Path rules = Files.writeString(folder.resolve("rules"), """
                # this machine
                bind    127.0.0.1   *   # by RDMA

                connect 127.0.0.0/8 1-65535
                """);
        ChildJvm.Result result = run("-Disthmus.nio.rules=" + rules);
        assertEquals(0, result.status(), result.output());
        assertEquals(2, count(result.output(), "by RdmaSocketChannel"), result.output());
        Files.writeString(rules, "bind 192.0.2.1 *\n");
        result = run("-Disthmus.nio.rules=" + rules, "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED");
        assertEquals(0, result.status(), result.output());
        assertEquals(0, count(result.output(), "RdmaSocketChannel"), result.output());
    }

    @Test
    @Tag("device")
    @Tag("extended")
    @Tag("iwarp")
    void shouldGoByRdma() throws Exception {
        ChildJvm.Result result = run();
        assertEquals(0, result.status(), result.output());
        assertEquals(2, count(result.output(), "by RdmaSocketChannel"), result.output());
    }

    @Test
    @Tag("device")
    @Tag("extended")
    @Tag("iwarp")
    void shouldGoByTcpIfAPropertySaysSo() throws Exception {
        ChildJvm.Result result = run(
                "-Disthmus.nio.connect=",
                "-Disthmus.nio.bind=192.0.2.1 *",
                "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED");
        assertEquals(0, result.status(), result.output());
        assertEquals(0, count(result.output(), "RdmaSocketChannel"), result.output());
    }

    /** One thread creates the JVM's default; when it has begun, the other creates a provider of its own. */
    static final class TwoThreads {

        private static final Thread OTHER = new Thread(RdmaSelectorProvider::new);

        private TwoThreads() {}

        public static void main(String[] args) throws Exception {
            var properties = new Properties() {

                private static final long serialVersionUID = 1L;

                @Override
                public String getProperty(String key) {
                    if (key.equals(SelectorProvider.class.getName()) && OTHER.getState() == Thread.State.NEW) {
                        startAndAwaitOther(); // in the initializer of the JDK's default
                    }
                    return super.getProperty(key);
                }
            };
            properties.putAll(System.getProperties());
            System.setProperties(properties);
            System.out.println(SelectorProvider.provider());
            OTHER.join();
            System.out.println("both are there");
        }

        /** Starts the other thread, and waits until that waits for the initializer which this one is in. */
        private static void startAndAwaitOther() {
            OTHER.setDaemon(true);
            OTHER.start();
            StackTraceElement[] frames = {};
            while (frames.length == 0
                    || !frames[0].getClassName().equals(SelectorProvider.class.getName())
                    || !frames[0].getMethodName().equals("provider")) {
                Thread.onSpinWait();
                frames = OTHER.getStackTrace();
            }
        }
    }

    /** Opens sockets by either address, and whatever else a provider opens. */
    static final class Program {

        private Program() {}

        public static void main(String[] args) throws Exception {
            SelectorProvider provider = SelectorProvider.provider();
            if (!(provider instanceof RdmaSelectorProvider)) {
                throw new AssertionError(provider);
            }
            try (ServerSocketChannel server = ServerSocketChannel.open()) {
                server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                try (SocketChannel client = SocketChannel.open(server.getLocalAddress());
                        SocketChannel accepted = server.accept()) {
                    exchange(client, accepted);
                    select(client, accepted);
                    System.out.println("by " + client);
                    System.out.println("by " + accepted);
                }
            }
            Pipe pipe = provider.openPipe();
            pipe.sink().write(ByteBuffer.allocate(1));
            pipe.source().read(ByteBuffer.allocate(1));
            pipe.sink().close();
            pipe.source().close();
            DatagramChannel.open(StandardProtocolFamily.INET).close();
            SocketChannel.open(StandardProtocolFamily.INET6).close();
            SocketChannel.open(StandardProtocolFamily.UNIX).close();
            ServerSocketChannel.open(StandardProtocolFamily.UNIX).close();
            if (System.inheritedChannel() != null) {
                throw new AssertionError("nothing was inherited");
            }
            try (Selector selector = Selector.open()) {
                System.out.println(selector);
            }
        }

        private static void select(SocketChannel one, SocketChannel other) throws IOException {
            try (Selector selector = Selector.open()) {
                other.configureBlocking(false).register(selector, SelectionKey.OP_READ);
                one.write(ByteBuffer.allocate(5));
                if (selector.select() != 1 || other.read(ByteBuffer.allocate(8)) != 5) {
                    throw new AssertionError(selector.selectedKeys());
                }
            }
        }

        private static void exchange(SocketChannel one, SocketChannel other) throws IOException {
            ByteBuffer into = ByteBuffer.allocate(8);
            one.write(ByteBuffer.allocate(5));
            if (other.read(into) != 5 || other.write(into.flip()) != 5 || one.read(into.clear()) != 5) {
                throw new AssertionError(into);
            }
        }
    }
}
