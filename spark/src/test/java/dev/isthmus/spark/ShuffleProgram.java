// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import com.codahale.metrics.Gauge;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.FetchFailed;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import scala.Tuple2;

/**
 * A program for Spark that does not know how its blocks are fetched: sorts, groups and sums, and prints a checksum of
 * each result. If asked to, it kills an executor in the middle of a reduce stage, any number of times.
 */
public final class ShuffleProgram {

    private static final int MAPS = 8;

    private ShuffleProgram() {}

    /** What tasks of the running stage have read from other executors. */
    static final class Reads extends SparkListener {
        final AtomicLong remoteBytes = new AtomicLong();
        final AtomicLong fetchFailures = new AtomicLong();
        final AtomicLong mapTasks = new AtomicLong();

        static Reads of(JavaSparkContext spark) {
            var reads = new Reads();
            spark.sc().addSparkListener(reads);
            return reads;
        }

        @Override
        public void onTaskEnd(SparkListenerTaskEnd end) {
            if (end.taskType().equals("ShuffleMapTask")) {
                mapTasks.incrementAndGet();
            }
            if (end.reason() instanceof FetchFailed) {
                fetchFailures.incrementAndGet();
            }
            if (end.taskMetrics() != null) {
                remoteBytes.addAndGet(end.taskMetrics().shuffleReadMetrics().remoteBytesRead());
            }
        }
    }

    /**
     * Runs it.
     *
     * @param args how many records, how long their values are, and how often an executor is to be killed
     */
    public static void main(String... args) throws IOException, TimeoutException, InterruptedException {
        int records = Integer.parseInt(args[0]);
        int length = Integer.parseInt(args[1]);
        int kills = args.length > 2 ? Integer.parseInt(args[2]) : 0;
        try (var spark = new JavaSparkContext(new SparkConf().setAppName("ShuffleProgram"))) {
            var reads = Reads.of(spark);
            JavaPairRDD<Integer, byte[]> pairs = pairs(spark, records, length);
            print("sorted", sorted(pairs));
            print("summed", summed(pairs));
            print("grouped", grouped(pairs));
            print("spread", spread(pairs, 0));
            for (int i = 0; i < kills; i++) {
                awaitExecutors(spark, 2);
                try (var meeting = Meeting.open()) {
                    print("killed" + i, spread(pairs, meeting.port()));
                }
            }
            printFigures(spark, reads);
        }
    }

    /** Waits until there are this many executors, because a new one comes for each that dies. */
    static void awaitExecutors(JavaSparkContext spark, int count) throws InterruptedException {
        long end = System.nanoTime() + 120_000_000_000L;
        while (spark.sc().getExecutorMemoryStatus().size() != count + 1) { // and the driver
            if (System.nanoTime() > end) {
                throw new AssertionError("there are " + spark.sc().getExecutorMemoryStatus());
            }
            Thread.sleep(50);
        }
    }

    static void printFigures(JavaSparkContext spark, Reads reads) throws TimeoutException {
        Map<String, Long> figures = figures(spark);
        spark.sc().listenerBus().waitUntilEmpty();
        print("remoteBytes", reads.remoteBytes.get());
        print("fetchFailures", reads.fetchFailures.get());
        print("mapTasks", reads.mapTasks.get());
        figures.forEach((name, value) -> print("ucx." + name, value));
    }

    static void print(String what, Object value) {
        System.out.println("RESULT " + what + "=" + value);
    }

    static JavaPairRDD<Integer, byte[]> pairs(JavaSparkContext spark, int records, int length) {
        var numbers = new ArrayList<Integer>(records);
        for (int i = 0; i < records; i++) {
            numbers.add(i);
        }
        return spark.parallelize(numbers, MAPS).mapToPair(i -> {
            byte[] value = new byte[length];
            new Random(i).nextBytes(value); // which cannot be compressed
            return new Tuple2<>(Math.floorMod(i * 0x9e3779b1, 1000), value);
        });
    }

    static long hash(int key, byte[] value) {
        return 31L * key + Arrays.hashCode(value);
    }

    /** Keys in their order over all partitions; values of equal keys come in any order. */
    private static String sorted(JavaPairRDD<Integer, byte[]> pairs) {
        List<Tuple2<Integer, Long>> sorted = pairs.sortByKey(true, 5)
                .map(pair -> new Tuple2<>(pair._1(), hash(pair._1(), pair._2())))
                .collect();
        long sum = 0;
        int before = -1;
        for (Tuple2<Integer, Long> pair : sorted) {
            if (pair._1() < before) {
                throw new AssertionError(pair._1() + " after " + before);
            }
            before = pair._1();
            sum += pair._2() * (pair._1() + 1);
        }
        return sorted.size() + "/" + Long.toHexString(sum);
    }

    private static String summed(JavaPairRDD<Integer, byte[]> pairs) {
        Map<Integer, Long> sums =
                new TreeMap<>(pairs.mapToPair(pair -> new Tuple2<>(pair._1(), hash(pair._1(), pair._2())))
                        .reduceByKey((a, b) -> a + b, 7)
                        .collectAsMap());
        return Integer.toHexString(sums.hashCode());
    }

    private static String grouped(JavaPairRDD<Integer, byte[]> pairs) {
        List<Long> sums = new ArrayList<>(pairs.groupByKey(4)
                .map(group -> {
                    long sum = 0;
                    for (byte[] value : group._2()) {
                        sum += hash(group._1(), value);
                    }
                    return sum;
                })
                .collect());
        Collections.sort(sums);
        return Integer.toHexString(sums.hashCode());
    }

    /** Values one by one: a task has read a few blocks when it sees the first value, and goes on fetching. */
    static String spread(JavaPairRDD<Integer, byte[]> pairs, int port) {
        List<Long> sums = new ArrayList<>(pairs.partitionBy(new HashPartitioner(4))
                .mapPartitions(values -> {
                    var _ = values.hasNext(); // the first block has come
                    if (port > 0 && TaskContext.get().stageAttemptNumber() == 0) {
                        Meeting.attend(port, SparkEnv.get().executorId());
                    }
                    long sum = 0;
                    while (values.hasNext()) {
                        Tuple2<Integer, byte[]> value = values.next();
                        sum += hash(value._1(), value._2());
                    }
                    return List.of(sum).iterator();
                })
                .collect());
        Collections.sort(sums);
        return Integer.toHexString(sums.hashCode());
    }

    /** Figures of all executors together, from Spark's metric system; maximums stay maximums. */
    static Map<String, Long> figures(JavaSparkContext spark) {
        var all = new TreeMap<String, Long>();
        spark.parallelize(Collections.nCopies(64, 0), 64).mapPartitions(none -> ofExecutor()).collect().stream()
                .distinct()
                .forEach(figure ->
                        all.merge(figure.name, figure.value, figure.name.startsWith("most") ? Long::max : Long::sum));
        return all;
    }

    /** A figure of an executor. */
    private record Figure(String executor, String name, long value) implements Serializable {}

    private static Iterator<Figure> ofExecutor() {
        return figuresHere().iterator();
    }

    /** A figure of the executor in which the task runs. */
    static long figureHere(String name) {
        return figuresHere().stream()
                .filter(figure -> figure.name.equals(name))
                .mapToLong(Figure::value)
                .sum();
    }

    private static List<Figure> figuresHere() {
        var figures = new ArrayList<Figure>();
        var sources = SparkEnv.get().metricsSystem().getSourcesByName("plugin.dev.isthmus.spark.UcxShufflePlugin");
        sources.foreach(source -> {
            source.metricRegistry()
                    .getGauges()
                    .forEach((name, gauge) -> figures.add(new Figure(
                            SparkEnv.get().executorId(), name, ((Number) ((Gauge<?>) gauge).getValue()).longValue())));
            return null;
        });
        return figures;
    }
}
