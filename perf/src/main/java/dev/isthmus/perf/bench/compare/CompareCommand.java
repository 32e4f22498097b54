// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.process.Stopping;
import dev.isthmus.perf.process.Testbed;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code isthmus compare}: every way to communicate that this machine offers, in one run. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measures every way for two processes to communicate that this machine offers: C verbs and Java verbs"
                + " (SEND, RDMA WRITE, RDMA READ), C UCX, Java UCX, JUCX, sockets over RDMA and over TCP; throughput"
                + " in one and both directions, one-sided latency, ping-pong, and round trips at fixed rates, from 1 B"
                + " to 1 MiB. The ways take turns, round after round. Ends with tables, and leaves results.csv and"
                + " results.json, which ./isthmus plot draws.",
            "Ctrl-C keeps what was measured; --resume continues. Exit status 1 if a point could not be measured."
        })
public final class CompareCommand implements Callable<Integer> {

    private static final String LOOPBACK = "none";
    private static final String DEVICES = "devices";

    @Mixin
    private Selection selection = new Selection();

    @Option(
            names = "--devices",
            paramLabel = "NAMES",
            split = ",",
            description = "the RDMA device, or the client's and the server's; none for the loopback interface"
                    + " (default: the first two whose port is active)")
    private List<String> devices = List.of();

    @Option(names = "--out", paramLabel = "DIR", description = "where to write (default: isthmus-compare-DATE)")
    private Optional<Path> out = Optional.empty();

    @Option(
            names = "--resume",
            paramLabel = "DIR",
            description = "continue an interrupted comparison, with its own options")
    private Optional<Path> resume = Optional.empty();

    @Option(
            names = "--report",
            paramLabel = "DIR",
            description = "print the tables of a comparison again, and write its results.csv")
    private Optional<Path> report = Optional.empty();

    @Spec
    private CommandSpec spec;

    private final PrintStream err = System.err;

    @Override
    public Integer call() throws IOException, InterruptedException {
        checkModes();
        if (report.isPresent()) {
            try (var store = RunStore.read(report.get())) {
                finish(report.get(), store);
            }
            return 0;
        }
        if (resume.isEmpty()) {
            checkSelection();
        }
        if (isForTestbed()) {
            Optional<Testbed> testbed = Testbed.find();
            if (testbed.isPresent()) {
                return runIn(testbed.get());
            }
        }
        try (var stopping = new Stopping()) {
            if (resume.isPresent()) {
                try (var store = RunStore.open(resume.get())) {
                    return resume(store, stopping);
                }
            }
            return begin(stopping);
        }
    }

    private void checkModes() {
        boolean alone = report.isPresent() || resume.isPresent();
        long given = spec.commandLine().getParseResult().matchedOptions().size();
        if (alone && given > 1) {
            throw new ParameterException(
                    spec.commandLine(), "--resume and --report stand alone: the rest is as it was begun");
        }
    }

    /** Whether it uses devices, and this machine has none. */
    private boolean isForTestbed() throws IOException {
        List<String> chosen = devices;
        if (resume.isPresent()) {
            try (var store = RunStore.read(resume.get())) {
                chosen = devices(store.setting().lines());
            }
        }
        return !chosen.equals(List.of(LOOPBACK)) && !Testbed.hasDevices();
    }

    private int runIn(Testbed testbed) throws IOException, InterruptedException {
        List<String> words = spec.commandLine().getParseResult().originalArgs();
        List<String> arguments = new ArrayList<>(words.subList(words.indexOf(spec.name()) + 1, words.size()));
        Path dir = resume.orElseGet(this::folder);
        if (resume.isEmpty()) {
            RunStore.requireNone(dir);
            if (out.isEmpty()) {
                arguments.addAll(List.of("--out", dir.toString()));
            }
        }
        try (var _ = new Stopping()) {
            int status = new TestbedComparison(testbed, dir, arguments, err).run();
            if (TestbedComparison.isUnfinished(status) && RunStore.isIn(dir)) {
                try (var store = RunStore.read(dir)) {
                    if (!store.runs().isEmpty()) {
                        finish(dir, store);
                    }
                }
                sayHowToGoOn(dir);
            }
            return status;
        }
    }

    private Path folder() {
        return out.orElseGet(() -> Path.of("isthmus-compare-"
                + DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT)
                        .format(LocalDateTime.now(ZoneOffset.UTC))));
    }

    /** Comes first, because starting a testbed takes a moment. */
    private void checkSelection() {
        try {
            var _ = selection.options();
            var _ = points(selection.ways());
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private List<Point> points(List<Way> ways) {
        return Schedule.points(
                selection.benchmarks(), ways, selection.connections(), selection.bytes(), selection.rates());
    }

    private static void requireSome(List<Point> points) throws IOException {
        if (points.isEmpty()) {
            throw new IOException("nothing to measure: no way of those chosen has a benchmark of those chosen");
        }
    }

    private int begin(Stopping stopping) throws IOException, InterruptedException {
        Map<String, String> lines = new LinkedHashMap<>();
        Venue venue = venue(devices);
        lines.put(Setting.DATE, Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        lines.putAll(Environment.lines(venue));
        lines.put(Setting.LOAD, Environment.load(err));
        Comparison.Options options = selection.options();
        Map<Way, String> missing = Availability.missing(selection.ways(), venue);
        missing.forEach((way, reason) -> err.println("left out: " + way.id() + ": " + reason));
        List<Point> points = points(selection.ways().stream()
                .filter(way -> !missing.containsKey(way))
                .toList());
        requireSome(points);
        Path dir = folder();
        try (VerbsTwin twin = VerbsTwin.of(points, err)) {
            List<Point> measurable = twin.measurable(points);
            requireSome(measurable);
            lines.putAll(chosen(options, devices, twin));
            try (var store = RunStore.create(dir, new Setting(lines, measurable))) {
                return measure(store, options, venue, twin, stopping);
            }
        }
    }

    private int resume(RunStore store, Stopping stopping) throws IOException, InterruptedException {
        Map<String, String> stored = store.setting().lines();
        Comparison.Options options;
        try {
            options = Comparison.Options.of(stored);
        } catch (NullPointerException | NumberFormatException e) {
            throw new IOException(store.dir() + " does not say how it was measured", e);
        }
        List<String> names = devices(stored);
        Venue venue = venue(names);
        Map<String, String> lines = new LinkedHashMap<>(Environment.lines(venue));
        List<Point> points = store.setting().points();
        try (VerbsTwin twin = VerbsTwin.of(points, err)) {
            lines.putAll(chosen(options, names, twin));
            store.requireSame(new Setting(lines, points));
            return measure(store, options, venue, twin, stopping);
        }
    }

    private static List<String> devices(Map<String, String> stored) {
        String written = stored.getOrDefault(DEVICES, "");
        return written.isEmpty() ? List.of() : List.of(written.split(",", -1));
    }

    private static Venue venue(List<String> names) throws IOException {
        return names.equals(List.of(LOOPBACK)) ? Venue.loopback() : Venue.of(names);
    }

    private static Map<String, String> chosen(Comparison.Options options, List<String> names, VerbsTwin twin) {
        Map<String, String> lines = options.lines();
        lines.put(DEVICES, String.join(",", names));
        twin.note(lines);
        return lines;
    }

    private int measure(RunStore store, Comparison.Options options, Venue venue, VerbsTwin twin, Stopping stopping)
            throws IOException, InterruptedException {
        Path dir = store.dir();
        var failures = new Failures(dir);
        err.println("measuring between " + venue.title() + "; the figures go to " + dir);
        boolean whole = Comparison.run(options, venue, twin, store, failures, stopping, err);
        if (!whole) {
            sayHowToGoOn(dir);
        }
        finish(dir, store);
        int missing = failures.missing().size();
        if (whole && missing > 0) {
            err.println(missing + " runs could not be made: " + dir.resolve(Failures.FILE)
                    + " says why; to try them again: ./isthmus compare --resume " + dir);
        }
        return whole && missing == 0 ? 0 : 1;
    }

    private void sayHowToGoOn(Path dir) {
        err.println("interrupted; to go on: ./isthmus compare --resume " + dir);
    }

    private void finish(Path dir, RunStore store) {
        PrintWriter terminal = spec.commandLine().getOut();
        if (store.runs().isEmpty()) {
            terminal.println("Nothing was measured.");
        } else {
            Tables.print(terminal, err, List.of("" + dir, "--csv", "" + dir.resolve("results.csv")));
        }
        terminal.println("The results: " + dir.resolve(RunStore.FILE) + "; to draw them: ./isthmus plot " + dir);
        terminal.flush();
    }
}
