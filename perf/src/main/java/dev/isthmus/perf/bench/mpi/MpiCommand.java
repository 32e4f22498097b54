// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.mpi;

import dev.isthmus.perf.bench.instructions.CPrograms;
import dev.isthmus.perf.bench.instructions.GuestRun;
import dev.isthmus.perf.common.Median;
import dev.isthmus.perf.common.Side;
import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.Testbed;
import dev.isthmus.perf.process.Tool;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code isthmus perf mpi}: times, or counts instructions of, MPI's calls in Java and in the same loops in C. */
@Command(
        name = "mpi",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Times MPI's calls in Java and in C, which take turns; with --instructions, counts the instructions.",
            "",
            "The rows, each with the bytes of a message:",
            "  latency             half a round trip between two ranks",
            "  stream              a message of a window of 64 that one rank sends to the other",
            "  allreduce, alltoall a call of all ranks; the bytes are those for each rank",
            "  self, persistent    with --instructions: Irecv, Isend and Waitall of a rank with itself,",
            "                      or Startall and Waitall of the same as persistent operations",
            "  put, test           a Put and a Flush; a Test that finds nothing",
            "  send, recv          with --instructions: a Send to another rank that sleeps; a Recv of what is there",
            "  isend, irecv        the same without waiting, and a Waitall for 32 of them",
            "  prepared-send, ...  the same, but in Java by PreparedSend and PreparedReceive",
            ""
        })
public final class MpiCommand implements Callable<Integer> {

    private static final Pattern BLOCK = Pattern.compile("(?m)^block (\\d+)$");
    private static final String BEGIN = "begin ";
    private static final int BLOCKS = 31;
    private static final List<String> OVER_TCP =
            List.of("MPIR_CVAR_NOLOCAL=1", "MPIR_CVAR_CH4_NETMOD=ofi", "FI_PROVIDER=tcp", "FI_TCP_IFACE=lo");
    private static final int GUEST_SECONDS = 10_800;

    @Option(names = "--instructions", description = "count instructions, in the testbed's QEMU")
    private boolean instructions;

    @Option(names = "--rounds", defaultValue = "9", description = "rounds of each row (default: ${DEFAULT-VALUE})")
    private int rounds;

    @Option(
            names = "--ranks",
            defaultValue = "2",
            description = "ranks of allreduce and alltoall (default: ${DEFAULT-VALUE})")
    private int ranks;

    @Option(
            names = "--rows",
            paramLabel = "PATTERN",
            defaultValue = ".*",
            description = "run only rows whose whole name matches this regular expression")
    private Pattern pattern;

    @Option(
            names = "--tcp",
            description = {
                "times over TCP on this machine, and not shared memory (MPICH's own settings:",
                "MPIR_CVAR_NOLOCAL, MPIR_CVAR_CH4_NETMOD, FI_PROVIDER, FI_TCP_IFACE)"
            })
    private boolean tcp;

    @Option(
            names = "--mpi",
            paramLabel = "DIR",
            description = "the folder of an MPI with the standard's ABI (default: PyPI's MPICH, of testbed/mpich)")
    private Path mpi;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        if (instructions && tcp) {
            throw new ParameterException(spec.commandLine(), "--instructions counts no time, and so takes no --tcp");
        }
        List<MpiRow> rows = (instructions ? MpiRow.ofInstructions() : MpiRow.ofTimes(ranks, tcp))
                .stream().filter(row -> pattern.matcher(row.title()).matches()).toList();
        if (rows.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "no row's name matches " + pattern);
        }
        if (mpi == null) {
            Path script = Testbed.required().script().resolveSibling("mpich");
            mpi = Path.of(Tool.firstLine(script.toString()));
        }
        if (!Files.exists(mpi.resolve("lib/libmpi_abi.so.1"))) {
            throw new IOException("there is no lib/libmpi_abi.so.1 in " + mpi);
        }
        try (var programs = new CPrograms()) {
            String program = programs.compile(
                            MpiCommand.class,
                            "mpi",
                            List.of("-I" + mpi.resolve("include"), "-L" + mpi.resolve("lib"), "-lmpi_abi"))
                    .toString();
            out.printf(
                    Locale.ROOT, "%-24s %12s %12s %8s%n", instructions ? "instructions" : "ns", "C", "Java", "Java/C");
            if (instructions) {
                count(rows, program, out);
            } else {
                for (MpiRow row : rows) {
                    print(out, row, time(row, program));
                }
            }
        }
        return 0;
    }

    private static void print(PrintWriter out, MpiRow row, Map<Side, Double> figures) {
        double c = figures.get(Side.C);
        double java = figures.get(Side.JAVA);
        out.printf(Locale.ROOT, "%-24s %12.1f %12.1f %8.3f%n", row.title(), c, java, java / c);
        out.flush();
    }

    private static List<String> command(Side side, MpiRow row, String program) {
        List<String> command =
                new ArrayList<>(side == Side.C ? List.of(program) : GuestRun.java(MpiLoops.class, List.of()));
        command.addAll(row.arguments(BLOCKS));
        return command;
    }

    /** The median of rounds, in which the sides take turns. */
    private Map<Side, Double> time(MpiRow row, String program) throws IOException {
        var found = new EnumMap<Side, List<Double>>(Map.of(Side.C, new ArrayList<>(), Side.JAVA, new ArrayList<>()));
        for (int round = 0; round < rounds; round++) {
            for (Side side : round % 2 == 0 ? List.of(Side.C, Side.JAVA) : List.of(Side.JAVA, Side.C)) {
                var command = new ArrayList<>(List.of("env"));
                command.addAll(environment());
                command.addAll(start(row.ranks()));
                command.addAll(command(side, row, program));
                Tool.Answer answer = Tool.ask(command.toArray(String[]::new));
                double[] blocks = blocks(answer.text());
                if (answer.status() != 0 || blocks.length != BLOCKS) {
                    throw new IOException(row.title() + " in " + side.title() + " ended with exit status "
                            + answer.status() + ": " + answer.text());
                }
                found.get(side).add(Median.of(Arrays.stream(blocks)));
            }
        }
        var medians = new EnumMap<Side, Double>(Side.class);
        found.forEach((side, values) ->
                medians.put(side, row.perOperation(Median.of(values.stream().mapToDouble(each -> each)))));
        return medians;
    }

    private List<String> environment() {
        var environment = new ArrayList<>(List.of("UCX_ERROR_SIGNALS=", "LD_LIBRARY_PATH=" + mpi.resolve("lib")));
        if (tcp) {
            environment.addAll(OVER_TCP);
        }
        return environment;
    }

    private List<String> start(int count) {
        return List.of(mpi.resolve("bin/mpiexec").toString(), "-n", String.valueOf(count));
    }

    private static double[] blocks(String text) {
        return BLOCK.matcher(text)
                .results()
                .mapToDouble(block -> Double.parseDouble(block.group(1)))
                .toArray();
    }

    /** The best block of each row, where a nanosecond is an instruction. */
    private void count(List<MpiRow> rows, String program, PrintWriter out) throws IOException, InterruptedException {
        var script = new StringBuilder("set -e\nexport " + GuestRun.quoted(environment()) + "\n");
        script.append("turns=$(mktemp -d)\nmkfifo $turns/0 $turns/1\n");
        for (MpiRow row : rows) {
            for (Side side : List.of(Side.C, Side.JAVA)) {
                script.append("echo ").append(BEGIN).append("\n");
                List<String> command = command(side, row, program);
                if (row.isByTurns()) {
                    script.append(GuestRun.quoted(start(row.ranks()))).append(' ');
                }
                script.append(GuestRun.quoted(command));
                script.append(row.isByTurns() ? " $turns\n" : "\n");
            }
        }
        var text = new StringBuilder();
        try (var children = new Children()) {
            int status = GuestRun.run(
                    children,
                    GUEST_SECONDS,
                    script.toString(),
                    line -> text.append(line).append('\n'));
            String[] parts = text.toString().split(BEGIN.strip() + "\n", -1);
            if (status != 0 || parts.length != 2 * rows.size() + 1) {
                throw new IOException("the testbed ended with exit status " + status + ": " + text);
            }
            for (int i = 0; i < rows.size(); i++) {
                MpiRow row = rows.get(i);
                print(out, row, Map.of(Side.C, best(row, parts[2 * i + 1]), Side.JAVA, best(row, parts[2 * i + 2])));
            }
        }
    }

    private static double best(MpiRow row, String text) throws IOException {
        return row.perOperation(Arrays.stream(blocks(text))
                .min()
                .orElseThrow(() -> new IOException(row.title() + " has no figures: " + text)));
    }
}
