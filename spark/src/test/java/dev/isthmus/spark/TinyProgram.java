// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** A program for Spark with many map tasks, each of which has one short record for each of two reduce tasks. */
public final class TinyProgram {

    private TinyProgram() {}

    /**
     * Runs it; prints how many records came.
     *
     * @param args how many map tasks
     */
    public static void main(String... args) throws TimeoutException, InterruptedException {
        int maps = Integer.parseInt(args[0]);
        var numbers = new ArrayList<Integer>();
        for (int i = 0; i < maps; i++) {
            numbers.add(i);
        }
        try (var spark = new JavaSparkContext(new SparkConf().setAppName("TinyProgram"))) {
            ShuffleProgram.awaitExecutors(spark, 2);
            var reads = ShuffleProgram.Reads.of(spark);
            JavaPairRDD<Integer, Integer> pairs = spark.parallelize(numbers, maps)
                    .flatMapToPair(
                            i -> List.of(new Tuple2<>(0, i), new Tuple2<>(1, i)).iterator())
                    .partitionBy(new HashPartitioner(2));
            ShuffleProgram.print("records", pairs.count());
            ShuffleProgram.printFigures(spark, reads);
        }
    }
}
