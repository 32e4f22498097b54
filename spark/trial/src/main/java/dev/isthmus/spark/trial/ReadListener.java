// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.trial;

import java.util.concurrent.TimeoutException;
import org.apache.spark.FetchFailed;
import org.apache.spark.SparkContext;
import org.apache.spark.executor.ShuffleReadMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** Counts what tasks have read from other executors, by Spark's own metrics. */
final class ReadListener extends SparkListener {

    /** The sums over all tasks that have ended, and whether adaptive execution has merged or split partitions. */
    record Sum(long bytes, long blocks, long waitMillis, long failures, boolean merged, boolean split) {
        static final Sum ZERO = new Sum(0, 0, 0, 0, false, false);
    }

    private Sum sum = Sum.ZERO; // guarded by this

    @Override
    public synchronized void onTaskEnd(SparkListenerTaskEnd end) {
        long failed = end.reason() instanceof FetchFailed ? 1 : 0;
        if (end.taskMetrics() == null) {
            sum = new Sum(sum.bytes, sum.blocks, sum.waitMillis, sum.failures + failed, sum.merged, sum.split);
            return;
        }
        ShuffleReadMetrics metrics = end.taskMetrics().shuffleReadMetrics();
        sum = new Sum(
                sum.bytes + metrics.remoteBytesRead(),
                sum.blocks + metrics.remoteBlocksFetched(),
                sum.waitMillis + metrics.fetchWaitTime(),
                sum.failures + failed,
                sum.merged,
                sum.split);
    }

    /** Notes what a new plan of a running query says; the text names its operators. */
    @Override
    public synchronized void onOtherEvent(SparkListenerEvent event) {
        if (event.getClass().getSimpleName().equals("SparkListenerSQLAdaptiveExecutionUpdate")) {
            String plan = event.toString();
            sum = new Sum(
                    sum.bytes,
                    sum.blocks,
                    sum.waitMillis,
                    sum.failures,
                    sum.merged || plan.contains("coalesced"),
                    sum.split || plan.contains("skew=true"));
        }
    }

    /** Starts from zero, once all events of earlier tasks have arrived. */
    void reset(SparkContext spark) throws TimeoutException {
        spark.listenerBus().waitUntilEmpty();
        synchronized (this) {
            sum = Sum.ZERO;
        }
    }

    Sum sum(SparkContext spark) throws TimeoutException {
        spark.listenerBus().waitUntilEmpty();
        synchronized (this) {
            return sum;
        }
    }
}
