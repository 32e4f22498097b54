// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import com.fasterxml.jackson.dataformat.csv.CsvGenerator;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The medians of all points, for programs and spreadsheets. */
final class ResultsCsv {

    private static final CsvMapper CSV = CsvMapper.builder()
            .enable(CsvGenerator.Feature.STRICT_CHECK_FOR_QUOTING)
            .build();

    private static final Map<String, Function<Summary, Optional<?>>> COLUMNS = columns();

    private ResultsCsv() {}

    private static Map<String, Function<Summary, Optional<?>>> columns() {
        Map<String, Function<Summary, Optional<?>>> columns = new LinkedHashMap<>();
        columns.put("way", summary -> Optional.of(summary.point().way().id()));
        columns.put(
                "benchmark", summary -> Optional.of(summary.point().benchmark().id()));
        columns.put("bytes", summary -> Optional.of(summary.point().bytes()));
        columns.put("connections", summary -> Optional.of(summary.point().connections()));
        columns.put("rate", summary -> Optional.of(summary.point().rate()).filter(rate -> rate > 0));
        columns.put(
                "transport",
                summary ->
                        summary.point().route().map(route -> route.transport().id()));
        columns.put(
                "operation",
                summary ->
                        summary.point().route().map(route -> route.operation().id()));
        columns.put("runs", summary -> Optional.of(summary.runs()));
        put(columns, "average_usec", Summary::averageMicros);
        put(columns, "median_usec", Summary::medianMicros);
        put(columns, "p999_usec", Summary::p999Micros);
        put(columns, "messages_per_second", summary -> Optional.of(summary.messagesPerSecond()));
        put(columns, "bytes_per_second", summary -> Optional.of(summary.bytesPerSecond()));
        put(columns, "overhead_bytes_per_message", Summary::overheadBytesPerMessage);
        put(columns, "overlap", Summary::overlap);
        put(columns, "processor_usec_per_message", Summary::processorMicrosPerMessage);
        put(columns, "offered_per_second", Summary::offeredPerSecond);
        columns.put("unsteady_runs", summary -> Optional.of(summary.unsteady()));
        columns.put("behind_runs", summary -> Optional.of(summary.behind()));
        columns.put("command", summary -> Optional.of(harmless(summary.command())));
        return columns;
    }

    private static void put(
            Map<String, Function<Summary, Optional<?>>> columns,
            String name,
            Function<Summary, Optional<Spread>> figure) {
        columns.put(name, figure.andThen(spread -> spread.map(Spread::median)));
        columns.put(name + "_min", figure.andThen(spread -> spread.map(Spread::minimum)));
        columns.put(name + "_max", figure.andThen(spread -> spread.map(Spread::maximum)));
        columns.put(
                name + "_low",
                figure.andThen(spread -> spread.flatMap(Spread::sure).map(Spread.Range::low)));
        columns.put(
                name + "_high",
                figure.andThen(spread -> spread.flatMap(Spread::sure).map(Spread.Range::high)));
    }

    /** A line for each point: medians, minimums and maximums of its runs. */
    static String of(List<Summary> summaries) throws IOException {
        List<List<?>> rows = new ArrayList<>();
        for (Summary summary : summaries) {
            rows.add(COLUMNS.values().stream()
                    .map(column -> column.apply(summary).orElse(null))
                    .toList());
        }
        CsvSchema.Builder schema = CsvSchema.builder().setUseHeader(true);
        COLUMNS.keySet().forEach(schema::addColumn);
        return CSV.writer(schema.build()).writeValueAsString(rows);
    }

    /** Text, even if a spreadsheet would take it for a formula. */
    static String harmless(String text) {
        return !text.isEmpty() && "=+-@\t\r".indexOf(text.charAt(0)) >= 0 ? "'" + text : text;
    }
}
