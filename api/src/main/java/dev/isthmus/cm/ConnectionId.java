// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import static java.lang.foreign.ValueLayout.ADDRESS;

import dev.isthmus.CmException;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeFunction;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.cm.CmCall;
import dev.isthmus.internal.cm.CmErrors;
import dev.isthmus.internal.cm.Librdmacm;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairConfig;
import dev.isthmus.verbs.QueuePairState;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.function.Consumer;

/**
 * A connection from its address to its end, or a listener: {@code struct rdma_cm_id}.
 *
 * <p>Each call begins something, and an event of the {@link EventChannel} reports the result. A client calls
 * {@link #resolveAddress}, {@link #resolveRoute}, {@link #createQueuePair} and {@link #connect}, each after the event
 * of the previous one. A server calls {@link #bind} and {@link #listen}, and answers each
 * {@link CmEvent.ConnectRequest} on the new id that it carries.
 *
 * <p>Any thread may use it; calls on one id exclude each other. Its queue pair, like any other, belongs to the thread
 * that created it. The program owns an id that it created, or that came with a request it took. It closes the id after
 * its queue pair and before its channel.
 */
public final class ConnectionId extends ManualConnection implements AutoCloseable {

    private final Memberships memberships;

    private ConnectionId(
            EventChannel channel, Lifetime onChannel, PortSpace space, ConnectionId listener, MemorySegment handle) {
        super(channel, onChannel, space, listener, handle);
        this.memberships = new Memberships(this, calls.handle());
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
                MemorySegment made = pointer.get(ADDRESS, 0);
                return Lifetime.orDestroy(
                        () -> new ConnectionId(channel, onChannel, space, null, made).added(), () -> destroy(made));
            }
        });
    }

    static ConnectionId create(EventChannel channel, AddressInfo info) {
        Lifetime onChannel = hold(channel);
        return onChannel.open(() -> {
            try (var call = new CmCall(channel.lifetime())) {
                MemorySegment made = createEndpoint(call, channel, info);
                if (call.integer(Librdmacm.MIGRATE_ID, made, channel.handle()) != 0) {
                    int errno = call.errno();
                    destroy(made);
                    throw call.failure(Librdmacm.MIGRATE_ID, channel + ", " + info, errno);
                }
                return Lifetime.orDestroy(
                        () -> {
                            var id = new ConnectionId(channel, onChannel, info.portSpace(), null, made);
                            id.calls.setPhase(info.isPassive() ? Phase.BOUND : Phase.ROUTE_RESOLVED);
                            return id.added();
                        },
                        () -> destroy(made));
            }
        });
    }

    private static void destroy(MemorySegment id) {
        try (var call = new CmCall()) {
            call.integer(Librdmacm.DESTROY_ID, id);
        }
    }

    /** Creates an id in C on a channel of its own. The source address may be in use already. */
    private static MemorySegment createEndpoint(CmCall call, EventChannel channel, AddressInfo info) {
        MemorySegment pointer = call.allocate(ADDRESS);
        MemorySegment written = info.write(call);
        String what = channel + ", " + info;
        if (call.integer(Librdmacm.CREATE_EP, pointer, written, MemorySegment.NULL, MemorySegment.NULL) != 0) {
            CmException failure = call.failure(Librdmacm.CREATE_EP, what, call.errno());
            throw CmErrors.ofBind(
                    failure, what, info.source() == null ? null : info.source().getAddress());
        }
        return pointer.get(ADDRESS, 0);
    }

    /** The id of a request that is being taken from the channel. */
    static ConnectionId requested(EventChannel channel, MemorySegment handle, ConnectionId listener) {
        return new ConnectionId(channel, hold(channel), listener.portSpace(), listener, handle).added();
    }

    private static Lifetime hold(EventChannel channel) {
        return new Lifetime("ConnectionId", channel.toString(), channel.lifetime());
    }

    private ConnectionId added() {
        channel().add(calls.handle(), this);
        return this;
    }

    /** Notes what an event reports, on the thread that takes it. */
    void onEvent(CmEvent event) {
        calls.onEvent(event);
    }

    /**
     * Creates the queue pair of the connection: {@code rdma_create_qp}, or {@code rdma_create_qp_ex} for what only that
     * can do. The port space decides its type and state: RC in INIT, or UD in RTS, unless the id was created with
     * another type. It belongs to the calling thread. Taking events brings it to the states that the connection needs.
     *
     * @param pd a protection domain of this {@link #device}
     * @param sendCompletions where its sends complete
     * @param receiveCompletions where its receives complete
     * @param configure sets capacities, a shared receive queue, and more
     * @return the queue pair, which the caller closes before this; closing it leaves the id's multicast groups
     * @throws IllegalArgumentException if an object belongs to another open device: use those of {@link #device}, and
     *     open none
     * @throws IllegalStateException if this has no device yet, or has a queue pair already, or something is closed
     * @throws dev.isthmus.CmException if the call fails
     */
    public QueuePair createQueuePair(
            ProtectionDomain pd,
            CompletionQueue sendCompletions,
            CompletionQueue receiveCompletions,
            Consumer<QueuePairConfig> configure) {
        DeviceContext own = calls.requireDevice("createQueuePair");
        if (pd.context() != own) {
            throw new IllegalArgumentException(pd + " is not of the device as " + this
                    + " has it: allocate it by device().allocateProtectionDomain()");
        }
        return calls.exclusively(() -> {
            if (queuePair() != null) {
                throw new IllegalStateException(this + " has a queue pair already: " + queuePair());
            }
            var factory = new CmQueuePairFactory(this, calls.lifetime(), calls.handle());
            QueuePair made = pd.createQueuePair(queuePairType(), sendCompletions, receiveCompletions, config -> {
                Natives.deliver(config, factory);
                configure.accept(config);
            });
            calls.queuePair(made);
            return made;
        });
    }

    /** Called when the queue pair is being closed, on its owner's thread. */
    void destroyQueuePair() {
        calls.exclusively(() -> {
            memberships.leaveAll(); // C forgets a queue pair that is in a group, and the kernel keeps it
            channel().exclusively(() -> {
                try (var call = new CmCall()) {
                    call.nothing(Librdmacm.DESTROY_QP, calls.handle());
                }
            });
            calls.queuePair(null);
        });
    }

    /**
     * Asks the peer for the connection: {@code rdma_connect}. {@link CmEvent.Established}, {@link CmEvent.Rejected} or
     * {@link CmEvent.Unreachable} reports the result, or {@link CmEvent.ConnectResponse} if this has no queue pair.
     *
     * <p>On iWARP this can block until the peer's host answers, or the kernel gives up.
     *
     * @param configure sets private data, depths, retries
     * @throws IllegalStateException if this is closed, or has no device
     * @throws dev.isthmus.CmException if the call fails, for example with EINVAL for too much private data
     */
    public void connect(Consumer<ConnectionConfig> configure) {
        calls.requireDevice("connect");
        var config = new ConnectionConfig();
        config.filling.by(configure, config);
        calls.invoke(Librdmacm.CONNECT, config.toString(), Phase.CONNECTING, call ->
                new Object[] {calls.handle(), config.write(call)});
    }

    /**
     * Accepts a request: {@code rdma_accept}. If this has a queue pair, it is then in RTS. {@link CmEvent.Established}
     * reports that the peer knows.
     *
     * @param configure sets private data, depths, retries
     * @throws IllegalStateException if this is closed, has no device, or is not a request that waits for an answer
     * @throws dev.isthmus.CmException if the call fails, for example because the peer has gone meanwhile
     */
    public void accept(Consumer<ConnectionConfig> configure) {
        calls.requireDevice("accept");
        var config = new ConnectionConfig();
        config.filling.by(configure, config);
        calls.answer(
                Librdmacm.ACCEPT,
                config.toString(),
                Phase.CONNECTING,
                call -> new Object[] {calls.handle(), config.write(call)},
                Phase.REQUESTED);
        calls.setQueuePairState(QueuePairState.RTS);
    }

    /**
     * Rejects a request, or the response of a {@link CmEvent.ConnectResponse}: {@code rdma_reject}. Then close this.
     *
     * @param data what the peer receives; {@link PrivateData#NONE} for nothing
     * @throws IllegalStateException if this is closed, or is not a request or a response that waits for an answer
     * @throws dev.isthmus.CmException if the call fails
     */
    public void reject(PrivateData data) {
        reject(Librdmacm.REJECT, data);
    }

    /**
     * Rejects a request or response because of the connection's vendor options: {@code rdma_reject_ece}. Then
     * close this.
     *
     * @param data what the peer receives; {@link PrivateData#NONE} for nothing
     * @throws IllegalStateException if this is closed, or is not a request or a response that waits for an answer
     * @throws dev.isthmus.CmException if the call fails
     */
    public void rejectEce(PrivateData data) {
        reject(Librdmacm.REJECT_ECE, data);
    }

    private void reject(NativeFunction f, PrivateData data) {
        calls.answer(
                f,
                data + " of private data",
                Phase.ENDED,
                call -> new Object[] {calls.handle(), ConnectionConfig.copy(call, data), (byte) data.length()},
                Phase.REQUESTED,
                Phase.RESPONDED);
    }

    /**
     * Ends the connection: {@code rdma_disconnect}. Brings the queue pair to ERR, which flushes outstanding requests.
     * The peer gets {@link CmEvent.Disconnected} and answers by calling this, too; then the event arrives here. If the
     * peer does not answer, it arrives when the kernel's retries are used up.
     *
     * @throws IllegalStateException if this is closed, or has no device
     * @throws dev.isthmus.CmException if the call fails, for example because there is no connection
     */
    public void disconnect() {
        calls.requireDevice("disconnect");
        calls.invoke(Librdmacm.DISCONNECT, "", Phase.ENDED, call -> new Object[] {calls.handle()});
        calls.setQueuePairState(QueuePairState.ERR);
    }

    /**
     * Moves to another event channel, with all events that were not taken yet: {@code rdma_migrate_id}.
     *
     * <p>An id that listens cannot move: requests that were not taken yet would be lost, and nobody would answer them.
     *
     * @param to the channel of all further events; it cannot be closed before this
     * @throws IllegalStateException if this or the channel is closed, or this listens
     * @throws dev.isthmus.CmException if the call fails
     */
    public void migrate(EventChannel to) {
        calls.exclusively(() -> {
            EventChannel from = channel();
            if (from == to) {
                calls.lifetime().check();
                return;
            }
            calls.requireNotListening("migrate");
            Lifetime onNew = hold(to);
            onNew.open(() -> {
                EventChannel.exclusively(from, to, () -> move(from, to, onNew));
                return null;
            });
            to.wake();
        });
    }

    private void move(EventChannel from, EventChannel to, Lifetime onNew) {
        MemorySegment handle = calls.handle();
        try (var call = new CmCall(calls.lifetime())) {
            call.check(Librdmacm.MIGRATE_ID, this + " to " + to, handle, to.handle());
            to.add(handle, this);
            from.remove(handle, this);
            channel(to);
            holdChannel(onNew); // within the call: a close on another thread must find one of them
        }
    }

    /**
     * Joins a multicast group: {@code rdma_join_multicast}. {@link CmEvent.MulticastJoined} or
     * {@link CmEvent.MulticastError} reports the result. The first arrives once the queue pair, if there is one, is in
     * the group.
     *
     * @param group the address of the group; its port does not matter
     * @return the membership, which ends when it, this or the queue pair is closed
     * @throws IllegalArgumentException if the address is not resolved, or is not a multicast address
     * @throws IllegalStateException if this is closed, or in the group already
     * @throws dev.isthmus.CmException if the call fails, for example because this has no device
     */
    public MulticastMembership joinMulticast(InetSocketAddress group) {
        return join(group, false);
    }

    /**
     * Joins a multicast group only to send: {@code rdma_join_multicast_ex}. Otherwise like {@link #joinMulticast}.
     *
     * @param group the address of the group; its port does not matter
     * @return the membership, which ends when it, this or the queue pair is closed
     * @throws IllegalArgumentException if the address is not resolved, or is not a multicast address
     * @throws IllegalStateException if this is closed, or in the group already
     * @throws dev.isthmus.CmException if the call fails, for example with EOPNOTSUPP on a network that cannot do it
     */
    public MulticastMembership joinMulticastToSend(InetSocketAddress group) {
        return join(group, true);
    }

    private MulticastMembership join(InetSocketAddress group, boolean sendOnly) {
        return calls.exclusively(() -> {
            try (var call = calls.begin()) {
                return memberships.join(call, group, sendOnly);
            }
        });
    }

    void leave(MulticastMembership membership) {
        calls.exclusively(() -> {
            if (memberships.find(membership.number()) != null) {
                try (var _ = new CmCall(calls.lifetime())) {
                    memberships.leave(membership);
                }
            }
        });
    }

    /** The membership with a number that was given to C; null after it was left. */
    MulticastMembership membership(long number) {
        return memberships.find(number);
    }

    /**
     * Ends the connection and destroys the id: {@code rdma_destroy_id}. Disconnects a connection, and rejects a
     * request. Events that were not taken are lost. Does nothing if it is closed already.
     *
     * @throws IllegalStateException if its queue pair is not closed, or another thread is in a call on this
     * @throws dev.isthmus.CmException if the call fails; you can try again
     */
    @Override
    public void close() {
        Lifetime lifetime = calls.lifetime();
        lifetime.close(() -> {
            memberships.leaveAll();
            try (var call = new CmCall()) {
                call.check(Librdmacm.DESTROY_ID, lifetime.name(), calls.handle());
            }
            channel().remove(calls.handle(), this);
        });
        releaseChannel();
    }
}
