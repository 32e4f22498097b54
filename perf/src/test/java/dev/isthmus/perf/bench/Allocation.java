package dev.isthmus.perf.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collection;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs benchmarks in this JVM and holds them at no allocation. */
final class Allocation {

    /**
     * JMH itself allocates some kilobytes in each iteration, so it is not quite zero; and in the last one the
     * benchmark is torn down, too, so the iteration with the least is the one that counts.
     */
    private static final double LIMIT_BYTES = 0.5;

    private static final String ALLOCATED = "gc.alloc.rate.norm";

    private Allocation() {}

    static void assertNone(String benchmarks, int expected) throws RunnerException {
        var options = new OptionsBuilder()
                .include(benchmarks)
                .forks(0)
                .warmupIterations(2)
                .warmupTime(TimeValue.seconds(1))
                .measurementIterations(2)
                .measurementTime(TimeValue.milliseconds(1500))
                .addProfiler(GCProfiler.class)
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT)
                .build();
        Collection<RunResult> results = new Runner(options).run();
        assertEquals(expected, results.size(), "benchmarks that ran");
        for (RunResult result : results) {
            String name = result.getParams().getBenchmark();
            double bytes = result.getBenchmarkResults().stream()
                    .flatMap(benchmark -> benchmark.getIterationResults().stream())
                    .map(iteration -> iteration.getSecondaryResults().get(ALLOCATED))
                    .mapToDouble(allocated -> allocated.getScore())
                    .min()
                    .orElseThrow();
            assertTrue(bytes < LIMIT_BYTES, () -> name + " allocates " + bytes + " B per operation");
        }
    }
}
