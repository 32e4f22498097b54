// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * Tracks whether the program is inside a UCX callback, where it may neither progress the worker nor wait. Also keeps
 * what the program closes there, as UCX uses it until it has returned, and what it throws there, as C cannot pass that
 * on. For the worker's thread.
 */
final class WorkerCallbacks {

    /** Where the program may not use the worker at all. */
    static final String PACKING = "inside a callback that packs data, as UCX is in the middle of a message: let the"
            + " callback return first";

    private final WorkerCore worker;
    private final RequestSlots slots;
    private final ArrayDeque<Runnable> deferred = new ArrayDeque<>();
    private Throwable thrown; // by the program
    private int depth; // a callback that sends over the self transport can cause another one
    private RequestSlot[] kept = new RequestSlot[4]; // by depth, the results of RequestSlots.beginCallback

    WorkerCallbacks(WorkerCore worker, RequestSlots slots) {
        this.worker = worker;
        this.slots = slots;
    }

    /** Called by a callback before the program's part. */
    void enter() {
        if (depth == kept.length) {
            kept = Arrays.copyOf(kept, 2 * depth);
        }
        kept[depth++] = slots.beginCallback();
        worker.insideCallback(true);
    }

    /** Called by a callback after the program's part, even if that has thrown. */
    void leave() {
        slots.endCallback(kept[--depth]);
        if (depth == 0) {
            worker.insideCallback(false);
        }
    }

    /**
     * Called instead of {@link #enter} by a callback in which UCX's transport is in the middle of a message: TCP's ends
     * the process if the next one begins, and others could mix them up.
     *
     * @return the argument for {@link #leavePacking}
     */
    long enterPacking() {
        long sealed = slots.seal();
        worker.owner().suspend(PACKING);
        worker.insideCallback(true);
        depth++;
        return sealed;
    }

    void leavePacking(long sealed) {
        worker.owner().resume();
        slots.unseal(sealed);
        if (--depth == 0) {
            worker.insideCallback(false);
        }
    }

    boolean isInside() {
        return depth > 0;
    }

    /**
     * Refuses a call that makes UCX progress.
     *
     * @throws IllegalStateException inside a callback
     */
    void refuseInside(String what) {
        if (depth > 0) {
            throw new IllegalStateException(what + " is not possible inside a callback of " + worker
                    + ": UCX is in the middle of progressing it; let the callback return first");
        }
    }

    /** Runs a close once UCX has returned, at the latest within the next progress. */
    void defer(Runnable close) {
        deferred.add(close);
        worker.requestDelivery();
    }

    /** Whether {@link #runDeferred} or {@link #rethrow} has something to do. */
    boolean any() {
        return !deferred.isEmpty() || thrown != null;
    }

    /** Runs the deferred closes. If one throws, the remaining ones run next time. */
    void runDeferred() {
        Runnable close;
        while ((close = deferred.poll()) != null) {
            close.run();
        }
    }

    /** Records an exception of the program, for the next progress. */
    @SuppressWarnings("ReferenceEquality") // a throwable cannot suppress itself
    void addFailure(Throwable t) {
        if (thrown == null) {
            thrown = t;
        } else if (thrown != t) {
            thrown.addSuppressed(t);
        }
        worker.requestDelivery();
    }

    /** Records an exception such as a stack overflow, in spite of earlier ones, as adding it to them may fail, too. */
    void replaceFailure(Throwable t) {
        thrown = t;
        worker.requestDelivery();
    }

    /** Throws what was recorded, if anything. */
    void rethrow() {
        Throwable t = thrown;
        thrown = null;
        switch (t) {
            case null -> {}
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IllegalStateException("a callback of " + worker + " failed", t);
        }
    }
}
