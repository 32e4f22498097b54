package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_device_attr;
import dev.isthmus.bindings.ibverbs.ibv_gid_entry;
import dev.isthmus.bindings.ibverbs.ibv_port_attr;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.verbs.ContextFunction;
import dev.isthmus.internal.verbs.ContextOps;
import dev.isthmus.internal.verbs.Libibverbs;
import dev.isthmus.internal.verbs.VerbsCall;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * An open device: {@code struct ibv_context}. Everything else is made from it. Any thread may use it.
 *
 * <p>Owned by who opened it. It cannot be closed while it has protection domains or completion queues.
 */
public final class DeviceContext implements AutoCloseable {

    private final Device device;
    private final MemorySegment handle;
    private final ContextOps ops;
    private final Lifetime lifetime;
    private final AsyncEvents asyncEvents;
    private final ContextObjects objects = new ContextObjects();

    DeviceContext(Device device, MemorySegment handle) {
        this.device = device;
        this.handle = handle;
        this.ops = new ContextOps(device.name(), handle);
        this.lifetime = new Lifetime("DeviceContext", device.name());
        this.asyncEvents = new AsyncEvents(this, lifetime, handle);
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
        try (var call = new VerbsCall(lifetime)) {
            MemorySegment attributes = call.allocate(ibv_device_attr.layout());
            call.check(Libibverbs.QUERY_DEVICE, device.name(), handle, attributes);
            return DeviceAttributes.read(attributes);
        }
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
        checkPort(port);
        try (var call = new VerbsCall(lifetime)) {
            MemorySegment attributes = call.allocate(ibv_port_attr.layout());
            queryPort(call, port, attributes);
            return PortAttributes.read(attributes);
        }
    }

    // As verbs.h does: the exported function fills an older, shorter struct, so the device's own is preferred.
    private void queryPort(VerbsCall call, int port, MemorySegment attributes) {
        String what = device.name() + ", " + port;
        ops.find(ContextFunction.QUERY_PORT)
                .ifPresentOrElse(
                        f -> call.check(f, what, handle, (byte) port, attributes, attributes.byteSize()),
                        () -> call.check(Libibverbs.QUERY_PORT, what, handle, (byte) port, attributes));
    }

    private void checkPort(int port) {
        int ports = attributes().physPortCount();
        if (port < 1 || port > ports) {
            throw new IllegalArgumentException(
                    device.name() + " has no port " + port + ": its ports are numbered from 1 to " + ports);
        }
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
        checkPort(port);
        int room = 0;
        for (int p = 1; p <= attributes().physPortCount(); p++) {
            room += port(p).gidTableLength();
        }
        try (var call = new VerbsCall(lifetime)) {
            MemorySegment entries = call.allocate(ibv_gid_entry.layout(), Math.max(1, room));
            long count =
                    call.integer64(Libibverbs.QUERY_GID_TABLE, handle, entries, (long) room, 0, ibv_gid_entry.sizeof());
            if (count < 0) {
                throw call.failure(Libibverbs.QUERY_GID_TABLE, device.name(), (int) -count);
            }
            var table = new ArrayList<GidEntry>();
            for (long i = 0; i < count; i++) {
                GidEntry entry = readGid(ibv_gid_entry.asSlice(entries, i));
                if (entry.port() == port) {
                    table.add(entry);
                }
            }
            table.sort(Comparator.comparingInt(GidEntry::index));
            return List.copyOf(table);
        }
    }

    private static GidEntry readGid(MemorySegment entry) {
        return new GidEntry(
                ibv_gid_entry.port_num(entry),
                ibv_gid_entry.gid_index(entry),
                Gid.of(ibv_gid_entry.gid(entry).toArray(ValueLayout.JAVA_BYTE)),
                GidType.of(ibv_gid_entry.gid_type(entry)),
                ibv_gid_entry.ndev_ifindex(entry));
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
        List<GidEntry> table = gidTable(port);
        for (GidEntry entry : table) {
            if (entry.index() == index) {
                return entry;
            }
        }
        throw new IllegalArgumentException("no GID at index " + index + " of " + device.name() + " port " + port
                + "; there are: " + describe(table));
    }

    private static String describe(List<GidEntry> table) {
        return table.isEmpty()
                ? "none (does the network device have an address?)"
                : table.stream()
                        .map(entry -> entry.index() + " (" + entry.type() + " " + entry.gid() + ")")
                        .collect(Collectors.joining(", "));
    }

    /**
     * The GID to use when nobody says which: for RoCE the first version 2 entry with an IPv4 address, or else with
     * a routable IPv6 address, or else any version 2 entry; otherwise the first entry.
     *
     * @param port the number of the port, from 1
     * @return the entry
     * @throws IllegalArgumentException if there is no such port, or its GID table is empty
     * @throws dev.isthmus.VerbsException if the call fails
     * @throws IllegalStateException if this is closed
     */
    public GidEntry defaultGid(int port) {
        List<GidEntry> table = gidTable(port);
        return table.stream()
                .min(Comparator.comparingInt(DeviceContext::preference).thenComparingInt(GidEntry::index))
                .orElseThrow(() -> new IllegalArgumentException(
                        "no GID on " + device.name() + " port " + port + ": " + describe(table)));
    }

    private static int preference(GidEntry entry) {
        if (entry.type() != GidType.ROCE_V2) {
            return 3;
        }
        if (entry.gid().isIpv4Mapped()) {
            return 0;
        }
        return entry.gid().toInetAddress().isLinkLocalAddress() ? 2 : 1;
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
     * Creates a completion queue without a completion channel: {@code ibv_create_cq}. It belongs to the calling
     * thread.
     *
     * @param entries how many completions it has room for at least; as many as can be outstanding on all queues that
     *     complete into it, or it overruns
     * @return the completion queue, which the caller closes before this
     * @throws IllegalArgumentException if {@code entries} is not positive
     * @throws dev.isthmus.VerbsException if the call fails, such as when the device allows fewer entries
     * @throws IllegalStateException if this is closed
     */
    public CompletionQueue createCompletionQueue(int entries) {
        return CompletionQueue.create(this, entries);
    }

    /**
     * Opens a new XRC domain for this process alone: {@code ibv_open_xrcd} without a file.
     *
     * @return the domain, which the caller closes before this
     * @throws dev.isthmus.VerbsException if the call fails, with EOPNOTSUPP when the device has no XRC
     * @throws IllegalStateException if this is closed
     */
    public XrcDomain openXrcDomain() {
        return XrcDomain.open(this);
    }

    /**
     * Opens the XRC domain that is tied to a file: {@code ibv_open_xrcd}. Other processes open it with the same file.
     *
     * @param file an existing file or folder that this process may read; what it contains does not matter
     * @param options how to open it; none opens a domain that another process has open
     * @return the domain, which the caller closes before this
     * @throws IllegalArgumentException if the options are EXCLUSIVE without CREATE
     * @throws java.io.UncheckedIOException if the file cannot be opened
     * @throws dev.isthmus.VerbsException if the call fails, with EOPNOTSUPP when the device has no XRC
     * @throws IllegalStateException if this is closed
     */
    public XrcDomain openXrcDomain(Path file, XrcDomain.OpenOption... options) {
        return XrcDomain.open(this, file, options);
    }

    /**
     * What happens on the device besides completions: ports that come and go, queues that fail.
     *
     * @return the events, always the same object
     */
    public AsyncEvents asyncEvents() {
        return asyncEvents;
    }

    ContextObjects objects() {
        return objects;
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
     * Closes the device: {@code ibv_close_device}. Does nothing when it is closed already.
     *
     * @throws IllegalStateException if protection domains or completion queues of it are open, or a call on it runs
     * @throws dev.isthmus.VerbsException if the call fails; it can be tried again
     */
    @Override
    public void close() {
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
