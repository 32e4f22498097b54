// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.ChildJvm;
import dev.isthmus.testbed.ChildProgram;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Runs the command on running JVMs. */
class RunningJvmTest {

    private final StringWriter out = new StringWriter();

    /** A program that has a connection, and keeps it. */
    static final class Connected {

        private Connected() {}

        public static void main(String[] args) throws Exception {
            try (ServerSocketChannel server = ServerSocketChannel.open()) {
                server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                try (SocketChannel client = SocketChannel.open(server.getLocalAddress())) {
                    System.out.println("connected " + client.getRemoteAddress());
                    new CountDownLatch(1).await(); // until it is killed
                }
            }
        }
    }

    private int doctor(String... arguments) {
        return new CommandLine(new DoctorCommand())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(out))
                .execute(arguments);
    }

    private int doctorOf(String... options) throws InterruptedException {
        try (var program = new ChildProgram(new ChildJvm().options(options).command(Connected.class))) {
            program.await("connected ");
            return doctor("--pid", "" + program.pid());
        }
    }

    private void assertSays(String part) {
        assertTrue(out.toString().contains(part), () -> "not there: " + part + "\n" + out);
    }

    @Test
    @Tag("unit")
    void shouldNameWhatAPlainJvmLacks() throws InterruptedException {
        assertEquals(1, doctorOf(), out.toString());
        assertSays("sockets of the JVM: does not work\n  ok    JDK "
                + Runtime.version().feature());
        assertSays(
                "FIX   its channels are opened by the JDK's provider, and use TCP\n        -> -Djava.nio.channels.spi");
        assertSays("ok    Isthmus is on its class path\n");
        assertSays("-> --enable-native-access=ALL-UNNAMED\n");
        assertSays("-> --add-exports java.base/sun.nio.ch=ALL-UNNAMED,");
        assertSays("ok    no rules: ");
        assertSays("note  it has no RDMA device open");
    }

    @Test
    @Tag("device")
    @Tag("iwarp")
    void shouldFindNothingToMendWhereSocketsGoByRdma() throws InterruptedException {
        int status = doctorOf(
                "-Djava.nio.channels.spi.SelectorProvider=dev.isthmus.nio.RdmaSelectorProvider",
                "-Djava.nio.channels.spi.AsynchronousChannelProvider=dev.isthmus.nio.RdmaAsynchronousChannelProvider",
                "-Disthmus.nio.connect=* *",
                "--enable-native-access=ALL-UNNAMED",
                "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED");
        assertEquals(0, status, out.toString());
        String sockets = out.toString().substring(out.toString().indexOf("sockets of the JVM: works\n"));
        assertFalse(sockets.contains("FIX"), sockets);
        assertSays("ok    native access is granted\n");
        assertSays("ok    its rules are valid: isthmus.nio.connect\n");
        assertSays("ok    it has RDMA devices open");
    }

    @Test
    @Tag("unit")
    void shouldSayThatAProcessIsNoJvm() {
        try (var other = new ChildProgram("sleep", "60")) {
            assertEquals(1, doctor("--pid", "" + other.pid()), out.toString());
            assertSays("FIX   process " + other.pid() + " does not answer: it must be a JVM of this user");
            assertTrue(other.isRunning());
        }
    }

    @Test
    @Tag("unit")
    void shouldAskForTheProcessWhoseSocketsAreMeant() {
        assertEquals(2, doctor("--for", "sockets"));
        assertSays("name its process with --pid");
    }
}
