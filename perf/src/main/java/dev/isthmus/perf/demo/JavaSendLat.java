// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.demo;

import dev.isthmus.RdmaException;
import dev.isthmus.perf.perftest.LatencyStatistics;
import dev.isthmus.perf.perftest.Observer;
import dev.isthmus.perf.perftest.PerfTest;
import dev.isthmus.perf.perftest.Perftest;
import dev.isthmus.perf.perftest.Plan;
import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.JavaChild;
import dev.isthmus.perf.process.Listening;
import dev.isthmus.perf.process.Placement;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Isthmus's {@code send_lat} with itself. The client is this JVM; the server is another one, which stays up between
 * rounds. Each round is a whole session of the protocol.
 */
final class JavaSendLat implements Contestant {

    /** A JVM in the testbed takes seconds to start, but a minute or more on a busy machine. */
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private final int port;
    private final JavaChild server;
    private DevicePair.End end;

    /** Starts the second JVM early, as it takes a while to answer. */
    JavaSendLat(int port, Children children) throws IOException {
        this.port = port;
        this.server = new JavaChild(children, Placement.SERVER, Map.of(), "demo-send-lat-server", "" + port);
    }

    /** Sets the client's device; the server finds its own in the same way. */
    void use(DevicePair devices) {
        end = devices.client();
    }

    @Override
    public Latency round(int bytes, int iterations) throws IOException, InterruptedException {
        try {
            LatencyStatistics figures = LatencyStatistics.ofRoundTrips(session(bytes, iterations));
            return new Latency(figures.typical(), figures.average());
        } catch (IOException | RdmaException e) {
            server.checkCrash(e);
            throw e;
        }
    }

    private long[] session(int bytes, int iterations) throws IOException, InterruptedException {
        server.tell(bytes + " " + iterations);
        Listening.await(port, server.process(), LIMIT);
        long[][] posted = new long[1][];
        Perftest.run(plan(end, Optional.of("127.0.0.1"), port, bytes, iterations), Duration.ZERO, new Observer() {
            @Override
            public void latency(int size, long[] times) {
                posted[0] = times;
            }
        });
        // The server answers when its end is closed, too: its next session must not meet the rest of this one.
        server.answer();
        return posted[0];
    }

    static Plan plan(DevicePair.End end, Optional<String> server, int port, int bytes, int iterations) {
        var flags =
                new ArrayList<>(List.of("-d", end.device(), "-p", "" + port, "-s", "" + bytes, "-n", "" + iterations));
        end.gidIndex().ifPresent(index -> flags.addAll(List.of("-x", "" + index)));
        server.ifPresent(flags::add);
        return Plan.of(PerfTest.SEND_LAT, flags.toArray(String[]::new));
    }

    @Override
    public void close() {
        server.close();
    }
}
