// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.perf.process.JavaChild;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a demo ends when one of its parts fails. The parts are JVMs of their own, as always. */
@Tag("unit")
class DemoTest {

    private final StringWriter out = new StringWriter();
    private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

    @TempDir
    private Path folder;

    private DemoPart part(String path, boolean emulated, String end) {
        // Without a core file: the option against it would make the JVM end with status 1.
        List<String> command = new ArrayList<>(List.of("sh", "-c", "ulimit -c 0; exec \"$@\"", "sh"));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-XX:TieredStopAtLevel=1");
        command.addAll(JavaChild.options());
        command.add("-XX:+ErrorFileToStderr");
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), DemoPartProgram.class.getName()));
        command.addAll(List.of(path, "" + emulated, folder.resolve(path).toString(), end));
        return new DemoPart(path, command);
    }

    private boolean run(DemoPart... parts) throws IOException, InterruptedException {
        var printer = new PrintStream(errors, true, StandardCharsets.UTF_8);
        return new Demo(Optional.of(folder.resolve("json")), folder, new PrintWriter(out), printer).run(List.of(parts));
    }

    private DemoReport report() throws IOException {
        return DemoReport.JSON.readValue(folder.resolve("json").toFile(), DemoReport.class);
    }

    private String errors() {
        return errors.toString(StandardCharsets.UTF_8);
    }

    private List<String> reportFiles() throws IOException {
        try (var files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("isthmus-jvm-"))
                    .toList();
        }
    }

    @Test
    void shouldSucceedWhenBothHalvesDo() throws Exception {
        assertTrue(run(part("verbs", false, "well"), part("ucx", false, "well")), errors());
        assertEquals(2, report().comparisons().size());
        assertEquals(List.of(), report().failures());
    }

    @Test
    void shouldReportOneHalfWhenTheOtherFails() throws Exception {
        assertFalse(run(part("verbs", false, "well"), part("ucx", false, "no shared memory")));
        assertTrue(
                out.toString().contains("verbs RC send                  8     1.000     1.000   1.000"),
                out.toString());
        String reason = "the ucx part ended with status 1: no shared memory";
        assertTrue(errors().endsWith("demo: " + reason + "\n"), errors());
        assertEquals(List.of(new DemoReport.Failure("ucx", reason, false)), report().failures());
    }

    @Test
    void shouldRunTheOtherHalfWhenTheFirstCannotBeStarted() throws Exception {
        assertFalse(run(new DemoPart("verbs", List.of("/no/such/program")), part("ucx", false, "well")));
        assertEquals(
                List.of("ucx"),
                report().comparisons().stream().map(DuelResult::path).toList());
        assertTrue(report().failures().getFirst().reason().contains("/no/such/program"), errors());
    }

    @Test
    void shouldRepeatAHalfWhoseJvmCrashedOnAnEmulatedProcessor() throws Exception {
        assertTrue(run(part("verbs", true, "crash-once")), errors());
        assertEquals(
                List.of(new DemoReport.Failure("verbs", "a JVM of the verbs part was ended by SIGABRT", true)),
                report().failures());
        // The rounds of the second run alone.
        assertEquals(
                List.of(2.0, 2.0),
                report().samples().stream().map(DemoReport.Sample::medianMicros).toList());
        String line = "demo: on the testbed's emulated processor, a JVM of the verbs part was ended by SIGABRT";
        assertEquals(1, errors().lines().filter(l -> l.startsWith(line)).count(), errors());
        assertTrue(out.toString().contains("measured again"), out.toString());
    }

    @Test
    void shouldShowTheBeginningOfTheErrorReportAndKeepAll() throws Exception {
        assertTrue(run(part("verbs", true, "crash-once")), errors());
        assertTrue(errors().contains("SIGSEGV") && errors().contains("# Problematic frame:"), errors());
        assertFalse(errors().contains("VM Arguments:"), errors());
        assertEquals(1, reportFiles().size());
        assertTrue(Files.readString(folder.resolve(reportFiles().getFirst())).contains("VM Arguments:"));
    }

    @Test
    void shouldRepeatAHalfOnceOnly() throws Exception {
        assertFalse(run(part("verbs", true, "crash")));
        assertEquals(
                List.of(true, false),
                report().failures().stream().map(DemoReport.Failure::repeated).toList());
        assertEquals(2, reportFiles().size());
    }

    @Test
    void shouldTakeACrashElsewhereForAFailureAtOnce() throws Exception {
        assertFalse(run(part("verbs", false, "crash-once")));
        assertEquals(
                List.of(new DemoReport.Failure("verbs", "a JVM of the verbs part was ended by SIGABRT", false)),
                report().failures());
        assertEquals(2, report().samples().size());
    }
}
