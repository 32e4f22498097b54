// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.ChildJvm;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.Options;

/** JMH's own options do what they do in JMH. No benchmark runs. */
@Tag("unit")
class JmhCommandTest {

    @ParameterizedTest
    @CsvSource({
        "-l, dev.isthmus.perf.bench.jmh.CallBenchmark.",
        "-lp, dev.isthmus.perf.bench.jmh.CallBenchmark.",
        "-lprof, Supported profilers",
        "-lrf, json",
        "-h, -prof <profiler>",
    })
    void shouldPrintWhatJmhPrints(String option, String printed) {
        ChildJvm.Result result = new ChildJvm().run(Main.class, "perf", "jmh", "--", option);
        assertEquals(0, result.status(), result::output);
        assertTrue(result.output().contains(printed), result::output);
        assertFalse(result.output().contains("# Warmup"), result::output);
    }

    @Test
    void shouldListWhatARegexMatches() {
        ChildJvm.Result result = new ChildJvm().run(Main.class, "perf", "jmh", "Call|Start", "--", "-l");
        assertTrue(result.output().contains("jmh.CallBenchmark."), result::output);
        assertTrue(result.output().contains("jmh.StartBenchmark."), result::output);
        assertFalse(result.output().contains("jmh.VerbsBenchmark."), result::output);
    }

    private static Options options(String... given) throws Exception {
        return new JmhCommand().options(new CommandLineOptions(given));
    }

    @Test
    void shouldAddToTheOptionsOfTheJvm() throws Exception {
        assertEquals(
                List.of("--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-Dx=1"),
                options("-jvmArgsAppend", "-Dx=1").getJvmArgsAppend().get());
    }

    @ParameterizedTest
    @CsvSource({"-jvmArgs", "-jvmArgsPrepend", "-jvmArgsAppend"})
    void shouldLeaveTheCollectorToTheUser(String option) throws Exception {
        Options options = options(option, "-XX:+UseG1GC -Xmx1g");
        assertFalse(options.getJvmArgsAppend().get().contains("-XX:+UseSerialGC"));
    }

    @Test
    void shouldFailOnErrorUnlessToldOtherwise() throws Exception {
        assertTrue(options().shouldFailOnError().get());
        assertFalse(options("-foe", "false").shouldFailOnError().get());
    }
}
