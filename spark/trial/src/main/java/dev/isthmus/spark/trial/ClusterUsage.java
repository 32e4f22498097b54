// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.trial;

import dev.isthmus.spark.UcxShufflePlugin;
import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
record ClusterUsage(Map<String, ExecutorUsage> entries) {

    /** The entry of one executor. */
    record ExecutorUsage(String executor, String host, long processorNanos, long ucxBytes, String connections)
            implements Serializable {

        static ExecutorUsage here() {
            var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
            Map<String, Long> figures = UcxShufflePlugin.figures();
            return new ExecutorUsage(
                    SparkEnv.get().executorId(),
                    SparkEnv.get().blockManager().blockManagerId().host(),
                    system.getProcessCpuTime(),
                    Stream.of("bytesInline", "bytesByGet", "verbs.bytesRead")
                            .mapToLong(name -> figures.getOrDefault(name, 0L))
                            .sum(),
                    UcxShufflePlugin.connections());
        }
    }

    /** How many task slots there are. */
    static int taskSlots(SparkContext spark) {
        return spark.maxNumConcurrentTasks(spark.resourceProfileManager().defaultResourceProfile());
    }

    static ClusterUsage measure(JavaSparkContext spark) {
        int places = taskSlots(spark.sc());
        ClassTag<ExecutorUsage> type = ClassTag$.MODULE$.apply(ExecutorUsage.class);
        var ask = (Function1<Iterator<Integer>, Iterator<ExecutorUsage>> & Serializable)
                _ -> scala.collection.Iterator$.MODULE$.single(ExecutorUsage.here());
        var stage = spark.parallelize(Collections.nCopies(places, 0), places)
                .rdd()
                .barrier()
                .mapPartitions(ask, false, type);
        List<ExecutorUsage> answers = JavaRDD.fromRDD(stage, type).collect();
        var entries = new TreeMap<String, ExecutorUsage>();
        answers.forEach(
                one -> entries.merge(one.executor(), one, (a, b) -> a.processorNanos() > b.processorNanos() ? a : b));
        return new ClusterUsage(entries);
    }

    int executors() {
        return entries.size();
    }

    int hosts() {
        return entries.values().stream()
                .map(ExecutorUsage::host)
                .collect(Collectors.toSet())
                .size();
    }

    /** The number of connections of each kind, over all executors. */
    Collection<String> connections() {
        return entries.values().stream()
                .map(ExecutorUsage::connections)
                .filter(text -> !text.isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    long processorNanosSince(ClusterUsage before) {
        return entries.values().stream()
                .mapToLong(
                        now -> now.processorNanos() - before.of(now.executor()).processorNanos())
                .sum();
    }

    long ucxBytesSince(ClusterUsage before) {
        return entries.values().stream()
                .mapToLong(now -> now.ucxBytes() - before.of(now.executor()).ucxBytes())
                .sum();
    }

    private ExecutorUsage of(String executor) {
        return entries.getOrDefault(executor, new ExecutorUsage(executor, "", 0, 0, ""));
    }
}
