// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.bindings.ucx.ucp_request_param_t;
import dev.isthmus.internal.ucx.Libucp;
import dev.isthmus.internal.ucx.Ucp;
import dev.isthmus.internal.ucx.UcxLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The close of one endpoint. {@link #advance} takes it as far as possible without waiting. Each stage has a deadline,
 * so it always ends; at worst, the worker's close does the rest.
 *
 * <p>When UCX closes an endpoint, it ignores unfinished rendezvous sends, which would then use a freed endpoint. So
 * sends end first. If they do not, the endpoint is closed by force where UCX can do that, or left to
 * {@code ucp_worker_destroy}.
 */
final class EndpointClose {

    /** What is waited for. */
    private enum Stage {
        LOANS,
        SENDS,
        FLUSH,
        WORKER_FLUSH,
        CLOSE,
        NOTHING
    }

    private static final int IN_PROGRESS = 1;
    private static final int LAST_TO_END_FLUSHES = 13;
    private static final int MAX_LANES = 64; // UCP_MAX_LANES

    private final WorkerCore worker;
    private final PendingOperations pending;
    private final StreamOperations streams;
    private final WorkerProgress progress;
    private final UcpEndpoint endpoint;
    private Stage stage = Stage.LOANS;
    private long deadline;
    private boolean limited; // the program's deadline covers all stages
    private long request; // in memory of UCX's own
    private int sending; // the slot of a send that has not ended
    private boolean flushLeft; // its own flush has not ended

    EndpointClose(
            WorkerCore worker,
            PendingOperations pending,
            StreamOperations streams,
            WorkerProgress progress,
            UcpEndpoint endpoint) {
        this.worker = worker;
        this.pending = pending;
        this.streams = streams;
        this.progress = progress;
        this.endpoint = endpoint;
        this.deadline = worker.closeDeadline();
    }

    /** Sets one deadline for all stages, whatever the worker's limit for a stage is. */
    void endBy(long nanoTime) {
        deadline = nanoTime;
        limited = true;
    }

    /** Stops waiting for sends. */
    void force() {
        if (stage == Stage.FLUSH) {
            flushLeft = !free();
        }
        if (stage == Stage.LOANS || stage == Stage.SENDS || stage == Stage.FLUSH) {
            begin(Stage.WORKER_FLUSH);
        }
    }

    /** Goes on without waiting; returns whether it has ended. */
    boolean advance() {
        while (stage != Stage.NOTHING && !isWaiting()) {
            advanceStage();
        }
        return stage == Stage.NOTHING;
    }

    /** Goes on until it has ended. The worker progresses meanwhile, without delivering events. */
    void await() {
        while (!advance()) {
            progress.progressUntil(deadline);
        }
    }

    boolean hasEnded() {
        return stage == Stage.NOTHING;
    }

    /** How long it still waits at most, in nanoseconds. */
    long nanosLeft() {
        return Math.max(0, deadline - System.nanoTime());
    }

    /** Whether {@link #advance} would do nothing now. */
    boolean isWaiting() {
        return nanosLeft() > 0
                && switch (stage) {
                    case LOANS -> !streams.releaseUnused(endpoint);
                    case SENDS -> !endpoint.isFailed() && isSending();
                    case FLUSH, CLOSE -> isInProgress();
                    case WORKER_FLUSH -> isWorkerFlushing();
                    case NOTHING -> true;
                };
    }

    private void advanceStage() {
        switch (stage) {
            case LOANS -> begin(Stage.SENDS); // if they are still used, the data stays lent
            case SENDS -> {
                if (endpoint.isFailed() || isSending()) {
                    force();
                } else {
                    flush();
                }
            }
            case FLUSH -> {
                flushLeft = !free();
                if (!flushLeft && !endpoint.isFailed()) {
                    close(0);
                } else {
                    begin(Stage.WORKER_FLUSH);
                }
            }
            case WORKER_FLUSH -> {
                if (endpoint.errorHandling() == UcpErrorHandling.PEER && !isWorkerFlushing()) {
                    close(ucp_h.UCP_EP_CLOSE_FLAG_FORCE());
                } else {
                    end();
                }
            }
            case CLOSE -> {
                free(); // not in time: it ends with later progress, or with the worker
                end();
            }
            case NOTHING -> {}
        }
    }

    private void begin(Stage next) {
        stage = next;
        if (!limited) {
            deadline = worker.closeDeadline();
        }
    }

    private boolean isSending() {
        sending = pending.next(endpoint, sending);
        if (sending < 0) {
            sending = 0;
            return false;
        }
        return true;
    }

    // Newer versions do not take the worker's flush from an endpoint that is closed by force, and the flush would use a
    // freed endpoint. Seen in 1.22, not in 1.13.
    private boolean isWorkerFlushing() {
        return endpoint.errorHandling() == UcpErrorHandling.PEER
                && UcxLibrary.load()[1] > LAST_TO_END_FLUSHES
                && pending.isWorkerFlushing();
    }

    private void flush() {
        stage = Stage.FLUSH; // in the time that the sends had
        try (Arena arena = Arena.ofConfined()) {
            request = Ucp.endpointFlush(
                    endpoint.handle(), ucp_request_param_t.allocate(arena).address());
        }
    }

    private void close(int flags) {
        if (flags != 0) {
            advanceFlushes();
        }
        begin(Stage.CLOSE);
        streams.detachLent(endpoint);
        try (var call = new UcpCall()) {
            MemorySegment param = ucp_request_param_t.allocate(call);
            ucp_request_param_t.op_attr_mask(param, ucp_h.UCP_OP_ATTR_FIELD_FLAGS());
            ucp_request_param_t.flags(param, flags);
            request = call.integer64(Libucp.EP_CLOSE, endpoint.handle(), param);
        }
        progress.drainSocketEvents();
    }

    /**
     * UCX may postpone a flush to the next progress, by a callback that it does not drop when the endpoint is closed by
     * force; the callback would then use a freed endpoint. Each progress takes the flush one lane further.
     */
    private void advanceFlushes() {
        for (int lane = 0; lane < MAX_LANES && (flushLeft || !endpoint.isEstablished() || isSending()); lane++) {
            progress.drainSocketEvents();
        }
    }

    private boolean isInProgress() {
        return request != 0 && !UcxFailure.isError(request) && Ucp.requestStatus(request) == IN_PROGRESS;
    }

    /** Leaves the request to UCX; returns whether it has ended. */
    private boolean free() {
        boolean ended = !isInProgress();
        long left = request;
        request = 0;
        if (left != 0 && !UcxFailure.isError(left)) {
            UcpCall.run(Libucp.REQUEST_FREE, left);
        }
        return ended;
    }

    private void end() {
        stage = Stage.NOTHING;
        streams.detachLent(endpoint);
        endpoint.ended();
    }
}
