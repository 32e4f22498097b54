// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.spark;

import dev.isthmus.perf.common.ByteSize;
import dev.isthmus.perf.common.Median;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The report for people. */
record SparkTable(List<Trial> trials) {

    private static final String LINE = "%-7s %-6s %11s %9s %8s %12s %12s %10s%n";

    SparkTable {
        trials = List.copyOf(trials);
    }

    /** Whether all results agree, and UCX was used where it should be. */
    boolean isGood() {
        return isSame() && isByUcx() && isFetched();
    }

    /** Whether blocks went from one executor to another at all. */
    private boolean isFetched() {
        return trials.stream()
                .anyMatch(trial -> titles().stream().anyMatch(shuffle -> trial.number(shuffle + ".bytes") > 0));
    }

    private List<String> titles() {
        return trials.getFirst().titles();
    }

    private boolean isSame() {
        return titles().stream().allMatch(shuffle -> results(shuffle).size() == 1);
    }

    /** The results of a shuffle: a single text if all is well. */
    private Set<String> results(String shuffle) {
        return trials.stream()
                .map(trial -> trial.text(shuffle + ".result"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** It is no failure if a block sometimes uses Spark's transfer, but it is one if none uses UCX. */
    private boolean isByUcx() {
        return of(ShuffleWay.UCX).stream()
                .allMatch(trial -> titles().stream()
                        .allMatch(shuffle ->
                                trial.number(shuffle + ".bytes") == 0 || trial.number(shuffle + ".ucxBytes") > 0));
    }

    private List<Trial> of(ShuffleWay way) {
        return trials.stream().filter(trial -> trial.way() == way).toList();
    }

    String format(boolean oneMachine, Path jar) {
        var out = new StringBuilder();
        out.append(String.format(
                Locale.ROOT, LINE, "", "", "bytes", "blocks", "by UCX", "fetch wait", "processor", "time"));
        for (String shuffle : titles()) {
            for (ShuffleWay way : ShuffleWay.values()) {
                out.append(line(shuffle, way));
            }
        }
        Trial first = trials.getFirst();
        out.append(String.format(
                Locale.ROOT,
                "%nSpark %s, executors: %s, hosts: %s, partitions: %s. Medians of %s each way.%n",
                first.text("spark"),
                first.text("executors"),
                first.text("hosts"),
                first.text("partitions"),
                times()));
        out.append("""
            bytes, blocks  what tasks read from other executors; by UCX: how much of that, also over verbs
            fetch wait     how long tasks waited for blocks, all tasks together
            processor      processor time of the executors while the shuffle was read or the query ran, all threads together
            time           how long the job took that read the shuffle, or the query
            """);
        out.append(adaptive("merged", "split"));
        out.append(String.format(Locale.ROOT, "connections    %s%n", connections()));
        out.append(verdict(oneMachine, jar));
        return out.toString();
    }

    private String times() {
        long runs = of(ShuffleWay.SPARK).size();
        long times = trials.getFirst().numbers(titles().getFirst() + ".nanos").count();
        return runs + " runs" + (times > 1 ? ", each of which reads " + times + " times," : "");
    }

    private String line(String shuffle, ShuffleWay way) {
        double bytes = median(shuffle + ".bytes", way);
        String byUcx = way == ShuffleWay.SPARK || bytes == 0
                ? "-"
                : String.format(Locale.ROOT, "%.1f %%", 100 * median(shuffle + ".ucxBytes", way) / bytes);
        return String.format(
                Locale.ROOT,
                LINE,
                way == ShuffleWay.SPARK ? shuffle : "",
                way.title(),
                ByteSize.format(bytes),
                String.format(Locale.ROOT, "%.0f", median(shuffle + ".blocks", way)),
                byUcx,
                seconds(median(shuffle + ".waitMillis", way) / 1e3),
                seconds(median(shuffle + ".processorNanos", way) / 1e9),
                seconds(median(shuffle + ".nanos", way) / 1e9));
    }

    private static String seconds(double seconds) {
        return String.format(Locale.ROOT, "%.2f s", seconds);
    }

    private double median(String name, ShuffleWay way) {
        return Median.of(
                of(way).stream().flatMapToLong(trial -> trial.numbers(name)).asDoubleStream());
    }

    /** What adaptive execution has done each way, if it has done anything. */
    private String adaptive(String... what) {
        var out = new StringBuilder();
        for (String one : what) {
            List<String> where = titles().stream()
                    .filter(title ->
                            trials.stream().allMatch(trial -> Boolean.parseBoolean(trial.text(title + "." + one))))
                    .toList();
            if (!where.isEmpty()) {
                out.append(String.format(
                        Locale.ROOT,
                        "%-14s where adaptive execution has %s partitions: %s%n",
                        one,
                        one,
                        String.join(" ", where)));
            }
        }
        return out.toString();
    }

    private String connections() {
        String all = of(ShuffleWay.UCX).stream()
                .flatMap(trial -> Arrays.stream(trial.text("connections").split("; ", -1)))
                .map(text -> text.replaceFirst("^\\d+ x ", ""))
                .filter(text -> !text.isEmpty())
                .distinct()
                .sorted()
                .collect(Collectors.joining("; "));
        return all.isEmpty() ? "none by UCX" : all;
    }

    private String verdict(boolean oneMachine, Path jar) {
        var out = new StringBuilder();
        for (String shuffle : titles()) {
            if (results(shuffle).size() > 1) {
                out.append(String.format(
                        Locale.ROOT,
                        "THE RESULTS DIFFER: %s gave %s%n",
                        shuffle,
                        String.join(" and ", results(shuffle))));
            }
        }
        long failures = trials.stream()
                .mapToLong(trial -> titles().stream()
                        .mapToLong(shuffle -> trial.number(shuffle + ".failures"))
                        .sum())
                .sum();
        if (failures > 0) {
            out.append(String.format(Locale.ROOT, "Fetches that failed and were recomputed: %d%n", failures));
        }
        if (!isFetched()) {
            out.append("NO BLOCK WENT FROM ONE EXECUTOR TO ANOTHER: ");
            out.append(
                    trials.getFirst().number("executors") > 1
                            ? "Spark reads those of its own host from the disk; with all executors on one host, add"
                                    + " --conf spark.shuffle.readHostLocalDisk=false\n"
                            : "let the cluster give the program two executors or more.\n");
        }
        if (!isByUcx()) {
            out.append("NOTHING WENT OVER UCX: the driver's or an executor's log says why; run again with --keep.\n");
        }
        if (isSame()) {
            out.append(String.format(Locale.ROOT, "The results agree in all %d runs.%n", trials.size()));
        }
        if (oneMachine) {
            out.append(
                    "All ran on this machine: it shows that it works and what it costs, not what a network gains.\n");
        } else {
            out.append(String.format(
                    Locale.ROOT, "To use it in your own programs, give them %s: docs/spark.md%n", jar.getFileName()));
        }
        return out.toString();
    }
}
