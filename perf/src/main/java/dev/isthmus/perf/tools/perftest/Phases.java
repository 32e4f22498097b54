// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import java.util.concurrent.TimeUnit;

/**
 * The phases of a run with a duration: a margin, the measured time, and another margin. A thread of its own moves from
 * phase to phase, so a loop only needs to look at a field. A run with a number of messages has no phases, and never
 * ends by time.
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
        seconds = traffic.seconds;
        margin = traffic.margin;
    }

    /** Begins, unless it has begun. */
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

    /** How long was measured; valid once the end was seen. */
    long nanos() {
        return isEnd() ? ended - began : 0;
    }
}
