package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.bindings.ucx.ucp_request_param_t;
import dev.isthmus.internal.ucx.Libucp;
import dev.isthmus.internal.ucx.Ucp;
import dev.isthmus.internal.ucx.UcxLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The ways to close an endpoint, each of which ends: at worst the worker's close does the rest. */
final class EndpointClose {

    private static final int IN_PROGRESS = 1;
    private static final int LAST_TO_END_FLUSHES = 13;

    private EndpointClose() {}

    /** Lets sends end and flushes them; then closes, by force if they did not. */
    static void gracefully(UcpWorker worker, UcpEndpoint endpoint) {
        if (endpoint.isFailed() || !drain(worker, endpoint) || endpoint.isFailed()) {
            forcibly(worker, endpoint);
        } else {
            close(worker, endpoint.handle(), 0);
        }
    }

    /** Closes by force where UCX can, and leaves the endpoint to {@code ucp_worker_destroy} where it cannot. */
    static void forcibly(UcpWorker worker, UcpEndpoint endpoint) {
        if (endpoint.errorHandling() == UcpErrorHandling.PEER && noFlushUsesIt(worker)) {
            close(worker, endpoint.handle(), ucp_h.UCP_EP_CLOSE_FLAG_FORCE());
        }
    }

    // Newer versions do not take a flush of the worker from an endpoint that is closed by force, and it would then use
    // a
    // freed one. It was seen in 1.22; 1.13 does.
    private static boolean noFlushUsesIt(UcpWorker worker) {
        if (UcxLibrary.load()[1] <= LAST_TO_END_FLUSHES) {
            return true;
        }
        long deadline = worker.closeDeadline();
        boolean inTime = true;
        while (inTime && worker.requests().isWorkerFlushing()) {
            inTime = worker.progressUntil(deadline);
        }
        return inTime;
    }

    // UCX does not look for unfinished rendezvous sends when it closes an endpoint, and they would then use a freed
    // one.
    private static boolean drain(UcpWorker worker, UcpEndpoint endpoint) {
        UcpRequests requests = worker.requests();
        long deadline = worker.closeDeadline();
        while (requests.pending(endpoint) > 0) {
            if (!worker.progressUntil(deadline)) {
                return false;
            }
        }
        return flush(worker, endpoint, deadline);
    }

    private static boolean flush(UcpWorker worker, UcpEndpoint endpoint, long deadline) {
        // A request of UCX's own: a flush that does not end is left to it.
        long request;
        try (Arena arena = Arena.ofConfined()) {
            request = Ucp.endpointFlush(
                    endpoint.handle(), ucp_request_param_t.allocate(arena).address());
        }
        return UcxFailure.isError(request) || request == 0 || await(worker, request, deadline);
    }

    private static void close(UcpWorker worker, long ep, int flags) {
        long request;
        try (var call = new UcpCall()) {
            MemorySegment param = ucp_request_param_t.allocate(call);
            ucp_request_param_t.op_attr_mask(param, ucp_h.UCP_OP_ATTR_FIELD_FLAGS());
            ucp_request_param_t.flags(param, flags);
            request = call.integer64(Libucp.EP_CLOSE, ep, param);
        }
        worker.settle();
        if (request != 0 && !UcxFailure.isError(request)) {
            // Not ended in time: it ends with later progress, or with the worker.
            await(worker, request, worker.closeDeadline());
        }
    }

    private static boolean await(UcpWorker worker, long request, long deadline) {
        boolean ended;
        do {
            ended = Ucp.requestStatus(request) != IN_PROGRESS;
        } while (!ended && worker.progressUntil(deadline));
        UcpCall.run(Libucp.REQUEST_FREE, request);
        return ended;
    }
}
