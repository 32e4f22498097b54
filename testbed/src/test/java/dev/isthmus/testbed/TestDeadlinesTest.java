// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class TestDeadlinesTest {

    private static final Duration HALF_A_MINUTE = Duration.ofSeconds(30);

    /** Prints what a JVM of its own makes of 30 seconds. */
    static final class Program {

        private Program() {}

        public static void main(String[] args) {
            System.out.println(TestDeadlines.within(HALF_A_MINUTE).toMillis() + " ms; " + TestDeadlines.report());
        }
    }

    private static double factor(double roundTrips, double jvmStarts) {
        return new Slowness(roundTrips * Slowness.QUIET.roundTrips(), jvmStarts * Slowness.QUIET.jvmStart()).factor();
    }

    @Test
    void shouldTakeTheSlowerOfBothMeasurements() {
        assertEquals(3, factor(3, 2), 1e-9);
        assertEquals(4, factor(2, 4), 1e-9);
    }

    @Test
    void shouldNotWaitLessOnFastMachines() {
        assertEquals(1, factor(0.5, 0.9));
    }

    @Test
    void shouldLimitTheFactor() {
        assertEquals(10, factor(25, 1));
        assertEquals(10, factor(1, 1000));
    }

    @Test
    void shouldMeasureThisPlace() {
        var here = Slowness.measure();
        assertTrue(here.roundTrips() > 0.0001, here::toString);
        assertTrue(here.factor() == 10 || here.jvmStart() > 0.001, here::toString);
    }

    @Test
    void shouldSayInWordsWhatWasMeasured() {
        assertEquals(
                "this place is as fast as a quiet machine (a JVM starts in 0.04 s, 1,000 round trips between processes take"
                        + " 0.006 s)",
                new Slowness(0.006, 0.04).toString());
        assertEquals(
                "this place is 9.4 times slower than a quiet machine (a JVM starts in 0.47 s, 1,000 round trips between"
                        + " processes take 0.040 s): tests wait that much longer",
                new Slowness(0.04, 0.47).toString());
        assertEquals(
                "this place is more than 10 times slower than a quiet machine (1,000 round trips between processes take 6.000 s):"
                        + " tests wait 10 times longer",
                new Slowness(6, 0).toString());
    }

    @Test
    void shouldScaleDeadlines() {
        assertEquals(HALF_A_MINUTE, TestDeadlines.scaled(HALF_A_MINUTE, 1));
        assertEquals(Duration.ofSeconds(75), TestDeadlines.scaled(HALF_A_MINUTE, 2.5));
        assertEquals(Duration.ofMinutes(12), TestDeadlines.scaled(Duration.ofMinutes(4), 10));
        assertEquals(Duration.ofMinutes(15), TestDeadlines.scaled(Duration.ofMinutes(15), 10));
    }

    @Test
    void shouldEndWaitsBeforeTheTestsLimit() {
        for (double factor = 1; factor <= 10; factor += 0.25) {
            Duration wait = TestDeadlines.scaled(Duration.ofMinutes(4), factor);
            assertTrue(wait.toSeconds() < TestDeadlines.ofTest(300, factor), "at " + factor);
        }
    }

    @Test
    void shouldLimitTests() {
        assertEquals(300, TestDeadlines.ofTest(300, 1));
        assertEquals(600, TestDeadlines.ofTest(300, 2));
        assertEquals(TestDeadlines.LONGEST_TEST_SECONDS, TestDeadlines.ofTest(300, 10));
        assertEquals(1500, TestDeadlines.ofTest(1500, 10));
    }

    @Test
    void shouldGiveItsFactorToChildren() {
        var child = new ChildJvm().run(Program.class);
        assertEquals(0, child.status(), child.output());
        String milliseconds = child.output().substring(0, child.output().indexOf(" ms; "));
        double expected = HALF_A_MINUTE.toMillis() * TestDeadlines.factor();
        assertEquals(expected, Double.parseDouble(milliseconds), HALF_A_MINUTE.toMillis() * 0.001);
        assertTrue(child.output().contains("-Disthmus.slowness"), child.output());
    }

    @Test
    void shouldTakeTheFactorFromItsProperty() {
        var child = new ChildJvm().options("-Disthmus.slowness=2.5").run(Program.class);
        assertEquals(
                "75000 ms; tests wait 2.5 times longer than on a quiet machine: -Disthmus.slowness\n", child.output());
    }

    @Test
    void shouldRefuseFactorsOutsideOfItsLimits() {
        for (String factor : new String[] {"0.5", "11", "NaN"}) {
            var child = new ChildJvm().options("-Disthmus.slowness=" + factor).run(Program.class);
            assertTrue(
                    child.output().contains("-Disthmus.slowness is a number from 1 to 10, not " + factor),
                    child.output());
        }
    }
}
