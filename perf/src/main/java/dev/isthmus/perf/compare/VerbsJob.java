// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import dev.isthmus.perf.JitCompilers;
import dev.isthmus.perf.perftest.Bandwidth;
import dev.isthmus.perf.perftest.LatencyStatistics;
import dev.isthmus.perf.perftest.Observer;
import dev.isthmus.perf.perftest.Percentiles;
import dev.isthmus.perf.perftest.PerfTest;
import dev.isthmus.perf.perftest.Perftest;
import dev.isthmus.perf.perftest.Plan;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** One end of a session of perftest's protocol; mean and median are perftest's own, with more digits. */
final class VerbsJob implements Observer {

    /** Of an end that measures nothing. */
    static final Measured NOTHING = Measured.rate(Double.NaN, 0);

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final double MILLION = 1e6;

    private final PerfTest test;
    private Measured measured = NOTHING;
    private long compiled;

    private VerbsJob(PerfTest test) {
        this.test = test;
    }

    /** Runs an end: the test, and its flags. The figures are perftest's: of half a round trip, of messages. */
    static Measured run(List<String> words) throws IOException {
        PerfTest test = PerfTest.valueOf(words.getFirst());
        var job = new VerbsJob(test);
        Perftest.run(Plan.of(test, words.subList(1, words.size()).toArray(String[]::new)), PATIENCE, job);
        return job.measured;
    }

    @Override
    public void columns() {
        compiled = JitCompilers.millis();
    }

    private long compileMillis() {
        return JitCompilers.millis() - compiled;
    }

    @Override
    public void latency(int bytes, long[] posted) {
        LatencyStatistics figures = LatencyStatistics.of(test, posted);
        measured = new Measured(
                figures.average(),
                figures.typical(),
                Percentiles.of(test, posted, 99.9),
                Double.NaN,
                0,
                Double.NaN,
                compileMillis(),
                1);
    }

    @Override
    public void bandwidth(Bandwidth mine, Optional<Bandwidth> theirs) {
        double both = mine.messageRate() + theirs.map(Bandwidth::messageRate).orElse(0.0);
        measured = Measured.rate(both * MILLION, 0).withCompileMillis(compileMillis());
    }
}
