// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Prints a session like perftest, followed by the percentiles of its latencies. */
public final class Console implements Observer {

    private static final String RULE = LatencyReport.RULE;
    private static final int TAIL = 2;
    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private final Plan plan;
    private final PrintWriter out;
    private final boolean first;
    private final boolean last;
    private final boolean full;
    private final List<String> percentiles = new ArrayList<>();
    private TestInfo info;

    /** Prints one of several sessions, counted from 0: only the first has a head. */
    public Console(Plan plan, PrintWriter out, int session) {
        this.plan = plan;
        this.out = out;
        first = session == 0;
        last = session == plan.sessions() - 1;
        full = plan.reporting().only.isEmpty();
    }

    private void print(String line) {
        out.print(line + "\n");
    }

    @Override
    public void waiting() {
        if (first && full) {
            print("");
            print("************************************");
            print("* Waiting for client to connect... *");
            print("************************************");
            out.flush();
        }
    }

    @Override
    public void connected(
            Plan used,
            Setup setup,
            PerftestSession.Terms terms,
            List<PerftestDestination> mine,
            List<PerftestDestination> theirs) {
        info = new TestInfo(used, setup, terms);
        if (first && full) {
            print(RULE);
            info.lines().forEach(this::print);
            print(RULE);
            mine.forEach(end -> info.address("local", end).forEach(this::print));
            theirs.forEach(end -> info.address("remote", end).forEach(this::print));
            out.flush();
        }
    }

    @Override
    public void columns() {
        if (first && full) {
            printColumns();
        }
    }

    private void printColumns() {
        print(RULE);
        if (plan.test().isBandwidth()) {
            print(BandwidthReport.columns(plan.reporting().gbits));
        } else {
            print(plan.traffic().isTimed() ? LatencyReport.TIMED_COLUMNS : LatencyReport.COLUMNS);
        }
        out.flush();
    }

    /** Prints a row and writes its results; or only the one figure that was asked for. */
    private void report(String row, Map<String, Object> results, String name, double figure) {
        print(full ? row : String.format(Locale.ROOT, "%f", figure));
        out.flush();
        writeJson(full ? results : Collections.singletonMap(name, CFormat.rounded(figure, 6))); // null is allowed
    }

    @Override
    public void latency(int bytes, long[] posted) {
        LatencyStatistics figures = LatencyStatistics.of(plan.test(), posted);
        printTimes(posted);
        report(
                LatencyReport.row(bytes, posted.length, figures),
                LatencyReport.results(bytes, posted.length, figures),
                "avg_lat",
                figures.average());
        percentiles.add(Percentiles.row(plan.test(), bytes, posted));
    }

    private void printTimes(long[] posted) {
        long[] deltas = LatencyStatistics.deltas(posted);
        double unit = LatencyStatistics.unit(plan.test());
        if (plan.reporting().unsorted) {
            out.print(LatencyReport.times(deltas, deltas.length, unit));
        }
        if (plan.reporting().histogram) {
            Arrays.sort(deltas);
            out.print(LatencyReport.times(deltas, deltas.length - TAIL, unit));
        }
        if (full && (plan.reporting().unsorted || plan.reporting().histogram)) {
            printColumns();
        }
    }

    @Override
    public void timedLatency(int bytes, long count, long nanos) {
        double average = nanos / LatencyStatistics.unit(plan.test()) / count;
        double perSecond = count / (nanos / 1e9);
        report(
                LatencyReport.timedRow(bytes, count, average, perSecond),
                LatencyReport.timedResults(bytes, count, average, perSecond),
                "t_avg",
                average);
    }

    @Override
    public void bandwidth(Bandwidth mine, Optional<Bandwidth> theirs) {
        Bandwidth both = theirs.map(mine::plus).orElse(mine);
        boolean precise = BandwidthReport.isPrecise(mine, plan.reporting().gbits);
        boolean rate = plan.reporting().only.equals(Optional.of("message_rate"));
        report(
                BandwidthReport.row(both, precise),
                BandwidthReport.results(both, precise),
                rate ? "msgRate_avg" : "bw_avg",
                rate ? both.messageRate() : both.average());
        if (plan.reporting().both && !plan.traffic().allSizes && theirs.isPresent()) {
            printSide("Local", mine);
            printSide("Remote", theirs.get());
            out.flush();
        }
    }

    private void printSide(String side, Bandwidth figures) {
        print(RULE);
        print("");
        print(" " + side + " results: ");
        printColumns();
        print(BandwidthReport.row(figures, BandwidthReport.isPrecise(figures, plan.reporting().gbits)));
    }

    private void writeJson(Map<String, Object> results) {
        if (plan.reporting().json().isPresent()) {
            Path file = plan.reporting().json().get();
            try {
                JSON.writeValue(file.toFile(), info.json(results));
            } catch (IOException e) {
                throw new UncheckedIOException("cannot write " + file + ": " + e.getMessage(), e);
            }
        }
    }

    @Override
    public void finished() {
        if (full && last) {
            print(RULE);
        }
        if (full && !percentiles.isEmpty() && last) {
            print(Percentiles.COLUMNS);
            percentiles.forEach(this::print);
            print(RULE);
        }
        out.flush();
    }
}
