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
 * The operations that have a future. UCX tells of the end of each by a callback, so that none is asked about while it is
 * pending: a progress costs the same with ten thousand futures as with one. The exception is what was begun without a
 * future and got one later: of those a few are looked at in turn.
 */
final class AsyncRequests {

    private static final int LOOK_AT = 32; // of so many a progress asks at most
    private static final int LOOK_ANYWAY = 63; // UCX ends a few operations without counting that as progress

    private final UcpWorker worker;
    private final UcpRequests requests;
    private final Operations operations;
    private final Arena arena;
    private final ArrayList<OperationFuture<?>> untold = new ArrayList<>(); // their operations have no callback
    private final Queue<OperationFuture<?>> wishes = new ConcurrentLinkedQueue<>(); // of any thread
    private CompletionCallbacks ended; // null until there is a future
    private int pending;
    private int next; // of those untold
    private int toLook;
    private int idle;
    private final List<OperationFuture<?>> left = new ArrayList<>(); // when the worker closes

    AsyncRequests(UcpWorker worker, UcpRequests requests, Operations operations, Arena arena) {
        this.worker = worker;
        this.requests = requests;
        this.operations = operations;
        this.arena = arena;
    }

    /** Begins what is no receive, and has no result. */
    CompletableFuture<Void> send(LongSupplier operation, Object on) {
        long request = begin(callbacks().sent(), operation);
        return request == 0 ? CompletableFuture.completedFuture(null) : nothing(request, operations.find(request), on);
    }

    /** Begins an atomic operation that fetches a number. */
    CompletableFuture<Long> fetch(LongSupplier operation, Object on) {
        long request = begin(callbacks().sent(), operation);
        return pending(new OperationFuture<Long>(request, operations.find(request), on, this::wish) {
            @Override
            Long result() {
                return requests.fetched(request);
            }
        });
    }

    /** Begins a receive of the data of an active message. */
    CompletableFuture<Void> receive(LongSupplier operation, Object on) {
        long request = begin(callbacks().received(), operation);
        return request == 0 ? CompletableFuture.completedFuture(null) : nothing(request, operations.find(request), on);
    }

    /** Begins a receive of a stream. */
    CompletableFuture<Long> streamReceive(LongSupplier operation, Object on) {
        long request = begin(callbacks().received(), operation);
        return pending(new OperationFuture<Long>(request, operations.find(request), on, this::wish) {
            @Override
            Long result() {
                return requests.length(request);
            }
        });
    }

    CompletableFuture<UcpTagReceived> tagReceive(LongSupplier operation) {
        long request = begin(callbacks().received(), operation);
        return pending(new OperationFuture<UcpTagReceived>(request, operations.find(request), worker, this::wish) {
            @Override
            UcpTagReceived result() {
                return new UcpTagReceived(requests.length(request), requests.senderTag(request));
            }
        });
    }

    /** Of an operation that was begun without a future. Its number is the library's from now on, and becomes another. */
    CompletableFuture<Void> take(RequestSlot slot) {
        callbacks();
        Object on = slot.owner();
        var future = nothing(operations.rename(slot), slot, on);
        untold.add(future);
        toLook = untold.size();
        return future;
    }

    private OperationFuture<Void> nothing(long request, RequestSlot slot, Object on) {
        return pending(new OperationFuture<Void>(request, slot, on, this::wish) {
            @Override
            Void result() {
                return null;
            }
        });
    }

    private CompletionCallbacks callbacks() {
        worker.owner().check();
        if (ended == null) {
            ended = new CompletionCallbacks(operations, arena, worker::needAttention);
        }
        return ended;
    }

    // The operation takes the slot that is the next one now, or none.
    private long begin(long callback, LongSupplier operation) {
        RequestSlot slot = operations.nextSlot();
        slot.tell(callback);
        try {
            return operation.getAsLong();
        } finally {
            slot.tellNobody();
        }
    }

    private <T> OperationFuture<T> pending(OperationFuture<T> future) {
        RequestSlot slot = future.slot();
        slot.future = future;
        pending++;
        if (operations.hasEnded(slot)) {
            ended.add(slot); // C has done it at once, and need not tell
        }
        worker.needAttention();
        return future;
    }

    /** Somebody wishes a future to end, on any thread: the worker's one asks C. */
    private void wish(OperationFuture<?> future) {
        wishes.add(future);
        worker.wakeUp();
    }

    /** How many operations have a future that has not ended. */
    int pending() {
        return pending;
    }

    /** Whether {@link #sweep} has something to look at, now or later. */
    boolean any() {
        return pending > 0;
    }

    /** Whether there is something to do for {@link #sweep} at once. */
    boolean anyDone() {
        if (pending == 0) {
            return false;
        }
        toLook = untold.size();
        boolean any = ended.any() || !wishes.isEmpty();
        for (int i = 0; i < untold.size() && !any; i++) {
            any = operations.hasEnded(untold.get(i).slot());
        }
        return any;
    }

    /** Ends the futures of what has ended. Their actions may come back here: they may progress the worker, or close it. */
    void sweep(boolean somethingHappened) {
        OperationFuture<?> wishing;
        while ((wishing = wishes.poll()) != null) {
            if (isPending(wishing)) {
                requests.cancel(wishing.request);
            }
        }
        if (!untold.isEmpty()) {
            look(somethingHappened);
        }
        if (ended.takeLost()) {
            lookAtAll();
        }
        RequestSlot slot;
        while ((slot = ended.poll()) != null) {
            OperationFuture<?> future = slot.future;
            if (future != null && operations.hasEnded(slot)) {
                end(future);
                if (worker.parts().close().isUnderWay()) {
                    future.abandon(worker); // a receive was cancelled for that, and not as the program wished
                } else {
                    future.tell();
                }
            }
        }
    }

    private boolean isPending(OperationFuture<?> future) {
        return future.equals(future.slot().future);
    }

    private void look(boolean somethingHappened) {
        if (somethingHappened || (++idle & LOOK_ANYWAY) == 0) {
            toLook = untold.size();
        }
        for (int i = Math.min(toLook, LOOK_AT); i > 0 && !untold.isEmpty(); i--, toLook--) {
            next = next < untold.size() ? next : 0;
            RequestSlot slot = untold.get(next).slot();
            if (operations.hasEnded(slot)) {
                ended.add(slot);
                OperationFuture<?> other = untold.removeLast();
                if (next < untold.size()) {
                    untold.set(next, other);
                }
            } else {
                next++;
            }
        }
    }

    private void lookAtAll() {
        for (RequestSlot slot : operations.all()) {
            if (slot.future != null && operations.hasEnded(slot)) {
                ended.add(slot);
            }
        }
    }

    private void end(OperationFuture<?> future) {
        RequestSlot slot = future.slot();
        future.keep(slot.status);
        slot.future = null;
        pending--;
        operations.free(slot);
    }

    /** The worker closes: keeps how operations have ended, while C's memory is there. */
    void keepEnded() {
        for (RequestSlot slot : operations.all()) {
            OperationFuture<?> future = slot.future;
            if (future != null && operations.hasEnded(slot)) {
                end(future);
                left.add(future);
            }
        }
    }

    /** The worker is closed: ends all futures that are left. Their actions find it closed. */
    void abandon() {
        for (RequestSlot slot : operations.all()) {
            if (slot.future != null) {
                left.add(slot.future);
                slot.future = null;
            }
        }
        pending = 0;
        List<OperationFuture<?>> all = List.copyOf(left);
        left.clear();
        for (OperationFuture<?> future : all) {
            future.abandon(worker);
        }
    }
}
