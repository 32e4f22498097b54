// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.EventSource;
import dev.isthmus.internal.ucx.Libucp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;

/** The event file descriptor of one worker: {@code ucp_worker_get_efd} and {@code ucp_worker_signal}. */
final class WakeupDescriptor {

    private final WorkerCore worker;
    private final int fd;
    private final EventSource source;
    private boolean closed; // guarded by this, whose monitor is held during a signal

    WakeupDescriptor(WorkerCore worker) {
        this.worker = worker;
        this.fd = query(worker);
        this.source = new EventSource(worker.lifetime(), fd);
    }

    private static int query(WorkerCore worker) {
        try (var call = new UcpCall()) {
            MemorySegment out = call.allocate(ValueLayout.JAVA_INT);
            call.check(Libucp.WORKER_GET_EFD, worker, worker.handle(), out);
            return out.get(ValueLayout.JAVA_INT, 0);
        }
    }

    int fd() {
        return fd;
    }

    boolean awaitReadable(Duration timeout) throws InterruptedException {
        return source.awaitReadable(timeout);
    }

    /** Ends the sleep of the worker's thread. Thread-safe. Returns whether the worker was open; if not, does nothing. */
    synchronized boolean signalIfOpen() {
        if (closed) {
            return false;
        }
        try (var call = new UcpCall()) {
            call.check(Libucp.WORKER_SIGNAL, worker, worker.handle());
        }
        return true;
    }

    /** Called before C destroys the worker: from now on, nobody uses the descriptor. */
    void shut() {
        synchronized (this) {
            closed = true;
        }
        source.shut();
    }
}
