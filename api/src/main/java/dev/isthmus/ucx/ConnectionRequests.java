// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_listener_conn_callback_t;
import dev.isthmus.internal.ucx.Libucp;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * The connection handler of one worker ({@code ucp_listener_conn_callback_t}), the same for all of its listeners. UCX
 * calls it inside a progress, on the worker's thread. It records requests; {@link UcpWorker#progress()} delivers them
 * once UCX has returned.
 *
 * <p>A listener that the program has closed stays in C until the worker is closed, and its clients are rejected. UCX
 * forgets connections that its TCP listener has accepted and whose request has not arrived yet: if it arrives after
 * {@code ucp_listener_destroy}, UCX calls a freed listener.
 */
final class ConnectionRequests {

    /** A listener that the program has closed, and C still has. */
    record Retired(long id, long handle, InetSocketAddress address) {}

    private final WorkerCore worker;
    private final WorkerProgress progress;
    private final MemorySegment callback;
    private final Map<Long, UcpListener> listeners = new HashMap<>();
    private final Map<InetSocketAddress, Retired> retired = new HashMap<>();
    private final Map<Long, Retired> retiredById = new HashMap<>();
    private final ArrayDeque<UcpConnectionRequest> undelivered = new ArrayDeque<>();
    private final ArrayDeque<Runnable> rejections = new ArrayDeque<>();
    private long lastId;
    private Throwable thrown;

    ConnectionRequests(WorkerCore worker, WorkerProgress progress) {
        this.worker = worker;
        this.progress = progress;
        callback = ucp_listener_conn_callback_t.allocate(this::onConnection, worker.arena());
    }

    MemorySegment callback() {
        return callback;
    }

    /** A number for a new listener, which is the callback's argument. */
    long nextId() {
        return ++lastId;
    }

    void add(long id, UcpListener listener) {
        listeners.put(id, listener);
    }

    void remove(long id) {
        listeners.remove(id);
    }

    /** The program has closed a listener. */
    void retire(Retired listener) {
        listeners.remove(listener.id);
        retired.put(listener.address, listener);
        retiredById.put(listener.id, listener);
    }

    /** A closed listener with an address that the program wants again; null if there is none. */
    Retired revive(InetSocketAddress address) {
        Retired listener = retired.remove(address);
        if (listener != null) {
            retiredById.remove(listener.id);
        }
        return listener;
    }

    /** Destroys closed listeners in C, right before the worker and its connections are destroyed. */
    void destroyRetired() {
        runRejections();
        for (Retired listener : retiredById.values()) {
            UcpCall.run(Libucp.LISTENER_DESTROY, listener.handle);
        }
    }

    /** Whether {@link #deliver} has something to do. */
    boolean any() {
        return !undelivered.isEmpty() || !rejections.isEmpty() || thrown != null;
    }

    /** Passes each request to its handler once. If a handler throws, the remaining requests are delivered next time. */
    void deliver() {
        runRejections();
        Throwable t = thrown;
        thrown = null;
        if (t != null) {
            throw new IllegalStateException("the connection callback failed", t);
        }
        UcpConnectionRequest request;
        while ((request = undelivered.poll()) != null) {
            request.listener().deliver(request);
        }
    }

    /** Rejects a request of a listener: {@code ucp_listener_reject}. */
    void reject(long listener, long request, Object what) {
        try (var call = new UcpCall()) {
            call.check(Libucp.LISTENER_REJECT, what, listener, request);
        }
        progress.drainSocketEvents();
    }

    private void runRejections() {
        Runnable reject;
        while ((reject = rejections.poll()) != null) {
            reject.run();
        }
    }

    // Called by C. An exception that left it would end the JVM.
    private void onConnection(MemorySegment request, MemorySegment id) {
        try {
            UcpListener listener = listeners.get(id.address());
            if (listener != null) {
                undelivered.add(listener.requested(request.address()));
            } else {
                long handle = retiredById.get(id.address()).handle;
                long unwantedRequest = request.address();
                rejections.add(() -> reject(handle, unwantedRequest, "a listener that was closed"));
            }
        } catch (Throwable t) {
            thrown = t;
        }
        worker.requestDelivery();
    }
}
