// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import java.io.PrintWriter;
import java.util.Locale;

/** Prints what {@code ucx_perftest} prints: the test on a server, the figures on a client. */
record UcxConsole(PrintWriter out, boolean server, Style style, boolean finalOnly)
        implements UcxSession.SessionListener {

    /** How the results are printed. */
    enum Style {
        PLAIN,
        /** {@code -N}. */
        NUMERIC,
        /** {@code -v}. */
        CSV
    }

    private static final String RULE =
            "+----------------------------------------------------------------------------------------------------------+";
    private static final String TABLE_TOP =
            "+--------------+--------------+------------------------------+---------------------+-----------------------+";
    private static final String TABLE_RULE =
            "+--------------+--------------+----------+---------+---------+----------+----------+-----------+-----------+";

    private static final double MICROS = 1e6;
    private static final double MEGABYTE = 1 << 20;

    @Override
    public void begin(UcxPlan plan) {
        if (server) {
            test(plan);
        } else if (style == Style.CSV) {
            print(
                    "iterations,%.1f_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr",
                    plan.percentile());
        } else {
            columns(plan);
        }
        out.flush();
    }

    private void test(UcxPlan plan) {
        print(RULE);
        line("API:          ", "protocol layer");
        line("Test:         ", plan.test().description);
        line("Data layout:  ", "(automatic)");
        line("Send memory:  ", "host");
        line("Recv memory:  ", "host");
        line("Message size: ", "" + plan.bytes());
        if (plan.test().command == UcxTest.Command.AM) {
            print("| AM header size: %-60s             |", plan.header());
        }
        if (style != Style.CSV) {
            print(RULE);
        }
    }

    private void line(String title, String text) {
        print("| %s%-60s                               |", title, text);
    }

    private void columns(UcxPlan plan) {
        print(TABLE_TOP);
        print(
                "|              |              |       %8s (usec)        |   bandwidth (MB/s)  |  message rate (msg/s) |",
                plan.test().timeWord());
        print(TABLE_RULE);
        print(
                "|    %5s     | # iterations | %4.1f%%ile | average | overall |  average |  overall |  average  |  overall  |",
                finalOnly ? "Test" : "Stage", plan.percentile());
        print(TABLE_RULE);
    }

    @Override
    public void report(UcxResult result, boolean last) {
        if (server || (finalOnly && !last)) {
            return;
        }
        print("%s%s", prefix(last), row(result, style));
        out.flush();
    }

    private String prefix(boolean last) {
        if (!last) {
            return "[thread 0]";
        }
        if (style == Style.CSV) {
            return "";
        }
        return finalOnly ? " ".repeat(10) : "Final:    ";
    }

    static String row(UcxResult result, Style style) {
        String format = switch (style) {
            case CSV -> "%4.0f,%.3f,%.3f,%.3f,%.2f,%.2f,%.0f,%.0f";
            case NUMERIC -> "%,18.0f %10.3f %9.3f %9.3f %11.2f %10.2f %,11.0f %,11.0f";
            case PLAIN -> "%18.0f %10.3f %9.3f %9.3f %11.2f %10.2f %11.0f %11.0f";
        };
        return String.format(
                Locale.ROOT,
                format,
                (double) result.iterations(),
                result.percentile() * MICROS,
                result.latencyNow() * MICROS,
                result.latency() * MICROS,
                result.bandwidthNow() / MEGABYTE,
                result.bandwidth() / MEGABYTE,
                result.rateNow(),
                result.rate());
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation is in a library that is not a dependency
    private void print(String format, Object... values) {
        out.print(String.format(Locale.ROOT, format, values) + "\n");
    }
}
