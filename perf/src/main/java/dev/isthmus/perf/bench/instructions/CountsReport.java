// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.isthmus.perf.common.Side;
import dev.isthmus.perf.common.WholeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * All figures: what {@code --json} writes.
 *
 * @param machine what they depend on
 * @param rows the table
 */
record CountsReport(String machine, List<JsonRow> rows) {

    /**
     * A row of the table.
     *
     * @param row its name
     * @param figures those of each side that was counted
     */
    record JsonRow(String row, Map<Side, Figure> figures) {}

    static CountsReport of(String machine, List<RowCounts> counts) {
        return new CountsReport(
                machine,
                counts.stream()
                        .map(count -> new JsonRow(count.title(), count.figures()))
                        .toList());
    }

    void write(Path file) throws IOException {
        WholeFile.write(
                file,
                new ObjectMapper().writer(SerializationFeature.INDENT_OUTPUT).writeValueAsBytes(this));
    }
}
