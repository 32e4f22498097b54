// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.agent;

import dev.isthmus.testbed.ChildProgram;
import dev.isthmus.testbed.FreePorts;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
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
    private final List<String> command;
    private ChildProgram program;

    /** One that keeps nothing. */
    ValkeyServer() throws IOException {
        this(List.of());
    }

    private ValkeyServer(List<String> addresses, String... options) throws IOException {
        port = FreePorts.free(host);
        command = new ArrayList<>(List.of(
                PROGRAMS.resolve("valkey-server").toString(),
                "--save",
                "",
                "--protected-mode",
                "no",
                "--maxclients",
                "10000"));
        command.add("--bind");
        command.add(TCP_HOST);
        command.addAll(addresses);
        command.addAll(List.of("--port", "" + port, "--rdma-bind", host.getHostAddress(), "--rdma-port", "" + port));
        command.addAll(List.of(options));
        start();
    }

    /** One that other servers reach by TCP at the same address, as servers know nothing else of each other. */
    static ValkeyServer amongOthers(String... options) throws IOException {
        return new ValkeyServer(List.of(ProgramOverRdma.host().getHostAddress()), options);
    }

    /** Starts it, again if it was killed. */
    void start() {
        program = new ChildProgram(command);
        awaitLine(program, "Ready to accept connections rdma");
    }

    /** Starts a sentinel for this server, which listens for TCP on loopback, and writes its file into a folder. */
    ChildProgram startSentinel(String name, int at, Path folder) throws IOException {
        Path file = folder.resolve("sentinel.conf");
        String address = host.getHostAddress();
        Files.write(
                file,
                List.of(
                        "bind " + TCP_HOST,
                        "port " + at,
                        "dir " + folder,
                        "sentinel monitor " + name + " " + address + " " + port + " 1",
                        "sentinel down-after-milliseconds " + name + " 5000",
                        "sentinel failover-timeout " + name + " 60000"));
        var sentinel = new ChildProgram(PROGRAMS.resolve("valkey-server").toString(), file.toString(), "--sentinel");
        awaitLine(sentinel, "+monitor master " + name + " " + address + " " + port + " quorum 1");
        return sentinel;
    }

    private static void awaitLine(ChildProgram of, String end) {
        long last = System.nanoTime() + TestDeadlines.ofSeconds(60).toNanos();
        while (of.lines().stream().noneMatch(line -> line.endsWith(end))) {
            if (!of.isRunning() || System.nanoTime() > last) {
                throw new AssertionError("valkey-server has not said '" + end + "': " + of.lines());
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

    /** Has it listen for RDMA at another port of the same address. */
    void listenForRdmaAt(int other) throws Exception {
        var cli = new ChildProgram(
                PROGRAMS.resolve("valkey-cli").toString(),
                "-h",
                TCP_HOST,
                "-p",
                "" + port,
                "config",
                "set",
                "rdma-port",
                "" + other);
        List<String> printed = cli.ended(TestDeadlines.ofSeconds(60));
        if (!printed.equals(List.of("OK"))) {
            throw new AssertionError("CONFIG SET rdma-port: " + printed);
        }
    }

    void kill() {
        program.close();
    }

    @Override
    public void close() {
        program.close();
    }
}
