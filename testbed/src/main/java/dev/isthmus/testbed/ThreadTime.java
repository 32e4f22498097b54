// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The processor time of a thread while it waits, over several rounds. The clock of an emulated processor goes on while
 * the host runs something else, so that a thread that sleeps seems busy in some of them; one that polls is so in all.
 */
public final class ThreadTime {

    private static final int ROUNDS = 10;

    private ThreadTime() {}

    /** A time for which the thread waits. */
    public interface Round {

        /** Waits until it is over. */
        void run() throws Exception;
    }

    /**
     * Requires that there is a round in which a thread takes less than this of the processor.
     *
     * @param thread its number
     * @param limit well below the time for which it waits
     * @param round its wait
     * @return what it takes in that round
     * @throws AssertionError if it takes as much or more in all rounds
     */
    public static Duration assertBelow(long thread, Duration limit, Round round) throws Exception {
        List<Duration> taken = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            long before = ManagementFactory.getThreadMXBean().getThreadCpuTime(thread);
            round.run();
            Duration busy = Duration.ofNanos(ManagementFactory.getThreadMXBean().getThreadCpuTime(thread) - before);
            if (busy.compareTo(limit) < 0) {
                return busy;
            }
            taken.add(busy);
        }
        throw new AssertionError(
                "of the processor it took " + taken + " in the rounds, at least " + limit + " in each");
    }
}
