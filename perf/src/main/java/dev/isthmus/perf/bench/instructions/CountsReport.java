// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.isthmus.perf.common.WholeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * All figures: what {@code --json} writes.
 *
 * @param machine what they depend on
 * @param rows the table
 */
record CountsReport(String machine, List<RowCounts> rows) {

    void write(Path file) throws IOException {
        WholeFile.write(
                file,
                new ObjectMapper().writer(SerializationFeature.INDENT_OUTPUT).writeValueAsBytes(this));
    }
}
