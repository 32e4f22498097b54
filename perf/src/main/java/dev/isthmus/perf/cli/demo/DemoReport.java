// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli.demo;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.isthmus.perf.common.Machine;
import dev.isthmus.perf.common.Side;
import dev.isthmus.perf.common.WholeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Everything that a demo found: what {@code --json} writes.
 *
 * @param date when it began, ISO 8601 in UTC
 * @param machines where each path was measured
 * @param comparisons the table
 * @param samples every round that counts
 * @param failures what went wrong
 */
record DemoReport(
        String date,
        Map<String, Machine> machines,
        List<DuelResult> comparisons,
        List<Sample> samples,
        List<Failure> failures) {

    /**
     * One round of one side.
     *
     * @param path what the messages take: verbs or ucx
     * @param round which round, from 1
     * @param medianMicros half the median round trip, microseconds
     * @param averageMicros half the mean round trip, microseconds
     */
    record Sample(String path, int bytes, Side side, int round, double medianMicros, double averageMicros) {}

    /**
     * A failure of one part of the demo.
     *
     * @param path which part: verbs or ucx
     * @param reason in one line
     * @param repeated whether the part was run again; then only the second run's rounds count
     */
    record Failure(String path, String reason, boolean repeated) {}

    static final ObjectMapper JSON = new ObjectMapper();

    /**
     * Writes it as JSON, all of it or nothing, so that a program that waits for the file never reads half of it.
     *
     * @param file the file, which is replaced if it exists
     */
    void write(Path file) throws IOException {
        WholeFile.write(file, JSON.writer(SerializationFeature.INDENT_OUTPUT).writeValueAsBytes(this));
    }
}
