// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.trial;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * A program for {@code spark-submit}, like {@link ShuffleTrial}: it measures each {@link Query} over {@link QueryTables}.
 */
public final class QueryTrial {

    private static final String SHUFFLE_PARTITIONS = "spark.sql.shuffle.partitions";
    private static final int WARM_UP = 8; // every query runs first with an eighth of the rows
    private static final long PART_BYTES = 4 << 20; // at scale 1; with Spark's 64 MB nothing would be split
    private static final long LEAST_PART_BYTES = 64 << 10;

    private QueryTrial() {}

    /**
     * Runs the program.
     *
     * @param args the file for the results, the scale, and the number of partitions; 0 means Spark's own choice
     * @throws IOException if the file cannot be written
     * @throws TimeoutException if Spark's events do not arrive
     */
    public static void main(String... args) throws IOException, TimeoutException {
        if (args.length != 3) {
            throw new IllegalArgumentException("arguments: FILE SCALE PARTITIONS, as isthmus spark gives them");
        }
        double scale = Double.parseDouble(args[1]);
        long partBytes = Math.max(LEAST_PART_BYTES, (long) (scale * PART_BYTES));
        var conf = new SparkConf()
                .setIfMissing("spark.app.name", "isthmus spark")
                .set("spark.sql.datetime.java8API.enabled", "true") // the older one opens packages of the JDK
                .setIfMissing("spark.sql.autoBroadcastJoinThreshold", "-1") // rows are to be shuffled
                .setIfMissing("spark.sql.adaptive.advisoryPartitionSizeInBytes", "" + partBytes)
                .setIfMissing("spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes", "" + 2 * partBytes);
        if (!args[2].equals("0")) {
            conf.set(SHUFFLE_PARTITIONS, args[2]);
        }
        try (SparkSession session = SparkSession.builder().config(conf).getOrCreate()) {
            var spark = new JavaSparkContext(session.sparkContext());
            spark.parallelize(List.of(1), 1).count(); // waits until there is an executor
            int tasks = 2 * ClusterUsage.taskSlots(spark.sc());
            var measurements = new Measurements(spark);
            QueryTables.create(session, scale / WARM_UP, tasks);
            for (Query query : Query.values()) {
                Measurements.say("warming up: " + query.title());
                session.sql(query.text()).collectAsList();
            }
            QueryTables.create(session, scale, tasks);
            for (Query query : Query.values()) {
                Measurements.say("running: " + query.title());
                measurements.measure(
                        query.title(),
                        1,
                        () -> summary(session.sql(query.text()).collectAsList()));
            }
            measurements.write(Path.of(args[0]), session.conf().get(SHUFFLE_PARTITIONS));
        }
    }

    /** The same for the same rows, in whatever order. */
    private static String summary(List<Row> rows) {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // never: every Java has it
        }
        rows.stream().map(row -> row + "\n").sorted().forEach(line -> digest.update(line.getBytes(UTF_8)));
        return rows.size() + " rows, SHA-256 " + HexFormat.of().formatHex(digest.digest());
    }
}
