// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_ep_params;
import dev.isthmus.bindings.ucx.ucp_err_handler;
import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.internal.ucx.Libucp;
import dev.isthmus.internal.ucx.UcxLibrary;
import java.lang.foreign.MemorySegment;

/** From a target and a {@link UcpEndpointConfig} to {@code ucp_ep_create}. */
final class EndpointCreation {

    private static final int LOCAL_ADDRESS_SINCE = 13;

    private EndpointCreation() {}

    /**
     * Creates the endpoint, and returns its handle.
     *
     * @param failureId the argument of the worker's error callback
     */
    static long create(UcpEndpoint endpoint, EndpointTarget target, UcpEndpointConfig config, long failureId) {
        UcpWorker worker = endpoint.worker();
        if (target instanceof EndpointTarget.ListenerTarget) {
            ConnectionManagers.check(worker.context(), Libucp.EP_CREATE.name(), endpoint);
        }
        try (var call = new UcpCall()) {
            MemorySegment params = ucp_ep_params.allocate(call);
            writeErrorHandling(worker, params, config.errorHandling(), failureId);
            writeOptions(call, params, config);
            target.write(call, params);
            return call.create(Libucp.EP_CREATE, endpoint, worker.handle(), params);
        }
    }

    private static void writeErrorHandling(
            UcpWorker worker, MemorySegment params, UcpErrorHandling mode, long failureId) {
        EndpointTarget.add(
                params, ucp_h.UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE() | ucp_h.UCP_EP_PARAM_FIELD_ERR_HANDLER(), 0);
        ucp_ep_params.err_mode(
                params,
                mode == UcpErrorHandling.PEER
                        ? ucp_h.UCP_ERR_HANDLING_MODE_PEER()
                        : ucp_h.UCP_ERR_HANDLING_MODE_NONE());
        MemorySegment handler = ucp_ep_params.err_handler(params);
        ucp_err_handler.cb(handler, worker.parts().failures().callback());
        ucp_err_handler.arg(handler, MemorySegment.ofAddress(failureId));
    }

    private static void writeOptions(UcpCall call, MemorySegment params, UcpEndpointConfig config) {
        if (!config.name().isEmpty()) {
            EndpointTarget.add(params, ucp_h.UCP_EP_PARAM_FIELD_NAME(), 0);
            ucp_ep_params.name(params, call.allocateFrom(config.name()));
        }
        if (config.isWithoutLoopback()) {
            EndpointTarget.add(params, ucp_h.UCP_EP_PARAM_FIELD_FLAGS(), ucp_h.UCP_EP_PARAMS_FLAGS_NO_LOOPBACK());
        }
        if (config.isSendingClientId()) {
            EndpointTarget.add(params, ucp_h.UCP_EP_PARAM_FIELD_FLAGS(), ucp_h.UCP_EP_PARAMS_FLAGS_SEND_CLIENT_ID());
        }
        if (config.localAddress() != null) {
            UcxLibrary.require(LOCAL_ADDRESS_SINCE, "the local address of an endpoint");
            EndpointTarget.add(params, ucp_h.UCP_EP_PARAM_FIELD_LOCAL_SOCK_ADDR(), 0);
            EndpointTarget.write(call, ucp_ep_params.local_sockaddr(params), config.localAddress());
        }
    }
}
