// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import dev.isthmus.RdmaException;
import dev.isthmus.UcxException;
import dev.isthmus.buffers.UcpMemoryPool;
import dev.isthmus.loop.EventLoop;
import dev.isthmus.loop.Timer;
import dev.isthmus.ucx.UcpActiveMessage;
import dev.isthmus.ucx.UcpActiveMessages;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpErrorHandling;
import dev.isthmus.ucx.UcpFeature;
import dev.isthmus.ucx.UcpMemory;
import dev.isthmus.ucx.UcpPackedKey;
import dev.isthmus.ucx.UcpWorker;
import dev.isthmus.ucx.UcsStatus;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Fetches blocks from peers, and serves them the blocks of this process, with one UCX worker on a thread of its own.
 * Any thread may call the public methods.
 *
 * <p>Peers trust each other: they share a secret, which seals the addresses that they connect to. Whoever starts a
 * transport closes it, once all received blocks are released.
 */
public final class Transport implements AutoCloseable {

    static final int ID = 0x5348; // of the active messages
    private static final int MAX_DROPPED_LINES = 100;
    private static final String KEEPALIVE = "KEEPALIVE_INTERVAL";
    private static final Pattern RESOURCE = Pattern.compile("resource .*\\s(\\w+/[\\w:.-]+)");
    private static final Pattern LANE = Pattern.compile("lane\\[\\d+\\]:\\s+\\d+:([\\w/:.-]+)");

    private final Settings settings;
    private final BlockSource source;
    private final BiConsumer<String, Throwable> log;
    private final byte[] secret;
    private final Figures figures;
    private final Readers readers;
    private final EventLoop loop;
    private final UcpContext context;
    private final UcpWorker worker;
    private final SharedPool slices; // that peers read from
    private final SharedPool messages;
    private final UcpMemoryPool receivePool;
    private final OrdinaryMemory ordinary;
    private final Node node;
    private final Peers peers = new Peers(this); // used on the loop's thread only, like the following fields
    private final Inbox inbox;
    private final Map<UcpMemory, UcpPackedKey> keys = new HashMap<>();
    private final AtomicInteger dropped = new AtomicInteger(); // messages
    private long lastCall;
    private boolean memoryLogged;
    private boolean closed;
    private boolean stopped; // guarded by this: only received blocks and the context are left
    private boolean ended; // guarded by this

    private Transport(
            Settings settings,
            byte[] secret,
            BlockSource source,
            BiConsumer<String, Throwable> log,
            Consumer<Figures.OfTransport> found) {
        this.settings = settings;
        this.figures = new Figures(found);
        this.ordinary = new OrdinaryMemory(settings.unpooledBytes());
        this.secret = secret.clone();
        this.source = source;
        this.log = log;
        var made = new ArrayDeque<AutoCloseable>();
        try {
            this.context = keep(made, newContext(settings));
            this.readers = keep(made, new Readers(settings.readers()));
            this.loop = keep(
                    made,
                    EventLoop.start(config -> config.thread(this::newThread)
                            .exceptionHandler(
                                    e -> log.accept("the transport's thread goes on after an exception", e))));
            this.inbox = new Inbox(loop, this::handle);
            this.worker = keep(made, context.createWorker(loop, config -> config.handler(ID, this::onMessage)));
            this.slices = shared(settings.sliceBytes(), settings.servingBytes());
            this.messages = shared(PeerMessage.MAX_BYTES, settings.messageBytes());
            this.receivePool = UcpMemoryPool.create(context, settings.sliceBytes(), settings.receivingBytes());
            this.node = Node.of(new SecureRandom().nextLong(), loop.call(worker::address), secret);
        } catch (RuntimeException | Error e) {
            closeAll(made, e);
            throw e;
        }
    }

    private SharedPool shared(long sliceBytes, long maxBytes) {
        return new SharedPool(UcpMemoryPool.create(context, sliceBytes, maxBytes), this::logMemory);
    }

    private static UcpContext newContext(Settings settings) {
        return UcpContext.create(config -> {
            config.features(EnumSet.of(UcpFeature.AM, UcpFeature.RMA, UcpFeature.WAKEUP));
            if (System.getenv("UCX_" + KEEPALIVE) == null) {
                config.set(KEEPALIVE, "1s"); // rather than 20: over shared memory nothing else reveals a dead peer
            }
            settings.ucx().forEach(config::set);
        });
    }

    private static <T extends AutoCloseable> T keep(Deque<AutoCloseable> made, T one) {
        made.push(one);
        return one;
    }

    /** Closes the objects of a constructor that failed; the pools have no memory yet. */
    private static void closeAll(Deque<AutoCloseable> made, Throwable why) {
        for (AutoCloseable one : made) {
            try {
                one.close();
            } catch (Exception e) {
                why.addSuppressed(e);
            }
        }
    }

    /**
     * Starts a transport. Blocks for tenths of a second.
     *
     * @param settings the settings
     * @param secret the secret of all peers
     * @param source the blocks of this process
     * @param log takes messages for people; the exception may be null
     * @return the transport, which the caller closes
     * @throws dev.isthmus.RdmaUnavailableException if UCX is missing
     * @throws UcxException if UCX fails
     */
    public static Transport start(
            Settings settings, byte[] secret, BlockSource source, BiConsumer<String, Throwable> log) {
        return start(settings, secret, source, log, ofTransport -> {});
    }

    /**
     * Starts a transport that tells which of UCX's transports it uses. Otherwise like
     * {@link #start(Settings, byte[], BlockSource, BiConsumer)}.
     *
     * @param settings the settings
     * @param secret the secret of all peers
     * @param source the blocks of this process
     * @param log takes messages for people; the exception may be null
     * @param found takes the counters of each UCX transport when it is first used
     * @return the transport, which the caller closes
     */
    public static Transport start(
            Settings settings,
            byte[] secret,
            BlockSource source,
            BiConsumer<String, Throwable> log,
            Consumer<Figures.OfTransport> found) {
        return new Transport(settings, secret, source, log, found);
    }

    private Thread newThread(Runnable runs) {
        var thread = new Thread(runs, "isthmus-spark");
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Where peers reach this transport.
     *
     * @return the node to tell them
     */
    public Node node() {
        return node;
    }

    /**
     * The counters.
     *
     * @return live counters
     */
    public Figures figures() {
        return figures;
    }

    /**
     * How much memory is registered for blocks and messages.
     *
     * @return bytes
     */
    public long pinnedBytes() {
        return slices.pinnedBytes() + receivePool.pinnedBytes() + messages.pinnedBytes();
    }

    /**
     * How many slices of received and of served blocks are in use.
     *
     * @return their number
     */
    public long slicesOut() {
        return slices.slicesOut() + receivePool.slicesOut();
    }

    /**
     * How much ordinary memory received blocks take.
     *
     * @return bytes
     */
    public long unpooledBytes() {
        return ordinary.bytes();
    }

    /**
     * What UCX may use, as text.
     *
     * @return transports and devices, such as {@code tcp/eth0}
     */
    public String transports() {
        return String.join(", ", names(RESOURCE, context.info()));
    }

    /**
     * Fetches blocks from a peer, and connects to it first if necessary. The listener is told once of each block, when
     * it has arrived or has failed.
     *
     * @param from the peer
     * @param blocks any number
     * @param listener called on the transport's thread, or on the caller's if the transport is closed
     */
    public void fetch(Node from, List<BlockKey> blocks, FetchListener listener) {
        fetch(from, blocks, listener, null);
    }

    /**
     * Fetches blocks of any length: those that do not come with the answer go to sinks. Otherwise like
     * {@link #fetch(Node, List, FetchListener)}.
     *
     * @param from the peer
     * @param blocks any number
     * @param listener as there
     * @param sinks creates the sink of a long block, by its index in the list; called at most once for each, on the
     *     transport's thread, and must not block
     */
    public void fetch(Node from, List<BlockKey> blocks, FetchListener listener, IntFunction<BlockSink> sinks) {
        try {
            List<BlockKey> all = List.copyOf(blocks);
            loop.execute(() -> fetchOnLoop(from, all, listener, sinks));
        } catch (RejectedExecutionException e) {
            var why = new FetchFailedException("this process ends");
            for (int i = 0; i < blocks.size(); i++) {
                listener.failed(i, why);
            }
        }
    }

    private void fetchOnLoop(Node from, List<BlockKey> blocks, FetchListener listener, IntFunction<BlockSink> sinks) {
        for (int begin = 0; begin < blocks.size(); begin += PeerMessage.MAX_BLOCKS) {
            var some = blocks.subList(begin, Math.min(blocks.size(), begin + PeerMessage.MAX_BLOCKS));
            var call = new Call(this, ++lastCall, some, begin, listener, sinks);
            try {
                begin(from, call);
            } catch (Throwable e) { // whatever went wrong, a Spark task waits for each block
                log.accept("a request could not be sent", e);
                call.refuse("the request failed: " + e);
            }
        }
    }

    private void begin(Node from, Call call) {
        if (closed) {
            call.refuse("this process ends");
            return;
        }
        Peer peer;
        try {
            peer = peers.to(from);
        } catch (UcxException | IllegalArgumentException e) {
            call.refuse("UCX cannot connect: " + e.getMessage());
            return;
        }
        String refusal = peer.refusal();
        if (refusal != null) {
            call.refuse(refusal);
        } else {
            peer.calls().begin(call);
        }
    }

    // The handler runs inside a UCX call, so it must not act on the message itself.
    private void onMessage(UcpActiveMessage message) {
        if (message.isRendezvous() || message.length() > PeerMessage.MAX_BYTES) {
            drop("a message of " + message.length() + " bytes is dropped: it is too long");
            return;
        }
        inbox.add(ByteBuffer.wrap(message.data().toArray()));
    }

    private void handle(ByteBuffer message) {
        if (!closed) { // otherwise a hello would create an endpoint that nobody closes
            peers.handle(message);
        }
    }

    /** A peer can send any number of invalid messages; the log mentions only the first ones. */
    void drop(String text) {
        if (dropped.incrementAndGet() <= MAX_DROPPED_LINES) {
            log.accept(text, null);
        }
    }

    UcpEndpoint connect(Node other, Consumer<UcsStatus> failed) {
        return worker.createEndpoint(
                other.open(secret),
                config ->
                        config.errorHandling(UcpErrorHandling.PEER).errorHandler((_, status) -> failed.accept(status)));
    }

    /** Returns the counters of the transports that the connection uses. */
    Figures.OfTransport connected(Peer peer, UcpEndpoint endpoint) {
        figures.peersConnected.increment();
        List<String> lanes = names(LANE, endpoint.info());
        String all = String.join(", ", lanes);
        figures.connections.computeIfAbsent(all, _ -> new LongAdder()).increment();
        log.accept("connected to " + peer + " over " + all, null);
        Figures.OfTransport used = figures.of(
                lanes.stream().map(lane -> lane.split("/", 2)[0]).distinct().collect(Collectors.joining("+")));
        used.peersConnected.increment();
        return used;
    }

    private static List<String> names(Pattern pattern, String info) {
        return pattern.matcher(info)
                .results()
                .map(found -> found.group(1))
                .distinct()
                .toList();
    }

    /** A connection has failed; the log need not repeat why. */
    void lost(Peer peer, String reason, boolean repeated) {
        figures.peersFailed.increment();
        if (!repeated) {
            log.accept("the connection to " + peer + " has ended: " + reason, null);
        }
    }

    Peers peers() {
        return peers;
    }

    CompletableFuture<Void> send(UcpEndpoint endpoint, MemorySegment message) {
        try {
            return endpoint.amSendAsync(ID, MemorySegment.NULL, message, UcpActiveMessages.EAGER);
        } catch (UcxException | IllegalStateException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    Settings settings() {
        return settings;
    }

    BlockSource source() {
        return source;
    }

    SharedPool slices() {
        return slices;
    }

    SharedPool messages() {
        return messages;
    }

    OrdinaryMemory ordinary() {
        return ordinary;
    }

    /** A slice; 0 if there is none, because the pool is at its limit or no more memory can be registered. */
    long tryAcquire(UcpMemoryPool pool) {
        try {
            return pool.tryAcquire();
        } catch (RdmaException | OutOfMemoryError e) {
            logMemory(e);
            return 0;
        }
    }

    private void logMemory(Throwable e) {
        if (!memoryLogged) {
            memoryLogged = true;
            log.accept("no more memory can be registered; this is logged once", e);
        }
    }

    UcpPackedKey key(UcpMemory memory) {
        return keys.computeIfAbsent(memory, UcpMemory::packKey);
    }

    IncomingBlock newIncomingBlock(long blockBytes, BlockSink sink) {
        return new SinkBlock(this, receivePool, sink, blockBytes);
    }

    IncomingBlock newIncomingBlock(long blockBytes) {
        var block = new MemoryBlock(receivePool, this::tryAcquire, ordinary, settings, blockBytes);
        if (!block.isPooled()) {
            figures.blocksUnpooled.increment();
        }
        return block;
    }

    Timer schedule(Duration delay, Runnable task) {
        return loop.schedule(delay, task);
    }

    void execute(Runnable task) {
        loop.execute(task);
    }

    /** Reads on another thread, and then goes on here. If reading throws, that is logged, and this goes on, too. */
    void read(Runnable reads, Runnable then) {
        readers.run(() -> {
            try {
                reads.run();
            } catch (Throwable e) {
                log("reading threw", e);
            } finally {
                loop.execute(then);
            }
        });
    }

    void log(String text, Throwable e) {
        log.accept(text, e);
    }

    /**
     * Ends all connections and everything that waits for them, and frees all memory. Does nothing if this is closed
     * already. Blocks for seconds at most.
     *
     * @throws IllegalStateException if received blocks are still held; the message says how many slices. Everything
     *     else is freed, but for UCX's context, and you can try again
     */
    @Override
    public synchronized void close() {
        if (loop.isCurrent()) {
            throw new IllegalStateException("the transport's own thread cannot close it");
        }
        if (ended) {
            return;
        }
        if (!stopped) {
            loop.submitAsync(this::closePeers).join();
            readers.close();
            worker.close();
            slices.close();
            messages.close();
            loop.close();
            stopped = true;
        }
        receivePool.close();
        context.close();
        ended = true;
    }

    private CompletableFuture<Void> closePeers() {
        closed = true;
        return peers.close();
    }
}
