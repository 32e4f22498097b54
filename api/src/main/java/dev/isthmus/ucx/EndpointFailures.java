// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_err_handler_cb_t;
import dev.isthmus.internal.HotPath;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/**
 * The endpoint error handler of one worker ({@code ucp_err_handler_cb_t}), the same for all of its endpoints. UCX calls
 * it inside a progress or another call, on the worker's thread. It records failures; {@link UcpWorker#progress()}
 * delivers them once UCX has returned.
 *
 * <p>Every endpoint gets it, even in mode NONE: without a handler, UCX ends the process when some transports fail.
 */
final class EndpointFailures {

    private final WorkerCore worker;
    private final MemorySegment callback;
    private final EndpointNumbers endpoints = new EndpointNumbers();
    private final ArrayDeque<UcpEndpoint> failed = new ArrayDeque<>();
    private Throwable thrown;
    private boolean any;

    EndpointFailures(WorkerCore worker) {
        this.worker = worker;
        callback = ucp_err_handler_cb_t.allocate(this::onError, worker.arena());
    }

    MemorySegment callback() {
        return callback;
    }

    /** Registers an endpoint; returns the number for the callback's argument. */
    long add(UcpEndpoint endpoint) {
        return endpoints.add(endpoint);
    }

    void remove(long id) {
        endpoints.remove(id);
    }

    /** The endpoint of a number, or null if it was closed. */
    @HotPath
    UcpEndpoint endpoint(long id) {
        return endpoints.get(id);
    }

    /** Another thread owns the worker from now on. */
    void handedOver() {
        endpoints.forEach(UcpEndpoint::handedOver);
    }

    /** Whether {@link #deliver} has something to do. */
    boolean any() {
        return any;
    }

    /** Passes each failure to its handler once. If a handler throws, the remaining failures are delivered next time. */
    void deliver() {
        any = false;
        Throwable t = thrown;
        thrown = null;
        if (t != null) {
            throw new IllegalStateException("the endpoint error callback failed", t);
        }
        UcpEndpoint endpoint;
        while ((endpoint = failed.poll()) != null) {
            any = !failed.isEmpty();
            endpoint.deliverFailure();
        }
    }

    // Called by C. An exception that left it would end the JVM.
    private void onError(MemorySegment id, MemorySegment ep, byte status) {
        try {
            UcpEndpoint endpoint = endpoints.get(id.address());
            if (endpoint != null) {
                endpoint.failed(status);
                failed.add(endpoint);
            }
        } catch (Throwable t) {
            thrown = t;
        }
        any = true;
        worker.requestDelivery();
    }
}
