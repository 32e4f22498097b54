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

    /**
     * Prints one of several sessions: only the first has a head.
     *
     * @param plan the test
     * @param out where to print
     * @param session which one, from 0
     */
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

    @Override
    public void latency(int bytes, long[] posted) {
        LatencyStatistics figures = LatencyStatistics.of(plan.test(), posted);
        printTimes(posted);
        if (full) {
            print(LatencyReport.row(bytes, posted.length, figures));
        } else {
            print(six(figures.average()));
        }
        out.flush();
        writeJson(
                full ? LatencyReport.results(bytes, posted.length, figures) : oneResult("avg_lat", figures.average()));
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
        print(full ? LatencyReport.timedRow(bytes, count, average, perSecond) : six(average));
        out.flush();
        writeJson(full ? LatencyReport.timedResults(bytes, count, average, perSecond) : oneResult("t_avg", average));
    }

    @Override
    public void bandwidth(Bandwidth mine, Optional<Bandwidth> theirs) {
        boolean gbits = plan.reporting().gbits;
        Bandwidth both = theirs.map(mine::plus).orElse(mine);
        boolean precise = BandwidthReport.isPrecise(mine, gbits);
        print(plan.reporting()
                .only
                .map(only -> six(one(only, both)))
                .orElseGet(() -> BandwidthReport.row(both, precise)));
        if (plan.reporting().both && !plan.traffic().allSizes) {
            theirs.ifPresent(other -> printBoth(mine, other));
        }
        out.flush();
        writeJson(plan.reporting()
                .only
                .map(only -> oneResult(only.equals("bandwidth") ? "bw_avg" : "msgRate_avg", one(only, both)))
                .orElseGet(() -> BandwidthReport.results(both, precise)));
    }

    private static double one(String which, Bandwidth figures) {
        return which.equals("bandwidth") ? figures.average() : figures.messageRate();
    }

    private static Map<String, Object> oneResult(String name, double value) {
        return Collections.singletonMap(name, CFormat.rounded(value, 6)); // null is allowed
    }

    private void printBoth(Bandwidth mine, Bandwidth theirs) {
        boolean gbits = plan.reporting().gbits;
        print(RULE);
        print("");
        print(" Local results: ");
        printColumns();
        print(BandwidthReport.row(mine, BandwidthReport.isPrecise(mine, gbits)));
        print(RULE);
        print("");
        print(" Remote results: ");
        printColumns();
        print(BandwidthReport.row(theirs, BandwidthReport.isPrecise(theirs, gbits)));
    }

    /** C's {@code %lf}. */
    private static String six(double value) {
        return String.format(Locale.ROOT, "%f", value);
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
