// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.common.WholeFile;
import dev.isthmus.perf.process.Scratch;
import dev.isthmus.perf.process.Stopping;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code isthmus perf compare-ucx}: a comparison of C, Java and JUCX over UCX's operations and transports. */
@Command(
        name = "compare-ucx",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Compares Java with C's ucx_perftest and with JUCX in one run, over shared memory and TCP: "
                    + "latency of tag, stream, active message and put at 8 B and 4 KiB, bandwidth at 64 KiB and 1 "
                    + "MiB. The three take turns at each cell, round after round; the table has the medians and "
                    + "their ratios. Exit status 1 if a cell could not be measured. Ctrl-C prints and writes "
                    + "what was measured so far."
        })
public final class CompareUcxCommand implements Callable<Integer> {

    static final List<Way> WAYS = List.of(Way.C_UCX, Way.JAVA_UCX, Way.JUCX);

    private static final double SECONDS = 0.2;
    private static final double WARM_UP_SECONDS = 2;

    @Option(names = "--rounds", paramLabel = "N", description = "number of rounds (default: ${DEFAULT-VALUE})")
    private int rounds = 9;

    @Option(
            names = "--only",
            paramLabel = "PATTERN",
            description = "measure only cells whose name has a match, such as shm-tag or lat-8$")
    private Pattern only = Pattern.compile("");

    @Option(
            names = "--seconds",
            paramLabel = "S",
            description = "about how long a run should take, at least (default: ${DEFAULT-VALUE})")
    private double seconds = SECONDS;

    @Option(
            names = "--iterations",
            paramLabel = "N",
            description = "iterations of a run, instead of as many as fit into --seconds")
    private Optional<Integer> iterations = Optional.empty();

    @Option(
            names = "--warm-up",
            paramLabel = "S",
            description = "how long a JVM may take to become steady before a run (default: ${DEFAULT-VALUE})")
    private double warmUpSeconds = WARM_UP_SECONDS;

    @Option(names = "--json", paramLabel = "FILE", description = "file for the figures of every round")
    private Optional<Path> json = Optional.empty();

    @Option(names = "--csv", paramLabel = "FILE", description = "file for the median, minimum and maximum of each cell")
    private Optional<Path> csv = Optional.empty();

    @Spec
    private CommandSpec spec;

    private final PrintStream err = System.err;

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<Point> points = points().stream()
                .filter(point -> only.matcher(point.cell()).find())
                .toList();
        check(
                !points.isEmpty(),
                "there is no cell that matches: "
                        + points().stream().map(Point::cell).distinct().toList());
        check(
                rounds > 0 && iterations.orElse(1) > 0 && seconds > 0 && seconds <= 3600,
                "rounds, iterations and seconds are positive, and seconds at most 3600");
        check(warmUpSeconds >= 0 && warmUpSeconds <= 3600, "a warm-up takes 0 to 3600 seconds");
        for (Path file : Stream.of(json, csv).flatMap(Optional::stream).toList()) {
            WholeFile.check(file);
        }
        var options = new Comparison.Options(
                List.of(),
                rounds,
                seconds,
                warmUpSeconds,
                iterations.map(OptionalLong::of).orElse(OptionalLong.empty()),
                false,
                false);
        Map<String, String> lines = Environment.moment(err);
        lines.putAll(Environment.lines());
        try (var stopping = new Stopping();
                var scratch = new Scratch("isthmus-compare-ucx-");
                var store = RunStore.create(scratch.folder(), new Setting(lines, options, points))) {
            var failures = new Failures(store.dir());
            boolean whole = Comparison.run(Venue.loopback(), VerbsTwin.none(""), store, failures, stopping, err);
            report(store, failures, whole);
            if (!failures.lines().isEmpty()) {
                scratch.keep();
                err.println("All runs, and the reports of JVMs that crashed, are in " + scratch.folder());
            }
            return whole && failures.missing().isEmpty() ? 0 : 1;
        }
    }

    /** The runs of a cell, one for each way, follow one another. */
    static List<Point> points() {
        List<Point> points = new ArrayList<>();
        for (UcxRoute route : UcxRoute.all()) {
            for (int bytes : new int[] {8, 4096, 1 << 16, 1 << 20}) {
                Benchmark benchmark = bytes <= 4096 ? Benchmark.PING_PONG : Benchmark.ONE_WAY;
                WAYS.forEach(way -> points.add(new Point(way, benchmark, bytes, route)));
            }
        }
        return points;
    }

    private void report(RunStore store, Failures failures, boolean whole) throws IOException {
        Setting setting = store.setting();
        Map<String, String> lines = new LinkedHashMap<>(setting.lines());
        PrintWriter out = spec.commandLine().getOut();
        if (!store.runs().isEmpty()) {
            List<String> arguments = new ArrayList<>(List.of("" + store.dir()));
            csv.ifPresent(file -> arguments.addAll(List.of("--csv", "" + file)));
            Tables.print(out, err, arguments);
        }
        failures.lines().forEach(out::println);
        if (!whole) {
            out.println("Stopped early: these are the rounds that were measured.");
        }
        out.flush();
        lines.put("complete", "" + whole);
        lines.put("failures", String.join("; ", failures.lines()));
        if (json.isPresent()) {
            String text = RunStore.text(new Setting(lines, setting.options(), setting.points()), store.runs());
            WholeFile.write(json.get(), text.getBytes(StandardCharsets.UTF_8));
        }
    }

    private void check(boolean right, String otherwise) {
        if (!right) {
            throw new ParameterException(spec.commandLine(), otherwise);
        }
    }
}
