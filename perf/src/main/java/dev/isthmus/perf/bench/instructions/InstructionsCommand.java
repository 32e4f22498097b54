// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import dev.isthmus.perf.common.Progress;
import dev.isthmus.perf.common.WholeFile;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code isthmus perf instructions}: counts the instructions of operations in Java and in C. */
@Command(
        name = "instructions",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Counts the instructions of an operation, including the kernel's, in Java and in the same loop in C.",
            "",
            "It runs in the testbed's QEMU, whose clock counts instructions: figures are the same on any host, however "
                    + "busy (within 0.2 %%). One thread has two queue pairs, connected to each other. The loops in "
                    + "C are compiled here (needs gcc, libibverbs-dev, librdmacm-dev and libucx-dev); the process has a "
                    + "second, idle thread there, as a JVM has.",
            "",
            "A row is the best of 31 blocks, once C2 has compiled the loop and two rows of blocks agree:",
            "  poll-empty, poll-N      a poll that finds nothing, or N completions",
            "  post-receive, post-...  a post alone",
            "  send-64, write-64, ...  a whole message of that many bytes:",
            "                          posts, and polls until all have completed",
            "  ...-chain-N             in chains of N requests, for each of them",
            "  mlx5-...                calls alone on libmlx5, the driver of ConnectX",
            "                          cards, over a simulated card, which takes no",
            "                          part: see docs/connectx.md;",
            "                          batch-...: ibv_wr_* calls",
            "  mlx5-direct-...         some of these where Java itself drives the",
            "                          card, beside libmlx5 from C",
            "  ucx-progress-...        a progress of a worker that finds nothing;",
            "                          all ucx-... rows also count JUCX",
            "  ucx-tag-8-posix, ...    a tagged message over shared memory,",
            "                          or of a worker to itself",
            "  ucx-stream-..., ucx-am-..., ucx-put-..., ucx-get-...",
            "                          a part of a stream, an active message,",
            "                          a write, a read",
            "  socket-64, ...          a write to a socket over RDMA, and the read at the",
            "                          other end, in non-blocking mode;",
            "                          ...-blocking: in blocking mode,",
            "                          ...-select: after a select each",
            "docs/instructions.md explains the costs.",
            ""
        },
        footer = {
            "",
            "Exit status: 0; 1 if a row is not accepted, or something failed; 2 if the command line is wrong.",
            "",
            "Examples:",
            "  isthmus perf instructions                     # print all rows",
            "  isthmus perf instructions --rows 'send-.*'    # print some",
            "  isthmus perf instructions --check             # as a test",
            "  isthmus perf instructions --nanoseconds 5     # the card's rows by the clock"
        })
public final class InstructionsCommand implements Callable<Integer> {

    /** In the project's folder, which the launcher names. */
    private static final String TABLE = "perf/instructions.csv";

    @Option(
            names = "--rows",
            paramLabel = "PATTERN",
            defaultValue = ".*",
            description = "Run only rows whose whole name matches this regular expression.")
    private Pattern pattern;

    @ArgGroup
    private Table table = new Table();

    /** What to do with the table; at most one of these. */
    static final class Table {
        @Option(
                names = "--check",
                description = "Fail if a row is more than 1 %% above the accepted figure, or allocates.")
        private boolean check;

        @Option(names = "--accept", description = "Write better figures, and those of new rows, to the table.")
        private boolean accept;

        @Option(
                names = "--accept-all",
                description = "Write all figures to the table: for another kernel, JDK or compiler.")
        private boolean acceptAll;
    }

    @Option(
            names = "--table",
            paramLabel = "FILE",
            description = "The table of accepted figures (default: " + TABLE + " of the project).")
    private Path file;

    @Option(names = "--json", paramLabel = "FILE", description = "Write all figures to this file, too.")
    private Optional<Path> json = Optional.empty();

    @Option(
            names = "--nanoseconds",
            paramLabel = "ROUNDS",
            description =
                    "Instead of counting, time the rows mlx5-... on this machine: medians of this many rounds, in "
                            + "which C and Java take turns.")
    private Optional<Integer> rounds = Optional.empty();

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "600",
            description = "End the testbed after this time (default: ${DEFAULT-VALUE}).")
    private int timeout;

    @Spec
    private CommandSpec spec;

    /**
     * All figures: what {@code --json} writes.
     *
     * @param machine what they depend on
     * @param rows the table
     */
    record CountsReport(String machine, List<RowCounts> rows) {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        Map<Suite, List<Row>> rows = chosen();
        if (rows.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "no row has a name that matches " + pattern + "; there are: "
                            + Stream.of(Suite.values())
                                    .flatMap(suite -> suite.rows().stream().map(Row::title))
                                    .collect(Collectors.joining(" ")));
        }
        if (timeout < 1) {
            throw new ParameterException(spec.commandLine(), "--timeout must be positive");
        }
        if (json.isPresent()) {
            WholeFile.check(json.get());
        }
        if (rounds.isPresent()) {
            return time(rows, rounds.get());
        }
        Path path = file != null ? file : Path.of(System.getProperty("isthmus.home", ""), TABLE);
        var accepted = Accepted.read(path);
        PrintWriter out = spec.commandLine().getOut();
        PrintStream err = System.err;
        try (var progress = Progress.on(err)) {
            var report = new RowTable(accepted, line -> {
                progress.clear();
                out.println(line);
                out.flush();
            });
            report.header();
            var output = new GuestOutput(rows, report::row);
            GuestRun.run(rows, timeout, output, progress);
            return conclude(accepted, output, out);
        }
    }

    private int time(Map<Suite, List<Row>> rows, int rounds) throws IOException, InterruptedException {
        rows.keySet().removeIf(suite -> !suite.isOnCard());
        if (rounds < 1) {
            throw new ParameterException(spec.commandLine(), "--nanoseconds must be positive");
        }
        if (table.check || table.accept || table.acceptAll || json.isPresent()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--nanoseconds counts nothing: leave out --json, --check, --accept and --accept-all");
        }
        if (rows.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "only rows mlx5-... can be timed");
        }
        PrintStream err = System.err;
        try (var progress = Progress.on(err)) {
            for (var suite : rows.entrySet()) {
                new CardTimes(suite.getKey(), suite.getValue(), rounds)
                        .run(progress, spec.commandLine().getOut());
            }
        }
        return 0;
    }

    private int conclude(Accepted accepted, GuestOutput output, PrintWriter out) throws IOException {
        String here = machine(output.facts());
        if (json.isPresent()) {
            WholeFile.writeJson(json.get(), new CountsReport(here, output.counts()));
        }
        if (table.accept || table.acceptAll) {
            return accept(accepted, output, here, out);
        }
        return table.check ? check(accepted, output, here, out) : 0;
    }

    private int accept(Accepted accepted, GuestOutput output, String here, PrintWriter out) throws IOException {
        if (table.accept && !accepted.isEmpty() && !here.equals(accepted.machine())) {
            throw new IOException("the table is of " + accepted.machine() + ", this is " + here
                    + ": their figures cannot be compared; --accept-all replaces all");
        }
        List<String> changed = accepted.accept(output.counts(), table.acceptAll);
        if (!changed.isEmpty()) {
            accepted.write(here);
        }
        out.println("accepted: " + (changed.isEmpty() ? "nothing: no figure is better" : String.join(" ", changed)));
        return 0;
    }

    private static int check(Accepted accepted, GuestOutput output, String here, PrintWriter out) {
        if (!here.equals(accepted.machine())) {
            out.println("The table is of " + accepted.machine() + ", this is " + here
                    + ": only ratios are compared, not instructions.");
        }
        int failed = 0;
        for (RowCounts count : output.counts()) {
            var objection = accepted.objection(count, here);
            if (objection.isPresent()) {
                failed++;
                out.println(count.title() + ": " + objection.get());
            }
        }
        // The same last line as the test tiers print.
        out.println("instructions: " + (output.counts().size() - failed) + " passed, " + failed + " failed");
        return failed == 0 ? 0 : 1;
    }

    private static String machine(List<String> facts) throws IOException {
        List<String> words = new ArrayList<>(facts);
        words.add(CPrograms.compiler());
        words.add("JDK " + Runtime.version());
        return String.join(", ", words);
    }

    private Map<Suite, List<Row>> chosen() {
        Map<Suite, List<Row>> chosen = new EnumMap<>(Suite.class);
        for (Suite suite : Suite.values()) {
            List<Row> rows = suite.rows().stream()
                    .filter(row -> pattern.matcher(row.title()).matches())
                    .toList();
            if (!rows.isEmpty()) {
                chosen.put(suite, rows);
            }
        }
        return chosen;
    }
}
