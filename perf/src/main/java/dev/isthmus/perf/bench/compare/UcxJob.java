// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.common.Spent;
import dev.isthmus.perf.common.Timetable;
import dev.isthmus.perf.tools.ucx.UcxPeer;
import dev.isthmus.perf.tools.ucx.UcxResult;
import dev.isthmus.perf.tools.ucx.UcxTrips;
import java.io.IOException;
import java.util.List;

/** An end of UCX: Isthmus' ucx_perftest in Java, on its own binding of UCX or on UCX's own. */
final class UcxJob {

    private static final double MICROS = 1e6;

    private UcxJob() {}

    static UcxPeer.Binding binding(Way way) {
        return way == Way.JUCX ? UcxPeer.Binding.JUCX : UcxPeer.Binding.JAVA;
    }

    static Measured run(Job job) throws IOException {
        if (job.benchmark() == Benchmark.FIXED_RATE) {
            return trips(job);
        }
        UcxPeer.Binding binding = binding(job.point().way());
        return job.isClient()
                ? ask(job, binding)
                : Measured.NOTHING.withSpent(UcxPeer.serve(binding, job.serverAddress()));
    }

    private static Measured ask(Job job, UcxPeer.Binding binding) throws IOException {
        List<String> words = UcxTool.flags(job);
        words.add(job.server().address());
        UcxPeer.Result result = UcxPeer.ask(binding, words, job.point().route().isEmpty());
        UcxResult figures = result.figures();
        Measured measured = UcxTool.measured(
                job.point(),
                figures.latency() * MICROS,
                figures.percentile() * MICROS,
                figures.rate(),
                figures.iterations());
        long each = measured.messages() / figures.iterations();
        Measured all = measured.withMessages(each * (figures.iterations() + result.warmedUp()))
                .withSpent(result.spent());
        return result.times().map(times -> all.withAll(Distribution.of(times))).orElse(all);
    }

    private static Measured trips(Job job) throws IOException {
        if (!job.isClient()) {
            return Measured.NOTHING.withSpent(UcxTrips.serve(job.serverAddress(), job.bytes(), job.iterations()));
        }
        Timetable timetable = Trips.timetable(job, 0);
        Spent spent = UcxTrips.ask(job.serverAddress(), job.bytes(), job.iterations(), timetable);
        return Measured.trips(timetable).withSpent(spent);
    }
}
