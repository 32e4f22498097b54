// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * PySpark with two executors, by its own {@code spark-submit}: RDDs of Python objects, and a join in SQL with skew. The
 * system properties {@code isthmus.pyspark} and {@code isthmus.pyspark.venv} name its folders.
 */
@Tag("spark")
@Timeout(value = 18, unit = TimeUnit.MINUTES)
class PySparkTest {

    private static final String METRICS = "spark.metrics.conf.*.sink.csv.";

    @TempDir
    private Path folder;

    private Map<String, String> run(String name, List<String> settings) throws Exception {
        Path home = Path.of(System.getProperty("isthmus.pyspark"));
        Path metrics = Files.createDirectories(folder.resolve(name));
        var command = new ArrayList<>(List.of(home.resolve("bin/spark-submit").toString()));
        command.addAll(List.of(
                "--master",
                "local-cluster[2,1,1024]",
                "--jars",
                IsthmusJar.find().toString()));
        var all = new ArrayList<>(List.of(
                "spark.ui.enabled=false",
                "spark.shuffle.readHostLocalDisk=false",
                "spark.sql.shuffle.partitions=8",
                "spark.sql.autoBroadcastJoinThreshold=-1",
                "spark.sql.adaptive.advisoryPartitionSizeInBytes=256k",
                "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes=512k",
                "spark.sql.adaptive.skewJoin.skewedPartitionFactor=2",
                METRICS + "class=org.apache.spark.metrics.sink.CsvSink",
                METRICS + "directory=" + metrics));
        all.addAll(settings);
        all.forEach(setting -> command.addAll(List.of("--conf", setting)));
        command.add(Path.of(System.getProperty("isthmus.home"), "spark/src/test/python/shuffles.py")
                .toString());
        Path output = folder.resolve(name + ".log");
        var builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment()
                .put(
                        "PYSPARK_PYTHON",
                        Path.of(System.getProperty("isthmus.pyspark.venv"), "bin/python")
                                .toString());
        builder.environment().remove("SPARK_HOME");
        Process process = builder.start();
        try {
            assertTrue(process.waitFor(TestDeadlines.seconds(480), TimeUnit.SECONDS), "it has not ended");
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        assertEquals(0, process.exitValue(), Files.readString(output));
        var results = new TreeMap<String, String>();
        Files.readString(output)
                .lines()
                .filter(line -> line.startsWith("RESULT "))
                .map(line -> line.substring(7).split("=", 2))
                .forEach(parts -> results.put(parts[0], parts[1]));
        assertEquals(4, results.size(), Files.readString(output));
        return results;
    }

    /** The latest value of a figure that executors have written, summed over all of them. */
    private long figure(String run, String name) throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve(run))) {
            return files.filter(file -> file.toString().endsWith(".UcxShufflePlugin." + name + ".csv"))
                    .mapToLong(PySparkTest::last)
                    .sum();
        }
    }

    private static long last(Path csv) {
        try {
            List<String> lines = Files.readAllLines(csv);
            return Long.parseLong(lines.getLast().split(",", -1)[1]);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldGivePythonAndSqlTheSameResults() throws Exception {
        Map<String, String> spark = run("spark", List.of());
        Map<String, String> ucx = run(
                "ucx",
                List.of(
                        "spark.shuffle.manager=dev.isthmus.spark.UcxShuffleManager",
                        "spark.plugins=dev.isthmus.spark.UcxShufflePlugin"));
        assertEquals(spark, ucx);
        assertEquals("True", ucx.get("skewed"), "no partition was split");
        assertEquals(0, figure("spark", "blocksReceived"));
        assertTrue(figure("ucx", "bytesByGet") + figure("ucx", "bytesInline") > 5_000_000, ucx::toString);
        assertEquals(0, figure("ucx", "blocksBySpark"));
        assertEquals(0, figure("ucx", "blocksFailed"));
    }
}
