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
 * Lets the thread of a worker sleep until there is something to progress. {@link UcpWorker#wakeup()} returns it, for
 * contexts with {@link UcpFeature#WAKEUP}.
 *
 * <p>A thread that polls gets a message sooner, but keeps a processor busy. A loop that sleeps progresses until nothing
 * is left, and then waits:
 *
 * {@snippet :
 * while (running) {
 *     if (worker.progress() == 0) {
 *         worker.wakeup().await(Duration.ofSeconds(1));
 *     }
 * }
 * }
 *
 * <p>Belongs to the worker's thread, except {@link #signal()}. While that thread waits, another thread cannot close the
 * worker: that is refused, like any use on another thread.
 */
public final class UcpWakeup {

    /** A timeout without limit. */
    public static final Duration FOREVER = EventSource.FOREVER;

    private static final int OK = 0;
    private static final int BUSY = -15; // UCS_ERR_BUSY

    private final UcpWorker worker;
    private final long handle;
    private final int fd;
    private final EventSource source;
    private boolean closed; // guarded by this, whose monitor is held during a signal

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
     * The descriptor to wait on by {@code poll} or {@code epoll}: {@code ucp_worker_get_efd}. It becomes readable when
     * there is something to progress, after {@link #arm()} has returned true. Do not read from it or close it.
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
     * @return whether the thread may sleep; false if there is something to progress first
     * @throws IllegalStateException if the worker is closed, or inside one of its callbacks
     * @throws WrongThreadException if it belongs to another thread
     * @throws UcxException if UCX refuses
     */
    public boolean arm() {
        worker.owner().check();
        worker.parts().callbacks().refuseInside("waiting");
        return armTransports() && isStillIdle();
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

    // An armed completion queue reports completions from then on. UCX does not look for those between its last progress
    // and the arming, and Soft-RoCE, for one, does not report them.
    private boolean isStillIdle() {
        int events = Ucp.workerProgress(handle);
        worker.requests().progressed(events);
        worker.parts().pendingEvents().progressed();
        return events == 0 && !worker.hasUndelivered();
    }

    /**
     * Waits until there is something to progress, or {@link #signal()} was called since the last progress. It does what
     * {@code ucp_worker_wait} does, but takes a timeout and can be interrupted. Blocks; a virtual thread does not hold
     * its carrier.
     *
     * @param timeout how long to wait: not at all if it is zero or less, without limit if it is longer than 292 years,
     *     such as {@link #FOREVER}
     * @return whether to progress; false if the time is over
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
        return source.awaitReadable(most) || most.compareTo(timeout) < 0; // the deadline of a close has come
    }

    /**
     * Ends the current wait of the worker's thread, or else its next wait: {@code ucp_worker_signal}. Thread-safe. Does
     * not block.
     *
     * @throws IllegalStateException if the worker is closed
     * @throws UcxException if UCX refuses
     */
    public void signal() {
        if (!signalIfOpen()) {
            throw new IllegalStateException(worker + " is closed");
        }
    }

    /** Like {@link #signal}, but does nothing if the worker is closed; returns whether it was open. */
    synchronized boolean signalIfOpen() {
        if (closed) {
            return false;
        }
        try (var call = new UcpCall()) {
            call.check(Libucp.WORKER_SIGNAL, worker, handle);
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
