// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

@Tag("unit")
class SparkOptionsTest {

    private final StringWriter err = new StringWriter();

    private int run(String... args) {
        return new CommandLine(new SparkCommand()).setErr(new PrintWriter(err)).execute(args);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --size=0                            | --size takes a number of bytes, optionally with K, M, G or T, such as 200M, not 0
            --warm-up=some                      | --warm-up takes a number of bytes, optionally with K, M, G or T, such as 1G, or 0 for none, not some
            --queries --warm-up=1G              | --warm-up is that of a sort and a groupBy; each query runs once
            --queries --readings=2              | --readings is that of a sort and a groupBy; each query runs once
            --readings=0                        | --readings must be at least 1, not 0
            --rounds=0                          | --rounds must be at least 1, not 0
            --partitions=-1                     | --partitions must be at least 0, not -1
            --conf=spark.cores.max              | --conf takes KEY=VALUE, not spark.cores.max
            --conf=spark.shuffle.manager=sort   | --conf spark.shuffle.manager: that is what this command compares
            --scale=0.1                         | --scale is that of queries: add --queries
            --queries --scale=0                 | --scale takes a number up to 10000, such as 0.1, not 0.0
            --queries --size=1G                 | --size is that of a sort and a groupBy; queries have --scale
            --addresses=10.0.0.1                | --addresses takes two addresses of this machine
            """)
    void shouldSayWhatIsWrong(String option, String sentence) {
        assertEquals(2, run(option.split(" ", -1)));
        assertTrue(err.toString().startsWith(sentence), err.toString());
    }

    @Test
    void shouldSayThatAFolderIsNoSpark(@TempDir Path folder) {
        var command = new CommandLine(new SparkCommand());
        var reason = new StringBuilder();
        command.setExecutionExceptionHandler((e, _, _) -> {
            reason.append(e.getMessage());
            return 1;
        });
        assertEquals(1, command.execute("--spark-home", folder.toString()));
        assertTrue(reason.toString().contains("is not a Spark: it has no folder jars"), reason.toString());
    }

    @Test
    void shouldReadDevicesOfWorkers() {
        var places = WorkerPlace.parse("10.0.0.1@rxe0:1, 10.0.0.2");
        assertEquals("rxe0:1", places.get(0).environment().get("UCX_NET_DEVICES"));
        assertEquals("10.0.0.2", places.get(1).address());
        assertTrue(places.get(1).environment().isEmpty());
    }
}
