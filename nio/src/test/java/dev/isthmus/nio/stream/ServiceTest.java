// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.CmException;
import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.cm.ConnectionId;
import dev.isthmus.cm.EventChannel;
import dev.isthmus.cm.PortSpace;
import dev.isthmus.loop.EventLoop;
import dev.isthmus.nio.Hosts;
import dev.isthmus.nio.OpenFiles;
import dev.isthmus.nio.RdmaSelectorProvider;
import dev.isthmus.nio.RdmaServerSocketChannel;
import dev.isthmus.nio.RdmaSocketChannel;
import dev.isthmus.testbed.ChildJvm;
import dev.isthmus.verbs.Device;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ServiceTest {

    @Test
    @Tag("unit")
    void shouldSayEachTimeWhatIsMissing() throws Exception {
        var nowhere = new InetSocketAddress(InetAddress.getByName("192.0.2.1"), 9);
        for (int i = 0; i < 2; i++) {
            try (RdmaSocketChannel channel = RdmaSocketChannel.open()) {
                assertThrows(RdmaUnavailableException.class, () -> channel.connect(nowhere));
            }
            try (RdmaServerSocketChannel channel = RdmaServerSocketChannel.open()) {
                assertThrows(RdmaUnavailableException.class, () -> channel.bind(nowhere));
            }
        }
    }

    @Test
    @Tag("device")
    @Tag("iwarp")
    void shouldStartOnceThereAreDescriptorsAgain() {
        ChildJvm.Result result = new ChildJvm()
                .under("prlimit", "--nofile=256:256")
                .options("--enable-native-access=ALL-UNNAMED")
                .run(Program.class);
        assertEquals(0, result.status(), result.output());
        assertTrue(result.output().contains("connected"), result.output());
    }

    /** Connects for the first time with too many open files, and then with few again. */
    static final class Program {

        private Program() {}

        public static void main(String[] args) throws Exception {
            loadClasses();
            var nowhere = new InetSocketAddress(Hosts.far(), 9);
            OpenFiles files = OpenFiles.all();
            try (RdmaSocketChannel channel = RdmaSocketChannel.open()) {
                assertLacksFiles(() -> channel.connect(nowhere));
            }
            files.close();
            var _ = bindByProvider(); // loads the classes
            files = OpenFiles.all();
            assertLacksFiles(Program::bindByProvider);
            files.close();
            try (RdmaServerSocketChannel server = RdmaServerSocketChannel.open()) {
                server.bind(new InetSocketAddress(Hosts.far(), 0));
                try (RdmaSocketChannel client = RdmaSocketChannel.open(server.getLocalAddress());
                        RdmaSocketChannel accepted = server.accept()) {
                    client.write(ByteBuffer.allocate(3));
                    System.out.println("connected, " + accepted.read(ByteBuffer.allocate(10)) + " bytes");
                }
            }
        }

        /** Asks first whether a device has the address. */
        private static SocketChannel bindByProvider() throws IOException {
            try (SocketChannel channel = new RdmaSelectorProvider().openSocketChannel()) {
                return channel.bind(new InetSocketAddress(Hosts.near(), 0));
            }
        }

        private static void assertLacksFiles(Callable<?> what) throws Exception {
            try {
                what.call();
                throw new AssertionError("done without a descriptor");
            } catch (IOException e) {
                if (!e.getMessage().contains("too many open files")) {
                    throw e;
                }
            }
        }

        /** What the failure needs, for which there is no descriptor then. */
        private static void loadClasses() throws Exception {
            Class.forName(Service.class.getName());
            Class.forName(Loopback.class.getName());
            Class.forName("dev.isthmus.nio.Addresses");
            Class.forName("dev.isthmus.nio.SocketState$Event");
            RdmaSocketChannel.open().close();
            Device.list();
            EventLoop.start().close();
            try (EventChannel channel = EventChannel.open();
                    ConnectionId id = channel.createId(PortSpace.TCP)) {
                id.bind(new InetSocketAddress("192.0.2.1", 0));
                throw new AssertionError("there is no such address");
            } catch (CmException e) {
                System.out.println("as it should be: " + e.getMessage());
            }
        }
    }
}
