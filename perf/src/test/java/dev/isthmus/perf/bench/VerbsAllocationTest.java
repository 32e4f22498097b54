package dev.isthmus.perf.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.isthmus.testbed.Allocated;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Posting and polling allocate not one byte, with all that prepares and drains them. */
@Tag("device")
@Timeout(400)
class VerbsAllocationTest {

    private static final int BATCHES = 8;
    private static final int EXCHANGES = 300;

    @ParameterizedTest
    @EnumSource(DataPathOperation.class)
    void shouldAllocateNothing(DataPathOperation operation) {
        try (var loopback = new RcLoopback()) {
            Allocated.assertNone(() -> {
                for (int i = 0; i < BATCHES; i++) {
                    operation.batch(loopback);
                }
            });
        }
    }

    @Test
    void shouldAllocateNothingForAMessage() {
        try (var loopback = new RcLoopback()) {
            Allocated.assertNone(() -> {
                for (int i = 0; i < EXCHANGES; i++) {
                    loopback.exchange();
                }
            });
        }
    }

    @Test
    void shouldSeeOneObjectInManyOperations() {
        Object[] kept = new Object[1];
        assertThrows(
                AssertionError.class,
                () -> Allocated.assertNone(() -> {
                    for (int i = 0; i < 1000; i++) {
                        kept[0] = i % 200 == 0 ? new long[1] : kept[0];
                    }
                }));
        assertEquals(1, ((long[]) kept[0]).length);
    }

    @Test
    void shouldRunEachBenchmark() throws Exception {
        var options = new OptionsBuilder()
                .include(VerbsBenchmark.class.getName() + "\\.")
                .forks(0)
                .mode(Mode.SingleShotTime)
                .warmupIterations(0)
                .measurementIterations(1)
                .measurementBatchSize(16)
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT)
                .build();
        assertEquals(6, new Runner(options).run().size(), "benchmarks that ran");
    }
}
