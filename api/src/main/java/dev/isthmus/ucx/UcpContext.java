package dev.isthmus.ucx;

import dev.isthmus.UcxException;
import dev.isthmus.bindings.ucx.ucp_context_attr;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.ucx.Libucp;
import dev.isthmus.internal.ucx.UcxLibrary;
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
        try {
            this.requestBytes = attributes().requestBytes();
        } catch (UcxException e) {
            close();
            throw e;
        }
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
        configurer.accept(config);
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
     * @throws IllegalStateException if the context is closed
     * @throws UcxException if UCX refuses
     */
    public UcpWorker createWorker(Consumer<UcpWorkerConfig> configurer) {
        UcpWorkerConfig config = new UcpWorkerConfig();
        configurer.accept(config);
        String name = config.name().isEmpty() ? lifetime.name() + "/" + workers.incrementAndGet() : config.name();
        return new UcpWorker(this, name, config);
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
     * Frees what UCX has: {@code ucp_cleanup}. Does nothing when closed already.
     *
     * @throws IllegalStateException if workers are open; it names how many
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
