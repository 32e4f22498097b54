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
 * What the program has of UCX: its transports, devices and options. {@code ucp_context_h}.
 *
 * <p>Thread-safe: workers can be made and used on different threads. A program usually has one context and a worker for
 * each thread that communicates.
 */
public final class UcpContext implements AutoCloseable {

    private static final AtomicInteger COUNT = new AtomicInteger();

    static {
        Natives.of(UcpContext.class).has(Lifetime.class, context -> context.lifetime);
    }

    private final Lifetime lifetime;
    private final Set<UcpFeature> features;
    private final AtomicInteger workers = new AtomicInteger();
    private final long context;
    private final long requestBytes;
    private final Map<String, String> settings;
    private volatile boolean abandoned;

    private UcpContext(UcpContextConfig config) {
        String name = config.name().isEmpty() ? "ucx" + COUNT.incrementAndGet() : config.name();
        this.lifetime = new Lifetime("UcpContext", name);
        this.features = Set.copyOf(config.features());
        this.settings = Map.copyOf(config.settings());
        this.context = lifetime.open(() -> ContextCreation.create(config, name));
        this.requestBytes = Lifetime.orDestroy(() -> attributes().requestBytes(), this::close);
    }

    /**
     * Makes a context for tag matching, with the options of the environment: {@code ucp_init}. Blocks while devices are
     * opened, tenths of a second.
     *
     * @return the context; to be closed after its workers
     * @throws dev.isthmus.RdmaUnavailableException if UCX is not on this machine or too old
     * @throws UcxException if UCX refuses, for want of a device for instance
     */
    public static UcpContext create() {
        return create(config -> {});
    }

    /**
     * Makes a context: {@code ucp_config_read}, {@code ucp_config_modify}, {@code ucp_init}. Blocks while devices are
     * opened, tenths of a second.
     *
     * @param configurer fills in features and options
     * @return the context; to be closed after its workers
     * @throws IllegalArgumentException if UCX knows no option of that name, or not that value
     * @throws dev.isthmus.RdmaUnavailableException if UCX is not on this machine or too old
     * @throws UcxException if UCX refuses, for want of a device for instance
     */
    public static UcpContext create(Consumer<UcpContextConfig> configurer) {
        UcxLibrary.load();
        UcpContextConfig config = new UcpContextConfig();
        config.filling.by(configurer, config);
        return new UcpContext(config);
    }

    /**
     * Makes a worker for the calling thread: {@code ucp_worker_create}.
     *
     * @return the worker; to be closed before the context
     * @throws IllegalStateException if the context is closed
     * @throws UcxException if UCX refuses
     */
    public UcpWorker createWorker() {
        return createWorker(config -> {});
    }

    /**
     * Makes a worker for the calling thread: {@code ucp_worker_create}.
     *
     * @param configurer fills in what is to differ from the defaults
     * @return the worker; to be closed before the context
     * @throws IllegalArgumentException if it sets what only a loop's worker has, or a handler of no id
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
     * Makes a worker that belongs to a loop, which progresses it: {@code ucp_worker_create}. On the loop's thread it is
     * made, and tasks there make endpoints, send and receive; its futures and handlers run there. Blocks until it is made.
     * Endpoints and remote memory that are closed in a turn of the loop are not waited for.
     *
     * @param loop one that was started, or one that the calling thread turns
     * @param configurer fills in what is to differ from the defaults
     * @return the worker; to be closed before the context and the loop, by any thread if the loop was started
     * @throws IllegalArgumentException if it sets a handler of no id
     * @throws IllegalStateException if the context or the loop is closed, or the context was made without {@link
     *     UcpFeature#WAKEUP}, or without {@link UcpFeature#AM} and a handler is set
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
        if (!config.handlers().isEmpty()
                && !features.contains(UcpFeature.AM)) { // before there is a worker to be closed
            throw new IllegalStateException(this + " was made without UcpFeature.AM, which handlers need");
        }
        var worker = new UcpWorker(this, name, config, loop);
        config.handlers().forEach((id, handler) -> worker.activeMessages().setHandler(id, handler));
        return worker;
    }

    /**
     * What the context was made for.
     *
     * @return the features; cannot be changed
     */
    public Set<UcpFeature> features() {
        return features;
    }

    /**
     * What UCX says of the context: {@code ucp_context_query}.
     *
     * @return its name, memory types, and so on
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
     * Makes memory known to the devices: see {@link #register(MemorySegment, Consumer)}.
     *
     * @param segment off the heap, writable, not empty
     * @return the memory; to be closed before the context and before the segment's arena
     */
    public UcpMemory register(MemorySegment segment) {
        return register(segment, config -> {});
    }

    /**
     * Makes memory known to the devices, for operations of this process and of peers: {@code ucp_mem_map}. Blocks while
     * its pages are brought into memory. Over shared memory, peers are faster with what {@link #allocate(long)} gives.
     *
     * @param segment off the heap, writable, not empty, of an arena that this thread may access
     * @param configurer fills in what is to differ from the defaults
     * @return the memory; to be closed before the context and before the segment's arena
     * @throws IllegalArgumentException if the segment is on the heap, read-only or empty, or the context has no memory of
     *     the type
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
     * @return the memory, to be closed before the context
     */
    public UcpMemory allocate(long bytes) {
        return allocate(bytes, config -> {});
    }

    /**
     * Allocates memory in the way that suits the devices best, shared memory where UCX uses that, and makes it known to
     * them: {@code ucp_mem_map} with {@code UCP_MEM_MAP_ALLOCATE}. Its contents are undefined. Blocks while the memory is
     * got.
     *
     * @param bytes how much; at least 1
     * @param configurer fills in what is to differ from the defaults
     * @return the memory, to be closed before the context
     * @throws IllegalArgumentException if the size is none, the context has no memory of the type, or the fixed address
     *     cannot be had
     * @throws IllegalStateException if the context is closed
     * @throws UcxException if UCX gets no memory; check {@code ulimit -l} and the size of {@code /dev/shm}
     */
    public UcpMemory allocate(long bytes, Consumer<UcpMemoryConfig> configurer) {
        UcpMemoryConfig config = new UcpMemoryConfig();
        config.filling.by(configurer, config);
        return UcpMemory.allocate(this, bytes, config);
    }

    /**
     * Takes memory that another context of this machine exported, for operations of this one: {@code ucp_mem_map} with
     * {@code exported_memh_buffer}; UCX 1.14 and later.
     *
     * @param exported what {@link UcpMemory#export()} gave there
     * @return the memory, which this process cannot access itself; to be closed before the context
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
     * @throws IllegalArgumentException if the size is none
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
     * Frees what UCX has: {@code ucp_cleanup}. Does nothing when closed already.
     *
     * @throws IllegalStateException if workers or memory are open; it names how many
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
     * C cannot free it: a worker could not be destroyed, or was with operations that hold registered memory, which an
     * assertion in ucs_mem_region_destroy_internal takes for a fault in builds with assertions, such as Debian's.
     */
    void abandon() {
        abandoned = true;
    }

    /** Whether UCX opens the best devices only. */
    boolean isUnified() {
        return ContextCreation.print(settings, true).lines().anyMatch("UCX_UNIFIED_MODE=y"::equals);
    }

    Lifetime lifetime() {
        return lifetime;
    }

    /** {@code ucp_context_h}; the worker that asks holds the context open. */
    long handle() {
        return context;
    }

    long requestBytes() {
        return requestBytes;
    }

    /** The context as messages name it. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
