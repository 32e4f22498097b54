package dev.isthmus.ucx;

import dev.isthmus.UcxException;
import dev.isthmus.bindings.ucx.ucp_context_attr;
import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.bindings.ucx.ucp_params;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.ucx.UcpObjects;
import dev.isthmus.internal.ucx.UcxConfigKeys;
import dev.isthmus.internal.ucx.UcxLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
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
    private volatile boolean abandoned;

    private UcpContext(UcpContextConfig config) {
        String name = config.name().isEmpty() ? "ucx" + COUNT.incrementAndGet() : config.name();
        this.lifetime = new Lifetime("UcpContext", name);
        this.features = Set.copyOf(config.features());
        this.context = lifetime.open(() -> create(config, name));
        try {
            this.requestBytes = queryRequestBytes();
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
        return new UcpWorker(this, lifetime.name() + "/" + workers.incrementAndGet(), config);
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
     * Frees what UCX has: {@code ucp_cleanup}. Does nothing when closed already.
     *
     * @throws IllegalStateException if workers are open; it names how many
     */
    @Override
    public void close() {
        lifetime.close(() -> {
            if (!abandoned) {
                UcpObjects.cleanup(context);
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

    private static long create(UcpContextConfig config, String name) {
        try (Arena arena = Arena.ofConfined()) {
            long options = readOptions(arena, config.settings());
            try {
                MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
                int status = UcpObjects.init(parameters(arena, config, name), options, out);
                UcxFailure.check(status, "ucp_init", name + ", " + config.features() + ", " + config.settings());
                long context = out.get(ValueLayout.JAVA_LONG, 0);
                refuseUnknownKeys(config.settings(), context);
                return context;
            } finally {
                UcpObjects.configRelease(options);
            }
        }
    }

    private static MemorySegment parameters(Arena arena, UcpContextConfig config, String name) {
        long features = 0;
        for (UcpFeature feature : config.features()) {
            features |= feature.bit();
        }
        MemorySegment params = ucp_params.allocate(arena);
        ucp_params.field_mask(
                params,
                ucp_h.UCP_PARAM_FIELD_FEATURES()
                        | ucp_h.UCP_PARAM_FIELD_MT_WORKERS_SHARED()
                        | ucp_h.UCP_PARAM_FIELD_NAME());
        ucp_params.features(params, features);
        // Always: a worker on a second thread would otherwise race in C. It locks set-up and registration only.
        ucp_params.mt_workers_shared(params, 1);
        ucp_params.name(params, arena.allocateFrom(name));
        return params;
    }

    private static long readOptions(Arena arena, Map<String, String> settings) {
        MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
        UcxFailure.check(UcpObjects.configRead(out), "ucp_config_read", "the environment");
        long options = out.get(ValueLayout.JAVA_LONG, 0);
        settings.forEach((key, value) -> {
            int status = UcpObjects.configModify(options, arena.allocateFrom(key), arena.allocateFrom(value));
            if (status != 0) {
                UcpObjects.configRelease(options);
                throw new IllegalArgumentException("UCX does not accept " + key + "=" + value + ": "
                        + UcsStatus.describe(status) + "; ucx_info -cf explains the option");
            }
        });
        return options;
    }

    private static void refuseUnknownKeys(Map<String, String> settings, long context) {
        if (settings.isEmpty()) {
            return;
        }
        Set<String> known = UcxConfigKeys.known();
        for (String key : settings.keySet()) {
            if (!UcxConfigKeys.isKnown(known, key)) {
                UcpObjects.cleanup(context);
                throw new IllegalArgumentException("UCX knows no option " + key
                        + ": ucx_info -c lists those there are, and here they stand" + " without UCX_");
            }
        }
    }

    private long queryRequestBytes() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = ucp_context_attr.allocate(arena);
            ucp_context_attr.field_mask(attr, ucp_h.UCP_ATTR_FIELD_REQUEST_SIZE());
            UcxFailure.check(UcpObjects.contextQuery(context, attr), "ucp_context_query", this);
            return ucp_context_attr.request_size(attr);
        }
    }

    /** The context as messages name it. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
