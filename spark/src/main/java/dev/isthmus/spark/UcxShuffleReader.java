// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import java.io.InputStream;
import org.apache.spark.Aggregator;
import org.apache.spark.InterruptibleIterator;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.internal.config.package$;
import org.apache.spark.io.CompressionCodec$;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.shuffle.checksum.RowBasedChecksum;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockFetcherIterator;
import org.apache.spark.util.CompletionIterator;
import org.apache.spark.util.SystemClock;
import org.apache.spark.util.collection.ExternalSorter;
import scala.Option;
import scala.Product2;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Iterator;
import scala.runtime.BoxedUnit;

/**
 * Reads the records of some partitions: Spark's iterator of blocks with a client that fetches over UCX, followed by the
 * steps of Spark's own reader, which does not accept another client.
 */
final class UcxShuffleReader<K, C> implements ShuffleReader<K, C> {

    private static final package$ CONFIG = package$.MODULE$;

    private final UcxExecutor executor;
    private final ShuffleDependency<K, ?, C> dependency;
    private final Iterator<Tuple2<BlockManagerId, scala.collection.Seq<Tuple3<BlockId, Object, Object>>>> blocks;
    private final boolean several;
    private final TaskContext context;
    private final ShuffleReadMetricsReporter metrics;
    private final SparkEnv env = SparkEnv.get();
    private final SparkConf conf = env.conf();

    UcxShuffleReader(
            UcxExecutor executor,
            ShuffleDependency<K, ?, C> dependency,
            Iterator<Tuple2<BlockManagerId, scala.collection.Seq<Tuple3<BlockId, Object, Object>>>> blocks,
            boolean several,
            TaskContext context,
            ShuffleReadMetricsReporter metrics) {
        this.executor = executor;
        this.dependency = dependency;
        this.blocks = blocks;
        this.several = several;
        this.context = context;
        this.metrics = metrics;
    }

    @Override
    public Iterator<Product2<K, C>> read() {
        SerializerInstance serializer = dependency.serializer().newInstance();
        Iterator<Tuple2<Object, Object>> records = streams()
                .flatMap(stream -> serializer.deserializeStream(stream._2()).asKeyValueIterator());
        Iterator<Tuple2<Object, Object>> counted = CompletionIterator.apply(
                records.map(one -> {
                    metrics.incRecordsRead(1);
                    return one;
                }),
                () -> {
                    context.taskMetrics().mergeShuffleReadMetrics();
                    return BoxedUnit.UNIT;
                });
        // A cancelled task stops here, and again after sorting or combining.
        Iterator<?> result = combined(new InterruptibleIterator<>(context, counted));
        @SuppressWarnings("unchecked")
        var typed = (Iterator<Product2<K, C>>) result;
        return typed instanceof InterruptibleIterator ? typed : new InterruptibleIterator<>(context, typed);
    }

    private Iterator<Tuple2<BlockId, InputStream>> streams() {
        var manager = env.blockManager();
        return new ShuffleBlockFetcherIterator(
                        context,
                        new UcxBlockStoreClient(executor, manager.blockStoreClient()),
                        manager,
                        env.mapOutputTracker(),
                        blocks,
                        (block, stream) -> env.serializerManager().wrapStream(block, stream),
                        (long) conf.get(CONFIG.REDUCER_MAX_SIZE_IN_FLIGHT()) * 1024 * 1024,
                        (int) conf.get(CONFIG.REDUCER_MAX_REQS_IN_FLIGHT()),
                        (int) conf.get(CONFIG.REDUCER_MAX_BLOCKS_IN_FLIGHT_PER_ADDRESS()),
                        (long) conf.get(CONFIG.MAX_REMOTE_BLOCK_SIZE_FETCH_TO_MEM()),
                        (int) conf.get(CONFIG.SHUFFLE_MAX_ATTEMPTS_ON_NETTY_OOM()),
                        (boolean) conf.get(CONFIG.SHUFFLE_DETECT_CORRUPT()),
                        (boolean) conf.get(CONFIG.SHUFFLE_DETECT_CORRUPT_MEMORY()),
                        (boolean) conf.get(CONFIG.SHUFFLE_CHECKSUM_ENABLED()),
                        conf.get(CONFIG.SHUFFLE_CHECKSUM_ALGORITHM()),
                        metrics,
                        fetchesSeveralAtOnce(),
                        new SystemClock())
                .toCompletionIterator();
    }

    /** Whether consecutive partitions come as one block. */
    private boolean fetchesSeveralAtOnce() {
        boolean compressed = (boolean) conf.get(CONFIG.SHUFFLE_COMPRESS());
        return several
                && dependency.serializer().supportsRelocationOfSerializedObjects()
                && (!compressed
                        || CompressionCodec$.MODULE$.supportsConcatenationOfSerializedStreams(
                                CompressionCodec$.MODULE$.createCodec(conf)))
                && !(boolean) conf.get(CONFIG.SHUFFLE_USE_OLD_FETCH_PROTOCOL());
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // Spark erases the types of keys and values
    private Iterator<?> combined(Iterator records) {
        Option<Aggregator> aggregator = (Option) dependency.aggregator();
        if (dependency.keyOrdering().isDefined()) {
            Option<Aggregator> combines = aggregator.isDefined() && dependency.mapSideCombine()
                    ? Option.apply(merging(aggregator.get()))
                    : aggregator;
            var sorter = new ExternalSorter(
                    context,
                    combines,
                    Option.empty(),
                    dependency.keyOrdering(),
                    dependency.serializer(),
                    new RowBasedChecksum[0]);
            return sorter.insertAllAndUpdateMetrics(records);
        }
        if (aggregator.isEmpty()) {
            return records;
        }
        return dependency.mapSideCombine()
                ? aggregator.get().combineCombinersByKey(records, context)
                : aggregator.get().combineValuesByKey(records, context);
    }

    /** Merges what was combined already, instead of combining values. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    private static Aggregator merging(Aggregator aggregator) {
        return new Aggregator(value -> value, aggregator.mergeCombiners(), aggregator.mergeCombiners());
    }
}
