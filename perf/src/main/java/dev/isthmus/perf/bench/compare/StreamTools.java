// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.Placement;
import dev.isthmus.perf.process.Ports;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** {@code rstream}: two new processes for each run. */
final class StreamTools implements Contender {

    /** The head of the table, which a server prints once it listens. */
    private static final String HEAD = "usec/xfer";

    private final Venue venue;
    private final Children children;

    StreamTools(Venue venue, Children children) {
        this.venue = venue;
        this.children = children;
    }

    @Override
    public boolean warmsUp() {
        return false;
    }

    @Override
    public int lanes(Point point) {
        return 1;
    }

    @Override
    public Measured run(Point point, long iterations, Duration limit) throws IOException, InterruptedException {
        int port = Ports.free();
        var lane = new ToolLane(
                new ToolLane.End(server(point, port, iterations), Map.of(), Placement.SERVER),
                new ToolLane.End(client(point, port, iterations), Map.of(), Placement.CLIENT),
                port,
                children,
                serving -> serving.awaitPrinted(HEAD),
                output -> StreamFlags.read(point.benchmark(), iterations, output));
        return ToolLane.run(List.of(lane), limit);
    }

    /** What it prints arrives line by line. */
    private List<String> server(Point point, int port, long iterations) {
        List<String> command = new ArrayList<>(List.of("stdbuf", "-oL", StreamFlags.PROGRAM));
        command.addAll(StreamFlags.server(point, venue.server(), port, iterations));
        return command;
    }

    private List<String> client(Point point, int port, long iterations) {
        List<String> command = new ArrayList<>(List.of(StreamFlags.PROGRAM));
        command.addAll(StreamFlags.client(point, venue.client(), venue.server(), port, iterations));
        return command;
    }

    @Override
    public String command(Point point, long iterations) {
        return Contender.byHand(
                point,
                String.join(" ", Placement.SERVER.of(server(point, 7471, iterations))),
                String.join(" ", Placement.CLIENT.of(client(point, 7471, iterations))),
                1);
    }

    @Override
    public void close() {
        // Nothing is kept between runs.
    }
}
