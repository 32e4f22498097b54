// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import java.time.Duration;
import java.util.Locale;

/** How far a comparison has got, and how long it will take at this pace. */
final class Remaining {

    private static final int WIDTH = 20;
    private static final long HOUR_MINUTES = 60;
    private static final long MINUTE_SECONDS = 60;

    private final int total;
    private final int before;
    private int done;

    /** Of this many runs, some were made before. */
    Remaining(int total, int before) {
        this.total = total;
        this.before = before;
        this.done = before;
    }

    void next() {
        done++;
    }

    int done() {
        return done;
    }

    /** A bar, the number of runs, and the time left. */
    String text(Duration elapsed) {
        int full = total == 0 ? WIDTH : (int) ((long) WIDTH * done / total);
        return String.format(
                Locale.ROOT,
                "[%s%s] %d of %d runs, %s",
                "#".repeat(full),
                "-".repeat(WIDTH - full),
                done,
                total,
                left(elapsed));
    }

    private String left(Duration elapsed) {
        if (done == before) {
            return "time left not known yet";
        }
        long seconds = Math.round(elapsed.toMillis() / 1e3 / (done - before) * (total - done));
        if (seconds < MINUTE_SECONDS) {
            return seconds + " s left";
        }
        long minutes = Math.round(seconds / 60.0);
        return minutes < HOUR_MINUTES
                ? minutes + " min left"
                : String.format(Locale.ROOT, "%d h %02d min left", minutes / HOUR_MINUTES, minutes % HOUR_MINUTES);
    }
}
