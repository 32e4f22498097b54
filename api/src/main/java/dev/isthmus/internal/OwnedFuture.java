// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * A future that nobody ends but its owner, who knows when the buffer is the program's again. To cancel or complete it, and
 * so a timeout, is a wish: the first one is kept and handed to the owner, which grants it when the operation was cancelled.
 *
 * <p>Its dependents are plain futures: what ends those says nothing about the buffer.
 */
public abstract class OwnedFuture<T> extends CompletableFuture<T> {

    /** How the program would have it end; with a value if there is no failure. */
    private record Wish<T>(T value, Throwable failure) {}

    private final AtomicReference<Wish<T>> wish = new AtomicReference<>();

    /** Somebody wishes it to end. Called once at most, by any thread. */
    protected abstract void wished();

    /** Ends it as was wished; does nothing if nothing was. */
    public final boolean grant() {
        Wish<T> wanted = wish.get();
        return wanted != null
                && (wanted.failure == null
                        ? super.complete(wanted.value)
                        : super.completeExceptionally(wanted.failure));
    }

    /** Passes the wish on to what this future waits for; does nothing if there is none. */
    public final void passTo(CompletableFuture<T> other) {
        Wish<T> wanted = wish.get();
        if (wanted == null) {
            return;
        }
        switch (wanted.failure) {
            case null -> other.complete(wanted.value);
            case CancellationException e -> other.cancel(false);
            default -> other.completeExceptionally(wanted.failure);
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

    private void wish(T value, Throwable failure) {
        if (!isDone() && wish.compareAndSet(null, new Wish<>(value, failure))) {
            wished();
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean late = isDone();
        wish(null, new CancellationException());
        return !late || isCancelled();
    }

    @Override
    public boolean complete(T value) {
        wish(value, null);
        return false;
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        wish(null, Objects.requireNonNull(failure, "failure"));
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
            wish(value, null);
        }
    }

    @Override
    public void obtrudeException(Throwable failure) {
        if (isDone()) {
            super.obtrudeException(failure);
        } else {
            wish(null, Objects.requireNonNull(failure, "failure"));
        }
    }
}
