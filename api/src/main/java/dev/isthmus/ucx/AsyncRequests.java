// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * The operations that have a future. UCX reports the end of each by a callback, so nothing asks about pending ones: a
 * progress costs the same with ten thousand futures as with one. Operations that got a future only after they had begun
 * are the exception: of those, each progress asks about a few.
 */
final class AsyncRequests {

    private static final int MAX_QUERIES = 32; // a progress asks about at most this many
    private static final int QUERY_ANYWAY = 63; // UCX ends a few operations without counting that as progress

    private final WorkerCore worker;
    private final Operations operations;
    private final WakeupDescriptor wakeup; // null without the feature
    private final ArrayList<OperationFuture<?>> withoutCallback = new ArrayList<>(); // begun without a future
    private final Queue<OperationFuture<?>> cancelRequests = new ConcurrentLinkedQueue<>(); // from any thread
    private CompletionCallbacks ended; // null until there is a future
    private int pending;
    private int endings; // how many futures have ended, in total
    private int next; // of those to query
    private int toQuery;
    private int idle;
    private final List<OperationFuture<?>> abandoned = new ArrayList<>(); // pending when the worker closes

    AsyncRequests(WorkerCore worker, Operations operations, WakeupDescriptor wakeup) {
        this.worker = worker;
        this.operations = operations;
        this.wakeup = wakeup;
    }

    /** Begins an operation that is not a receive and has no result. */
    CompletableFuture<Void> send(LongSupplier operation, Object on) {
        return orDone(begin(callbacks().sent(), operation), on);
    }

    /** Begins an atomic operation that fetches a number. */
    CompletableFuture<Long> fetch(LongSupplier operation, Object on) {
        return future(begin(callbacks().sent(), operation), on, operations::fetched);
    }

    /** Begins a receive of the data of an active message. */
    CompletableFuture<Void> receive(LongSupplier operation, Object on) {
        return orDone(begin(callbacks().received(), operation), on);
    }

    /** Begins a receive of a stream. */
    CompletableFuture<Long> streamReceive(LongSupplier operation, Object on) {
        return future(begin(callbacks().received(), operation), on, operations::lengthOf);
    }

    CompletableFuture<UcpTagReceived> tagReceive(LongSupplier operation) {
        return future(
                begin(callbacks().received(), operation),
                worker,
                slot -> new UcpTagReceived(operations.lengthOf(slot), operations.senderTagOf(slot)));
    }

    /**
     * Makes a future for an operation that was begun without one. The operation gets a new number, which the program
     * does not know.
     */
    CompletableFuture<Void> futureOf(RequestSlot slot) {
        callbacks();
        operations.rename(slot);
        OperationFuture<Void> future = future(slot, slot.owner(), ended -> null);
        withoutCallback.add(future);
        toQuery = withoutCallback.size();
        return future;
    }

    private CompletionCallbacks callbacks() {
        worker.owner().check();
        if (ended == null) {
            ended = new CompletionCallbacks(operations, worker.arena(), worker::requestDelivery);
        }
        return ended;
    }

    // The operation takes the current next slot, or none; returns the slot, or null.
    private RequestSlot begin(long callback, LongSupplier operation) {
        RequestSlot slot = operations.nextSlot();
        slot.setCallback(callback);
        try {
            long request = operation.getAsLong();
            return request == 0 ? null : operations.find(request);
        } finally {
            slot.clearCallback();
        }
    }

    private CompletableFuture<Void> orDone(RequestSlot slot, Object on) {
        return slot == null ? CompletableFuture.completedFuture(null) : future(slot, on, ended -> null);
    }

    private <T> OperationFuture<T> future(RequestSlot slot, Object on, Function<RequestSlot, T> result) {
        var future = new OperationFuture<T>(slot, on, result, this::requestCancel);
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
        if (wakeup != null && !worker.owner().isCurrent()) {
            wakeup.signalIfOpen();
        }
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
                operations.cancel(requested.slot());
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
                if (worker.isClosing()) {
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
