// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import static dev.isthmus.spark.LocalCluster.UCX;
import static dev.isthmus.spark.LocalCluster.with;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.spark.LocalCluster.Run;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Spark itself, with two executors of {@link LocalCluster}, runs {@link ShuffleProgram}. */
@Tag("spark")
@Timeout(TestDeadlines.LONGEST_TEST_SECONDS) // some read and write gigabytes
class LocalClusterTest {

    private static final List<String> SHORT = List.of("4000", "2000");
    private static final List<String> LONG = List.of("6000", "4000"); // a task fetches for longer than it holds back

    private static Map<String, String> bySpark;

    @TempDir
    private static Path home;

    private static LocalCluster cluster;

    @BeforeAll
    static void makeHome() throws IOException {
        cluster = new LocalCluster(home);
    }

    private static Run run(List<String> options, List<String> arguments) throws Exception {
        return cluster.run(ShuffleProgram.class, options, arguments);
    }

    /** The results of the program with Spark's own shuffle. */
    private static Map<String, String> computedBySpark() throws Exception {
        if (bySpark == null) {
            Run spark = run(List.of(), SHORT);
            assertEquals(-1, spark.figure("ucx.bytesByGet"));
            bySpark = spark.computed();
        }
        return bySpark;
    }

    private static Run run(Class<?> program, List<String> options, List<String> arguments) throws Exception {
        return cluster.run(program, options, arguments);
    }

    /** The driver is the only executor, and has no block manager yet when plugins are initialized. */
    @Test
    void shouldComputeTheSameWithoutExecutors() throws Exception {
        List<String> options = new ArrayList<>(UCX);
        options.addAll(List.of("--master", "local[2]"));
        Run local = run(options, SHORT);
        assertEquals(computedBySpark(), local.computed());
        assertTrue(local.log().contains("Shuffle blocks use UCX, which finds "), local.log());
    }

    /**
     * Every byte that tasks read from other executors, according to Spark, came by UCX, and the results are
     * Spark's own.
     */
    @Test
    void shouldFetchAllByUcxAndComputeTheSame() throws Exception {
        Run ucx = run(UCX, SHORT);
        assertEquals(computedBySpark(), ucx.computed());
        assertTrue(ucx.figure("remoteBytes") > 5_000_000, ucx.log());
        assertEquals(
                ucx.figure("remoteBytes"), ucx.figure("ucx.bytesByGet") + ucx.figure("ucx.bytesInline"), ucx.log());
        assertEquals(0, ucx.figure("ucx.blocksBySpark"));
        assertEquals(0, ucx.figure("fetchFailures"));
        assertTrue(ucx.log().contains("Shuffle blocks use UCX, which finds "), ucx.log());
        assertTrue(ucx.log().contains(" over posix/memory"), ucx.log()); // the plugin has seen to that
    }

    /**
     * UCX notices, Spark computes the lost blocks again, and the result is the same. The system property {@code
     * isthmus.spark.kills} says how many times.
     */
    @Test
    void shouldRecomputeWhenAnExecutorDiesDuringTheReduce() throws Exception {
        int kills = Integer.getInteger("isthmus.spark.kills", 2);
        Run run = run(UCX, with(LONG, Integer.toString(kills)));
        for (int i = 0; i < kills; i++) {
            assertEquals(run.results().get("spread"), run.results().get("killed" + i), run.log());
        }
        assertTrue(run.figure("fetchFailures") > 0, run.log());
        assertTrue(run.log().contains(" has ended: UCX says "), run.log());
    }

    /** Messages are sealed with what Spark's processes know, and nothing else changes. */
    @Test
    void shouldFetchAllByUcxWhereSparkAuthenticates() throws Exception {
        Run ucx = run(
                with(
                        UCX,
                        "--conf",
                        "spark.authenticate=true",
                        "--conf",
                        "spark.authenticate.secret=" + "0123456789abcdef".repeat(4)),
                SHORT);
        assertEquals(computedBySpark(), ucx.computed());
        assertTrue(ucx.figure("remoteBytes") > 5_000_000, ucx.log());
        assertEquals(
                ucx.figure("remoteBytes"), ucx.figure("ucx.bytesByGet") + ucx.figure("ucx.bytesInline"), ucx.log());
        assertTrue(ucx.log().contains("sealing=true"), ucx.log());
    }

    @Test
    void shouldUseTcpWhereUserSaysSo() throws Exception {
        Run ucx = run(with(UCX, "--conf", "spark.isthmus.ucx.TLS=tcp,self"), SHORT);
        assertTrue(ucx.log().contains(" over tcp/"), ucx.log());
        assertEquals(ucx.figure("remoteBytes"), ucx.figure("ucx.transport.tcp.bytesReceived"));
        assertTrue(ucx.figure("ucx.transport.tcp.blocksReceived") > 0, ucx.log());
        assertTrue(ucx.figure("ucx.transport.tcp.bytesServed") > 0, ucx.log());
        assertEquals(ucx.figure("remoteBytes"), ucx.figure("ucx.bytesByGet") + ucx.figure("ucx.bytesInline"));
    }

    /** Spark's own web UI has a tab with a row for each executor. */
    @Test
    void shouldShowExecutorsInTheWebUi() throws Exception {
        Run ucx = run(
                TabProgram.class, with(UCX, "--conf", "spark.ui.enabled=true", "--conf", "spark.ui.port=0"), List.of());
        assertEquals("100", ucx.results().get("groups"));
        assertEquals("true", ucx.results().get("tabs"), ucx.log());
        String page = ucx.results().get("page");
        for (String executor : List.of("0", "1")) {
            assertTrue(page.contains("<td>" + executor + "</td><td>127.0.0.1</td><td>1 x posix/memory"), page);
        }
        assertFalse(page.contains("<b>TabProgram"), page);
    }

    /** A program that asks for encryption gets it or an error. */
    @Test
    void shouldLeaveAllToSparkWhereEncryptionIsConfigured() throws Exception {
        Run spark = run(with(UCX, "--conf", "spark.io.encryption.enabled=true"), SHORT);
        assertEquals(4, spark.computed().size());
        assertTrue(spark.figure("remoteBytes") > 0);
        assertEquals(-1, spark.figure("ucx.bytesByGet"));
        assertTrue(
                spark.log().contains("Shuffle blocks use Spark's own transfer: spark.io.encryption.enabled is true"),
                spark.log());
        assertFalse(spark.log().contains("Shuffle blocks use UCX"), spark.log());
    }

    /** Spark wants blocks of more than 64 KiB in files here, rather than of 200 MB. */
    @Test
    void shouldFetchLongBlocksToDisk() throws Exception {
        Run ucx = run(with(UCX, "--conf", "spark.network.maxRemoteBlockSizeFetchToMem=64k"), SHORT);
        assertEquals(computedBySpark(), ucx.computed());
        assertTrue(ucx.figure("ucx.bytesToFiles") > 5_000_000, ucx.log());
        assertEquals(
                ucx.figure("remoteBytes"), ucx.figure("ucx.bytesByGet") + ucx.figure("ucx.bytesInline"), ucx.log());
        assertEquals(0, ucx.figure("ucx.blocksBySpark"), ucx.log());
        assertEquals(0, ucx.figure("ucx.slicesOut"), ucx.log());
    }

    /** Each block of a reduce partition is longer than an array or a buffer can be. */
    @Test
    void shouldFetchBlocksOfMoreThanTwoGigabytes() throws Exception {
        Run run =
                run(HugeProgram.class, with(UCX, "--conf", "spark.shuffle.compress=false"), List.of("4400", "1", "2"));
        assertEquals("4400/0", run.results().get("records"), run.log());
        assertTrue(run.figure("ucx.bytesToFiles") > 1L << 31, run.log());
        assertEquals(0, run.figure("ucx.blocksBySpark"), run.log());
        assertEquals(0, run.figure("fetchFailures"), run.log());
    }

    /**
     * Of 256 MB, each executor may register 240. The system property {@code isthmus.spark.records} says how many records of
     * 1 MiB are shuffled.
     */
    @Test
    void shouldShuffleFarMoreThanMayBePinned() throws Exception {
        int records = Integer.getInteger("isthmus.spark.records", 600) / 12 * 12;
        Run run = run(
                HugeProgram.class,
                with(
                        UCX,
                        "--conf",
                        "spark.shuffle.compress=false",
                        "--conf",
                        "spark.isthmus.receivingBytes=160m",
                        "--conf",
                        "spark.isthmus.servingBytes=64m",
                        "--conf",
                        "spark.reducer.maxSizeInFlight=48m",
                        "--conf",
                        "spark.reducer.maxReqsInFlight=5"),
                List.of(Integer.toString(records), "12", "12"));
        assertEquals(records + "/0", run.results().get("records"), run.log());
        assertEquals(
                run.figure("remoteBytes"), run.figure("ucx.bytesByGet") + run.figure("ucx.bytesInline"), run.log());
        assertTrue(run.figure("remoteBytes") > records * 300_000L, run.log());
        assertTrue(run.figure("ucx.pinnedBytes") <= 512 << 20, run.log());
        assertEquals(0, run.figure("ucx.blocksBySpark"), run.log());
    }

    @Test
    void shouldFetchThousandsOfTinyBlocksInOneRequest() throws Exception {
        Run run = run(TinyProgram.class, UCX, List.of("2400"));
        assertEquals("4800", run.results().get("records"), run.log());
        assertTrue(run.figure("ucx.mostBlocksAsked") > 1000, run.log());
        assertEquals(0, run.figure("ucx.blocksBySpark"), run.log());
    }

    /** An executor here runs one task at a time, and fetches from one other. */
    @Test
    void shouldObeyLimitsOfReducers() throws Exception {
        Run run = run(
                TinyProgram.class, with(UCX, "--conf", "spark.reducer.maxBlocksInFlightPerAddress=7"), List.of("200"));
        assertEquals("400", run.results().get("records"), run.log());
        assertEquals(7, run.figure("ucx.mostBlocksAsked"), run.log());
        assertEquals(1, run.figure("ucx.mostRequestsAsked"), run.log());
    }

    /** Tasks are killed while they hold blocks, and have requested more. */
    @Test
    void shouldLeaveNothingPinnedWhenJobIsCancelled() throws Exception {
        Run run = run(CancelProgram.class, UCX, LONG);
        assertEquals("true", run.results().get("cancelled"), run.log());
        assertTrue(run.figure("held") > 0, run.log());
        assertEquals(0, run.figure("ucx.slicesOut"), run.log());
        assertEquals(0, run.figure("ucx.unpooledBytes"), run.log());
        assertEquals(run.results().get("before"), run.results().get("after"), run.log());
    }

    /** An executor that leaves gives its blocks to another; nothing is computed again, and they come by UCX. */
    @Test
    void shouldFetchFromWhereDecommissionedExecutorsPutBlocks() throws Exception {
        Run run = run(
                DecommissionProgram.class,
                with(
                        UCX,
                        "--conf",
                        "spark.dynamicAllocation.enabled=true",
                        "--conf",
                        "spark.dynamicAllocation.shuffleTracking.enabled=false",
                        "--conf",
                        "spark.dynamicAllocation.minExecutors=1",
                        "--conf",
                        "spark.dynamicAllocation.initialExecutors=2",
                        "--conf",
                        "spark.dynamicAllocation.maxExecutors=2",
                        "--conf",
                        "spark.dynamicAllocation.executorIdleTimeout=3s",
                        "--conf",
                        "spark.decommission.enabled=true",
                        "--conf",
                        "spark.storage.decommission.enabled=true",
                        "--conf",
                        "spark.storage.decommission.shuffleBlocks.enabled=true"),
                SHORT);
        assertEquals(run.results().get("before"), run.results().get("after"), run.log());
        assertEquals(8, run.figure("mapTasks"), run.log());
        assertEquals(0, run.figure("fetchFailures"), run.log());
        assertTrue(run.figure("remoteBytesAfter") > 0, run.log());
        assertEquals(0, run.figure("ucx.blocksBySpark"), run.log());
    }
}
