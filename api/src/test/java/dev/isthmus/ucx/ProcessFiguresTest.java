// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.ProcessFigures;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What counts as a leak, with figures that were seen and figures that a leak would give. */
@Tag("unit")
class ProcessFiguresTest {

    private static final long MOST = 256 << 10;

    // What malloc() had given out after each round of UcpChurnTest over TCP: 10 MB more from the fourth on.
    private static final long[] ONE_STEP = {
        30_778_432,
        30_782_096,
        28_851_488,
        38_893_648,
        38_909_792,
        38_911_440,
        38_924_896,
        38_927_616,
        38_930_800,
        38_965_184,
        38_968_176,
        39_025_024
    };

    // The same, where most of it was given back in the tenth.
    private static final long[] THERE_AND_BACK = {
        30_871_632,
        28_710_480,
        28_843_776,
        38_886_896,
        38_902_352,
        38_902_496,
        38_916_320,
        38_922_816,
        38_954_112,
        29_424_368,
        31_645_248,
        31_645_248
    };

    @Test
    void shouldTakeOneStepForNoLeak() {
        ProcessFigures.checkSteady(figures(ONE_STEP), MOST);
        ProcessFigures.checkSteady(figures(THERE_AND_BACK), MOST);
    }

    @Test
    void shouldFindALeakBesideAStep() {
        for (long[] noise : List.of(ONE_STEP, THERE_AND_BACK)) {
            long[] leaking = rounds(round -> noise[(int) round] + 50_000 * round);
            var failure = assertThrows(AssertionError.class, () -> ProcessFigures.checkSteady(figures(leaking), MOST));
            assertTrue(failure.getMessage().contains("left more than"), failure.getMessage());
        }
    }

    @Test
    void shouldTakeWhatIsFreedNowAndThenForNoLeak() {
        ProcessFigures.checkSteady(figures(rounds(round -> 30_000_000 + 100_000 * (round % 4))), MOST);
    }

    @Test
    void shouldFindOneDescriptorARound() {
        List<ProcessFigures> seen = IntStream.range(0, 12)
                .mapToObj(round -> new ProcessFigures(0, 0, 0, 60 + round, -1))
                .toList();
        assertThrows(AssertionError.class, () -> ProcessFigures.checkSteady(seen, MOST));
    }

    private static long[] rounds(LongUnaryOperator bytes) {
        return LongStream.range(0, 12).map(bytes).toArray();
    }

    private static List<ProcessFigures> figures(long... mallocBytes) {
        return LongStream.of(mallocBytes)
                .mapToObj(bytes -> new ProcessFigures(8 << 20, bytes, 180 << 20, 66, -1))
                .toList();
    }
}
