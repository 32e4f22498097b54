// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import dev.isthmus.perf.Machine;
import dev.isthmus.perf.Progress;
import dev.isthmus.perf.Side;
import dev.isthmus.perf.WholeFile;
import dev.isthmus.perf.process.Stopping;
import dev.isthmus.ucx.UcxVersion;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code isthmus perf compare-ucx}: C, Java and JUCX in one run. */
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

    private static final double WARM_UP_SECONDS = 2;

    @Option(names = "--rounds", paramLabel = "N", description = "number of rounds (default: ${DEFAULT-VALUE})")
    private int rounds = 9;

    @Option(
            names = "--only",
            paramLabel = "PATTERN",
            description = "measure only cells whose name has a match, such as shm-tag or lat-8$")
    private Pattern only = Pattern.compile("");

    @Option(
            names = "--iterations",
            paramLabel = "N",
            description = "iterations of a run (default: depends on the cell)")
    private Optional<Integer> iterations = Optional.empty();

    @Option(
            names = "--warm-up",
            paramLabel = "SECONDS",
            description = "how long to warm up a JVM for each cell (default: ${DEFAULT-VALUE})")
    private double warmUpSeconds = WARM_UP_SECONDS;

    @Option(names = "--json", paramLabel = "FILE", description = "file for all figures of every round")
    private Optional<Path> json = Optional.empty();

    @Option(names = "--csv", paramLabel = "FILE", description = "file for the same figures as CSV")
    private Optional<Path> csv = Optional.empty();

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<UcxCell> cells = UcxCell.ALL.stream()
                .filter(cell -> only.matcher(cell.title()).find())
                .map(cell -> iterations.map(cell::with).orElse(cell))
                .toList();
        check(
                !cells.isEmpty(),
                "there is no cell that matches: "
                        + UcxCell.ALL.stream().map(UcxCell::title).toList());
        check(rounds > 0 && iterations.orElse(1) > 0 && warmUpSeconds >= 0, "rounds and iterations are positive");
        for (Path file : Stream.of(json, csv).flatMap(Optional::stream).toList()) {
            WholeFile.check(file);
        }
        var machine = Machine.here(
                "this machine",
                Map.of(
                        "UCX",
                        UcxVersion.loaded().toString(),
                        "JUCX",
                        UcxPeer.jucx().orElse("none")));
        try (var stopping = new Stopping()) {
            List<Figures> figures = measure(System.err, cells, stopping);
            report(figures, machine, !stopping.isWanted());
            return figures.stream().allMatch(CompareUcxCommand::isWhole) ? 0 : 1;
        }
    }

    private List<Figures> measure(PrintStream says, List<UcxCell> cells, Stopping stopping)
            throws IOException, InterruptedException {
        try (var progress = Progress.on(says);
                var comparing = new Comparing(cells, rounds, warmUpSeconds, stopping, progress::update)) {
            return comparing.run();
        }
    }

    private void report(List<Figures> figures, Machine machine, boolean complete) throws IOException {
        String date = LocalDate.now(ZoneOffset.UTC).toString();
        PrintWriter out = spec.commandLine().getOut();
        out.print(CompareReport.table(figures, machine, date));
        if (!complete) {
            out.println("Stopped early: these are the rounds that were measured.");
        }
        out.flush();
        if (json.isPresent()) {
            write(json.get(), CompareReport.json(figures, machine, date, complete));
        }
        if (csv.isPresent()) {
            write(csv.get(), CompareReport.csv(figures));
        }
    }

    private static void write(Path file, String text) throws IOException {
        WholeFile.write(file, text.getBytes(StandardCharsets.UTF_8));
    }

    private static boolean isWhole(Figures figures) {
        return Stream.of(Side.values()).allMatch(name -> figures.failure(name).isEmpty());
    }

    private void check(boolean right, String otherwise) {
        if (!right) {
            throw new ParameterException(spec.commandLine(), otherwise);
        }
    }
}
