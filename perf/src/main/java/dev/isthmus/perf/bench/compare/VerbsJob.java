// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.common.Spent;
import dev.isthmus.perf.tools.perftest.Bandwidth;
import dev.isthmus.perf.tools.perftest.LatencyStatistics;
import dev.isthmus.perf.tools.perftest.Observer;
import dev.isthmus.perf.tools.perftest.Percentiles;
import dev.isthmus.perf.tools.perftest.PerfTest;
import dev.isthmus.perf.tools.perftest.Perftest;
import dev.isthmus.perf.tools.perftest.Plan;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One end of a session of perftest's protocol. Mean and median are perftest's, with more digits; the times are all
 * there are.
 */
final class VerbsJob implements Observer {

    /** The result of an end that measures nothing. */
    static final Measured NOTHING = Measured.rate(Double.NaN, 0);

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final double MILLION = 1e6;

    private final PerfTest test;
    private Measured measured; // null until there are figures
    private Spent before = Spent.NOTHING;

    private VerbsJob(PerfTest test) {
        this.test = test;
    }

    /**
     * Runs an end with a test and its flags. The figures are perftest's: times are half a round trip, rates are
     * of messages.
     */
    static Measured run(List<String> words) throws IOException {
        PerfTest test = PerfTest.valueOf(words.getFirst());
        var job = new VerbsJob(test);
        Perftest.run(Plan.of(test, words.subList(1, words.size()).toArray(String[]::new)), PATIENCE, job);
        return job.measured == null ? NOTHING : job.measured;
    }

    @Override
    public void columns() {
        before = Spent.soFar();
    }

    private Spent spent() {
        return Spent.soFar().since(before);
    }

    @Override
    public void latency(int bytes, long[] posted) {
        Spent spent = spent(); // before the sorting
        LatencyStatistics figures = LatencyStatistics.of(test, posted);
        measured = new Measured(
                figures.average(),
                figures.typical(),
                Double.NaN,
                Double.NaN,
                0,
                Double.NaN,
                spent,
                1,
                Optional.of(Distribution.of(Percentiles.histogram(posted))));
    }

    @Override
    public void bandwidth(Bandwidth mine, Optional<Bandwidth> theirs) {
        double both = mine.messageRate() + theirs.map(Bandwidth::messageRate).orElse(0.0);
        measured = Measured.rate(both * MILLION, 0).withSpent(spent());
    }

    /** Even an end that has nothing to do spends something. */
    @Override
    public void finished() {
        if (measured == null) {
            measured = NOTHING.withSpent(spent());
        }
    }
}
