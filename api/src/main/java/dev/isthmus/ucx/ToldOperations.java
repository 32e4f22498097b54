package dev.isthmus.ucx;

import dev.isthmus.internal.HotPath;
import java.lang.foreign.Arena;

/**
 * The operations of one worker that carry user data. UCX tells of the end of each by a callback, and a poll takes what was
 * told: none is asked about while it is pending. The program knows no number of such an operation but one to cancel it by.
 */
final class ToldOperations {

    private final UcpRequests requests;
    private final RequestSlots slots;
    private final CompletionCallbacks ended;
    private int pending; // until they are polled

    ToldOperations(UcpRequests requests, RequestSlots slots, Arena arena) {
        this.requests = requests;
        this.slots = slots;
        this.ended = new CompletionCallbacks(slots, arena, () -> {});
    }

    /** To be called last before C gets the operation: has it call back. */
    @HotPath
    void prepare(RequestSlot slot, boolean receives) {
        slot.calledBack = RequestSlot.IN_PROGRESS;
        slot.tellOther(receives ? ended.received() : ended.sent());
    }

    /**
     * Keeps account of an operation that C has begun.
     *
     * @return the number to cancel it by, which is negative
     */
    @HotPath
    long begun(RequestSlot slot, long userData) {
        slots.takeImplicit(slot);
        slot.userData = userData;
        slot.carriesData = true;
        pending++;
        boolean atOnce = slot.status != RequestSlot.IN_PROGRESS; // then nobody has asked C to call back
        if (atOnce || (slot.calledBack == RequestSlot.IN_PROGRESS && requests.hasEnded(slot))) {
            ended.add(slot);
        }
        return slot.handle;
    }

    /** The one of a number that {@link #begun} returned; null if there is none. */
    RequestSlot find(long number) {
        RequestSlot slot = slots.at(number);
        return slot != null && slot.carriesData && slot.handle == number ? slot : null;
    }

    /** How many have not been polled, ended or not. */
    int pending() {
        return pending;
    }

    /** Whether there is something to poll. */
    boolean any() {
        return ended.any();
    }

    @HotPath
    int poll(UcpCompletions into) {
        into.clear();
        if (ended.takeLost()) {
            lookAtAll();
        }
        while (!into.isFull()) {
            RequestSlot slot = ended.poll();
            if (slot == null) {
                break;
            }
            if (slot.carriesData && hasEnded(slot)) {
                tell(slot, into);
            }
        }
        return into.size();
    }

    @HotPath
    private boolean hasEnded(RequestSlot slot) {
        byte status = slot.calledBack;
        if (status == RequestSlot.IN_PROGRESS || slot.status != RequestSlot.IN_PROGRESS) {
            return requests.hasEnded(slot);
        }
        requests.endedAs(slot, status); // as the callback said: C need not be asked
        return true;
    }

    @HotPath
    private void tell(RequestSlot slot, UcpCompletions into) {
        boolean received = requests.received(slot);
        into.add(slot.userData, slot.status, received ? slot.length : 0, received ? slot.senderTag : 0);
        slot.carriesData = false;
        pending--;
        slots.free(slot);
    }

    /** Lets go of the buffers of all that were told of, which stay to be polled. */
    void settle() {
        for (RequestSlot slot = ended.first(); slot != null; slot = slot.nextEnded) {
            if (slot.carriesData) {
                requests.hasEnded(slot);
            }
        }
    }

    private void lookAtAll() {
        for (RequestSlot slot : slots.all()) {
            if (slot.carriesData && requests.hasEnded(slot)) {
                ended.add(slot);
            }
        }
    }
}
