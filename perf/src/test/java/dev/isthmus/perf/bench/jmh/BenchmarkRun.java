// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.jmh;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs benchmarks to find their faults, not for their figures. */
final class BenchmarkRun {

    private static final int BATCH = 4;

    private BenchmarkRun() {}

    /**
     * Runs each once.
     *
     * @param forks 0 to run them in this JVM
     * @param expected how many there are, with each value of a parameter
     */
    static void all(int forks, int expected, Class<?>... benchmarks) throws RunnerException {
        var options = new OptionsBuilder()
                .include(Stream.of(benchmarks)
                        .map(type -> type.getName().replace(".", "\\.") + "\\.")
                        .collect(Collectors.joining("|")))
                .forks(forks)
                .jvmArgsAppend("--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC")
                .mode(Mode.SingleShotTime)
                .warmupIterations(0)
                .measurementIterations(1)
                .measurementBatchSize(BATCH)
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT)
                .build();
        assertEquals(expected, new Runner(options).run().size(), "benchmarks that ran");
    }
}
