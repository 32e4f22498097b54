// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.process.Stopping;
import dev.isthmus.perf.process.Testbed;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
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

    @Mixin
    private Selection selection = new Selection();

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
    private final boolean isPart;

    /** For the command line. */
    public CompareCommand() {
        this(false);
    }

    /**
     * Creates a command that may be a part of another one: then it prints no tables, and says nothing about how to go on.
     */
    public CompareCommand(boolean isPart) {
        this.isPart = isPart;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        checkModes();
        if (report.isPresent()) {
            finish(report.get(), RunStore.read(report.get()));
            return 0;
        }
        Comparison.Options options =
                resume.isPresent() ? RunStore.read(resume.get()).setting().options() : selectedOptions();
        if (!isLoopback(options) && !Testbed.hasDevices()) {
            Optional<Testbed> testbed = Testbed.find();
            if (testbed.isPresent()) {
                return runIn(testbed.get());
            }
        }
        try (var stopping = new Stopping()) {
            if (resume.isEmpty()) {
                return begin(options, stopping);
            }
            try (var store = RunStore.open(resume.get())) {
                return resume(store, stopping);
            }
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

    private static boolean isLoopback(Comparison.Options options) {
        return options.devices().equals(List.of(LOOPBACK));
    }

    private static Venue venue(Comparison.Options options) throws IOException {
        return isLoopback(options) ? Venue.loopback() : Venue.of(options.devices());
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
            int status = new TestbedComparison(testbed, dir, arguments, err, isPart).run();
            if (isPart && TestbedComparison.isUnfinished(status) && RunStore.isIn(dir) && !Stopping.hasBegun()) {
                // An emulated processor ends a JVM once in a while.
                return new TestbedComparison(testbed, dir, List.of("--resume", dir.toString()), err, true).run();
            }
            if (TestbedComparison.isUnfinished(status) && RunStore.isIn(dir)) {
                RunStore store = RunStore.read(dir);
                if (!store.runs().isEmpty()) {
                    finish(dir, store);
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

    /** Everything that is selected is checked first, because starting a testbed takes a moment. */
    private Comparison.Options selectedOptions() {
        try {
            var _ = selection.points(selection.ways());
            return selection.options();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private static void requireSome(List<Point> points) throws IOException {
        if (points.isEmpty()) {
            throw new IOException("nothing to measure: no way of those chosen has a benchmark of those chosen");
        }
    }

    private int begin(Comparison.Options options, Stopping stopping) throws IOException, InterruptedException {
        Venue venue = venue(options);
        Map<String, String> lines = Environment.moment(err);
        lines.putAll(Environment.lines(venue));
        Map<Way, String> missing = Availability.missing(selection.ways(), venue);
        missing.forEach((way, reason) -> err.println("left out: " + way.id() + ": " + reason));
        List<Point> points = selection.points(selection.ways().stream()
                .filter(way -> !missing.containsKey(way))
                .toList());
        requireSome(points);
        try (VerbsTwin twin = VerbsTwin.of(points, err)) {
            List<Point> measurable = twin.measurable(points);
            requireSome(measurable);
            twin.note(lines);
            try (var store = RunStore.create(folder(), new Setting(lines, options, measurable))) {
                return measure(store, venue, twin, stopping);
            }
        }
    }

    private int resume(RunStore store, Stopping stopping) throws IOException, InterruptedException {
        Venue venue = venue(store.setting().options());
        Map<String, String> lines = new LinkedHashMap<>(Environment.lines(venue));
        try (VerbsTwin twin = VerbsTwin.of(store.setting().points(), err)) {
            twin.note(lines);
            store.requireSame(lines);
            return measure(store, venue, twin, stopping);
        }
    }

    private int measure(RunStore store, Venue venue, VerbsTwin twin, Stopping stopping)
            throws IOException, InterruptedException {
        Path dir = store.dir();
        var failures = new Failures(dir);
        if (!isPart) {
            err.println("measuring between " + venue.title() + "; the figures go to " + dir);
        }
        boolean whole = Comparison.run(venue, twin, store, failures, stopping, err);
        if (!whole) {
            sayHowToGoOn(dir);
        }
        finish(dir, store);
        int missing = failures.missing().size();
        if (whole && missing > 0 && !isPart) {
            err.println(missing + " runs could not be made: " + dir.resolve(Failures.FILE)
                    + " says why; to try them again: ./isthmus compare --resume " + dir);
        }
        return whole && missing == 0 ? 0 : 1;
    }

    private void sayHowToGoOn(Path dir) {
        if (isPart) {
            return;
        }
        err.println("interrupted; to go on: ./isthmus compare --resume " + dir);
    }

    private void finish(Path dir, RunStore store) {
        if (isPart) {
            return;
        }
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
