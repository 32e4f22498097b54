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
 * A client that waits to be accepted or rejected: {@code ucp_conn_request_h}. Given to a {@link UcpConnectionHandler};
 * decided once, by the program, or by the listener when that is closed.
 *
 * <p>Confined to the thread of the listener's worker. Nothing blocks.
 */
public final class UcpConnectionRequest {

    private final UcpListener listener;
    private long handle; // 0 once decided: C has freed it
    private final InetSocketAddress clientAddress;
    private final long clientId;

    UcpConnectionRequest(UcpListener listener, long handle) {
        this.listener = listener;
        this.handle = handle;
        this.clientAddress = queryAddress();
        this.clientId = queryId();
    }

    /**
     * Where the client connects from: {@code ucp_conn_request_query}.
     *
     * @return the client's address; empty where the transport does not tell
     */
    public Optional<InetSocketAddress> clientAddress() {
        return Optional.ofNullable(clientAddress);
    }

    /**
     * The number that the client's worker has: {@code ucp_conn_request_attr_t::client_id}. Chosen by {@link
     * UcpWorkerConfig#clientId}, and sent when the client's endpoint was made with {@link
     * UcpEndpointConfig#sendClientId()}.
     *
     * @return the number; empty if the client did not send one, or sent 0
     */
    public OptionalLong clientId() {
        return clientId == 0 ? OptionalLong.empty() : OptionalLong.of(clientId);
    }

    /**
     * Whether it was neither accepted nor rejected yet.
     *
     * @return whether it can be decided
     */
    public boolean isUndecided() {
        return handle != 0;
    }

    /**
     * Accepts the client: {@code ucp_ep_create} with {@code conn_request}. Does not wait for it.
     *
     * @return an endpoint of the listener's worker to the client, with {@link UcpErrorHandling#PEER}
     * @throws IllegalStateException if it was decided already, or the listener's worker is closed
     * @throws WrongThreadException if the worker belongs to another thread
     * @throws UcxException if UCX refuses; the request is then decided
     */
    public UcpEndpoint accept() {
        return accept(listener.worker(), config -> {});
    }

    /**
     * Accepts the client: {@code ucp_ep_create} with {@code conn_request}. Does not wait for it.
     *
     * @param worker whose endpoint it is to be: the listener's, or another of the same context and thread
     * @param configurer fills in what is to differ from the defaults
     * @return an endpoint to the client, with {@link UcpErrorHandling#PEER} if the configurer says nothing else
     * @throws IllegalArgumentException if the worker is of another context
     * @throws IllegalStateException if the request was decided already, or a worker is closed
     * @throws WrongThreadException if a worker belongs to another thread
     * @throws UcxException if UCX refuses; the request is then decided
     */
    public UcpEndpoint accept(UcpWorker worker, Consumer<UcpEndpointConfig> configurer) {
        open();
        if (worker.context() != listener.worker().context()) {
            throw new IllegalArgumentException(worker + " and " + listener + " are of different contexts");
        }
        return worker.createEndpoint(this::write, "client " + describeClient(), UcpErrorHandling.PEER, configurer);
    }

    /**
     * Rejects the client, whose endpoint then fails with {@link UcsStatus#REJECTED}: {@code ucp_listener_reject}.
     *
     * @throws IllegalStateException if it was decided already
     * @throws WrongThreadException if the worker belongs to another thread
     * @throws UcxException if UCX refuses
     */
    public void reject() {
        long request = open();
        decide();
        listener.worker().reject(listener.handle(), request, this);
    }

    UcpListener listener() {
        return listener;
    }

    // From here on UCX frees it, also when the endpoint cannot be made.
    private void write(UcpCall call, MemorySegment params) {
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

    /** The request as messages name it. */
    @Override
    public String toString() {
        return "UcpConnectionRequest(" + describeClient() + " at " + listener + ")";
    }
}
