// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.Placement;
import dev.isthmus.perf.process.Ports;
import dev.isthmus.perf.tools.ucx.UcxPerftest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** {@code ucx_perftest}: two new processes for each run. */
final class UcxTools implements Contender {

    private static final String HOST = "127.0.0.1";

    private final Venue venue;
    private final Children children;
    private final List<String> command;

    UcxTools(Venue venue, Children children) throws IOException, InterruptedException {
        this.venue = venue;
        this.children = children;
        command = UcxPerftest.words();
    }

    @Override
    public boolean warmsUp() {
        return false;
    }

    @Override
    public int lanes(Point point) {
        return UcxFlags.lanes(point);
    }

    @Override
    public Measured run(Point point, long iterations, Duration limit) throws IOException, InterruptedException {
        List<ToolLane> lanes = new ArrayList<>();
        List<Integer> ports = Ports.free(lanes(point));
        for (int i = 0; i < ports.size(); i++) {
            // With two directions, every second lane goes the other way.
            boolean back = point.benchmark() == Benchmark.BOTH_WAYS && i % 2 == 1;
            int port = ports.get(i);
            var near = new ToolLane.End(
                    server(port),
                    environment(point, back ? venue.client() : venue.server()),
                    back ? Placement.CLIENT : Placement.SERVER);
            var far = new ToolLane.End(
                    client(point, iterations, port),
                    environment(point, back ? venue.server() : venue.client()),
                    back ? Placement.SERVER : Placement.CLIENT);
            lanes.add(new ToolLane(near, far, port, children, output -> read(point, iterations, output)));
        }
        return ToolLane.run(lanes, limit);
    }

    private static Map<String, String> environment(Point point, Venue.End end) {
        return UcxFlags.environment(end, point.route().map(UcxRoute::transport));
    }

    private List<String> server(int port) {
        List<String> words = new ArrayList<>(command);
        words.addAll(List.of("-p", "" + port));
        return words;
    }

    private List<String> client(Point point, long iterations, int port) {
        List<String> words = server(port);
        words.addAll(UcxFlags.of(point, iterations));
        words.add(HOST);
        return words;
    }

    /** Reads the client's output. */
    static Measured read(Point point, long iterations, String output) throws IOException {
        UcxPerftest.Results results = UcxPerftest.parse(output);
        return UcxFlags.measured(
                        point.benchmark(),
                        point.route().isPresent(),
                        results.averageMicros(),
                        results.percentileMicros(),
                        results.messagesPerSecond(),
                        iterations)
                .withMessages(0); // it does not say how long its warm-up was
    }

    @Override
    public String command(Point point, long iterations) {
        return Contender.byHand(
                point,
                variables(point, venue.server()) + String.join(" ", Placement.SERVER.of(server(13337))),
                variables(point, venue.client())
                        + String.join(" ", Placement.CLIENT.of(client(point, iterations, 13337))),
                lanes(point));
    }

    /** The environment variables in a shell's notation, to put before a command. */
    private static String variables(Point point, Venue.End end) {
        var out = new StringBuilder();
        environment(point, end)
                .forEach((name, value) ->
                        out.append(name).append('=').append(value).append(' '));
        return out.toString();
    }

    @Override
    public void close() {
        // Nothing is kept between runs.
    }
}
