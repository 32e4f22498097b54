// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.trial;

import java.util.concurrent.TimeoutException;
import org.apache.spark.FetchFailed;
import org.apache.spark.SparkContext;
import org.apache.spark.executor.ShuffleReadMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** Counts what tasks have read from other executors, by Spark's own metrics. */
final class ReadListener extends SparkListener {

    /** The sums over all tasks that have ended. */
    record Sum(long bytes, long blocks, long waitMillis, long failures) {}

    private Sum sum = new Sum(0, 0, 0, 0); // guarded by this

    @Override
    public synchronized void onTaskEnd(SparkListenerTaskEnd end) {
        long failed = end.reason() instanceof FetchFailed ? 1 : 0;
        if (end.taskMetrics() == null) {
            sum = new Sum(sum.bytes, sum.blocks, sum.waitMillis, sum.failures + failed);
            return;
        }
        ShuffleReadMetrics metrics = end.taskMetrics().shuffleReadMetrics();
        sum = new Sum(
                sum.bytes + metrics.remoteBytesRead(),
                sum.blocks + metrics.remoteBlocksFetched(),
                sum.waitMillis + metrics.fetchWaitTime(),
                sum.failures + failed);
    }

    /** Starts from zero, once all events of earlier tasks have arrived. */
    void reset(SparkContext spark) throws TimeoutException {
        spark.listenerBus().waitUntilEmpty();
        synchronized (this) {
            sum = new Sum(0, 0, 0, 0);
        }
    }

    Sum sum(SparkContext spark) throws TimeoutException {
        spark.listenerBus().waitUntilEmpty();
        synchronized (this) {
            return sum;
        }
    }
}
