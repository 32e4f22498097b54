package dev.isthmus.ucx;

import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.internal.ucx.Ucp;

/** Flushes and fences of one worker and its endpoints: checks, calls, and account of what C has begun. */
final class OrderOperations {

    private final UcpWorker parent;
    private final OwnerThread owner;
    private final RequestSlots slots;
    private final UcpRequests requests;
    private final long worker;

    OrderOperations(UcpWorker parent, OwnerThread owner, RequestSlots slots, UcpRequests requests) {
        this.parent = parent;
        this.owner = owner;
        this.slots = slots;
        this.requests = requests;
        this.worker = parent.handle();
    }

    /** {@code ucp_ep_flush_nbx}, on an endpoint that is open and of this thread. */
    @HotPath
    long flush(UcpEndpoint endpoint, long ep) {
        RequestSlot slot = slots.next();
        long result = Ucp.endpointFlush(ep, slot.sendParameters());
        return began(result, slot, endpoint, "ucp_ep_flush_nbx");
    }

    /** The same of one that carries user data. */
    @HotPath
    long flush(UcpEndpoint endpoint, long ep, long userData) {
        PolledOperations polled = parent.polled();
        RequestSlot slot = slots.next();
        long result = Ucp.endpointFlush(ep, polled.parameters(slot, false));
        return hasBegun(result, endpoint, "ucp_ep_flush_nbx")
                ? requests.beginPolled(slot, RequestSlot.FLUSH, endpoint, null, null, userData)
                : 0;
    }

    /** {@code ucp_worker_flush_nbx}. */
    @HotPath
    long flush() {
        owner.check();
        RequestSlot slot = slots.next();
        long result = Ucp.workerFlush(worker, slot.sendParameters());
        return began(result, slot, null, "ucp_worker_flush_nbx");
    }

    /** The same of one that carries user data. */
    @HotPath
    long flush(long userData) {
        owner.check();
        PolledOperations polled = parent.polled();
        RequestSlot slot = slots.next();
        long result = Ucp.workerFlush(worker, polled.parameters(slot, false));
        return hasBegun(result, null, "ucp_worker_flush_nbx")
                ? requests.beginPolled(slot, RequestSlot.FLUSH, null, null, null, userData)
                : 0;
    }

    /** {@code ucp_worker_fence}. */
    @HotPath
    void fence() {
        owner.check();
        parent.callbacks().refuseInside("a fence");
        int status = Ucp.workerFence(worker);
        requests.touch();
        if (status != 0) {
            throw UcxFailure.of(status, "ucp_worker_fence", parent.toString());
        }
    }

    @HotPath
    private long began(long result, RequestSlot slot, UcpEndpoint endpoint, String call) {
        return hasBegun(result, endpoint, call) ? requests.begin(slot, RequestSlot.FLUSH, endpoint, null, null) : 0;
    }

    /** Whether C has begun a flush, rather than done it at once. */
    @HotPath
    private boolean hasBegun(long result, UcpEndpoint endpoint, String call) {
        requests.touch();
        if (result == 0) {
            requests.flushed();
            return false;
        }
        if (UcxFailure.isError(result)) {
            Object on = endpoint == null ? parent : endpoint;
            throw UcxFailure.of((int) result, call, on.toString());
        }
        return true;
    }
}
