// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.UcxException;
import dev.isthmus.bindings.ucx.ucp_context_attr;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.ucx.Libucp;
import dev.isthmus.internal.ucx.UcxLibrary;
import dev.isthmus.internal.ucx.UcxText;
import dev.isthmus.loop.EventLoop;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The program's share of UCX: transports, devices and options. {@code ucp_context_h}.
 *
 * <p>Thread-safe: workers can be created and used on different threads. A program usually has one context, and a worker
 * for each thread that communicates.
 */
public final class UcpContext implements AutoCloseable {

    private static final AtomicInteger COUNT = new AtomicInteger();

    static {
        Natives.of(UcpContext.class).exposes(Lifetime.class, context -> context.lifetime);
    }

    private final Lifetime lifetime;
    private final Set<UcpFeature> features;
    private final AtomicInteger workers = new AtomicInteger();
    private final long context;
    private final long requestBytes;
    private final Map<String, String> settings;
    private volatile boolean abandoned;
    private volatile String unusableConnectionManagers; // null until asked

    private UcpContext(UcpContextConfig config) {
        String name = config.name().isEmpty() ? "ucx" + COUNT.incrementAndGet() : config.name();
        this.lifetime = new Lifetime("UcpContext", name);
        this.features = Set.copyOf(config.features());
        this.settings = Map.copyOf(config.settings());
        this.context = lifetime.open(() -> ContextCreation.create(config, name));
        this.requestBytes = Lifetime.orDestroy(() -> attributes().requestBytes(), this::close);
    }

    /**
     * Creates a context for tag matching, with the options of the environment: {@code ucp_init}. Blocks for tenths of a
     * second, while devices are opened.
     *
     * @return the context; close it after its workers
     * @throws dev.isthmus.RdmaUnavailableException if UCX is not on this machine or too old
     * @throws UcxException if UCX refuses, for example for lack of a device
     */
    public static UcpContext create() {
        return create(config -> {});
    }

    /**
     * Creates a context: {@code ucp_config_read}, {@code ucp_config_modify}, {@code ucp_init}. Blocks for tenths of a
     * second, while devices are opened.
     *
     * @param configurer sets features and options
     * @return the context; close it after its workers
     * @throws IllegalArgumentException if UCX does not know an option of that name, or the value
     * @throws dev.isthmus.RdmaUnavailableException if UCX is not on this machine or too old
     * @throws UcxException if UCX refuses, for example for lack of a device
     */
    public static UcpContext create(Consumer<UcpContextConfig> configurer) {
        UcxLibrary.load();
        UcpContextConfig config = new UcpContextConfig();
        config.filling.by(configurer, config);
        return new UcpContext(config);
    }

    /**
     * Creates a worker for the calling thread: {@code ucp_worker_create}.
     *
     * @return the worker; close it before the context
     * @throws IllegalStateException if the context is closed
     * @throws UcxException if UCX refuses
     */
    public UcpWorker createWorker() {
        return createWorker(config -> {});
    }

    /**
     * Creates a worker for the calling thread: {@code ucp_worker_create}.
     *
     * @param configurer sets what differs from the defaults
     * @return the worker; close it before the context
     * @throws IllegalArgumentException if it sets what only a loop's worker has, or a handler for an id out of range
     * @throws IllegalStateException if the context is closed, or a handler is set without {@link UcpFeature#AM}
     * @throws UcxException if UCX refuses
     */
    public UcpWorker createWorker(Consumer<UcpWorkerConfig> configurer) {
        UcpWorkerConfig config = new UcpWorkerConfig();
        config.filling.by(configurer, config);
        if (config.completions() != null) {
            throw new IllegalArgumentException(
                    "it is a loop that calls a handler of completions: create the worker with"
                            + " a loop, or poll for completions by UcpWorker.poll");
        }
        return createWorker(config, null);
    }

    /**
     * Creates a worker that belongs to a loop, which progresses it: {@code ucp_worker_create}. It is created on the
     * loop's thread. Tasks there create endpoints, send and receive, and its futures and handlers run there. Blocks
     * until it is created. Endpoints and remote memory that are closed in a turn of the loop are not waited for.
     *
     * @param loop a loop that was started, or that the calling thread runs
     * @param configurer sets what differs from the defaults
     * @return the worker; close it before the context and the loop, by any thread if the loop was started
     * @throws IllegalArgumentException if it sets a handler for an id out of range
     * @throws IllegalStateException if the context or the loop is closed, or the context was created without
     *     {@link UcpFeature#WAKEUP}, or a handler is set and it was created without {@link UcpFeature#AM}
     * @throws java.util.concurrent.RejectedExecutionException if the loop was started and is closed
     * @throws UcxException if UCX refuses
     */
    public UcpWorker createWorker(EventLoop loop, Consumer<UcpWorkerConfig> configurer) {
        if (!features.contains(UcpFeature.WAKEUP)) {
            throw new IllegalStateException(
                    this + " was made without UcpFeature.WAKEUP, which a worker of a loop needs");
        }
        return loop.call(() -> {
            UcpWorkerConfig config = new UcpWorkerConfig();
            config.filling.by(configurer, config);
            return createWorker(config, loop);
        });
    }

    private UcpWorker createWorker(UcpWorkerConfig config, EventLoop loop) {
        String name = config.name().isEmpty() ? lifetime.name() + "/" + workers.incrementAndGet() : config.name();
        return new UcpWorker(this, name, config, loop);
    }

    /**
     * The features with which the context was created.
     *
     * @return the features; cannot be changed
     */
    public Set<UcpFeature> features() {
        return features;
    }

    /**
     * What UCX reports about the context: {@code ucp_context_query}.
     *
     * @return its name, memory types, and more
     * @throws IllegalStateException if the context is closed
     */
    public UcpContextAttributes attributes() {
        try (var call = new UcpCall(lifetime)) {
            MemorySegment attributes = ucp_context_attr.allocate(call);
            ucp_context_attr.field_mask(attributes, UcpContextAttributes.fields());
            call.check(Libucp.CONTEXT_QUERY, this, context, attributes);
            return UcpContextAttributes.read(attributes);
        }
    }

    /**
     * The devices and transports that the context uses, for people to read: {@code ucp_context_print_info}.
     *
     * @return several lines, in a form that differs between versions of UCX
     * @throws IllegalStateException if the context is closed
     */
    public String info() {
        try (var call = new UcpCall(lifetime)) {
            return call.print(Libucp.CONTEXT_PRINT_INFO, context);
        }
    }

    /**
     * Registers memory with the devices: see {@link #register(MemorySegment, Consumer)}.
     *
     * @param segment off the heap, writable, not empty
     * @return the memory; close it before the context and before the segment's arena
     */
    public UcpMemory register(MemorySegment segment) {
        return register(segment, config -> {});
    }

    /**
     * Registers memory with the devices, for operations of this process and of peers: {@code ucp_mem_map}. Blocks while
     * its pages are brought into memory. Over shared memory, peers are faster with memory from {@link #allocate(long)}.
     *
     * @param segment off the heap, writable, not empty, of an arena that this thread may access
     * @param configurer sets what differs from the defaults
     * @return the memory; close it before the context and before the segment's arena
     * @throws IllegalArgumentException if the segment is on the heap, read-only or empty, or the context does not
     *     support the type of memory
     * @throws IllegalStateException if the context or the segment's arena is closed
     * @throws WrongThreadException if the segment belongs to another thread
     * @throws UcxException if a device refuses; check {@code ulimit -l}
     */
    public UcpMemory register(MemorySegment segment, Consumer<UcpMemoryConfig> configurer) {
        UcpMemoryConfig config = new UcpMemoryConfig();
        config.filling.by(configurer, config);
        return UcpMemory.register(this, segment, config);
    }

    /**
     * Allocates memory in the way that suits the devices best: see {@link #allocate(long, Consumer)}.
     *
     * @param bytes how much; at least 1
     * @return the memory; close it before the context
     */
    public UcpMemory allocate(long bytes) {
        return allocate(bytes, config -> {});
    }

    /**
     * Allocates memory in the way that suits the devices best (shared memory if UCX uses that) and registers it with
     * them: {@code ucp_mem_map} with {@code UCP_MEM_MAP_ALLOCATE}. Its contents are undefined. Blocks while the memory
     * is allocated.
     *
     * @param bytes how much; at least 1
     * @param configurer sets what differs from the defaults
     * @return the memory; close it before the context
     * @throws IllegalArgumentException if the size is less than 1, the context does not support the type of memory, or
     *     the fixed address is not available
     * @throws IllegalStateException if the context is closed
     * @throws UcxException if UCX gets no memory; check {@code ulimit -l} and the size of {@code /dev/shm}
     */
    public UcpMemory allocate(long bytes, Consumer<UcpMemoryConfig> configurer) {
        UcpMemoryConfig config = new UcpMemoryConfig();
        config.filling.by(configurer, config);
        return UcpMemory.allocate(this, bytes, config);
    }

    /**
     * Imports memory that another context of this machine exported, for operations of this one: {@code ucp_mem_map}
     * with {@code exported_memh_buffer}; UCX 1.14 and later.
     *
     * @param exported what {@link UcpMemory#export()} returned there
     * @return the memory, which this process cannot access itself; close it before the context
     * @throws IllegalStateException if the context is closed
     * @throws dev.isthmus.RdmaUnavailableException if the loaded UCX is older
     * @throws UcxException if no device can import it
     */
    public UcpMemory importMemory(UcpExportedMemory exported) {
        return UcpMemory.importExported(this, exported);
    }

    /**
     * How UCX would allocate memory, for people to read: {@code ucp_mem_print_info}.
     *
     * @param bytes how much; at least 1
     * @return several lines, in a form that differs between versions of UCX
     * @throws IllegalArgumentException if the size is less than 1
     * @throws IllegalStateException if the context is closed
     */
    public String memoryInfo(long bytes) {
        MemoryMapping.checkSize(bytes);
        try (var call = new UcpCall(lifetime)) {
            MemorySegment size = call.allocateFrom(Long.toString(bytes));
            return UcxText.of(stream -> call.nothing(Libucp.MEM_PRINT_INFO, size, context, stream));
        }
    }

    /**
     * Frees the context: {@code ucp_cleanup}. Does nothing if it is closed already.
     *
     * @throws IllegalStateException if workers or memory are open, with a message that says how many
     */
    @Override
    public void close() {
        lifetime.close(() -> {
            if (!abandoned) {
                UcpCall.run(Libucp.CLEANUP, context);
            }
        });
    }

    /**
     * C cannot free it. Either a worker could not be destroyed, or it was destroyed while operations held registered
     * memory; in builds with assertions, such as Debian's, ucs_mem_region_destroy_internal asserts that there are none.
     */
    void abandon() {
        abandoned = true;
    }

    /** Whether UCX opens the best devices only. */
    boolean isUnified() {
        return ContextCreation.print(settings, true).lines().anyMatch("UCX_UNIFIED_MODE=y"::equals);
    }

    /** See {@link ConnectionManagers#unusable}. Asked once, as it means printing the whole configuration. */
    String unusableConnectionManagers() {
        String known = unusableConnectionManagers;
        if (known == null) {
            known = ConnectionManagers.unusable(ContextCreation.print(settings, false));
            unusableConnectionManagers = known;
        }
        return known;
    }

    Lifetime lifetime() {
        return lifetime;
    }

    /** {@code ucp_context_h}; the calling worker holds the context open. */
    long handle() {
        return context;
    }

    long requestBytes() {
        return requestBytes;
    }

    /** The context as it appears in error messages. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
