package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_listener_conn_callback_t;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * The connection handler of one worker ({@code ucp_listener_conn_callback_t}), the same for all of its listeners. UCX
 * calls it inside a progress, on the worker's thread. It keeps what it is told; {@link UcpWorker#progress()} tells the
 * program once UCX has returned.
 */
final class ConnectionRequests {

    private final UcpWorker worker;
    private final MemorySegment callback;
    private final Map<Long, UcpListener> listeners = new HashMap<>();
    private final ArrayDeque<UcpConnectionRequest> untold = new ArrayDeque<>();
    private long lastId;
    private Throwable thrown;

    /**
     * Makes the callback.
     *
     * @param worker told when there is something to tell
     * @param arena of the worker, which closes it when C can no longer call
     */
    ConnectionRequests(UcpWorker worker, Arena arena) {
        this.worker = worker;
        callback = ucp_listener_conn_callback_t.allocate(this::onConnection, arena);
    }

    MemorySegment callback() {
        return callback;
    }

    /** Registers a listener; the number is to be the callback's argument. */
    long add(UcpListener listener) {
        listeners.put(++lastId, listener);
        return lastId;
    }

    void remove(long id) {
        listeners.remove(id);
    }

    /** Whether {@link #tell} has something to do. */
    boolean any() {
        return !untold.isEmpty() || thrown != null;
    }

    /** Tells the program of each request once. An exception of its handler leaves the rest for the next time. */
    void tell() {
        Throwable t = thrown;
        thrown = null;
        if (t != null) {
            throw new IllegalStateException("the connection callback failed", t);
        }
        UcpConnectionRequest request;
        while ((request = untold.poll()) != null) {
            request.listener().tell(request);
        }
    }

    // Called by C. An exception that left it would end the JVM.
    private void onConnection(MemorySegment request, MemorySegment id) {
        try {
            UcpListener listener = listeners.get(id.address()); // C has no listener that is not there
            if (listener != null) {
                untold.add(listener.requested(request.address()));
            }
        } catch (Throwable t) {
            thrown = t;
        }
        worker.needAttention();
    }
}
