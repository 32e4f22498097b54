// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli.demo;

import dev.isthmus.perf.common.WholeFile;
import dev.isthmus.perf.process.JavaChild;
import dev.isthmus.perf.process.Placement;
import dev.isthmus.perf.process.Testbed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code isthmus demo}: compares Java with the C tools, over verbs in the testbed and over UCX on this machine. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Compares Java's latency with the C tools' in one run: RC sends with ib_send_lat, on this machine's",
            "RDMA device or in the testbed, and tagged messages over shared memory with ucx_perftest."
        })
public final class DemoCommand implements Callable<Integer> {

    /** Far more than is needed: each wait has its own limit, and a busy machine is slow. */
    private static final String TIMEOUT_SECONDS = "3600";

    /** The parts of the demo. */
    enum Part {
        /** RC sends over verbs. */
        VERBS,
        /** Tagged messages over UCX. */
        UCX
    }

    @Mixin
    private DuelOptions options;

    @Option(names = "--json", paramLabel = "FILE", description = "file for all figures of every round")
    private Optional<Path> json = Optional.empty();

    @Option(names = "--only", paramLabel = "PART", description = "${COMPLETION-CANDIDATES} (default: both)")
    private Optional<Part> only = Optional.empty();

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (json.isPresent()) {
            WholeFile.check(json.get());
        }
        options.arguments(); // complains about them before anything is started
        List<DemoPart> parts = new ArrayList<>();
        if (only.orElse(Part.VERBS) == Part.VERBS) {
            // Without the testbed's script: on this machine's device.
            parts.add(demoPart(
                    DemoPartCommand.VERBS,
                    Testbed.find()
                            .map(testbed ->
                                    List.of(testbed.script().toString(), "--quiet", "--timeout", TIMEOUT_SECONDS, "--"))
                            .orElse(List.of())));
        }
        if (only.orElse(Part.UCX) == Part.UCX) {
            parts.add(demoPart(DemoPartCommand.UCX, List.of()));
        }
        var temporary = Path.of(System.getProperty("java.io.tmpdir"));
        Demo demo = new Demo(json, temporary, spec.commandLine().getOut(), System.err);
        return demo.run(parts) ? 0 : 1;
    }

    private DemoPart demoPart(String path, List<String> place) {
        List<String> words = new ArrayList<>(place);
        List<String> java = JavaChild.command(Optional.empty(), DemoPartCommand.class, path);
        java.addAll(options.arguments());
        words.addAll(Placement.CLIENT.elsewhere(java));
        return new DemoPart(path, words);
    }
}
