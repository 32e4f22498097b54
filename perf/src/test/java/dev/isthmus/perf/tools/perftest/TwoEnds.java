// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.perf.process.Listening;
import dev.isthmus.perf.tools.PerftestException;
import dev.isthmus.testbed.OtherProcessor;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.Device;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/** The two ends of a test on this machine's devices: ours in this JVM, and perftest's programs. */
final class TwoEnds implements AutoCloseable {

    static final Duration LIMIT = TestDeadlines.ofSeconds(60);
    static final Observer QUIET = new Observer() {};

    private final String serverDevice = Device.list().getFirst().name();
    private final String clientDevice = Device.list().getLast().name();
    private final List<Process> started = new ArrayList<>();

    static int freePort() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    static Plan plan(PerfTest test, String line) {
        return Plan.of(test, line.split(" ", -1));
    }

    String serverDevice() {
        return serverDevice;
    }

    Plan client(PerfTest test, int port, String flags) {
        return plan(test, "-d " + clientDevice + " -p " + port + " " + flags + " 127.0.0.1");
    }

    Plan server(PerfTest test, int port, String flags) {
        return plan(test, "-d " + serverDevice + " -p " + port + " " + flags);
    }

    /** Starts ours, and returns when it listens. */
    static CompletableFuture<Void> start(Plan plan) throws Exception {
        var listening = new CompletableFuture<Void>();
        CompletableFuture<Void> server = CompletableFuture.runAsync(() -> {
            try {
                Perftest.run(plan, LIMIT, new Observer() {
                    @Override
                    public void waiting() {
                        listening.complete(null);
                    }
                });
            } catch (PerftestException e) {
                throw new CompletionException(e);
            }
        });
        CompletableFuture.anyOf(server, listening).get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        return server;
    }

    /** Starts perftest's server, and returns when it listens. */
    Process startC(PerfTest test, int port, String flags) throws IOException, InterruptedException {
        Process server = c(test, serverDevice, port, flags);
        Listening.await(port, server, LIMIT);
        return server;
    }

    /** Starts perftest's client. */
    Process startCClient(PerfTest test, int port, String flags) throws IOException {
        return c(test, clientDevice, port, flags + " 127.0.0.1");
    }

    private Process c(PerfTest test, String device, int port, String flags) throws IOException {
        List<String> command = new ArrayList<>(List.of(test.program(), "-F", "-d", device, "-p", "" + port));
        command.addAll(List.of(flags.split(" ", -1)));
        Process process = new ProcessBuilder(OtherProcessor.of(command))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        started.add(process);
        return process;
    }

    /** Ends perftest's programs. */
    @Override
    public void close() {
        started.forEach(Process::destroyForcibly);
    }
}
