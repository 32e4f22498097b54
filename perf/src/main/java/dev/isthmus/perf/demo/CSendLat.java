// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.demo;

import dev.isthmus.perf.perftest.LatencyReport;
import dev.isthmus.perf.perftest.LatencyStatistics;
import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.ToolRun;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** {@code ib_send_lat} with itself: two new processes for each round, which is how people use that program. */
final class CSendLat implements Contestant {

    private static final String PROGRAM = "ib_send_lat";

    /** The tool measures its clock's rate when it starts, and prints this if a busy machine has spoilt that. */
    private static final String NO_FIGURE = "nan";

    private static final int ATTEMPTS = 5;

    private final DevicePair devices;
    private final int port;
    private final Children children;

    CSendLat(DevicePair devices, int port, Children children) {
        this.devices = devices;
        this.port = port;
        this.children = children;
    }

    @Override
    public Latency round(int bytes, int iterations) throws IOException, InterruptedException {
        for (int attempt = 1; attempt < ATTEMPTS; attempt++) {
            String output = run(bytes, iterations);
            if (!output.contains(NO_FIGURE)) {
                return parse(output);
            }
        }
        return parse(run(bytes, iterations));
    }

    private String run(int bytes, int iterations) throws IOException, InterruptedException {
        List<String> client = command(devices.client(), bytes, iterations);
        client.add("127.0.0.1");
        return ToolRun.pair(
                command(devices.server(), bytes, iterations),
                client,
                port,
                Map.of(),
                Contestant.limit(iterations),
                children);
    }

    private static Latency parse(String output) throws IOException {
        try {
            LatencyStatistics figures = LatencyReport.parse(output);
            return new Latency(figures.typical(), figures.average());
        } catch (IllegalArgumentException e) {
            throw new IOException(PROGRAM + " printed no figures: " + e.getMessage(), e);
        }
    }

    private List<String> command(DevicePair.End end, int bytes, int iterations) {
        var command = new ArrayList<>(
                List.of(PROGRAM, "-F", "-d", end.device(), "-p", "" + port, "-s", "" + bytes, "-n", "" + iterations));
        end.gidIndex().ifPresent(index -> command.addAll(List.of("-x", "" + index)));
        return command;
    }
}
