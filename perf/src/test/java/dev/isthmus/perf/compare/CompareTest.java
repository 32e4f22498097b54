package dev.isthmus.perf.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.perf.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whole comparisons, as they are typed, over the loopback interface. */
@Tag("ucx")
@Tag("system-ucx")
@Tag("host")
@Timeout(900)
class CompareTest {

    private static final Duration LIMIT = Duration.ofMinutes(10);

    /** A shell's way to tell of SIGTERM. */
    private static final int TERMINATED = 128 + 15;

    @TempDir
    private Path folder;

    private final List<ProcessHandle> started = new ArrayList<>();

    @AfterEach
    void endProcesses() {
        started.forEach(ProcessHandle::destroyForcibly);
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
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile())
                .start();
        started.add(process.toHandle());
        return process;
    }

    private String output() throws IOException {
        return Files.readString(folder.resolve("output"));
    }

    private int status(Process process) throws Exception {
        assertTrue(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS), "it does not end: " + output());
        return process.exitValue();
    }

    private List<Run> runs(Path dir) throws IOException {
        try (var store = RunStore.read(dir)) {
            return store.runs();
        }
    }

    @Test
    void shouldMeasureEveryWay() throws Exception {
        Path out = folder.resolve("out");
        Process comparison = start("--devices none --ways c-ucx,java-ucx,jucx,nio-blocking,nio-non-blocking --bytes 64"
                + " --benchmarks one-way,ping-pong --rounds 1 --seconds 0.05 --warm-up 0.5 --out " + out);
        assertEquals(0, status(comparison), output());
        List<Run> runs = runs(out);
        Set<Way> ways = runs.stream().map(run -> run.point().way()).collect(Collectors.toSet());
        assertEquals(Set.of(Way.C_UCX, Way.JAVA_UCX, Way.JUCX, Way.NIO_BLOCKING, Way.NIO_NON_BLOCKING), ways);
        assertEquals(10, runs.size());
        for (Run run : runs) {
            assertTrue(run.messagesPerSecond() > 0, run.toString());
            assertEquals(64 * run.messagesPerSecond(), run.bytesPerSecond(), 1e-6);
            boolean trips = run.point().benchmark() == Benchmark.PING_PONG;
            assertEquals(trips, run.averageMicros().isPresent(), run.toString());
            assertFalse(run.command().isBlank());
        }
        assertTrue(output().contains("10 runs"), output());
        assertTrue(Files.size(out.resolve("report.html")) > 0);
    }

    @Test
    void shouldKeepWhatItMeasuredWhenItIsTerminatedAndGoOn() throws Exception {
        Path out = folder.resolve("out");
        Process comparison = start("--devices none --ways c-ucx,nio-blocking --bytes 64 --benchmarks ping-pong"
                + " --rounds 4 --seconds 0.3 --warm-up 1 --out " + out);
        awaitRuns(comparison, out);
        started.addAll(comparison.descendants().toList());
        comparison.destroy();
        assertEquals(TERMINATED, status(comparison), output());
        for (ProcessHandle child : started) {
            child.onExit().get(60, TimeUnit.SECONDS); // or it outlives the comparison
        }
        assertTrue(output().contains("interrupted; to go on: ./isthmus compare --resume " + out), output());
        assertTrue(Files.size(out.resolve("report.html")) > 0);
        List<Run> before = runs(out);
        assertTrue(!before.isEmpty() && before.size() < 8, before.size() + " of 8 runs");
        assertFalse(Files.exists(out.resolve(Failures.FILE)), "a run that was interrupted has not failed");

        assertEquals(0, status(start("--resume " + out)), output());
        List<Run> after = runs(out);
        assertEquals(before, after.subList(0, before.size()), "what was measured stays");
        Set<Schedule.Step> steps = after.stream()
                .map(run -> new Schedule.Step(run.point(), run.round()))
                .collect(Collectors.toSet());
        assertEquals(8, steps.size());
        assertEquals(8, after.size(), "nothing is measured twice");
    }

    /** Returns when something is measured. The file is all that tells. */
    private void awaitRuns(Process comparison, Path out) throws Exception {
        Path file = out.resolve("runs.jsonl");
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!Files.exists(file) || Files.size(file) == 0) {
            assertTrue(comparison.isAlive() && System.nanoTime() - end < 0, output());
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }
}
