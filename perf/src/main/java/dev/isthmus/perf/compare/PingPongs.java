// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import dev.isthmus.perf.Machine;
import dev.isthmus.perf.Side;
import dev.isthmus.perf.Turns;
import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.Tool;
import dev.isthmus.ucx.UcxVersion;
import dev.isthmus.verbs.Device;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Ping-pongs in C and in Java, made as a comparison makes them, for other tables. */
public final class PingPongs {

    /** Only the warm-up matters here; the cells say the rest. */
    private static final Comparison.Options OPTIONS = new Comparison.Options(1, 1, 10);

    /** A message takes less than this wherever it runs. */
    private static final double MESSAGE_SECONDS = 1e-3;

    private final String title;
    private final Machine machine;
    private final Contenders contenders;
    private final Optional<UcxRoute> route;

    private PingPongs(String title, Machine machine, Contenders contenders, Optional<UcxRoute> route) {
        this.title = title;
        this.machine = machine;
        this.contenders = contenders;
        this.route = route;
    }

    /**
     * Ping-pongs of SENDs, between the devices that a comparison without {@code --devices} uses.
     *
     * @param children own the processes of the contenders
     * @throws IOException if perftest is not installed
     */
    public static PingPongs ofSends(Children children) throws IOException {
        var _ = Device.first(); // complains if there is none
        Venue venue = Venue.of(List.of());
        Map<String, String> versions = Map.of(
                "libibverbs",
                Here.verbs(),
                "perftest",
                Tool.firstLine("ib_send_lat", "--version").replace("Version: ", ""));
        return new PingPongs(
                "verbs", Machine.here(where(venue), versions), contenders(venue, children), Optional.empty());
    }

    /**
     * Ping-pongs of tagged messages of UCX over shared memory.
     *
     * @param children own the processes of the contenders
     */
    public static PingPongs ofTags(Children children) {
        var memory = UcxRoute.Transport.SHM;
        Machine machine = Machine.here(
                "shared memory (UCX_TLS=" + memory.transports() + ") on " + Machine.virtualization(),
                Map.of("UCX", UcxVersion.loaded().toString()));
        return new PingPongs(
                "UCX",
                machine,
                contenders(Venue.loopback(), children),
                Optional.of(new UcxRoute(memory, UcxRoute.Operation.TAG)));
    }

    private static Contenders contenders(Venue venue, Children children) {
        return new Contenders(venue, VerbsTwin.none(""), children, OPTIONS);
    }

    private static String where(Venue venue) {
        String from = venue.client().device().orElseThrow();
        String to = venue.server().device().orElseThrow();
        return (venue.client().software() ? "software RDMA" : "RDMA hardware") + " ("
                + (from.equals(to) ? from + " with itself" : from + " to " + to) + ") on " + Machine.virtualization();
    }

    /** Where they are measured, and the versions of what is compared. */
    public Machine machine() {
        return machine;
    }

    /** A run with this many messages of each end. */
    public Turns.Cell cell(int bytes, int iterations) {
        return new Turns.Cell(title + ", " + bytes + " B", bytes, iterations);
    }

    /** The contender that measures for a side: new processes of a tool for each run, or two JVMs that stay. */
    public Turns.Contender contender(Side side) throws IOException, InterruptedException {
        boolean c = side == Side.C;
        Way send = c ? Way.C_VERBS_SEND : Way.JAVA_VERBS_SEND;
        Way tag = c ? Way.C_UCX : Way.JAVA_UCX;
        var any = new Point(route.isPresent() ? tag : send, Benchmark.PING_PONG, 1, 1, 0, route);
        return new Pair(any, contenders.of(any));
    }

    /** Both ends. */
    private record Pair(Point any, Contender contender) implements Turns.Contender {

        private Point point(Turns.Cell cell) {
            return new Point(any.way(), any.benchmark(), cell.bytes(), 1, 0, any.route());
        }

        private static Measured run(Contender contender, Point point, long iterations, double seconds)
                throws IOException, InterruptedException {
            return contender.run(point, iterations, Comparison.limit(seconds));
        }

        @Override
        public void warmUp(Turns.Cell cell) throws IOException, InterruptedException {
            // Its figures are compared even if it does not become steady in time.
            var _ = new WarmUp(OPTIONS, new Pace(), Pair::run, () -> false, System::nanoTime)
                    .run(contender, point(cell));
        }

        /** Half a round trip. */
        @Override
        public Turns.Figure measure(Turns.Cell cell) throws IOException, InterruptedException {
            Measured trip = run(contender, point(cell), cell.iterations(), cell.iterations() * MESSAGE_SECONDS);
            return new Turns.Figure(trip.typicalMicros() / 2, trip.averageMicros() / 2);
        }

        @Override
        public void close() {
            contender.close();
        }
    }
}
