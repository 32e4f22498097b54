// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_request_param_t;
import dev.isthmus.internal.ucx.Libucp;
import dev.isthmus.internal.ucx.Ucp;
import dev.isthmus.internal.ucx.UcxLibrary;
import java.lang.foreign.Arena;

/**
 * Tells when a connection by socket address is established: a flush that is begun with it ends then, or when it fails. Until
 * then UCX changes what an endpoint uses, and has two faults with that (docs/ucx-faults.md):
 *
 * <ul>
 *   <li>From 1.16 on a remote key is bound to what that was when the key was unpacked: an assertion ends the process that
 *       uses such a key afterwards.
 *   <li>Before 1.15 what the connecting side sends before UCX has resolved the address waits in one queue, and what it sends
 *       later in another, which goes first. The address is resolved within a progress, nobody can tell which. So sends
 *       between two progresses keep their order, and another one is refused while some of an earlier time wait.
 * </ul>
 */
final class Establishment {

    private static final int IN_PROGRESS = 1;
    private static final int KEEPS_ORDER_SINCE = 15;
    private static final long NEVER = -1;

    private final boolean keepsOrder;
    private long request; // of UCX's own; 0 once it is over
    private long lastTurn = NEVER; // when something was sent

    private Establishment(long ep, boolean keepsOrder) {
        this.keepsOrder = keepsOrder;
        try (Arena arena = Arena.ofConfined()) {
            long flush =
                    Ucp.endpointFlush(ep, ucp_request_param_t.allocate(arena).address());
            request = UcxFailure.isError(flush) ? 0 : flush;
        }
    }

    /** Begins to wait, without to block. Returns null where there is nothing to wait for. */
    static Establishment of(UcpWorker worker, EndpointTarget target, long ep) {
        boolean keepsOrder = !(target instanceof EndpointTarget.Listener) || UcxLibrary.load()[1] >= KEEPS_ORDER_SINCE;
        boolean keepsKeys = target instanceof EndpointTarget.Worker || !UcpRemoteMemory.isIn(worker.context());
        if (keepsOrder && keepsKeys) {
            return null;
        }
        var establishment = new Establishment(ep, keepsOrder);
        if (!keepsOrder) {
            worker.parts().news().add(establishment);
        }
        return establishment;
    }

    boolean isOver() {
        if (request != 0 && Ucp.requestStatus(request) != IN_PROGRESS) {
            forget();
        }
        return request == 0;
    }

    /** Whether a send comes after what was sent before. */
    boolean isOrdered() {
        return keepsOrder || isOver();
    }

    /** To be called before a send while it is not sure to be ordered: refuses one that could overtake others. */
    void orderSend(UcpEndpoint endpoint) {
        long turn = endpoint.worker().parts().news().turn();
        boolean mayOvertake = lastTurn != NEVER && lastTurn != turn;
        if (mayOvertake && endpoint.worker().parts().pending().anySend(endpoint)) {
            throw new IllegalStateException(endpoint + " is still connecting, and UCX " + UcxVersion.loaded()
                    + " could send this before what was sent earlier: wait until that is done, or send nothing until a"
                    + " flush that is begun first is done; UCX 1.15 keeps the order");
        }
        lastTurn = turn;
    }

    /** Leaves the flush to UCX, when the endpoint is closed. */
    void forget() {
        if (request != 0) {
            UcpCall.run(Libucp.REQUEST_FREE, request);
            request = 0;
        }
    }
}
