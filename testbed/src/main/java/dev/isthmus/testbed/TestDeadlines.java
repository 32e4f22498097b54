// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import java.time.Duration;
import java.util.Locale;

/**
 * How long a test waits for an event that must come. The same tests run on developers' machines, beside programs that
 * keep a processor busy, and on emulated processors. Any fixed number of seconds is too short for one of these, and then
 * a test fails although nothing is wrong. So a test states how long it would wait on a quiet machine, and this class
 * gives the deadline for the place where it runs:
 *
 * {@snippet :
 * private static final Duration DEADLINE = TestDeadlines.ofSeconds(30);
 *
 * assertTrue(connected.await(TestDeadlines.seconds(30), TimeUnit.SECONDS));
 * }
 *
 * <p>State it generously: a wait ends with its event, so a long deadline only costs time when the test fails.
 *
 * <p>Do not use this for a time that the test is about: a timeout that the library is given and that must expire, a
 * shortest time, or how long nothing may happen. If a test checks how long something takes at most, the bound is what the
 * library promises, plus {@link #within} of some time for the machine.
 *
 * <p>The factor is measured once in each JVM, when the first deadline is needed. {@link TierRunner} measures and prints it
 * before the first test. JVMs that are started by {@link ChildJvm}, or with {@link #option()}, take over the factor of the
 * JVM that starts them.
 */
public final class TestDeadlines {

    /**
     * The highest factor. An emulated processor runs Java ten times slower than a real one or worse, and what waits for
     * another processor takes some hundred times longer there. But tests do other things, too: deadlines of a quiet machine
     * have mostly been long enough there. With a higher factor, those of more than a minute would reach
     * {@link #LONGEST_WAIT} anyway, and what has not come by then will not come.
     */
    static final double HIGHEST_FACTOR = 10;

    /**
     * The longest that JUnit lets a test take anywhere, in seconds, unless the test asks for more. Give it to
     * {@code @Timeout} of a test that takes longer than others; all others have JUnit's default limit, which is 300 s on a
     * quiet machine. It is no longer so that continuous integration ends in its 90 minutes even if some tests hang.
     */
    public static final int LONGEST_TEST_SECONDS = 900;

    /** Shorter than a test's limit, so that a test that waits in vain can say for what. */
    static final Duration LONGEST_WAIT = Duration.ofMinutes(12);

    /** The system property that gives a JVM the factor, so that it does not measure. */
    static final String PROPERTY = "isthmus.slowness";

    private TestDeadlines() {}

    /** Initialised when the first deadline is needed. */
    private static final class MeasuredSlowness {

        private static final String GIVEN = System.getProperty(PROPERTY);
        private static final Slowness MEASURED = GIVEN == null ? Slowness.measure() : null;
        private static final double FACTOR = GIVEN == null ? MEASURED.factor() : given(GIVEN);
    }

    /**
     * The deadline here.
     *
     * @param onQuietMachine how long to wait on a quiet machine
     * @return as many times longer as this place is slower; at most 12 minutes, or as given if that is longer
     */
    public static Duration within(Duration onQuietMachine) {
        return scaled(onQuietMachine, factor());
    }

    /**
     * Like {@link #within}, for a number of seconds.
     *
     * @param onQuietMachine how many seconds to wait on a quiet machine
     * @return the deadline here
     */
    public static Duration ofSeconds(long onQuietMachine) {
        return within(Duration.ofSeconds(onQuietMachine));
    }

    /**
     * Like {@link #ofSeconds}, for methods that take a number and {@code TimeUnit.SECONDS}.
     *
     * @param onQuietMachine how many seconds to wait on a quiet machine
     * @return how many seconds to wait here, rounded up
     */
    public static long seconds(long onQuietMachine) {
        return ofSeconds(onQuietMachine).plusNanos(999_999_999).toSeconds();
    }

    /** How many times longer tests wait here than on a quiet machine: 1 to 10. */
    public static double factor() {
        return MeasuredSlowness.FACTOR;
    }

    /** The option for a JVM that a test starts, which then uses this JVM's factor and does not measure. */
    public static String option() {
        return String.format(Locale.ROOT, "-D%s=%.3f", PROPERTY, factor());
    }

    /** What was measured and what follows, for a reader of the log. */
    static String report() {
        return MeasuredSlowness.MEASURED == null
                ? String.format(
                        Locale.ROOT, "tests wait %.1f times longer than on a quiet machine: -D%s", factor(), PROPERTY)
                : MeasuredSlowness.MEASURED.toString();
    }

    /**
     * JUnit's limit of a test.
     *
     * @param onQuietMachine the limit on a quiet machine, in seconds
     * @return the limit here; at most {@link #LONGEST_TEST_SECONDS}, or as given if that is longer
     */
    static long ofTest(long onQuietMachine) {
        return ofTest(onQuietMachine, factor());
    }

    static long ofTest(long onQuietMachine, double factor) {
        return Math.max(onQuietMachine, Math.min(Math.round(onQuietMachine * factor), LONGEST_TEST_SECONDS));
    }

    static Duration scaled(Duration onQuietMachine, double factor) {
        if (onQuietMachine.compareTo(LONGEST_WAIT) >= 0) {
            return onQuietMachine;
        }
        Duration here = Duration.ofNanos(Math.round(onQuietMachine.toNanos() * factor));
        return here.compareTo(LONGEST_WAIT) < 0 ? here : LONGEST_WAIT;
    }

    private static double given(String property) {
        double factor = Double.parseDouble(property);
        if (!(factor >= 1 && factor <= HIGHEST_FACTOR)) {
            throw new IllegalArgumentException(
                    "-D" + PROPERTY + " is a number from 1 to " + (int) HIGHEST_FACTOR + ", not " + property);
        }
        return factor;
    }
}
