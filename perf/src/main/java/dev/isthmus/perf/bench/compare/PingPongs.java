// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.common.Machine;
import dev.isthmus.perf.common.Side;
import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.Scratch;
import dev.isthmus.perf.process.Stopping;
import dev.isthmus.perf.process.Tool;
import dev.isthmus.ucx.UcxVersion;
import dev.isthmus.verbs.Device;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** A small comparison for another table: ping-pongs of one kind of message, in C and in Java. */
public final class PingPongs {

    /** Is told at once what happens. */
    public interface Listener {

        /** A run begins: one short line. */
        void progress(String what);

        /** A run has ended; the times are half a round trip. */
        void measured(int bytes, Side side, int round, double medianMicros, double averageMicros);
    }

    private static final double SECONDS = 1;
    private static final double WARM_UP_SECONDS = 10;

    private final Machine machine;
    private final Venue venue;
    private final Optional<UcxRoute> route;

    private PingPongs(Machine machine, Venue venue, Optional<UcxRoute> route) {
        this.machine = machine;
        this.venue = venue;
        this.route = route;
    }

    /**
     * Ping-pongs of SENDs, between the devices that a comparison without {@code --devices} uses.
     *
     * @throws IOException if perftest is not installed
     */
    public static PingPongs ofSends() throws IOException {
        var _ = Device.first(); // complains if there is none
        Venue venue = Venue.of(List.of());
        Map<String, String> versions = Map.of(
                "libibverbs",
                Environment.verbs(),
                "perftest",
                Tool.firstLine("ib_send_lat", "--version").replace("Version: ", ""));
        return new PingPongs(Machine.here(where(venue), versions), venue, Optional.empty());
    }

    /** Ping-pongs of tagged messages of UCX over shared memory. */
    public static PingPongs ofTags() {
        var memory = UcxRoute.Transport.SHM;
        Machine machine = Machine.here(
                "shared memory (UCX_TLS=" + memory.transports() + ") on " + Machine.virtualization(),
                Map.of("UCX", UcxVersion.loaded().toString()));
        return new PingPongs(machine, Venue.loopback(), Optional.of(new UcxRoute(memory, UcxRoute.Operation.TAG)));
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

    /**
     * Measures each size this many times in C and in Java, until a run fails.
     *
     * @param iterations the round trips of a run
     */
    public void run(List<Integer> sizes, int iterations, int rounds, Listener listener)
            throws IOException, InterruptedException {
        Way c = route.isPresent() ? Way.C_UCX : Way.C_VERBS_SEND;
        Way java = route.isPresent() ? Way.JAVA_UCX : Way.JAVA_VERBS_SEND;
        List<Point> points = sizes.stream()
                .flatMap(
                        bytes -> Stream.of(c, java).map(way -> new Point(way, Benchmark.PING_PONG, bytes, 1, 0, route)))
                .toList();
        var options =
                new Comparison.Options(rounds, SECONDS, WARM_UP_SECONDS, OptionalLong.of(iterations), false, true);
        try (var stopping = new Stopping();
                var scratch = new Scratch("isthmus-demo-");
                var store = RunStore.create(scratch.folder(), new Setting(Map.of(), points));
                var comparison = new Comparison(
                        options,
                        venue,
                        VerbsTwin.none(""),
                        new Children(),
                        store,
                        new Failures(store.dir()),
                        new Comparison.Listener(listener::progress, listener::progress, run -> tell(listener, run)),
                        stopping)) {
            comparison.run();
        }
    }

    private static void tell(Listener listener, Run run) {
        listener.measured(
                (int) run.point().bytes(),
                run.point().way().isC() ? Side.C : Side.JAVA,
                run.round(),
                run.medianMicros().orElseThrow() / 2,
                run.averageMicros().orElseThrow() / 2);
    }
}
