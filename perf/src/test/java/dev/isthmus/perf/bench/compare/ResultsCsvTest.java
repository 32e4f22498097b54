// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class ResultsCsvTest {

    private static final Point POINT = new Point(Way.NIO_BLOCKING, Benchmark.PING_PONG, 4096, 2);
    private static final List<Run> RUNS = List.of(
            MadeUp.run(POINT, 1, 10, 1, "first"),
            MadeUp.run(POINT, 2, 30, 3, "second"),
            MadeUp.run(POINT, 3, 11, 2, MadeUp.HOSTILE));

    @Test
    void shouldWriteALineOfMediansAndEndsForEachPoint() throws IOException {
        List<Run> runs = List.of(MadeUp.doubtful(RUNS.get(0), true, 0.9), MadeUp.doubtful(RUNS.get(1), false, 0.5));
        List<String> lines = ResultsCsv.of(Summary.of(runs)).lines().toList();
        assertEquals(2, lines.size());
        assertEquals(
                "way,benchmark,bytes,connections,rate,transport,operation,runs,"
                        + columns("average_usec") + columns("median_usec") + columns("p999_usec")
                        + columns("messages_per_second")
                        + columns("bytes_per_second") + columns("overhead_bytes_per_message") + columns("overlap")
                        + columns("processor_usec_per_message") + columns("offered_per_second")
                        + "unsteady_runs,behind_runs,command",
                lines.getFirst());
        assertEquals(
                "nio-blocking,ping-pong,4096,2,,,,2,20.0,10.0,30.0,,,40.0,20.0,60.0,,,60.0,30.0,90.0,,,"
                        + "2.0,1.0,3.0,,,8192.0,4096.0,12288.0,,,,,,,,0.7,0.5,0.9,,,10.0,5.0,15.0,,,,,,,,1,0,second",
                lines.getLast());
    }

    private static String columns(String figure) {
        return figure + "," + figure + "_min," + figure + "_max," + figure + "_low," + figure + "_high,";
    }

    @Test
    void shouldTellOfManyRunsBetweenWhatTheirMedianIs() throws IOException {
        Point point = new Point(Way.NIO_BLOCKING, Benchmark.FIXED_RATE, 8, 1, 5000);
        List<Run> runs = new ArrayList<>();
        for (int round = 1; round <= 9; round++) {
            runs.add(MadeUp.offered(MadeUp.run(point, round, round, 10_000, ""), 5000));
        }
        String line = ResultsCsv.of(Summary.of(runs)).lines().toList().getLast();
        assertTrue(line.startsWith("nio-blocking,fixed-rate,8,1,5000,,,9,5.0,1.0,9.0,2.0,8.0,"), line);
        assertTrue(line.endsWith(",5000.0,5000.0,5000.0,5000.0,5000.0,0,0,"), line);
    }

    @Test
    void shouldQuoteWhatWouldBreakALineOrBeComputed() throws IOException {
        String csv = ResultsCsv.of(Summary.of(RUNS));
        try (MappingIterator<Map<String, String>> rows = new CsvMapper()
                .readerForMapOf(String.class)
                .with(CsvSchema.emptySchema().withHeader())
                .readValues(csv)) {
            Map<String, String> row = rows.next();
            assertEquals(MadeUp.HOSTILE, row.get("command"));
            assertEquals("3", row.get("runs"));
            assertFalse(rows.hasNext());
        }
        assertEquals("'=1+1", ResultsCsv.harmless("=1+1"));
        assertEquals("'@a,b", ResultsCsv.harmless("@a,b"));
        assertEquals("a - b", ResultsCsv.harmless("a - b"));
    }

    @Test
    void shouldNameTheRouteOfAPointOverUcx() throws IOException {
        var route = new UcxRoute(UcxRoute.Transport.SHM, UcxRoute.Operation.TAG);
        Point point = new Point(Way.JAVA_UCX, Benchmark.PING_PONG, 8, route);
        String csv = ResultsCsv.of(Summary.of(List.of(MadeUp.run(point, 1, 10, 1, ""))));
        assertTrue(csv.contains("\njava-ucx,ping-pong,8,1,,shm,tag,1,"), csv);
    }
}
