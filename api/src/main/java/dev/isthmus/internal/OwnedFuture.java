// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * A future that only its owner ends, which knows when the program may use the buffer again. Cancelling or completing
 * it, and so a timeout, is only a request. The first request is kept and handed to the owner, which grants it once the
 * operation was cancelled.
 *
 * <p>Its dependents are plain futures: their end says nothing about the buffer.
 */
public abstract class OwnedFuture<T> extends CompletableFuture<T> {

    /** How the program wants the future to end: with the value, unless there is a failure. */
    private record RequestedEnd<T>(T value, Throwable failure) {}

    private final AtomicReference<RequestedEnd<T>> requestedEnd = new AtomicReference<>();

    /** The program has requested its end. Called at most once, on any thread. */
    protected abstract void endRequested();

    /** Ends it as the program requested; does nothing if there was no request. */
    public final boolean endAsRequested() {
        RequestedEnd<T> requested = requestedEnd.get();
        return requested != null
                && (requested.failure == null
                        ? super.complete(requested.value)
                        : super.completeExceptionally(requested.failure));
    }

    /** Passes the request on to the future that this one waits for; does nothing if there is none. */
    public final void forwardRequest(CompletableFuture<T> other) {
        RequestedEnd<T> requested = requestedEnd.get();
        if (requested == null) {
            return;
        }
        switch (requested.failure) {
            case null -> other.complete(requested.value);
            case CancellationException e -> other.cancel(false);
            default -> other.completeExceptionally(requested.failure);
        }
    }

    /** Ends it with a value. */
    public final void end(T value) {
        super.complete(value);
    }

    /** Ends it with a failure. */
    public final void fail(Throwable failure) {
        super.completeExceptionally(failure);
    }

    private void requestEnd(T value, Throwable failure) {
        if (!isDone() && requestedEnd.compareAndSet(null, new RequestedEnd<>(value, failure))) {
            endRequested();
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean late = isDone();
        requestEnd(null, new CancellationException());
        return !late || isCancelled();
    }

    @Override
    public boolean complete(T value) {
        requestEnd(value, null);
        return false;
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        requestEnd(null, Objects.requireNonNull(failure, "failure"));
        return false;
    }

    @Override
    public CompletableFuture<T> completeAsync(Supplier<? extends T> supplier, Executor executor) {
        Objects.requireNonNull(supplier, "supplier");
        executor.execute(() -> {
            try {
                complete(supplier.get());
            } catch (Throwable t) {
                completeExceptionally(t);
            }
        });
        return this;
    }

    @Override
    public void obtrudeValue(T value) {
        if (isDone()) {
            super.obtrudeValue(value);
        } else {
            requestEnd(value, null);
        }
    }

    @Override
    public void obtrudeException(Throwable failure) {
        if (isDone()) {
            super.obtrudeException(failure);
        } else {
            requestEnd(null, Objects.requireNonNull(failure, "failure"));
        }
    }
}
