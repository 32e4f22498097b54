// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.trial;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.apache.spark.api.java.JavaSparkContext;

/** What a program has measured, for {@code isthmus spark}. */
final class Measurements {

    private final JavaSparkContext spark;
    private final ReadListener reads = new ReadListener();
    private final Properties results = new Properties();
    private final List<String> titles = new ArrayList<>();

    Measurements(JavaSparkContext spark) {
        this.spark = spark;
        spark.sc().addSparkListener(reads);
    }

    /** Measures several times what returns a text that does not depend on how blocks are fetched. */
    void measure(String title, int times, Supplier<String> work) throws TimeoutException {
        titles.add(title);
        for (int time = 0; time < times; time++) {
            measure(title, work);
        }
    }

    private void measure(String title, Supplier<String> work) throws TimeoutException {
        ClusterUsage before = ClusterUsage.measure(spark);
        reads.reset(spark.sc());
        long begin = System.nanoTime();
        String result = work.get();
        long nanos = System.nanoTime() - begin;
        ReadListener.Sum sum = reads.sum(spark.sc());
        ClusterUsage after = ClusterUsage.measure(spark);
        Object earlier = results.setProperty(title + ".result", result);
        if (earlier != null && !earlier.equals(result)) {
            throw new IllegalStateException(title + " gave " + earlier + ", and then " + result);
        }
        put(title, "bytes", sum.bytes());
        put(title, "blocks", sum.blocks());
        put(title, "waitMillis", sum.waitMillis());
        put(title, "failures", sum.failures());
        put(title, "merged", sum.merged());
        put(title, "split", sum.split());
        put(title, "nanos", nanos);
        put(title, "processorNanos", after.processorNanosSince(before));
        put(title, "ucxBytes", after.ucxBytesSince(before));
    }

    /** Adds a value to those of earlier times. */
    private void put(String title, String name, Object value) {
        results.merge(title + "." + name, value.toString(), (earlier, now) -> earlier + " " + now);
    }

    void write(Path file, String partitions) throws IOException {
        ClusterUsage last = ClusterUsage.measure(spark);
        results.setProperty("titles", String.join(" ", titles));
        results.setProperty("executors", "" + last.executors());
        results.setProperty("hosts", "" + last.hosts());
        results.setProperty("partitions", partitions);
        results.setProperty("connections", String.join("; ", last.connections()));
        results.setProperty("spark", spark.version());
        try (BufferedWriter writer = Files.newBufferedWriter(file)) {
            results.store(writer, null);
        }
    }

    /** Tells the program that started this one, which reads standard output. */
    static void say(String what) {
        System.out.println("trial: " + what);
    }
}
