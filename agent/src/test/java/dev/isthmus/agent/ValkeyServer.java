// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.agent;

import dev.isthmus.testbed.ChildProgram;
import dev.isthmus.testbed.FreePorts;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A valkey-server that is reached over RDMA, and by TCP only on loopback: {@code testbed/valkey} has built it. */
final class ValkeyServer implements AutoCloseable {

    private static final Path PROGRAMS = Path.of(System.getProperty("isthmus.valkey", "not-built"));

    /** Where it listens for TCP. */
    static final String TCP_HOST = "127.0.0.1";

    private final InetAddress host = ProgramOverRdma.host();
    private final int port;
    private ChildProgram program;

    ValkeyServer() throws IOException {
        port = FreePorts.free(host);
        start();
    }

    /** Starts it, again if it was killed. */
    void start() {
        String address = host.getHostAddress();
        program = new ChildProgram(
                PROGRAMS.resolve("valkey-server").toString(),
                "--save",
                "",
                "--protected-mode",
                "no",
                "--bind",
                TCP_HOST,
                "--port",
                "" + port,
                "--maxclients",
                "10000",
                "--rdma-bind",
                address,
                "--rdma-port",
                "" + port);
        long end = System.nanoTime() + TestDeadlines.ofSeconds(60).toNanos();
        while (program.lines().stream().noneMatch(line -> line.endsWith("Ready to accept connections rdma"))) {
            if (!program.isRunning() || System.nanoTime() > end) {
                throw new AssertionError("valkey-server has not started: " + program.lines());
            }
            Thread.onSpinWait();
        }
    }

    int port() {
        return port;
    }

    ChildProgram program() {
        return program;
    }

    /** Starts valkey-cli or valkey-benchmark, over RDMA. */
    static ChildProgram client(String name, int port, String... arguments) {
        var command = new ArrayList<>(List.of(
                PROGRAMS.resolve(name).toString(),
                "--rdma",
                "-h",
                ProgramOverRdma.host().getHostAddress(),
                "-p",
                "" + port));
        command.addAll(List.of(arguments));
        return new ChildProgram(command);
    }

    void kill() {
        program.close();
    }

    @Override
    public void close() {
        program.close();
    }
}
