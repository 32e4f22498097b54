// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.UcxException;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.internal.ucx.Libucp;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * A worker's connection for sending to one other worker: {@code ucp_ep_h}. {@link UcpWorker#createEndpoint} creates it.
 *
 * <p>Confined to the thread of its worker. Only {@link #close()} and {@link #closeForcibly()} block, for as long as
 * {@link UcpWorkerConfig#closeTimeout} says, and not even these in a turn of the worker's loop.
 *
 * <p>A connection by socket address ends for both peers when one of them closes: the other's endpoint fails with
 * {@link UcsStatus#CONNECTION_RESET}. UCX does not keep the order of that and of what was sent before it. So the peers
 * must agree that everything has arrived before one closes. A flush is not enough: it ends when the peer's machine has
 * the data, and its program may not have progressed since. Stream data that the peer had not received is then lost.
 */
public final class UcpEndpoint implements AutoCloseable {

    private final WorkerCore worker;
    private final EndpointFailures failures;
    private final EndpointCloses closes;
    private final EndpointOperations operations;
    private final OwnerThread owner;
    private final TagOperations tags;
    private final OrderOperations order;
    private final AmOperations active; // null without the feature
    private final Lifetime lifetime;
    private final UcpErrorHandling errorHandling;
    private final UcpErrorHandler errorHandler;
    private final long failureId;
    private final boolean describable;
    private final long handle;
    private final Establishment establishment; // null if there is nothing to wait for
    private long ep; // 0 once closed
    private long readyId; // the thread that may send, once it was checked; 0, which no thread has, after a change
    private int failureCode;
    private EndpointClose closing; // null until a close has begun
    private CompletableFuture<Void> closed; // created on demand
    private UcpStream stream; // created on demand
    private String lanes; // created on demand
    private long outstandingBytes;
    private volatile Object attachment; // the program's own; null when there is none

    UcpEndpoint(
            WorkerCore worker,
            EndpointCreation creation,
            EndpointFailures failures,
            EndpointCloses closes,
            EndpointOperations operations,
            EndpointTarget target,
            String remote,
            UcpEndpointConfig config) {
        this.worker = worker;
        this.failures = failures;
        this.closes = closes;
        this.operations = operations;
        this.owner = worker.owner();
        this.tags = operations.tags();
        this.order = operations.order();
        this.active = operations.active();
        this.errorHandling = config.errorHandling();
        this.errorHandler = config.errorHandler();
        this.describable = target instanceof EndpointTarget.WorkerTarget;
        String name = worker.name() + " to " + remote + ", " + errorHandling;
        this.lifetime = new Lifetime("UcpEndpoint", name, worker.lifetime());
        this.failureId = failures.add(this);
        try {
            this.handle = lifetime.open(() -> creation.createHandle(this, target, config, failureId));
            this.ep = handle;
            this.establishment = creation.establishment(this, target);
            if (active != null) {
                active.add(handle, this);
            }
        } catch (Throwable t) {
            failures.remove(failureId);
            lifetime.close(() -> {}); // C's endpoint, if there is one, ends with the worker
            throw t;
        }
    }

    /**
     * Sends a whole buffer as a message with a tag: see {@link #tagSend(MemorySegment, long, long, long)}.
     *
     * @param buffer off the heap
     * @param tag the tag that the receiver matches
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}
     */
    @HotPath
    public long tagSend(MemorySegment buffer, long tag) {
        return tagSend(buffer, 0, buffer.byteSize(), tag);
    }

    /**
     * Sends a message with a tag: {@code ucp_tag_send_nbx}.
     *
     * <p>UCX reads the buffer until the operation is done. Until then, neither change it nor close its arena. Done
     * means that the buffer is yours again, not that the message was received.
     *
     * @param buffer off the heap, of an arena that this thread may access
     * @param offset where the message begins in the buffer, in bytes
     * @param length how many bytes to send; may be 0
     * @param tag the tag that the receiver matches
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}; release it
     * @throws IllegalArgumentException if the buffer is on the heap
     * @throws IndexOutOfBoundsException if offset and length are not within the buffer
     * @throws IllegalStateException if the endpoint is closed, the buffer's arena is closed, or the context was created
     *     without {@link UcpFeature#TAG}
     * @throws WrongThreadException if the worker or the buffer belongs to another thread
     * @throws UcxException if UCX refuses the message, for example because the endpoint failed
     */
    @HotPath
    public long tagSend(MemorySegment buffer, long offset, long length, long tag) {
        return tags.send(this, sendHandle(), buffer, offset, length, tag);
    }

    /**
     * Sends a payload other than a plain buffer as a message with a tag: see
     * {@link #tagSend(MemorySegment, long, long, long)}.
     *
     * @param payload of the same worker
     * @param tag the tag that the receiver matches
     * @return 0 if done at once, {@link UcpRequests#NOT_BEGUN} if you asked for that and it could not be, otherwise the
     *     operation's number in {@link UcpWorker#requests()}; release it
     * @throws IllegalArgumentException if the payload is of another worker, or cannot be sent
     * @throws IllegalStateException if the endpoint is closed, the arena of a buffer is closed, or the context was
     *     created without {@link UcpFeature#TAG}
     * @throws WrongThreadException if the worker or a buffer belongs to another thread
     * @throws UcxException if UCX refuses the message
     */
    @HotPath
    public long tagSend(UcpPayload payload, long tag) {
        return tags.send(this, sendHandle(), payload, tag, RequestSlot.SEND);
    }

    /**
     * Sends a message with a tag, and is done once a receive has matched it: {@code ucp_tag_send_sync_nbx}. Otherwise
     * like {@link #tagSend(MemorySegment, long, long, long)}.
     *
     * @param buffer off the heap, of an arena that this thread may access
     * @param offset where the message begins in the buffer, in bytes
     * @param length how many bytes to send; may be 0
     * @param tag the tag that the receiver matches
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}; release it
     * @throws IllegalArgumentException if the buffer is on the heap
     * @throws IndexOutOfBoundsException if offset and length are not within the buffer
     * @throws IllegalStateException if the endpoint is closed, the buffer's arena is closed, or the context was created
     *     without {@link UcpFeature#TAG}
     * @throws WrongThreadException if the worker or the buffer belongs to another thread
     * @throws UcxException if UCX refuses the message
     */
    @HotPath
    public long tagSendSync(MemorySegment buffer, long offset, long length, long tag) {
        return tags.sendSync(this, sendHandle(), buffer, offset, length, tag);
    }

    /**
     * Sends a payload other than a plain buffer, and is done once a receive has matched it: see
     * {@link #tagSendSync(MemorySegment, long, long, long)}.
     *
     * @param payload of the same worker, not {@link UcpOperationOption#ONLY_AT_ONCE}
     * @param tag the tag that the receiver matches
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}; release it
     * @throws IllegalArgumentException if the payload is of another worker, or cannot be sent that way
     * @throws IllegalStateException if the endpoint is closed, the arena of a buffer is closed, or the context was
     *     created without {@link UcpFeature#TAG}
     * @throws WrongThreadException if the worker or a buffer belongs to another thread
     * @throws UcxException if UCX refuses the message
     */
    @HotPath
    public long tagSendSync(UcpPayload payload, long tag) {
        return tags.send(this, sendHandle(), payload, tag, RequestSlot.SYNC_SEND);
    }

    /**
     * Sends a whole buffer as a message with a tag, and returns a future. {@link UcpWorker#progress()} completes it on
     * the worker's thread, with a {@link UcxException} if the send fails. It allocates; otherwise like
     * {@link #tagSend(MemorySegment, long, long, long)}.
     *
     * @param buffer off the heap; UCX reads it until the future is completed
     * @param tag the tag that the receiver matches
     * @return completed when the buffer is yours again
     */
    public CompletableFuture<Void> tagSendAsync(MemorySegment buffer, long tag) {
        return operations.async().send(() -> tagSend(buffer, tag), this);
    }

    /**
     * Sends a whole buffer as an active message without a header: see {@link #amSend(int, MemorySegment,
     * MemorySegment, int)}.
     *
     * @param id the peer's handler that gets it
     * @param buffer off the heap
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}
     */
    @HotPath
    public long amSend(int id, MemorySegment buffer) {
        return amSend(id, MemorySegment.NULL, 0, 0, buffer, 0, buffer.byteSize(), 0);
    }

    /**
     * Sends an active message: {@code ucp_am_send_nbx}. For a few bytes, a header without data is the fastest way.
     *
     * <p>UCX reads header and buffer until the operation is done. Until then, neither change them nor close their
     * arenas. Over the self transport, handlers of this worker run within this call.
     *
     * @param id the peer's handler that gets it, 0 to {@link UcpActiveMessages#MAX_ID}
     * @param header off the heap, no longer than {@link UcpActiveMessages#maxHeaderBytes()}; {@link MemorySegment#NULL}
     *     for none
     * @param buffer off the heap; {@link MemorySegment#NULL} for none
     * @param flags {@link UcpActiveMessages#REPLY} and others, or 0
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}; release it
     * @throws IllegalArgumentException if a segment is on the heap, the header is too long, or the id or the flags
     *     are invalid
     * @throws IllegalStateException if the endpoint or a segment's arena is closed, the context was created without
     *     {@link UcpFeature#AM}, or handlers that send to their own worker are nested too deeply
     * @throws WrongThreadException if the worker or a segment belongs to another thread
     * @throws UcxException if UCX refuses the message, for example because the endpoint failed
     */
    @HotPath
    public long amSend(int id, MemorySegment header, MemorySegment buffer, int flags) {
        return amSend(id, header, 0, header.byteSize(), buffer, 0, buffer.byteSize(), flags);
    }

    /**
     * Sends an active message from parts of segments: like {@link #amSend(int, MemorySegment, MemorySegment, int)},
     * without slices, which allocate.
     *
     * @param id the peer's handler that gets it
     * @param header off the heap
     * @param headerOffset where the header begins in its segment
     * @param headerLength how long it is; may be 0
     * @param buffer off the heap
     * @param offset where the data begins in its segment
     * @param length how long it is; may be 0
     * @param flags of {@link UcpActiveMessages}, or 0
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}; release it
     * @throws IndexOutOfBoundsException if header or data are not within their segments
     */
    @HotPath
    public long amSend(
            int id,
            MemorySegment header,
            long headerOffset,
            long headerLength,
            MemorySegment buffer,
            long offset,
            long length,
            int flags) {
        long handle = sendHandle();
        if (active == null) {
            throw worker.without(UcpFeature.AM);
        }
        return active.send(this, handle, id, header, headerOffset, headerLength, buffer, offset, length, flags);
    }

    /**
     * Sends an active message with a payload other than a plain buffer, for example a list of buffers; otherwise like
     * {@link #amSend(int, MemorySegment, MemorySegment, int)}.
     *
     * @param id the peer's handler that gets it
     * @param header off the heap; {@link MemorySegment#NULL} for none
     * @param payload the data; created for this endpoint's worker
     * @param flags of {@link UcpActiveMessages}, or 0
     * @return 0 if done at once, {@link UcpRequests#NOT_BEGUN} if you asked for that and it could not be, otherwise the
     *     operation's number in {@link UcpWorker#requests()}; release it
     * @throws IllegalArgumentException if the payload was created for another worker
     */
    @HotPath
    public long amSend(int id, MemorySegment header, UcpPayload payload, int flags) {
        long handle = sendHandle();
        if (active == null) {
            throw worker.without(UcpFeature.AM);
        }
        return active.send(this, handle, id, header, payload, flags);
    }

    /**
     * Sends an active message, and returns a future. {@link UcpWorker#progress()} completes it on the worker's thread,
     * with a {@link UcxException} if the send fails. It allocates; otherwise like {@link #amSend(int, MemorySegment,
     * MemorySegment, int)}.
     *
     * @param id the peer's handler that gets it
     * @param header off the heap; UCX reads it until the future is completed
     * @param buffer off the heap; UCX reads it until the future is completed
     * @param flags of {@link UcpActiveMessages}, or 0
     * @return completed when header and buffer are yours again
     */
    public CompletableFuture<Void> amSendAsync(int id, MemorySegment header, MemorySegment buffer, int flags) {
        return operations.async().send(() -> amSend(id, header, buffer, flags), this);
    }

    /**
     * The streams to and from the peer.
     *
     * @return the same object each time
     * @throws IllegalStateException if the context was created without {@link UcpFeature#STREAM}
     */
    public UcpStream stream() {
        if (stream == null) {
            operations.streams().checkEnabled();
            stream = new UcpStream(this, operations.streams(), operations.async());
        }
        return stream;
    }

    /**
     * Begins to wait for everything sent so far: {@code ucp_ep_flush_nbx}. The operation is done once all earlier sends
     * are done at the origin, and remote memory operations also at the target. That does not mean that the peer's
     * program has received anything: only the peer can tell.
     *
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}; release it
     * @throws IllegalStateException if the endpoint is closed
     * @throws WrongThreadException if the worker belongs to another thread
     * @throws UcxException if the endpoint failed
     */
    @HotPath
    public long flush() {
        return order.flush(this, sendHandle());
    }

    /**
     * Begins to wait for everything sent so far, as {@link #flush()} does. {@link UcpWorker#poll} reports when it
     * is done.
     *
     * @param userData the number that the poll returns
     * @return 0 if done at once, which no poll reports; otherwise a negative number, only for
     *     {@link UcpRequests#cancel}
     * @throws IllegalStateException if the endpoint is closed, or its worker belongs to a loop and has no handler
     *     of completions
     * @throws WrongThreadException if the worker belongs to another thread
     * @throws UcxException if the endpoint failed
     */
    @HotPath
    public long flush(long userData) {
        return order.flush(this, sendHandle(), userData);
    }

    /**
     * How many bytes are under way: the bytes of all sends, puts and gets of this endpoint, headers of active messages
     * included, that have not ended, or whose end the program has not seen yet. It sees an end by
     * {@link UcpRequests#isDone} and similar calls, by {@link UcpWorker#poll}, or by the future. Operations that were
     * done at once never count. UCX queues what it cannot send, without limit: use this number to stop in time when a
     * peer or the network is slow.
     *
     * @return the number of bytes, 0 if nothing is under way; also after the close
     * @throws WrongThreadException if the worker belongs to another thread
     */
    @HotPath
    public long outstandingBytes() {
        owner.check();
        return outstandingBytes;
    }

    /**
     * Attaches an object of the program's to the endpoint, for example the connection's state. Handlers get it by
     * {@link #attachment()}. Any thread may call this.
     *
     * @param object replaces what was attached before; null for none
     */
    public void attach(Object object) {
        attachment = object;
    }

    /**
     * What the program has attached. Any thread may call this; allocates nothing.
     *
     * @return the object; null if there is none; also after the close
     */
    public Object attachment() {
        return attachment;
    }

    /**
     * Unpacks the key to a peer's memory: {@code ucp_ep_rkey_unpack}. The key must be of memory of the worker's context
     * to which this endpoint leads. On a connection by socket address, unpack it once the connection is established:
     * when a flush of the endpoint is done, or something has arrived over it.
     *
     * @param key what the peer's {@link UcpMemory#packKey()} returned
     * @return the memory; close it before the endpoint
     * @throws IllegalArgumentException if the loaded UCX does not know the type of the memory
     * @throws IllegalStateException if the endpoint is closed, or its connection is not established yet, or the context
     *     was created without {@link UcpFeature#RMA}, {@link UcpFeature#AMO32} and {@link UcpFeature#AMO64}
     * @throws WrongThreadException if the worker belongs to another thread
     * @throws UcxException if UCX refuses, for example because the peer has closed the memory, or if the
     *     endpoint failed
     */
    public UcpRemoteMemory unpack(UcpPackedKey key) {
        open();
        return new UcpRemoteMemory(this, operations.remote(), key);
    }

    /**
     * UCX's name for the endpoint: {@code ucp_ep_query}.
     *
     * @return the name set by {@link UcpEndpointConfig#name} if UCX was built for debugging, otherwise a number
     * @throws IllegalStateException if the endpoint is closed
     * @throws WrongThreadException if the worker belongs to another thread
     */
    public String name() {
        open();
        return EndpointQueries.name(this);
    }

    /**
     * The local address of a connection by socket address: {@code ucp_ep_query}.
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
     * The peer's address of a connection by socket address: {@code ucp_ep_query}.
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
     * The transports that the endpoint sends over: {@code ucp_ep_query}; UCX 1.14 and later. They can change until the
     * peers are connected.
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
     * How long UCX expects a message to take, from the devices' bandwidth and latency: {@code ucp_ep_evaluate_perf}.
     *
     * @param bytes how long the message is
     * @return seconds; meaningless until the peers are connected
     * @throws IllegalArgumentException if the length is negative
     * @throws IllegalStateException if the endpoint is closed or has failed, or UCX cannot say because of its
     *     option UNIFIED_MODE
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
     * @throws IllegalStateException if the endpoint is closed, has failed, or was connected by socket address: UCX
     *     would then look for transports that are not there, and might end the process
     * @throws WrongThreadException if the worker belongs to another thread
     */
    public String info() {
        long open = open();
        if (!isDescribable()) {
            throw new IllegalStateException(this + " cannot be described: it "
                    + (isFailed() ? "has failed" : "was connected by socket address"));
        }
        try (var call = new UcpCall()) {
            return call.print(Libucp.EP_PRINT_INFO, open);
        }
    }

    /**
     * Whether the endpoint is open. A failed endpoint stays open until you close it. One that is closed inside a
     * callback stays open until UCX has returned. Thread-safe.
     *
     * @return whether it is open
     */
    public boolean isOpen() {
        return lifetime.isOpen();
    }

    /**
     * Whether UCX reported that the peer is gone. It does so within {@link UcpWorker#progress()} and other calls
     * of the worker. After that you can only {@link #close()} the endpoint: its sends, and receives of its stream,
     * are refused. Call this on the worker's thread, like {@link #failure()} and {@link #failureCode()}; also
     * after the close.
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
     * Closes the endpoint after everything sent has left: {@code ucp_ep_flush_nbx}, {@code ucp_ep_close_nbx}.
     * Progresses the worker for at most {@link UcpWorkerConfig#closeTimeout} each for sending and for closing, and as long
     * for operations that use {@link UcpStreamData} of this endpoint, but neither completes futures nor calls error
     * handlers. In a turn of the worker's loop it waits for nothing: the loop
     * serves others, and finishes the close when it can, as with {@link #closeAsync()}.
     *
     * <p>Inside a callback of UCX the endpoint accepts nothing more at once, and is closed when UCX has returned. If
     * that close is refused, the progress in which it happens throws, and the endpoint is open as before.
     *
     * <p>If sends remain after that, or the endpoint failed, it is closed as {@link #closeForcibly()} does. Does
     * nothing if it is closed already.
     *
     * @throws IllegalStateException if remote memory is open, with a message that says how much
     * @throws WrongThreadException if the worker belongs to another thread
     */
    @Override
    public void close() {
        close(false);
    }

    /**
     * Closes the endpoint as {@link #close()} does, but does not wait: {@link UcpWorker#progress()} does the rest. From
     * now on you cannot send. A worker that is closed meanwhile waits for it.
     *
     * @return completed on the worker's thread when the endpoint is closed, within {@link UcpWorkerConfig#closeTimeout}
     *     each for sending and for closing; cancelling it changes nothing. It does not tell that UCX has finished with
     *     the buffer of a send: that send's future does
     * @throws IllegalStateException if remote memory is open, with a message that says how much. Inside a callback the
     *     exception goes to the future, and to the progress in which it happens
     * @throws WrongThreadException if the worker belongs to another thread
     */
    public CompletableFuture<Void> closeAsync() {
        return closeAsync(() -> beginClose(false));
    }

    /**
     * Closes the endpoint as {@link #closeAsync()} does, within a given time: what has not been sent by then is
     * dropped, as by {@link #closeForcibly()}. If the endpoint is being closed already, this changes its time.
     *
     * @param timeout for all of it, from now on, instead of {@link UcpWorkerConfig#closeTimeout}; zero or less not
     *     to wait
     * @return completed on the worker's thread when the endpoint is closed, like that of {@link #closeAsync()}
     * @throws IllegalStateException if remote memory is open, with a message that says how much. Inside a callback the
     *     exception goes to the future, and to the progress in which it happens
     * @throws WrongThreadException if the worker belongs to another thread
     */
    public CompletableFuture<Void> closeAsync(Duration timeout) {
        long deadline = WorkerCore.deadline(timeout);
        return closeAsync(() -> {
            EndpointClose close = beginClose(false);
            close.endBy(deadline);
            return close;
        });
    }

    private CompletableFuture<Void> closeAsync(Supplier<EndpointClose> begin) {
        if (hasEnded()) {
            return CompletableFuture.completedFuture(null);
        }
        owner.check();
        if (closed == null) {
            closed = new CompletableFuture<>();
        }
        CompletableFuture<Void> result = closed.copy();
        if (!closes.mustDefer()) {
            closes.add(begin.get());
        } else if (ep != 0 || closing != null) {
            refuseOperations();
            closes.defer(() -> closes.add(begin.get()));
        }
        return result;
    }

    /**
     * Closes the endpoint without waiting for its sends: {@code UCP_EP_CLOSE_FLAG_FORCE}. They end as
     * {@link UcsStatus#CANCELED} with further progress. UCX offers this only for {@link UcpErrorHandling#PEER}. With
     * {@link UcpErrorHandling#NONE}, UCX's half of the endpoint stays until the worker is closed, and sends that wait
     * for the peer stay pending until then. Does nothing if it is closed already.
     *
     * <p>With UCX 1.14 and later, it waits for an outstanding flush of the whole worker, for at most
     * {@link UcpWorkerConfig#closeTimeout}. If the flush does not end, UCX's half of the endpoint stays, too.
     *
     * @throws IllegalStateException if remote memory is open, with a message that says how much
     * @throws WrongThreadException if the worker belongs to another thread
     */
    public void closeForcibly() {
        close(true);
    }

    private void close(boolean forced) {
        if (hasEnded()) {
            return;
        }
        owner.check();
        if (!closes.mustDefer()) {
            closes.await(beginClose(forced));
        } else if (ep != 0) {
            refuseOperations();
            closes.defer(() -> closes.await(beginClose(forced)));
        }
    }

    private boolean hasEnded() {
        return closing != null && closing.hasEnded();
    }

    private EndpointClose beginClose(boolean forced) {
        if (closing == null) {
            try {
                lifetime.beginClose();
            } catch (IllegalStateException e) {
                closeRefused(e);
                throw e;
            }
            refuseOperations(); // handlers of active messages run meanwhile, and must not send any more
            closing = closes.of(this);
        }
        if (forced) {
            closing.force();
        }
        return closing;
    }

    private void refuseOperations() {
        ep = 0;
        readyId = 0;
    }

    private void closeRefused(IllegalStateException reason) {
        ep = handle; // as before
        if (closed != null) {
            closed.completeExceptionally(reason);
            closed = null;
        }
    }

    /** The close has ended. */
    void ended() {
        lifetime.endClose();
        if (establishment != null) {
            establishment.abandonFlush();
        }
        failures.remove(failureId);
        if (active != null) {
            active.remove(handle, this);
        }
        if (closed != null) {
            closed.complete(null);
        }
    }

    /** Whether UCX can describe its connection without dereferencing unset transports. */
    boolean isDescribable() {
        return describable && !isFailed();
    }

    /** Whether its transports no longer change. */
    boolean isEstablished() {
        return establishment == null || establishment.isOver();
    }

    /** Whether it is known to use shared memory. */
    boolean isOverSharedMemory() {
        return EndpointQueries.isOverSharedMemory(lanes());
    }

    /** Whether it is known to use shared memory, or to lead to its own worker. */
    boolean isWithinMachine() {
        return EndpointQueries.isWithinMachine(lanes());
    }

    // For a worker address, lanes are chosen when the endpoint is created. For a socket address, they use the network.
    private String lanes() {
        if (lanes == null) {
            lanes = describable ? info() : "";
        }
        return lanes;
    }

    Lifetime lifetime() {
        return lifetime;
    }

    WorkerCore worker() {
        return worker;
    }

    UcpErrorHandling errorHandling() {
        return errorHandling;
    }

    @HotPath
    void addOutstanding(long bytes) {
        outstandingBytes += bytes;
    }

    @HotPath
    void removeOutstanding(long bytes) {
        outstandingBytes -= bytes;
    }

    /** Whether it can send: it has not failed, and is neither closed nor being closed. */
    @HotPath
    boolean isUsable() {
        return ep != 0 && failureCode == 0;
    }

    /** Another thread gets the worker, so what was checked for this thread no longer holds. */
    void handedOver() {
        readyId = 0;
    }

    /** {@code ucp_ep_h}. */
    @HotPath
    long handle() {
        return handle;
    }

    /** Called by C's callback; only records the failure. */
    void failed(int status) {
        failureCode = status;
        readyId = 0;
    }

    /** Calls the program's handler, on its thread and outside of C. */
    void deliverFailure() {
        if (ep != 0 && errorHandler != null) {
            errorHandler.onError(this, failure());
        }
    }

    @HotPath
    long open() {
        owner.check();
        long handle = ep;
        if (handle == 0) {
            throw new IllegalStateException(this + " is closed");
        }
        return handle;
    }

    /**
     * The handle to send with. Refuses a failed endpoint. From 1.16 on, if an endpoint failed before it had any
     * transport, UCX retries a send forever, within the call (docs/ucx-faults.md). In 1.13, a synchronous send on such
     * an endpoint ends the process when the endpoint is closed.
     */
    @HotPath
    long sendHandle() {
        if (!isReady()) {
            inspect("a send");
            if (!isOrdered()) {
                establishment.orderSend();
            }
        }
        return handle;
    }

    /**
     * The handle to receive with from its stream. Refuses a failed endpoint. UCX would accept the receive, which would
     * end only with the close, or get data after a gap: UCX drops the unread data when the endpoint fails, and keeps
     * later data.
     */
    @HotPath
    long receiveHandle() {
        if (!isReady()) {
            inspect("ucp_stream_recv_nbx");
        }
        return handle;
    }

    /** Whether the caller may send: one comparison, as long as nothing has changed since the last check. */
    @HotPath
    boolean isReady() {
        return !OwnerThread.isOther(readyId);
    }

    /** Makes all checks before an operation. */
    void inspect(String what) {
        open();
        if (isFailed()) {
            throw UcxFailure.of(failureCode, what, toString());
        }
        readyId = isOrdered() ? OwnerThread.callerId() : 0; // until then, each send checks again
    }

    private boolean isOrdered() {
        return establishment == null || establishment.isOrdered();
    }

    /** The endpoint as it appears in error messages. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
