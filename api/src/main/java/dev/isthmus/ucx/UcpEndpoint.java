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
 * A worker's way to send to one other worker: {@code ucp_ep_h}. Made by {@link UcpWorker#createEndpoint}.
 *
 * <p>Confined to the thread of its worker. Nothing blocks but {@link #close()} and {@link #closeForcibly()}, for as
 * long as {@link UcpWorkerConfig#closeTimeout} says, and not even these in a turn of the worker's loop.
 *
 * <p>A connection by socket address ends for both peers when one of them closes: the other's endpoint fails with
 * {@link UcsStatus#CONNECTION_RESET}. UCX does not keep the order of that and of what was sent before it. Peers are
 * to agree that all has come before one closes: a flush is not enough, it ends when the peer's machine has the data,
 * and its program may not have progressed since. What the peer had not received of a stream is then lost.
 */
public final class UcpEndpoint implements AutoCloseable {

    private final UcpWorker worker;
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
    private final Establishment establishment; // null where there is none to wait for
    private long ep; // 0 once closed
    private long readyId; // the thread that may send, once it has asked: 0, which none has, when something changes
    private int failureCode;
    private EndpointClose closing; // null until a close has begun
    private CompletableFuture<Void> closed; // null until asked for
    private UcpStream stream; // null until it is asked for
    private String lanes; // null until asked for
    private long outstandingBytes;
    private volatile Object attachment; // the program's own; null when there is none

    UcpEndpoint(UcpWorker worker, EndpointTarget target, String remote, UcpEndpointConfig config) {
        this.worker = worker;
        this.owner = worker.owner();
        this.tags = worker.parts().tags();
        this.order = worker.parts().order();
        this.active = worker.parts().active();
        this.errorHandling = config.errorHandling();
        this.errorHandler = config.errorHandler();
        this.describable = target instanceof EndpointTarget.Worker;
        String name = worker.name() + " to " + remote + ", " + errorHandling;
        this.lifetime = new Lifetime("UcpEndpoint", name, worker.lifetime());
        this.failureId = worker.parts().failures().add(this);
        try {
            this.handle = lifetime.open(() -> EndpointCreation.create(this, target, config, failureId));
            this.ep = handle;
        } catch (RuntimeException e) {
            worker.parts().failures().remove(failureId);
            throw e;
        }
        this.establishment = Establishment.of(worker, target, ep);
        if (active != null) {
            active.add(handle, this);
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
        return tags.send(this, sending(), buffer, offset, length, tag);
    }

    /**
     * Sends more than one plain buffer as a message with a tag: see {@link #tagSend(MemorySegment, long, long, long)}.
     *
     * @param payload of the same worker
     * @param tag what the receiver matches
     * @return 0 if done at once, {@link UcpRequests#NOT_BEGUN} if that was asked for and could not be, otherwise the
     *     operation's number in {@link UcpWorker#requests()}, to be released
     * @throws IllegalArgumentException if the payload is of another worker, or cannot be sent
     * @throws IllegalStateException if the endpoint is closed, the arena of a buffer is closed, or the context was made
     *     without {@link UcpFeature#TAG}
     * @throws WrongThreadException if the worker or a buffer belongs to another thread
     * @throws UcxException if UCX refuses the message
     */
    @HotPath
    public long tagSend(UcpPayload payload, long tag) {
        return tags.send(this, sending(), payload, tag, RequestSlot.SEND);
    }

    /**
     * Sends a message with a tag, and is done when a receive has met it: {@code ucp_tag_send_sync_nbx}. Otherwise as
     * {@link #tagSend(MemorySegment, long, long, long)}.
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
     * @throws UcxException if UCX refuses the message
     */
    @HotPath
    public long tagSendSync(MemorySegment buffer, long offset, long length, long tag) {
        return tags.sendSync(this, sending(), buffer, offset, length, tag);
    }

    /**
     * Sends more than one plain buffer, and is done when a receive has met it: see {@link #tagSendSync(MemorySegment,
     * long, long, long)}.
     *
     * @param payload of the same worker, not {@link UcpOperationOption#ONLY_AT_ONCE}
     * @param tag what the receiver matches
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}, to be released
     * @throws IllegalArgumentException if the payload is of another worker, or cannot be sent that way
     * @throws IllegalStateException if the endpoint is closed, the arena of a buffer is closed, or the context was made
     *     without {@link UcpFeature#TAG}
     * @throws WrongThreadException if the worker or a buffer belongs to another thread
     * @throws UcxException if UCX refuses the message
     */
    @HotPath
    public long tagSendSync(UcpPayload payload, long tag) {
        return tags.send(this, sending(), payload, tag, RequestSlot.SYNC_SEND);
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
        return worker.parts().async().send(() -> tagSend(buffer, tag), this);
    }

    /**
     * Sends a whole buffer as an active message without header: see {@link #amSend(int, MemorySegment, MemorySegment,
     * int)}.
     *
     * @param id which of the peer's handlers is to have it
     * @param buffer off the heap
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}
     */
    @HotPath
    public long amSend(int id, MemorySegment buffer) {
        return amSend(id, MemorySegment.NULL, 0, 0, buffer, 0, buffer.byteSize(), 0);
    }

    /**
     * Sends an active message: {@code ucp_am_send_nbx}. A header without data is the fastest way for a few bytes.
     *
     * <p>UCX reads header and buffer until the operation is done: until then neither change them nor close their arenas.
     * Over the self transport handlers of this worker run within this call.
     *
     * @param id which of the peer's handlers is to have it, 0 to {@link UcpActiveMessages#MAX_ID}
     * @param header off the heap, no longer than {@link UcpActiveMessages#maxHeaderBytes()}; {@link MemorySegment#NULL}
     *     for none
     * @param buffer off the heap; {@link MemorySegment#NULL} for none
     * @param flags {@link UcpActiveMessages#REPLY} and others, or 0
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}, to be released
     * @throws IllegalArgumentException if a segment is on the heap, the header too long, or id or flags are none
     * @throws IllegalStateException if the endpoint or a segment's arena is closed, the context was made without {@link
     *     UcpFeature#AM}, or handlers that send to their own worker run too deep inside each other
     * @throws WrongThreadException if the worker or a segment belongs to another thread
     * @throws UcxException if UCX refuses the message, because the endpoint failed for instance
     */
    @HotPath
    public long amSend(int id, MemorySegment header, MemorySegment buffer, int flags) {
        return amSend(id, header, 0, header.byteSize(), buffer, 0, buffer.byteSize(), flags);
    }

    /**
     * Sends an active message from parts of segments: as {@link #amSend(int, MemorySegment, MemorySegment, int)}, without
     * slices, which allocate.
     *
     * @param id which of the peer's handlers is to have it
     * @param header off the heap
     * @param headerOffset where the header begins in its segment
     * @param headerLength how long it is; may be 0
     * @param buffer off the heap
     * @param offset where the data begins in its segment
     * @param length how long it is; may be 0
     * @param flags of {@link UcpActiveMessages}, or 0
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}, to be released
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
        long handle = sending();
        if (active == null) {
            worker.activeMessages(); // which says why not
        }
        return active.send(this, handle, id, header, headerOffset, headerLength, buffer, offset, length, flags);
    }

    /**
     * Sends an active message whose data is more than a plain buffer, a list of buffers for instance; otherwise as {@link
     * #amSend(int, MemorySegment, MemorySegment, int)}.
     *
     * @param id which of the peer's handlers is to have it
     * @param header off the heap; {@link MemorySegment#NULL} for none
     * @param payload the data; made for this endpoint's worker
     * @param flags of {@link UcpActiveMessages}, or 0
     * @return 0 if done at once, {@link UcpRequests#NOT_BEGUN} if the payload is to be sent at once only and cannot,
     *     otherwise the operation's number in {@link UcpWorker#requests()}, to be released
     * @throws IllegalArgumentException if the payload was made for another worker
     */
    @HotPath
    public long amSend(int id, MemorySegment header, UcpPayload payload, int flags) {
        long handle = sending();
        if (active == null) {
            worker.activeMessages(); // which says why not
        }
        return active.send(this, handle, id, header, payload, flags);
    }

    /**
     * Sends an active message, the convenient way. The future is completed by {@link UcpWorker#progress()}, on the
     * worker's thread, with a {@link UcxException} if the send fails. It allocates; otherwise as {@link #amSend(int,
     * MemorySegment, MemorySegment, int)}.
     *
     * @param id which of the peer's handlers is to have it
     * @param header off the heap; UCX reads it until the future is completed
     * @param buffer off the heap; UCX reads it until the future is completed
     * @param flags of {@link UcpActiveMessages}, or 0
     * @return completed when header and buffer are the caller's again
     */
    public CompletableFuture<Void> amSendAsync(int id, MemorySegment header, MemorySegment buffer, int flags) {
        return worker.parts().async().send(() -> amSend(id, header, buffer, flags), this);
    }

    /**
     * The streams to and from the peer.
     *
     * @return the same object each time
     * @throws IllegalStateException if the context was made without {@link UcpFeature#STREAM}
     */
    public UcpStream stream() {
        if (stream == null) {
            worker.parts().streams().checkEnabled();
            stream =
                    new UcpStream(this, worker.parts().streams(), worker.parts().async());
        }
        return stream;
    }

    /**
     * Begins to wait for what was sent so far: {@code ucp_ep_flush_nbx}. The operation is done when all sends before it
     * are, at the origin, and remote memory operations at the target too. That the peer's program has received what was
     * sent is more than that: only the peer can tell.
     *
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}, to be released
     * @throws IllegalStateException if the endpoint is closed
     * @throws WrongThreadException if the worker belongs to another thread
     * @throws UcxException if the endpoint failed
     */
    @HotPath
    public long flush() {
        return order.flush(this, sending());
    }

    /**
     * Begins to wait for what was sent so far, as {@link #flush()} does. {@link UcpWorker#poll} reports that it is done.
     *
     * @param userData the poll returns it
     * @return 0 if done at once, which no poll reports; otherwise a negative number, which only {@link UcpRequests#cancel}
     *     takes
     * @throws IllegalStateException if the endpoint is closed, or its worker is a loop's that has no
     *     handler of completions
     * @throws WrongThreadException if the worker belongs to another thread
     * @throws UcxException if the endpoint failed
     */
    @HotPath
    public long flush(long userData) {
        return order.flush(this, sending(), userData);
    }

    /**
     * How much is under way: the bytes of all sends, headers of active messages included, puts and gets of this endpoint that
     * have not ended, or were not yet seen to have. An operation is seen to have ended by {@link UcpRequests#isDone} and
     * other questions about it, by {@link UcpWorker#poll}, or by its future. Those that were done at once never count. With
     * that a program stops sending in time when a peer or the network is slow: what UCX cannot send it keeps, without a limit.
     *
     * @return the number, 0 when nothing is under way; also after the close
     * @throws WrongThreadException if the worker belongs to another thread
     */
    @HotPath
    public long outstandingBytes() {
        owner.check();
        return outstandingBytes;
    }

    /**
     * Attaches an object of the program's to the endpoint, its state of the connection for instance, which handlers find
     * by {@link #attachment()}. Any thread may call it.
     *
     * @param object null for none; replaces what was attached before
     */
    public void attach(Object object) {
        attachment = object;
    }

    /**
     * What the program has attached. Any thread may call it; allocates nothing.
     *
     * @return the object; null when there is none; also after the close
     */
    public Object attachment() {
        return attachment;
    }

    /**
     * Makes a peer's memory reachable: {@code ucp_ep_rkey_unpack}. The peer is the one that this endpoint leads to, and the
     * key is of memory of its worker's context. On a connection by socket address, unpack once it is established: when a
     * flush of the endpoint is done, or something has come over it.
     *
     * @param key what the peer's {@link UcpMemory#packKey()} gave
     * @return the memory; to be closed before the endpoint
     * @throws IllegalArgumentException if the loaded UCX does not know the type of the memory
     * @throws IllegalStateException if the endpoint is closed, or its connection is not established yet, or the context
     *     was made without {@link UcpFeature#RMA}, {@link UcpFeature#AMO32} and {@link UcpFeature#AMO64}
     * @throws WrongThreadException if the worker belongs to another thread
     * @throws UcxException if UCX refuses because the peer has closed the memory for instance, or the endpoint failed
     */
    public UcpRemoteMemory unpack(UcpPackedKey key) {
        open();
        return new UcpRemoteMemory(this, key);
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
        if (!isDescribable()) {
            throw new IllegalStateException(this + " cannot be described: it "
                    + (isFailed() ? "has failed" : "was connected by socket address"));
        }
        try (var call = new UcpCall()) {
            return call.print(Libucp.EP_PRINT_INFO, open);
        }
    }

    /**
     * Whether the endpoint was not closed. One that has failed is open until then, and so is one that was closed
     * inside a callback until UCX has returned. Thread-safe.
     *
     * @return whether it is open
     */
    public boolean isOpen() {
        return lifetime.isOpen();
    }

    /**
     * Whether UCX reported that the peer is gone, which it does within {@link UcpWorker#progress()} and other calls
     * of the worker. Such an endpoint is only good for {@link #close()}: sends and receives of its stream are
     * refused. On the worker's thread, as {@link #failure()} and {@link #failureCode()}; also after the close.
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
     * completes futures nor calls error handlers. In a turn of the worker's loop it waits for nothing: the loop
     * serves others, and ends the close when it can, as with {@link #closeAsync()}.
     *
     * <p>Inside a callback of UCX the endpoint takes nothing more at once, and is closed when UCX has returned. If that is
     * refused, the progress in which it happens throws, and the endpoint is open as before.
     *
     * <p>When sends are left after that, or the endpoint failed, it is closed as {@link #closeForcibly()} does. Does
     * nothing when closed already.
     *
     * @throws IllegalStateException if remote memory is open, and it names how much
     * @throws WrongThreadException if the worker belongs to another thread
     */
    @Override
    public void close() {
        close(false);
    }

    /**
     * Closes the endpoint as {@link #close()} does, but does not wait: {@link UcpWorker#progress()} does the rest. Nothing
     * more can be sent from now on. A worker that is closed meanwhile waits for it.
     *
     * @return completed on the worker's thread when the endpoint is closed, within {@link UcpWorkerConfig#closeTimeout} each
     *     for sending and for closing; to cancel it changes nothing. That UCX uses no buffer of a send any more is told by
     *     that send's future, not by this one
     * @throws IllegalStateException if remote memory is open, and it names how much. Inside a callback that goes to the
     *     future and to the progress in which it happens
     * @throws WrongThreadException if the worker belongs to another thread
     */
    public CompletableFuture<Void> closeAsync() {
        return closeAsync(() -> beginClose(false));
    }

    /**
     * Closes the endpoint as {@link #closeAsync()} does, within a time of its own: what has not been sent by then is
     * dropped, as {@link #closeForcibly()} does. Of an endpoint that is being closed already, the time is changed.
     *
     * @param timeout for all of it, from now on, instead of {@link UcpWorkerConfig#closeTimeout}; zero or less not to wait
     * @return completed on the worker's thread when the endpoint is closed, as that of {@link #closeAsync()}
     * @throws IllegalStateException if remote memory is open, and it names how much. Inside a callback that goes to the
     *     future and to the progress in which it happens
     * @throws WrongThreadException if the worker belongs to another thread
     */
    public CompletableFuture<Void> closeAsync(Duration timeout) {
        long deadline = UcpWorker.deadline(timeout);
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
        if (!worker.parts().callbacks().isInside()) {
            worker.parts().closes().add(begin.get());
        } else if (ep != 0 || closing != null) {
            takeNoMore();
            worker.parts().callbacks().defer(() -> worker.parts().closes().add(begin.get()));
        }
        return result;
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
     * @throws IllegalStateException if remote memory is open, and it names how much
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
        if (!worker.parts().callbacks().isInside()) {
            closeNow(forced);
        } else if (ep != 0) {
            takeNoMore();
            worker.parts().callbacks().defer(() -> closeNow(forced));
        }
    }

    private boolean hasEnded() {
        return closing != null && closing.hasEnded();
    }

    private void closeNow(boolean forced) {
        EndpointClose close = beginClose(forced);
        if (worker.mayWait()) {
            close.await();
        } else {
            worker.parts().closes().add(close);
        }
    }

    private EndpointClose beginClose(boolean forced) {
        if (closing == null) {
            try {
                lifetime.beginClose();
            } catch (IllegalStateException e) {
                refused(e);
                throw e;
            }
            takeNoMore(); // handlers of active messages run meanwhile, and are not to send any more
            worker.parts().streams().releaseAll(this);
            closing = new EndpointClose(worker, this);
        }
        if (forced) {
            closing.force();
        }
        return closing;
    }

    private void takeNoMore() {
        ep = 0;
        readyId = 0;
    }

    private void refused(IllegalStateException reason) {
        ep = handle; // as before
        if (closed != null) {
            closed.completeExceptionally(reason);
            closed = null;
        }
    }

    /** Its close has ended. */
    void ended() {
        lifetime.endClose();
        if (establishment != null) {
            establishment.forget();
        }
        worker.parts().failures().remove(failureId);
        if (active != null) {
            active.remove(handle, this);
        }
        if (closed != null) {
            closed.complete(null);
        }
    }

    /** Whether UCX can say how it is connected without a look at transports that are not there. */
    boolean isDescribable() {
        return describable && !isFailed();
    }

    /** Whether what it uses stays as it is. */
    boolean isEstablished() {
        return establishment == null || establishment.isOver();
    }

    /** Whether the endpoint is known to use shared memory. */
    boolean isOverSharedMemory() {
        return EndpointQueries.isOverSharedMemory(lanes());
    }

    /** Whether it is known to use that, or to lead to its own worker. */
    boolean isWithinMachine() {
        return EndpointQueries.isWithinMachine(lanes());
    }

    // They are chosen when an endpoint to a worker address is made. One by socket address uses the network.
    private String lanes() {
        if (lanes == null) {
            lanes = describable ? info() : "";
        }
        return lanes;
    }

    Lifetime lifetime() {
        return lifetime;
    }

    UcpWorker worker() {
        return worker;
    }

    UcpErrorHandling errorHandling() {
        return errorHandling;
    }

    @HotPath
    void begun(long bytes) {
        outstandingBytes += bytes;
    }

    @HotPath
    void ended(long bytes) {
        outstandingBytes -= bytes;
    }

    /** Whether it can send: it has not failed, was not closed, nor is it being closed. */
    @HotPath
    boolean isUsable() {
        return ep != 0 && failureCode == 0;
    }

    /** Another thread is to have the worker, and what was found out for this one holds no longer. */
    void handedOver() {
        readyId = 0;
    }

    /** {@code ucp_ep_h}. */
    @HotPath
    long handle() {
        return handle;
    }

    /** Told by C's callback: notes it, and nothing else. */
    void failed(int status) {
        failureCode = status;
        readyId = 0;
    }

    /** Tells the program, on its thread and outside of C. */
    void tellFailure() {
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
     * The handle to send with. A failed endpoint is refused here: from 1.16 on UCX tries a send for ever, in the call, when
     * the endpoint failed before it had any transport (docs/ucx-faults.md), and 1.13 meets a synchronous one when the endpoint
     * is closed: the end of the process.
     */
    @HotPath
    long sending() {
        if (!isReady()) {
            inspect("a send");
            if (!isOrdered()) {
                establishment.orderSend(this);
            }
        }
        return handle;
    }

    /**
     * The handle to receive from its stream with. UCX would take a receive of a failed one. It would not end before the close,
     * or get what may have a gap before it: UCX drops what is there when the endpoint fails, and keeps what comes after that.
     */
    @HotPath
    long receiving() {
        if (!isReady()) {
            inspect("ucp_stream_recv_nbx");
        }
        return handle;
    }

    /** Whether the caller may send. One comparison tells it, as long as nothing has changed since the last time. */
    @HotPath
    boolean isReady() {
        return !OwnerThread.isOther(readyId);
    }

    /** All that is to be asked before an operation. */
    void inspect(String what) {
        open();
        if (isFailed()) {
            throw UcxFailure.of(failureCode, what, toString());
        }
        readyId = isOrdered() ? OwnerThread.callerId() : 0; // until then each send asks again
    }

    private boolean isOrdered() {
        return establishment == null || establishment.isOrdered();
    }

    /** The endpoint as messages name it. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
