// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import dev.isthmus.CmException;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.loop.EventLoop;
import dev.isthmus.loop.Registration;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.CompletionChannel;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairConfig;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.SharedReceiveQueue;
import dev.isthmus.verbs.WorkCompletions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Connections that share one protection domain, one completion queue, one shared receive queue and the thread of one
 * event loop. A member costs a queue pair and a connection id, but no file descriptor. The thread sleeps while all
 * are idle.
 *
 * {@snippet :
 * var group = ConnectionGroup.open(loop, address, handler, config -> config.receives(1024));
 * var memory = group.allocate(1024 * SIZE, AccessFlag.LOCAL_WRITE);
 * ReceiveRequest receive = ReceiveRequest.prepare(memory.region());
 * for (int i = 0; i < 1024; i++) {
 *     group.receives().post(receive.range(i * SIZE, SIZE).wrId(i)); // a message takes any of them
 * }
 * group.listen(7471, config -> {});
 * loop.run(); // calls the handler when a peer has come or gone, and when a request has completed
 * }
 *
 * <p>A group, its members and everything created by it belong to the thread of its loop. It uses the one device that
 * has its address.
 */
public final class ConnectionGroup implements AutoCloseable {

    private static final int BATCH = 64;
    private static final int BATCHES = 16; // per turn of the loop
    private static final Duration DEFAULT_FLUSH = Duration.ofMillis(100); // if nothing marks its end
    private static final Duration MAX_FLUSH = Duration.ofSeconds(10); // for a device that does not complete everything
    private static final int DEFAULT_HANDSHAKES = 1024;
    private static final int MAX_MARKERS = 64; // for which the completion queue has extra capacity
    private static final int ETIMEDOUT = 110;

    private final EventLoop loop;
    private final Executor unboundedExecutor; // takes tasks however many the loop has
    private final InetAddress local;
    private final GroupHandler handler;
    private final GroupConfig config;
    private final EventChannel channel;
    private final ProtectionDomain pd;
    private final CompletionChannel completionChannel;
    private final CompletionQueue completions;
    private final SharedReceiveQueue receives;
    private final Registration events;
    private final Registration completionEvents;
    private final OwnerThread owner;
    private final Lifetime lifetime;
    private final OwnedResources owned = new OwnedResources();
    private final Map<ConnectionId, ListenerConfig> listening = new HashMap<>();
    private final Set<GroupMember> members = new HashSet<>();
    private final Deque<GroupMember> awaitingMarker = new ArrayDeque<>(); // ending members that have not posted it
    private final List<GroupMember> finishing = new ArrayList<>();
    private final WorkCompletions done = WorkCompletions.allocate(BATCH);
    private int handled; // of the completions that were polled last
    private int polled;
    private int handshakes;
    private int markers; // that are posted and not completed
    private ConnectionId requested; // the id of the request that is being handled; else null
    private boolean ending; // no handler is called any more

    private ConnectionGroup(EventLoop loop, InetAddress local, GroupHandler handler, GroupConfig config, Undo undo) {
        this.loop = loop;
        this.local = local;
        this.handler = handler;
        this.config = config;
        this.channel = undo.add(EventChannel.open());
        DeviceContext device = device();
        this.pd = undo.add(device.allocateProtectionDomain());
        this.completionChannel = undo.add(device.createCompletionChannel());
        this.completions = undo.add(device.createCompletionQueue(
                config.setup().completions() + MAX_MARKERS, of -> of.channel(completionChannel)));
        this.receives = undo.add(pd.createSharedReceiveQueue(of -> of.maxWr(config.receives())));
        this.events = undo.add(loop.add(channel, this::onEvent));
        this.completionEvents = undo.add(loop.add(completionChannel, queue -> onCompletions()));
        completions.requestNotify(false);
        // Last, so that an earlier failure leaves nothing that keeps the loop open.
        this.unboundedExecutor = Natives.part(loop, Executor.class);
        this.lifetime = new Lifetime("ConnectionGroup", local.getHostAddress(), Natives.lifetime(loop));
        this.owner = new OwnerThread(lifetime);
    }

    /** The device of the address, found by binding an id to it. */
    private DeviceContext device() {
        try (ConnectionId id = channel.createId(PortSpace.TCP)) {
            id.bind(new InetSocketAddress(local, 0));
            return id.device();
        }
    }

    /**
     * Opens a group without members on the loop's thread, and waits until that is done.
     *
     * @param loop hands events and completions to the group; close it after the group
     * @param local an address of the device that all members use
     * @param handler called for members and completions
     * @param configurer sets what differs from the defaults
     * @return the group
     * @throws IllegalArgumentException if the address is the wildcard, which belongs to no device
     * @throws dev.isthmus.RdmaUnavailableException if librdmacm or the kernel's rdma_cm is missing, or any device
     * @throws CmException with NO_DEVICE if no RDMA device has the address
     */
    public static ConnectionGroup open(
            EventLoop loop, InetAddress local, GroupHandler handler, Consumer<GroupConfig> configurer) {
        if (local.isAnyLocalAddress()) {
            throw new IllegalArgumentException(
                    "a group has one device, and " + local.getHostAddress() + " is no device's: name an address of it");
        }
        return loop.call(() -> {
            var config = new GroupConfig();
            config.filling.by(configurer, config);
            try (var undo = new Undo()) {
                var group = new ConnectionGroup(loop, local, handler, config, undo);
                undo.keep();
                return group;
            }
        });
    }

    /**
     * Listens for members: {@code rdma_bind_addr}, {@code rdma_listen}. Turns of the loop answer any number of requests
     * at once. A peer that does not finish its handshake is dropped after a while.
     *
     * @param port the port, or 0 to let the kernel choose
     * @param configurer sets which peers to admit, and more. {@link ListenerConfig#connections} has no effect here: the
     *     group's configuration says how to set up members
     * @return the address and port
     * @throws CmException with ADDRESS_IN_USE if another socket listens there
     * @throws IllegalStateException if this is closed
     * @throws WrongThreadException if this belongs to another thread
     */
    public InetSocketAddress listen(int port, Consumer<ListenerConfig> configurer) {
        check();
        var listenerConfig = new ListenerConfig();
        listenerConfig.filling.by(configurer, listenerConfig);
        try (var undo = new Undo()) {
            ConnectionId id = undo.add(channel.createId(PortSpace.TCP));
            listenerConfig.applyOptions(id);
            id.bind(new InetSocketAddress(local, port));
            id.listenFor(listenerConfig.backlog());
            listening.put(id, listenerConfig);
            undo.keep();
            return id.localAddress();
        }
    }

    /**
     * Connects to a peer. Does not block, except on iWARP in the last step.
     *
     * @param to its address and port
     * @param deadline how long it may take in all
     * @return completed in a turn of the loop, after {@link GroupHandler#connected}. It completes with a
     *     {@link CmException} that says why if there is no connection, and with an IllegalStateException if this is
     *     closed first. If you cancel it, the connection ends as soon as it is established
     * @throws IllegalArgumentException if the address is not resolved, or the deadline not positive
     * @throws IllegalStateException if this is closed
     * @throws WrongThreadException if this belongs to another thread
     */
    public CompletableFuture<GroupMember> connect(InetSocketAddress to, Duration deadline) {
        check();
        if (!deadline.isPositive()) {
            throw new IllegalArgumentException("a deadline must be positive, not " + deadline);
        }
        try (var undo = new Undo()) {
            ConnectionId id = undo.add(channel.createId(PortSpace.TCP));
            config.setup().applyOptions(id);
            var wanted = new CompletableFuture<GroupMember>();
            var member = new GroupMember(this, id, to, wanted);
            member.resolve(new InetSocketAddress(local, 0));
            limit(member, deadline, to.toString());
            undo.keep();
            return wanted;
        }
    }

    /** Adds a member, with a time limit on its handshake. */
    private void limit(GroupMember member, Duration time, String peer) {
        members.add(member);
        handshakes += member.isIncoming() ? 1 : 0;
        member.setDeadline(loop.schedule(
                time,
                () -> member.beginEnd(CmFailures.timedOut("connect", member.id() + " to " + peer, time, "handshake"))));
    }

    private void onEvent(CmEvent event) {
        if (event instanceof CmEvent.ConnectRequest request) {
            onRequest(request);
        } else if (event.id().attachment() instanceof GroupMember member) {
            onEvent(event, member);
        } else if (event instanceof CmEvent.DeviceRemoval) {
            throw CmFailures.of(event, toString());
        }
    }

    private void onEvent(CmEvent event, GroupMember member) {
        try {
            switch (event) {
                case CmEvent.AddressResolved resolved -> member.id().resolveRoute(Duration.ofDays(20));
                case CmEvent.AddressError error
                when error.status() == -ETIMEDOUT && member.isConnecting() ->
                    member.resolve(new InetSocketAddress(local, 0));
                case CmEvent.RouteResolved resolved -> connect(member);
                case CmEvent.Established established
                when member.isConnecting() -> member.connected(established.parameters());
                default -> {
                    CmException failure = CmFailures.of(event, member.toString());
                    if (failure != null) {
                        member.beginEnd(failure);
                    }
                }
            }
        } catch (CmException e) {
            member.beginEnd(e);
        }
    }

    private void connect(GroupMember member) {
        QueuePair queuePair = createQueuePair(member.id());
        if (queuePair != null) {
            member.setQueuePair(queuePair);
            member.id().connect(config.setup().parameters());
        }
    }

    /** Returns null if a handler has closed this. */
    private QueuePair createQueuePair(ConnectionId id) {
        onCompletions(); // first, as the new queue pair may get an old one's number
        if (ending) {
            return null;
        }
        Consumer<QueuePairConfig> shared = of -> of.sharedReceiveQueue(receives);
        return id.createQueuePair(
                pd, completions, completions, config.setup().queuePair().andThen(shared));
    }

    private void onRequest(CmEvent.ConnectRequest request) {
        ConnectionId id = request.id();
        ListenerConfig listener = listening.get(request.listener());
        requested = id;
        try (var undo = new Undo()) {
            undo.add(id); // closing it rejects it
            if (listener == null || handshakes >= listener.handshakesOr(DEFAULT_HANDSHAKES)) {
                return;
            }
            Admission admission = listener.admission().apply(request);
            if (ending) {
                return;
            }
            if (!admission.isAccepted()) {
                Answers.reject(id, admission.privateData());
                return;
            }
            config.setup().applyOptions(id);
            QueuePair queuePair = createQueuePairUnlessEnded(id);
            if (queuePair == null) {
                return;
            }
            undo.add(queuePair);
            if (Answers.accept(id, config.setup().parameters(), admission.privateData())) {
                var member = new GroupMember(this, id, request.parameters());
                member.setQueuePair(queuePair);
                limit(member, listener.handshakeTimeout(), "its peer");
                undo.keep();
            }
        } finally {
            requested = null;
        }
    }

    private QueuePair createQueuePairUnlessEnded(ConnectionId id) {
        try {
            return createQueuePair(id);
        } catch (CmException e) {
            if (Answers.hasEnded(id)) {
                return null;
            }
            throw e;
        }
    }

    private void onCompletions() {
        if (ending) {
            return;
        }
        boolean all = false;
        try {
            completions.requestNotify(false); // before the polls, so that later completions raise an event
            all = handleCompletions();
        } finally {
            if (!all && !ending) {
                // more are left than one turn handles, or the handler has thrown
                unboundedExecutor.execute(this::onCompletions);
            }
        }
    }

    /** Returns whether there were no more. */
    private boolean handleCompletions() {
        for (int i = 0; i < BATCHES; i++) {
            while (handled < polled) {
                complete(handled++);
            }
            if (ending) {
                return true;
            }
            handled = 0;
            polled = completions.poll(done);
            if (polled == 0) {
                finish();
                postMarkers();
                return true;
            }
        }
        return false;
    }

    private void complete(int i) {
        QueuePair queuePair = completions.queuePair(done.qpNum(i));
        GroupMember member = queuePair == null ? null : (GroupMember) queuePair.attachment();
        if (GroupMember.isMarker(done.wrId(i))) {
            if (member != null && member.isMarkerPosted()) {
                markers--;
                finishSoon(member);
            }
        } else if (member == null) {
            handler.completedAfterEnd(done, i);
        } else if (member.isConnecting() && !done.isSuccess(i)) {
            handler.completedAfterEnd(done, i);
        } else {
            if (member.isConnecting()) { // its first message arrived before the event
                member.connected(null);
            }
            if (!ending) {
                handler.completed(member, done, i);
            }
        }
    }

    /** Lets an ending member post its marker when there is room for it, and finishes it when that has completed. */
    void finish(GroupMember member, boolean marks) {
        member.limitFlush(loop.schedule(marks ? MAX_FLUSH : DEFAULT_FLUSH, () -> overdue(member)));
        if (marks) {
            awaitingMarker.add(member);
            postMarkers();
        }
    }

    private void overdue(GroupMember member) {
        awaitingMarker.remove(member);
        markers -= member.isMarkerPosted() ? 1 : 0;
        finishSoon(member);
        onCompletions(); // first handles the completions so far
    }

    private void finishSoon(GroupMember member) {
        member.markerCompleted();
        finishing.add(member);
    }

    private void postMarkers() {
        for (int i = awaitingMarker.size(); i > 0 && markers < MAX_MARKERS; i--) {
            GroupMember next = awaitingMarker.remove();
            if (next.postMarker()) {
                markers++;
            } else {
                awaitingMarker.add(next); // its queue is full of requests that are being flushed
            }
        }
    }

    private void finish() {
        while (!finishing.isEmpty()) {
            finishing.removeLast().finish();
        }
    }

    /** Notes that a member's handshake is over, one way or the other. */
    void handshakeEnded(GroupMember member) {
        handshakes -= member.isIncoming() ? 1 : 0;
    }

    void remove(GroupMember member) {
        members.remove(member);
    }

    GroupHandler handler() {
        return handler;
    }

    /** Checks that it is open, and the caller its thread. */
    void check() {
        owner.check();
    }

    /**
     * How many members there are, including those that are connecting or ending.
     *
     * @return their number
     */
    public int size() {
        return members.size();
    }

    /**
     * The queue for the receives of all members.
     *
     * @return the queue, which this closes
     */
    public SharedReceiveQueue receives() {
        return receives;
    }

    /**
     * Where you register memory; {@link #allocate} is simpler.
     *
     * @return the protection domain, which this closes; first close what you register in it, or pass that to
     *     {@link #closeWith}
     */
    public ProtectionDomain protectionDomain() {
        return pd;
    }

    /**
     * Allocates and registers memory, which this closes.
     *
     * @param bytes how much
     * @param access what the device and the peers may do with it
     * @return the memory, as {@link ProtectionDomain#allocate} returns it
     * @throws IllegalArgumentException if {@code bytes} is not positive, or the flags make no sense
     * @throws dev.isthmus.VerbsException if the call fails
     * @throws IllegalStateException if this is closed
     * @throws WrongThreadException if this belongs to another thread
     */
    public RegisteredMemory allocate(long bytes, AccessFlag... access) {
        check();
        return closeWith(pd.allocate(bytes, access));
    }

    /**
     * Closes a resource together with this: after the queue pairs, before the protection domain, and the last one
     * added first.
     *
     * @param <T> its type
     * @param resource what to close; its close throws no checked exception
     * @return the resource
     * @throws IllegalStateException if this is closed
     * @throws WrongThreadException if this belongs to another thread
     */
    public <T extends AutoCloseable> T closeWith(T resource) {
        check();
        return owned.add(resource);
    }

    /**
     * Closes the group and its members at once, without calling the handler. The handler may call it. Connections that
     * are not established yet fail. If the loop was started, any thread can close the group. Does nothing if it is
     * closed already.
     *
     * @throws IllegalStateException if memory registered in it is not closed; close that, and try again
     * @throws WrongThreadException if this belongs to another thread
     * @throws dev.isthmus.RdmaException if a call fails; you can try again
     */
    @Override
    public void close() {
        if (lifetime.isOpen()) {
            loop.call(() -> {
                owner.close(this::closeAll);
                return null;
            });
        }
    }

    private void closeAll() {
        ending = true;
        handled = polled;
        if (requested != null) {
            requested.close();
        }
        List.copyOf(listening.keySet()).forEach(id -> {
            id.close();
            listening.remove(id);
        });
        finishing.clear();
        awaitingMarker.clear();
        List.copyOf(members).forEach(GroupMember::close);
        events.close();
        for (CmEvent event = channel.poll(); event != null; event = channel.poll()) {
            event.id().close(); // a request that came before
        }
        owned.close();
        completionEvents.close();
        receives.close();
        completions.close();
        completionChannel.close();
        pd.close();
        channel.close();
    }

    /** The class, and the address. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
