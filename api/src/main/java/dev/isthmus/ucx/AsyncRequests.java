package dev.isthmus.ucx;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;

/**
 * The operations that have a future. They are looked at after each progress that did something, which costs a call into
 * C for each of them: the convenient path. The raw path is for those who count.
 */
final class AsyncRequests {

    private static final int LOOK_ANYWAY = 63;

    /** One operation: what its future is completed with. */
    private abstract static class Entry<T> {
        final CompletableFuture<T> future = new CompletableFuture<>();
        final long request;
        final String call;
        final Object on;

        Entry(long request, String call, Object on) {
            this.request = request;
            this.call = call;
            this.on = on;
        }

        abstract T result();
    }

    private final UcpWorker worker;
    private final UcpRequests requests;
    private final ArrayList<Entry<?>> pending = new ArrayList<>();
    private final ArrayDeque<Entry<?>> done = new ArrayDeque<>();
    private int idle;

    AsyncRequests(UcpWorker worker, UcpRequests requests) {
        this.worker = worker;
        this.requests = requests;
    }

    /** Of an operation that has no result. */
    CompletableFuture<Void> done(long request, Object on) {
        return send(request, request == 0 ? "" : requests.call(request), on);
    }

    /** The same of a call that its kind does not tell. */
    CompletableFuture<Void> send(long request, String call, Object on) {
        if (request == 0) {
            return CompletableFuture.completedFuture(null);
        }
        return add(new Entry<Void>(request, call, on) {
            @Override
            Void result() {
                return null;
            }
        });
    }

    /** Of a receive of a stream. */
    CompletableFuture<Long> length(long request, UcpEndpoint endpoint) {
        return add(new Entry<Long>(request, requests.call(request), endpoint) {
            @Override
            Long result() {
                return requests.length(request);
            }
        });
    }

    /** Of an atomic operation that fetches a number. */
    CompletableFuture<Long> fetched(long request, UcpRemoteMemory memory) {
        return add(new Entry<Long>(request, requests.call(request), memory) {
            @Override
            Long result() {
                return requests.fetched(request);
            }
        });
    }

    CompletableFuture<UcpTagReceived> tagReceive(long request) {
        return add(new Entry<UcpTagReceived>(request, requests.call(request), worker) {
            @Override
            UcpTagReceived result() {
                return new UcpTagReceived(requests.length(request), requests.senderTag(request));
            }
        });
    }

    private <T> CompletableFuture<T> add(Entry<T> entry) {
        pending.add(entry);
        worker.needAttention();
        return entry.future;
    }

    private <T> void complete(Entry<T> entry) {
        int status = requests.statusCode(entry.request);
        T result = entry.result();
        requests.release(entry.request);
        if (status == 0) {
            entry.future.complete(result);
        } else {
            entry.future.completeExceptionally(UcxFailure.of(status, entry.call, entry.on.toString()));
        }
    }

    /** Whether {@link #sweep} has something to look at. */
    boolean any() {
        return !pending.isEmpty() || !done.isEmpty();
    }

    /** Whether there are futures to complete: what has ended is looked for. */
    boolean anyDone() {
        collect();
        return !done.isEmpty();
    }

    /** Completes the futures of what has ended. Their actions may come back here: they may progress the worker. */
    void sweep(boolean somethingHappened) {
        if (somethingHappened || (++idle & LOOK_ANYWAY) == 0) {
            collect();
        }
        Entry<?> entry;
        while ((entry = done.poll()) != null) {
            complete(entry);
        }
    }

    /** The worker is closed, and what is still pending will never be told. */
    void abandon(IllegalStateException reason) {
        for (Entry<?> entry : pending) {
            entry.future.completeExceptionally(reason);
        }
        pending.clear();
    }

    private void collect() {
        int kept = 0;
        for (int i = 0; i < pending.size(); i++) {
            Entry<?> entry = pending.get(i);
            if (requests.isDone(entry.request)) {
                done.add(entry);
            } else {
                if (entry.future.isDone()) { // cancelled, or timed out
                    requests.cancel(entry.request);
                }
                pending.set(kept++, entry);
            }
        }
        pending.subList(kept, pending.size()).clear();
    }
}
