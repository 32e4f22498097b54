// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.UcxException;
import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.bindings.ucx.ucp_listener_attr;
import dev.isthmus.bindings.ucx.ucp_listener_conn_handler;
import dev.isthmus.bindings.ucx.ucp_listener_params;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.SocketAddresses;
import dev.isthmus.internal.ucx.Libucp;
import java.lang.foreign.MemorySegment;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Takes connection requests at a socket address: {@code ucp_listener_h}. {@link UcpWorker#createListener} creates it.
 *
 * <p>Confined to the thread of its worker. Requests arrive in that worker's progress: while nobody calls it, clients
 * wait. What a client sends before it is accepted arrives afterwards. Nothing blocks.
 */
public final class UcpListener implements AutoCloseable {

    private final UcpWorker worker;
    private final ConnectionRequests requests;
    private final WorkerCallbacks callbacks;
    private final Lifetime lifetime;
    private final UcpConnectionHandler handler;
    private final Set<UcpConnectionRequest> undecided = new LinkedHashSet<>();
    private final long id;
    private final long handle;
    private final InetSocketAddress address;
    private boolean closed;

    UcpListener(
            UcpWorker worker,
            ConnectionRequests requests,
            WorkerCallbacks callbacks,
            InetSocketAddress at,
            UcpConnectionHandler handler) {
        this.worker = worker;
        this.requests = requests;
        this.callbacks = callbacks;
        this.handler = handler;
        this.lifetime = new Lifetime("UcpListener", worker.name() + " at " + at, worker.lifetime());
        ConnectionRequests.Retired before = requests.revive(at);
        this.id = before == null ? requests.nextId() : before.id();
        ConnectionRequests.Retired made = before == null ? lifetime.open(() -> create(at)) : before;
        this.handle = made.handle();
        this.address = made.address();
        requests.add(id, this); // it gets no requests before the next progress
    }

    /**
     * The address to which clients connect: {@code ucp_listener_query}. Thread-safe, also after the close.
     *
     * @return the address, with the chosen port if 0 was asked for
     */
    public InetSocketAddress address() {
        return address;
    }

    /**
     * Whether it is open. A listener that is closed inside a callback takes no more requests, and stays open until UCX
     * has returned. Thread-safe.
     *
     * @return whether it is open
     */
    public boolean isOpen() {
        return lifetime.isOpen();
    }

    /**
     * Stops taking requests: {@code ucp_listener_destroy}. Rejects those that were neither accepted nor rejected.
     * Accepted endpoints stay as they are. Does nothing if it is closed already. Inside a callback of UCX it takes
     * nothing more at once, and is closed when UCX has returned.
     *
     * <p>UCX cannot free a listener safely while clients may be connecting, so it keeps the port until the worker is
     * closed, and the worker's progress rejects clients. A new listener of the same worker can have the address.
     *
     * @throws WrongThreadException if the worker belongs to another thread
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        worker.owner().check();
        if (callbacks.isInside()) {
            closed = true;
            callbacks.defer(this::destroy);
        } else {
            destroy();
        }
    }

    private void destroy() {
        lifetime.close(() -> {
            closed = true;
            requests.retire(new ConnectionRequests.Retired(id, handle, address));
        });
        rejectUndecided();
    }

    // Each rejection progresses the worker, and handlers of the program run in it: they may decide requests, too. No
    // request is added, as the listener is retired.
    private void rejectUndecided() {
        UcxException refused = null;
        while (!undecided.isEmpty()) {
            try {
                undecided.iterator().next().reject();
            } catch (UcxException e) {
                refused = e;
            }
        }
        if (refused != null) {
            throw refused;
        }
    }

    UcpWorker worker() {
        return worker;
    }

    /** Rejects a request that the program has decided. */
    void reject(long request, UcpConnectionRequest what) {
        requests.reject(handle, request, what);
    }

    /** C's callback has delivered a request, which must be decided, whatever the program does. */
    UcpConnectionRequest requested(long request) {
        var undecidedRequest = new UcpConnectionRequest(this, request);
        undecided.add(undecidedRequest);
        return undecidedRequest;
    }

    void decided(UcpConnectionRequest request) {
        undecided.remove(request);
    }

    /** Calls the program's handler, on its thread and outside of C. */
    void deliver(UcpConnectionRequest request) {
        if (!closed && request.isUndecided()) {
            handler.onConnection(request);
        }
    }

    private ConnectionRequests.Retired create(InetSocketAddress at) {
        ConnectionManagers.check(worker.context(), Libucp.LISTENER_CREATE.name(), this);
        checkAddress(at.getAddress());
        try (var call = new UcpCall()) {
            MemorySegment params = ucp_listener_params.allocate(call);
            ucp_listener_params.field_mask(
                    params, ucp_h.UCP_LISTENER_PARAM_FIELD_SOCK_ADDR() | ucp_h.UCP_LISTENER_PARAM_FIELD_CONN_HANDLER());
            EndpointTarget.write(call, ucp_listener_params.sockaddr(params), at);
            MemorySegment connections = ucp_listener_params.conn_handler(params);
            ucp_listener_conn_handler.cb(connections, requests.callback());
            ucp_listener_conn_handler.arg(connections, MemorySegment.ofAddress(id));
            long made = call.create(Libucp.LISTENER_CREATE, this, worker.handle(), params);
            return Lifetime.orDestroy(
                    () -> new ConnectionRequests.Retired(id, made, query(made)),
                    () -> UcpCall.run(Libucp.LISTENER_DESTROY, made));
        }
    }

    /**
     * Where there is an RDMA device, UCX takes an address of another machine for one whose port is in use, and tries port
     * after port for ever if it may choose one.
     */
    private void checkAddress(InetAddress at) {
        try {
            new DatagramSocket(new InetSocketAddress(at, 0)).close(); // the kernel knows which are this machine's
        } catch (SocketException e) {
            UcxException refusal = UcxFailure.of(UcsStatus.IO_ERROR.code(), Libucp.LISTENER_CREATE.name(), toString());
            refusal.addSuppressed(e); // what the kernel said
            throw refusal;
        }
    }

    private InetSocketAddress query(long made) {
        try (var call = new UcpCall()) {
            MemorySegment attributes = ucp_listener_attr.allocate(call);
            ucp_listener_attr.field_mask(attributes, ucp_h.UCP_LISTENER_ATTR_FIELD_SOCKADDR());
            call.check(Libucp.LISTENER_QUERY, this, made, attributes);
            return SocketAddresses.read(ucp_listener_attr.sockaddr(attributes));
        }
    }

    /** The listener as it appears in error messages. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
