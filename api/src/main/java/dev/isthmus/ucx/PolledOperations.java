// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.HotPath;

/**
 * The operations of one worker that carry user data. UCX reports the end of each by a callback, and a poll takes
 * what was reported, so nothing asks about pending ones. The program needs the number of such an operation only to
 * cancel it.
 */
final class PolledOperations {

    private final WorkerCore worker;
    private final Operations operations;
    private final boolean reachable; // somebody polls
    private CompletionCallbacks ended; // null until they are used
    private int pending; // not polled yet

    PolledOperations(WorkerCore worker, Operations operations, boolean reachable) {
        this.worker = worker;
        this.operations = operations;
        this.reachable = reachable;
    }

    /**
     * Creates the callbacks on first use. Called before anything else for an operation: what follows cannot fail.
     *
     * @throws IllegalStateException if the worker's loop would tell nobody
     */
    @HotPath
    void reserve() {
        if (ended == null) {
            createCallbacks();
        }
    }

    private void createCallbacks() {
        worker.owner().check();
        if (!reachable) {
            throw new IllegalStateException(worker + " belongs to " + worker.loop()
                    + ", which tells nobody of completions: give it a handler by UcpWorkerConfig.completions()");
        }
        ended = new CompletionCallbacks(operations, worker.arena(), () -> {});
    }

    /** Called last before C gets the operation: makes it call back. */
    @HotPath
    void prepare(RequestSlot slot, boolean receives) {
        slot.callbackStatus = RequestSlot.IN_PROGRESS;
        slot.setOtherCallback(receives ? ended.received() : ended.sent());
    }

    /**
     * Parameters of the next operation, which has a buffer of bytes or none, and no options; also makes it call back.
     */
    @HotPath
    long parameters(boolean receives) {
        RequestSlot slot = operations.nextSlot();
        long parameters = slot.parameters(0, RequestMemory.CONTIGUOUS_BYTES, 0, 0);
        prepare(slot, receives);
        return parameters;
    }

    /**
     * Records an operation that C has begun.
     *
     * @return the number to cancel it by, which is negative
     */
    @HotPath
    long track(RequestSlot slot, long userData) {
        operations.takeImplicit(slot);
        slot.userData = userData;
        slot.hasUserData = true;
        pending++;
        boolean atOnce = slot.status != RequestSlot.IN_PROGRESS; // then C does not call back
        if (atOnce || (slot.callbackStatus == RequestSlot.IN_PROGRESS && operations.hasEnded(slot))) {
            ended.add(slot);
        }
        return slot.handle;
    }

    /** The operation with a number that {@link #track} returned; null if there is none. */
    RequestSlot find(long number) {
        RequestSlot slot = operations.at(number);
        return slot != null && slot.hasUserData && slot.handle == number ? slot : null;
    }

    /** How many have not been polled, whether ended or not. */
    int pending() {
        return pending;
    }

    /** Whether there is something to poll. */
    boolean any() {
        return ended != null && ended.any();
    }

    @HotPath
    int poll(UcpCompletions into) {
        into.clear();
        if (ended == null) {
            return 0;
        }
        if (ended.takeLost()) {
            queryAll();
        }
        while (!into.isFull()) {
            RequestSlot slot = ended.poll();
            if (slot == null) {
                break;
            }
            if (slot.hasUserData && hasEnded(slot)) {
                report(slot, into);
            }
        }
        return into.size();
    }

    @HotPath
    private boolean hasEnded(RequestSlot slot) {
        byte status = slot.callbackStatus;
        if (status == RequestSlot.IN_PROGRESS || slot.status != RequestSlot.IN_PROGRESS) {
            return operations.hasEnded(slot);
        }
        operations.ended(slot, status); // the callback has said so, without asking C
        return true;
    }

    @HotPath
    private void report(RequestSlot slot, UcpCompletions into) {
        boolean received = operations.received(slot);
        long length = received ? slot.length : 0;
        into.add(slot.userData, slot.status, length, received ? slot.senderTag : 0, operations.fetched(slot));
        slot.hasUserData = false;
        pending--;
        operations.free(slot);
    }

    /** Releases the buffers of ended operations, which remain to be polled. */
    void settle() {
        for (RequestSlot slot = ended == null ? null : ended.first(); slot != null; slot = slot.nextEnded) {
            if (slot.hasUserData) {
                operations.hasEnded(slot);
            }
        }
    }

    private void queryAll() {
        for (RequestSlot slot : operations.all()) {
            if (slot.hasUserData && operations.hasEnded(slot)) {
                ended.add(slot);
            }
        }
    }
}
