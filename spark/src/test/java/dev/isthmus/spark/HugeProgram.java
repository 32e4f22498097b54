// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/**
 * A program for Spark that shuffles records of 1 MiB. With one map task and two reduce tasks, one of which runs elsewhere, a
 * block is half of all.
 */
public final class HugeProgram {

    private static final int RECORD = 1 << 20;

    private HugeProgram() {}

    /**
     * Runs it; prints how many records came, and how many of them were wrong.
     *
     * @param args how many records, how many map tasks, and how many reduce tasks
     */
    public static void main(String... args) throws TimeoutException, InterruptedException {
        int maps = Integer.parseInt(args[1]);
        int each = Integer.parseInt(args[0]) / maps;
        int reduces = Integer.parseInt(args[2]);
        try (var spark = new JavaSparkContext(new SparkConf().setAppName("HugeProgram"))) {
            ShuffleProgram.awaitExecutors(spark, 2);
            var reads = ShuffleProgram.Reads.of(spark);
            List<Integer> numbers = IntStream.range(0, maps).boxed().toList();
            List<Tuple2<Long, Long>> counts = spark.parallelize(new ArrayList<>(numbers), maps)
                    .flatMapToPair(map -> IntStream.range(map * each, (map + 1) * each)
                            .mapToObj(i -> new Tuple2<>(i, record(i)))
                            .iterator())
                    .partitionBy(new HashPartitioner(reduces))
                    .mapPartitions(values -> {
                        long right = 0;
                        long wrong = 0;
                        while (values.hasNext()) {
                            Tuple2<Integer, byte[]> value = values.next();
                            boolean same = ByteBuffer.wrap(value._2())
                                    .equals(ByteBuffer.wrap(record(value._1()))); // vectorized
                            right += same ? 1 : 0;
                            wrong += same ? 0 : 1;
                        }
                        return List.of(new Tuple2<>(right, wrong)).iterator();
                    })
                    .collect();
            ShuffleProgram.print(
                    "records",
                    counts.stream().mapToLong(Tuple2::_1).sum() + "/"
                            + counts.stream().mapToLong(Tuple2::_2).sum());
            ShuffleProgram.printFigures(spark, reads);
        }
    }

    /** Follows from its number alone. */
    private static byte[] record(int number) {
        byte[] bytes = new byte[RECORD];
        ByteBuffer longs = ByteBuffer.wrap(bytes);
        for (int i = 0; i < RECORD; i += 4096) {
            longs.putLong(i, number * 0x9e3779b97f4a7c15L + i);
        }
        return bytes;
    }
}
