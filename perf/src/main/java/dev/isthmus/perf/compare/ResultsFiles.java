// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;

/** The results for programs. */
final class ResultsFiles {

    private static final String SPREAD = "%1$s,%1$s_min,%1$s_max,%1$s_low,%1$s_high";

    private ResultsFiles() {}

    /** A line for each point: medians, minimums and maximums of its runs. */
    static String csv(List<Summary> summaries) {
        var out = new StringBuilder("way,benchmark,bytes,connections,rate,runs");
        for (String figure : List.of(
                "average_usec",
                "median_usec",
                "p999_usec",
                "messages_per_second",
                "bytes_per_second",
                "overhead_bytes_per_message",
                "overlap",
                "processor_usec_per_message",
                "offered_per_second")) {
            out.append(',').append(SPREAD.replace("%1$s", figure));
        }
        out.append(",unsteady_runs,behind_runs,command\n");
        for (Summary summary : summaries) {
            Point point = summary.point();
            out.append(point.way().id()).append(',').append(point.benchmark().id());
            out.append(',').append(point.bytes()).append(',').append(point.connections());
            out.append(',').append(point.rate() == 0 ? "" : "" + point.rate());
            out.append(',').append(summary.runs());
            append(out, summary.averageMicros());
            append(out, summary.medianMicros());
            append(out, summary.p999Micros());
            append(out, Optional.of(summary.messagesPerSecond()));
            append(out, Optional.of(summary.bytesPerSecond()));
            append(out, summary.overheadBytesPerMessage());
            append(out, summary.overlap());
            append(out, summary.processorMicrosPerMessage());
            append(out, summary.offeredPerSecond());
            out.append(',').append(summary.unsteady()).append(',').append(summary.behind());
            out.append(',').append(quoted(summary.command())).append('\n');
        }
        return out.toString();
    }

    private static void append(StringBuilder out, Optional<Spread> spread) {
        out.append(spread.map(s -> "," + s.median() + "," + s.minimum() + "," + s.maximum()
                        + s.sure()
                                .map(range -> "," + range.low() + "," + range.high())
                                .orElse(",,"))
                .orElse(",,,,,"));
    }

    /** As RFC 4180 has it; and what a spreadsheet would compute is made text. */
    static String quoted(String text) {
        String harmless = !text.isEmpty() && "=+-@\t\r".indexOf(text.charAt(0)) >= 0 ? "'" + text : text;
        boolean plain = harmless.chars().noneMatch(c -> c == '"' || c == ',' || c == '\n' || c == '\r');
        return plain ? harmless : '"' + harmless.replace("\"", "\"\"") + '"';
    }

    /** The setting, the summaries and every run. */
    static String json(Setting setting, List<Summary> summaries, List<Run> runs) {
        ObjectNode report = RunJson.of(setting);
        var points = report.putArray("summaries");
        for (Summary summary : summaries) {
            ObjectNode node = RunJson.of(summary.point()).put("runs", summary.runs());
            points.add(node);
            summary.averageMicros().ifPresent(spread -> put(node, "averageMicros", spread));
            summary.medianMicros().ifPresent(spread -> put(node, "medianMicros", spread));
            summary.p999Micros().ifPresent(spread -> put(node, "p999Micros", spread));
            put(node, "messagesPerSecond", summary.messagesPerSecond());
            put(node, "bytesPerSecond", summary.bytesPerSecond());
            summary.overheadBytesPerMessage().ifPresent(spread -> put(node, "overheadBytesPerMessage", spread));
            summary.overlap().ifPresent(spread -> put(node, "overlap", spread));
            summary.processorMicrosPerMessage().ifPresent(spread -> put(node, "processorMicrosPerMessage", spread));
            summary.offeredPerSecond().ifPresent(spread -> put(node, "offeredPerSecond", spread));
            node.put("unsteadyRuns", summary.unsteady()).put("behindRuns", summary.behind());
        }
        var all = report.putArray("runs");
        runs.forEach(run -> all.add(RunJson.of(run)));
        return report.toPrettyString() + "\n";
    }

    private static void put(ObjectNode node, String name, Spread spread) {
        ObjectNode figures = node.putObject(name)
                .put("median", spread.median())
                .put("minimum", spread.minimum())
                .put("maximum", spread.maximum());
        spread.sure().ifPresent(range -> figures.put("low", range.low()).put("high", range.high()));
    }
}
