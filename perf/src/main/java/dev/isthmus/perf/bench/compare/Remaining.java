// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import java.time.Duration;
import java.util.Locale;

/**
 * How far a comparison has got, and how long it will take at this pace.
 *
 * @param total how many runs it has
 * @param before how many were made earlier, or do not tell how long others take
 * @param done how many there are
 */
record Remaining(int total, int before, int done) {

    private static final int WIDTH = 20;

    /** One more is done. */
    Remaining next() {
        return new Remaining(total, before, done + 1);
    }

    /** The same, but the runs so far do not tell how long others take. */
    Remaining startingHere() {
        return new Remaining(total, done, done);
    }

    /** A bar, the number of runs, and the time left. */
    String text(Duration elapsed) {
        int full = total == 0 ? WIDTH : (int) ((long) WIDTH * done / total);
        String bar = "#".repeat(full) + "-".repeat(WIDTH - full);
        return "[" + bar + "] " + done + " of " + total + " runs, " + left(elapsed);
    }

    private String left(Duration elapsed) {
        if (done == before) {
            return "time left not known yet";
        }
        Duration left = elapsed.multipliedBy(total - done).dividedBy(done - before);
        if (left.toSeconds() < 60) {
            return left.toSeconds() + " s left";
        }
        Duration rounded = left.plusSeconds(30);
        return rounded.toMinutes() < 60
                ? rounded.toMinutes() + " min left"
                : String.format(Locale.ROOT, "%d h %02d min left", rounded.toHours(), rounded.toMinutesPart());
    }
}
