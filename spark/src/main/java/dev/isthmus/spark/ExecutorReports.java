// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/** What the driver knows of its executors: their reports about UCX, and Spark's metrics of their tasks. Thread-safe. */
final class ExecutorReports {

    /** What the tasks of an executor have read from other executors, over any transfer. */
    static final class Reads {
        final LongAdder bytes = new LongAdder();
        final LongAdder blocks = new LongAdder();
        final LongAdder waitMillis = new LongAdder();
    }

    private final Map<String, ExecutorReport> reports = new ConcurrentSkipListMap<>();
    private final Map<String, Reads> reads = new ConcurrentHashMap<>();
    private final int mostGone;
    private final Deque<String> gone = new ArrayDeque<>(); // executors, the first one first; guarded by itself

    /** Keeps the reports of this many executors that are gone. */
    ExecutorReports(int mostGone) {
        this.mostGone = mostGone;
    }

    void add(ExecutorReport report) {
        reports.put(report.executor(), report);
    }

    /** The newest report of each executor with UCX. For an executor that has not been gone for long, that is its last one. */
    List<ExecutorReport> all() {
        return List.copyOf(reports.values());
    }

    Reads reads(String executor) {
        return reads.computeIfAbsent(executor, _ -> new Reads());
    }

    /** An executor is gone; forgets the one that has been gone for longest if there are too many. */
    void gone(String executor) {
        synchronized (gone) {
            gone.add(executor);
            if (gone.size() > mostGone) {
                String oldest = gone.remove();
                reports.remove(oldest);
                reads.remove(oldest);
            }
        }
    }
}
