// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The content of the tab in Spark's web UI, as HTML. It uses nothing of Spark. */
final class ExecutorTable {

    private static final List<String> COLUMNS = List.of(
            "Executor",
            "Host",
            "Transport",
            "By UCX",
            "By verbs",
            "By Spark",
            "Blocks by both",
            "Blocks by Spark",
            "Failed",
            "Fetch wait",
            "Served",
            "Waits to serve",
            "Pinned");

    private ExecutorTable() {}

    /** The body of the page. */
    static String of(ExecutorReports reports) {
        List<ExecutorReport> all = reports.all();
        if (all.isEmpty()) {
            return "<p>No executor has reported on UCX yet: either none has started, or the driver's log says why.</p>";
        }
        String head = COLUMNS.stream().map(name -> cell("th", name)).collect(Collectors.joining());
        String rows = all.stream()
                .map(report -> "<tr>" + row(report, reports.reads(report.executor())) + "</tr>")
                .collect(Collectors.joining("\n"));
        return "<p>What executors have fetched from each other. Spark's own figures cover tasks that have ended.</p>"
                + "<table class=\"table table-striped table-sm\" id=\"isthmus-ucx\"><thead><tr>" + head
                + "</tr></thead><tbody>" + rows + "</tbody></table>";
    }

    private static String row(ExecutorReport report, ExecutorReports.Reads reads) {
        long bySpark = Math.max(0, reads.bytes.sum() - report.bytes());
        return List.of(
                        report.executor(),
                        report.host(),
                        report.transports().isEmpty() ? "not connected" : report.transports(),
                        bytes(report.bytes() - report.bytesByVerbs()),
                        bytes(report.bytesByVerbs()),
                        bytes(bySpark),
                        Long.toString(report.figure("blocksReceived") + report.figure("verbs.blocksReceived")),
                        Long.toString(report.figure("blocksBySpark")),
                        Long.toString(report.figure("blocksFailed")),
                        String.format(Locale.ROOT, "%.1f s", reads.waitMillis.sum() / 1e3),
                        bytes(report.figure("bytesServed") + report.figure("verbs.bytesServed")),
                        Long.toString(report.figure("servingWaits")),
                        bytes(report.figure("pinnedBytes") + report.figure("verbs.pinnedBytes")))
                .stream()
                .map(text -> cell("td", text))
                .collect(Collectors.joining());
    }

    private static String cell(String element, String text) {
        return "<" + element + ">" + escape(text) + "</" + element + ">";
    }

    /** Escapes HTML, as the texts of executors come from other machines. */
    private static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    private static String bytes(long bytes) {
        if (bytes < 1 << 10) {
            return bytes + " B";
        }
        return bytes < 1 << 20
                ? String.format(Locale.ROOT, "%.1f KiB", bytes / (double) (1 << 10))
                : String.format(Locale.ROOT, "%.1f MiB", bytes / (double) (1 << 20));
    }
}
