// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.trial;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;

/**
 * A program for {@code spark-submit}. It sorts and groups records of random bytes, checks the result, and writes the
 * cost of each shuffle's read side to a file. It does not know how its blocks are fetched: {@code isthmus spark} runs
 * it with Spark's own shuffle and with UCX.
 */
public final class ShuffleTrial {

    private final JavaSparkContext spark;
    private final Measurements measurements;

    private ShuffleTrial(JavaSparkContext spark) {
        this.spark = spark;
        this.measurements = new Measurements(spark);
    }

    /**
     * Runs the program.
     *
     * @param args the file for the results, the bytes of each shuffle, those of the shuffles of each kind that do not
     *     count, how often each is read, and the number of partitions; 0 means twice the number of cores
     * @throws IOException if the file cannot be written
     * @throws SparkException if Spark gives up
     * @throws TimeoutException if Spark's events do not arrive
     */
    public static void main(String... args) throws IOException, SparkException, TimeoutException {
        if (args.length != 5) {
            throw new IllegalArgumentException(
                    "arguments: FILE BYTES WARM-UP-BYTES READINGS PARTITIONS, as isthmus spark gives them");
        }
        long bytes = Long.parseLong(args[1]);
        long warmUpBytes = Long.parseLong(args[2]);
        int readings = Integer.parseInt(args[3]);
        int partitions = Integer.parseInt(args[4]);
        try (var spark = new JavaSparkContext(new SparkConf().setIfMissing("spark.app.name", "isthmus spark"))) {
            spark.parallelize(List.of(1), 1).count(); // waits until there is an executor
            var trial = new ShuffleTrial(spark);
            int all = partitions > 0 ? partitions : 2 * ClusterUsage.taskSlots(spark.sc());
            trial.warmUp(bytes, warmUpBytes, all);
            trial.run(bytes, readings, all);
            trial.measurements.write(Path.of(args[0]), "" + all);
        }
    }

    /** Afterwards the memory for received blocks, of either way, has been used, and what runs often is compiled. */
    private void warmUp(long bytes, long warmUpBytes, int partitions) {
        for (long left = warmUpBytes; left > 0; left -= bytes) {
            for (Workload workload : Workload.values()) {
                Measurements.say("warming up: " + workload.title());
                workload.summary(workload.shuffled(pairs(workload, Math.min(bytes, left), partitions), partitions));
            }
        }
    }

    private void run(long bytes, int readings, int partitions) throws SparkException, TimeoutException {
        for (Workload workload : Workload.values()) {
            Measurements.say("writing: " + workload.title());
            var shuffled = workload.shuffled(pairs(workload, bytes, partitions), partitions);
            spark.sc().submitMapStage(dependency(shuffled.rdd())).get(); // not measured: both ways write alike
            Measurements.say("reading: " + workload.title());
            measurements.measure(workload.title(), readings, () -> workload.summary(shuffled));
        }
    }

    private JavaPairRDD<Long, byte[]> pairs(Workload workload, long bytes, int partitions) {
        return workload.pairs(spark, Math.max(1, bytes / Workload.RECORD_BYTES / partitions), partitions);
    }

    /** The nearest shuffle upstream. */
    private static ShuffleDependency<?, ?, ?> dependency(RDD<?> rdd) {
        RDD<?> at = rdd;
        while (true) {
            var first = at.dependencies().head();
            if (first instanceof ShuffleDependency<?, ?, ?> shuffle) {
                return shuffle;
            }
            at = first.rdd();
        }
    }
}
