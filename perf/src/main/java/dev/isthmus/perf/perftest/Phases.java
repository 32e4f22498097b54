// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.perftest;

import java.util.concurrent.TimeUnit;

/**
 * The time of a run that has a duration: a margin, what is measured, a margin. A thread of its own turns the pages, so
 * that a loop only has to look at a field. A run that has a number of messages has none of it, and never ends by time.
 */
final class Phases {

    private static final int BEFORE = 0;
    private static final int SAMPLE = 1;
    private static final int AFTER = 2;
    private static final int END = 3;

    private final int seconds;
    private final int margin;
    private boolean started;
    private long began;
    private long ended;
    private volatile int phase = BEFORE; // written after the times, read before them

    Phases(Traffic traffic) {
        seconds = traffic.seconds();
        margin = traffic.margin();
    }

    /** Begins, when it has not begun. */
    void start() {
        if (!started) {
            started = true;
            if (seconds > 0) {
                Thread.ofPlatform().daemon().name("perftest-phases").start(this::run);
            }
        }
    }

    private void run() {
        try {
            TimeUnit.SECONDS.sleep(margin);
            began = System.nanoTime();
            phase = SAMPLE;
            TimeUnit.SECONDS.sleep(seconds - 2L * margin);
            ended = System.nanoTime();
            phase = AFTER;
            TimeUnit.SECONDS.sleep(margin);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody does; the run ends at once
        }
        phase = END;
    }

    boolean isSampling() {
        return phase == SAMPLE;
    }

    boolean isEnd() {
        return phase == END;
    }

    /** How long was measured; once the end is seen. */
    long nanos() {
        return isEnd() ? ended - began : 0;
    }
}
