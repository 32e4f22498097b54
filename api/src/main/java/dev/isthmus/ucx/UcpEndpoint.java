package dev.isthmus.ucx;

import dev.isthmus.UcxException;
import dev.isthmus.bindings.ucx.ucp_ep_params;
import dev.isthmus.bindings.ucx.ucp_err_handler;
import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.ucx.Libucp;
import dev.isthmus.internal.ucx.Ucp;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
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
    private final long handle;
    private long ep; // 0 once closed
    private int failureCode;

    UcpEndpoint(UcpWorker worker, UcpAddress remote, UcpEndpointConfig config) {
        this.worker = worker;
        this.slots = worker.slots();
        this.requests = worker.requests();
        this.errorHandling = config.errorHandling();
        this.errorHandler = config.errorHandler();
        String name = worker.name() + " to " + Integer.toHexString(remote.hashCode()) + ", " + errorHandling;
        this.lifetime = new Lifetime("UcpEndpoint", name, worker.lifetime());
        this.failureId = worker.failures().add(this);
        try {
            this.handle = lifetime.open(() -> create(remote));
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

    private long create(UcpAddress remote) {
        try (var call = new UcpCall()) {
            MemorySegment params = ucp_ep_params.allocate(call);
            ucp_ep_params.field_mask(
                    params,
                    ucp_h.UCP_EP_PARAM_FIELD_REMOTE_ADDRESS()
                            | ucp_h.UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE()
                            | ucp_h.UCP_EP_PARAM_FIELD_ERR_HANDLER());
            ucp_ep_params.address(params, remote.copyTo(call));
            ucp_ep_params.err_mode(
                    params,
                    errorHandling == UcpErrorHandling.PEER
                            ? ucp_h.UCP_ERR_HANDLING_MODE_PEER()
                            : ucp_h.UCP_ERR_HANDLING_MODE_NONE());
            MemorySegment handler = ucp_ep_params.err_handler(params);
            ucp_err_handler.cb(handler, worker.failures().callback());
            ucp_err_handler.arg(handler, MemorySegment.ofAddress(failureId));
            return call.create(Libucp.EP_CREATE, this, worker.handle(), params);
        }
    }

    /** The endpoint as messages name it. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
