// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class ResultsFilesTest {

    private static final Point POINT = new Point(Way.NIO_BLOCKING, Benchmark.PING_PONG, 4096, 2);
    private static final List<Run> RUNS = List.of(
            MadeUp.run(POINT, 1, 10, 1, "first"),
            MadeUp.run(POINT, 2, 30, 3, "second"),
            MadeUp.run(POINT, 3, 11, 2, MadeUp.HOSTILE));

    @Test
    void shouldWriteALineOfMediansAndEndsForEachPoint() {
        List<Run> runs = List.of(MadeUp.doubtful(RUNS.get(0), true, 0.9), MadeUp.doubtful(RUNS.get(1), false, 0.5));
        List<String> lines = ResultsFiles.csv(Summary.of(runs)).lines().toList();
        assertEquals(2, lines.size());
        assertEquals(
                "way,benchmark,bytes,connections,rate,runs,"
                        + columns("average_usec") + columns("median_usec") + columns("p999_usec")
                        + columns("messages_per_second")
                        + columns("bytes_per_second") + columns("overhead_bytes_per_message") + columns("overlap")
                        + columns("processor_usec_per_message") + columns("offered_per_second")
                        + "unsteady_runs,behind_runs,command",
                lines.getFirst());
        assertEquals(
                "nio-blocking,ping-pong,4096,2,,2,20.0,10.0,30.0,,,40.0,20.0,60.0,,,60.0,30.0,90.0,,,"
                        + "2.0,1.0,3.0,,,8192.0,4096.0,12288.0,,,,,,,,0.7,0.5,0.9,,,10.0,5.0,15.0,,,,,,,,1,0,second",
                lines.getLast());
    }

    private static String columns(String figure) {
        return figure + "," + figure + "_min," + figure + "_max," + figure + "_low," + figure + "_high,";
    }

    @Test
    void shouldTellOfManyRunsBetweenWhatTheirMedianIs() {
        Point point = new Point(Way.NIO_BLOCKING, Benchmark.FIXED_RATE, 8, 1, 5000);
        List<Run> runs = new ArrayList<>();
        for (int round = 1; round <= 9; round++) {
            runs.add(MadeUp.offered(MadeUp.run(point, round, round, 10_000, ""), 5000));
        }
        String line = ResultsFiles.csv(Summary.of(runs)).lines().toList().getLast();
        assertTrue(line.startsWith("nio-blocking,fixed-rate,8,1,5000,9,5.0,1.0,9.0,2.0,8.0,"), line);
        assertTrue(line.endsWith(",5000.0,5000.0,5000.0,5000.0,5000.0,0,0,"), line);
    }

    @Test
    void shouldQuoteWhatWouldBreakALineOrBeComputed() {
        String csv = ResultsFiles.csv(Summary.of(RUNS));
        List<List<String>> rows = parsed(csv);
        assertEquals(2, rows.size());
        assertEquals(rows.get(0).size(), rows.get(1).size());
        assertEquals(MadeUp.HOSTILE, rows.get(1).getLast());
        assertEquals("'=1+1", ResultsFiles.quoted("=1+1"));
        assertEquals("\"'@a,b\"", ResultsFiles.quoted("@a,b"));
        assertEquals("a - b", ResultsFiles.quoted("a - b"));
        assertEquals("\"a\"\"b\"", ResultsFiles.quoted("a\"b"));
    }

    /** As RFC 4180 has it. */
    private static List<List<String>> parsed(String csv) {
        List<List<String>> rows = new ArrayList<>(List.of(new ArrayList<>()));
        var cell = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < csv.length(); i++) {
            char c = csv.charAt(i);
            if (quoted && c == '"' && i + 1 < csv.length() && csv.charAt(i + 1) == '"') {
                cell.append(c);
                i++;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (!quoted && (c == ',' || c == '\n')) {
                rows.getLast().add(cell.toString());
                cell.setLength(0);
                if (c == '\n') {
                    rows.add(new ArrayList<>());
                }
            } else {
                cell.append(c);
            }
        }
        assertTrue(rows.getLast().isEmpty() && cell.isEmpty(), "no end of the last line");
        rows.removeLast();
        return rows;
    }

    @Test
    void shouldHoldTheSettingTheSummariesAndEveryRun() throws IOException {
        Setting setting = MadeUp.setting(List.of(POINT));
        JsonNode json = RunJson.JSON.readTree(ResultsFiles.json(setting, Summary.of(RUNS), RUNS));
        assertEquals("44.0", json.at("/lines/rdma-core").asText());
        assertEquals(1, json.get("points").size());
        assertEquals(1, json.get("summaries").size());
        JsonNode summary = json.at("/summaries/0");
        assertEquals("nio-blocking", summary.get("way").asText());
        assertEquals(3, summary.get("runs").asInt());
        assertEquals(11, summary.at("/averageMicros/median").asDouble());
        assertEquals(90, summary.at("/p999Micros/maximum").asDouble());
        assertEquals(4096, summary.at("/bytesPerSecond/minimum").asDouble());
        assertTrue(summary.at("/overheadBytesPerMessage").isMissingNode());
        assertEquals(3, json.get("runs").size());
        assertEquals(RUNS.get(2), RunJson.run(json.at("/runs/2").toString()));
    }
}
