// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import dev.isthmus.spark.transport.BlockKey;
import dev.isthmus.spark.transport.BlockTransport;
import dev.isthmus.spark.transport.FetchListener;
import dev.isthmus.spark.transport.Node;
import dev.isthmus.spark.transport.Received;
import dev.isthmus.spark.transport.VerbsTransport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.network.shuffle.checksum.Cause;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Fetches blocks over UCX. Spark's own client fetches those that cannot come over UCX, and does everything else. */
final class UcxBlockStoreClient extends BlockStoreClient {

    private static final Logger LOG = LoggerFactory.getLogger(UcxBlockStoreClient.class);
    private static final Set<String> LOGGED = ConcurrentHashMap.newKeySet(); // executors that the log has mentioned
    private static final int MAX_LOGGED = 10_000;

    private final UcxExecutor executor;
    private final BlockStoreClient spark;

    UcxBlockStoreClient(UcxExecutor executor, BlockStoreClient spark) {
        this.executor = executor;
        this.spark = spark;
    }

    @Override
    public void fetchBlocks(
            String host,
            int port,
            String execId,
            String[] blockIds,
            BlockFetchingListener listener,
            DownloadFileManager files) {
        List<String> ids = List.of(blockIds);
        var bySpark = new BySpark(host, port, execId, listener, files);
        Optional<ExecutorNodes> nodes;
        try {
            nodes = executor.directory().find(execId);
        } catch (RuntimeException e) { // Spark's client needs no answer from the driver
            logOnce(execId, "the driver did not say where it is: " + e);
            bySpark.fetch(ids);
            return;
        }
        List<BlockKey> keys =
                ids.stream().map(BlockKey::parse).flatMap(Optional::stream).toList();
        if (nodes.isEmpty() || keys.size() < ids.size()) {
            logOnce(execId, nodes.isEmpty() ? "it has no UCX" : "they are not plain shuffle blocks");
            bySpark.fetch(ids);
            return;
        }
        Node ucx = nodes.get().ucx();
        Optional<Node> node = nodes.get().verbs();
        Optional<VerbsTransport> verbs = executor.verbs(host);
        if (verbs.isPresent() && node.isPresent()) {
            fetch(verbs.get(), node.get(), keys, files, new BlockListener(ids, listener, new HashMap<>(), (i, why) -> {
                LOG.debug("{} is not read over verbs: {}", ids.get(i), why);
                fetchByUcx(ucx, keys.subList(i, i + 1), files, ids.subList(i, i + 1), listener, bySpark);
            }));
        } else {
            fetchByUcx(ucx, keys, files, ids, listener, bySpark);
        }
    }

    /** Spark's own client fetches what UCX refuses. */
    private void fetchByUcx(
            Node from,
            List<BlockKey> keys,
            DownloadFileManager files,
            List<String> ids,
            BlockFetchingListener listener,
            BySpark bySpark) {
        fetch(
                executor.transport(),
                from,
                keys,
                files,
                new BlockListener(ids, listener, new HashMap<>(), (i, why) -> bySpark.fetchLater(ids.get(i), why)));
    }

    private void fetch(
            BlockTransport transport,
            Node from,
            List<BlockKey> keys,
            DownloadFileManager files,
            BlockListener listener) {
        if (files == null) {
            transport.fetch(from, keys, listener);
        } else { // too long for memory
            transport.fetch(from, keys, listener, i -> {
                var sink = new UcxFileSink(files, executor.transportConf());
                listener.sinks.put(i, sink);
                return sink;
            });
        }
    }

    private static void logOnce(String execId, String why) {
        if (LOGGED.size() < MAX_LOGGED && LOGGED.add(execId)) {
            LOG.warn("Blocks of executor {} use Spark's own transfer: {}", execId, why);
        }
    }

    /** Spark's own client, for one request. */
    private final class BySpark {
        private final String host;
        private final int port;
        private final String execId;
        private final BlockFetchingListener listener;
        private final DownloadFileManager files;
        private final List<String> refused = new ArrayList<>(); // guarded by itself

        BySpark(String host, int port, String execId, BlockFetchingListener listener, DownloadFileManager files) {
            this.host = host;
            this.port = port;
            this.execId = execId;
            this.listener = listener;
            this.files = files;
        }

        void fetch(List<String> blocks) {
            executor.blocksBySpark().add(blocks.size());
            spark.fetchBlocks(host, port, execId, blocks.toArray(String[]::new), listener, files);
        }

        /** Fetches on a thread of its own, as connecting blocks. Blocks that are refused meanwhile go along. */
        void fetchLater(String block, String why) {
            synchronized (refused) {
                refused.add(block);
                if (refused.size() > 1) {
                    return;
                }
            }
            logOnce(execId, why);
            try {
                Thread.ofPlatform().daemon().name("isthmus-spark-refused").start(this::fetchRefused);
            } catch (Throwable e) { // such as no more threads; the task waits to be told
                fail(takeRefused(), e);
            }
        }

        private List<String> takeRefused() {
            synchronized (refused) {
                List<String> blocks = List.copyOf(refused);
                refused.clear();
                return blocks;
            }
        }

        private void fetchRefused() {
            List<String> blocks = takeRefused();
            try {
                fetch(blocks);
            } catch (Throwable e) {
                fail(blocks, e);
            }
        }

        private void fail(List<String> blocks, Throwable why) {
            LOG.warn("Spark's own transfer cannot fetch blocks of executor {}", execId, why);
            blocks.forEach(block -> listener.onBlockFetchFailure(block, why));
        }
    }

    /** Who fetches a refused block, by its index in the request. */
    private interface OtherMeans {
        void fetch(int index, String why);
    }

    private record BlockListener(
            List<String> blockIds,
            BlockFetchingListener listener,
            Map<Integer, UcxFileSink> sinks,
            OtherMeans otherMeans)
            implements FetchListener {
        @Override
        public void received(int index, Received block) {
            var buffer = new UcxManagedBuffer(block);
            try {
                listener.onBlockFetchSuccess(blockIds.get(index), buffer);
            } finally {
                buffer.release(); // whoever wants it has retained it
            }
        }

        @Override
        public void stored(int index) {
            UcxFileSink sink = sinks.remove(index);
            listener.onBlockFetchSuccess(blockIds.get(index), sink.buffer());
            sink.leaveToSpark();
        }

        @Override
        public void failed(int index, Exception why) {
            listener.onBlockFetchFailure(blockIds.get(index), why);
        }

        @Override
        public void refused(int index, String why) {
            otherMeans.fetch(index, why);
        }
    }

    @Override
    public Cause diagnoseCorruption(
            String host,
            int port,
            String execId,
            int shuffleId,
            long mapId,
            int reduceId,
            long checksum,
            String algorithm) {
        return spark.diagnoseCorruption(host, port, execId, shuffleId, mapId, reduceId, checksum, algorithm);
    }

    /** Does nothing: it owns neither of the clients that it uses. */
    @Override
    public void close() {}
}
