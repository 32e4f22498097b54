// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.isthmus.doctor.CommandFailures;
import dev.isthmus.perf.bench.compare.CompareCommand;
import dev.isthmus.perf.bench.compare.Tables;
import dev.isthmus.perf.common.WholeFile;
import dev.isthmus.perf.process.Scratch;
import dev.isthmus.perf.process.Stopping;
import dev.isthmus.perf.process.Tool;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code isthmus demo}: Java beside the C tools in one table. Each part is a small comparison of {@code compare}: over
 * verbs on this machine's device or in the testbed, over UCX on this machine.
 */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Compares Java's latency with the C tools' in one run: RC sends with ib_send_lat, on this machine's",
            "RDMA device or in the testbed, and tagged messages over shared memory with ucx_perftest."
        })
final class DemoCommand implements Callable<Integer> {

    private static final int MIN_ITERATIONS = 100;

    /**
     * A round over UCX takes a fraction of a second, most of it to start {@code ucx_perftest}. A host moves a virtual
     * machine's processors about, which makes a round up to five times slower, so a median of few rounds would mostly
     * show that.
     */
    private static final int UCX_ROUNDS_FACTOR = 2;

    /** Over UCX a message takes a hundredth of its time in the testbed. {@code ucx_perftest} uses the last 2048. */
    private static final int UCX_ITERATIONS_FACTOR = 10;

    /** The parts of the demo. */
    enum Part {
        /** RC sends over verbs. */
        VERBS,
        /** Tagged messages over UCX. */
        UCX
    }

    @Option(
            names = "--sizes",
            paramLabel = "BYTES",
            defaultValue = "8,64,4096",
            description = "message sizes (default: ${DEFAULT-VALUE})")
    private String sizes = "";

    @Option(
            names = "--iters",
            paramLabel = "N",
            defaultValue = "3000",
            description =
                    "messages each way in a round over verbs, 10 times as many over UCX (default: ${DEFAULT-VALUE})")
    private int iterations;

    @Option(
            names = "--rounds",
            paramLabel = "R",
            defaultValue = "7",
            description =
                    "rounds of each side at each size over verbs, twice as many over UCX (default: ${DEFAULT-VALUE})")
    private int rounds;

    @Option(names = "--json", paramLabel = "FILE", description = "file for all figures of every round")
    private Optional<Path> json = Optional.empty();

    @Option(names = "--only", paramLabel = "PART", description = "${COMPLETION-CANDIDATES} (default: both)")
    private Optional<Part> only = Optional.empty();

    @Spec
    private CommandSpec spec;

    private final PrintStream err = System.err;
    private final ObjectNode figures = new ObjectMapper().createObjectNode();

    @Override
    public Integer call() throws IOException {
        if (json.isPresent()) {
            WholeFile.check(json.get());
        }
        if (iterations < MIN_ITERATIONS) {
            throw new ParameterException(
                    spec.commandLine(), "--iters takes numbers from " + MIN_ITERATIONS + ", not " + iterations);
        }
        int status = 0;
        try (var scratch = new Scratch("isthmus-demo-")) {
            List<String> measured = new ArrayList<>(List.of("--beside-c"));
            for (Part part : Part.values()) {
                if (only.orElse(part) == part && status != CommandLine.ExitCode.USAGE && !Stopping.hasBegun()) {
                    Path folder = scratch.folder().resolve(part.name().toLowerCase(Locale.ROOT));
                    status = Math.max(status, measure(part, folder));
                    int sides = sides(folder);
                    if (sides > 0) {
                        measured.add(folder.toString());
                    }
                    status = sides == 2 ? status : Math.max(status, 1);
                }
            }
            if (measured.size() > 1) {
                Tables.print(spec.commandLine().getOut(), err, measured);
            }
            if (json.isPresent()) {
                WholeFile.writeJson(json.get(), figures);
            }
            if (status != 0 && measured.size() > 1) {
                scratch.keep();
                err.println(
                        "demo: what was measured, and the reports of JVMs that crashed, are in " + scratch.folder());
            }
        }
        return status;
    }

    private int measure(Part part, Path folder) {
        boolean ucx = part == Part.UCX;
        List<String> words =
                Tool.words("--benchmarks ping-pong --seconds 1 --warm-up 10 --warm-up-once --bytes " + sizes
                        + " --messages " + iterations * (ucx ? UCX_ITERATIONS_FACTOR : 1)
                        + " --rounds " + rounds * (ucx ? UCX_ROUNDS_FACTOR : 1)
                        + (ucx
                                ? " --ways c-ucx,java-ucx --routes shm-tag --devices none"
                                : " --ways c-verbs-send,java-verbs-send"));
        words.addAll(List.of("--out", folder.toString()));
        return CommandFailures.reportedBy(new CommandLine(new CompareCommand(true)))
                .setCommandName("demo")
                .setErr(spec.commandLine().getErr())
                .execute(words.toArray(String[]::new));
    }

    /** Takes over the figures of a part; returns how many of the two sides have some. */
    private int sides(Path folder) throws IOException {
        Path file = folder.resolve("results.json");
        if (!Files.exists(file)) {
            return 0;
        }
        JsonNode found = new ObjectMapper().readTree(file.toFile());
        figures.set(folder.getFileName().toString(), found);
        return Set.copyOf(found.path("runs").findValuesAsText("way")).size();
    }
}
