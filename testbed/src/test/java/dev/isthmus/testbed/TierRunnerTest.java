// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.AssertionFailedError;

/** The runner in a JVM of its own, with a class that is compiled for it. */
@Tag("unit")
class TierRunnerTest {

    private static final String PASSES = "@Test void shouldPass() {}\n";
    private static final String REFUSED = """
            @Test
            void shouldCount() {
                String said = "ibv_x(rxe0): EOPNOTSUPP (95): no";
                throw RefusedByDevice.saying(new IllegalStateException(said), said);
            }
            @ParameterizedTest
            @ValueSource(ints = {1, 2})
            void shouldFlush(int type) {
                if (type == 2) {
                    throw RefusedByDevice.by("ibv_y", "LOC_QP_OP_ERR");
                }
            }
            """;

    @TempDir
    Path home;

    private void compile(String body) throws IOException {
        Path source = home.resolve("SampleTest.java");
        Files.writeString(source, """
                import dev.isthmus.testbed.RefusedByDevice;
                import org.junit.jupiter.api.*;
                import org.junit.jupiter.params.*;
                import org.junit.jupiter.params.provider.*;

                @Tag("device")
                class SampleTest {
                """ + body + "}\n");
        Path classes = Files.createDirectories(home.resolve("test-classes"));
        assertEquals(
                0,
                ToolProvider.getSystemJavaCompiler()
                        .run(null, null, null, "-proc:none", "-d", classes.toString(), source.toString()));
    }

    private ChildJvm.Result run(String... options) {
        return run(300, options);
    }

    private ChildJvm.Result run(int testSeconds, String... options) {
        String libraries = Stream.of(System.getProperty("java.class.path").split(Pattern.quote(File.pathSeparator)))
                .filter(path -> !path.endsWith("test-classes"))
                .collect(Collectors.joining(File.pathSeparator));
        var arguments = new ArrayList<>(List.of("device"));
        arguments.addAll(List.of(options));
        return new ChildJvm()
                .under("env", "ISTHMUS_DEVICES=fake0 fake1")
                .options("-Disthmus.home=" + home, "-Disthmus.test.seconds=" + testSeconds)
                .classPath(home.resolve("test-classes") + File.pathSeparator + libraries)
                .run(TierRunner.class, arguments.toArray(String[]::new));
    }

    private static void assertEnded(int status, ChildJvm.Result result, String... lines) {
        assertEquals(status, result.status(), result.output());
        for (String line : lines) {
            assertTrue(result.output().lines().anyMatch(line::equals), line + " is not in " + result.output());
        }
    }

    /** What the report says of each test that has ended, without its identifier. */
    private List<String> ended() throws IOException {
        return Files.readAllLines(home.resolve("report")).stream()
                .filter(line -> line.startsWith("ended\t"))
                .map(line -> line.replaceFirst("ended\t(\\w+)\t[^\t]*\t", "$1 ")
                        .replace('\t', ' ')
                        .strip())
                .sorted()
                .toList();
    }

    @Test
    void shouldGiveUpATestThatDoesNotEnd() throws IOException {
        compile("@Test void shouldWait() { new java.util.concurrent.CompletableFuture<Void>().join(); }\n");
        var result = run(1);
        assertEnded(1, result);
        assertTrue(
                result.output().contains("FAILED SampleTest.shouldWait(): it has not ended after 4 s"),
                result.output());
        assertTrue(result.output().contains("SampleTest.shouldWait(SampleTest.java:"), result.output());
    }

    @Test
    void shouldReportWhatBecameOfEachTest() throws IOException {
        compile(PASSES + REFUSED + "@Test void shouldFail() { throw new IllegalStateException(\"two\\nlines\"); }\n");
        assertEnded(1, run("--report", home + "/report"), "device: 2 passed, 1 failed, 0 skipped");
        assertEquals(
                List.of(
                        "failed SampleTest.shouldFail  java.lang.IllegalStateException: two lines",
                        "passed SampleTest.shouldFlush (1)",
                        "passed SampleTest.shouldPass",
                        "refused SampleTest.shouldCount  ibv_x: EOPNOTSUPP",
                        "refused SampleTest.shouldFlush (2) ibv_y: LOC_QP_OP_ERR"),
                ended());
        assertEquals("complete", Files.readAllLines(home.resolve("report")).getLast());
    }

    @Test
    void shouldGoOnAfterTheTestThatEndedAJvm() throws IOException {
        compile(PASSES + """
                @Test void shouldDie() { Runtime.getRuntime().halt(134); }
                @ParameterizedTest @ValueSource(ints = {1, 2}) void shouldCount(int n) {}
                """);
        assertEnded(134, run("--report", home + "/report"));
        assertTrue(Files.readAllLines(home.resolve("report")).stream()
                .noneMatch(line -> line.equals("complete") || line.contains("\tSampleTest.shouldDie\t")));
        assertEnded(0, run("--report", home + "/report", "--without", home + "/report"));
        assertEquals(
                List.of(
                        "passed SampleTest.shouldCount (1)",
                        "passed SampleTest.shouldCount (2)",
                        "passed SampleTest.shouldPass"),
                ended());
    }

    @Test
    void shouldRunOneTestAlone() throws IOException {
        compile(PASSES + REFUSED);
        run("--report", home + "/report");
        String second = Files.readAllLines(home.resolve("report")).stream()
                .filter(line -> line.startsWith("began\t") && line.contains("#2"))
                .findFirst()
                .orElseThrow()
                .substring("began\t".length());
        Files.delete(home.resolve("report"));
        assertEnded(0, run("--report", home + "/report", "--test", second), "device: 0 passed, 0 failed, 0 skipped");
        assertEquals(List.of("refused SampleTest.shouldFlush (2) ibv_y: LOC_QP_OP_ERR"), ended());
    }

    @Test
    void shouldLeaveExtendedTestsOutOfTheGate() throws IOException {
        compile(PASSES + "@Test @Tag(\"extended\") void shouldTakeLong() {}\n");
        assertEnded(0, run("--gate"), "device: 1 passed, 0 failed, 0 skipped");
        assertEnded(0, run(), "device: 2 passed, 0 failed, 0 skipped");
    }

    @Test
    void shouldFailWhenATestHasNoTier() throws IOException {
        compile(PASSES + "}\nclass UntaggedTest { @Test void shouldRun() {}\n");
        assertEnded(0, run("--class", "SampleTest"), "device: 1 passed, 0 failed, 0 skipped");
        var result = run("--check-tags", "--class", "SampleTest");
        assertEnded(1, result, "device: 1 passed, 0 failed, 0 skipped");
        assertTrue(result.output().contains("has no tier, so it never runs: "), result.output());
    }

    @Test
    void shouldFailWhenNoTestRuns() throws IOException {
        compile(PASSES);
        assertEnded(1, run("Other.*"), "device: 0 passed, 0 failed, 0 skipped");
    }

    @Test
    void shouldCallNothingElseRefused() throws IOException {
        compile(PASSES + """
                @Test void shouldBeAborted() { throw new org.opentest4j.TestAbortedException("ibv_x: EOPNOTSUPP"); }
                @Test void shouldFailToClose() {
                    AutoCloseable broken = () -> { throw new java.io.IOException("EBUSY"); };
                    try (broken) {
                        throw RefusedByDevice.by("ibv_x", "EOPNOTSUPP");
                    } catch (java.io.IOException e) {
                        throw new AssertionError(e);
                    } catch (RuntimeException e) {
                        throw e;
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                }
                """);
        assertEnded(1, run(), "device: 1 passed, 0 failed, 2 skipped");
        compile(PASSES + REFUSED + "@AfterEach void close() { throw new IllegalStateException(\"EBUSY\"); }\n");
        assertEnded(1, run(), "device: 0 passed, 4 failed, 0 skipped");
    }

    @Test
    void shouldFailWhenJUnitWouldNotRunATest() throws IOException {
        compile(PASSES + "@Test private void shouldBeRun() {}\n");
        ChildJvm.Result result = run();
        assertEquals(1, result.status(), result.output());
        assertTrue(result.output().contains("shouldBeRun"), result.output());
    }

    @Test
    void shouldTakeOnlyTheRefusalThatIsExpected() {
        var e = new IllegalStateException("ibv_x(rxe0): EPERM (1): no");
        assertThrows(AssertionFailedError.class, () -> RefusedByDevice.saying(e, "ibv_x(rxe0): EOPNOTSUPP (95): no"));
        assertThrows(IllegalArgumentException.class, () -> RefusedByDevice.saying(e, "ibv_x: no"));
        assertEquals("ibv_x: EPERM", RefusedByDevice.saying(e, e.getMessage()).getMessage());
    }
}
