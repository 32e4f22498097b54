// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.isthmus.doctor.DoctorCommand;
import dev.isthmus.perf.common.Progress;
import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.JavaChild;
import dev.isthmus.perf.process.Scratch;
import dev.isthmus.perf.process.Stopping;
import dev.isthmus.perf.process.Tool;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code isthmus report}: runs the commands that show how Isthmus runs on a machine, and writes their output to a JSON
 * file and a page.
 */
@Command(
        name = "report",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Reports on this machine: runs doctor, info, and Java beside the C tools; on a",
            "ConnectX compares queue pairs that Java itself drives with libmlx5's; on",
            "request, counts the instructions of the calls, and runs the tests that need a",
            "device. Writes everything to a JSON file, and the same to a page. Names,",
            "addresses, GUIDs and serial numbers are left out. Nothing is sent anywhere."
        },
        exitCodeListHeading = "Exit status:%n",
        exitCodeList = {
            "0:everything ran and succeeded",
            "1:something failed; the report is written all the same, and says what",
            "2:the command line is wrong"
        })
public final class ReportCommand implements Callable<Integer> {

    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT).withZone(ZoneOffset.UTC);

    private static final int INTERRUPTED = 130; // the JVM's status after SIGINT
    private static final String HOME = "isthmus.home";
    private static final String COUNTING_SECONDS = "1800"; // a busy machine takes longer than a test may
    private static final Path TESTS = Path.of("testbed", "tests");

    @Option(
            names = "--out",
            paramLabel = "NAME",
            description = "writes NAME.json and NAME.html (default: isthmus-report-DATE)")
    private Optional<Path> out = Optional.empty();

    @Option(names = "--quick", description = "fewer rounds beside C: seconds instead of minutes")
    private boolean quick;

    @Option(
            names = "--instructions",
            description =
                    "also count the instructions of the calls, Java beside C; takes about six minutes, and needs a"
                            + " checkout, QEMU and gcc")
    private boolean instructions;

    @Option(
            names = "--tests",
            description =
                    "also run the tests that need a device, from a checkout; takes some minutes on a network card")
    private boolean tests;

    @Option(names = "--without", split = ",", paramLabel = "PART", description = "leave out: ${COMPLETION-CANDIDATES}")
    private Set<Part> without = Set.of();

    @Spec
    private CommandSpec spec;

    /** The parts that run unless they are left out. */
    enum Part {
        /** What the machine has. */
        DOCTOR,
        /** Its devices. */
        INFO,
        /** Java beside C. */
        DEMO,
        /** Queue pairs that Java itself drives beside those that libmlx5 drives, where there is a ConnectX. */
        DIRECT
    }

    /** A command to run. */
    private record Step(String name, String title, List<String> command, Optional<Path> data, String shown) {}

    private final Class<?> program;

    /** Creates the command. */
    public ReportCommand(Class<?> program) {
        this.program = program;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Instant begin = Instant.now();
        Path name = out.orElse(Path.of("isthmus-report-" + STAMP.format(begin))).toAbsolutePath();
        if (!Files.isWritable(name.getParent())) {
            throw new IOException("cannot write to " + name.getParent());
        }
        var sections = new ArrayList<Report.Section>();
        PrintStream errors = System.err;
        try (var scratch = new Scratch("isthmus-report-");
                var children = new Children();
                var progress = Progress.on(errors)) {
            for (Step step : steps(scratch.folder())) {
                progress.update(step.title());
                sections.add(run(children, step));
                if (Stopping.hasBegun()) {
                    return INTERRUPTED;
                }
            }
        }
        var report = new Report(begin, sections, Scrubber.ofThisMachine());
        report.write(name);
        tell(spec.commandLine().getOut(), name, report);
        return report.isWell() ? 0 : 1;
    }

    private List<Step> steps(Path scratch) throws IOException {
        List<Step> steps = new ArrayList<>();
        if (!without.contains(Part.DOCTOR)) {
            steps.add(ours("doctor", "What the machine has, and what it lacks", "doctor --json", Optional.empty()));
        }
        if (!without.contains(Part.INFO)) {
            steps.add(ours("info", "RDMA devices", "info -v", Optional.empty()));
        }
        if (!without.contains(Part.DEMO)) {
            String demo = "demo" + (quick ? " --rounds 2 --iters 500" : "");
            steps.add(ours("demo", "Java beside C", demo, Optional.of(scratch.resolve("demo.json"))));
        }
        if (!without.contains(Part.DIRECT)) {
            String title = "A ConnectX by libmlx5, and straight to the card";
            String direct = "perf direct --rounds " + (quick ? 1 : 3);
            steps.add(ours("direct", title, direct, Optional.of(scratch.resolve("direct.json"))));
        }
        if (instructions) {
            String title = "Instructions of the calls, Java beside C";
            String counting = "perf instructions --timeout " + COUNTING_SECONDS;
            steps.add(ours("instructions", title, counting, Optional.of(scratch.resolve("instructions.json"))));
        }
        if (tests) {
            Path script = Path.of(System.getProperty(HOME, "")).resolve(TESTS);
            if (!Files.isExecutable(script)) {
                throw new IOException("the tests are in the sources: run ./isthmus report --tests in a checkout");
            }
            List<String> command = List.of(script.toString(), "--tier", "device");
            steps.add(new Step(
                    "tests", "Tests that need a device", command, Optional.empty(), "./isthmus test --tier device"));
        }
        return steps;
    }

    /** A command of ours, which writes its data to a file if there is one. */
    private Step ours(String name, String title, String line, Optional<Path> data) {
        List<String> words = Tool.words(line);
        data.ifPresent(file -> words.addAll(List.of("--json", file.toString())));
        List<String> command = JavaChild.command(Optional.empty(), program, words.toArray(String[]::new));
        String home = System.getProperty(HOME);
        if (home != null) { // where the demo finds the testbed
            command.add(1, "-D" + HOME + "=" + home);
        }
        return new Step(name, title, command, data, "./isthmus " + String.join(" ", words));
    }

    private static Report.Section run(Children children, Step step) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        Children.Ended ended = children.run(step.command());
        double seconds = (System.nanoTime() - begin) / 1e9;
        String printed = ended.output();
        JsonNode data = step.data().isPresent() ? json(read(step.data().get())) : json(printed);
        String text = (data != null && step.data().isEmpty() ? DoctorCommand.text(printed) : printed)
                + (ended.status() == 0 ? "" : ended.errors());
        return new Report.Section(
                step.name(), step.title(), step.shown(), ended.status(), Math.round(seconds * 10) / 10.0, text, data);
    }

    private static String read(Path file) throws IOException {
        return Files.exists(file) ? Files.readString(file) : "";
    }

    /** The JSON tree, or null if the text is not JSON. */
    private static JsonNode json(String text) {
        if (!text.startsWith("{") && !text.startsWith("[")) {
            return null;
        }
        try {
            return new ObjectMapper().readTree(text);
        } catch (IOException e) {
            return null; // reported as text then
        }
    }

    private static void tell(PrintWriter to, Path name, Report report) {
        to.println("The report has:");
        for (Report.Section section : report.sections()) {
            to.printf(
                    Locale.ROOT,
                    "  %-45s %s%n",
                    section.title() + " (" + section.command() + ")",
                    section.status() == 0 ? "well" : "exit status " + section.status());
        }
        to.println("Read it before you send it: " + name + ".html, with the same content as " + name + ".json");
        to.println("Nothing was sent. If you want to, attach the JSON file to an issue of the kind \"A device\".");
        to.flush();
    }
}
