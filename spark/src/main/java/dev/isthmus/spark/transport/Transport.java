// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import dev.isthmus.UcxException;
import dev.isthmus.loop.EventLoop;
import dev.isthmus.ucx.UcpActiveMessage;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpFeature;
import dev.isthmus.ucx.UcpWorker;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.regex.Pattern;

/**
 * Fetches blocks from peers, and serves them the blocks of this process, with one UCX worker on a thread of its own.
 * Any thread may call the public methods.
 *
 * <p>Peers trust each other: they share a secret, which seals the addresses that they connect to. Whoever starts a
 * transport closes it, once all received blocks are released.
 */
public final class Transport implements BlockTransport {

    private static final Pattern RESOURCE = Pattern.compile("resource .*\\s(\\w+/[\\w:.-]+)");

    private final TransportLog log;
    private final Readers readers;
    private final EventLoop loop;
    private final UcpContext ucx;
    private final UcpWorker worker;
    private final TransportContext context;
    private final Inbox inbox; // used on the loop's thread only, like the following fields
    private volatile Peers peers; // null until all of this is made: until then, nobody has the address
    private long lastCall;
    private boolean closed;
    private boolean stopped; // guarded by this: only received blocks and UCX's context are left
    private boolean ended; // guarded by this

    private Transport(
            Settings settings,
            byte[] secret,
            BlockSource source,
            BiConsumer<String, Throwable> lines,
            Consumer<Figures.OfTransport> found) {
        this.log = new TransportLog(lines);
        var made = new ArrayDeque<AutoCloseable>();
        try {
            this.ucx = keep(made, newContext(settings));
            this.readers = keep(made, new Readers(settings.readers()));
            this.loop = keep(
                    made,
                    EventLoop.start(config -> config.thread(this::newThread)
                            .spin(Duration.ZERO) // other parts are under way, and tasks want the processor
                            .exceptionHandler(e -> log.log("the transport's thread goes on after an exception", e))));
            this.inbox = new Inbox(loop, this::handle);
            this.worker =
                    keep(made, ucx.createWorker(loop, config -> config.handler(NodeConnector.ID, this::onMessage)));
            byte[] own = secret.clone();
            this.context = new TransportContext(
                    settings,
                    source,
                    log,
                    new Figures(found),
                    new TransportTasks(loop, readers, log),
                    new TransportMemory(ucx, settings, log),
                    new NodeConnector(
                            worker,
                            own,
                            Node.of(new SecureRandom().nextLong(), loop.call(worker::address), own),
                            settings.sealing()));
            this.peers = new Peers(context);
            loop.execute(context.memory()::prepare);
        } catch (RuntimeException | Error e) {
            closeAll(made, e);
            throw e;
        }
    }

    private static UcpContext newContext(Settings settings) {
        return UcpContext.create(config -> {
            config.features(EnumSet.of(UcpFeature.AM, UcpFeature.RMA, UcpFeature.WAKEUP));
            UcxDefaults.set(config);
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
    @Override
    public Node node() {
        return context.connector().node();
    }

    /**
     * The counters.
     *
     * @return live counters
     */
    @Override
    public Figures figures() {
        return context.figures();
    }

    /**
     * How much memory is registered for blocks and messages.
     *
     * @return bytes
     */
    @Override
    public long pinnedBytes() {
        return context.memory().pinnedBytes();
    }

    /**
     * How many slices of received and of served blocks are in use.
     *
     * @return their number
     */
    @Override
    public long slicesOut() {
        return context.memory().slicesOut();
    }

    /**
     * How much ordinary memory received blocks take.
     *
     * @return bytes
     */
    public long unpooledBytes() {
        return context.memory().ordinary().bytes();
    }

    /**
     * What UCX may use, as text.
     *
     * @return transports and devices, such as {@code tcp/eth0}
     */
    public String transports() {
        return String.join(", ", NodeConnector.names(RESOURCE, ucx.info()));
    }

    /**
     * Connects to a peer, unless there is a connection already, so that the first fetch does not wait for it. Does not
     * block. If it cannot connect, the log says so.
     *
     * @param to the peer
     */
    public void connect(Node to) {
        try {
            loop.execute(() -> connectOnLoop(to));
        } catch (RejectedExecutionException e) {
            assert e != null; // this process ends
        }
    }

    private void connectOnLoop(Node to) {
        if (!closed) {
            try {
                var _ = peers.to(to);
            } catch (UcxException | IllegalArgumentException e) {
                log.log("UCX cannot connect: " + e.getMessage());
            }
        }
    }

    @Override
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
            var call = new Call(context, ++lastCall, some, begin, listener, sinks);
            try {
                begin(from, call);
            } catch (Throwable e) { // whatever went wrong, a Spark task waits for each block
                log.log("a request could not be sent", e);
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
            log.dropped("a message of " + message.length() + " bytes is dropped: it is too long");
            return;
        }
        inbox.add(ByteBuffer.wrap(message.data().toArray()));
    }

    private void handle(ByteBuffer message) {
        if (!closed && peers != null) { // otherwise a hello would create an endpoint that nobody closes
            peers.handle(message);
        }
    }

    /** For tests, as {@link #peers}. */
    TransportContext context() {
        return context;
    }

    Peers peers() {
        return peers;
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
            context.memory().closeServing();
            loop.close();
            stopped = true;
        }
        context.memory().closeReceived();
        ucx.close();
        ended = true;
    }

    private CompletableFuture<Void> closePeers() {
        closed = true;
        return peers.close();
    }
}
