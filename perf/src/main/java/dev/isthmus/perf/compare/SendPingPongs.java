// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import dev.isthmus.perf.Machine;
import dev.isthmus.perf.Side;
import dev.isthmus.perf.Turns;
import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.Tool;
import dev.isthmus.verbs.Device;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Ping-pongs of SENDs between this machine's devices in C and in Java, as a comparison makes them, for other tables. */
public final class SendPingPongs {

    /**
     * A run.
     *
     * @param iterations messages of each end
     */
    public record Cell(int bytes, int iterations) implements Turns.Cell {

        @Override
        public String title() {
            return "verbs, " + bytes + " B";
        }
    }

    /** Of the warm-up alone; the cells tell the rest. */
    private static final Comparison.Options OPTIONS = new Comparison.Options(1, 1, 10);

    /** A message takes less wherever this runs. */
    private static final double MESSAGE_SECONDS = 1e-3;

    private final Venue venue;
    private final Children children;

    /**
     * Finds the devices that a comparison without {@code --devices} uses.
     *
     * @param children the processes that those of the contenders belong to
     */
    public SendPingPongs(Children children) throws IOException {
        var _ = Device.first(); // complains if there is none
        venue = Venue.of(List.of());
        this.children = children;
    }

    /** Between which devices, in words. */
    public String where() {
        String from = venue.client().device().orElseThrow();
        String to = venue.server().device().orElseThrow();
        return (venue.client().software() ? "software RDMA" : "RDMA hardware") + " ("
                + (from.equals(to) ? from + " with itself" : from + " to " + to) + ") on " + Machine.virtualization();
    }

    /** The versions of what is compared; throws if perftest is not installed. */
    public Map<String, String> versions() throws IOException {
        return Map.of(
                "libibverbs",
                Here.verbs(),
                "perftest",
                Tool.firstLine("ib_send_lat", "--version").replace("Version: ", ""));
    }

    /** Who measures for a side: new processes of perftest for each run, or two JVMs that stay. */
    public Turns.Contender<Cell> contender(Side side) {
        return side == Side.C
                ? new Pair(Way.C_VERBS_SEND, new VerbsTools(venue, children, VerbsTwin.none("")))
                : new Pair(Way.JAVA_VERBS_SEND, new VerbsAgents(venue, children, OPTIONS, false));
    }

    /** Both ends. */
    private record Pair(Way way, Contender contender) implements Turns.Contender<Cell> {

        private Point point(Cell cell) {
            return new Point(way, Benchmark.PING_PONG, cell.bytes(), 1);
        }

        private static Measured run(Contender contender, Point point, long iterations, double seconds)
                throws IOException, InterruptedException {
            return contender.run(point, iterations, Comparison.limit(seconds));
        }

        @Override
        public void warmUp(Cell cell) throws IOException, InterruptedException {
            // Its figures are compared all the same if it is not steady in time.
            var _ = new WarmUp(OPTIONS, new Pace(), Pair::run, () -> false, System::nanoTime)
                    .run(contender, point(cell));
        }

        /** Half a round trip. */
        @Override
        public Turns.Figure measure(Cell cell) throws IOException, InterruptedException {
            Measured trip = run(contender, point(cell), cell.iterations(), cell.iterations() * MESSAGE_SECONDS);
            return new Turns.Figure(trip.typicalMicros() / 2, trip.averageMicros() / 2);
        }

        @Override
        public void close() {
            contender.close();
        }
    }
}
