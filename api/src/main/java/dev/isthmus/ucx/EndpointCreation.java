// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.UcxException;
import dev.isthmus.bindings.ucx.ucp_ep_params;
import dev.isthmus.bindings.ucx.ucp_err_handler;
import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.internal.ucx.Libucp;
import dev.isthmus.internal.ucx.UcxLibrary;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** Creates the endpoints of one worker: from a target and a {@link UcpEndpointConfig} to {@code ucp_ep_create}. */
final class EndpointCreation {

    private static final int LOCAL_ADDRESS_SINCE = 13;

    private final WorkerCore worker;
    private final WorkerProgress progress;
    private final PendingOperations pending;
    private final EndpointFailures failures;
    private final EndpointCloses closes;
    private final EndpointOperations operations;

    EndpointCreation(
            WorkerCore worker,
            WorkerProgress progress,
            PendingOperations pending,
            EndpointFailures failures,
            EndpointCloses closes,
            EndpointOperations operations) {
        this.worker = worker;
        this.progress = progress;
        this.pending = pending;
        this.failures = failures;
        this.closes = closes;
        this.operations = operations;
    }

    /**
     * Creates an endpoint. The worker is progressed before, and after a failure.
     *
     * @param remote describes the target, for messages
     * @param mode what the configurer finds
     */
    UcpEndpoint create(
            EndpointTarget target, String remote, UcpErrorHandling mode, Consumer<UcpEndpointConfig> configurer) {
        worker.checkAcceptsChildren();
        UcpEndpointConfig config = new UcpEndpointConfig(mode);
        config.filling.by(configurer, config);
        worker.checkAcceptsChildren(); // the configurer may have closed the worker, or handed it over
        progress.drainSocketEvents();
        try {
            return new UcpEndpoint(worker, this, failures, closes, operations, target, remote, config);
        } catch (UcxException e) {
            progress.drainSocketEvents();
            throw e;
        }
    }

    /**
     * Creates C's endpoint, and returns its handle.
     *
     * @param failureId the argument of the worker's error callback
     */
    long createHandle(UcpEndpoint endpoint, EndpointTarget target, UcpEndpointConfig config, long failureId) {
        if (target instanceof EndpointTarget.ListenerTarget) {
            ConnectionManagers.check(worker.context(), Libucp.EP_CREATE.name(), endpoint);
        }
        try (var call = new UcpCall()) {
            MemorySegment params = ucp_ep_params.allocate(call);
            writeErrorHandling(params, config.errorHandling(), failureId);
            writeOptions(call, params, config);
            target.write(call, params);
            return call.create(Libucp.EP_CREATE, endpoint, worker.handle(), params);
        }
    }

    /** What tells when its connection is established; null if there is nothing to wait for. */
    Establishment establishment(UcpEndpoint endpoint, EndpointTarget target) {
        boolean keepsOrder = Establishment.keepsOrder(target);
        boolean keepsKeys = target instanceof EndpointTarget.WorkerTarget || !UcpRemoteMemory.isIn(worker.context());
        if (keepsOrder && keepsKeys) {
            return null;
        }
        var establishment = new Establishment(endpoint, keepsOrder, progress, pending);
        if (!keepsOrder) {
            progress.add(establishment);
        }
        return establishment;
    }

    private void writeErrorHandling(MemorySegment params, UcpErrorHandling mode, long failureId) {
        EndpointTarget.add(
                params, ucp_h.UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE() | ucp_h.UCP_EP_PARAM_FIELD_ERR_HANDLER(), 0);
        ucp_ep_params.err_mode(
                params,
                mode == UcpErrorHandling.PEER
                        ? ucp_h.UCP_ERR_HANDLING_MODE_PEER()
                        : ucp_h.UCP_ERR_HANDLING_MODE_NONE());
        MemorySegment handler = ucp_ep_params.err_handler(params);
        ucp_err_handler.cb(handler, failures.callback());
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
