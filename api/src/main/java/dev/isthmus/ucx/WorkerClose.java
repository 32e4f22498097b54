package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_request_param_t;
import dev.isthmus.internal.ucx.Libucp;
import dev.isthmus.internal.ucx.Ucp;
import dev.isthmus.internal.ucx.UcxLibrary;
import java.lang.foreign.Arena;

/**
 * What comes before {@code ucp_worker_destroy}, and whether it may come: {@link #advance} takes it as far as it goes without
 * waiting. It has a deadline, so that it ends.
 */
final class WorkerClose {

    /** What is waited for. */
    private enum Stage {
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
    private Stage stage = Stage.ENDPOINTS;
    private long deadline;
    private boolean limited; // as the program said; the endpoints, too
    private long flush; // a request of UCX's own
    private boolean flushed;

    WorkerClose(UcpWorker worker) {
        this.worker = worker;
    }

    /** All of it is to end by then, whatever the worker's limit is. */
    void endBy(long nanoTime) {
        deadline = nanoTime;
        limited = true;
        worker.closes().endBy(nanoTime);
    }

    /**
     * Goes on without waiting; returns whether it has ended.
     *
     * @throws IllegalStateException if endpoints or listeners are open, before anything is cancelled
     */
    boolean advance() {
        if (stage == Stage.OPERATIONS) {
            worker.requests().cancelReceives(); // that began meanwhile
        }
        while (stage != Stage.NOTHING && !isWaiting()) {
            goOn();
        }
        return stage == Stage.NOTHING;
    }

    /** Goes on until it has ended. The worker progresses meanwhile, and tells nobody. */
    void await() {
        worker.closes().await();
        while (!advance()) {
            worker.progressUntil(deadline);
        }
    }

    /** For how long it waits at most, in nanoseconds. The closes of endpoints have limits of their own. */
    long nanosLeft() {
        return stage == Stage.ENDPOINTS ? Long.MAX_VALUE : Math.max(0, deadline - System.nanoTime());
    }

    /** Whether {@link #advance} would do nothing now. */
    boolean isWaiting() {
        return nanosLeft() > 0
                && switch (stage) {
                    case ENDPOINTS -> worker.closes().any();
                    case OPERATIONS -> worker.requests().pending(null) > 0;
                    case FLUSH -> isFlushing();
                    case NOTHING -> true;
                };
    }

    private void goOn() {
        switch (stage) {
            case ENDPOINTS -> {
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
            case NOTHING -> {}
        }
    }

    private boolean isFlushing() {
        return flush != 0 && !UcxFailure.isError(flush) && Ucp.requestStatus(flush) == IN_PROGRESS;
    }

    /** Whether C may destroy the worker, once this has ended. */
    boolean mayDestroy() {
        UcpRequests requests = worker.requests();
        if (requests.pending(null) == 0) {
            return flushed || UcxLibrary.load()[1] >= FIXED_MINOR;
        }
        // UCX 1.18 cannot abort all that waits for a connection, which a flush would wait for, too: "'abort' is not
        // implemented for protocol amo/fetch/sw". And what waits for the peer's answer may be in a list that must be
        // empty, by an assertion.
        return flushed && !requests.anyPendingTracked();
    }
}
