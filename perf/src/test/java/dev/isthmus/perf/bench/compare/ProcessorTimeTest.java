// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.perf.common.Spent;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What remains of a run's processor time when the start of a new process is subtracted. */
@Tag("unit")
class ProcessorTimeTest {

    private static final Point POINT = new Point(Way.C_VERBS_SEND, Benchmark.PING_PONG, 64, 1);

    private final ProcessorTime time = new ProcessorTime();

    private static Measured run(long messages, long processorMicros) {
        return Measured.rate(1000, messages).withSpent(new Spent(0, processorMicros * 1000));
    }

    @Test
    void shouldTakeTheShortFirstRunFromALaterOne() {
        time.learn(POINT, run(20, 5_000));
        time.learn(POINT, run(1, 1)); // only the first of a point is short
        assertEquals(OptionalDouble.of(7), time.perMessage(POINT, run(1020, 12_000)));
    }

    @Test
    void shouldDivideAllByAllWhereNoProcessIsNew() {
        assertEquals(OptionalDouble.of(12), time.perMessage(POINT, run(1000, 12_000)));
    }

    @Test
    void shouldTellNothingWhereNobodyKnowsOrTheRunWasNoLongerThanTheShortOne() {
        assertEquals(OptionalDouble.empty(), time.perMessage(POINT, run(0, 12_000)));
        time.learn(POINT, run(20, 5_000));
        assertEquals(OptionalDouble.empty(), time.perMessage(POINT, run(20, 6_000)));
        assertEquals(OptionalDouble.empty(), time.perMessage(POINT, run(40, 4_000)));
    }
}
