// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.Filling;
import java.net.InetSocketAddress;
import java.util.Objects;

/**
 * The parameters of a {@link UcpEndpoint}: {@code ucp_ep_params_t}. Confined to one thread, inside {@link
 * UcpWorker#createEndpoint(UcpAddress, java.util.function.Consumer)}.
 */
public final class UcpEndpointConfig {

    final Filling filling = new Filling();
    private UcpErrorHandling errorHandling;
    private UcpErrorHandler errorHandler;
    private String name = "";
    private boolean withoutLoopback;
    private boolean sendingClientId;
    private InetSocketAddress localAddress;

    UcpEndpointConfig(UcpErrorHandling errorHandling) {
        this.errorHandling = errorHandling;
    }

    /**
     * Sets what the endpoint promises when the peer dies. Default: {@link UcpErrorHandling#PEER} for a connection by
     * socket address, and {@link UcpErrorHandling#NONE} for one by worker address.
     *
     * @param mode the same that the peer uses
     * @return this
     */
    public UcpEndpointConfig errorHandling(UcpErrorHandling mode) {
        filling.check();
        errorHandling = mode;
        return this;
    }

    /**
     * Sets a handler for the endpoint's failure. Without one, a failure shows in {@link UcpEndpoint#isFailed()} and in
     * the status of sends. It never ends the process.
     *
     * @param handler called by {@link UcpWorker#progress()}
     * @return this
     */
    public UcpEndpointConfig errorHandler(UcpErrorHandler handler) {
        filling.check();
        errorHandler = handler;
        return this;
    }

    /**
     * Names the endpoint in messages of UCX.
     *
     * @param endpointName any text
     * @return this
     */
    public UcpEndpointConfig name(String endpointName) {
        filling.check();
        name = Objects.requireNonNull(endpointName, "endpointName");
        return this;
    }

    /**
     * Keeps UCX from connecting an endpoint to its worker's own address with itself:
     * {@code UCP_EP_PARAMS_FLAGS_NO_LOOPBACK}. Two endpoints of one worker can then connect to each other.
     *
     * @return this
     */
    public UcpEndpointConfig withoutLoopback() {
        filling.check();
        withoutLoopback = true;
        return this;
    }

    /**
     * Sends the number of the worker with the connection request: {@code UCP_EP_PARAMS_FLAGS_SEND_CLIENT_ID}. See
     * {@link UcpWorkerConfig#clientId} and {@link UcpConnectionRequest#clientId()}. No effect for a worker address.
     *
     * @return this
     */
    public UcpEndpointConfig sendClientId() {
        filling.check();
        sendingClientId = true;
        return this;
    }

    /**
     * Connects from an address of this machine: {@code ucp_ep_params_t::local_sockaddr}; UCX 1.13 and later. No effect
     * for a worker address.
     *
     * @param address of a network device; port 0 for any
     * @return this
     */
    public UcpEndpointConfig localAddress(InetSocketAddress address) {
        filling.check();
        localAddress = Objects.requireNonNull(address, "address");
        return this;
    }

    String name() {
        return name;
    }

    boolean isWithoutLoopback() {
        return withoutLoopback;
    }

    boolean isSendingClientId() {
        return sendingClientId;
    }

    InetSocketAddress localAddress() {
        return localAddress;
    }

    UcpErrorHandling errorHandling() {
        return errorHandling;
    }

    UcpErrorHandler errorHandler() {
        return errorHandler;
    }
}
