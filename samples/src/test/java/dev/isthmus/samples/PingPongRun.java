// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import dev.isthmus.testbed.OtherProcessor;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.DeviceContext;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** A C program and a sample as each other's peer: the server on the first device, the client on the last one. */
final class PingPongRun implements AutoCloseable {

    static final long LIMIT_SECONDS = TestDeadlines.seconds(280);

    /** {@code TCP_LISTEN}, in the kernel's table. */
    private static final String LISTEN = "0A";

    private final List<Process> started = new ArrayList<>();
    private final List<Device> devices = Device.list();
    private final int gidIndex;
    final int port;

    /** How a program ended. */
    record Outcome(int status, List<String> lines, List<String> errors) {

        /** The lines without what differs between ends and between runs. */
        List<String> shape() {
            return lines.stream()
                    .map(line -> line.replaceAll("0x[0-9a-f]{6}|[0-9]+\\.[0-9]{2}", "#")
                            .replaceAll("GID .*", "GID"))
                    .toList();
        }

        /** The addresses that it printed as its own, or as its peer's. */
        List<String> addresses(String whose) {
            String begin = "  " + whose + " address:";
            return lines.stream()
                    .filter(line -> line.startsWith(begin))
                    .map(line -> line.substring(begin.length()).strip().replace(": GID", ", GID"))
                    .toList();
        }
    }

    PingPongRun() throws IOException {
        try (DeviceContext context = devices.getLast().open()) {
            gidIndex = context.defaultGid(1).index();
        }
        try (var socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
    }

    private List<String> arguments(boolean server, String... more) {
        var arguments = new ArrayList<String>(List.of("-p", "" + port, "-g", "" + gidIndex, "-d"));
        arguments.add((server ? devices.getFirst() : devices.getLast()).name());
        arguments.addAll(List.of(more));
        if (!server) {
            arguments.add("127.0.0.1");
        }
        return arguments;
    }

    /** Starts a sample. */
    FutureTask<Outcome> java(Callable<Integer> sample, boolean server, String... options) {
        var task = new FutureTask<>(() -> {
            var out = new StringWriter();
            var err = new StringWriter();
            String[] arguments = arguments(server, options).toArray(String[]::new);
            int status = PingPongOptions.commandLine(sample)
                    .setOut(new PrintWriter(out, true))
                    .setErr(new PrintWriter(err, true))
                    .execute(arguments);
            return new Outcome(
                    status,
                    out.toString().lines().toList(),
                    err.toString().lines().toList());
        });
        Thread.ofPlatform().daemon().start(task);
        return task;
    }

    /** Starts a C program. */
    FutureTask<Outcome> c(String program, boolean server, String... options) throws IOException {
        var command = new ArrayList<>(List.of(program));
        command.addAll(arguments(server, options));
        Path out = Files.createTempFile("isthmus", ".out");
        Path err = Files.createTempFile("isthmus", ".err");
        Process process = new ProcessBuilder(OtherProcessor.of(command))
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        started.add(process);
        var task = new FutureTask<>(() -> {
            boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
            process.destroyForcibly().waitFor();
            var outcome =
                    new Outcome(ended ? process.exitValue() : -1, Files.readAllLines(out), Files.readAllLines(err));
            Files.delete(out);
            Files.delete(err);
            return outcome;
        });
        Thread.ofPlatform().daemon().start(task);
        return task;
    }

    /** Returns when a server listens. This is looked up, because a connection would count as the client. */
    void awaitListener(FutureTask<Outcome> server) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (!isListening()) {
            if (server.isDone() || System.nanoTime() - end > 0) {
                throw new AssertionError("no server listens: " + server.get(0, TimeUnit.SECONDS));
            }
            Thread.onSpinWait();
        }
    }

    private boolean isListening() throws IOException {
        String address = String.format(Locale.ROOT, ":%04X", port);
        for (Path table : List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"))) {
            for (String line : Files.readAllLines(table)) {
                String[] fields = line.strip().split("\\s+", 5);
                if (fields.length > 3 && fields[1].endsWith(address) && fields[3].equals(LISTEN)) {
                    return true;
                }
            }
        }
        return false;
    }

    static Outcome ended(FutureTask<Outcome> program) throws Exception {
        return program.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        started.forEach(Process::destroyForcibly);
    }
}
