// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.UcxException;
import dev.isthmus.bindings.ucx.ucp_conn_request_attr;
import dev.isthmus.bindings.ucx.ucp_ep_params;
import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.internal.SocketAddresses;
import dev.isthmus.internal.ucx.Libucp;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * A client that waits to be accepted or rejected: {@code ucp_conn_request_h}. A {@link UcpConnectionHandler} gets it,
 * and may keep it. The program decides it once, at once or later; otherwise the listener rejects it when that is
 * closed. Nothing reports a client that goes away meanwhile: rejecting it then does nothing, and accepting it throws,
 * or gives an endpoint that fails.
 *
 * <p>Whatever reaches the port can be such a client. {@link #accept()} and {@link #clientId()} let UCX read what it has
 * sent; {@link #clientAddress()} and {@link #reject()} do not.
 *
 * <p>Confined to the thread of the listener's worker, except {@link #clientAddress()} and, after the decision, {@link
 * #clientId()}. Nothing blocks.
 */
public final class UcpConnectionRequest {

    private static final long NOT_QUERIED = 0; // which is no client's number

    private final UcpListener listener;
    private long handle; // 0 once decided: C has freed it
    private final InetSocketAddress clientAddress;
    private volatile long clientId = NOT_QUERIED; // volatile, as other threads may ask after the decision

    UcpConnectionRequest(UcpListener listener, long handle) {
        this.listener = listener;
        this.handle = handle;
        this.clientAddress = queryAddress();
    }

    /**
     * Where the client connects from: {@code ucp_conn_request_query}. Available after the decision, too. Thread-safe.
     *
     * @return the client's address; empty if the transport does not report it
     */
    public Optional<InetSocketAddress> clientAddress() {
        return Optional.ofNullable(clientAddress);
    }

    /**
     * The number of the client's worker: {@code ucp_conn_request_attr_t::client_id}. {@link UcpWorkerConfig#clientId}
     * chooses it, and an endpoint created with {@link UcpEndpointConfig#sendClientId()} sends it.
     *
     * <p>UCX reads it from what the client has sent, which it hardly checks: bytes that no UCX client sends can end the
     * process (docs/ucx-faults.md). So do not ask before you have checked the {@link #clientAddress()} where strangers
     * can connect. Until the decision this is for the thread of the listener's worker. After that it is thread-safe, and
     * known if the client was accepted or this method had been called before.
     *
     * @return the number; empty if the client did not send one, or sent 0, or was rejected before you asked
     * @throws WrongThreadException if the request is undecided and the worker belongs to another thread
     */
    public OptionalLong clientId() {
        if (clientId == NOT_QUERIED && handle != 0) {
            listener.worker().owner().check();
            clientId = queryId();
        }
        long known = clientId;
        return known == NOT_QUERIED ? OptionalLong.empty() : OptionalLong.of(known);
    }

    /**
     * Whether it has been neither accepted nor rejected yet.
     *
     * @return whether you can decide it
     */
    public boolean isUndecided() {
        return handle != 0;
    }

    /**
     * Accepts the client with an endpoint of the listener's worker and {@link UcpErrorHandling#PEER}: see
     * {@link #accept(UcpWorker, Consumer)}.
     *
     * @return an endpoint to the client; close it before the worker
     * @throws IllegalStateException if the request was decided already
     * @throws WrongThreadException if the worker belongs to another thread
     * @throws UcxException if UCX refuses, for example because the client has gone; the request is then decided
     */
    public UcpEndpoint accept() {
        return accept(listener.worker(), config -> {});
    }

    /**
     * Accepts the client: {@code ucp_ep_create} with {@code conn_request}. Does not wait for it. What you send
     * before both sides know of the connection leaves afterwards. For that, progress both workers, this one and
     * the listener's.
     *
     * @param worker the worker that gets the endpoint: the listener's, or another of the same context and thread; it is
     *     progressed once, as by {@link UcpWorker#createEndpoint(InetSocketAddress, Consumer)}
     * @param configurer sets what differs from the defaults; if it throws, the request is as before
     * @return an endpoint to the client, with {@link UcpErrorHandling#PEER} unless the configurer sets another; close
     *     it before its worker
     * @throws IllegalArgumentException if the worker is of another context
     * @throws IllegalStateException if the request was decided already, or the worker is closed
     * @throws WrongThreadException if a worker belongs to another thread
     * @throws UcxException if UCX refuses, for example because the client has gone; the request is then decided
     */
    public UcpEndpoint accept(UcpWorker worker, Consumer<UcpEndpointConfig> configurer) {
        open();
        if (worker.context() != listener.worker().context()) {
            throw new IllegalArgumentException(worker + " and " + listener + " are of different contexts");
        }
        return worker.endpoints().create(this::write, "client " + describeClient(), UcpErrorHandling.PEER, configurer);
    }

    /**
     * Rejects the client: {@code ucp_listener_reject}. Its endpoint then fails with {@link UcsStatus#REJECTED}.
     *
     * <p>Over TCP, UCX before 1.18 may end the process if clients arrive while one is rejected: it leaves an event of
     * the socket behind, and the next socket can have that number. This method lets UCX progress at once, which does
     * not rule it out. Where many clients may arrive together, accept them, refuse in a message, and let them close.
     *
     * @throws IllegalStateException if it was decided already
     * @throws WrongThreadException if the worker belongs to another thread
     * @throws UcxException if UCX refuses
     */
    public void reject() {
        long request = open();
        decide();
        listener.reject(request, this);
    }

    UcpListener listener() {
        return listener;
    }

    // From now on UCX frees it, even if the endpoint cannot be created.
    private void write(UcpCall call, MemorySegment params) {
        clientId(); // while UCX can still tell it
        EndpointTarget.add(params, ucp_h.UCP_EP_PARAM_FIELD_CONN_REQUEST(), 0);
        ucp_ep_params.conn_request(params, MemorySegment.ofAddress(open()));
        decide();
    }

    private long open() {
        listener.worker().owner().check();
        long request = handle;
        if (request == 0) {
            throw new IllegalStateException(this + " was accepted or rejected already, or its listener closed");
        }
        return request;
    }

    private void decide() {
        handle = 0;
        listener.decided(this);
    }

    private InetSocketAddress queryAddress() {
        try (var call = new UcpCall()) {
            MemorySegment attributes = ucp_conn_request_attr.allocate(call);
            ucp_conn_request_attr.field_mask(attributes, ucp_h.UCP_CONN_REQUEST_ATTR_FIELD_CLIENT_ADDR());
            int status = call.integer8(Libucp.CONN_REQUEST_QUERY, handle, attributes);
            return status == 0 ? SocketAddresses.read(ucp_conn_request_attr.client_address(attributes)) : null;
        }
    }

    private long queryId() {
        try (var call = new UcpCall()) {
            MemorySegment attributes = ucp_conn_request_attr.allocate(call);
            ucp_conn_request_attr.field_mask(attributes, ucp_h.UCP_CONN_REQUEST_ATTR_FIELD_CLIENT_ID());
            int status = call.integer8(Libucp.CONN_REQUEST_QUERY, handle, attributes);
            return status == 0 ? ucp_conn_request_attr.client_id(attributes) : 0;
        }
    }

    private String describeClient() {
        return clientAddress == null ? "of an unknown address" : clientAddress.toString();
    }

    /** The request as it appears in error messages. */
    @Override
    public String toString() {
        return "UcpConnectionRequest(" + describeClient() + " at " + listener + ")";
    }
}
