// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.bindings.ucx.ucp_worker_params;
import dev.isthmus.internal.ucx.Libucp;
import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;

/** From a {@link UcpWorkerConfig} to {@code ucp_worker_create}. */
final class WorkerCreation {

    private WorkerCreation() {}

    /** Creates the worker, and returns its handle. */
    static long create(UcpContext context, UcpWorkerConfig config, String name) {
        try (var call = new UcpCall()) {
            return call.create(Libucp.WORKER_CREATE, context, context.handle(), parameters(call, config, name));
        }
    }

    private static MemorySegment parameters(UcpCall call, UcpWorkerConfig config, String name) {
        MemorySegment params = ucp_worker_params.allocate(call);
        long mask = ucp_h.UCP_WORKER_PARAM_FIELD_THREAD_MODE()
                | ucp_h.UCP_WORKER_PARAM_FIELD_FLAGS()
                | ucp_h.UCP_WORKER_PARAM_FIELD_NAME();
        ucp_worker_params.thread_mode(params, config.threadMode().code());
        ucp_worker_params.flags(params, ucp_h.UCP_WORKER_FLAG_IGNORE_REQUEST_LEAK());
        ucp_worker_params.name(params, call.allocateFrom(name));
        if (config.events() != 0) {
            mask |= ucp_h.UCP_WORKER_PARAM_FIELD_EVENTS();
            ucp_worker_params.events(params, config.events());
        }
        OptionalLong clientId = config.clientId();
        if (clientId.isPresent()) {
            mask |= ucp_h.UCP_WORKER_PARAM_FIELD_CLIENT_ID();
            ucp_worker_params.client_id(params, clientId.getAsLong());
        }
        ucp_worker_params.field_mask(params, mask);
        return params;
    }
}
