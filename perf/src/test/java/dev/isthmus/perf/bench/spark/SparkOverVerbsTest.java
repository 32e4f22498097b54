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
 * transports. The results are those of Spark's own shuffle, which uses TCP from one address to the other.
 */
@Tag("spark-verbs")
@Timeout(value = 18, unit = TimeUnit.MINUTES)
class SparkOverVerbsTest {

    @TempDir
    private Path temporary;

    @Test
    void shouldShuffleOverVerbs() throws Exception {
        String[] addresses = System.getenv("ISTHMUS_ADDRESSES").split(" ", -1);
        String[] devices = System.getenv("ISTHMUS_DEVICES").split(" ", -1);
        assertEquals(2, addresses.length);
        String output = SparkRuns.output(
                temporary,
                "--addresses",
                addresses[0] + "@" + devices[0] + ":1," + addresses[1] + "@" + devices[1] + ":1",
                "--conf",
                "spark.isthmus.ucx.TLS=" + System.getenv("ISTHMUS_UCX_TLS"),
                "--conf",
                "spark.executor.extraJavaOptions=-XX:TieredStopAtLevel=1",
                "--conf",
                "spark.network.timeout=600s", // processors may be emulated
                "--conf",
                "spark.isthmus.connecting=300s",
                "--size",
                "8M",
                "--rounds",
                "1");
        System.out.print(output);
        SparkRuns.assertAllByUcx(output, "rc_verbs/" + devices[0]);
    }
}
