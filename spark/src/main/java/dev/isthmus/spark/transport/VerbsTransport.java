// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import dev.isthmus.CmException;
import dev.isthmus.RdmaException;
import dev.isthmus.buffers.RegionPool;
import dev.isthmus.cm.Admission;
import dev.isthmus.cm.CmEvent;
import dev.isthmus.cm.ConnectionGroup;
import dev.isthmus.cm.GroupHandler;
import dev.isthmus.cm.GroupMember;
import dev.isthmus.cm.PrivateData;
import dev.isthmus.loop.EventLoop;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;

/**
 * Fetches blocks by RDMA READ out of the peer's shuffle files, which the peer has mapped and registered for reading, and
 * serves the blocks of this process in the same way. Nothing is copied, and the serving side's processor only says where
 * blocks lie. Blocks that cannot be fetched so, for whatever reason, are refused: they need other means.
 *
 * <p>Each direction between two processes has a connection of its own, made by rdma_cm when the first block is
 * fetched. Peers trust each other: they share a secret, which seals addresses, greetings and messages.
 */
public final class VerbsTransport implements BlockTransport {

    /** The most connections, of both directions; beyond that, the one that has been idle for longest is ended. */
    static final int MAX_CONNECTIONS = 64;

    private static final int SENDS = 64; // of a connection at a time
    private static final int MAX_REMEMBERED = 1000; // connections that were begun
    private static final int MAX_FILES = 1000;
    private static final long RECEIVE = 1L << 62; // marks the numbers of receives

    private final VerbsContext context;
    private final byte[] secret;
    private final Node node;
    private final EventLoop loop;
    private final Readers readers;
    private final ConnectionGroup group;
    private final RegisteredMemory messages; // that arrive
    private final ReceiveRequest receive;
    private final SendRequest request;
    private final Map<Long, VerbsOperation> operations = new HashMap<>(); // that are posted
    private final Map<Long, VerbsOutgoing> outgoing = new HashMap<>(); // by the peer's id
    private final Set<VerbsPeer> peers = new HashSet<>();
    private final int maxConnections;
    private final int maxEnding; // of the connections that are ended for the sake of others, at a time
    private long lastOperation;
    private long lastCall;
    private int ending;
    private boolean closed;
    private boolean stopped; // guarded by this: only received blocks and what they lie in are left
    private boolean over; // guarded by this

    private VerbsTransport(
            Settings settings,
            InetAddress local,
            long fileBytes,
            int maxConnections,
            byte[] secret,
            BlockSource source,
            BiConsumer<String, Throwable> lines) {
        var log = new TransportLog(lines);
        this.maxConnections = maxConnections;
        this.maxEnding = Math.max(8, maxConnections / 4);
        int count = 2 * VerbsPeer.MAX_CALLS * maxConnections; // of receives: a call takes two messages
        long id = new SecureRandom().nextLong();
        this.secret = secret.clone();
        this.readers = new Readers(settings.readers());
        EventLoop started = null;
        ConnectionGroup opened = null;
        boolean done = false;
        try {
            started = EventLoop.start(config -> config.thread(VerbsTransport::newThread)
                    .exceptionHandler(e -> log.log("the transport's thread goes on after an exception", e)));
            this.loop = started;
            PrivateData greeting = PrivateData.of(VerbsAddress.greeting(id, this.secret));
            opened = ConnectionGroup.open(
                    started,
                    local,
                    new Handler(),
                    config -> config.receives(count)
                            .completions(count + SENDS * (maxConnections + maxEnding))
                            .queuePair(of -> of.maxSendWr(SENDS))
                            .parameters(of -> of.privateData(greeting)));
            this.group = opened;
            var pd = group.protectionDomain();
            // The group closes them, the last one first, between its queue pairs and the protection domain.
            this.context = loop.call(() -> new VerbsContext(
                    settings,
                    new VerbsSeals(id, this.secret),
                    source,
                    log,
                    new Figures(ofTransport -> {}),
                    new TransportTasks(loop, readers, log),
                    group.closeWith(RegionPool.create(
                            pd, settings.sliceBytes(), settings.receivingBytes(), AccessFlag.LOCAL_WRITE)),
                    group.closeWith(RegionPool.create(
                            pd, VerbsMessage.MAX_BYTES, settings.messageBytes(), AccessFlag.LOCAL_WRITE)),
                    group.closeWith(new FileRegions(pd, fileBytes, MAX_FILES))));
            this.messages = loop.call(() -> {
                group.closeWith(this::endOperations);
                return group.allocate((long) count * VerbsMessage.MAX_BYTES, AccessFlag.LOCAL_WRITE);
            });
            this.receive = loop.call(() -> ReceiveRequest.prepare(messages.region()));
            this.request = loop.call(() -> SendRequest.prepare(1));
            this.node = loop.call(() -> {
                for (int i = 0; i < count; i++) {
                    postReceive(i);
                }
                return VerbsAddress.node(id, group.listen(0, config -> config.admission(this::admit)), this.secret);
            });
            done = true;
        } finally {
            if (!done) {
                closeAll(opened, started);
            }
        }
    }

    private void closeAll(ConnectionGroup opened, EventLoop started) {
        if (opened != null) {
            started.call(() -> {
                opened.close();
                return null;
            });
        }
        if (started != null) {
            started.close();
        }
        readers.close();
    }

    private static Thread newThread(Runnable runs) {
        var thread = new Thread(runs, "isthmus-spark-verbs");
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Starts a transport on the device that has an address.
     *
     * @param settings the settings; its serving memory and its credits have no use here
     * @param local the device's address
     * @param fileBytes how much of the shuffle files may be registered at a time
     * @param secret the secret of all peers
     * @param source the blocks of this process
     * @param log takes messages for people; the exception may be null
     * @return the transport, which the caller closes
     * @throws dev.isthmus.RdmaUnavailableException if librdmacm or the kernel's part is missing
     * @throws RdmaException if no RDMA device has the address, or the system allows too little memory to be locked
     */
    public static VerbsTransport start(
            Settings settings,
            InetAddress local,
            long fileBytes,
            byte[] secret,
            BlockSource source,
            BiConsumer<String, Throwable> log) {
        return start(settings, local, fileBytes, MAX_CONNECTIONS, secret, source, log);
    }

    /** With another number of connections, for tests. */
    static VerbsTransport start(
            Settings settings,
            InetAddress local,
            long fileBytes,
            int maxConnections,
            byte[] secret,
            BlockSource source,
            BiConsumer<String, Throwable> log) {
        return new VerbsTransport(settings, local, fileBytes, maxConnections, secret, source, log);
    }

    private Admission admit(CmEvent.ConnectRequest asked) {
        try {
            long from = VerbsAddress.sender(asked.parameters().privateData().bytes(), secret);
            if (closed || !isRoomForOneMore()) {
                context.log().log("peer " + Long.toHexString(from) + " may not connect: there are " + group.size());
                return Admission.reject(PrivateData.NONE);
            }
            return Admission.accept();
        } catch (IllegalArgumentException e) {
            context.log().dropped("a stranger may not connect: " + e.getMessage());
            return Admission.reject(PrivateData.NONE);
        }
    }

    /** Ends the connection that has been idle for longest, if there would be too many; false if none is idle. */
    private boolean isRoomForOneMore() {
        if (group.size() - ending < maxConnections) {
            return true;
        }
        Optional<VerbsPeer> idle =
                peers.stream().filter(VerbsPeer::isIdle).min(Comparator.comparingLong(VerbsPeer::lastUse));
        if (idle.isEmpty() || ending >= maxEnding) {
            return false;
        }
        ending++;
        idle.get().leave();
        return true;
    }

    @Override
    public Node node() {
        return node;
    }

    @Override
    public Figures figures() {
        return context.figures();
    }

    @Override
    public long pinnedBytes() {
        return context.received().pinnedBytes()
                + context.sends().pinnedBytes()
                + context.files().pinnedBytes();
    }

    @Override
    public long slicesOut() {
        return context.received().slicesOut();
    }

    @Override
    public void fetch(Node from, List<BlockKey> blocks, FetchListener listener, IntFunction<BlockSink> sinks) {
        try {
            List<BlockKey> all = List.copyOf(blocks);
            loop.execute(() -> fetchOnLoop(from, all, listener, sinks));
        } catch (RejectedExecutionException e) {
            for (int i = 0; i < blocks.size(); i++) {
                listener.refused(i, "this process ends");
            }
        }
    }

    private void fetchOnLoop(Node from, List<BlockKey> blocks, FetchListener listener, IntFunction<BlockSink> sinks) {
        for (int begin = 0; begin < blocks.size(); begin += VerbsMessage.MAX_BLOCKS) {
            var some = blocks.subList(begin, Math.min(blocks.size(), begin + VerbsMessage.MAX_BLOCKS));
            var call = new VerbsCall(context, ++lastCall, some, begin, listener, sinks);
            try {
                if (closed) {
                    call.refuse("this process ends");
                } else {
                    to(from).begin(call);
                }
            } catch (RdmaException | IllegalArgumentException e) {
                call.refuse("verbs cannot connect: " + e.getMessage());
            }
        }
    }

    private VerbsOutgoing to(Node to) {
        VerbsOutgoing known = outgoing.get(to.id());
        if (known != null && !known.mayFollow()) {
            return known;
        }
        if (!isRoomForOneMore()) {
            throw new IllegalArgumentException("there are " + group.size() + " connections already, none of them idle");
        }
        if (outgoing.size() >= MAX_REMEMBERED) {
            outgoing.values().removeIf(VerbsOutgoing::mayFollow);
        }
        var added = new VerbsOutgoing(context, to.id());
        outgoing.put(to.id(), added);
        try {
            var connected = group.connect(
                    VerbsAddress.open(to, secret), context.settings().connecting());
            var _ = connected.whenComplete((member, failure) -> added.connected(
                    member == null ? null : (VerbsPeer) member.attachment(),
                    failure == null ? "" : failure.getMessage()));
        } catch (RuntimeException e) {
            added.connected(null, e.getMessage());
            throw e;
        }
        return added;
    }

    /** What a posted operation needs, before it is posted. */
    SendRequest request(VerbsOperation operation) {
        operations.put(++lastOperation, operation);
        return request.wrId(lastOperation).signaled(true);
    }

    /** The request that was made last has not been posted. */
    void withdraw() {
        operations.remove(lastOperation);
    }

    private void postReceive(long slot) {
        group.receives()
                .post(receive.range(slot * VerbsMessage.MAX_BYTES, VerbsMessage.MAX_BYTES)
                        .wrId(RECEIVE | slot));
    }

    /** Everything that happens to connections, on the loop's thread. */
    private final class Handler implements GroupHandler {

        @Override
        public void connected(GroupMember member) {
            var peer = new VerbsPeer(context, VerbsTransport.this, member);
            member.attach(peer);
            peers.add(peer);
            context.figures().peersConnected.increment();
            if (member.isIncoming()) { // admit() has checked the greeting
                peer.challenge(
                        VerbsAddress.sender(member.parameters().privateData().bytes(), secret));
            }
        }

        @Override
        public void completed(GroupMember member, WorkCompletions done, int index) {
            long number = done.wrId(index);
            if ((number & RECEIVE) == 0) {
                var peer = (VerbsPeer) member.attachment();
                VerbsOperation operation = operations.remove(number);
                if (operation != null) { // otherwise its connection has ended before
                    peer.completed(operation, done.isSuccess(index));
                }
                peer.post();
                return;
            }
            long slot = number & ~RECEIVE;
            boolean arrived = done.isSuccess(index);
            byte[] bytes = new byte[arrived ? (int) done.byteLength(index) : 0];
            if (arrived) {
                messages.segment()
                        .asSlice(slot * VerbsMessage.MAX_BYTES, bytes.length)
                        .asByteBuffer()
                        .get(bytes);
            }
            if (!closed) {
                postReceive(slot);
            }
            if (arrived) {
                ((VerbsPeer) member.attachment()).handle(ByteBuffer.wrap(bytes));
            }
        }

        @Override
        public void completedAfterEnd(WorkCompletions done, int index) {
            long number = done.wrId(index);
            if ((number & RECEIVE) == 0) {
                VerbsOperation operation = operations.remove(number);
                if (operation != null) {
                    operation.end(false);
                }
            } else if (!closed) {
                postReceive(number & ~RECEIVE);
            }
        }

        @Override
        public void ended(GroupMember member, CmException how) {
            var peer = (VerbsPeer) member.attachment();
            if (peer != null) {
                context.figures().peersFailed.add(closed || peer.isGone() ? 0 : 1);
                ending -= !closed && peer.isGone() ? 1 : 0; // for the sake of another
                peers.remove(peer);
                peer.end(how.getMessage());
                // In a later turn, as the queue pair, and with it what it still does, ends when this returns.
                loop.execute(() -> {
                    operations.values().removeIf(operation -> operation.endIfOf(peer));
                    peer.endUnconfirmed();
                });
            }
        }
    }

    /** The queue pairs are gone: nothing is under way. */
    private void endOperations() {
        var all = List.copyOf(operations.values());
        operations.clear();
        all.forEach(operation -> operation.end(false));
        peers.forEach(VerbsPeer::endUnconfirmed);
    }

    @Override
    public synchronized void close() {
        if (loop.isCurrent()) {
            throw new IllegalStateException("the transport's own thread cannot close it");
        }
        if (over) {
            return;
        }
        if (!stopped) {
            loop.call(() -> {
                endPeers();
                return null;
            });
            readers.close();
            stopped = true;
        }
        group.close(); // throws if received blocks are held
        loop.close();
        over = true;
    }

    private void endPeers() {
        closed = true;
        outgoing.values().forEach(one -> one.end("this process ends"));
        peers.forEach(peer -> peer.end("this process ends"));
        peers.clear();
    }
}
