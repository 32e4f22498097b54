// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.UcxException;
import dev.isthmus.internal.EventSource;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.ucx.Libucp;
import dev.isthmus.internal.ucx.Ucp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;

/**
 * Lets the thread of a worker sleep until there is something to progress. Of {@link UcpWorker#wakeup()}, for contexts with
 * {@link UcpFeature#WAKEUP}.
 *
 * <p>A thread that polls is told of a message sooner by some microseconds, and keeps a processor busy. A loop that sleeps
 * progresses until there is nothing left, and then waits:
 *
 * {@snippet :
 * while (running) {
 *     if (worker.progress() == 0) {
 *         worker.wakeup().await(Duration.ofSeconds(1));
 *     }
 * }
 * }
 *
 * <p>Belongs to the worker's thread, but for {@link #signal()}. While that thread waits, a close of the worker on another
 * thread is refused like any use on another thread.
 */
public final class UcpWakeup {

    /** As long a wait as it takes. */
    public static final Duration FOREVER = EventSource.FOREVER;

    private static final int OK = 0;
    private static final int BUSY = -15; // UCS_ERR_BUSY

    private final UcpWorker worker;
    private final long handle;
    private final int fd;
    private final EventSource source;
    private boolean closed; // guarded by this, which is held during a signal

    UcpWakeup(UcpWorker worker, Lifetime lifetime, long handle) {
        this.worker = worker;
        this.handle = handle;
        this.fd = eventFd(worker, handle);
        this.source = new EventSource(lifetime, fd);
    }

    private static int eventFd(UcpWorker worker, long handle) {
        try (var call = new UcpCall()) {
            MemorySegment out = call.allocate(ValueLayout.JAVA_INT);
            call.check(Libucp.WORKER_GET_EFD, worker, handle, out);
            return out.get(ValueLayout.JAVA_INT, 0);
        }
    }

    /**
     * The descriptor, for who waits by {@code poll} or {@code epoll}: {@code ucp_worker_get_efd}. It is readable when
     * there is something to progress, after {@link #arm()} returned true. Nobody is to read from it or close it.
     *
     * @return the descriptor; valid until the worker is closed
     * @throws IllegalStateException if the worker is closed
     * @throws WrongThreadException if it belongs to another thread
     */
    public int fileDescriptor() {
        worker.owner().check();
        return fd;
    }

    /**
     * Prepares one wait: {@code ucp_worker_arm}, and one {@code ucp_worker_progress} after it. Does not block.
     *
     * @return whether the thread may sleep; false when there is something to progress first
     * @throws IllegalStateException if the worker is closed, or inside one of its callbacks
     * @throws WrongThreadException if it belongs to another thread
     * @throws UcxException if UCX refuses
     */
    public boolean arm() {
        worker.owner().check();
        worker.parts().callbacks().refuseInside("waiting");
        return armTransports() && nothingCameMeanwhile();
    }

    private boolean armTransports() {
        try (var call = new UcpCall()) {
            int status = call.integer8(Libucp.WORKER_ARM, handle);
            if (status != BUSY && status != OK) {
                throw UcxFailure.of(status, Libucp.WORKER_ARM.name(), worker.toString());
            }
            return status == OK;
        }
    }

    // A completion queue that is armed tells of what comes from then on. UCX does not look for what came between the
    // last
    // progress and the arming: of that Soft-RoCE, for one, does not tell.
    private boolean nothingCameMeanwhile() {
        int events = Ucp.workerProgress(handle);
        worker.requests().happened(events);
        worker.parts().news().progressed();
        return events == 0 && !worker.hasUntold();
    }

    /**
     * Waits until there is something to progress, or {@link #signal()} was called since the last progress: {@code
     * ucp_worker_wait}, but with a timeout and interruptibly. Blocks; a virtual thread does not hold its carrier.
     *
     * @param timeout how long to wait: not at all when it is zero or less, endlessly when it is longer than 292 years,
     *     such as {@link #FOREVER}
     * @return whether to progress; false when the time is over
     * @throws InterruptedException if the thread is interrupted before or while it waits
     * @throws IllegalStateException if the worker is closed, or inside one of its callbacks
     * @throws WrongThreadException if it belongs to another thread
     * @throws UcxException if UCX refuses
     */
    public boolean await(Duration timeout) throws InterruptedException {
        if (!arm()) {
            return true;
        }
        Duration most = worker.parts().close().atMost(timeout);
        return source.awaitReadable(most) || most.compareTo(timeout) < 0; // a close has met its deadline
    }

    /**
     * Ends the wait of the worker's thread, or its next one if it does not wait: {@code ucp_worker_signal}. Thread-safe.
     * Does not block.
     *
     * @throws IllegalStateException if the worker is closed
     * @throws UcxException if UCX refuses
     */
    public void signal() {
        if (!signalIfOpen()) {
            throw new IllegalStateException(worker + " is closed");
        }
    }

    /** The same; does nothing when the worker is closed, and returns whether it was not. */
    synchronized boolean signalIfOpen() {
        if (closed) {
            return false;
        }
        try (var call = new UcpCall()) {
            call.check(Libucp.WORKER_SIGNAL, worker, handle);
        }
        return true;
    }

    /** Before C destroys the worker: from here on nobody uses the descriptor. */
    void shut() {
        synchronized (this) {
            closed = true;
        }
        source.shut();
    }
}
