package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_request_param_t;
import dev.isthmus.internal.ucx.Libucp;
import dev.isthmus.internal.ucx.Ucp;
import dev.isthmus.internal.ucx.UcxLibrary;
import java.lang.foreign.Arena;

/** What comes before {@code ucp_worker_destroy}, and whether it may come. */
final class WorkerClose {

    private static final int IN_PROGRESS = 1;

    // From here on ucp_worker_destroy takes connections that are still being made, if no operation waits for them.
    // Before, an assertion in ucp_request_send_state_ff ends the process, in builds with assertions such as Debian's.
    private static final int FIXED_MINOR = 14;

    private WorkerClose() {}

    /** Lets operations and connections end; false if they did not and C must not destroy the worker. */
    static boolean drain(UcpWorker worker) {
        long deadline = worker.closeDeadline();
        UcpRequests requests = worker.requests();
        boolean inTime = true;
        while (inTime && requests.pending(null) > 0) {
            inTime = worker.progressUntil(deadline);
        }
        boolean flushed = flush(worker, deadline);
        if (requests.pending(null) == 0) {
            return flushed || UcxLibrary.load()[1] >= FIXED_MINOR;
        }
        // UCX 1.18 cannot abort all that waits for a connection, which a flush would wait for, too: "'abort' is not
        // implemented for protocol amo/fetch/sw". And what waits for the peer's answer may be in a list that must be
        // empty, by an assertion.
        return flushed && !requests.anyPendingTracked();
    }

    private static boolean flush(UcpWorker worker, long deadline) {
        long request;
        try (Arena arena = Arena.ofConfined()) {
            request = Ucp.workerFlush(
                    worker.handle(), ucp_request_param_t.allocate(arena).address());
        }
        if (request == 0 || UcxFailure.isError(request)) {
            return true;
        }
        boolean ended;
        do {
            ended = Ucp.requestStatus(request) != IN_PROGRESS;
        } while (!ended && worker.progressUntil(deadline));
        UcpCall.run(Libucp.REQUEST_FREE, request);
        return ended;
    }
}
