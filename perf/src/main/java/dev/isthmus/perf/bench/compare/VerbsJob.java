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
 * An end of verbs. Unless it has a loop of ours, it is an end of a session of perftest's protocol: mean and median are
 * perftest's, with more digits; the times are all there are.
 */
final class VerbsJob implements Observer {

    private static final String HOST = "127.0.0.1";

    /** C waits forever, and an emulated processor on a busy machine stands still for longer than Java's 10 s. */
    private static final List<String> SILENCE = List.of("--silence", "120");

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final double MILLION = 1e6;

    private final Job job;
    private final PerfTest test;
    private Measured measured; // null until there are figures
    private Spent before = Spent.NOTHING;

    private VerbsJob(Job job) {
        this.job = job;
        test = VerbsTool.test(job.point());
    }

    static Measured run(Job job) throws IOException {
        if (job.role() == Job.Role.BOTH) {
            return VerbsTool.isOnTime(job.point()) ? SendTrips.run(job) : Writes.run(job);
        }
        List<String> flags = VerbsTool.flags(job);
        flags.addAll(SILENCE);
        flags.addAll(job.isClient() ? List.of(HOST) : List.of("--listen", HOST));
        var observer = new VerbsJob(job);
        Perftest.run(Plan.of(observer.test, flags.toArray(String[]::new)), PATIENCE, observer);
        return observer.measured == null ? Measured.NOTHING : observer.measured;
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
        Distribution times = Distribution.of(Percentiles.histogram(posted));
        measured = VerbsTool.ofTimes(job.point(), figures.average(), figures.typical(), times, job.iterations())
                .withSpent(spent);
    }

    @Override
    public void bandwidth(Bandwidth mine, Optional<Bandwidth> theirs) {
        double both = mine.messageRate() + theirs.map(Bandwidth::messageRate).orElse(0.0);
        measured =
                VerbsTool.ofRate(job.point(), both * MILLION, job.iterations()).withSpent(spent());
    }

    /** Even an end that has nothing to do spends something. */
    @Override
    public void finished() {
        if (measured == null) {
            measured = Measured.NOTHING.withSpent(spent());
        }
    }
}
