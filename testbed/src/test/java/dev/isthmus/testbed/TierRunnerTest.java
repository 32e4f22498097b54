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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
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
    private static final String COUNT = "SampleTest.shouldCount | ibv_x: EOPNOTSUPP";
    private static final String FLUSH = "SampleTest.shouldFlush(2) | ibv_y: LOC_QP_OP_ERR";
    private static final Pattern NOW_REFUSED =
            Pattern.compile("(docs/coverage/refused\\.d/device-on-.*): now refused: .*");

    @TempDir
    Path home;

    @BeforeEach
    void stateFourTests() throws IOException {
        Files.createDirectories(home.resolve("testbed"));
        Files.createDirectories(home.resolve("docs/coverage/refused.d"));
        Files.writeString(home.resolve(Stated.TESTS), "SampleTest device=4 unit=7\n");
    }

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

    /** Writes the statements about the device to where the runner says that it looks. */
    private void state(String... refused) throws IOException {
        Matcher file = run().output()
                .lines()
                .map(NOW_REFUSED::matcher)
                .filter(Matcher::matches)
                .findFirst()
                .orElseThrow();
        Files.write(home.resolve(file.group(1)), List.of(refused));
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
    void shouldCountRefusalsApart() throws IOException {
        compile(PASSES + REFUSED);
        assertEnded(0, run()); // there are no statements about this device
        assertEnded(1, run("--exact"));
        state(COUNT, FLUSH);
        assertEnded(
                0,
                run("--exact"),
                "refused by the device: 2",
                "  " + COUNT,
                "  " + FLUSH,
                "device: 2 passed, 0 failed, 0 skipped");
    }

    @Test
    void shouldFailWhenOtherThanStatedIsRefused() throws IOException {
        compile(PASSES + REFUSED);
        state(COUNT.replace("EOPNOTSUPP", "EINVAL"), FLUSH.replace("2", "1"));
        String output = run().output();
        assertEnded(1, run(), "device: 2 passed, 0 failed, 0 skipped");
        assertTrue(output.contains(": now refused: " + COUNT + "\n"), output);
        assertTrue(output.contains(": now refused: " + FLUSH + "\n"), output);
        assertTrue(output.contains(": not refused: SampleTest.shouldFlush(1)\n"), output);
        compile(PASSES); // what is stated of the other two, too
        assertEnded(1, run());
        compile(PASSES + REFUSED.replace("type == 2", "type > 0"));
        assertEnded(1, run(), "  SampleTest.shouldFlush | ibv_y: LOC_QP_OP_ERR"); // whatever its parameters
    }

    @Test
    void shouldFailWhenThereAreMoreOrFewerTestsThanStated() throws IOException {
        compile(PASSES);
        String line = "testbed/tests.txt: SampleTest device=1, not 4";
        assertEnded(0, run(), line);
        assertEnded(1, run("--exact"), line);
        Files.writeString(home.resolve(Stated.TESTS), "SampleTest device=1\nVanishedTest device=2\n");
        assertEnded(1, run("--exact"), "testbed/tests.txt: VanishedTest device=0, not 2");
        assertEnded(0, run("--exact", "Sample.*"), "device: 1 passed, 0 failed, 0 skipped");
        assertEnded(1, run("Other.*"));
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
