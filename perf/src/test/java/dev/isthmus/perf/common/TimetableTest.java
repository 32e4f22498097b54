// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Round trips at fixed times, by a clock that only a test moves. */
@Tag("unit")
class TimetableTest {

    private static final long MICRO = 1000;

    private long now;

    /** One round trip each millisecond. */
    private Timetable timetable(int count) {
        var timetable = new Timetable(() -> now, 1000, 0, 1, count);
        timetable.start(now);
        return timetable;
    }

    private void at(long micros) {
        now = micros * MICRO;
    }

    /** Begins what is due by then; returns how many that were. */
    private int begin(Timetable timetable, long micros) {
        at(micros);
        int begun = 0;
        for (; timetable.isDue(); begun++) {
            timetable.begin();
        }
        return begun;
    }

    private void end(Timetable timetable, long micros) {
        at(micros);
        timetable.end();
    }

    @Test
    void shouldBeginAtFixedTimesHoweverLongTheEarlierOnesTake() {
        Timetable timetable = timetable(5);
        assertEquals(1, begin(timetable, 0));
        assertEquals(0, begin(timetable, 999));
        assertEquals(1, begin(timetable, 1000), "though the first is not back");
        assertEquals(2, timetable.underWay());
        assertEquals(2, begin(timetable, 3500), "what was missed is not left out");
        assertEquals(1, begin(timetable, 4000));
        assertEquals(0, begin(timetable, 9000), "there are five");
        assertFalse(timetable.isOver());
    }

    /** Round trips that take 10 us, apart from a pause of 5 ms: those that should have begun in it have waited, too. */
    @Test
    void shouldCountTheTimeFromWhenEachShouldHaveBegun() {
        Timetable timetable = timetable(10);
        for (int i = 0; i < 4; i++) {
            assertEquals(1, begin(timetable, 1000L * i));
            end(timetable, 1000L * i + 10);
        }
        assertEquals(1, begin(timetable, 4000));
        end(timetable, 9000); // and the next four begin only now
        assertEquals(5, begin(timetable, 9000));
        for (int i = 0; i < 5; i++) {
            end(timetable, 9010);
        }
        assertTrue(timetable.isOver());
        assertEquals(10, timetable.times().getTotalCount());
        assertTimeAt(10, timetable, 50, "nothing was slow before");
        assertTimeAt(1010, timetable, 60, "due at 8 ms");
        assertTimeAt(2010, timetable, 70, "due at 7 ms");
        assertTimeAt(4010, timetable, 90, "due at 5 ms");
        assertTimeAt(5000, timetable, 100, "due at 4 ms");
    }

    private static void assertTimeAt(double micros, Timetable timetable, double percentile, String why) {
        assertEquals(
                micros * MICRO,
                (double) timetable.times().getValueAtPercentile(percentile),
                micros * MICRO * 1e-3,
                why);
    }

    @Test
    void shouldTellWhetherTheRateWasKept() {
        Timetable kept = timetable(100);
        begin(kept, 99_000);
        for (int i = 0; i < 100; i++) {
            end(kept, 99_500);
        }
        assertEquals(1000, kept.perSecond(), 1e-6);

        now = 0;
        Timetable behind = timetable(100);
        for (int i = 0; i < 100; i++) { // two milliseconds each, one after another
            begin(behind, 2000L * i);
            end(behind, 2000L * (i + 1));
        }
        assertEquals(500, behind.perSecond(), 1e-6);

        now = 0;
        Timetable paused = timetable(1000);
        for (int i = 0; i < 999; i++) {
            assertEquals(1, begin(paused, 1000L * i));
            end(paused, 1000L * i + 10);
        }
        begin(paused, 999_000);
        end(paused, 1_200_000);
        assertEquals(1000, paused.perSecond(), 1e-6, "a pause at the end makes one late, and not all");

        now = 0;
        Timetable slow = timetable(100);
        for (int i = 0; i < 100; i++) { // each takes half as long as all of them together, and none longer than another
            begin(slow, 1000L * i);
            if (i >= 50) {
                end(slow, 1000L * i);
            }
        }
        for (int i = 100; i < 150; i++) {
            end(slow, 1000L * i);
        }
        assertEquals(1000, slow.perSecond(), 1e-6, "what takes long, and no longer than at first, keeps up");
    }

    @Test
    void shouldHaveConnectionsTakeTurns() {
        var first = new Timetable(() -> now, 1000, 0, 2, 10);
        var second = new Timetable(() -> now, 1000, 1, 2, 10);
        first.start(0);
        second.start(0);
        assertEquals(1, begin(first, 0));
        assertEquals(0, begin(second, 999));
        assertEquals(1, begin(second, 1000));
        assertEquals(0, begin(first, 1999));
        assertEquals(1, begin(first, 2000));
        assertEquals(0, begin(second, 2999));
    }

    @Test
    void shouldBeginNoMoreWhenItsThreadIsInterrupted() {
        Timetable timetable = timetable(3);
        assertTrue(timetable.awaitNext(), "the first is due");
        Thread.currentThread().interrupt();
        assertFalse(timetable.awaitNext());
        assertTrue(Thread.interrupted());
    }

    @Test
    void shouldRoundARateToTwoDigits() {
        assertEquals(12_000, Timetable.rounded(12_345.6));
        assertEquals(990, Timetable.rounded(994.9));
        assertEquals(7, Timetable.rounded(7.2));
        assertEquals(1, Timetable.rounded(0.1));
        assertEquals(Timetable.MOST, Timetable.rounded(1e12));
    }
}
