// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_context;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.NumberTable;
import dev.isthmus.internal.mlx5.Mlx5Library;
import dev.isthmus.internal.mlx5.NotDirect;
import dev.isthmus.internal.verbs.ContextObjects;
import dev.isthmus.internal.verbs.ContextOps;
import dev.isthmus.internal.verbs.IbverbsLibrary;
import dev.isthmus.internal.verbs.Libibverbs;
import dev.isthmus.internal.verbs.VerbsCall;
import dev.isthmus.verbs.attributes.DeviceAttributes;
import dev.isthmus.verbs.attributes.ExtendedDeviceAttributes;
import dev.isthmus.verbs.attributes.PortAttributes;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * An open device: {@code struct ibv_context}. All other objects are created from it. Any thread may use it.
 *
 * <p>The program that opens it owns it. It cannot be closed while it has protection domains or completion queues.
 */
public final class DeviceContext implements AutoCloseable {

    /** The {@code vendor_id} of Soft-RoCE. */
    private static final int SOFT_ROCE = 0xff_ffff;

    private final Device device;
    private final MemorySegment handle;
    private final ContextOps ops;
    private final Lifetime lifetime;
    private final AsyncEvents asyncEvents;
    private final ContextObjects objects = new ContextObjects();
    private final NumberTable<QueuePair> queuePairs = new NumberTable<>();
    private final DeviceQueries queries;
    private final GidQueries gids;
    private final int completionVectors;
    private final int commandFileDescriptor;
    private final boolean borrowed;
    private Mlx5Library mlx5; // null until direct queue pairs are asked for

    static {
        Natives.of(DeviceContext.class)
                .exposes(MemorySegment.class, DeviceContext::handle)
                .exposes(Lifetime.class, DeviceContext::lifetime)
                .exposes(ContextOps.class, DeviceContext::ops)
                .exposes(ContextObjects.class, DeviceContext::objects)
                .isCreatedFrom(MemorySegment.class, DeviceContext::borrowed);
    }

    DeviceContext(Device device, MemorySegment handle) {
        this(device, handle, false);
    }

    /**
     * An open device.
     *
     * @param borrowed whether librdmacm has opened it, and keeps it open for the life of the process
     */
    DeviceContext(Device device, MemorySegment handle, boolean borrowed) {
        this.borrowed = borrowed;
        this.device = device;
        this.handle = handle;
        this.ops = new ContextOps(device.name(), handle);
        this.lifetime = new Lifetime("DeviceContext", device.name());
        this.asyncEvents = new AsyncEvents(this, lifetime, handle);
        this.queries = new DeviceQueries(device.name(), handle, ops, lifetime);
        this.gids = new GidQueries(device.name(), handle, queries, lifetime);
        this.completionVectors = ibv_context.num_comp_vectors(NativeCall.sized(handle, ibv_context.sizeof()));
        this.commandFileDescriptor = ibv_context.cmd_fd(NativeCall.sized(handle, ibv_context.sizeof()));
    }

    /**
     * The device of a {@code struct ibv_context} that librdmacm has opened, and keeps open for the life of the process.
     */
    private static DeviceContext borrowed(MemorySegment handle) {
        IbverbsLibrary.require();
        try (var call = new NativeCall()) {
            MemorySegment context = NativeCall.sized(handle, ibv_context.sizeof());
            return new DeviceContext(new Device(call, ibv_context.device(context)), handle, true);
        }
    }

    /**
     * The device that was opened.
     *
     * @return the device
     */
    public Device device() {
        return device;
    }

    /**
     * Queries what the device can do: {@code ibv_query_device}.
     *
     * @return its attributes and limits
     * @throws dev.isthmus.VerbsException if the call fails
     * @throws IllegalStateException if this is closed
     */
    public DeviceAttributes attributes() {
        return queries.attributes();
    }

    /**
     * Queries what else the device can do: {@code ibv_query_device_ex}. Attributes that the driver or the loaded
     * library does not know are 0.
     *
     * @return its attributes, including those of {@link #attributes()}
     * @throws dev.isthmus.VerbsException if the call fails
     * @throws IllegalStateException if this is closed
     */
    public ExtendedDeviceAttributes extendedAttributes() {
        return queries.extendedAttributes();
    }

    /** Whether the driver is Soft-RoCE's, which needs workarounds for some faults. */
    boolean isSoftRoce() {
        return attributes().vendorId() == SOFT_ROCE;
    }

    /**
     * How many completion vectors there are, to spread completion queues over: {@code num_comp_vectors} of
     * {@code struct ibv_context}.
     *
     * @return the number, at least 1
     */
    public int completionVectors() {
        return completionVectors;
    }

    /**
     * Reads the device's clock, which also stamps completions: {@code ibv_query_rt_values_ex}.
     *
     * @return its time in ticks, with the frequency {@link ExtendedDeviceAttributes#coreClockKhz}
     * @throws dev.isthmus.VerbsException with EOPNOTSUPP if the device has no clock, such as Soft-RoCE
     * @throws IllegalStateException if this is closed
     */
    public long rawClock() {
        return queries.rawClock();
    }

    /**
     * Queries a port: {@code ibv_query_port}.
     *
     * @param port the number of the port, from 1
     * @return its attributes
     * @throws IllegalArgumentException if the device has no such port
     * @throws dev.isthmus.VerbsException if the call fails
     * @throws IllegalStateException if this is closed
     */
    public PortAttributes port(int port) {
        return queries.port(port);
    }

    /**
     * Reads the GID table of a port: {@code ibv_query_gid_table}. Empty entries are left out.
     *
     * @param port the number of the port, from 1
     * @return the entries in the order of their indexes
     * @throws IllegalArgumentException if the device has no such port
     * @throws dev.isthmus.VerbsException if the call fails
     * @throws IllegalStateException if this is closed
     */
    public List<GidEntry> gidTable(int port) {
        return gids.table(port);
    }

    /**
     * The entry of a port's GID table at an index: {@code ibv_query_gid_ex}.
     *
     * @param port the number of the port, from 1
     * @param index the index in the table
     * @return the entry
     * @throws IllegalArgumentException if there is no such port, or no GID at the index; the message lists the table
     * @throws dev.isthmus.VerbsException if the call fails
     * @throws IllegalStateException if this is closed
     */
    public GidEntry gid(int port, int index) {
        return gids.entry(port, index);
    }

    /**
     * The GID in a port's table at an index, which may be empty: {@code ibv_query_gid}.
     *
     * @param port the number of the port, from 1
     * @param index the index in the table
     * @return the GID; all zero if the entry is empty
     * @throws IllegalArgumentException if there is no such port, or the table is shorter
     * @throws dev.isthmus.VerbsException if the call fails
     * @throws IllegalStateException if this is closed
     */
    public Gid rawGid(int port, int index) {
        return gids.raw(port, index);
    }

    /**
     * The GID to use by default, of those {@linkplain GidEntry#isInThisNamespace in this network namespace}. For RoCE it
     * is the first version 2 entry with an IPv4 address, or else with a routable IPv6 address, or else any version 2
     * entry; otherwise the first entry.
     *
     * @param port the number of the port, from 1
     * @return the entry
     * @throws IllegalArgumentException if there is no such port, or its GID table has no entry in this namespace
     * @throws dev.isthmus.VerbsException if a call fails
     * @throws IllegalStateException if this is closed
     */
    public GidEntry defaultGid(int port) {
        return gids.preferred(port);
    }

    /** A GID for requests that a queue pair sends to itself. */
    GidEntry gidOfLoopback(int port) {
        return gids.any(port);
    }

    /**
     * The key in a port's partition table at an index: {@code ibv_query_pkey}.
     *
     * @param port the number of the port, from 1
     * @param index the index in the table
     * @return the partition key, 0 to 0xffff; its highest bit means full membership
     * @throws IllegalArgumentException if there is no such port, or the table is shorter
     * @throws dev.isthmus.VerbsException if the call fails, as on iWARP, which has no partitions
     * @throws IllegalStateException if this is closed
     */
    public int pkey(int port, int index) {
        return queries.pkey(port, index);
    }

    /**
     * The position of a key in a port's partition table: {@code ibv_get_pkey_index}.
     *
     * @param port the number of the port, from 1
     * @param pkey the partition key, 0 to 0xffff
     * @return the index, to set on queue pairs; empty if the table does not have the key
     * @throws IllegalArgumentException if there is no such port, or the key has more than 16 bits
     * @throws IllegalStateException if this is closed
     */
    public OptionalInt pkeyIndex(int port, int pkey) {
        return queries.pkeyIndex(port, pkey);
    }

    /**
     * Resolves the Ethernet address for packets to a peer: {@code ibv_resolve_eth_l2_from_gid}. Blocks until the peer
     * has answered ARP or neighbour discovery, or for some three seconds. The device cannot be closed meanwhile.
     *
     * @param path the path to the peer, with its GID
     * @return the address of the peer, or of the next router
     * @throws IllegalArgumentException if the path has no GID, or there is no such port
     * @throws dev.isthmus.VerbsException with EHOSTUNREACH if there was no answer, with EINVAL if the local GID has no
     *     network device
     * @throws IllegalStateException if this is closed
     */
    public EthernetAddress resolve(AddressVector path) {
        return queries.resolve(path);
    }

    /**
     * Allocates a protection domain: {@code ibv_alloc_pd}.
     *
     * @return the protection domain, which the caller closes before this
     * @throws dev.isthmus.VerbsException if the call fails
     * @throws IllegalStateException if this is closed
     */
    public ProtectionDomain allocateProtectionDomain() {
        return ProtectionDomain.allocate(this);
    }

    /**
     * Imports a protection domain that another process, or another open device of this one, has allocated:
     * {@code ibv_import_pd}.
     *
     * @param handleNumber its {@link ProtectionDomain#handleNumber}
     * @return the domain; closing it only releases it. Its owner closes it later
     * @throws dev.isthmus.VerbsException if the call fails, for example with EOPNOTSUPP if the driver cannot do it
     * @throws IllegalStateException if this is closed
     */
    public ProtectionDomain importProtectionDomain(int handleNumber) {
        return ProtectionDomain.importFrom(this, handleNumber);
    }

    /**
     * Allocates a thread domain: {@code ibv_alloc_td}.
     *
     * @return the thread domain, which the caller closes before this
     * @throws dev.isthmus.VerbsException if the call fails, for example with EOPNOTSUPP if the driver cannot do it
     * @throws IllegalStateException if this is closed
     */
    public ThreadDomain allocateThreadDomain() {
        return ThreadDomain.allocate(this);
    }

    /**
     * Opens a device again by one of its file descriptors, with the objects created by that: {@code ibv_import_device}.
     *
     * @param fileDescriptor what {@link #commandFileDescriptor} returned, or what it became when it was sent to this
     *     process; the caller keeps it, as this uses a duplicate
     * @return the open device, which the caller closes
     * @throws IllegalArgumentException if it is not a file descriptor of an RDMA device
     * @throws dev.isthmus.RdmaUnavailableException if libibverbs is not installed
     * @throws dev.isthmus.VerbsException if the call fails, for example with EOPNOTSUPP if the driver cannot do it
     */
    public static DeviceContext importFrom(int fileDescriptor) {
        return DeviceImport.importFrom(fileDescriptor);
    }

    /**
     * The file descriptor for importing the device elsewhere: {@code cmd_fd} of {@code struct ibv_context}. To hand it
     * to another process, send it over a Unix domain socket (SCM_RIGHTS).
     *
     * @return the file descriptor, which this owns
     * @throws IllegalStateException if this is closed
     */
    public int commandFileDescriptor() {
        lifetime.check();
        return commandFileDescriptor;
    }

    /**
     * Creates a completion queue without a completion channel: {@code ibv_create_cq}. It belongs to the calling thread.
     *
     * @param entries the least room for completions; make it as many as can be outstanding on all queues that complete
     *     into it, or it overruns
     * @return the completion queue, which the caller closes before this
     * @throws IllegalArgumentException if {@code entries} is not positive
     * @throws dev.isthmus.VerbsException if the call fails, for example because the device allows fewer entries
     * @throws IllegalStateException if this is closed
     */
    public CompletionQueue createCompletionQueue(int entries) {
        return createCompletionQueue(entries, config -> {});
    }

    /**
     * Creates a completion queue: {@code ibv_create_cq}. It belongs to the calling thread.
     *
     * @param entries the least room for completions; make it as many as can be outstanding on all queues that complete
     *     into it, or it overruns
     * @param configure sets its channel and its vector
     * @return the completion queue, which the caller closes before this and before the channel
     * @throws IllegalArgumentException if {@code entries} is not positive, the device has no such vector, or the channel
     *     is of another device
     * @throws dev.isthmus.VerbsException if the call fails, for example because the device allows fewer entries
     * @throws IllegalStateException if this or the channel is closed
     */
    public CompletionQueue createCompletionQueue(int entries, Consumer<CompletionQueueConfig> configure) {
        var config = new CompletionQueueConfig();
        config.filling.by(configure, config);
        return CompletionQueue.create(this, entries, config);
    }

    /**
     * Creates a completion channel, to which completion queues send events: {@code ibv_create_comp_channel}.
     *
     * @return the channel, which the caller closes before this
     * @throws dev.isthmus.VerbsException if the call fails
     * @throws IllegalStateException if this is closed
     */
    public CompletionChannel createCompletionChannel() {
        return CompletionChannel.create(this);
    }

    /**
     * What happens on the device besides completions, for example ports that come and go, or queues that fail.
     *
     * @return the events, always the same object
     */
    public AsyncEvents asyncEvents() {
        return asyncEvents;
    }

    ContextObjects objects() {
        return objects;
    }

    /** The open queue pairs, by number. */
    @HotPath
    NumberTable<QueuePair> queuePairs() {
        return queuePairs;
    }

    /**
     * libmlx5, for direct queue pairs.
     *
     * @throws NotDirect if it does not drive this device, or is not known
     */
    synchronized Mlx5Library mlx5() throws NotDirect {
        if (mlx5 == null) {
            mlx5 = Mlx5Library.driving(ops.pollCq());
            objects.all(QueuePair.class).forEach(qp -> qp.noteRegister(mlx5IfAsked()));
        }
        return mlx5;
    }

    /** libmlx5, if direct queue pairs were asked for; otherwise null. */
    synchronized Mlx5Library mlx5IfAsked() {
        return mlx5;
    }

    MemorySegment handle() {
        return handle;
    }

    ContextOps ops() {
        return ops;
    }

    Lifetime lifetime() {
        return lifetime;
    }

    /**
     * Closes the device: {@code ibv_close_device}. Does nothing if it is closed already, or came from
     * {@code dev.isthmus.cm}: librdmacm shares such a device among all connections, and keeps it open.
     *
     * @throws IllegalStateException if protection domains or completion queues of it are open, or a call on it
     *     is running
     * @throws dev.isthmus.VerbsException if the call fails; you can try again
     */
    @Override
    public void close() {
        if (borrowed) {
            return;
        }
        lifetime.close(() -> {
            asyncEvents.shut();
            try (var call = new VerbsCall()) {
                call.checkErrno(Libibverbs.CLOSE_DEVICE, device.name(), handle);
            }
        });
    }

    /** The class and the device's name. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
