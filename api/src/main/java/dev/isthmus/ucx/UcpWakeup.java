// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.UcxException;
import dev.isthmus.internal.EventSource;
import dev.isthmus.internal.ucx.Libucp;
import dev.isthmus.internal.ucx.Ucp;
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

    private final WorkerCore worker;
    private final WakeupDescriptor descriptor;
    private final Operations operations;
    private final WorkerCallbacks callbacks;
    private final WorkerProgress progress;
    private final PendingEvents events;
    private final WorkerClose close;

    UcpWakeup(
            WorkerCore worker,
            WakeupDescriptor descriptor,
            Operations operations,
            WorkerCallbacks callbacks,
            WorkerProgress progress,
            PendingEvents events,
            WorkerClose close) {
        this.worker = worker;
        this.descriptor = descriptor;
        this.operations = operations;
        this.callbacks = callbacks;
        this.progress = progress;
        this.events = events;
        this.close = close;
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
        return descriptor.fd();
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
        callbacks.refuseInside("waiting");
        return armTransports() && isStillIdle();
    }

    private boolean armTransports() {
        try (var call = new UcpCall()) {
            int status = call.integer8(Libucp.WORKER_ARM, worker.handle());
            if (status != BUSY && status != OK) {
                throw UcxFailure.of(status, Libucp.WORKER_ARM.name(), worker.toString());
            }
            return status == OK;
        }
    }

    // An armed completion queue reports completions from then on. UCX does not look for those between its last progress
    // and the arming, and Soft-RoCE, for one, does not report them.
    private boolean isStillIdle() {
        int found = Ucp.workerProgress(worker.handle());
        operations.progressed(found);
        progress.progressed();
        return found == 0 && !events.anyUndelivered();
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
        Duration most = atMost(timeout);
        return descriptor.awaitReadable(most) || most.compareTo(timeout) < 0; // the deadline of a close has come
    }

    /**
     * Ends the current wait of the worker's thread, or else its next wait: {@code ucp_worker_signal}. Thread-safe. Does
     * not block.
     *
     * @throws IllegalStateException if the worker is closed
     * @throws UcxException if UCX refuses
     */
    public void signal() {
        if (!descriptor.signalIfOpen()) {
            throw new IllegalStateException(worker + " is closed");
        }
    }

    /** How long the worker can be left alone if nothing happens, at most the given time. */
    Duration atMost(Duration timeout) {
        return close.atMost(timeout);
    }
}
