// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.trial;

import java.io.Serializable;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** What {@link ShuffleTrial} lets Spark do, with records of random bytes, which cannot be compressed. */
enum Workload {
    /** Sorts by key, over all partitions. */
    SORT {
        @Override
        JavaPairRDD<Long, ?> shuffled(JavaPairRDD<Long, byte[]> pairs, int partitions) {
            return pairs.sortByKey(true, partitions);
        }

        @Override
        long key(long random, long records) {
            return random;
        }
    },
    /** Groups the values of each key; a key has a hundred on average. */
    GROUP {
        @Override
        JavaPairRDD<Long, ?> shuffled(JavaPairRDD<Long, byte[]> pairs, int partitions) {
            return pairs.groupByKey(partitions);
        }

        @Override
        long key(long random, long records) {
            return Math.floorMod(random, Math.max(1, records / GROUP_SIZE));
        }
    };

    /** The bytes of a value; a key has 8 more. */
    static final int RECORD_BYTES = 1024;

    private static final int GROUP_SIZE = 100;

    /** The result of a partition: the number of records, their checksum, and the first and last key. */
    private record Part(long records, long sum, long first, long last) implements Serializable {}

    abstract JavaPairRDD<Long, ?> shuffled(JavaPairRDD<Long, byte[]> pairs, int partitions);

    abstract long key(long random, long records);

    String title() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Records of random bytes, the same ones each time. */
    JavaPairRDD<Long, byte[]> pairs(JavaSparkContext spark, long recordsEach, int partitions) {
        long records = recordsEach * partitions;
        List<Integer> seeds = IntStream.range(0, partitions).boxed().toList();
        return spark.parallelize(seeds, partitions).flatMapToPair(seed -> {
            var random = new SplittableRandom(seed);
            return LongStream.range(0, recordsEach)
                    .mapToObj(_ -> {
                        byte[] value = new byte[RECORD_BYTES];
                        random.nextBytes(value);
                        return new Tuple2<>(key(random.nextLong(), records), value);
                    })
                    .iterator();
        });
    }

    /**
     * Reads everything, and describes it. The text does not depend on the transfer, nor on the order of a
     * group's values.
     */
    String summary(JavaPairRDD<Long, ?> shuffled) {
        boolean inOrder = this == SORT;
        List<Part> parts = shuffled.mapPartitions(
                        pairs -> List.of(part(pairs, inOrder)).iterator())
                .collect();
        long records = 0;
        long sum = 0;
        long before = Long.MIN_VALUE;
        for (Part part : parts) {
            if (inOrder && part.records > 0) {
                check(before, part.first);
                before = part.last;
            }
            records += part.records;
            sum += part.sum;
        }
        return records + " records, checksum " + Long.toHexString(sum);
    }

    private static Part part(Iterator<? extends Tuple2<Long, ?>> pairs, boolean inOrder) {
        long records = 0;
        long sum = 0;
        long first = 0;
        long before = Long.MIN_VALUE;
        while (pairs.hasNext()) {
            Tuple2<Long, ?> pair = pairs.next();
            if (inOrder) {
                check(before, pair._1());
            }
            first = before == Long.MIN_VALUE ? pair._1() : first;
            before = pair._1();
            long content = 0;
            if (pair._2() instanceof byte[] value) {
                content = Arrays.hashCode(value);
                records++;
            } else {
                for (Object value : (Iterable<?>) pair._2()) {
                    content += 31L * Arrays.hashCode((byte[]) value);
                    records++;
                }
            }
            sum += mix(pair._1() ^ mix(content)); // so a value under another key changes the sum
        }
        return new Part(records, sum, first, before);
    }

    private static void check(long before, long next) {
        if (next < before) {
            throw new IllegalStateException("the shuffle is wrong: key " + next + " comes after " + before);
        }
    }

    private static long mix(long bits) {
        long mixed = (bits ^ (bits >>> 32)) * 0x9e3779b97f4a7c15L;
        return mixed ^ (mixed >>> 29);
    }
}
