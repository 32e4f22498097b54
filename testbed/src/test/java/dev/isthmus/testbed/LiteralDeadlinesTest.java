// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No test waits for an event for a fixed number of seconds: {@link TestDeadlines} says why. */
@Tag("unit")
class LiteralDeadlinesTest {

    /** What waits for an event, with a literal time; each matches within a line. */
    private static final List<Pattern> WAITS = List.of(
            Pattern.compile("\\.(get|await|poll|tryAcquire|waitFor|awaitTermination)\\((\\w+, )?[1-9][0-9_]*, "
                    + "(TimeUnit\\.)?(SECONDS|MINUTES)\\)"),
            Pattern.compile("\\.(ended|deadline|join|awaitEnd)\\(Duration\\.of(Seconds|Minutes)\\([0-9]"),
            Pattern.compile("\\b[A-Z_]*(DEADLINE|LIMIT|TIMEOUT|LONGEST|MOST|LONG|SOON|WAIT)[A-Z_]* ="
                    + " Duration\\.of(Seconds|Minutes)\\([0-9]"),
            Pattern.compile("\\b[A-Z_]*(DEADLINE|LIMIT|TIMEOUT|LONGEST|MOST|WAIT)[A-Z_]*_(SECONDS|MILLIS|NANOS) ="
                    + " ([0-9]|TimeUnit)"),
            Pattern.compile("nanoTime\\(\\) \\+ ([0-9]|TimeUnit\\.\\w+\\.toNanos\\([0-9])"),
            Pattern.compile("@Timeout\\((value = )?[0-9]"));

    /** Part of a line by its file, and why a literal is right there. */
    private static final Map<String, String> EXCEPTIONS = Map.ofEntries(
            // TIMEOUT is given to the library, and expires.
            Map.entry("EventChannelTest.java", "Duration TIMEOUT = "),
            // It tells an answer from one that waited for the kernel, which takes as long everywhere.
            Map.entry("StormTest.java", "LONGEST_ANSWER_MILLIS = 5000"),
            // A part of the two seconds that a close waits.
            Map.entry("LostPacketsTest.java", "LONGEST_OUTAGE_MILLIS = 1_000"),
            // Long tests with limits of their own, above that of any other.
            Map.entry("GrpcTest.java", "@Timeout(1100)"),
            Map.entry("KafkaTest.java", "@Timeout(1100)"),
            Map.entry("ZooKeeperTest.java", "@Timeout(1100)"),
            Map.entry("ManyConnectionsTest.java", "@Timeout(1100)"),
            Map.entry("PySparkTest.java", "@Timeout(value = 18, unit = TimeUnit.MINUTES)"),
            Map.entry("SparkCommandTest.java", "@Timeout(value = 18, unit = TimeUnit.MINUTES)"),
            Map.entry("SparkOverVerbsTest.java", "@Timeout(value = 18, unit = TimeUnit.MINUTES)"),
            // Spark's JVMs, which do not have the classes of the testbed.
            Map.entry("CancelProgram.java", "nanoTime() + 100_000_000_000L"),
            Map.entry("ShuffleProgram.java", "nanoTime() + 120_000_000_000L"),
            Map.entry("TabProgram.java", "LIMIT_NANOS = 60_000_000_000L"));

    private static boolean waits(String line) {
        return WAITS.stream().anyMatch(wait -> wait.matcher(line).find());
    }

    private static List<Path> testSources() throws IOException {
        Path home = Path.of(System.getProperty("isthmus.home", ".."));
        var sources = new ArrayList<Path>();
        try (var modules = Files.newDirectoryStream(home)) {
            for (Path module : modules) {
                Path tests = module.resolve("src/test/java");
                if (Files.exists(tests)) {
                    try (Stream<Path> files = Files.walk(tests)) {
                        files.filter(file -> file.toString().endsWith(".java"))
                                .filter(file -> !file.endsWith("LiteralDeadlinesTest.java"))
                                .forEach(sources::add);
                    }
                }
            }
        }
        return sources;
    }

    @Test
    void shouldFindNone() throws IOException {
        var found = new ArrayList<String>();
        var outdated = new TreeSet<>(EXCEPTIONS.keySet());
        for (Path source : testSources()) {
            String name = source.getFileName().toString();
            for (String line : Files.readAllLines(source)) {
                if (!waits(line)) {
                    continue;
                }
                if (EXCEPTIONS.containsKey(name) && line.contains(EXCEPTIONS.get(name))) {
                    outdated.remove(name);
                } else {
                    found.add(name + ": " + line.strip());
                }
            }
        }
        assertEquals(List.of(), found, "use TestDeadlines");
        assertEquals(List.of(), List.copyOf(outdated), "these have no such line");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "future.get(30, TimeUnit.SECONDS)",
                "assertTrue(group.awaitTermination(1, TimeUnit.MINUTES));",
                "program.ended(Duration.ofMinutes(5));",
                "private static final Duration DEADLINE = Duration.ofSeconds(30);",
                "static final long LIMIT_SECONDS = 280;",
                "private static final long DEADLINE_NANOS = 60_000_000_000L;",
                "long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);",
                "long end = System.nanoTime() + 60_000_000_000L;",
                "@Timeout(120)",
                "@Timeout(value = 18, unit = TimeUnit.MINUTES)"
            })
    void shouldKnowWaits(String line) {
        assertTrue(waits(line));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "future.get(TestDeadlines.seconds(30), TimeUnit.SECONDS)",
                "server.get(0, TimeUnit.SECONDS)",
                "assertFalse(left.await(200, TimeUnit.MILLISECONDS)); // it waits",
                "private static final Duration DEADLINE = TestDeadlines.ofSeconds(30);",
                "private static final int MOST_MEMBERS = 30;",
                "private static final Duration SHORT = Duration.ofMillis(300);"
            })
    void shouldKnowWhatScales(String line) {
        assertFalse(waits(line));
    }
}
