// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.direct;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
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
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
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

    /** A way's results by operation, each as often as it differed from the last one, and its times. */
    private static final class Way {
        final Map<String, List<String>> results = new LinkedHashMap<>();
        final Map<String, List<Double>> times = new LinkedHashMap<>();

        void take(String line) throws IOException {
            if (line.startsWith(DirectProgram.RESULT)) {
                String[] words = words(line.substring(DirectProgram.RESULT.length()));
                List<String> all = results.computeIfAbsent(words[0], name -> new ArrayList<>());
                if (!all.contains(words[1])) {
                    all.add(words[1]);
                }
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

        double median(String name) {
            return Median.of(times.get(name).stream().mapToDouble(Double::doubleValue))
                    .orElseThrow();
        }
    }

    /** What {@code --json} writes. */
    private record Findings(
            String device,
            List<String> refused,
            Map<String, List<String>> byLibmlx5,
            Map<String, List<String>> direct,
            Map<String, List<Double>> nanosecondsByLibmlx5,
            Map<String, List<Double>> nanosecondsDirect) {}

    /** For the command line. */
    public DirectCommand() {}

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
        var library = new Way();
        var direct = new Way();
        try (var children = new Children();
                var progress = Progress.on(errors)) {
            run(children, line -> {
                if (line.startsWith(DirectProgram.DEVICE)) {
                    devices.add(line.substring(DirectProgram.DEVICE.length()));
                } else if (line.startsWith(DirectProgram.REFUSED)) {
                    refused.add(line.substring(DirectProgram.REFUSED.length()));
                }
            });
            for (int round = 1; round <= rounds && !devices.isEmpty(); round++) {
                progress.update("round " + round + " of " + rounds + " by libmlx5");
                run(children, library::take, devices.getFirst(), "false");
                progress.update("round " + round + " of " + rounds + " straight to the card");
                run(children, direct::take, devices.getFirst(), "true");
            }
        }
        refused.forEach(out::println);
        boolean same = true;
        if (devices.isEmpty()) {
            out.println("There is no device here that Java can drive itself.");
        } else {
            same = print(out, devices.getFirst(), library, direct);
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
            WholeFile.write(
                    json.get(),
                    new ObjectMapper()
                            .writer(SerializationFeature.INDENT_OUTPUT)
                            .writeValueAsBytes(findings));
        }
        return same ? 0 : 1;
    }

    private static void run(Children children, Children.Listener to, String... arguments)
            throws IOException, InterruptedException {
        Process process = children.start(JavaChild.command(Optional.empty(), DirectProgram.class, arguments), Map.of());
        int status = Children.listen(process, to);
        if (status != 0) {
            throw new IOException("the measured JVM ended with exit status " + status + "; its output is above");
        }
    }

    /** Prints what differs, and the times; returns whether nothing differs. */
    private static boolean print(PrintWriter out, String device, Way library, Way direct) {
        int differing = 0;
        for (var each : library.results.entrySet()) {
            List<String> other = direct.results.getOrDefault(each.getKey(), List.of());
            if (!each.getValue().equals(other)) {
                differing++;
                out.println(each.getKey() + " differs: by libmlx5 " + String.join(" or ", each.getValue())
                        + "; straight to the card " + String.join(" or ", other));
            }
        }
        int all = library.results.size();
        out.println("On " + device + ", " + (all - differing) + " of " + all
                + " operations have the same completions and the same memory in both ways.");
        out.printf(Locale.ROOT, "%-36s %10s %10s %8s%n", "nanoseconds, Java", "libmlx5", "direct", "ratio");
        for (String name : library.times.keySet()) {
            double one = library.median(name);
            double other = direct.median(name);
            out.printf(Locale.ROOT, "%-36s %10.1f %10.1f %8.3f%n", name, one, other, other / one);
        }
        return differing == 0;
    }
}
