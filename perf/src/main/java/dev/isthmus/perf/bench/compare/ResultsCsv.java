// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

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

    static final String FILE = "results.csv";

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
        columns.put("runs", summary -> Optional.of(summary.runs().size()));
        for (Quantity quantity : Quantity.values()) {
            columns.put(quantity.column(), summary -> quantity.of(summary).map(Spread::median));
            columns.put(
                    quantity.column() + "_min", summary -> quantity.of(summary).map(Spread::minimum));
            columns.put(
                    quantity.column() + "_max", summary -> quantity.of(summary).map(Spread::maximum));
            Function<Summary, Optional<Spread.Range>> interval =
                    summary -> quantity.of(summary).flatMap(Spread::interval);
            columns.put(quantity.column() + "_low", interval.andThen(range -> range.map(Spread.Range::low)));
            columns.put(quantity.column() + "_high", interval.andThen(range -> range.map(Spread.Range::high)));
        }
        columns.put("unsteady_runs", summary -> Optional.of(summary.count(run -> !run.steady())));
        columns.put("behind_runs", summary -> Optional.of(summary.count(Run::isBehind)));
        columns.put(
                "command",
                summary -> Optional.of(harmless(summary.runs().getLast().command())));
        return columns;
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
