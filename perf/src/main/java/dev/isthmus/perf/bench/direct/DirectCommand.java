// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.direct;

import dev.isthmus.perf.common.Median;
import dev.isthmus.perf.common.Progress;
import dev.isthmus.perf.common.WholeFile;
import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.JavaChild;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code isthmus perf direct}: queue pairs that Java itself drives beside those that libmlx5 drives. */
@Command(
        name = "direct",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Compares, on a ConnectX of this machine, queue pairs that Java itself drives with those that libmlx5 drives.",
            "",
            "Each operation is done once in both ways, between two queue pairs of one process: its completions and the "
                    + "memory afterwards must be the same. Then calls and whole messages are timed. The ways take "
                    + "turns, each time in a JVM of their own; the times are medians of the rounds.",
            "",
            "Where no device can be driven by Java, it prints why, and that is all: see docs/connectx.md."
        },
        exitCodeListHeading = "Exit status:%n",
        exitCodeList = {
            "0:both ways do the same, or there is no such device",
            "1:they differ, or something failed",
            "2:the command line is wrong"
        })
public final class DirectCommand implements Callable<Integer> {

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "3",
            description = "How often each way has its turn (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the results and times to this file, too.")
    private Optional<Path> json = Optional.empty();

    @Spec
    private CommandSpec spec;

    private final Runs runs;

    /** Runs {@link DirectProgram}, and hands over its lines. */
    interface Runs {
        void run(Children children, Children.Listener to, String... arguments) throws IOException, InterruptedException;
    }

    /** What {@code --json} writes. */
    private record Findings(
            String device,
            List<String> refused,
            Map<String, SortedSet<String>> byLibmlx5,
            Map<String, SortedSet<String>> direct,
            Map<String, List<Double>> nanosecondsByLibmlx5,
            Map<String, List<Double>> nanosecondsDirect) {}

    /** For the command line. */
    public DirectCommand() {
        this(DirectCommand::run);
    }

    /** With other lines than the program's. */
    DirectCommand(Runs runs) {
        this.runs = runs;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (rounds < 1) {
            throw new ParameterException(spec.commandLine(), "--rounds must be positive");
        }
        if (json.isPresent()) {
            WholeFile.check(json.get());
        }
        PrintWriter out = spec.commandLine().getOut();
        PrintStream errors = System.err;
        List<String> devices = new ArrayList<>();
        List<String> refused = new ArrayList<>();
        var library = new WayResults();
        var direct = new WayResults();
        try (var children = new Children();
                var progress = Progress.on(errors)) {
            runs.run(children, line -> {
                if (line.startsWith(DirectProgram.DEVICE)) {
                    devices.add(line.substring(DirectProgram.DEVICE.length()));
                } else if (line.startsWith(DirectProgram.REFUSED)) {
                    refused.add(line.substring(DirectProgram.REFUSED.length()));
                }
            });
            for (int round = 1; round <= rounds && !devices.isEmpty(); round++) {
                progress.update("round " + round + " of " + rounds + " by libmlx5");
                runs.run(children, library::take, devices.getFirst(), "false");
                progress.update("round " + round + " of " + rounds + " straight to the card");
                runs.run(children, direct::take, devices.getFirst(), "true");
            }
        }
        refused.forEach(out::println);
        int differing = 0;
        if (devices.isEmpty()) {
            out.println("There is no device here that Java can drive itself.");
        } else {
            differing = printComparison(out, devices.getFirst(), library, direct);
            printTimes(out, library, direct);
        }
        out.flush();
        if (json.isPresent()) {
            var findings = new Findings(
                    devices.isEmpty() ? null : devices.getFirst(),
                    refused,
                    library.results,
                    direct.results,
                    library.times,
                    direct.times);
            WholeFile.writeJson(json.get(), findings);
        }
        if (differing == 0) {
            return 0;
        }
        PrintWriter err = spec.commandLine().getErr();
        err.println(
                "On " + devices.getFirst() + ", " + differing + (differing == 1 ? " operation does" : " operations do")
                        + " not do the same in both ways, as stands above: leave isthmus.mlx5.direct off, and report it.");
        err.flush();
        return 1;
    }

    static void run(Children children, Children.Listener to, String... arguments)
            throws IOException, InterruptedException {
        Process process = children.start(JavaChild.command(Optional.empty(), DirectProgram.class, arguments), Map.of());
        int status = Children.listen(process, to);
        if (status != 0) {
            throw new IOException("the measured JVM ended with exit status " + status + "; its output is above");
        }
    }

    /** Prints what differs; returns how many operations do. */
    private static int printComparison(PrintWriter out, String device, WayResults library, WayResults direct) {
        Set<String> operations = new LinkedHashSet<>(library.results.keySet());
        operations.addAll(direct.results.keySet());
        int differing = 0;
        for (String operation : operations) {
            if (!Objects.equals(library.results.get(operation), direct.results.get(operation))) {
                differing++;
                out.println(operation + " differs: by libmlx5 " + library.result(operation) + "; straight to the card "
                        + direct.result(operation));
            }
        }
        int all = operations.size();
        out.println("On " + device + ", " + (all - differing) + " of " + all
                + " operations have the same completions and the same memory in both ways.");
        return differing;
    }

    private static void printTimes(PrintWriter out, WayResults library, WayResults direct) {
        out.printf(Locale.ROOT, "%-36s %10s %10s %8s%n", "nanoseconds, Java", "libmlx5", "direct", "ratio");
        for (String name : library.times.keySet()) {
            double one = library.median(name);
            double other = direct.median(name);
            out.printf(Locale.ROOT, "%-36s %10.1f %10.1f %8.3f%n", name, one, other, other / one);
        }
    }

    /** What {@link DirectProgram} has printed of one way, in all rounds. */
    private static final class WayResults {

        /** By operation; more than one if rounds differed. */
        final Map<String, SortedSet<String>> results = new LinkedHashMap<>();

        final Map<String, List<Double>> times = new LinkedHashMap<>();

        void take(String line) throws IOException {
            if (line.startsWith(DirectProgram.RESULT)) {
                String[] words = words(line.substring(DirectProgram.RESULT.length()));
                results.computeIfAbsent(words[0], name -> new TreeSet<>()).add(words[1]);
            } else if (line.startsWith(DirectProgram.TIME)) {
                String[] words = words(line.substring(DirectProgram.TIME.length()));
                times.computeIfAbsent(words[0], name -> new ArrayList<>()).add(Double.valueOf(words[1]));
            } else {
                throw new IOException("the measured JVM printed: " + line);
            }
        }

        private static String[] words(String line) {
            return line.split(DirectProgram.IS, 2);
        }

        /** In words. */
        String result(String operation) {
            SortedSet<String> all = results.get(operation);
            return all == null ? "nothing" : String.join(" or ", all);
        }

        double median(String name) {
            return Median.of(times.get(name).stream().mapToDouble(Double::doubleValue));
        }
    }
}
