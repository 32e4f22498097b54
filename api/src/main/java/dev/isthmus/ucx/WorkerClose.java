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
 * The close of one worker: {@link #advance} takes it as far as it goes without waiting. It has a deadline, so that it ends.
 * Until the worker is closed it can be refused, and is as if it had not begun. On the worker's thread.
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

    // From here on ucp_worker_destroy takes connections that are still being made, if no operation waits for them.
    // Before, an assertion in ucp_request_send_state_ff ends the process, in builds with assertions such as Debian's.
    private static final int FIXED_MINOR = 14;

    private final UcpWorker worker;
    private Stage stage = Stage.NOT_BEGUN;
    private CompletableFuture<Void> asked; // null if nobody waits for it but close()
    private long deadline;
    private boolean limited; // as the program said; the endpoints, too
    private long flush; // a request of UCX's own
    private boolean flushed;

    WorkerClose(UcpWorker worker) {
        this.worker = worker;
    }

    /**
     * Begins it, unless it has begun; progress does the rest.
     *
     * @throws IllegalStateException if endpoints or listeners are open
     */
    CompletableFuture<Void> begin() {
        if (worker.owner().isClosed()) {
            return CompletableFuture.completedFuture(null);
        }
        start();
        if (asked == null) {
            asked = new CompletableFuture<>();
        }
        worker.needAttention();
        return asked.copy();
    }

    /** The same, to end by then, whatever the worker's limit is. */
    CompletableFuture<Void> beginWithin(long nanoTime) {
        CompletableFuture<Void> result = begin();
        deadline = nanoTime;
        limited = true;
        worker.parts().closes().endBy(nanoTime);
        return result;
    }

    /** Does all of it. The worker progresses meanwhile, and tells nobody. */
    void await() {
        if (worker.owner().isClosed()) {
            return;
        }
        start();
        worker.parts().closes().await();
        try {
            while (!goOn()) {
                worker.parts().news().progressUntil(deadline);
            }
        } catch (IllegalStateException e) {
            refused(e);
            throw e;
        }
        end();
    }

    private void start() {
        worker.owner().check();
        worker.parts().callbacks().refuseInside("close");
        worker.parts().callbacks().runDeferred();
        if (stage == Stage.NOT_BEGUN) {
            if (!worker.parts().closes().any()) {
                worker.lifetime().checkClosable();
            }
            stage = Stage.ENDPOINTS;
            limited = false;
        }
    }

    /** Goes on without waiting, if it has begun; returns whether the worker is closed. */
    boolean advance() {
        if (stage == Stage.NOT_BEGUN) {
            return false;
        }
        try {
            if (!worker.owner().isClosed() && !goOn()) {
                return false;
            }
        } catch (IllegalStateException e) { // a listener is open for instance
            refused(e);
            return false;
        }
        end();
        return true;
    }

    private void refused(IllegalStateException reason) {
        CompletableFuture<Void> waiting = asked;
        stage = Stage.NOT_BEGUN;
        asked = null;
        if (waiting != null) {
            waiting.completeExceptionally(reason);
        }
    }

    private void end() {
        worker.owner().close(() -> worker.destroy(mayDestroy()));
        worker.parts()
                .async()
                .abandon(); // now, and not before: what the futures' actions do to the worker must not reach C
        if (asked != null) {
            asked.complete(null);
        }
    }

    /** Whether it has begun. */
    boolean isUnderWay() {
        return stage != Stage.NOT_BEGUN;
    }

    /** Whether {@link #advance} has something to do. */
    boolean isToAdvance() {
        return stage != Stage.NOT_BEGUN && !isWaiting();
    }

    /** Refuses what would be in its way. */
    void refuseMeanwhile() {
        if (stage != Stage.NOT_BEGUN) {
            throw new IllegalStateException(worker + " is being closed");
        }
    }

    /** For how long nothing needs to be done at most, if no more happens than was asked for. */
    Duration atMost(Duration timeout) {
        Duration most = worker.parts().closes().atMost(timeout);
        if (!hasDeadline()) {
            return most;
        }
        Duration left = Duration.ofNanos(nanosLeft());
        return left.compareTo(most) < 0 ? left : most;
    }

    /** The closes of endpoints have deadlines of their own. */
    private boolean hasDeadline() {
        return stage == Stage.OPERATIONS || stage == Stage.FLUSH;
    }

    private long nanosLeft() {
        return Math.max(0, deadline - System.nanoTime());
    }

    private boolean isWaiting() {
        return (!hasDeadline() || nanosLeft() > 0)
                && switch (stage) {
                    case ENDPOINTS -> worker.parts().closes().any();
                    case OPERATIONS -> worker.parts().pending().count(null) > 0;
                    case FLUSH -> isFlushing();
                    case NOT_BEGUN, NOTHING -> true;
                };
    }

    private boolean goOn() {
        if (stage == Stage.OPERATIONS) {
            worker.parts().pending().cancelReceives(); // that began meanwhile
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
                worker.takeNoMore();
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
                if (flush != 0 && !UcxFailure.isError(flush)) {
                    UcpCall.run(Libucp.REQUEST_FREE, flush);
                }
                stage = Stage.NOTHING;
            }
            case NOT_BEGUN, NOTHING -> {}
        }
    }

    private boolean isFlushing() {
        return flush != 0 && !UcxFailure.isError(flush) && Ucp.requestStatus(flush) == IN_PROGRESS;
    }

    /** Whether C may destroy the worker. */
    private boolean mayDestroy() {
        if (worker.parts().pending().count(null) == 0) {
            return flushed || UcxLibrary.load()[1] >= FIXED_MINOR;
        }
        // UCX 1.18 cannot abort all that waits for a connection, which a flush would wait for, too: "'abort' is not
        // implemented for protocol amo/fetch/sw". And what waits for the peer's answer may be in a list that must be
        // empty, by an assertion.
        return flushed && !worker.parts().pending().anyTracked();
    }
}
