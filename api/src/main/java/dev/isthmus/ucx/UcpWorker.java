// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.CheckReturnValue;
import dev.isthmus.UcxException;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.ucx.Libucp;
import dev.isthmus.internal.ucx.Ucp;
import dev.isthmus.loop.EventLoop;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * Receives messages and progresses communication: {@code ucp_worker_h}. {@link UcpContext#createWorker()} creates it.
 *
 * <p>Confined, with its endpoints and operations, to one thread at a time: the one that created it, until
 * {@link #handOver}. UCX does nothing by itself: messages arrive, and operations end, inside {@link #progress()}, so
 * that thread must keep calling it.
 *
 * <p>Creating and closing endpoints, creating a listener and rejecting a client let UCX progress, too. Handlers of
 * active messages may run within these calls; the next {@link #progress()} reports everything else.
 */
public final class UcpWorker extends WorkerCore implements AutoCloseable {

    /** The mask of a receive that matches exactly its tag. */
    public static final long EXACT_TAG = -1L;

    /** The mask of a receive that matches any tag. */
    public static final long ANY_TAG = 0;

    private final Operations operations;
    private final WorkerCallbacks callbacks;
    private final WorkerProgress progress;
    private final WakeupDescriptor descriptor; // null without the feature
    private final PolledOperations polled;
    private final AsyncRequests async;
    private final PendingOperations pending;
    private final UcpRequests requests;
    private final EndpointFailures failures;
    private final TagOperations tags;
    private final StreamOperations streams;
    private final OrderOperations order;
    private final UcpActiveMessages active; // null without the feature
    private final GenericDatatype datatype;
    private final EndpointCreation endpoints;
    private final ConnectionRequests connections;
    private final LoopedWorker looped; // null if the program progresses it
    private final WorkerClose close;
    private final PendingEvents pendingEvents;
    private final UcpWakeup wakeup; // null without the feature

    // A part gets in its constructor all that it uses, so the order is that of their layers.
    UcpWorker(UcpContext context, String name, UcpWorkerConfig config, EventLoop loop) {
        super(context, name, config, loop);
        try {
            operations = new Operations(this, config.reservedRequests());
            callbacks = new WorkerCallbacks(this, operations);
            progress = new WorkerProgress(this, operations, callbacks);
            descriptor = has(UcpFeature.WAKEUP) ? new WakeupDescriptor(this) : null;
            polled = new PolledOperations(this, operations, loop == null || config.completions() != null);
            async = new AsyncRequests(this, operations, descriptor);
            pending = new PendingOperations(operations, async, polled);
            requests = new UcpRequests(owner(), operations, async, polled);
            failures = new EndpointFailures(this);
            tags = new TagOperations(this, operations, async);
            streams = new StreamOperations(this, operations, failures);
            order = new OrderOperations(this, operations, polled, callbacks);
            var remote = new RemoteOperations(this, operations, polled, async, pending, progress);
            active = has(UcpFeature.AM) ? new UcpActiveMessages(this, operations, polled, async, callbacks) : null;
            datatype = new GenericDatatype(this, callbacks);
            var closes = new EndpointCloses(this, callbacks, pending, streams, progress);
            var am = active == null ? null : active.operations();
            var all = new EndpointOperations(tags, streams, order, remote, am, async);
            endpoints = new EndpointCreation(this, progress, pending, failures, closes, all);
            connections = new ConnectionRequests(this, progress);
            looped = loop == null ? null : new LoopedWorker(this, loop, config);
            var destruction = new WorkerDestruction(
                    this, looped, descriptor, pending, async, tags, streams, active, connections, datatype);
            close = new WorkerClose(this, callbacks, progress, pending, async, closes, destruction);
            pendingEvents =
                    new PendingEvents(this, callbacks, progress, pending, async, failures, closes, connections, close);
            wakeup = descriptor == null
                    ? null
                    : new UcpWakeup(this, descriptor, operations, callbacks, progress, pendingEvents, close);
            config.handlers().forEach((id, handler) -> activeMessages().setHandler(id, handler));
            if (looped != null) {
                looped.register(); // last, as the loop then uses it
            }
        } catch (Throwable t) {
            undo();
            throw t;
        }
    }

    /** Not all of it could be created. */
    private void undo() {
        lifetime().close(() -> {
            if (descriptor != null) {
                descriptor.shut();
            }
            UcpCall.run(Libucp.WORKER_DESTROY, handle());
        });
        arena().close();
    }

    /**
     * What a peer needs to create an endpoint to this worker: {@code ucp_worker_get_address}.
     *
     * @return the address; carry it to the peer
     * @throws IllegalStateException if the worker is closed
     * @throws WrongThreadException if it belongs to another thread
     */
    public UcpAddress address() {
        owner().check();
        return WorkerQueries.address(this);
    }

    /**
     * The address without the parts that only peers on the same machine use: {@code ucp_worker_query} with
     * {@code UCP_WORKER_ADDRESS_FLAG_NET_ONLY}. It is shorter, for peers that are known to be on other machines.
     *
     * @return the address; carry it to the peer
     * @throws IllegalStateException if the worker is closed
     * @throws WrongThreadException if it belongs to another thread
     */
    public UcpAddress networkAddress() {
        owner().check();
        return WorkerQueries.networkAddress(this);
    }

    /**
     * What UCX reports about the worker: {@code ucp_worker_query}.
     *
     * @return its name, limits, and more
     * @throws IllegalStateException if the worker is closed
     * @throws WrongThreadException if it belongs to another thread
     */
    public UcpWorkerAttributes attributes() {
        owner().check();
        return WorkerQueries.attributes(this);
    }

    /**
     * The transports and devices that the worker uses, for people to read: {@code ucp_worker_print_info}.
     *
     * @return several lines, in a form that differs between versions of UCX
     * @throws IllegalStateException if the worker is closed
     * @throws WrongThreadException if it belongs to another thread
     */
    public String info() {
        owner().check();
        try (var call = new UcpCall()) {
            return call.print(Libucp.WORKER_PRINT_INFO, handle());
        }
    }

    /**
     * Lets the worker's thread sleep until there is something to progress.
     *
     * @return the same object each time
     * @throws IllegalStateException if the context was created without {@link UcpFeature#WAKEUP}
     */
    public UcpWakeup wakeup() {
        if (wakeup == null) {
            throw without(UcpFeature.WAKEUP);
        }
        return wakeup;
    }

    /**
     * The active messages of this worker: their handlers, and the limit on their headers. {@link
     * UcpEndpoint#amSend(int, MemorySegment, MemorySegment, int)} sends them.
     *
     * @return the same object each time
     * @throws IllegalStateException if the context was created without {@link UcpFeature#AM}
     */
    public UcpActiveMessages activeMessages() {
        if (active == null) {
            throw without(UcpFeature.AM);
        }
        return active;
    }

    /**
     * Creates an endpoint that sends to another worker, or to this one: see
     * {@link #createEndpoint(UcpAddress, Consumer)}.
     *
     * @param remote the other worker's {@link #address()}
     * @return the endpoint; close it before the worker
     * @throws IllegalStateException if the worker is closed
     * @throws WrongThreadException if it belongs to another thread
     * @throws UcxException if no transport reaches the other worker
     */
    public UcpEndpoint createEndpoint(UcpAddress remote) {
        return createEndpoint(remote, config -> {});
    }

    /**
     * Creates an endpoint that sends to another worker, or to this one: {@code ucp_ep_create}. Does not wait for
     * the peer's program.
     *
     * <p>Over TCP it waits for the peer's kernel, in {@code connect(2)}: usually for microseconds, but as long as the
     * kernel tries (some two minutes by Linux' default) if the host does not answer or has more connections waiting
     * than it allows. {@code UCX_TCP_CONN_NB=y} in the environment prevents that; an endpoint that cannot connect then
     * fails later.
     *
     * @param remote the other worker's {@link #address()}
     * @param configurer sets what differs from the defaults
     * @return the endpoint; close it before the worker
     * @throws IllegalStateException if the worker is closed
     * @throws WrongThreadException if it belongs to another thread
     * @throws UcxException if no transport reaches the other worker in that mode, or TCP cannot connect
     */
    public UcpEndpoint createEndpoint(UcpAddress remote, Consumer<UcpEndpointConfig> configurer) {
        String name = Integer.toHexString(remote.hashCode());
        return endpoints.create(new EndpointTarget.WorkerTarget(remote), name, UcpErrorHandling.NONE, configurer);
    }

    /**
     * Creates an endpoint that connects to a {@link UcpListener}: {@code ucp_ep_create} with {@code sockaddr}. Does not
     * wait, not even over TCP. What you send before the peer accepts leaves afterwards. If the peer rejects, or is not
     * there, the endpoint fails. A flush that you begin first ends once the connection is established:
     *
     * {@snippet :
     * var endpoint = worker.createEndpoint(address, config -> {});
     * CompletableFuture<Void> connected = worker.requests().whenDone(endpoint.flush());
     * }
     *
     * <p>UCX before 1.15 can change the order of what is sent meanwhile. With these versions you can send as much as
     * you like before the next progress. After that progress, and until the connection is established, a send or a
     * flush throws an {@code IllegalStateException} while an earlier send is not done. So wait for each send, or for
     * the flush above.
     *
     * @param remote the listener's address
     * @param configurer sets what differs from the defaults, one of which is {@link UcpErrorHandling#PEER}
     * @return the endpoint; close it before the worker
     * @throws IllegalArgumentException if the address is a host name that is not resolved
     * @throws IllegalStateException if the worker is closed
     * @throws WrongThreadException if it belongs to another thread
     * @throws UcxException if no transport can connect to such an address
     */
    public UcpEndpoint createEndpoint(InetSocketAddress remote, Consumer<UcpEndpointConfig> configurer) {
        return endpoints.create(
                new EndpointTarget.ListenerTarget(remote), remote.toString(), UcpErrorHandling.PEER, configurer);
    }

    /**
     * Takes connection requests at a socket address: {@code ucp_listener_create}.
     *
     * @param at an address of this machine, or the wildcard address; port 0 for any
     * @param handler called for each request by {@link #progress()}
     * @return the listener; close it before the worker
     * @throws IllegalArgumentException if the address is a host name that is not resolved
     * @throws IllegalStateException if the worker is closed
     * @throws WrongThreadException if it belongs to another thread
     * @throws UcxException if UCX refuses, for example because the port is in use
     */
    public UcpListener createListener(InetSocketAddress at, UcpConnectionHandler handler) {
        checkAcceptsChildren();
        progress.drainSocketEvents();
        return new UcpListener(this, connections, callbacks, at, Objects.requireNonNull(handler, "handler"));
    }

    /**
     * Progresses communication: {@code ucp_worker_progress}. Does not block. Operations end in here; it completes
     * futures and calls error handlers. Call it in a loop.
     *
     * @return 0 if nothing happened; otherwise how much, in no particular unit
     * @throws IllegalStateException if the worker is closed, or inside one of its callbacks
     * @throws WrongThreadException if it belongs to another thread
     */
    @HotPath
    public int progress() {
        owner().check();
        if (isFlagged()) {
            callbacks.refuseInside("progress");
        }
        int events = Ucp.workerProgress(handle());
        operations.progressed(events);
        return isFlagged() ? deliver(events) : events;
    }

    /** Delivers pending events. An ended future counts as one, or else a loop that waits for it would go to sleep. */
    private int deliver(int events) {
        int before = pendingEvents.endings();
        eventsLeft(pendingEvents.deliver(events != 0)); // as before if the program's part throws
        return events == 0 && pendingEvents.endings() != before ? 1 : events;
    }

    /**
     * Takes the operations with {@linkplain UcpPayload#userData user data} that have ended, in the order in which they
     * ended. Their buffers are yours again. Does not progress, block or allocate. Operations end inside
     * {@link #progress()}, so call both in a loop.
     *
     * @param into receives them; what it held before is gone
     * @return how many there are, 0 if nothing has ended since
     * @throws IllegalStateException if the worker is closed
     * @throws WrongThreadException if it belongs to another thread
     */
    @HotPath
    @CheckReturnValue
    public int poll(UcpCompletions into) {
        owner().check();
        return polled.poll(into);
    }

    /**
     * Progresses until an operation has ended or the time is over.
     *
     * @param request what the call that began it returned; 0 has ended
     * @param timeout how long to wait at most
     * @return whether it has ended
     * @throws IllegalArgumentException if there is no such operation on this worker
     */
    public boolean await(long request, Duration timeout) {
        long deadline = deadline(timeout);
        boolean done;
        do {
            if (progress() == 0) {
                Thread.onSpinWait();
            }
            done = requests.isDone(request);
        } while (!done && System.nanoTime() - deadline < 0);
        return done;
    }

    /**
     * Receives a message with exactly this tag into a whole buffer: see {@link #tagReceive(MemorySegment, long, long,
     * long, long) tagReceive}.
     *
     * @param buffer off the heap
     * @param tag the tag
     * @return the operation's number in {@link #requests()}
     */
    @HotPath
    public long tagReceive(MemorySegment buffer, long tag) {
        return tagReceive(buffer, 0, buffer.byteSize(), tag, EXACT_TAG);
    }

    /**
     * Receives a message whose tag equals the given one in all bits that the mask sets: {@code ucp_tag_recv_nbx}.
     * Receives match messages in the order in which both were posted.
     *
     * <p>UCX writes to the buffer until the operation is done; until then do not use it. A
     * {@link dev.isthmus.GuardedArena} refuses to close until then; do not close any other arena. A message that is too
     * long ends as {@link UcsStatus#MESSAGE_TRUNCATED}.
     *
     * @param buffer off the heap, writable, of an arena that this thread may access
     * @param offset where the message begins in the buffer, in bytes
     * @param length how many bytes to receive at most; may be 0
     * @param tag the tag
     * @param mask which bits of the tag count, such as {@link #EXACT_TAG} or {@link #ANY_TAG}
     * @return the operation's number in {@link #requests()}, never 0. Release it; it has the message's length
     * @throws IllegalArgumentException if the buffer is on the heap or read-only
     * @throws IndexOutOfBoundsException if offset and length are not within the buffer
     * @throws IllegalStateException if the worker is closed, the buffer's arena is closed, or the context was created
     *     without {@link UcpFeature#TAG}
     * @throws WrongThreadException if the worker or the buffer belongs to another thread
     * @throws UcxException if UCX refuses
     */
    @HotPath
    public long tagReceive(MemorySegment buffer, long offset, long length, long tag, long mask) {
        return tags.receive(buffer, offset, length, tag, mask);
    }

    /**
     * Receives a message into a payload other than a plain buffer: see {@link #tagReceive(MemorySegment, long, long,
     * long, long)}.
     *
     * @param payload of this worker; its byteSize() limits the length of the message
     * @param tag the tag
     * @param mask which bits of the tag count
     * @return the operation's number in {@link #requests()}, never 0. Release it; it has the message's length
     * @throws IllegalArgumentException if the payload is of another worker, cannot be received into, or has the option
     *     {@link UcpOperationOption#ONLY_AT_ONCE}
     * @throws IllegalStateException if the worker is closed, the arena of a buffer is closed, or the context was
     *     created without {@link UcpFeature#TAG}
     * @throws WrongThreadException if the worker or a buffer belongs to another thread
     * @throws UcxException if UCX refuses
     */
    @HotPath
    public long tagReceive(UcpPayload payload, long tag, long mask) {
        return tags.receive(payload, tag, mask);
    }

    /**
     * Looks for a message that no receive has matched, and leaves it there: {@code ucp_tag_probe_nb}. Messages arrive
     * in {@link #progress()}.
     *
     * @param tag the tag
     * @param mask which bits of the tag count
     * @param message of this worker; gets the length and the tag of the first such message
     * @return whether there is one
     * @throws IllegalArgumentException if {@code message} is for another worker
     * @throws IllegalStateException if {@code message} holds one that was taken, the worker is closed, or the context
     *     was created without {@link UcpFeature#TAG}
     * @throws WrongThreadException if the worker belongs to another thread
     */
    @HotPath
    public boolean tagProbe(long tag, long mask, UcpTagMessage message) {
        return tags.probe(tag, mask, message, false);
    }

    /**
     * Looks for a message that no receive has matched, and takes it, so that only {@code message} can receive it:
     * {@code ucp_tag_probe_nb} with {@code remove}. Otherwise like {@link #tagProbe}.
     *
     * @param tag the tag
     * @param mask which bits of the tag count
     * @param message of this worker; gets the message, which you then receive or close
     * @return whether there was one
     * @throws IllegalArgumentException if {@code message} is for another worker
     * @throws IllegalStateException if {@code message} holds one that was taken, the worker is closed, or the context
     *     was created without {@link UcpFeature#TAG}
     * @throws WrongThreadException if the worker belongs to another thread
     */
    @HotPath
    public boolean tagTake(long tag, long mask, UcpTagMessage message) {
        return tags.probe(tag, mask, message, true);
    }

    /**
     * Receives a message, and returns a future. {@link #progress()} completes it on this worker's thread, with a
     * {@link UcxException} if the receive fails. Cancelling it asks UCX to cancel the receive, and it completes when
     * UCX has done so: see {@link UcpRequests#whenDone}. It allocates; otherwise like {@link #tagReceive(MemorySegment,
     * long, long, long, long)}.
     *
     * @param buffer off the heap, writable; UCX may write to it until the future has ended
     * @param tag the tag
     * @param mask which bits of the tag count
     * @return completed with the message's length and tag
     */
    public CompletableFuture<UcpTagReceived> tagReceiveAsync(MemorySegment buffer, long tag, long mask) {
        return async.tagReceive(() -> tagReceive(buffer, 0, buffer.byteSize(), tag, mask));
    }

    /**
     * Begins to wait for everything sent so far on all endpoints of this worker: {@code ucp_worker_flush_nbx}. See
     * {@link UcpEndpoint#flush()}.
     *
     * @return 0 if done at once, otherwise the operation's number in {@link #requests()}; release it
     * @throws IllegalStateException if the worker is closed
     * @throws WrongThreadException if it belongs to another thread
     * @throws UcxException if UCX refuses
     */
    @HotPath
    public long flush() {
        return order.flush();
    }

    /**
     * Begins to wait for everything sent so far on all endpoints of this worker, as {@link #flush()} does.
     * {@link #poll} reports when it is done.
     *
     * @param userData the number that the poll returns
     * @return 0 if done at once, which no poll reports; otherwise a negative number, only for
     *     {@link UcpRequests#cancel}
     * @throws IllegalStateException if the worker is closed, or belongs to a loop and has no handler of completions
     * @throws WrongThreadException if it belongs to another thread
     * @throws UcxException if UCX refuses
     */
    @HotPath
    public long flush(long userData) {
        return order.flush(userData);
    }

    /**
     * Keeps the order of remote memory and atomic operations: those that begin after this call are done at the peer
     * after those that began before it: {@code ucp_worker_fence}. With its option FENCE_MODE, UCX 1.14 and later can
     * wait in here until the peers have everything, and progress the worker meanwhile. If the same thread progresses a
     * peer, that wait is in vain.
     *
     * @throws IllegalStateException if the worker is closed, or inside one of its callbacks
     * @throws WrongThreadException if it belongs to another thread
     * @throws UcxException if UCX refuses
     */
    @HotPath
    public void fence() {
        order.fence();
    }

    /**
     * The operations begun on this worker and its endpoints.
     *
     * @return the same object each time
     */
    public UcpRequests requests() {
        return requests;
    }

    /**
     * Gives the worker, with its endpoints and operations, to another thread.
     *
     * @param next the thread that may use it from now on; make sure that the thread sees it, for example by starting
     *     the thread after this call
     * @throws IllegalStateException if the worker is closed, was created with {@link UcpThreadMode#SINGLE}, or belongs
     *     to a loop; or inside a callback
     * @throws WrongThreadException if it belongs to another thread
     */
    public void handOver(Thread next) {
        if (owner().isForGood()) {
            throw new IllegalStateException(this + " was made with UcpThreadMode.SINGLE, for one thread only");
        }
        owner().check();
        if (loop() != null) {
            throw new IllegalStateException(this + " belongs to " + loop() + " and cannot be handed over");
        }
        callbacks.refuseInside("a hand-over");
        failures.handedOver();
        owner().handOver(next);
    }

    /**
     * Closes the worker: {@code ucp_worker_destroy}. Cancels receives. Gives other operations
     * {@link UcpWorkerConfig#closeTimeout} to end, and then drops them. Completes futures with their result if there
     * was one, otherwise with an {@link IllegalStateException}. No longer reports operations with user data that were
     * not {@linkplain #poll polled}. Waits for endpoints whose {@link UcpEndpoint#closeAsync()} has not ended. Releases
     * active messages that are kept, and drops those that still arrive. Does nothing if it is closed already.
     *
     * <p>After this UCX uses no buffer, with one exception: a peer may still reach the buffer of an operation that UCX
     * could not cancel. Keep that memory until the context is closed.
     *
     * <p>If the worker belongs to a loop with a thread of its own, any thread can close it; the close runs on the
     * loop's thread. In a turn of the loop it does not wait: {@link #closeAsync()} tells when it is over.
     *
     * <p>UCX ends the process if a worker is destroyed, or its context freed, while an operation has not ended. Before
     * 1.14 it also does so if the worker could not finish connecting. In these cases C's part of both is left behind
     * until the process ends.
     *
     * @throws IllegalStateException if endpoints are open, with a message that says how many; or inside a callback
     * @throws WrongThreadException if it belongs to another thread
     */
    @Override
    public void close() {
        if (loop() == null || (owner().isCurrent() && mayWait())) {
            close.await();
        } else {
            closeOnLoop();
        }
    }

    private void closeOnLoop() {
        try {
            CompletableFuture<Void> closed = loop().call(close::begin);
            if (mayWait()) {
                closed.join();
            }
        } catch (RejectedExecutionException e) {
            if (lifetime().isOpen()) {
                throw e;
            }
        } catch (CompletionException e) {
            throw (RuntimeException) e.getCause(); // the reason of the refusal
        }
    }

    /**
     * Closes the worker as {@link #close()} does, but does not wait: {@link #progress()} does the rest. Call it until
     * the future has completed. From now on you cannot create an endpoint or a listener. Handlers of active messages
     * are no longer called. Receives are cancelled, including those that begin meanwhile.
     *
     * {@snippet :
     * var closed = worker.closeAsync();
     * while (!closed.isDone()) {
     *     worker.progress();
     *     other.progress();
     * }
     * }
     *
     * @return completed on the worker's thread when the worker is closed, within {@link UcpWorkerConfig#closeTimeout}
     *     once its endpoints are; cancelling it changes nothing
     * @throws IllegalStateException as by {@link #close()}. While endpoints are
     *     {@linkplain UcpEndpoint#closeAsync() being closed}, the exception about other open endpoints or listeners
     *     goes to the future, and the worker stays open
     * @throws WrongThreadException if it belongs to another thread
     */
    public CompletableFuture<Void> closeAsync() {
        return close.begin();
    }

    /**
     * Closes the worker as {@link #closeAsync()} does, within a given time. If the worker is being closed already, this
     * changes its time.
     *
     * @param timeout for all of it, endpoints that are being closed included, from now on, instead of
     *     {@link UcpWorkerConfig#closeTimeout}; zero or less not to wait
     * @return completed on the worker's thread when the worker is closed
     * @throws IllegalStateException as by {@link #closeAsync()}
     * @throws WrongThreadException if it belongs to another thread
     */
    public CompletableFuture<Void> closeAsync(Duration timeout) {
        return close.beginWithin(deadline(timeout));
    }

    // For what a program creates by itself for a worker: holders and payloads.

    TagOperations tags() {
        return tags;
    }

    StreamOperations streams() {
        return streams;
    }

    Operations operations() {
        return operations;
    }

    PolledOperations polled() {
        return polled;
    }

    GenericDatatype genericDatatype() {
        return datatype;
    }

    /** Creates endpoints, also to clients that are accepted. */
    EndpointCreation endpoints() {
        return endpoints;
    }

    // For tests.

    WorkerCallbacks callbacks() {
        return callbacks;
    }

    PendingOperations pending() {
        return pending;
    }

    boolean hasUndelivered() {
        return pendingEvents.anyUndelivered();
    }

    /** The worker as it appears in error messages. */
    @Override
    public String toString() {
        return lifetime().toString();
    }
}
