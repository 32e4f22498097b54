package dev.isthmus.ucx;

import dev.isthmus.UcxException;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.ucx.Libucp;
import dev.isthmus.internal.ucx.Ucp;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/**
 * A worker's way to send to one other worker: {@code ucp_ep_h}. Made by {@link UcpWorker#createEndpoint}.
 *
 * <p>Confined to the thread of its worker. Nothing blocks but {@link #close()}, for as long as {@link
 * UcpWorkerConfig#closeTimeout} says.
 */
public final class UcpEndpoint implements AutoCloseable {

    private final UcpWorker worker;
    private final RequestSlots slots;
    private final UcpRequests requests;
    private final Lifetime lifetime;
    private final UcpErrorHandling errorHandling;
    private final UcpErrorHandler errorHandler;
    private final long failureId;
    private final boolean describable;
    private final long handle;
    private long ep; // 0 once closed
    private int failureCode;

    UcpEndpoint(UcpWorker worker, EndpointTarget target, String remote, UcpEndpointConfig config) {
        this.worker = worker;
        this.slots = worker.slots();
        this.requests = worker.requests();
        this.errorHandling = config.errorHandling();
        this.errorHandler = config.errorHandler();
        this.describable = target instanceof EndpointTarget.Worker;
        String name = worker.name() + " to " + remote + ", " + errorHandling;
        this.lifetime = new Lifetime("UcpEndpoint", name, worker.lifetime());
        this.failureId = worker.failures().add(this);
        try {
            this.handle = lifetime.open(() -> EndpointCreation.create(this, target, config, failureId));
            this.ep = handle;
        } catch (RuntimeException e) {
            worker.failures().remove(failureId);
            throw e;
        }
    }

    /**
     * Sends a whole buffer as a message with a tag: see {@link #tagSend(MemorySegment, long, long, long)}.
     *
     * @param buffer off the heap
     * @param tag what the receiver matches
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}
     */
    @HotPath
    public long tagSend(MemorySegment buffer, long tag) {
        return tagSend(buffer, 0, buffer.byteSize(), tag);
    }

    /**
     * Sends a message with a tag: {@code ucp_tag_send_nbx}.
     *
     * <p>UCX reads the buffer until the operation is done: until then neither change it nor close its arena. Done means
     * that the buffer is the caller's again, not that the message was received.
     *
     * @param buffer off the heap, of an arena that this thread may access
     * @param offset where the message begins in the buffer, in bytes
     * @param length how many bytes to send; may be 0
     * @param tag what the receiver matches
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}, to be released
     * @throws IllegalArgumentException if the buffer is on the heap
     * @throws IndexOutOfBoundsException if offset and length are not within the buffer
     * @throws IllegalStateException if the endpoint is closed, the buffer's arena is closed, or the context was made
     *     without {@link UcpFeature#TAG}
     * @throws WrongThreadException if the worker or the buffer belongs to another thread
     * @throws UcxException if UCX refuses the message, because the endpoint failed for instance
     */
    @HotPath
    public long tagSend(MemorySegment buffer, long offset, long length, long tag) {
        long handle = open();
        worker.checkTag();
        long address = Buffers.readable(buffer, offset, length);
        RequestSlot slot = slots.next();
        long result;
        try {
            result = Ucp.tagSend(handle, address, length, tag, slot.sendParameters());
        } finally {
            Reference.reachabilityFence(buffer); // an automatic arena must not be collected during the call
        }
        requests.touch();
        if (result == 0) {
            return 0;
        }
        if (UcxFailure.isError(result)) {
            throw UcxFailure.of((int) result, "ucp_tag_send_nbx", this + ", " + length + " bytes");
        }
        return requests.begin(slot, RequestSlot.SEND, this, buffer);
    }

    /**
     * Sends a whole buffer as a message with a tag, the convenient way. The future is completed by {@link
     * UcpWorker#progress()}, on the worker's thread, with a {@link UcxException} if the send fails. It
     * allocates; otherwise as {@link #tagSend(MemorySegment, long, long, long)}.
     *
     * @param buffer off the heap; UCX reads it until the future is completed
     * @param tag what the receiver matches
     * @return completed when the buffer is the caller's again
     */
    public CompletableFuture<Void> tagSendAsync(MemorySegment buffer, long tag) {
        return worker.async().send(tagSend(buffer, tag), this);
    }

    /**
     * Begins to wait for what was sent so far: {@code ucp_ep_flush_nbx}. The operation is done when all sends before it
     * are, at the origin, and remote memory operations at the target too.
     *
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}, to be released
     * @throws IllegalStateException if the endpoint is closed
     * @throws WrongThreadException if the worker belongs to another thread
     * @throws UcxException if the endpoint failed
     */
    @HotPath
    public long flush() {
        long handle = open();
        RequestSlot slot = slots.next();
        long result = Ucp.endpointFlush(handle, slot.sendParameters());
        requests.touch();
        if (result == 0) {
            return 0;
        }
        if (UcxFailure.isError(result)) {
            throw UcxFailure.of((int) result, "ucp_ep_flush_nbx", toString());
        }
        return requests.begin(slot, RequestSlot.FLUSH, this, null);
    }

    /**
     * The name that UCX has for the endpoint: {@code ucp_ep_query}.
     *
     * @return the name of {@link UcpEndpointConfig#name} where UCX was built for debugging, otherwise a number
     * @throws IllegalStateException if the endpoint is closed
     * @throws WrongThreadException if the worker belongs to another thread
     */
    public String name() {
        open();
        return EndpointQueries.name(this);
    }

    /**
     * Where a connection by socket address begins: {@code ucp_ep_query}.
     *
     * @return the address; empty for an endpoint to a worker address, or one that is not connected
     * @throws IllegalStateException if the endpoint is closed
     * @throws WrongThreadException if the worker belongs to another thread
     */
    public Optional<InetSocketAddress> localAddress() {
        open();
        return EndpointQueries.localAddress(this);
    }

    /**
     * Where a connection by socket address leads to: {@code ucp_ep_query}.
     *
     * @return the address; empty for an endpoint to a worker address, or one that is not connected
     * @throws IllegalStateException if the endpoint is closed
     * @throws WrongThreadException if the worker belongs to another thread
     */
    public Optional<InetSocketAddress> remoteAddress() {
        open();
        return EndpointQueries.remoteAddress(this);
    }

    /**
     * What the endpoint sends over: {@code ucp_ep_query}; UCX 1.14 and later. It can change until the peers are
     * connected.
     *
     * @return transports and devices
     * @throws IllegalStateException if the endpoint is closed
     * @throws WrongThreadException if the worker belongs to another thread
     * @throws dev.isthmus.RdmaUnavailableException if the loaded UCX is older
     */
    public List<UcpTransport> transports() {
        open();
        return EndpointQueries.transports(this);
    }

    /**
     * How long UCX expects a message to take, by the devices' bandwidth and latency: {@code ucp_ep_evaluate_perf}.
     *
     * @param bytes how long the message is
     * @return seconds; of no use until the peers are connected
     * @throws IllegalArgumentException if the length is negative
     * @throws IllegalStateException if the endpoint is closed or has failed, or UCX cannot say because of its option
     *     UNIFIED_MODE
     * @throws WrongThreadException if the worker belongs to another thread
     */
    public double estimatedSeconds(long bytes) {
        open();
        if (bytes < 0) {
            throw new IllegalArgumentException("a message of " + bytes + " bytes");
        }
        if (isFailed()) {
            throw new IllegalStateException(this + " has failed");
        }
        return EndpointQueries.estimatedSeconds(this, bytes);
    }

    /**
     * The transports and protocols that the endpoint uses, for people to read: {@code ucp_ep_print_info}.
     *
     * @return several lines, in a form that differs between versions of UCX
     * @throws IllegalStateException if the endpoint is closed, has failed, or was connected by socket address: UCX then
     *     looks for transports that are not there, and may end the process
     * @throws WrongThreadException if the worker belongs to another thread
     */
    public String info() {
        long open = open();
        if (isFailed() || !describable) {
            throw new IllegalStateException(this + " cannot be described: it "
                    + (isFailed() ? "has failed" : "was connected by socket address"));
        }
        try (var call = new UcpCall()) {
            return call.print(Libucp.EP_PRINT_INFO, open);
        }
    }

    /**
     * Whether the endpoint can be used. Thread-safe.
     *
     * @return whether it was not closed
     */
    public boolean isOpen() {
        return lifetime.isOpen();
    }

    /**
     * Whether UCX reported that the peer is gone. Such an endpoint is only good for {@link #close()}.
     *
     * @return whether the endpoint failed
     */
    public boolean isFailed() {
        return failureCode != 0;
    }

    /**
     * Why the endpoint failed.
     *
     * @return {@link UcsStatus#OK} while it has not
     */
    public UcsStatus failure() {
        return UcsStatus.of(failureCode);
    }

    /**
     * Why the endpoint failed, as a number.
     *
     * @return a {@code ucs_status_t}, 0 while it has not
     */
    public int failureCode() {
        return failureCode;
    }

    /**
     * Closes the endpoint after what was sent has left: {@code ucp_ep_flush_nbx}, {@code ucp_ep_close_nbx}. Progresses
     * the worker for at most {@link UcpWorkerConfig#closeTimeout} each for sending and for closing, but neither
     * completes futures nor calls error handlers.
     *
     * <p>Inside a callback of UCX the endpoint takes nothing more at once, and is closed when UCX has returned.
     *
     * <p>When sends are left after that, or the endpoint failed, it is closed as {@link #closeForcibly()} does. Does
     * nothing when closed already.
     *
     * @throws WrongThreadException if the worker belongs to another thread
     */
    @Override
    public void close() {
        close(EndpointClose::gracefully);
    }

    /**
     * Closes the endpoint without waiting for its sends: {@code UCP_EP_CLOSE_FLAG_FORCE}. They end as {@link
     * UcsStatus#CANCELED} with further progress. UCX offers that for {@link UcpErrorHandling#PEER} only; with {@link
     * UcpErrorHandling#NONE} its half of the endpoint stays until the worker is closed, and sends that wait for the peer
     * stay pending until then. Does nothing when closed already.
     *
     * <p>With UCX 1.14 and later, a flush of the whole worker that is outstanding is waited for, for at most {@link
     * UcpWorkerConfig#closeTimeout}; if it does not end, UCX's half of the endpoint stays, too.
     *
     * @throws WrongThreadException if the worker belongs to another thread
     */
    public void closeForcibly() {
        close(EndpointClose::forcibly);
    }

    private void close(BiConsumer<UcpWorker, UcpEndpoint> way) {
        if (ep == 0) {
            return;
        }
        worker.owner().check();
        if (worker.callbacks().isInside()) {
            ep = 0; // nothing more is sent
            worker.callbacks().defer(() -> destroy(way));
        } else {
            destroy(way);
        }
    }

    private void destroy(BiConsumer<UcpWorker, UcpEndpoint> way) {
        lifetime.close(() -> way.accept(worker, this));
        ep = 0;
        worker.failures().remove(failureId);
    }

    UcpWorker worker() {
        return worker;
    }

    UcpErrorHandling errorHandling() {
        return errorHandling;
    }

    /** {@code ucp_ep_h}. */
    long handle() {
        return handle;
    }

    /** Told by C's callback: notes it, and nothing else. */
    void failed(int status) {
        failureCode = status;
    }

    /** Tells the program, on its thread and outside of C. */
    void tellFailure() {
        if (ep != 0 && errorHandler != null) {
            errorHandler.onError(this, failure());
        }
    }

    @HotPath
    private long open() {
        worker.owner().check();
        long handle = ep;
        if (handle == 0) {
            throw new IllegalStateException(this + " is closed");
        }
        return handle;
    }

    /** The endpoint as messages name it. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
