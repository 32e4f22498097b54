// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.BaseShuffleHandle;
import org.apache.spark.shuffle.ShuffleHandle;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.shuffle.sort.SortShuffleManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A value of {@code spark.shuffle.manager}: Spark's own shuffle manager, whose reduce tasks fetch blocks over UCX.
 * Where UCX cannot be used, it behaves exactly like Spark's own. In any case Spark writes the shuffle files.
 */
public final class UcxShuffleManager extends SortShuffleManager {

    private static final Logger LOG = LoggerFactory.getLogger(UcxShuffleManager.class);

    private final AtomicBoolean logged = new AtomicBoolean();

    /**
     * Called by Spark.
     *
     * @param conf the application's
     */
    public UcxShuffleManager(SparkConf conf) {
        super(conf);
    }

    @Override
    public <K, C> ShuffleReader<K, C> getReader(
            ShuffleHandle handle,
            int startMapIndex,
            int endMapIndex,
            int startPartition,
            int endPartition,
            TaskContext context,
            ShuffleReadMetricsReporter metrics) {
        @SuppressWarnings("unchecked") // as in Spark's own
        var base = (BaseShuffleHandle<K, ?, C>) handle;
        UcxExecutor executor = UcxExecutor.current();
        if (executor == null || base.dependency().isShuffleMergeFinalizedMarked()) {
            if (executor == null && logged.compareAndSet(false, true)) {
                LOG.warn(
                        "This executor uses Spark's own transfer; if no earlier line says why, add {} to spark.plugins",
                        UcxShufflePlugin.class.getName());
            }
            return super.getReader(handle, startMapIndex, endMapIndex, startPartition, endPartition, context, metrics);
        }
        var blocks = SparkEnv.get()
                .mapOutputTracker()
                .getMapSizesByExecutorId(handle.shuffleId(), startMapIndex, endMapIndex, startPartition, endPartition);
        boolean several = SortShuffleManager.canUseBatchFetch(startPartition, endPartition, context);
        return new UcxShuffleReader<>(executor, base.dependency(), blocks, several, context, metrics);
    }
}
