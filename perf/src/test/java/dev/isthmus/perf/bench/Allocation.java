package dev.isthmus.perf.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collection;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs benchmarks in this JVM and holds them at no allocation. */
final class Allocation {

    /**
     * JMH itself allocates some kilobytes in each iteration (1.37: 7; 16 in the last one, in which the benchmark is torn
     * down, so the iteration with the least is the one that counts).
     */
    private static final long JMH_BYTES = 12_000;

    private static final double LIMIT_BYTES = 0.5;

    private static final String ALLOCATED = "gc.alloc.rate.norm";

    private Allocation() {}

    // So many operations, and not so much time: on a busy machine that is not enough of them to tell theirs from JMH's.
    // With 2,000 an object in every fourth still shows.
    static void assertNone(String benchmarks, int expected, int operations) throws RunnerException {
        var options = new OptionsBuilder()
                .include(benchmarks)
                .forks(0)
                .mode(Mode.SingleShotTime)
                .warmupIterations(1)
                .warmupBatchSize(operations / 4)
                .measurementIterations(2)
                .measurementBatchSize(operations)
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
            assertTrue(
                    bytes < JMH_BYTES + LIMIT_BYTES * operations,
                    () -> name + " allocates " + bytes + " B in " + operations + " operations");
        }
    }
}
