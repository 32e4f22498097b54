// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_request_param_t;
import dev.isthmus.internal.ucx.Libucp;
import dev.isthmus.internal.ucx.Ucp;
import dev.isthmus.internal.ucx.UcxLibrary;
import java.lang.foreign.Arena;

/**
 * Tells when a connection by socket address is established: a flush that begins with it ends then, or when it fails.
 * Until then, UCX may change the transports of an endpoint, with two faults (docs/ucx-faults.md):
 *
 * <ul>
 *   <li>From 1.16 on, a remote key is bound to the transports at the time when it was unpacked: an assertion ends a
 *       process that uses such a key afterwards.
 *   <li>Before 1.15, sends of the connecting side wait in one queue until UCX has resolved the address, and later ones
 *       in another queue, which goes first. The address is resolved within some progress, but nobody can tell which. So
 *       sends between two progresses keep their order, and a further send is refused while earlier ones wait.
 * </ul>
 */
final class Establishment {

    private static final int IN_PROGRESS = 1;
    private static final int KEEPS_ORDER_SINCE = 15;
    private static final long NEVER = -1;

    private final UcpEndpoint endpoint;
    private final boolean keepsOrder;
    private final WorkerProgress progress;
    private final PendingOperations pending;
    private long request; // of UCX's own; 0 once it is over
    private long lastTurn = NEVER; // of the last send

    /** Begins to wait, without blocking. */
    Establishment(UcpEndpoint endpoint, boolean keepsOrder, WorkerProgress progress, PendingOperations pending) {
        this.endpoint = endpoint;
        this.keepsOrder = keepsOrder;
        this.progress = progress;
        this.pending = pending;
        try (Arena arena = Arena.ofConfined()) {
            long flush = Ucp.endpointFlush(
                    endpoint.handle(), ucp_request_param_t.allocate(arena).address());
            request = UcxFailure.isError(flush) ? 0 : flush;
        }
    }

    /** Whether UCX keeps the order of what is sent to this target before the connection is established. */
    static boolean keepsOrder(EndpointTarget target) {
        return !(target instanceof EndpointTarget.ListenerTarget) || UcxLibrary.load()[1] >= KEEPS_ORDER_SINCE;
    }

    boolean isOver() {
        if (request != 0 && Ucp.requestStatus(request) != IN_PROGRESS) {
            abandonFlush();
        }
        return request == 0;
    }

    /** Whether a send is sure to follow earlier ones. */
    boolean isOrdered() {
        return keepsOrder || isOver();
    }

    /** Called before a send that is not sure to be ordered: refuses one that could overtake others. */
    void orderSend() {
        long turn = progress.count();
        boolean mayOvertake = lastTurn != NEVER && lastTurn != turn;
        if (mayOvertake && pending.anySend(endpoint)) {
            throw new IllegalStateException(endpoint + " is still connecting, and UCX " + UcxVersion.loaded()
                    + " could send this before what was sent earlier: wait until that is done, or send nothing until a"
                    + " flush that is begun first is done; UCX 1.15 keeps the order");
        }
        lastTurn = turn;
    }

    /** Leaves the flush to UCX, when the endpoint is closed. */
    void abandonFlush() {
        long left = request;
        request = 0;
        if (left != 0) {
            UcpCall.run(Libucp.REQUEST_FREE, left);
        }
    }
}
