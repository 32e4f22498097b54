// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class SparkTableTest {

    private static final Path JAR = Path.of("isthmus-spark.jar");

    private static Properties results(String result, long bytes, long ucxBytes, long millis) {
        var results = new Properties();
        for (String shuffle : List.of("sort", "group")) {
            results.setProperty(shuffle + ".result", result);
            results.setProperty(shuffle + ".bytes", "" + bytes);
            results.setProperty(shuffle + ".blocks", "8");
            results.setProperty(shuffle + ".failures", "0");
            results.setProperty(shuffle + ".merged", "" + shuffle.equals("group"));
            results.setProperty(shuffle + ".split", "false");
            results.setProperty(shuffle + ".ucxBytes", "" + ucxBytes);
            results.setProperty(shuffle + ".waitMillis", "" + millis);
            results.setProperty(shuffle + ".nanos", "" + millis * 2_000_000);
            results.setProperty(shuffle + ".processorNanos", "" + millis * 3_000_000);
        }
        results.setProperty("titles", "sort group");
        results.setProperty("executors", "2");
        results.setProperty("hosts", "1");
        results.setProperty("partitions", "4");
        results.setProperty("connections", ucxBytes > 0 ? "1 x tcp/eth0; 1 x posix/memory.0" : "");
        results.setProperty("spark", "4.2.0");
        return results;
    }

    private static SparkTable table(Properties... ofSparkAndUcxInTurns) {
        ShuffleWay[] ways = ShuffleWay.values();
        List<Trial> trials = java.util.stream.IntStream.range(0, ofSparkAndUcxInTurns.length)
                .mapToObj(i -> new Trial(ways[i % 2], ofSparkAndUcxInTurns[i]))
                .toList();
        return new SparkTable(trials);
    }

    private static void assertLine(String expected, String text) {
        assertTrue(
                text.lines().map(line -> line.strip().replaceAll(" +", " ")).anyMatch(expected::equals),
                expected + " is not in\n" + text);
    }

    @Test
    void shouldPrintMediansOfEachWay() {
        SparkTable table = table(
                results("same", 2048, 0, 1000),
                results("same", 2048, 1024, 100),
                results("same", 2048, 0, 2000),
                results("same", 2048, 1024, 300));
        String text = table.format(true, JAR);
        assertLine("sort Spark 2.0 KB 8 - 1.50 s 4.50 s 3.00 s", text);
        assertLine("UCX 2.0 KB 8 50.0 % 0.20 s 0.60 s 0.40 s", text);
        assertLine("merged where adaptive execution has merged partitions: group", text);
        assertFalse(text.contains("split "), text);
        assertLine("connections posix/memory.0; tcp/eth0", text);
        assertLine("The results agree in all 4 runs.", text);
        assertTrue(table.isGood());
    }

    @Test
    void shouldPrintMediansOfAllReadings() {
        Properties spark = results("same", 2048, 0, 1000);
        Properties ucx = results("same", 2048, 2048, 1000);
        for (String number : List.of("bytes", "blocks", "failures", "ucxBytes", "waitMillis", "nanos")) {
            for (Properties one : List.of(spark, ucx)) {
                one.setProperty(
                        "sort." + number,
                        (one.getProperty("sort." + number) + " ").repeat(3).strip());
            }
        }
        ucx.setProperty("sort.processorNanos", "1000000000 5000000000 2000000000");
        ucx.setProperty("sort.failures", "0 2 1");
        String text = table(spark, ucx).format(true, JAR);
        assertLine("UCX 2.0 KB 8 100.0 % 1.00 s 2.00 s 2.00 s", text);
        assertLine("Fetches that failed and were recomputed: 3", text);
        assertTrue(text.contains("Medians of 1 runs, each of which reads 3 times, each way."), text);
    }

    @Test
    void shouldNotPassResultsThatDiffer() {
        SparkTable table = table(results("one", 1, 0, 1), results("other", 1, 1, 1));
        assertFalse(table.isGood());
        assertLine("THE RESULTS DIFFER: sort gave one and other", table.format(true, JAR));
    }

    @Test
    void shouldSayWhyNoBlockWasFetched() {
        Properties oneHost = results("same", 0, 0, 0);
        String text = table(oneHost, oneHost).format(false, JAR);
        assertTrue(text.contains("add --conf spark.shuffle.readHostLocalDisk=false\n"), text);
        var oneExecutor = new Properties();
        oneExecutor.putAll(oneHost);
        oneExecutor.setProperty("executors", "1");
        text = table(oneExecutor, oneExecutor).format(false, JAR);
        assertTrue(text.contains("let the cluster give the program two executors or more.\n"), text);
    }

    @Test
    void shouldNotPassWhereNothingWentByUcx() {
        SparkTable table = table(results("same", 1, 0, 1), results("same", 1, 0, 1));
        assertFalse(table.isGood());
        assertEquals(
                1,
                table.format(false, JAR)
                        .lines()
                        .filter(line -> line.startsWith("NOTHING WENT OVER UCX"))
                        .count());
    }
}
