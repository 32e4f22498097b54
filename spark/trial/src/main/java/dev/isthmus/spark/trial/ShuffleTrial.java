// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.trial;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
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

    private static final int WARM_UP = 8; // an eighth of the data is shuffled before measuring begins

    private final JavaSparkContext spark;
    private final ReadListener reads = new ReadListener();
    private final Properties results = new Properties();

    private ShuffleTrial(JavaSparkContext spark) {
        this.spark = spark;
        spark.sc().addSparkListener(reads);
    }

    /**
     * Runs the program.
     *
     * @param args the file for the results, the bytes of each shuffle, and its number of partitions; 0 means twice the
     *     number of cores
     * @throws IOException if the file cannot be written
     * @throws SparkException if Spark gives up
     * @throws TimeoutException if Spark's events do not arrive
     */
    public static void main(String... args) throws IOException, SparkException, TimeoutException {
        if (args.length != 3) {
            throw new IllegalArgumentException("arguments: FILE BYTES PARTITIONS, as isthmus spark gives them");
        }
        long bytes = Long.parseLong(args[1]);
        int partitions = Integer.parseInt(args[2]);
        try (var spark = new JavaSparkContext(new SparkConf().setIfMissing("spark.app.name", "isthmus spark"))) {
            spark.parallelize(List.of(1), 1).count(); // waits until there is an executor
            var trial = new ShuffleTrial(spark);
            trial.run(bytes, partitions > 0 ? partitions : 2 * ClusterUsage.taskSlots(spark.sc()));
            try (BufferedWriter file = Files.newBufferedWriter(Path.of(args[0]))) {
                trial.results.store(file, null);
            }
        }
    }

    private void run(long bytes, int partitions) throws SparkException, TimeoutException {
        for (Workload workload : Workload.values()) {
            say("warming up: " + workload.title());
            workload.summary(workload.shuffled(pairs(workload, bytes / WARM_UP, partitions), partitions));
        }
        for (Workload workload : Workload.values()) {
            say("writing: " + workload.title());
            var shuffled = workload.shuffled(pairs(workload, bytes, partitions), partitions);
            spark.sc().submitMapStage(dependency(shuffled.rdd())).get(); // not measured: both ways write alike
            say("reading: " + workload.title());
            measure(workload, shuffled);
        }
        ClusterUsage last = ClusterUsage.measure(spark);
        results.setProperty("executors", "" + last.executors());
        results.setProperty("hosts", "" + last.hosts());
        results.setProperty("partitions", "" + partitions);
        results.setProperty("connections", String.join("; ", last.connections()));
        results.setProperty("spark", spark.version());
    }

    private JavaPairRDD<Long, byte[]> pairs(Workload workload, long bytes, int partitions) {
        return workload.pairs(spark, Math.max(1, bytes / Workload.RECORD_BYTES / partitions), partitions);
    }

    private <V> void measure(Workload workload, JavaPairRDD<Long, V> shuffled) throws TimeoutException {
        ClusterUsage before = ClusterUsage.measure(spark);
        reads.reset(spark.sc());
        long begin = System.nanoTime();
        String summary = workload.summary(shuffled);
        long nanos = System.nanoTime() - begin;
        ClusterUsage after = ClusterUsage.measure(spark);
        ReadListener.Sum sum = reads.sum(spark.sc());
        put(workload, "result", summary);
        put(workload, "bytes", sum.bytes());
        put(workload, "blocks", sum.blocks());
        put(workload, "waitMillis", sum.waitMillis());
        put(workload, "failures", sum.failures());
        put(workload, "nanos", nanos);
        put(workload, "processorNanos", after.processorNanosSince(before));
        put(workload, "ucxBytes", after.ucxBytesSince(before));
    }

    private void put(Workload workload, String name, Object value) {
        results.setProperty(workload.title() + "." + name, value.toString());
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

    /** Tells the program that started this one, which reads standard output. */
    private static void say(String what) {
        System.out.println("trial: " + what);
    }
}
