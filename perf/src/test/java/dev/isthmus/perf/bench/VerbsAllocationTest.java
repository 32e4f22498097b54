package dev.isthmus.perf.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Posting and polling allocate not one byte: counted for this thread, over many operations and all that prepares and
 * drains them. What links when it is first called, or is added once when the JIT replaces what runs, is in some rounds;
 * what an operation allocates, if only one in many does, is in all.
 */
@Tag("device")
@Timeout(400)
class VerbsAllocationTest {

    private static final int ROUNDS = 6;
    private static final int BATCHES = 8;
    private static final int EXCHANGES = 300;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private void assertNone(Runnable round) {
        long[] bytes = new long[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            round.run();
            bytes[i] = threads.getCurrentThreadAllocatedBytes() - before;
            if (bytes[i] == 0) {
                return;
            }
        }
        assertEquals(
                0,
                LongStream.of(bytes).min().orElseThrow(),
                () -> LongStream.of(bytes).boxed().toList() + " bytes in the rounds");
    }

    @ParameterizedTest
    @EnumSource(DataPathOperation.class)
    void shouldAllocateNothing(DataPathOperation operation) {
        try (var loopback = new RcLoopback()) {
            assertNone(() -> {
                for (int i = 0; i < BATCHES; i++) {
                    operation.batch(loopback);
                }
            });
        }
    }

    @Test
    void shouldAllocateNothingForAMessage() {
        try (var loopback = new RcLoopback()) {
            assertNone(() -> {
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
                () -> assertNone(() -> {
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
