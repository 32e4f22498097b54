// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.demo;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** {@code ucx_perftest -t tag_lat} against itself: two new processes for each round. */
final class CTagLat implements Contestant {

    /** Its own warm-up, before it counts; what it takes when not told otherwise. */
    private static final int WARM_UP_ITERATIONS = 10_000;

    private static final String FINAL = "Final:";

    private final Map<String, String> environment;
    private final int port;
    private final Children children;

    CTagLat(Map<String, String> environment, int port, Children children) {
        this.environment = environment;
        this.port = port;
        this.children = children;
    }

    @Override
    public Latency round(int bytes, int iterations) throws IOException, InterruptedException {
        List<String> command = UcxPerftest.words();
        command.addAll(List.of("-t", "tag_lat", "-p", "" + port, "-s", "" + bytes, "-n", "" + iterations));
        command.addAll(List.of("-w", "" + WARM_UP_ITERATIONS));
        try (var server = new ToolRun(Placement.SERVER, command, environment, children)) {
            server.awaitListening(port);
            command.add("127.0.0.1");
            try (var client = new ToolRun(Placement.CLIENT, command, environment, children)) {
                String output = client.awaitOutput(iterations);
                server.awaitOutput(iterations);
                return parse(output);
            }
        }
    }

    /** Finds the median and the overall average in the line that ends the output. */
    static Latency parse(String output) throws IOException {
        for (String line : output.split("\n", -1)) {
            String[] fields = line.strip().split("\\s+", -1);
            if (fields[0].equals(FINAL) && fields.length >= 5) {
                return new Latency(Double.parseDouble(fields[2]), Double.parseDouble(fields[4]));
            }
        }
        throw new IOException("no final figures in what ucx_perftest printed: " + output.strip());
    }

    @Override
    public void close() {
        // Nothing is kept between rounds.
    }
}
