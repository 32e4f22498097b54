// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.OwnedFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/** The future of one operation. It ends when UCX has ended the operation, and the program may use the buffer again. */
final class OperationFuture<T> extends OwnedFuture<T> {

    private static final int IN_PROGRESS = 1;

    private final RequestSlot slot;
    private final Object on;
    private final Function<RequestSlot, T> result; // of a successful operation, before its slot is freed
    private final Consumer<OperationFuture<?>> cancelRequests; // thread-safe
    private int status = IN_PROGRESS;
    private byte kind;
    private T value;

    OperationFuture(
            RequestSlot slot, Object on, Function<RequestSlot, T> result, Consumer<OperationFuture<?>> cancelRequests) {
        this.slot = slot;
        this.on = on;
        this.result = result;
        this.cancelRequests = cancelRequests;
    }

    @Override
    protected void endRequested() {
        cancelRequests.accept(this);
    }

    RequestSlot slot() {
        return slot;
    }

    /** Records how the operation has ended. */
    void recordStatus(int code) {
        status = code;
        kind = slot.kind;
        value = code == 0 ? result.apply(slot) : null;
    }

    /** Ends like the operation; as the program wanted only if UCX has cancelled the operation. */
    void endLikeOperation() {
        if (status == 0) {
            end(value);
        } else if (status != UcsStatus.CANCELED.code() || !endAsRequested()) {
            fail(UcxFailure.of(status, RequestSlot.call(kind), on.toString()));
        }
    }

    /** Ends because the worker has ended, which cancels what it can. */
    void abandon(WorkerCore worker) {
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
