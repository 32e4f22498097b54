package dev.isthmus.cm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.isthmus.bindings.ibverbs.ibv_ece;
import dev.isthmus.bindings.ibverbs.ibv_qp_attr;
import dev.isthmus.bindings.ibverbs.rdma_addr;
import dev.isthmus.bindings.ibverbs.rdma_cm_id;
import dev.isthmus.bindings.ibverbs.rdma_route;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.NativeFunction;
import dev.isthmus.internal.cm.CmCall;
import dev.isthmus.internal.cm.CmDevices;
import dev.isthmus.internal.cm.Librdmacm;
import dev.isthmus.internal.cm.SocketAddresses;
import dev.isthmus.internal.verbs.VerbsSeam;
import dev.isthmus.verbs.AsyncEventType;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.ConnectionEstablishment;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairConfig;
import dev.isthmus.verbs.QueuePairState;
import dev.isthmus.verbs.QueuePairTransition;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * A connection, from its address to its end, or what listens for connections: {@code struct rdma_cm_id}.
 *
 * <p>Each call begins something, and an event of the {@link EventChannel} tells how it went. Who connects calls {@link
 * #resolveAddress}, {@link #resolveRoute}, {@link #createQueuePair} and {@link #connect}, each after the event of the one
 * before; who serves calls {@link #bind} and {@link #listen}, and answers each {@link CmEvent.ConnectRequest} on the new
 * id that it carries.
 *
 * <p>Any thread may use it; calls on one id exclude each other. Its queue pair, as any, belongs to the thread that created
 * it. Owned by who created it, or took the request that it came with; closed after its queue pair, before its channel.
 */
public final class ConnectionId implements AutoCloseable {

    private static final int OPTION_LEVEL_ID = 0; // RDMA_OPTION_ID
    private static final int OPTION_TOS = 0; // RDMA_OPTION_ID_TOS, and so on
    private static final int OPTION_REUSE_ADDRESS = 1;
    private static final int OPTION_AF_ONLY = 2;
    private static final int OPTION_ACK_TIMEOUT = 3;

    private final PortSpace space;
    private final ConnectionId listener; // null when it did not come with a request
    private final Lifetime lifetime;
    private final MemorySegment handle;
    private final Memberships memberships;

    /** Held during a call into C on this, except the one that destroys it. */
    private final ReentrantLock calls = new ReentrantLock();

    private volatile EventChannel channel;
    private volatile Lifetime onChannel; // keeps the channel open, until this moves on to another
    private volatile DeviceContext device; // null until it is asked for
    private volatile QueuePair queuePair; // null when there is none
    private volatile Phase phase;
    private volatile Object attachment; // the program's own; null when there is none

    private ConnectionId(
            EventChannel channel, Lifetime onChannel, PortSpace space, ConnectionId listener, MemorySegment handle) {
        this.channel = channel;
        this.onChannel = onChannel;
        this.space = space;
        this.listener = listener;
        this.handle = NativeCall.sized(handle, rdma_cm_id.sizeof());
        this.lifetime = new Lifetime("ConnectionId", space + ", 0x" + Long.toHexString(handle.address()));
        this.memberships = new Memberships(this, this.handle);
        this.phase = listener == null ? Phase.CREATED : Phase.REQUESTED;
    }

    static ConnectionId create(EventChannel channel, PortSpace space) {
        if (space == PortSpace.UNKNOWN) {
            throw new IllegalArgumentException("the port space is UNKNOWN");
        }
        Lifetime onChannel = hold(channel);
        return onChannel.open(() -> {
            try (var call = new CmCall(channel.lifetime())) {
                MemorySegment pointer = call.allocate(ADDRESS);
                call.check(
                        Librdmacm.CREATE_ID,
                        channel + ", " + space,
                        channel.handle(),
                        pointer,
                        MemorySegment.NULL,
                        space.code());
                return new ConnectionId(channel, onChannel, space, null, pointer.get(ADDRESS, 0)).added();
            }
        });
    }

    /** The one that came with a request, which is being taken from the channel. */
    static ConnectionId requested(EventChannel channel, MemorySegment handle, ConnectionId listener) {
        return new ConnectionId(channel, hold(channel), listener.space, listener, handle).added();
    }

    private static Lifetime hold(EventChannel channel) {
        return new Lifetime("ConnectionId", channel.toString(), channel.lifetime());
    }

    private ConnectionId added() {
        channel.add(handle, this);
        return this;
    }

    /** Notes what an event tells, on the thread that takes it. */
    void told(CmEvent event) {
        Phase next = Phase.after(event.type());
        if (next != null) {
            phase = next;
        }
        QueuePair qp = queuePair;
        if (qp != null && event instanceof CmEvent.Established) {
            VerbsSeam.get().broughtTo(qp, QueuePairState.RTS);
        } else if (qp != null && (event instanceof CmEvent.Rejected || event instanceof CmEvent.ConnectError)) {
            VerbsSeam.get().broughtTo(qp, QueuePairState.ERR);
        }
    }

    /**
     * Takes a local address, and a port if it has one: {@code rdma_bind_addr}. Port 0 lets the kernel choose. Blocks for
     * a system call.
     *
     * @param address the address; the wildcard is all devices
     * @throws IllegalArgumentException if it is not resolved
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.CmException with ADDRESS_IN_USE if the port is taken, with NO_DEVICE if no RDMA device has the
     *     address
     */
    public void bind(InetSocketAddress address) {
        invoke(Librdmacm.BIND_ADDR, address.toString(), call ->
                new Object[] {handle, SocketAddresses.write(call, address)});
        phase = Phase.BOUND;
    }

    /**
     * Begins to resolve a peer's address: {@code rdma_resolve_addr}. {@link CmEvent.AddressResolved} or {@link
     * CmEvent.AddressError} tells how it went.
     *
     * <p>The kernel can miss the answer of a host that is very near, and looks again only when the time is over (Linux
     * 6.1): several short tries find it sooner. After an error it can be called again.
     *
     * @param to the peer
     * @param timeout how long it may take: 1 ms to 24 days
     * @throws IllegalArgumentException if the address is not resolved, or the timeout out of range
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.CmException with NO_DEVICE if no RDMA device has a way there
     */
    public void resolveAddress(InetSocketAddress to, Duration timeout) {
        resolveAddress(null, to, timeout);
    }

    /**
     * Begins to resolve a peer's address, from a local one: {@code rdma_resolve_addr}.
     *
     * @param from the local address, which decides the device, and the port unless it is 0; null lets the kernel choose
     * @param to the peer
     * @param timeout how long it may take: 1 ms to 24 days
     * @throws IllegalArgumentException if an address is not resolved, or the timeout out of range
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.CmException with NO_DEVICE if no RDMA device has a way there
     */
    public void resolveAddress(InetSocketAddress from, InetSocketAddress to, Duration timeout) {
        int millis = millis(timeout);
        invoke(Librdmacm.RESOLVE_ADDR, (from == null ? "" : from + " ") + "to " + to, Phase.RESOLVING_ADDRESS, call -> {
            MemorySegment source = from == null ? MemorySegment.NULL : SocketAddresses.write(call, from);
            return new Object[] {handle, source, SocketAddresses.write(call, to), millis};
        });
    }

    /**
     * Begins to resolve the route to the peer: {@code rdma_resolve_route}. {@link CmEvent.RouteResolved} or {@link
     * CmEvent.RouteError} tells how it went.
     *
     * @param timeout how long it may take: 1 ms to 24 days
     * @throws IllegalArgumentException if the timeout is out of range
     * @throws IllegalStateException if this is closed, or the address is not resolved
     * @throws dev.isthmus.CmException if the call fails
     */
    public void resolveRoute(Duration timeout) {
        int millis = millis(timeout);
        requireDevice("resolveRoute");
        invoke(Librdmacm.RESOLVE_ROUTE, millis + " ms", Phase.RESOLVING_ROUTE, call -> new Object[] {handle, millis});
    }

    private static int millis(Duration timeout) {
        if (timeout.compareTo(Duration.ofMillis(1)) < 0
                || timeout.compareTo(Duration.ofMillis(Integer.MAX_VALUE)) > 0) {
            throw new IllegalArgumentException("a timeout of " + timeout + " is not between 1 ms and 24 days");
        }
        return Math.toIntExact(timeout.toMillis());
    }

    /**
     * Creates the queue pair of the connection: {@code rdma_create_qp}, or {@code rdma_create_qp_ex} for what only that
     * can do. It is RC, in INIT, or UD, in RTS, as the port space says, and belongs to the calling thread. Events that
     * are taken bring it to the states that the connection needs.
     *
     * @param pd a protection domain of this {@link #device}
     * @param sendCompletions where its sends complete
     * @param receiveCompletions where its receives complete
     * @param configure sets capacities, a shared receive queue, and more
     * @return the queue pair, which the caller closes before this; closing it leaves the id's multicast groups
     * @throws IllegalArgumentException if an object is of another open device: open none, use those of {@link #device}
     * @throws IllegalStateException if this has no device yet, or a queue pair already, or something is closed
     * @throws dev.isthmus.CmException if the call fails
     */
    public QueuePair createQueuePair(
            ProtectionDomain pd,
            CompletionQueue sendCompletions,
            CompletionQueue receiveCompletions,
            Consumer<QueuePairConfig> configure) {
        DeviceContext own = requireDevice("createQueuePair");
        if (pd.context() != own) {
            throw new IllegalArgumentException(pd + " is not of the device as " + this
                    + " has it: allocate it by device().allocateProtectionDomain()");
        }
        calls.lock();
        try {
            if (queuePair != null) {
                throw new IllegalStateException(this + " has a queue pair already: " + queuePair);
            }
            queuePair = VerbsSeam.get()
                    .createQueuePair(
                            pd,
                            space.queuePairType(),
                            sendCompletions,
                            receiveCompletions,
                            configure,
                            new CmQueuePairMaker(this, lifetime, handle));
            return queuePair;
        } finally {
            calls.unlock();
        }
    }

    /** Called when the queue pair is being closed, on its owner's thread. */
    void destroyQueuePair() {
        calls.lock();
        try {
            memberships.leaveAll(); // C forgets a queue pair that the kernel refuses to destroy, as it is in a group
            channel.exclusively(() -> {
                try (var call = new CmCall()) {
                    call.nothing(Librdmacm.DESTROY_QP, handle);
                }
            });
            queuePair = null;
        } finally {
            calls.unlock();
        }
    }

    /**
     * Asks the peer for the connection: {@code rdma_connect}. {@link CmEvent.Established}, {@link CmEvent.Rejected} or
     * {@link CmEvent.Unreachable} tells how it went, and {@link CmEvent.ConnectResponse} where this has no queue pair.
     *
     * <p>On iWARP this can block until the peer's host answers, or the kernel gives up.
     *
     * @param configure sets private data, depths, retries
     * @throws IllegalStateException if this is closed, or has no device
     * @throws dev.isthmus.CmException if the call fails, such as with EINVAL for more private data than fits
     */
    public void connect(Consumer<ConnectionConfig> configure) {
        answer(Librdmacm.CONNECT, "connect", Phase.CONNECTING, configure);
    }

    /**
     * Waits for connections: {@code rdma_listen}. Each tells itself by a {@link CmEvent.ConnectRequest} or {@link
     * CmEvent.DatagramRequest}.
     *
     * @param backlog how many requests wait in the kernel until they are taken; more are rejected. 0 is the most
     * @throws IllegalArgumentException if the backlog is negative
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.CmException with ADDRESS_IN_USE if another one listens there
     */
    public void listen(int backlog) {
        if (backlog < 0) {
            throw new IllegalArgumentException("the backlog is negative: " + backlog);
        }
        invoke(Librdmacm.LISTEN, "backlog " + backlog, call -> new Object[] {handle, backlog});
        phase = Phase.LISTENING;
    }

    /**
     * Accepts a request: {@code rdma_accept}. The queue pair, if this has one, is in RTS then; {@link CmEvent.Established}
     * tells when the peer knows.
     *
     * @param configure sets private data, depths, retries
     * @throws IllegalStateException if this is closed, or has no device
     * @throws dev.isthmus.CmException if the call fails, such as when the peer has gone meanwhile
     */
    public void accept(Consumer<ConnectionConfig> configure) {
        answer(Librdmacm.ACCEPT, "accept", Phase.CONNECTING, configure);
        QueuePair qp = queuePair;
        if (qp != null) {
            VerbsSeam.get().broughtTo(qp, QueuePairState.RTS);
        }
    }

    private void answer(NativeFunction f, String name, Phase next, Consumer<ConnectionConfig> configure) {
        requireDevice(name);
        var config = new ConnectionConfig();
        configure.accept(config);
        invoke(f, config.toString(), next, call -> new Object[] {handle, config.write(call)});
    }

    /**
     * Rejects a request: {@code rdma_reject}. Close this then.
     *
     * @param data what the peer is told; {@link PrivateData#NONE} for nothing
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.CmException if the call fails, such as when this is no request
     */
    public void reject(PrivateData data) {
        reject(Librdmacm.REJECT, data);
    }

    /**
     * Rejects a request because of the vendor's options of the connection: {@code rdma_reject_ece}. Close this then.
     *
     * @param data what the peer is told; {@link PrivateData#NONE} for nothing
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.CmException if the call fails, such as when this is no request
     */
    public void rejectEce(PrivateData data) {
        reject(Librdmacm.REJECT_ECE, data);
    }

    private void reject(NativeFunction f, PrivateData data) {
        invoke(f, data + " of private data", Phase.ENDED, call ->
                new Object[] {handle, ConnectionConfig.copy(call, data), (byte) data.length()});
    }

    /**
     * Ends the connection: {@code rdma_disconnect}. Brings the queue pair to ERR, where what is outstanding is flushed.
     * {@link CmEvent.Disconnected} comes to the peer, who answers by calling this as well, upon which it comes here; or,
     * when nobody answers, after the kernel's tries.
     *
     * @throws IllegalStateException if this is closed, or has no device
     * @throws dev.isthmus.CmException if the call fails, such as when there is no connection
     */
    public void disconnect() {
        requireDevice("disconnect");
        invoke(Librdmacm.DISCONNECT, "", Phase.ENDED, call -> new Object[] {handle});
        QueuePair qp = queuePair;
        if (qp != null) {
            VerbsSeam.get().broughtTo(qp, QueuePairState.ERR);
        }
    }

    /**
     * Tells the kernel of an asynchronous event of the queue pair: {@code rdma_notify}. Only {@link
     * AsyncEventType#COMM_EST} matters to it: data came before the peer's last message, so the connection is there.
     *
     * @param type the event
     * @throws IllegalArgumentException if it is UNKNOWN
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.CmException if the call fails, such as when nothing is being accepted
     */
    public void notifyOf(AsyncEventType type) {
        if (type == AsyncEventType.UNKNOWN) {
            throw new IllegalArgumentException("the event is UNKNOWN");
        }
        invoke(Librdmacm.NOTIFY, type.toString(), call -> new Object[] {handle, type.code()});
    }

    /**
     * Tells the peer that a queue pair of the program's own making is ready: {@code rdma_establish}. Follows a {@link
     * CmEvent.ConnectResponse}.
     *
     * @throws IllegalStateException if this is closed, or has a queue pair, for which events do it
     * @throws dev.isthmus.CmException if the call fails
     */
    public void establish() {
        if (queuePair != null) {
            throw new IllegalStateException(this + " has a queue pair, which is established as its event is taken");
        }
        invoke(Librdmacm.ESTABLISH, "", Phase.ESTABLISHED, call -> new Object[] {handle});
    }

    /**
     * What to set on a queue pair of the program's own making to bring it to a state: {@code rdma_init_qp_attr}.
     *
     * @param state INIT, RTR or RTS
     * @return the step, for {@link QueuePair#modify}; more can be set on it
     * @throws IllegalArgumentException if no program can ask for the state
     * @throws IllegalStateException if this is closed, or has no device
     * @throws dev.isthmus.CmException if the call fails, such as before the peer has answered
     */
    public QueuePairTransition transition(QueuePairState state) {
        QueuePairTransition.to(state); // refuses what no program can ask for
        requireDevice("transition");
        calls.lock();
        try (var call = new CmCall(lifetime).explain(this::help)) {
            MemorySegment attributes = call.allocate(ibv_qp_attr.layout());
            MemorySegment mask = call.allocateInt();
            ibv_qp_attr.qp_state(attributes, state.code());
            call.check(Librdmacm.INIT_QP_ATTR, this + ", " + state, handle, attributes, mask);
            return VerbsSeam.get().transition(state, attributes, mask.get(JAVA_INT, 0));
        } finally {
            calls.unlock();
        }
    }

    /**
     * Moves to another event channel, with all events that were not taken yet: {@code rdma_migrate_id}.
     *
     * @param to where events come from here on; it cannot be closed before this
     * @throws IllegalStateException if this or the channel is closed
     * @throws dev.isthmus.CmException if the call fails
     */
    public void migrate(EventChannel to) {
        calls.lock();
        try {
            EventChannel from = channel;
            if (from == to) {
                return;
            }
            Lifetime onNew = hold(to);
            onNew.open(() -> {
                EventChannel.exclusively(from, to, () -> move(from, to));
                return null;
            });
            onChannel.close(() -> {});
            onChannel = onNew;
            to.wake();
        } finally {
            calls.unlock();
        }
    }

    private void move(EventChannel from, EventChannel to) {
        try (var call = new CmCall(lifetime)) {
            call.check(Librdmacm.MIGRATE_ID, this + " to " + to, handle, to.handle());
            to.add(handle, this);
            from.remove(handle, this);
            channel = to;
        }
    }

    /**
     * Joins a multicast group: {@code rdma_join_multicast}. {@link CmEvent.MulticastJoined} or {@link
     * CmEvent.MulticastError} tells how it went; the first comes when the queue pair, if there is one, is in the group.
     *
     * @param group the address of the group; its port does not matter
     * @return the membership, which ends when it, this or the queue pair is closed
     * @throws IllegalArgumentException if it is not resolved, or no multicast address
     * @throws IllegalStateException if this is closed, or in the group already
     * @throws dev.isthmus.CmException if the call fails, such as when this has no device
     */
    public MulticastMembership joinMulticast(InetSocketAddress group) {
        return join(group, false);
    }

    /**
     * Joins a multicast group to send only: {@code rdma_join_multicast_ex}. As {@link #joinMulticast} otherwise.
     *
     * @param group the address of the group; its port does not matter
     * @return the membership, which ends when it, this or the queue pair is closed
     * @throws IllegalArgumentException if it is not resolved, or no multicast address
     * @throws IllegalStateException if this is closed, or in the group already
     * @throws dev.isthmus.CmException if the call fails, such as with EOPNOTSUPP on a network that cannot
     */
    public MulticastMembership joinMulticastToSend(InetSocketAddress group) {
        return join(group, true);
    }

    private MulticastMembership join(InetSocketAddress group, boolean sendOnly) {
        calls.lock();
        try (var call = new CmCall(lifetime).explain(this::help)) {
            return memberships.join(call, group, sendOnly);
        } finally {
            calls.unlock();
        }
    }

    void leave(MulticastMembership membership) {
        calls.lock();
        try {
            if (memberships.find(membership.number()) != null) {
                try (var _ = new CmCall(lifetime)) {
                    memberships.leave(membership);
                }
            }
        } finally {
            calls.unlock();
        }
    }

    /** The membership of a number that C was given; null when it is left. */
    MulticastMembership membership(long number) {
        return memberships.find(number);
    }

    /**
     * Sets the type of service, which becomes the traffic class of packets: {@code RDMA_OPTION_ID_TOS}. Before the
     * address is resolved.
     *
     * @param value DSCP and ECN, 0 to 255
     * @throws IllegalArgumentException if it is out of range
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.CmException if the call fails
     */
    public void typeOfService(int value) {
        option(OPTION_TOS, "type of service", value, 255, 1);
    }

    /**
     * Lets others use the same address and port: {@code RDMA_OPTION_ID_REUSEADDR}. Before {@link #bind}; all of them
     * must.
     *
     * @param on whether they may
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.CmException if the call fails
     */
    public void reuseAddress(boolean on) {
        option(OPTION_REUSE_ADDRESS, "reuse address", on ? 1 : 0, 1, Integer.BYTES);
    }

    /**
     * Keeps an IPv6 wildcard from taking IPv4 connections: {@code RDMA_OPTION_ID_AFONLY}. Before {@link #bind}.
     *
     * @param on whether it does
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.CmException if the call fails
     */
    public void addressFamilyOnly(boolean on) {
        option(OPTION_AF_ONLY, "address family only", on ? 1 : 0, 1, Integer.BYTES);
    }

    /**
     * Sets how long the queue pair waits for an acknowledgement before it sends again: {@code
     * RDMA_OPTION_ID_ACK_TIMEOUT}. Before {@link #connect} or {@link #accept}; RC only.
     *
     * @param code 4.096 us * 2^code: 14 is 67 ms; 0 lets the kernel choose
     * @throws IllegalArgumentException if it is not between 0 and 31
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.CmException if the call fails, such as in a datagram port space
     */
    public void ackTimeout(int code) {
        option(OPTION_ACK_TIMEOUT, "ACK timeout", code, 31, 1);
    }

    private void option(int option, String name, int value, int max, int bytes) {
        if (value < 0 || value > max) {
            throw new IllegalArgumentException(name + " " + value + " is not between 0 and " + max);
        }
        invoke(Librdmacm.SET_OPTION, name + " " + value, call -> {
            MemorySegment memory = call.allocateInt();
            if (bytes == 1) {
                memory.set(JAVA_BYTE, 0, (byte) value);
            } else {
                memory.set(JAVA_INT, 0, value);
            }
            return new Object[] {handle, OPTION_LEVEL_ID, option, memory, (long) bytes};
        });
    }

    /**
     * Sets the vendor's options to offer, for a queue pair of the program's own making: {@code rdma_set_local_ece}.
     *
     * @param options what {@link QueuePair#ece} says
     * @throws IllegalArgumentException if the vendor is 0
     * @throws IllegalStateException if this is closed, or has a queue pair, for which it is done
     * @throws dev.isthmus.CmException if the call fails
     */
    public void localEce(ConnectionEstablishment options) {
        if (options.vendorId() == 0) {
            throw new IllegalArgumentException("vendor options of no vendor: " + options);
        }
        checkNoQueuePair();
        invoke(Librdmacm.SET_LOCAL_ECE, options.toString(), call -> {
            MemorySegment ece = call.allocate(ibv_ece.layout());
            ibv_ece.vendor_id(ece, options.vendorId());
            ibv_ece.options(ece, options.options());
            return new Object[] {handle, ece};
        });
    }

    /**
     * The vendor's options that the peer has offered or accepted: {@code rdma_get_remote_ece}.
     *
     * @return the options; of vendor 0 when it said nothing of them
     * @throws IllegalStateException if this is closed, or has a queue pair, for which they were set
     * @throws dev.isthmus.CmException if the call fails
     */
    public ConnectionEstablishment remoteEce() {
        checkNoQueuePair();
        calls.lock();
        try (var call = new CmCall(lifetime)) {
            MemorySegment ece = call.allocate(ibv_ece.layout());
            call.check(Librdmacm.GET_REMOTE_ECE, toString(), handle, ece);
            return new ConnectionEstablishment(ibv_ece.vendor_id(ece), ibv_ece.options(ece));
        } finally {
            calls.unlock();
        }
    }

    private void checkNoQueuePair() {
        if (queuePair != null) {
            throw new IllegalStateException(this + " has a queue pair, for which librdmacm handles vendor options");
        }
    }

    /** The arguments of a call, in memory of that call. */
    private interface Arguments {
        Object[] in(CmCall call);
    }

    private void invoke(NativeFunction f, String what, Arguments arguments) {
        invoke(f, what, null, arguments);
    }

    private void invoke(NativeFunction f, String what, Phase next, Arguments arguments) {
        calls.lock();
        try {
            invokeLocked(f, what, next, arguments);
        } finally {
            calls.unlock();
        }
    }

    /** Calls C on this; the queue pair cannot be closed meanwhile, as C may use it. */
    private void invokeLocked(NativeFunction f, String what, Phase next, Arguments arguments) {
        Phase before = phase;
        try (var call = new CmCall(lifetime).explain(errno -> help(before, errno));
                var _ = queuePair == null
                        ? null
                        : new NativeCall(VerbsSeam.get().lifetime(queuePair))) {
            if (next != null) {
                phase = next; // before the event can be taken
            }
            boolean done = false;
            try {
                call.check(f, what.isEmpty() ? toString() : this + ", " + what, arguments.in(call));
                done = true;
            } finally {
                if (!done && next != null) {
                    phase = before;
                }
            }
        }
    }

    private String help(int errno) {
        return help(phase, errno);
    }

    private static String help(Phase phase, int errno) {
        if (errno != Errno.EINVAL) {
            return "";
        }
        return phase.explain() + ", or a value is out of range: at most 56 bytes of private data with a request on RoCE"
                + " and InfiniBand, depths as the device's attributes have them";
    }

    /**
     * The device that it is bound to: {@code verbs}. All that goes with its queue pair is made from this one. librdmacm
     * shares it among all connections and keeps it open: closing it does nothing.
     *
     * @return the open device; null before the address is resolved, or when this listens on all devices
     * @throws IllegalStateException if this is closed
     */
    public DeviceContext device() {
        DeviceContext known = device;
        if (known == null) {
            try (var _ = new CmCall(lifetime)) {
                MemorySegment verbs = rdma_cm_id.verbs(handle);
                known = verbs.address() == 0 ? null : CmDevices.of(verbs);
                device = known;
            }
        }
        return known;
    }

    private DeviceContext requireDevice(String call) {
        DeviceContext known = device();
        if (known == null) {
            throw new IllegalStateException(
                    this + " has no device yet, so " + call + "() is too early: " + phase.explain());
        }
        return known;
    }

    /**
     * The device's port that it is bound to.
     *
     * @return its number from 1; 0 when this has no device
     * @throws IllegalStateException if this is closed
     */
    public int devicePort() {
        try (var _ = new CmCall(lifetime)) {
            return Byte.toUnsignedInt(rdma_cm_id.port_num(handle));
        }
    }

    /**
     * The local address and port: {@code rdma_get_local_addr}, {@code rdma_get_src_port}.
     *
     * @return the address; null before there is one
     * @throws IllegalStateException if this is closed
     */
    public InetSocketAddress localAddress() {
        return address(rdma_addr.src_storage(rdma_route.addr(rdma_cm_id.route(handle))));
    }

    /**
     * The peer's address and port: {@code rdma_get_peer_addr}, {@code rdma_get_dst_port}.
     *
     * @return the address; null before there is one
     * @throws IllegalStateException if this is closed
     */
    public InetSocketAddress peerAddress() {
        return address(rdma_addr.dst_storage(rdma_route.addr(rdma_cm_id.route(handle))));
    }

    private InetSocketAddress address(MemorySegment storage) {
        var read = new InetSocketAddress[1];
        try (var _ = new CmCall(lifetime)) {
            channel.exclusively(() -> read[0] = SocketAddresses.read(storage)); // an event may write it
        }
        return read[0];
    }

    /**
     * Its port space.
     *
     * @return the space that it was created in, or its listener
     */
    public PortSpace portSpace() {
        return space;
    }

    /**
     * Where its events come.
     *
     * @return the channel
     */
    public EventChannel channel() {
        return channel;
    }

    /**
     * The one that listened when the request came that this came with.
     *
     * @return the listener, which may be closed; null for an id that the program created
     */
    public ConnectionId listener() {
        return listener;
    }

    /**
     * Its queue pair.
     *
     * @return the queue pair; null when none was created, or it is closed
     */
    public QueuePair queuePair() {
        return queuePair;
    }

    /**
     * Keeps an object of the program's with this, to have it at hand when an event comes: what {@code context} is in C.
     *
     * @param object the object; null for none
     */
    public void attach(Object object) {
        attachment = object;
    }

    /**
     * What the program has attached.
     *
     * @return the object; null when there is none, as with a new request
     */
    public Object attachment() {
        return attachment;
    }

    /**
     * Ends whatever it is, and destroys it: {@code rdma_destroy_id}. A connection is disconnected, a request rejected;
     * events that were not taken are gone. Does nothing when it is closed already.
     *
     * @throws IllegalStateException if its queue pair is not closed, or another thread is in a call on this
     * @throws dev.isthmus.CmException if the call fails; it can be tried again
     */
    @Override
    public void close() {
        lifetime.close(() -> {
            memberships.leaveAll();
            try (var call = new CmCall()) {
                call.check(Librdmacm.DESTROY_ID, lifetime.name(), handle);
            }
            channel.remove(handle, this);
        });
        onChannel.close(() -> {});
    }

    /** The class, the port space, and its number. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
