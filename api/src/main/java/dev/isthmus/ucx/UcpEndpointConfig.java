package dev.isthmus.ucx;

/**
 * What a {@link UcpEndpoint} is made with: {@code ucp_ep_params_t}. Used by one thread, inside {@link
 * UcpWorker#createEndpoint(UcpAddress, java.util.function.Consumer)}.
 */
public final class UcpEndpointConfig {

    private UcpErrorHandling errorHandling = UcpErrorHandling.NONE;
    private UcpErrorHandler errorHandler;

    UcpEndpointConfig() {}

    /**
     * What the endpoint promises when the peer dies, {@link UcpErrorHandling#NONE} if not said.
     *
     * @param mode the same that the peer uses
     * @return this
     */
    public UcpEndpointConfig errorHandling(UcpErrorHandling mode) {
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
        errorHandler = handler;
        return this;
    }

    UcpErrorHandling errorHandling() {
        return errorHandling;
    }

    UcpErrorHandler errorHandler() {
        return errorHandler;
    }
}
