// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import dev.isthmus.spark.transport.BlockKey;
import dev.isthmus.spark.transport.BlockSource;
import dev.isthmus.spark.transport.Figures;
import dev.isthmus.spark.transport.Settings;
import dev.isthmus.spark.transport.Transport;
import dev.isthmus.spark.transport.VerbsTransport;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.network.buffer.FileSegmentManagedBuffer;
import org.apache.spark.network.netty.SparkTransportConf;
import org.apache.spark.network.util.TransportConf;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.apache.spark.storage.ShuffleBlockId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/** UCX in an executor. The plugin starts it before the first task, and the shuffle manager finds it here. */
final class UcxExecutor implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(UcxExecutor.class);
    private static final AtomicReference<UcxExecutor> CURRENT = new AtomicReference<>();

    private final Transport transport;
    private final Optional<VerbsExecutor> verbs;
    private final Directory directory;
    private final MetricRegistry registry;
    private final TransportConf transportConf;
    private final LongAdder blocksBySpark = new LongAdder();

    private UcxExecutor(
            Transport transport,
            Optional<VerbsExecutor> verbs,
            Directory directory,
            MetricRegistry registry,
            TransportConf transportConf) {
        this.transport = transport;
        this.verbs = verbs;
        this.directory = directory;
        this.registry = registry;
        this.transportConf = transportConf;
    }

    /** The one of this process; null if all blocks use Spark's own transfer. */
    static UcxExecutor current() {
        return CURRENT.get();
    }

    /**
     * Starts it.
     *
     * @param id the executor's name in Spark
     * @param host where it is, as Spark calls it
     */
    static UcxExecutor start(
            SparkConf conf, byte[] secret, String id, String host, Directory directory, MetricRegistry registry) {
        Settings settings = UcxSettings.of(conf);
        var transport = Transport.start(
                settings, secret, UcxExecutor::find, UcxExecutor::log, ofTransport -> show(registry, ofTransport));
        Optional<VerbsExecutor> verbs = Optional.empty();
        boolean started = false;
        try {
            verbs = VerbsExecutor.start(
                    VerbsSettings.of(conf), settings, host, secret, UcxExecutor::find, UcxExecutor::log);
            var executor = new UcxExecutor(
                    transport,
                    verbs,
                    directory,
                    registry,
                    SparkTransportConf.fromSparkConf(conf, "shuffle", 1, Option.empty(), Option.empty()));
            executor.show();
            var nodes = new ExecutorNodes(
                    transport.node(), verbs.map(one -> one.transport().node()));
            directory.register(id, nodes).forEach(other -> transport.connect(other.ucx()));
            started = true;
            CURRENT.set(executor);
            LOG.info(
                    "Shuffle blocks use UCX, which finds {}; other executors know this one as peer {}",
                    transport.transports(),
                    Long.toHexString(transport.node().id()));
            return executor;
        } finally {
            if (!started) {
                verbs.ifPresent(VerbsExecutor::close);
                transport.close();
            }
        }
    }

    private static void log(String text, Throwable e) {
        if (e == null) {
            LOG.info(text);
        } else {
            LOG.warn(text, e);
        }
    }

    /** Where Spark stores a block. Blocks that are not in a file are left to Spark's own transfer. */
    private static BlockSource.Range find(BlockKey key) throws IOException {
        BlockId id = key.end() == key.first() + 1
                ? new ShuffleBlockId(key.shuffle(), key.map(), key.first())
                : new ShuffleBlockBatchId(key.shuffle(), key.map(), key.first(), key.end());
        return SparkEnv.get().blockManager().getLocalBlockData(id) instanceof FileSegmentManagedBuffer file
                ? new BlockSource.Range(file.getFile().toPath(), file.getOffset(), file.getLength())
                : null;
    }

    private void show() {
        Figures figures = transport.figures();
        show(registry, "bytesInline", figures.bytesInline);
        show(registry, "bytesByGet", figures.bytesByGet);
        show(registry, "bytesToFiles", figures.bytesToSinks);
        show(registry, "bytesServed", figures.bytesServed);
        show(registry, "blocksReceived", figures.blocksReceived);
        show(registry, "blocksFailed", figures.blocksFailed);
        show(registry, "blocksRefused", figures.blocksRefused);
        show(registry, "blocksUnpooled", figures.blocksUnpooled);
        show(registry, "blocksBySpark", blocksBySpark);
        show(registry, "servingWaits", figures.servingWaits);
        show(registry, "peersConnected", figures.peersConnected);
        show(registry, "peersFailed", figures.peersFailed);
        registry.register("mostBlocksAsked", (Gauge<Long>) figures.mostBlocksAsked::get);
        registry.register("mostRequestsAsked", (Gauge<Long>) figures.mostRequestsAsked::get);
        registry.register("pinnedBytes", (Gauge<Long>) transport::pinnedBytes);
        registry.register("unpooledBytes", (Gauge<Long>) transport::unpooledBytes);
        registry.register("slicesOut", (Gauge<Long>) transport::slicesOut);
        verbs.ifPresent(one -> show(one.transport()));
    }

    private void show(VerbsTransport overVerbs) {
        Figures figures = overVerbs.figures();
        show(registry, "verbs.bytesRead", figures.bytesByGet);
        show(registry, "verbs.bytesToFiles", figures.bytesToSinks);
        show(registry, "verbs.bytesServed", figures.bytesServed);
        show(registry, "verbs.blocksReceived", figures.blocksReceived);
        show(registry, "verbs.blocksRefused", figures.blocksRefused);
        show(registry, "verbs.peersConnected", figures.peersConnected);
        show(registry, "verbs.peersFailed", figures.peersFailed);
        registry.register("verbs.pinnedBytes", (Gauge<Long>) overVerbs::pinnedBytes);
        registry.register("verbs.slicesOut", (Gauge<Long>) overVerbs::slicesOut);
    }

    private static void show(MetricRegistry registry, Figures.OfTransport figures) {
        String prefix = "transport." + figures.name + ".";
        show(registry, prefix + "bytesReceived", figures.bytesReceived);
        show(registry, prefix + "blocksReceived", figures.blocksReceived);
        show(registry, prefix + "bytesServed", figures.bytesServed);
        show(registry, prefix + "servingWaits", figures.servingWaits);
        show(registry, prefix + "peersConnected", figures.peersConnected);
    }

    private static void show(MetricRegistry registry, String name, LongAdder figure) {
        registry.register(name, (Gauge<Long>) figure::sum);
    }

    /** The figures of the metrics system, by name. */
    Map<String, Long> figures() {
        var figures = new TreeMap<String, Long>();
        registry.getGauges().forEach((name, gauge) -> figures.put(name, (Long) gauge.getValue()));
        return figures;
    }

    /** The transports of the connections, and how many use each: {@code 3 x tcp/eth0; 2 x verbs/10.0.0.1}. */
    String connections() {
        var connections = new TreeMap<String, Long>();
        transport.figures().connections.forEach((name, count) -> connections.put(name, count.sum()));
        verbs.ifPresent(one -> connections.put(
                "verbs/" + one.address(),
                one.transport().figures().peersConnected.sum()));
        return connections.entrySet().stream()
                .filter(one -> one.getValue() > 0)
                .map(one -> one.getValue() + " x " + one.getKey())
                .collect(Collectors.joining("; "));
    }

    Transport transport() {
        return transport;
    }

    /** Verbs, if files of an executor of that host can be read so; empty if not. */
    Optional<VerbsTransport> verbs(String host) {
        return verbs.filter(one -> one.isFor(host)).map(VerbsExecutor::transport);
    }

    Directory directory() {
        return directory;
    }

    /** Spark's configuration for blocks that are too long for memory. */
    TransportConf transportConf() {
        return transportConf;
    }

    /** The number of blocks that used Spark's own transfer in spite of UCX. */
    LongAdder blocksBySpark() {
        return blocksBySpark;
    }

    @Override
    public void close() {
        CURRENT.compareAndSet(this, null);
        verbs.ifPresent(UcxExecutor::closeOrLog);
        closeOrLog(transport);
    }

    private static void closeOrLog(AutoCloseable one) {
        try {
            one.close();
        } catch (Exception e) { // such as: a killed task held blocks; their memory ends with the process
            LOG.warn("{} was not closed properly", one.getClass().getSimpleName(), e);
        }
    }
}
