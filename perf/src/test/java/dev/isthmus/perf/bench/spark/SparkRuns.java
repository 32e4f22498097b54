// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.perf.cli.Main;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Runs {@code isthmus spark} for tests, as the launcher does: in a JVM of its own. */
final class SparkRuns {

    private SparkRuns() {}

    /** With a folder for temporary files of its own. */
    static ProcessBuilder command(Path temporary, String... options) {
        String jars = System.getProperty("isthmus.spark.jars");
        assertTrue(jars != null, "./testbed/tests --tier spark gets Spark's jars");
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + temporary,
                "-Disthmus.home=" + System.getProperty("isthmus.home"),
                "-cp",
                System.getProperty("java.class.path").replace(File.pathSeparator + "null", ""),
                Main.class.getName(),
                "spark",
                "--jars",
                jars));
        command.addAll(List.of(options));
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    }

    /** Runs it, and returns what it has printed. */
    static String output(Path temporary, String... options) throws Exception {
        Process process = command(temporary, options).start();
        try {
            String output =
                    new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
            assertEquals(0, process.waitFor(), output);
            return output;
        } finally {
            process.destroy();
        }
    }

    /**
     * Asserts that of so many shuffles or queries Spark's own transfer read nothing, and that a connection has a transport
     * that begins with this.
     */
    static void assertAllByUcx(String output, int count, String transport) {
        List<String> ucx = output.lines()
                .map(String::strip)
                .filter(line -> line.startsWith("UCX "))
                .toList();
        assertEquals(count, ucx.size(), output);
        ucx.forEach(line -> assertTrue(line.contains(" 100.0 % "), output));
        assertTrue(output.contains("The results agree in all 2 runs."), output);
        assertTrue(
                Pattern.compile("^connections .*\\b" + Pattern.quote(transport), Pattern.MULTILINE)
                        .matcher(output)
                        .find(),
                output);
    }
}
