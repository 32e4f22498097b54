// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.perf.common.Side;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class DuelResultTest {

    private static DemoReport.Sample sample(int bytes, Side side, int round, double median) {
        return new DemoReport.Sample("verbs", bytes, side, round, median, 2 * median);
    }

    @Test
    void shouldCompareTheMediansOfTheRounds() {
        List<DuelResult> comparisons = DuelResult.of(List.of(
                sample(8, Side.C, 1, 30),
                sample(8, Side.JAVA, 1, 90),
                sample(8, Side.C, 2, 20),
                sample(8, Side.JAVA, 2, 33),
                sample(8, Side.C, 3, 40),
                sample(8, Side.JAVA, 3, 32)));
        assertEquals(List.of(new DuelResult("verbs", 8, 3, 30, 33, 1.1, 20, 40, 32, 90)), comparisons);
    }

    @Test
    void shouldTakeTheMeanOfTheMiddleTwoOfAnEvenNumber() {
        List<DuelResult> comparisons = DuelResult.of(List.of(
                sample(8, Side.C, 1, 10),
                sample(8, Side.C, 2, 20),
                sample(8, Side.JAVA, 1, 30),
                sample(8, Side.JAVA, 2, 60)));
        assertEquals(15, comparisons.getFirst().cMicros());
        assertEquals(45, comparisons.getFirst().javaMicros());
        assertEquals(3, comparisons.getFirst().ratio());
    }

    @Test
    void shouldKeepSizesApartAndLeaveOutWhatHasOneSideOnly() {
        List<DuelResult> comparisons = DuelResult.of(List.of(
                sample(64, Side.C, 1, 1),
                sample(8, Side.C, 1, 1),
                sample(8, Side.JAVA, 1, 1),
                sample(64, Side.JAVA, 1, 2),
                sample(512, Side.C, 1, 1)));
        assertEquals(List.of(64, 8), comparisons.stream().map(DuelResult::bytes).toList());
        assertTrue(DuelResult.of(List.of()).isEmpty());
    }
}
