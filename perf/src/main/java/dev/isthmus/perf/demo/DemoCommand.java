package dev.isthmus.perf.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code isthmus demo}: holds Java against the C tools, over verbs in the testbed and over UCX here. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Holds Java's latency against the C tools' in one run: RC sends against ib_send_lat, on this machine's",
            "RDMA device or in the testbed, and tagged messages over shared memory against ucx_perftest."
        })
public final class DemoCommand implements Callable<Integer> {

    /** What the demo consists of. */
    enum Part {
        /** RC sends over verbs. */
        VERBS,
        /** Tagged messages over UCX. */
        UCX
    }

    @Mixin
    private DuelOptions options;

    @Option(names = "--json", paramLabel = "FILE", description = "write all figures there, of every round")
    private Optional<Path> json = Optional.empty();

    @Option(names = "--only", paramLabel = "PART", description = "${COMPLETION-CANDIDATES} (default: both)")
    private Optional<Part> only = Optional.empty();

    @Spec
    private CommandSpec spec;

    private final Map<String, Machine> machines = new LinkedHashMap<>();
    private final List<Sample> samples = new ArrayList<>();

    @Override
    public Integer call() throws IOException, InterruptedException {
        checkWritable();
        options.arguments(); // complains about them before anything is started
        String date = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        try (var progress = Progress.onStandardError()) {
            var listener = new Collector(progress);
            if (only.orElse(Part.VERBS) == Part.VERBS) {
                runVerbs(listener);
            }
            if (only.orElse(Part.UCX) == Part.UCX) {
                run(UcxDuel.PATH, List.of(), "demo-ucx", listener);
            }
        }
        var report = new Report(date, machines, Comparison.of(samples), samples);
        if (json.isPresent()) {
            report.write(json.get());
        }
        PrintWriter out = spec.commandLine().getOut();
        out.print(Table.format(report));
        out.flush();
        return 0;
    }

    /** Two minutes later would be a bad time to find out. */
    private void checkWritable() throws IOException {
        if (json.isPresent()) {
            Path folder = json.get().toAbsolutePath().getParent();
            if (!Files.isWritable(folder) || Files.isDirectory(json.get())) {
                throw new IOException("cannot write " + json.get());
            }
        }
    }

    private void runVerbs(Collector listener) throws IOException, InterruptedException {
        Optional<Path> testbed = Testbed.find();
        listener.progress(testbed.isPresent() ? "starting the testbed" : "starting on this machine's device");
        List<String> place = testbed.map(script -> List.of(script.toString(), "--quiet", "--"))
                .orElse(List.of());
        run(VerbsDuel.PATH, place, "demo-verbs", listener);
    }

    /** Runs a part in a JVM of its own and takes what it finds. */
    private void run(String path, List<String> place, String part, Collector listener)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(place);
        command.addAll(JavaChild.command(part));
        command.addAll(options.arguments());
        try (var children = new Children()) {
            Process process = children.start(command, Map.of());
            process.getOutputStream().close();
            var lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Event.parse(line).ifPresent(event -> take(path, event, listener));
            }
            int status = process.waitFor();
            if (status != 0) {
                throw new IOException(
                        "the " + path + " part ended with status " + status + "; what it said stands above");
            }
        }
    }

    private void take(String path, Event event, Collector listener) {
        if (event.progress() != null) {
            listener.progress(event.progress());
        }
        if (event.sample() != null) {
            listener.sample(event.sample());
        }
        if (event.machine() != null) {
            machines.put(path, event.machine());
        }
    }

    private final class Collector implements Duel.Listener {
        private final Progress progress;

        Collector(Progress progress) {
            this.progress = progress;
        }

        @Override
        public void progress(String what) {
            progress.update(what);
        }

        @Override
        public void sample(Sample sample) {
            samples.add(sample);
        }
    }
}
