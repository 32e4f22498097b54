// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_pd;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.verbs.Libibverbs;
import dev.isthmus.internal.verbs.Receives;
import dev.isthmus.internal.verbs.VerbsCall;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * A protection domain: {@code struct ibv_pd}. Queue pairs can only access memory regions of their own domain. Any
 * thread may use it.
 *
 * <p>The program that allocates it owns it. It cannot be closed while it has regions, queue pairs or shared
 * receive queues.
 */
public sealed class ProtectionDomain implements AutoCloseable permits ParentDomain {

    static {
        Natives.of(ProtectionDomain.class)
                .exposes(MemorySegment.class, ProtectionDomain::handle)
                .exposes(Lifetime.class, ProtectionDomain::lifetime)
                .exposes(Receives.Factory.class, ProtectionDomain::receives);
    }

    private final DeviceContext context;
    private final Lifetime lifetime;
    private final MemorySegment handle;
    private final int handleNumber;
    private final boolean imported;
    private final ProtectionDomain base; // this, or the domain that a parent domain was created from

    ProtectionDomain(DeviceContext context, Lifetime lifetime, MemorySegment handle, boolean imported) {
        this(context, lifetime, handle, imported, null);
    }

    /**
     * Wraps a domain that C has created.
     *
     * @param base the domain that a parent domain was created from; null for any other
     */
    ProtectionDomain(
            DeviceContext context, Lifetime lifetime, MemorySegment handle, boolean imported, ProtectionDomain base) {
        this.base = base == null ? this : base;
        this.context = context;
        this.lifetime = lifetime;
        this.handle = handle;
        this.handleNumber = ibv_pd.handle(NativeCall.sized(handle, ibv_pd.sizeof()));
        this.imported = imported;
    }

    static ProtectionDomain allocate(DeviceContext context) {
        String name = context.device().name();
        var lifetime = new Lifetime("ProtectionDomain", name, context.lifetime());
        return lifetime.open(() -> {
            try (var call = new VerbsCall()) {
                return made(context, lifetime, call.create(Libibverbs.ALLOC_PD, name, context.handle()), false);
            }
        });
    }

    static ProtectionDomain importFrom(DeviceContext context, int handleNumber) {
        String name = context.device().name() + ", imported " + handleNumber;
        var lifetime = new Lifetime("ProtectionDomain", name, context.lifetime());
        return lifetime.open(() -> {
            try (var call = new VerbsCall()) {
                MemorySegment handle = call.create(Libibverbs.IMPORT_PD, name, context.handle(), handleNumber);
                return made(context, lifetime, handle, true);
            }
        });
    }

    private static ProtectionDomain made(
            DeviceContext context, Lifetime lifetime, MemorySegment handle, boolean imported) {
        return Lifetime.orDestroy(
                () -> new ProtectionDomain(context, lifetime, handle, imported),
                () -> destroy(handle, imported, lifetime.name()));
    }

    private Receives.Factory receives() {
        return (call, of, owner, mayPost, function, queue, maxRequests, maxSge) -> {
            var receives = ReceiveQueue.of(call, of, owner, mayPost, this, function, queue);
            receives.setCapacities(maxRequests, maxSge);
            return receives;
        };
    }

    /**
     * The device that it belongs to.
     *
     * @return the open device
     */
    public DeviceContext context() {
        return context;
    }

    /**
     * The kernel's number for the domain: {@code handle} of {@code struct ibv_pd}. Another process that has imported
     * the device imports the domain by it: see {@link DeviceContext#importProtectionDomain}.
     *
     * @return the number
     * @throws IllegalStateException if this is closed
     */
    public int handleNumber() {
        lifetime.check();
        return handleNumber;
    }

    /**
     * Registers memory with the device: {@code ibv_reg_mr}, or {@code ibv_reg_mr_iova2} with RELAXED_ORDERING. The
     * kernel pins its pages. So this takes time in proportion to the length, blocks, and counts against
     * {@code ulimit -l}. With ON_DEMAND it pins none.
     *
     * <p>The caller still owns the memory, and keeps its arena open while the region is in use. With ZERO_BASED the
     * device's addresses count from the start of the memory, which must be page-aligned.
     *
     * @param segment native memory, not empty
     * @param access what may be done to it besides reading by this side
     * @return the region, which the caller closes before this
     * @throws IllegalArgumentException if the memory is on the heap, empty, or read-only with LOCAL_WRITE asked for;
     *     or if REMOTE_WRITE or REMOTE_ATOMIC is asked for without LOCAL_WRITE
     * @throws IllegalStateException if this or the segment's arena is closed
     * @throws WrongThreadException if the segment belongs to another thread's confined arena
     * @throws dev.isthmus.VerbsException if the call fails, for example with ENOMEM if the limit of locked memory is
     *     too low, or with EOPNOTSUPP or EINVAL if ON_DEMAND is asked for and the device cannot do it
     */
    public MemoryRegion register(MemorySegment segment, AccessFlag... access) {
        return MemoryRegions.register(this, segment, access);
    }

    /**
     * Registers memory at another address for the device: {@code ibv_reg_mr_iova}, or {@code ibv_reg_mr_iova2} with
     * RELAXED_ORDERING. Requests of both sides use that address automatically: {@link MemoryRegion#address} returns it.
     * Inline sends are refused, as the processor would copy from there.
     *
     * <p>A driver that copies short messages to memory itself would write to that address, too. With mlx4 and mlx5,
     * receive and read into such a region only with MLX4_SCATTER_TO_CQE or MLX5_SCATTER_TO_CQE set to 0.
     *
     * @param iova the address for the device, at the same offset within a page as the memory's own
     * @param segment as for {@link #register}
     * @param access as for {@link #register}
     * @return the region, which the caller closes before this
     * @throws IllegalArgumentException as {@link #register}, or if the address is at another offset within a page
     * @throws IllegalStateException if this or the segment's arena is closed
     * @throws WrongThreadException if the segment belongs to another thread's confined arena
     * @throws dev.isthmus.VerbsException if the call fails
     */
    public MemoryRegion registerAt(long iova, MemorySegment segment, AccessFlag... access) {
        return MemoryRegions.registerAt(this, iova, segment, access);
    }

    /**
     * Registers the whole address space of this process, which the device faults in on demand: {@code ibv_reg_mr} with
     * NULL and SIZE_MAX, also called implicit on-demand paging.
     *
     * @param access what may be done besides reading by this side; ON_DEMAND is implied
     * @return the region, which the caller closes before this
     * @throws IllegalArgumentException if REMOTE_WRITE or REMOTE_ATOMIC is asked for without LOCAL_WRITE
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.VerbsException if the call fails, for example with EOPNOTSUPP or EINVAL if the device cannot
     *     do it
     */
    public AddressSpaceRegion registerAddressSpace(AccessFlag... access) {
        return AddressSpaceRegion.register(this, access);
    }

    /**
     * Registers memory of another device, such as a GPU, given as a dma-buf: {@code ibv_reg_dmabuf_mr}. This process
     * has no pointer to it: {@link MemoryRegion#segment} is NULL, and inline sends are refused.
     *
     * @param fileDescriptor of the dma-buf; the caller keeps it, and may close it once the region is closed
     * @param offset where in it the region begins, in bytes
     * @param length of the region, in bytes
     * @param iova the address for the device, at the same offset within a page as {@code offset}
     * @param access as for {@link #register}
     * @return the region, which the caller closes before this
     * @throws IllegalArgumentException if an argument is negative, the length 0, {@code iova} at another offset within
     *     a page, or REMOTE_WRITE or REMOTE_ATOMIC is asked for without LOCAL_WRITE
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.VerbsException if the call fails, for example with EOPNOTSUPP if the driver cannot do it
     */
    public MemoryRegion registerDmabuf(int fileDescriptor, long offset, long length, long iova, AccessFlag... access) {
        return MemoryRegions.registerDmabuf(this, fileDescriptor, offset, length, iova, access);
    }

    /**
     * Allocates a region without memory: {@code ibv_alloc_null_mr}. Reads from it give zeros, and writes to it are
     * dropped. Use it for the parts of a message that nobody wants.
     *
     * @return the region, which the caller closes before this
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.VerbsException if the call fails, for example with EOPNOTSUPP if the device cannot do it
     */
    public MemoryRegion allocateNullRegion() {
        return MemoryRegions.allocateNull(this);
    }

    /**
     * Allocates a memory window: {@code ibv_alloc_mw}. It belongs to the calling thread.
     *
     * @param type how you will bind it
     * @return the window, bound to nothing, which the caller closes before this
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.VerbsException if the call fails, for example with EOPNOTSUPP if the device has none of
     *     the type
     */
    public MemoryWindow allocateWindow(MemoryWindowType type) {
        return MemoryWindow.allocate(this, type);
    }

    /**
     * Combines this domain with a thread domain and an allocator: {@code ibv_alloc_parent_domain}.
     *
     * @param threadDomain of the same open device, or null for none
     * @param allocator gives the driver memory for objects in the parent domain, or null to leave that to the driver
     * @return the parent domain, which the caller closes before this and the thread domain
     * @throws IllegalArgumentException if the thread domain is of another device, or this is a parent domain itself
     * @throws IllegalStateException if this or the thread domain is closed
     * @throws dev.isthmus.VerbsException if the call fails, for example with EOPNOTSUPP if the driver cannot do it
     */
    public ParentDomain allocateParentDomain(ThreadDomain threadDomain, DomainAllocator allocator) {
        return ParentDomain.allocate(this, threadDomain, allocator);
    }

    /**
     * Allocates page-aligned memory, zeroed, and registers it: {@code ibv_reg_mr}. See {@link PageMemory} for huge pages.
     *
     * @param bytes how much
     * @param access as for {@link #register}
     * @return the memory and its region, which the caller closes together, before this
     * @throws IllegalArgumentException if {@code bytes} is not positive, or REMOTE_WRITE or REMOTE_ATOMIC is asked for
     *     without LOCAL_WRITE
     * @throws IllegalStateException if this is closed
     * @throws OutOfMemoryError if there is too little memory
     * @throws dev.isthmus.VerbsException if the registration fails
     */
    public RegisteredMemory allocate(long bytes, AccessFlag... access) {
        return RegisteredMemory.allocate(this, PageMemory.PAGES, bytes, access);
    }

    /**
     * Allocates memory in pages of the given kind, zeroed, and registers it: {@code ibv_reg_mr}.
     *
     * @param pages the kind of pages
     * @param bytes how much
     * @param access as for {@link #register}
     * @return the memory and its region, which the caller closes together, before this
     * @throws IllegalArgumentException as {@link #allocate(long, AccessFlag...)}
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.RdmaUnavailableException if there are too few huge pages; the message says what to set
     * @throws OutOfMemoryError if there is too little memory
     * @throws dev.isthmus.VerbsException if the registration fails
     */
    public RegisteredMemory allocate(PageMemory pages, long bytes, AccessFlag... access) {
        return RegisteredMemory.allocate(this, pages, bytes, access);
    }

    /**
     * Imports a region of this domain that another process, or another open device of this one, has registered:
     * {@code ibv_import_mr}. Its owner tells you its number, address, length and access. This process has no pointer to
     * it: {@link MemoryRegion#segment} is NULL, and inline sends are refused.
     *
     * @param handleNumber its {@link MemoryRegion#handleNumber}
     * @param address its {@link MemoryRegion#address}
     * @param length its {@link MemoryRegion#length}
     * @param access its {@link MemoryRegion#access}
     * @return the region; closing it only releases it. Its owner closes it later
     * @throws IllegalArgumentException if the length is not positive
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.VerbsException if the call fails, for example with EOPNOTSUPP if the driver cannot do it
     */
    public MemoryRegion importRegion(int handleNumber, long address, long length, AccessFlag... access) {
        return MemoryRegions.importRegion(this, handleNumber, address, length, access);
    }

    /**
     * Creates a queue pair: {@code ibv_create_qp}, or {@code ibv_create_qp_ex} if the configuration needs it. It is in
     * the state RESET and belongs to the calling thread.
     *
     * @param type its transport service
     * @param sendCompletions where its send requests complete; of the same device
     * @param receiveCompletions where its receives complete; may be the same one, and null for XRC_SEND
     * @param configure sets the capacities wanted; the device may grant more, see {@link QueuePair#capabilities()}
     * @return the queue pair, which the caller closes before this and before the completion queues
     * @throws IllegalArgumentException if a capacity is negative, a completion queue is of another device, or the type
     *     is XRC_RECV ({@link dev.isthmus.verbs.xrc.XrcDomain#createQueuePair}), DRIVER or UNKNOWN
     * @throws IllegalStateException if this or a completion queue is closed
     * @throws dev.isthmus.VerbsException if the call fails; the message compares with the limits of the device
     */
    public QueuePair createQueuePair(
            QueuePairType type,
            CompletionQueue sendCompletions,
            CompletionQueue receiveCompletions,
            Consumer<QueuePairConfig> configure) {
        var config = new QueuePairConfig();
        config.filling.by(configure, config);
        return QueuePairCreation.create(this, type, sendCompletions, receiveCompletions, config);
    }

    /**
     * Creates a queue pair with the default capacities of {@link QueuePairConfig}.
     *
     * @param type its transport service
     * @param sendCompletions where its send requests complete; of the same device
     * @param receiveCompletions where its receives complete; may be the same one, and null for XRC_SEND
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
     * Creates a shared receive queue: {@code ibv_create_srq}, or {@code ibv_create_srq_ex} for one that matches tags.
     * It belongs to the calling thread.
     *
     * @param configure sets the capacities wanted; the device may grant more, see {@link SharedReceiveQueue#query()}
     * @return the queue, which the caller closes before this
     * @throws IllegalArgumentException if an object of the configuration is of another device
     * @throws IllegalStateException if this or an object of the configuration is closed
     * @throws dev.isthmus.VerbsException if the call fails; the message compares with the limits of the device
     */
    public SharedReceiveQueue createSharedReceiveQueue(Consumer<SharedReceiveQueueConfig> configure) {
        var config = new SharedReceiveQueueConfig();
        config.filling.by(configure, config);
        return SharedReceiveQueue.create(this, config);
    }

    /**
     * Creates an address handle, for datagrams to a port: {@code ibv_create_ah}. It belongs to the calling thread.
     * Blocks for a system call, and while the peer's hardware address is resolved.
     *
     * @param to the path
     * @return the handle, which the caller closes before this
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.VerbsException if the call fails, for example because there is no path to the peer
     */
    public AddressHandle createAddressHandle(AddressVector to) {
        return AddressHandle.create(this, to);
    }

    /**
     * Creates an address handle for answers to the sender of a datagram: {@code ibv_create_ah_from_wc}. Otherwise like
     * {@link #createAddressHandle(AddressVector)}.
     *
     * @param port the port at which the datagram arrived, from 1
     * @param done the completions that include its receive
     * @param index which of them
     * @param header the header in the receive's buffer; may be null if the completion has none
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
     * Deallocates the domain: {@code ibv_dealloc_pd}. Only releases an imported domain: {@code ibv_unimport_pd}. Does
     * nothing if it is closed already.
     *
     * @throws IllegalStateException if regions or queue pairs of it are open, or a call on it is running
     * @throws dev.isthmus.VerbsException if the call fails; you can try again
     */
    @Override
    public void close() {
        lifetime.close(this::destroy);
    }

    /** Whether objects of both domains can be used together, as they are one domain to the device. */
    @HotPath
    final boolean reaches(ProtectionDomain other) {
        return base == other.base;
    }

    void destroy() {
        destroy(handle, imported, lifetime.name());
    }

    static void destroy(MemorySegment handle, boolean imported, String name) {
        if (imported) {
            try (var call = new VerbsCall()) {
                call.nothing(Libibverbs.UNIMPORT_PD, handle);
            }
        } else {
            VerbsCall.destroy(Libibverbs.DEALLOC_PD, handle, name);
        }
    }

    /** The class and the device's name. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
