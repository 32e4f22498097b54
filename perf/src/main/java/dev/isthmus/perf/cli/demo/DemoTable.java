// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli.demo;

import dev.isthmus.perf.common.Machine;
import java.util.Locale;

/** The report for people. */
final class DemoTable {

    private DemoTable() {}

    /** Lays a report out. */
    static String format(DemoReport report) {
        var out = new StringBuilder();
        out.append(String.format(
                "%-24s %7s %9s %9s %7s   %-17s %-17s%n",
                "half a round trip, usec", "bytes", "C", "Java", "Java/C", "C rounds", "Java rounds"));
        for (DuelResult c : report.comparisons()) {
            out.append(String.format(
                    Locale.ROOT,
                    "%-24s %7d %9.3f %9.3f %7.3f   %-17s %-17s%n",
                    title(c.path()),
                    c.bytes(),
                    c.cMicros(),
                    c.javaMicros(),
                    c.ratio(),
                    range(c.cBestMicros(), c.cWorstMicros()),
                    range(c.javaBestMicros(), c.javaWorstMicros())));
        }
        out.append(String.format(Locale.ROOT, """

                Medians of the rounds' medians, and the rounds from best to worst; %s
                A round's median covers its round trips, over UCX the last 2048, as ucx_perftest prints it.
                Each end reads its clock once a round trip: C the processor's counter, Java System.nanoTime().
                """, report.date()));
        report.machines().forEach((path, machine) -> out.append(describe(path, machine)));
        report.failures().forEach(failure -> out.append(describe(failure)));
        return out.toString();
    }

    private static String title(String path) {
        return switch (path) {
            case DemoPartCommand.VERBS -> "verbs RC send";
            case DemoPartCommand.UCX -> "UCX tag, shared memory";
            default -> path;
        };
    }

    private static String range(double best, double worst) {
        return String.format(Locale.ROOT, "%.3f..%.3f", best, worst);
    }

    private static String describe(String path, Machine machine) {
        return String.format("%s: %s; %s%n", title(path), machine.where(), machine.inWords());
    }

    private static String describe(DemoReport.Failure failure) {
        String what = failure.repeated() ? "measured again, because " : "not measured completely, because ";
        return String.format("%s: %s%s%n", title(failure.path()), what, failure.reason());
    }
}
