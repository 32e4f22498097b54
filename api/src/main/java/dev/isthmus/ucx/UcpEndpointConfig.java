// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.Filling;
import java.net.InetSocketAddress;
import java.util.Objects;

/**
 * What a {@link UcpEndpoint} is made with: {@code ucp_ep_params_t}. Used by one thread, inside {@link
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
     * What the endpoint promises when the peer dies. If not said, {@link UcpErrorHandling#PEER} for a connection by socket
     * address, and {@link UcpErrorHandling#NONE} for one by worker address.
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
     * Who is told when the endpoint fails. Without one a failure shows as {@link UcpEndpoint#isFailed()} and in the
     * status of sends; it never ends the process.
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
     * Does not connect an endpoint to its worker's own address with itself: {@code UCP_EP_PARAMS_FLAGS_NO_LOOPBACK}. Two
     * endpoints of one worker can then be connected with each other.
     *
     * @return this
     */
    public UcpEndpointConfig withoutLoopback() {
        filling.check();
        withoutLoopback = true;
        return this;
    }

    /**
     * Sends the number of the worker with the connection request: {@code UCP_EP_PARAMS_FLAGS_SEND_CLIENT_ID}. See {@link
     * UcpWorkerConfig#clientId} and {@link UcpConnectionRequest#clientId()}. Without effect for a worker address.
     *
     * @return this
     */
    public UcpEndpointConfig sendClientId() {
        filling.check();
        sendingClientId = true;
        return this;
    }

    /**
     * Connects from an address of this machine: {@code ucp_ep_params_t::local_sockaddr}; UCX 1.13 and later. Without
     * effect for a worker address.
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
