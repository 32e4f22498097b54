// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Function1;
import scala.collection.Iterator;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * What each executor has used and moved so far. To reach every executor, it runs a stage with one task for each task
 * slot; all of them start at once.
 */
final class Census {

    /** The entry of one executor. */
    record Entry(String executor, String host, long processorNanos, long ucxBytes, String connections)
            implements Serializable {

        static Entry here() {
            var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
            UcxExecutor ucx = UcxExecutor.current();
            Map<String, Long> figures = ucx == null ? Map.of() : ucx.figures();
            return new Entry(
                    SparkEnv.get().executorId(),
                    SparkEnv.get().blockManager().blockManagerId().host(),
                    system.getProcessCpuTime(),
                    figures.getOrDefault("bytesInline", 0L) + figures.getOrDefault("bytesByGet", 0L),
                    ucx == null ? "" : ucx.connections());
        }
    }

    private final Map<String, Entry> entries;

    private Census(Map<String, Entry> entries) {
        this.entries = entries;
    }

    /** How many task slots there are. */
    static int places(SparkContext spark) {
        return spark.maxNumConcurrentTasks(spark.resourceProfileManager().defaultResourceProfile());
    }

    static Census take(JavaSparkContext spark) {
        int places = places(spark.sc());
        ClassTag<Entry> type = ClassTag$.MODULE$.apply(Entry.class);
        var ask = (Function1<Iterator<Integer>, Iterator<Entry>> & Serializable)
                _ -> scala.collection.Iterator$.MODULE$.single(Entry.here());
        var stage = spark.parallelize(Collections.nCopies(places, 0), places)
                .rdd()
                .barrier()
                .mapPartitions(ask, false, type);
        List<Entry> answers = JavaRDD.fromRDD(stage, type).collect();
        var entries = new TreeMap<String, Entry>();
        answers.forEach(
                one -> entries.merge(one.executor(), one, (a, b) -> a.processorNanos() > b.processorNanos() ? a : b));
        return new Census(entries);
    }

    int executors() {
        return entries.size();
    }

    int hosts() {
        return entries.values().stream()
                .map(Entry::host)
                .collect(Collectors.toSet())
                .size();
    }

    /** The number of connections of each kind, over all executors. */
    Collection<String> connections() {
        return entries.values().stream()
                .map(Entry::connections)
                .filter(text -> !text.isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    long processorNanosSince(Census before) {
        return entries.values().stream()
                .mapToLong(
                        now -> now.processorNanos() - before.of(now.executor()).processorNanos())
                .sum();
    }

    long ucxBytesSince(Census before) {
        return entries.values().stream()
                .mapToLong(now -> now.ucxBytes() - before.of(now.executor()).ucxBytes())
                .sum();
    }

    private Entry of(String executor) {
        return entries.getOrDefault(executor, new Entry(executor, "", 0, 0, ""));
    }
}
