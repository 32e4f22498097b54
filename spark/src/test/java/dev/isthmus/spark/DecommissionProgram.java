// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * A program for Spark that waits, between two uses of a shuffle, until the executor that is idle has been decommissioned, and
 * then until another has come.
 */
public final class DecommissionProgram {

    private DecommissionProgram() {}

    /**
     * Runs it; prints the result of each use, and what was read from other executors after the first.
     *
     * @param args how many records, and how long their values are
     */
    public static void main(String... args) throws Exception {
        try (var spark = new JavaSparkContext(new SparkConf().setAppName("DecommissionProgram"))) {
            ShuffleProgram.awaitExecutors(spark, 2);
            var reads = ShuffleProgram.Reads.of(spark);
            JavaPairRDD<Integer, byte[]> spread = ShuffleProgram.pairs(
                            spark, Integer.parseInt(args[0]), Integer.parseInt(args[1]))
                    .partitionBy(new HashPartitioner(16));
            ShuffleProgram.print("before", sum(spread));
            ShuffleProgram.awaitExecutors(spark, 1);
            var busy = spark.parallelize(Collections.nCopies(40, 0), 40)
                    .foreachAsync(none ->
                            Thread.sleep(500)); // more than one executor should do, so that Spark starts another
            ShuffleProgram.awaitExecutors(spark, 2);
            busy.get();
            spark.sc().listenerBus().waitUntilEmpty();
            long before = reads.remoteBytes.get();
            ShuffleProgram.print("after", sum(spread));
            spark.sc().listenerBus().waitUntilEmpty();
            ShuffleProgram.print("remoteBytesAfter", reads.remoteBytes.get() - before);
            ShuffleProgram.printFigures(spark, reads);
        }
    }

    private static String sum(JavaPairRDD<Integer, byte[]> pairs) {
        List<Long> sums = new ArrayList<>(pairs.mapPartitions(values -> {
                    long sum = 0;
                    while (values.hasNext()) {
                        var value = values.next();
                        sum += ShuffleProgram.hash(value._1(), value._2());
                    }
                    return List.of(sum).iterator();
                })
                .collect());
        Collections.sort(sums);
        return Integer.toHexString(sums.hashCode());
    }
}
