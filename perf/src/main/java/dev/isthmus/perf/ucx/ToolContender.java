// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import dev.isthmus.perf.demo.Children;
import dev.isthmus.perf.demo.UcxPerftest;
import dev.isthmus.perf.perftest.Listening;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** {@code ucx_perftest}: two new processes for each run. */
final class ToolContender implements Contender {

    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final String FINAL = "Final:";

    private final Children children;
    private final List<String> command;

    ToolContender(Children children) throws IOException, InterruptedException {
        this.children = children;
        command = UcxPerftest.words();
    }

    @Override
    public double run(Cell cell, int iterations, int warmUp, double warmUpSeconds)
            throws IOException, InterruptedException {
        int port;
        try (var free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        List<String> words = new ArrayList<>(command);
        words.addAll(List.of("-p", "" + port));
        Map<String, String> environment = Map.of("UCX_TLS", cell.transport().transports());
        Process server = children.start(words, environment);
        Process client = null;
        try {
            Listening.await(port, server, LIMIT);
            words.addAll(List.of("-t", cell.test().title(), "-s", "" + cell.bytes(), "-n", "" + iterations));
            words.addAll(List.of("-w", "" + warmUp, "127.0.0.1"));
            client = children.start(words, environment);
            return Contender.figure(cell, lastLine(client));
        } finally {
            server.destroy();
            if (client != null) {
                client.destroy();
            }
        }
    }

    private static String lastLine(Process client) throws IOException, InterruptedException {
        // Some lines: they fit into the pipe.
        if (!client.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
            throw new IOException("ucx_perftest does not end");
        }
        String said = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return said.lines()
                .filter(line -> line.startsWith(FINAL))
                .map(line -> line.substring(FINAL.length()))
                .findFirst()
                .orElseThrow(() -> new IOException("ucx_perftest ended with status " + client.exitValue()));
    }

    @Override
    public void close() {
        // Nothing is kept between runs.
    }
}
