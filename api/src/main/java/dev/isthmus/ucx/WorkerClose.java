// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_request_param_t;
import dev.isthmus.internal.ucx.Libucp;
import dev.isthmus.internal.ucx.Ucp;
import dev.isthmus.internal.ucx.UcxLibrary;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * The close of one worker. {@link #advance} takes it as far as possible without waiting. It has a deadline, so it
 * always ends. Until the worker is closed, the close can be refused, as if it had not begun. For the worker's thread.
 */
final class WorkerClose {

    /** What is waited for. */
    private enum Stage {
        NOT_BEGUN,
        ENDPOINTS,
        OPERATIONS,
        FLUSH,
        NOTHING
    }

    private static final int IN_PROGRESS = 1;

    // From this version on, ucp_worker_destroy accepts connections that are still being established, if no operation
    // waits for them. Before, an assertion in ucp_request_send_state_ff ends the process, in builds with assertions
    // such as Debian's.
    private static final int FIXED_MINOR = 14;

    private final WorkerCore worker;
    private final WorkerCallbacks callbacks;
    private final WorkerProgress progress;
    private final PendingOperations pending;
    private final AsyncRequests async;
    private final EndpointCloses closes;
    private final WorkerDestruction destruction;
    private Stage stage = Stage.NOT_BEGUN;
    private CompletableFuture<Void> future; // null if only close() waits for it
    private long deadline;
    private boolean limited; // the program has set a deadline, also for the endpoints
    private long flush; // in memory of UCX's own
    private boolean flushed;

    WorkerClose(
            WorkerCore worker,
            WorkerCallbacks callbacks,
            WorkerProgress progress,
            PendingOperations pending,
            AsyncRequests async,
            EndpointCloses closes,
            WorkerDestruction destruction) {
        this.worker = worker;
        this.callbacks = callbacks;
        this.progress = progress;
        this.pending = pending;
        this.async = async;
        this.closes = closes;
        this.destruction = destruction;
    }

    /**
     * Begins the close, unless it has begun; progress does the rest.
     *
     * @throws IllegalStateException if endpoints or listeners are open
     */
    CompletableFuture<Void> begin() {
        if (worker.owner().isClosed()) {
            return CompletableFuture.completedFuture(null);
        }
        start();
        if (future == null) {
            future = new CompletableFuture<>();
        }
        worker.requestDelivery();
        return future.copy();
    }

    /** Begins the close with a deadline, whatever the worker's limit is. */
    CompletableFuture<Void> beginWithin(long nanoTime) {
        CompletableFuture<Void> result = begin();
        deadline = nanoTime;
        limited = true;
        closes.endBy(nanoTime);
        return result;
    }

    /** Does all of it. The worker progresses meanwhile, without delivering events. */
    void await() {
        if (worker.owner().isClosed()) {
            return;
        }
        start();
        closes.await();
        try {
            while (!advanceStage()) {
                progress.progressUntil(deadline);
            }
        } catch (IllegalStateException e) {
            refused(e);
            throw e;
        }
        end();
    }

    private void start() {
        worker.owner().check();
        callbacks.refuseInside("close");
        callbacks.runDeferred();
        if (stage == Stage.NOT_BEGUN) {
            if (!closes.any()) {
                worker.lifetime().checkClosable();
            }
            stage = Stage.ENDPOINTS;
            worker.closing(true);
            limited = false;
        }
    }

    /** Goes on without waiting, if it has begun; returns whether the worker is closed. */
    boolean advance() {
        if (stage == Stage.NOT_BEGUN) {
            return false;
        }
        try {
            if (!worker.owner().isClosed() && !advanceStage()) {
                return false;
            }
        } catch (IllegalStateException e) { // for instance, a listener is open
            refused(e);
            return false;
        }
        end();
        return true;
    }

    private void refused(IllegalStateException reason) {
        CompletableFuture<Void> waiting = future;
        stage = Stage.NOT_BEGUN;
        worker.closing(false);
        future = null;
        if (waiting != null) {
            waiting.completeExceptionally(reason);
        }
    }

    private void end() {
        worker.owner().close(() -> destruction.destroy(mayDestroy()));
        async.abandon(); // now and not before, so that what the futures' actions do to the worker does not reach C
        if (future != null) {
            future.complete(null);
        }
    }

    /** Whether {@link #advance} has something to do. */
    boolean canAdvance() {
        return stage != Stage.NOT_BEGUN && !isWaiting();
    }

    /** How long nothing needs to be done, at most the given time, if nothing else happens. */
    Duration atMost(Duration timeout) {
        Duration most = closes.atMost(timeout);
        if (!hasDeadline()) {
            return most;
        }
        Duration left = Duration.ofNanos(nanosLeft());
        return left.compareTo(most) < 0 ? left : most;
    }

    /** Whether the stage has a deadline. Not if endpoints are closing: they have deadlines of their own. */
    private boolean hasDeadline() {
        return stage == Stage.OPERATIONS || stage == Stage.FLUSH;
    }

    private long nanosLeft() {
        return Math.max(0, deadline - System.nanoTime());
    }

    private boolean isWaiting() {
        return (!hasDeadline() || nanosLeft() > 0)
                && switch (stage) {
                    case ENDPOINTS -> closes.any();
                    case OPERATIONS -> pending.count(null) > 0;
                    case FLUSH -> isFlushing();
                    case NOT_BEGUN, NOTHING -> true;
                };
    }

    private boolean advanceStage() {
        if (stage == Stage.OPERATIONS) {
            pending.cancelReceives(); // those that began meanwhile
        }
        while (stage != Stage.NOTHING && !isWaiting()) {
            next();
        }
        return stage == Stage.NOTHING;
    }

    private void next() {
        switch (stage) {
            case ENDPOINTS -> {
                worker.lifetime().checkClosable(); // before anything is cancelled
                destruction.endLocalOperations();
                stage = Stage.OPERATIONS;
                if (!limited) {
                    deadline = worker.closeDeadline();
                }
            }
            case OPERATIONS -> {
                stage = Stage.FLUSH;
                try (Arena arena = Arena.ofConfined()) {
                    flush = Ucp.workerFlush(
                            worker.handle(), ucp_request_param_t.allocate(arena).address());
                }
            }
            case FLUSH -> {
                flushed = !isFlushing();
                long left = flush;
                flush = 0;
                stage = Stage.NOTHING;
                if (left != 0 && !UcxFailure.isError(left)) {
                    UcpCall.run(Libucp.REQUEST_FREE, left);
                }
            }
            case NOT_BEGUN, NOTHING -> {}
        }
    }

    private boolean isFlushing() {
        return flush != 0 && !UcxFailure.isError(flush) && Ucp.requestStatus(flush) == IN_PROGRESS;
    }

    /** Whether C can safely destroy the worker. */
    private boolean mayDestroy() {
        if (pending.count(null) == 0) {
            return flushed || UcxLibrary.load()[1] >= FIXED_MINOR;
        }
        // UCX 1.18 cannot abort everything that waits for a connection, and neither would a flush end: "'abort' is not
        // implemented for protocol amo/fetch/sw". And operations that wait for the peer's answer may be in a list that
        // an assertion requires to be empty.
        return flushed && !pending.anyTracked();
    }
}
