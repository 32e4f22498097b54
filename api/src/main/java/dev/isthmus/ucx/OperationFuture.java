// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.OwnedFuture;
import java.util.function.Consumer;

/** The future of one operation. It ends when UCX has ended the operation, and the program may use the buffer again. */
abstract class OperationFuture<T> extends OwnedFuture<T> {

    private static final int IN_PROGRESS = 1;

    /** The operation's number, which the program does not know. */
    final long request;

    private final RequestSlot slot;
    private final Object on;
    private final Consumer<OperationFuture<?>> cancelRequests; // thread-safe
    private int status = IN_PROGRESS;
    private byte kind;
    private T value;

    OperationFuture(long request, RequestSlot slot, Object on, Consumer<OperationFuture<?>> cancelRequests) {
        this.request = request;
        this.slot = slot;
        this.on = on;
        this.cancelRequests = cancelRequests;
    }

    /** The result of a successful operation. Called before its slot is freed. */
    abstract T result();

    @Override
    protected final void endRequested() {
        cancelRequests.accept(this);
    }

    RequestSlot slot() {
        return slot;
    }

    /** Records how the operation has ended. */
    final void recordStatus(int code) {
        status = code;
        kind = slot.kind;
        value = code == 0 ? result() : null;
    }

    /** Ends like the operation; as the program wanted only if UCX has cancelled the operation. */
    final void endLikeOperation() {
        if (status == 0) {
            end(value);
        } else if (status != UcsStatus.CANCELED.code() || !endAsRequested()) {
            fail(UcxFailure.of(status, RequestSlot.call(kind), on.toString()));
        }
    }

    /** Ends because the worker has ended, which cancels what it can. */
    final void abandon(UcpWorker worker) {
        String closed = worker + " was closed before the operation was done";
        if (status == IN_PROGRESS) {
            fail(new IllegalStateException(closed + ": UCX could not cancel it, and a peer may still reach its buffer;"
                    + " keep that memory until the context is closed"));
        } else if (status != UcsStatus.CANCELED.code()) {
            endLikeOperation();
        } else if (!endAsRequested()) {
            fail(new IllegalStateException(closed));
        }
    }
}
