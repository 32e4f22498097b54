package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_request_param_t;
import dev.isthmus.internal.ucx.Libucp;
import dev.isthmus.internal.ucx.Ucp;
import java.lang.foreign.Arena;

/**
 * Tells when a connection by socket address is established: a flush that is begun with it ends then, or when it fails. UCX
 * changes what an endpoint uses until then, and from 1.16 on a remote key is bound to what that was when the key was
 * unpacked: an assertion ends the process that uses such a key afterwards (docs/ucx-faults.md).
 */
final class Establishment {

    private static final int IN_PROGRESS = 1;

    private long request; // of UCX's own; 0 once it is over

    /** Begins to wait, without to block. */
    Establishment(long ep) {
        try (Arena arena = Arena.ofConfined()) {
            long flush =
                    Ucp.endpointFlush(ep, ucp_request_param_t.allocate(arena).address());
            request = UcxFailure.isError(flush) ? 0 : flush;
        }
    }

    boolean isOver() {
        if (request != 0 && Ucp.requestStatus(request) != IN_PROGRESS) {
            forget();
        }
        return request == 0;
    }

    /** Leaves the flush to UCX, when the endpoint is closed. */
    void forget() {
        if (request != 0) {
            UcpCall.run(Libucp.REQUEST_FREE, request);
            request = 0;
        }
    }
}
