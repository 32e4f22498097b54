// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/** What the driver knows of its executors: their reports about UCX, and Spark's metrics of their tasks. Thread-safe. */
final class Reports {

    /** What the tasks of an executor have read from other executors, over any transfer. */
    static final class Reads {
        final LongAdder bytes = new LongAdder();
        final LongAdder blocks = new LongAdder();
        final LongAdder waitMillis = new LongAdder();
    }

    private final Map<String, Report> reports = new ConcurrentSkipListMap<>();
    private final Map<String, Reads> reads = new ConcurrentHashMap<>();

    void add(Report report) {
        reports.put(report.executor(), report);
    }

    /** The newest report of each executor with UCX. For an executor that is gone, that is its last one. */
    List<Report> all() {
        return List.copyOf(reports.values());
    }

    Reads reads(String executor) {
        return reads.computeIfAbsent(executor, _ -> new Reads());
    }
}
