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

    /** One operation: completes its future, or fails it. */
    private abstract static class Entry {
        final long request;

        Entry(long request) {
            this.request = request;
        }

        abstract CompletableFuture<?> future();

        abstract void complete();
    }

    private final UcpWorker worker;
    private final UcpRequests requests;
    private final ArrayList<Entry> pending = new ArrayList<>();
    private final ArrayDeque<Entry> done = new ArrayDeque<>();
    private int idle;

    AsyncRequests(UcpWorker worker, UcpRequests requests) {
        this.worker = worker;
        this.requests = requests;
    }

    CompletableFuture<Void> send(long request, UcpEndpoint endpoint) {
        if (request == 0) {
            return CompletableFuture.completedFuture(null);
        }
        var future = new CompletableFuture<Void>();
        add(new Entry(request) {
            @Override
            CompletableFuture<?> future() {
                return future;
            }

            @Override
            void complete() {
                finish(future, request, null, "ucp_tag_send_nbx", endpoint);
            }
        });
        return future;
    }

    CompletableFuture<UcpTagReceived> tagReceive(long request) {
        var future = new CompletableFuture<UcpTagReceived>();
        add(new Entry(request) {
            @Override
            CompletableFuture<?> future() {
                return future;
            }

            @Override
            void complete() {
                var received = new UcpTagReceived(requests.length(request), requests.senderTag(request));
                finish(future, request, received, "ucp_tag_recv_nbx", worker);
            }
        });
        return future;
    }

    private void add(Entry entry) {
        pending.add(entry);
        worker.needAttention();
    }

    private <T> void finish(CompletableFuture<T> future, long request, T value, String call, Object object) {
        int status = requests.statusCode(request);
        requests.release(request);
        if (status == 0) {
            future.complete(value);
        } else {
            future.completeExceptionally(UcxFailure.of(status, call, object.toString()));
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
        Entry entry;
        while ((entry = done.poll()) != null) {
            entry.complete();
        }
    }

    /** The worker is closed, and what is still pending will never be told. */
    void abandon(IllegalStateException reason) {
        for (Entry entry : pending) {
            entry.future().completeExceptionally(reason);
        }
        pending.clear();
    }

    private void collect() {
        int kept = 0;
        for (int i = 0; i < pending.size(); i++) {
            Entry entry = pending.get(i);
            if (requests.isDone(entry.request)) {
                done.add(entry);
            } else {
                if (entry.future().isCancelled()) {
                    requests.cancel(entry.request);
                }
                pending.set(kept++, entry);
            }
        }
        pending.subList(kept, pending.size()).clear();
    }
}
