// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Channel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.InterruptedByTimeoutException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The operations of one kind, such as reads, of an asynchronous channel. One at a time is under way, and a virtual
 * thread waits for it. Thread-safe.
 */
final class AsyncOperations {

    /** What an operation does; it blocks. */
    interface Body<V> {
        V run() throws IOException;
    }

    /** What handles the end of an operation: a handler, null if there is none, and its attachment. */
    record Completion<V, A>(CompletionHandler<V, ? super A> handler, A attachment) {

        static <V> Completion<V, Void> none() {
            return new Completion<>(null, null);
        }

        static <V, A> Completion<V, A> of(CompletionHandler<V, ? super A> handler, A attachment) {
            if (handler == null) {
                throw new NullPointerException("'handler' is null");
            }
            return new Completion<>(handler, attachment);
        }
    }

    private final AsyncGroup group;
    private final Channel channel; // the asynchronous one
    private final String name;
    private final Supplier<RuntimeException> pending;
    private boolean busy; // guarded by this, like the next field
    private boolean aborted; // by a timeout or a cancel: what the operation did or will do is unknown

    /** For a channel; the name is used as in "Reading not allowed". */
    AsyncOperations(AsyncGroup group, Channel channel, String name, Supplier<RuntimeException> pending) {
        this.group = group;
        this.channel = channel;
        this.name = name;
        this.pending = pending;
    }

    /** An operation, under way until it ends, once. */
    private final class Operation<V, A> extends CompletableFuture<V> implements Runnable {

        private final AtomicBoolean ended = new AtomicBoolean();
        // Buffers and handlers are forgotten when it is over, as its thread, and so this, may stay reachable.
        private Body<V> body;
        private final Consumer<V> unwanted;
        private Completion<V, A> completion;
        private final Future<?> timer; // null if it has none

        Operation(Body<V> body, Consumer<V> unwanted, long nanos, Completion<V, A> completion) {
            this.body = body;
            this.unwanted = unwanted;
            this.completion = completion;
            this.timer = nanos > 0 ? TimeoutThread.ALL.schedule(this::expire, nanos, TimeUnit.NANOSECONDS) : null;
        }

        private boolean end(boolean aborts) {
            boolean first = ended.compareAndSet(false, true);
            if (first) {
                ended(aborts);
                if (timer != null) {
                    timer.cancel(false);
                }
            }
            return first;
        }

        private void end(V value, Throwable failure) {
            if (failure == null) {
                complete(value);
            } else {
                completeExceptionally(failure);
            }
            try {
                notifyHandler(completion, value, failure);
            } finally {
                completion = null; // only the first thread to end it gets here
                group.operationEnded();
            }
        }

        @Override
        public boolean cancel(boolean mayInterrupt) {
            if (!end(true)) {
                return false;
            }
            super.cancel(mayInterrupt); // a caller with a future has no handler
            group.operationEnded();
            if (mayInterrupt) {
                closeChannel();
            }
            return true;
        }

        private void expire() {
            if (end(true)) {
                end(null, new InterruptedByTimeoutException());
            }
        }

        @Override
        public void run() {
            V value = null;
            Throwable failure = null;
            try {
                value = body.run();
            } catch (ClosedChannelException e) { // the channel was open when this began
                failure = e instanceof AsynchronousCloseException || channel.isOpen()
                        ? e
                        : new AsynchronousCloseException();
            } catch (Throwable t) {
                failure = t;
            }
            body = null;
            if (end(false)) {
                end(value, failure);
            } else if (failure == null) {
                unwanted.accept(value);
            }
        }
    }

    private static final class TimeoutThread {

        static final ScheduledThreadPoolExecutor ALL = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("isthmus-timeouts").factory());

        static {
            ALL.setRemoveOnCancelPolicy(true);
        }
    }

    private synchronized void ended(boolean aborts) {
        busy = false;
        aborted |= aborts;
    }

    private void closeChannel() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    synchronized boolean isBusy() {
        return busy;
    }

    private synchronized void begin() {
        if (aborted) {
            throw new IllegalStateException(name + " not allowed due to timeout or cancellation");
        }
        if (busy) {
            throw pending.get();
        }
        group.operationBegun();
        busy = true;
    }

    /**
     * Begins an operation.
     *
     * @param body what it does
     * @param unwanted what to do with the value if it is no longer wanted
     * @param nanos the time limit; none if not positive
     */
    <V, A> Future<V> start(Body<V> body, Consumer<V> unwanted, long nanos, Completion<V, A> completion) {
        begin();
        var operation = new Operation<V, A>(body, unwanted, nanos, completion);
        Thread.ofVirtual().start(operation);
        return operation;
    }

    /** An operation that is over before it begins. */
    <V, A> Future<V> completed(V value, Throwable failure, Completion<V, A> completion) {
        group.operationBegun();
        try {
            notifyHandler(completion, value, failure);
        } finally {
            group.operationEnded();
        }
        return failure == null ? CompletableFuture.completedFuture(value) : CompletableFuture.failedFuture(failure);
    }

    private <V, A> void notifyHandler(Completion<V, A> completion, V value, Throwable failure) {
        if (completion.handler() == null) {
            return;
        }
        group.handle(() -> {
            if (failure == null) {
                completion.handler().completed(value, completion.attachment());
            } else {
                completion.handler().failed(failure, completion.attachment());
            }
        });
    }
}
