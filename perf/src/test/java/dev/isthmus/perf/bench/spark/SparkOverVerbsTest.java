// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A sort and a groupBy between two executors, each with an address and an RDMA device of its own, over UCX's verbs
 * transports, and by RDMA READ out of shuffle files. The results are those of Spark's own shuffle, which uses TCP from one
 * address to the other.
 */
@Tag("spark-verbs")
@Timeout(value = 18, unit = TimeUnit.MINUTES)
class SparkOverVerbsTest {

    private static final String[] ADDRESSES = System.getenv("ISTHMUS_ADDRESSES").split(" ", -1);
    private static final String[] DEVICES = System.getenv("ISTHMUS_DEVICES").split(" ", -1);

    @TempDir
    private Path temporary;

    @Test
    void shouldShuffleOverVerbs() throws Exception {
        SparkRuns.assertAllByUcx(output("never"), 2, "rc_verbs/" + DEVICES[0]);
    }

    /** By default, as the executors have different hosts. */
    @Test
    void shouldReadFilesWhereTheyLie() throws Exception {
        SparkRuns.assertAllByUcx(output("auto"), 2, "verbs/" + ADDRESSES[0]);
    }

    private String output(String verbs) throws Exception {
        assertEquals(2, ADDRESSES.length);
        String output = SparkRuns.output(
                temporary,
                "--addresses",
                ADDRESSES[0] + "@" + DEVICES[0] + ":1," + ADDRESSES[1] + "@" + DEVICES[1] + ":1",
                "--conf",
                "spark.isthmus.ucx.TLS=" + System.getenv("ISTHMUS_UCX_TLS"),
                "--conf",
                "spark.isthmus.verbs=" + verbs,
                "--conf",
                "spark.executor.extraJavaOptions=-XX:TieredStopAtLevel=1",
                "--conf",
                "spark.network.timeout=600s", // processors may be emulated
                "--conf",
                "spark.isthmus.connecting=300s",
                "--size",
                "8M",
                "--warm-up",
                "8M",
                "--rounds",
                "1",
                "--readings",
                "1");
        System.out.print(output);
        return output;
    }
}
