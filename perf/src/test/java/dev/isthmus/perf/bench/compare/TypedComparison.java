// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.perf.cli.Main;
import dev.isthmus.testbed.OtherProcessor;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import picocli.CommandLine;

/** Comparisons typed as a user does, in a process of their own or in this one, which write to one directory. */
final class TypedComparison implements AutoCloseable {

    /** These tests do not measure speed, and the better compiler takes long on an emulated processor. */
    private static final String QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

    private static final Duration LIMIT = TestDeadlines.ofSeconds(600);

    /** A shell's exit status for SIGTERM. */
    private static final int TERMINATED = 128 + 15;

    private final Path folder;
    private final List<ProcessHandle> started = new ArrayList<>();

    /** Uses an existing folder. */
    TypedComparison(Path folder) {
        this.folder = folder;
    }

    private Path out() {
        return folder.resolve("out");
    }

    private Process start(String line) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "compare"));
        command.addAll(List.of(line.split(" ", -1)));
        var builder = new ProcessBuilder(OtherProcessor.of(command))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile());
        builder.environment().put("JDK_JAVA_OPTIONS", QUICK_START); // its JVMs' too
        Process process = builder.start();
        started.add(process.toHandle());
        return process;
    }

    /** The output of the last comparison. */
    String output() throws IOException {
        return Files.readString(folder.resolve("output"));
    }

    private int status(Process process) throws Exception {
        assertTrue(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS), "it does not end: " + output());
        return process.exitValue();
    }

    private List<Run> runs() throws IOException {
        try (var store = RunStore.read(out())) {
            return store.runs();
        }
    }

    /** Measures everything, and checks what it leaves; returns the runs. */
    List<Run> measure(String line) throws Exception {
        assertEquals(0, status(start(line + " --out " + out())), this::said);
        return checked();
    }

    /** Runs the commands of a run in a shell; returns what they print. */
    String byHand(Run run) throws Exception {
        return shell(run.command());
    }

    /** Runs the command of a run in a shell; returns the run that it makes. */
    Run repeat(Run run) throws Exception {
        Path out = folder.resolve("again-" + run.point().way().id());
        shell(run.command() + " --out " + out);
        try (var store = RunStore.read(out)) {
            assertEquals(1, store.runs().size());
            return store.runs().getFirst();
        }
    }

    private String shell(String line) throws Exception {
        var builder = new ProcessBuilder(OtherProcessor.of(List.of("sh", "-c", line)))
                .directory(Path.of(System.getProperty("isthmus.home", "..")).toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process shell = builder.start();
        started.add(shell.toHandle());
        assertEquals(0, status(shell), this::said);
        return output();
    }

    /** The same in this JVM, because starting another one takes time on an emulated processor. */
    List<Run> measureHere(String line) throws IOException {
        assertEquals(0, here(line + " --out " + out()), this::said);
        return checked();
    }

    private int here(String line) throws IOException {
        var said = new StringWriter();
        int status = new CommandLine(new CompareCommand())
                .setOut(new PrintWriter(said))
                .setErr(new PrintWriter(said))
                .execute(line.split(" ", -1));
        Files.writeString(folder.resolve("output"), said.toString());
        return status;
    }

    /** Measures until there is a run, is terminated then, and continues in this JVM; returns the runs. */
    List<Run> measureWithAPause(String line) throws Exception {
        Process comparison = start(line + " --out " + out());
        awaitRuns(comparison, 0);
        started.addAll(comparison.descendants().toList());
        comparison.destroy();
        assertEquals(TERMINATED, status(comparison), this::said);
        for (ProcessHandle child : started) {
            child.onExit().get(TestDeadlines.seconds(60), TimeUnit.SECONDS); // or it outlives the comparison
        }
        assertTrue(output().contains("interrupted; to go on: ./isthmus compare --resume " + out()), this::said);
        assertTrue(Files.size(out().resolve("results.csv")) > 0);
        List<Run> before = runs();
        assertFalse(Files.exists(out().resolve(Failures.FILE)), "a run that was interrupted has not failed");

        assertEquals(0, here("--resume " + out()), this::said);
        List<Run> after = checked();
        assertFalse(before.isEmpty());
        assertTrue(before.size() < after.size(), before.size() + " of " + after.size() + " runs before the pause");
        assertEquals(before, after.subList(0, before.size()), "what was measured stays");
        return after;
    }

    /** Measures while a JVM that it measures is made to crash, once during a run; returns the runs. */
    List<Run> measureWithACrash(String line) throws Exception {
        Process comparison = start(line + " --out " + out());
        List<Long> crashed = new ArrayList<>();
        while (!output().contains("failed: ")) { // between two runs there are new ones, and nothing fails
            awaitRuns(comparison, crashed.isEmpty() ? 0 : runs().size()); // its maker knows how to handle a signal
            Set<Long> agents = awaitAgents(comparison); // there may be none between two runs
            long one = agents.iterator().next();
            crashed.add(one);
            Process kill = new ProcessBuilder("sh", "-c", "kill -SEGV " + one)
                    .inheritIO()
                    .start();
            assertEquals(0, status(kill));
            await(comparison, () -> output().contains("failed: ") || !agents.containsAll(agents(comparison)));
        }
        assertEquals(0, status(comparison), this::said);
        for (long pid : crashed) {
            Path report = out().resolve("hs_err_pid" + pid + ".log");
            assertTrue(Files.exists(report), this::said);
            assertTrue(output().contains(report + " says where") || crashed.size() > 1, this::said);
        }
        return checked();
    }

    /** The JVMs that are being measured. */
    private static Set<Long> agents(Process comparison) {
        return comparison
                .descendants()
                .filter(child -> commandOf(child).endsWith(AgentProgram.class.getName() + '\0'))
                .map(ProcessHandle::pid)
                .collect(Collectors.toSet());
    }

    /** Each argument is followed by a zero; empty if it has ended. ProcessHandle only has the first 4,096 bytes. */
    private static String commandOf(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"));
        } catch (IOException e) {
            return "";
        }
    }

    private Set<Long> awaitAgents(Process comparison) throws Exception {
        var found = new AtomicReference<Set<Long>>();
        await(comparison, () -> {
            found.set(agents(comparison));
            return !found.get().isEmpty();
        });
        return found.get();
    }

    /** Returns when a condition holds that nothing announces. */
    private void await(Process comparison, Callable<Boolean> so) throws Exception {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!so.call()) {
            assertTrue(comparison.isAlive() && System.nanoTime() - end < 0, this::said);
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    /** Each planned point has its runs, each of them once, with figures; and there is a table. */
    private List<Run> checked() throws IOException {
        List<Run> runs = runs();
        Setting setting = RunStore.read(out()).setting();
        Set<Schedule.Step> planned = new HashSet<>();
        for (int round = 1; round <= setting.options().rounds(); round++) {
            for (Point point : setting.points()) {
                planned.add(new Schedule.Step(point, round));
            }
        }
        Set<Schedule.Step> steps = runs.stream()
                .map(run -> new Schedule.Step(run.point(), run.round()))
                .collect(Collectors.toSet());
        assertEquals(planned, steps);
        assertEquals(planned.size(), runs.size(), "something was measured twice");
        for (Run run : runs) {
            assertTrue(run.messagesPerSecond() > 0, run.toString());
            double bytes = run.point().bytes() * run.messagesPerSecond();
            assertEquals(bytes, run.bytesPerSecond(), bytes * 1e-9, run.toString());
            assertEquals(
                    !run.point().benchmark().isThroughput() && !run.isBehind(),
                    run.averageMicros().isPresent(),
                    run.toString());
            assertFalse(run.command().isBlank());
        }
        assertEquals(
                setting.points().size() + 1,
                Files.readAllLines(out().resolve("results.csv")).size());
        assertTrue(output().contains("to draw them: ./isthmus plot " + out()), this::said);
        assertFalse(Files.exists(out().resolve(Failures.FILE)), this::said);
        return runs;
    }

    /** For a message, which may not throw. */
    private String said() {
        try {
            return output();
        } catch (IOException e) {
            return "" + e;
        }
    }

    /** Returns when more than this many runs are measured. */
    private void awaitRuns(Process comparison, int before) throws Exception {
        Path file = out().resolve(RunStore.FILE); // a line for the setting, each run, and the end
        await(comparison, () -> Files.exists(file) && Files.readAllLines(file).size() > before + 2);
    }

    @Override
    public void close() {
        started.forEach(ProcessHandle::destroyForcibly);
    }
}
