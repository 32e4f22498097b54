// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.programs;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.ChildJvm;
import dev.isthmus.testbed.ChildProgram;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Starts somebody else's program on a class path of its own, as docs/how-to/programs.md says. */
record OverRdma(String module, List<String> options) {

    private static final List<String> FLAGS = List.of(
            "-Djava.nio.channels.spi.SelectorProvider=dev.isthmus.nio.RdmaSelectorProvider",
            "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
            "--enable-native-access=ALL-UNNAMED");

    private static final int LOWEST_PORT = 10_000;

    private static int lastPort; // 0 before the first

    private static final Path HOME = Path.of(System.getProperty("isthmus.home", ".."));

    /**
     * Prepares a start.
     *
     * @param module the folder under programs/ whose class path it is
     * @param options what the JVM needs besides the flags; the page names it, too
     */
    static OverRdma of(String module, String... options) throws IOException {
        String page = Files.readString(HOME.resolve("docs/how-to/programs.md"));
        FLAGS.forEach(flag -> assertTrue(page.contains(flag), "the page does not name " + flag));
        for (String option : options) {
            assertTrue(page.contains(option), "the page does not name " + option);
        }
        return new OverRdma(module, List.of(options));
    }

    /** Starts a class with a main method. */
    ChildProgram start(String main, String... arguments) throws IOException {
        Path target = HOME.resolve("programs").resolve(module).resolve("target");
        String classes = Stream.of("programs/" + module, "nio", "api", "bindings/ibverbs", "bindings/ucx", "testbed")
                .map(each -> HOME.resolve(each).resolve("target/classes") + ":")
                .collect(Collectors.joining());
        return new ChildProgram(new ChildJvm()
                .options(FLAGS.toArray(String[]::new))
                .options(options.toArray(String[]::new))
                .classPath(classes + Files.readString(target.resolve("test.classpath")))
                .command(main, arguments));
    }

    /**
     * A port of an address, a different one each time, that is free in TCP, and in RDMA, too, unless a test has taken
     * it. No client gets it before a server binds it.
     */
    static synchronized int freePort(InetAddress address) throws IOException {
        if (lastPort == 0) {
            lastPort = clientPorts();
        }
        while (true) {
            lastPort--;
            try (var socket = new ServerSocket(lastPort, 1, address)) {
                return socket.getLocalPort();
            } catch (BindException e) {
                if (lastPort <= LOWEST_PORT) {
                    throw e;
                }
            }
        }
    }

    /** Where the ports begin that the kernel gives to clients; or where they usually begin, if that leaves too few. */
    static int clientPorts() throws IOException {
        try (var file = Files.newBufferedReader(Path.of("/proc/sys/net/ipv4/ip_local_port_range"))) {
            String range = file.readLine(); // in one read: some kernels return nothing for a second one
            int begin = Integer.parseInt(range.strip().split("\\s+", 2)[0]);
            return begin > 2 * LOWEST_PORT ? begin : 32_768;
        }
    }
}
