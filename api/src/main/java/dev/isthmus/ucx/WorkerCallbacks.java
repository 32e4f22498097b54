// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * Whether the program runs inside a callback of UCX, where it may neither progress the worker nor wait, and what it
 * closes there: UCX still uses it until it has returned. On the worker's thread.
 */
final class WorkerCallbacks {

    private final UcpWorker worker;
    private final RequestSlots slots;
    private final ArrayDeque<Runnable> deferred = new ArrayDeque<>();
    private int depth; // a callback that sends over the self transport can meet another one
    private RequestSlot[] kept = new RequestSlot[4]; // of each depth, what RequestSlots.beginCallback said

    WorkerCallbacks(UcpWorker worker, RequestSlots slots) {
        this.worker = worker;
        this.slots = slots;
    }

    /** To be called by a callback before the program's part. */
    void enter() {
        if (depth == kept.length) {
            kept = Arrays.copyOf(kept, 2 * depth);
        }
        kept[depth++] = slots.beginCallback();
        worker.insideCallback(true);
    }

    /** To be called by a callback after the program's part, also when that threw. */
    void leave() {
        slots.endCallback(kept[--depth]);
        if (depth == 0) {
            worker.insideCallback(false);
        }
    }

    boolean isInside() {
        return depth > 0;
    }

    /**
     * Refuses what makes UCX progress.
     *
     * @throws IllegalStateException inside a callback
     */
    void refuseInside(String what) {
        if (depth > 0) {
            throw new IllegalStateException(what + " is not possible inside a callback of " + worker
                    + ": UCX is in the middle of progressing it; let the callback return first");
        }
    }

    /** Runs a close when UCX has returned, at the latest within the next progress. */
    void defer(Runnable close) {
        deferred.add(close);
        worker.needAttention();
    }

    /** Whether {@link #runDeferred} has something to do. */
    boolean any() {
        return !deferred.isEmpty();
    }

    /** Runs what was deferred. An exception leaves the rest for the next time. */
    void runDeferred() {
        Runnable close;
        while ((close = deferred.poll()) != null) {
            close.run();
        }
    }
}
