// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.TestDeadlines;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two executors that read each other's shuffle files where they lie, by the RDMA device of their host. */
@Tag("spark-verbs")
@Timeout(TestDeadlines.LONGEST_TEST_SECONDS) // processors may be emulated, where a JVM of Spark's starts for a minute
class ClusterOverVerbsTest {

    @TempDir
    private Path home;

    /** What it still has to read fails, Spark computes the lost blocks again, and the result is the same. */
    @Test
    void shouldRecomputeWhenAnExecutorDiesWhileItsFilesAreRead() throws Exception {
        LocalCluster.Run run = new LocalCluster(home)
                .run(
                        ShuffleProgram.class,
                        LocalCluster.with(
                                LocalCluster.UCX,
                                "--conf",
                                "spark.isthmus.verbs=always",
                                "--conf",
                                "spark.network.timeout=600s",
                                "--conf",
                                "spark.isthmus.connecting=300s"),
                        List.of("2000", "4000", "1"));
        assertEquals(run.results().get("spread"), run.results().get("killed0"), run.log());
        assertTrue(run.figure("fetchFailures") > 0, run.log());
        assertTrue(run.figure("ucx.verbs.bytesRead") > 500_000, run.log());
    }
}
