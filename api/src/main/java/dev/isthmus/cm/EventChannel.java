// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import static java.lang.foreign.ValueLayout.ADDRESS;

import dev.isthmus.CheckReturnValue;
import dev.isthmus.bindings.ibverbs.rdma_cm_event;
import dev.isthmus.bindings.ibverbs.rdma_event_channel;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.EventSource;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.cm.CmCall;
import dev.isthmus.internal.cm.CmErrors;
import dev.isthmus.internal.cm.Librdmacm;
import dev.isthmus.internal.cm.RdmacmLibrary;
import dev.isthmus.loop.Source;
import dev.isthmus.verbs.DeviceContext;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * An event channel: {@code struct rdma_event_channel}. You create any number of connections on it, and it reports what
 * happens to them.
 *
 * <p>An event is copied and acknowledged when it is taken, so closing a connection waits for nobody. Taking an event
 * does some of the work: for example, it brings a queue pair to RTS. So keep taking events.
 *
 * <p>Any thread may use it, and several at once: each event goes to one of them. The program that opens it owns it, and
 * closes it after its connections.
 */
public final class EventChannel implements Source<CmEvent>, AutoCloseable {

    static {
        Natives.of(EventChannel.class).exposes(EventSource.class, channel -> channel.source);
    }

    private static final AtomicLong NUMBERS = new AtomicLong();

    private final long number = NUMBERS.incrementAndGet();
    private final Lifetime lifetime;
    private final MemorySegment handle;
    private final EventSource source;

    /**
     * Held while an event is taken, copied and acknowledged, as C uses the connection and its queue pair then; and
     * while a queue pair is created or destroyed. Never held in a wait.
     */
    private final ReentrantLock events = new ReentrantLock();

    /** The connections by the address of their C struct, from creation until destruction. */
    private final Map<Long, ConnectionId> ids = new ConcurrentHashMap<>();

    private EventChannel(Lifetime lifetime, MemorySegment handle) {
        this.lifetime = lifetime;
        this.handle = handle;
        this.source =
                new EventSource(lifetime, rdma_event_channel.fd(NativeCall.sized(handle, rdma_event_channel.sizeof())));
    }

    /**
     * Opens an event channel: {@code rdma_create_event_channel}.
     *
     * @return the channel, which the caller closes
     * @throws dev.isthmus.RdmaUnavailableException if librdmacm is not installed, the kernel's rdma_cm interface is
     *     missing, or there is no RDMA device
     * @throws dev.isthmus.CmException if the call fails otherwise
     */
    public static EventChannel open() {
        RdmacmLibrary.require();
        try (var call = new CmCall()) {
            MemorySegment handle = call.pointer(Librdmacm.CREATE_EVENT_CHANNEL);
            if (handle.address() == 0) {
                throw CmErrors.noChannel(call.errno());
            }
            int fd = rdma_event_channel.fd(NativeCall.sized(handle, rdma_event_channel.sizeof()));
            return Lifetime.orDestroy(
                    () -> new EventChannel(new Lifetime("EventChannel", "fd " + fd), handle), () -> destroy(handle));
        }
    }

    private static void destroy(MemorySegment handle) {
        try (var call = new CmCall()) {
            call.nothing(Librdmacm.DESTROY_EVENT_CHANNEL, handle);
        }
    }

    /**
     * The devices on which connections can be created: {@code rdma_get_devices}. {@link ConnectionId#device} returns
     * the same objects, so you can create what connections share before there is a connection. librdmacm has opened the
     * devices, and keeps them open until the process ends: a removed device goes away only then.
     *
     * @return the open devices; closing one does nothing
     * @throws dev.isthmus.RdmaUnavailableException if librdmacm is not installed, or there is no RDMA device
     */
    public static List<DeviceContext> devices() {
        return CmDevices.list();
    }

    /**
     * Creates a connection id whose events arrive on this channel: {@code rdma_create_id}.
     *
     * @param space the kind of service: TCP for connections, UDP for datagrams
     * @return the id, which the caller closes before this
     * @throws IllegalArgumentException if the space is UNKNOWN
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.CmException if the call fails
     */
    public ConnectionId createId(PortSpace space) {
        return ConnectionId.create(this, space);
    }

    /**
     * Creates a connection id with its addresses, and with queue pairs of the type that they name, which only this
     * method can choose: {@code rdma_create_ep}, {@code rdma_migrate_id}. If there is a destination, address and route
     * are resolved when this returns; call {@link ConnectionId#createQueuePair} next. Otherwise the id is bound; call
     * {@link ConnectionId#listen} next.
     *
     * <p>Blocks for up to 4 s if nobody answers, and cannot be interrupted.
     *
     * @param info the addresses, for example from {@link AddressInfo#toConnect} or {@link AddressInfo#toListen}
     * @return the id, which the caller closes before this
     * @throws IllegalArgumentException if it has no address, its port space or type is UNKNOWN, or its type does not
     *     fit its port space (IB takes any)
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.CmException with ADDRESS_IN_USE if the source's port is in use, with NO_DEVICE if no RDMA
     *     device has the source's address, with UNREACHABLE if there is no answer
     */
    public ConnectionId createId(AddressInfo info) {
        return ConnectionId.create(this, info);
    }

    /**
     * Waits for an event: {@code rdma_get_cm_event}, {@code rdma_ack_cm_event}.
     *
     * @param timeout how long; zero or less does not wait
     * @return the event; null if the time is over
     * @throws InterruptedException if the thread is interrupted before or while it waits; no event is lost
     * @throws IllegalStateException if this is closed, before or meanwhile
     * @throws dev.isthmus.CmException if the call fails
     */
    @CheckReturnValue
    public CmEvent await(Duration timeout) throws InterruptedException {
        return source.await(timeout, this::take);
    }

    /**
     * Waits for an event without limit.
     *
     * @return the event
     * @throws InterruptedException if the thread is interrupted before or while it waits; no event is lost
     * @throws IllegalStateException if this is closed, before or meanwhile
     * @throws dev.isthmus.CmException if the call fails
     */
    @CheckReturnValue
    public CmEvent await() throws InterruptedException {
        return source.await(EventSource.FOREVER, this::take);
    }

    /**
     * Takes an event, if there is one. Does not block.
     *
     * @return the event; null if there is none
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.CmException if the call fails
     */
    @Override
    @CheckReturnValue
    public CmEvent poll() {
        return source.poll(this::take);
    }

    /**
     * A descriptor that is readable while there are events: {@code fd} of {@code struct rdma_event_channel}. Use it
     * only for {@code poll} and {@code epoll}. It belongs to the channel, which closes it.
     *
     * @return the number of the file descriptor
     * @throws IllegalStateException if this is closed
     */
    @Override
    public int fileDescriptor() {
        return source.fileDescriptor();
    }

    private CmEvent take() {
        events.lock();
        try (var call = new CmCall()) {
            MemorySegment pointer = call.allocate(ADDRESS);
            if (call.integer(Librdmacm.GET_CM_EVENT, handle, pointer) != 0) {
                if (call.errno() == Errno.EAGAIN || call.errno() == Errno.EINTR) {
                    return null;
                }
                throw call.failure(Librdmacm.GET_CM_EVENT, lifetime.name(), call.errno());
            }
            MemorySegment event = NativeCall.sized(pointer.get(ADDRESS, 0), rdma_cm_event.sizeof());
            try {
                return CmEventReader.read(this, event);
            } finally {
                call.integer(Librdmacm.ACK_CM_EVENT, event); // always 0
            }
        } finally {
            events.unlock();
        }
    }

    /** The connection of a pointer from an event that is not acknowledged yet. */
    ConnectionId find(MemorySegment id) {
        return ids.get(id.address());
    }

    void add(MemorySegment handle, ConnectionId id) {
        ids.put(handle.address(), id);
    }

    /** Removes a connection, but not another that C has created meanwhile at the same address. */
    void remove(MemorySegment handle, ConnectionId id) {
        ids.remove(handle.address(), id);
    }

    /** Runs an action while no event is being taken. */
    void exclusively(Runnable action) {
        events.lock();
        try {
            action.run();
        } finally {
            events.unlock();
        }
    }

    /** Like {@link #exclusively(Runnable)}, for two channels, always locked in the same order. */
    static void exclusively(EventChannel a, EventChannel b, Runnable action) {
        EventChannel first = a.number < b.number ? a : b;
        EventChannel second = first == a ? b : a;
        first.exclusively(() -> second.exclusively(action));
    }

    /** Lets waiting threads look again: the kernel does not wake them for events that came with a connection. */
    void wake() {
        source.wake();
    }

    MemorySegment handle() {
        return handle;
    }

    Lifetime lifetime() {
        return lifetime;
    }

    /**
     * Destroys the channel: {@code rdma_destroy_event_channel}. Every thread that waits here gets an
     * IllegalStateException. Does nothing if it is closed already.
     *
     * @throws IllegalStateException if there are connections on it
     */
    @Override
    public void close() {
        lifetime.close(() -> {
            source.shut();
            destroy(handle);
        });
    }

    /** The class and the number of the descriptor. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
