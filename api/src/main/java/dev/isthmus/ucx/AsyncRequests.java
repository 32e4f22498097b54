// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongSupplier;

/**
 * The operations that have a future. UCX reports the end of each by a callback, so nothing asks about pending ones: a
 * progress costs the same with ten thousand futures as with one. Operations that got a future only after they had begun
 * are the exception: of those, each progress asks about a few.
 */
final class AsyncRequests {

    private static final int MAX_QUERIES = 32; // a progress asks about at most this many
    private static final int QUERY_ANYWAY = 63; // UCX ends a few operations without counting that as progress

    private final UcpWorker worker;
    private final UcpRequests requests;
    private final Operations operations;
    private final Arena arena;
    private final ArrayList<OperationFuture<?>> withoutCallback = new ArrayList<>(); // begun without a future
    private final Queue<OperationFuture<?>> cancelRequests = new ConcurrentLinkedQueue<>(); // from any thread
    private CompletionCallbacks ended; // null until there is a future
    private int pending;
    private int endings; // how many futures have ended, in total
    private int next; // of untold to ask about
    private int toQuery;
    private int idle;
    private final List<OperationFuture<?>> abandoned = new ArrayList<>(); // pending when the worker closes

    AsyncRequests(UcpWorker worker, UcpRequests requests, Operations operations, Arena arena) {
        this.worker = worker;
        this.requests = requests;
        this.operations = operations;
        this.arena = arena;
    }

    /** Begins an operation that is not a receive and has no result. */
    CompletableFuture<Void> send(LongSupplier operation, Object on) {
        long request = begin(callbacks().sent(), operation);
        return request == 0
                ? CompletableFuture.completedFuture(null)
                : voidFuture(request, operations.find(request), on);
    }

    /** Begins an atomic operation that fetches a number. */
    CompletableFuture<Long> fetch(LongSupplier operation, Object on) {
        long request = begin(callbacks().sent(), operation);
        return pending(new OperationFuture<Long>(request, operations.find(request), on, this::requestCancel) {
            @Override
            Long result() {
                return requests.fetched(request);
            }
        });
    }

    /** Begins a receive of the data of an active message. */
    CompletableFuture<Void> receive(LongSupplier operation, Object on) {
        long request = begin(callbacks().received(), operation);
        return request == 0
                ? CompletableFuture.completedFuture(null)
                : voidFuture(request, operations.find(request), on);
    }

    /** Begins a receive of a stream. */
    CompletableFuture<Long> streamReceive(LongSupplier operation, Object on) {
        long request = begin(callbacks().received(), operation);
        return pending(new OperationFuture<Long>(request, operations.find(request), on, this::requestCancel) {
            @Override
            Long result() {
                return requests.length(request);
            }
        });
    }

    CompletableFuture<UcpTagReceived> tagReceive(LongSupplier operation) {
        long request = begin(callbacks().received(), operation);
        return pending(
                new OperationFuture<UcpTagReceived>(request, operations.find(request), worker, this::requestCancel) {
                    @Override
                    UcpTagReceived result() {
                        return new UcpTagReceived(requests.length(request), requests.senderTag(request));
                    }
                });
    }

    /**
     * Makes a future for an operation that was begun without one. The operation gets a new number, which the program
     * does not know.
     */
    CompletableFuture<Void> futureOf(RequestSlot slot) {
        callbacks();
        Object on = slot.owner();
        var future = voidFuture(operations.rename(slot), slot, on);
        withoutCallback.add(future);
        toQuery = withoutCallback.size();
        return future;
    }

    private OperationFuture<Void> voidFuture(long request, RequestSlot slot, Object on) {
        return pending(new OperationFuture<Void>(request, slot, on, this::requestCancel) {
            @Override
            Void result() {
                return null;
            }
        });
    }

    private CompletionCallbacks callbacks() {
        worker.owner().check();
        if (ended == null) {
            ended = new CompletionCallbacks(operations, arena, worker::requestDelivery);
        }
        return ended;
    }

    // The operation takes the current next slot, or none.
    private long begin(long callback, LongSupplier operation) {
        RequestSlot slot = operations.nextSlot();
        slot.setCallback(callback);
        try {
            return operation.getAsLong();
        } finally {
            slot.clearCallback();
        }
    }

    private <T> OperationFuture<T> pending(OperationFuture<T> future) {
        RequestSlot slot = future.slot();
        slot.future = future;
        pending++;
        if (operations.hasEnded(slot)) {
            ended.add(slot); // C has done it at once, and does not call back
        }
        worker.requestDelivery();
        return future;
    }

    /** The program has requested a future's end, on any thread; the worker's thread cancels the operation. */
    private void requestCancel(OperationFuture<?> future) {
        cancelRequests.add(future);
        worker.wakeUp();
    }

    /** How many futures have not ended. */
    int pending() {
        return pending;
    }

    /** A number that changes whenever a future ends. */
    int endings() {
        return endings;
    }

    /** Whether {@link #sweep} has something to do, now or later. */
    boolean any() {
        return pending > 0;
    }

    /** Whether {@link #sweep} has something to do at once. */
    boolean anyDone() {
        if (pending == 0) {
            return false;
        }
        toQuery = withoutCallback.size();
        boolean any = ended.any() || !cancelRequests.isEmpty();
        for (int i = 0; i < withoutCallback.size() && !any; i++) {
            any = operations.hasEnded(withoutCallback.get(i).slot());
        }
        return any;
    }

    /**
     * Ends the futures of operations that have ended. Their actions may call this again: they may progress the worker,
     * or close it.
     */
    void sweep(boolean somethingHappened) {
        OperationFuture<?> requested;
        while ((requested = cancelRequests.poll()) != null) {
            if (isPending(requested)) {
                requests.cancel(requested.request);
            }
        }
        if (!withoutCallback.isEmpty()) {
            queryPending(somethingHappened);
        }
        if (ended.takeLost()) {
            queryAll();
        }
        RequestSlot slot;
        while ((slot = ended.poll()) != null) {
            OperationFuture<?> future = slot.future;
            if (future != null && operations.hasEnded(slot)) {
                end(future);
                if (worker.parts().close().isUnderWay()) {
                    future.abandon(worker); // its receive was cancelled for the close, not by the program
                } else {
                    future.endLikeOperation();
                }
            }
        }
    }

    private boolean isPending(OperationFuture<?> future) {
        return future.equals(future.slot().future);
    }

    private void queryPending(boolean somethingHappened) {
        if (somethingHappened || (++idle & QUERY_ANYWAY) == 0) {
            toQuery = withoutCallback.size();
        }
        for (int i = Math.min(toQuery, MAX_QUERIES); i > 0 && !withoutCallback.isEmpty(); i--, toQuery--) {
            next = next < withoutCallback.size() ? next : 0;
            RequestSlot slot = withoutCallback.get(next).slot();
            if (operations.hasEnded(slot)) {
                ended.add(slot);
                OperationFuture<?> other = withoutCallback.removeLast();
                if (next < withoutCallback.size()) {
                    withoutCallback.set(next, other);
                }
            } else {
                next++;
            }
        }
    }

    private void queryAll() {
        for (RequestSlot slot : operations.all()) {
            if (slot.future != null && operations.hasEnded(slot)) {
                ended.add(slot);
            }
        }
    }

    private void end(OperationFuture<?> future) {
        RequestSlot slot = future.slot();
        future.recordStatus(slot.status);
        slot.future = null;
        pending--;
        endings++;
        operations.free(slot);
    }

    /** The worker closes: records how operations have ended, while C's memory exists. */
    void recordEnded() {
        for (RequestSlot slot : operations.all()) {
            OperationFuture<?> future = slot.future;
            if (future != null && operations.hasEnded(slot)) {
                end(future);
                abandoned.add(future);
            }
        }
    }

    /** The worker is closed: ends all remaining futures. Their actions find it closed. */
    void abandon() {
        for (RequestSlot slot : operations.all()) {
            if (slot.future != null) {
                abandoned.add(slot.future);
                slot.future = null;
            }
        }
        pending = 0;
        List<OperationFuture<?>> all = List.copyOf(abandoned);
        abandoned.clear();
        for (OperationFuture<?> future : all) {
            future.abandon(worker);
        }
    }
}
