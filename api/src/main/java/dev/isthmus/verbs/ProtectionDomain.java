package dev.isthmus.verbs;

import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.verbs.Libibverbs;
import dev.isthmus.internal.verbs.VerbsCall;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * A protection domain: {@code struct ibv_pd}. Queue pairs can only reach memory regions of their own domain. Any
 * thread may use it.
 *
 * <p>Owned by who allocated it. It cannot be closed while it has regions, queue pairs or shared receive queues.
 */
public final class ProtectionDomain implements AutoCloseable {

    private final DeviceContext context;
    private final Lifetime lifetime;
    private final MemorySegment handle;

    private ProtectionDomain(DeviceContext context, Lifetime lifetime, MemorySegment handle) {
        this.context = context;
        this.lifetime = lifetime;
        this.handle = handle;
    }

    static ProtectionDomain allocate(DeviceContext context) {
        String name = context.device().name();
        var lifetime = new Lifetime("ProtectionDomain", name, context.lifetime());
        MemorySegment handle = lifetime.open(() -> {
            try (var call = new VerbsCall()) {
                return call.create(Libibverbs.ALLOC_PD, name, context.handle());
            }
        });
        return new ProtectionDomain(context, lifetime, handle);
    }

    /**
     * The device that it is of.
     *
     * @return the open device
     */
    public DeviceContext context() {
        return context;
    }

    /**
     * Registers memory with the device: {@code ibv_reg_mr}. The kernel pins its pages, so this takes time in
     * proportion to the length, blocks, and counts against {@code ulimit -l}.
     *
     * <p>The caller still owns the memory, and keeps its arena open while the region is in use.
     *
     * @param segment native memory, not empty
     * @param access what may be done to it besides reading by this side
     * @return the region, which the caller closes before this
     * @throws IllegalArgumentException if the memory is on the heap, empty, or read-only with LOCAL_WRITE asked for;
     *     or if REMOTE_WRITE or REMOTE_ATOMIC is asked for without LOCAL_WRITE
     * @throws IllegalStateException if this or the segment's arena is closed
     * @throws WrongThreadException if the segment belongs to another thread's confined arena
     * @throws dev.isthmus.VerbsException if the call fails, such as with ENOMEM when the limit of locked memory is
     *     too low
     */
    public MemoryRegion register(MemorySegment segment, AccessFlag... access) {
        return MemoryRegion.register(this, segment, access);
    }

    /**
     * Creates a queue pair: {@code ibv_create_qp}. It is in the state RESET and belongs to the calling thread.
     *
     * @param type its transport service
     * @param sendCompletions where its send requests complete; of the same device
     * @param receiveCompletions where its receives complete; may be the same one
     * @param configure sets the capacities wanted; the device may grant more, see {@link QueuePair#capabilities()}
     * @return the queue pair, which the caller closes before this and before the completion queues
     * @throws IllegalArgumentException if a capacity is negative, or a completion queue is of another device
     * @throws IllegalStateException if this or a completion queue is closed
     * @throws dev.isthmus.VerbsException if the call fails; the message compares with the limits of the device
     */
    public QueuePair createQueuePair(
            QueuePairType type,
            CompletionQueue sendCompletions,
            CompletionQueue receiveCompletions,
            Consumer<QueuePairConfig> configure) {
        var config = new QueuePairConfig();
        configure.accept(config);
        return QueuePair.create(this, type, sendCompletions, receiveCompletions, config);
    }

    /**
     * Creates a queue pair with the default capacities of {@link QueuePairConfig}.
     *
     * @param type its transport service
     * @param sendCompletions where its send requests complete; of the same device
     * @param receiveCompletions where its receives complete; may be the same one
     * @return the queue pair, which the caller closes before this and before the completion queues
     * @throws IllegalArgumentException if a completion queue is of another device
     * @throws IllegalStateException if this or a completion queue is closed
     * @throws dev.isthmus.VerbsException if the call fails
     */
    public QueuePair createQueuePair(
            QueuePairType type, CompletionQueue sendCompletions, CompletionQueue receiveCompletions) {
        return createQueuePair(type, sendCompletions, receiveCompletions, config -> {});
    }

    /**
     * Creates a shared receive queue: {@code ibv_create_srq}, or {@code ibv_create_srq_ex} for one of an XRC domain or one
     * that matches tags. It belongs to the calling thread.
     *
     * @param configure sets what is wanted; the device may grant more, see {@link SharedReceiveQueue#query()}
     * @return the queue, which the caller closes before this
     * @throws IllegalArgumentException if an object of the configuration is of another device
     * @throws IllegalStateException if this or an object of the configuration is closed
     * @throws dev.isthmus.VerbsException if the call fails; the message compares with the limits of the device
     */
    public SharedReceiveQueue createSharedReceiveQueue(Consumer<SharedReceiveQueueConfig> configure) {
        var config = new SharedReceiveQueueConfig();
        configure.accept(config);
        return SharedReceiveQueue.create(this, config);
    }

    /**
     * Creates an address handle, for datagrams to a port: {@code ibv_create_ah}. It belongs to the calling thread.
     * Blocks for a system call, and while the peer's hardware address is looked up.
     *
     * @param to the way
     * @return the handle, which the caller closes before this
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.VerbsException if the call fails, such as when there is no way to the peer
     */
    public AddressHandle createAddressHandle(AddressVector to) {
        return AddressHandle.create(this, to);
    }

    /**
     * Creates an address handle for answers to the sender of a datagram: {@code ibv_create_ah_from_wc}. As
     * {@link #createAddressHandle(AddressVector)} otherwise.
     *
     * @param port the port that the datagram came in at, from 1
     * @param done the completions that its receive is among
     * @param index which of them
     * @param header the header in the receive's buffer; null will do when the completion has none
     * @return the handle, which the caller closes before this
     * @throws IndexOutOfBoundsException if there is no such completion
     * @throws IllegalStateException if the completion is not of a successful receive, or this is closed
     * @throws IllegalArgumentException if the completion has a header, and none is given
     * @throws dev.isthmus.VerbsException if the call fails
     */
    public AddressHandle createAddressHandle(int port, WorkCompletions done, int index, GlobalRouteHeader header) {
        return AddressHandle.create(this, port, done, index, header);
    }

    MemorySegment handle() {
        return handle;
    }

    Lifetime lifetime() {
        return lifetime;
    }

    /**
     * Deallocates the domain: {@code ibv_dealloc_pd}. Does nothing when it is closed already.
     *
     * @throws IllegalStateException if regions or queue pairs of it are open, or a call on it runs
     * @throws dev.isthmus.VerbsException if the call fails; it can be tried again
     */
    @Override
    public void close() {
        lifetime.close(() -> VerbsCall.destroy(Libibverbs.DEALLOC_PD, handle, lifetime.name()));
    }

    /** The class and the device's name. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
