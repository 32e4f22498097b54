// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;

/** The results for programs. */
final class ResultsFiles {

    private static final String SPREAD = "%1$s,%1$s_min,%1$s_max";

    private ResultsFiles() {}

    /** A line for each point: medians, minimums and maximums of its runs. */
    static String csv(List<Summary> summaries) {
        var out = new StringBuilder("way,benchmark,bytes,connections,runs");
        for (String figure : List.of(
                "average_usec",
                "p999_usec",
                "messages_per_second",
                "bytes_per_second",
                "overhead_bytes_per_message",
                "overlap")) {
            out.append(',').append(SPREAD.replace("%1$s", figure));
        }
        out.append(",unsteady_runs,command\n");
        for (Summary summary : summaries) {
            Point point = summary.point();
            out.append(point.way().id()).append(',').append(point.benchmark().id());
            out.append(',').append(point.bytes()).append(',').append(point.connections());
            out.append(',').append(summary.runs());
            append(out, summary.averageMicros());
            append(out, summary.p999Micros());
            append(out, Optional.of(summary.messagesPerSecond()));
            append(out, Optional.of(summary.bytesPerSecond()));
            append(out, summary.overheadBytesPerMessage());
            append(out, summary.overlap());
            out.append(',').append(summary.unsteady());
            out.append(',').append(quoted(summary.command())).append('\n');
        }
        return out.toString();
    }

    private static void append(StringBuilder out, Optional<Spread> spread) {
        out.append(spread.map(s -> "," + s.median() + "," + s.minimum() + "," + s.maximum())
                .orElse(",,,"));
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
            summary.p999Micros().ifPresent(spread -> put(node, "p999Micros", spread));
            put(node, "messagesPerSecond", summary.messagesPerSecond());
            put(node, "bytesPerSecond", summary.bytesPerSecond());
            summary.overheadBytesPerMessage().ifPresent(spread -> put(node, "overheadBytesPerMessage", spread));
            summary.overlap().ifPresent(spread -> put(node, "overlap", spread));
            node.put("unsteadyRuns", summary.unsteady());
        }
        var all = report.putArray("runs");
        runs.forEach(run -> all.add(RunJson.of(run)));
        return report.toPrettyString() + "\n";
    }

    private static void put(ObjectNode node, String name, Spread spread) {
        node.putObject(name)
                .put("median", spread.median())
                .put("minimum", spread.minimum())
                .put("maximum", spread.maximum());
    }
}
