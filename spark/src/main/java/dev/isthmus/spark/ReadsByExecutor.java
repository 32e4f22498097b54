// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import org.apache.spark.executor.ShuffleReadMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** Adds up Spark's metrics of the tasks that have ended. */
final class ReadsByExecutor extends SparkListener {

    private final ExecutorReports reports;

    ReadsByExecutor(ExecutorReports reports) {
        this.reports = reports;
    }

    @Override
    public void onTaskEnd(SparkListenerTaskEnd end) {
        if (end.taskMetrics() == null) { // for instance if the task was lost
            return;
        }
        ShuffleReadMetrics metrics = end.taskMetrics().shuffleReadMetrics();
        ExecutorReports.Reads sum = reports.reads(end.taskInfo().executorId());
        sum.bytes.add(metrics.remoteBytesRead());
        sum.blocks.add(metrics.remoteBlocksFetched());
        sum.waitMillis.add(metrics.fetchWaitTime());
    }
}
