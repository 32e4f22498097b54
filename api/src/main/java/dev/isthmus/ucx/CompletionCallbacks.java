// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.ucx.UcpCompletion;
import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandles;

/**
 * The callbacks of one worker's operations that have a future or carry user data ({@code ucp_send_nbx_callback_t} and
 * those of receives). UCX calls them on the worker's thread, inside a progress or another call. They only put the
 * operation's slot into a queue. The slots themselves are linked, so the queue never needs memory.
 */
final class CompletionCallbacks {

    private final RequestSlots slots;
    private final Runnable notifier;
    private final long sent;
    private final long received;
    private RequestSlot first;
    private RequestSlot last;
    private boolean lost;

    /**
     * Creates the callbacks.
     *
     * @param arena of the worker, which closes it when C can no longer call
     * @param notifier called when the queue gets a slot
     */
    CompletionCallbacks(RequestSlots slots, Arena arena, Runnable notifier) {
        this.slots = slots;
        this.notifier = notifier;
        try {
            var lookup = MethodHandles.lookup();
            this.sent = UcpCompletion.sent(lookup.bind(this, "onSent", UcpCompletion.SENT), arena);
            this.received = UcpCompletion.received(lookup.bind(this, "onReceived", UcpCompletion.RECEIVED), arena);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("a method of this class", e);
        }
    }

    /** The callback of sends, puts, gets, atomic operations and flushes. */
    long sent() {
        return sent;
    }

    /** The callback of receives: of tags, of streams, and of active messages' data. */
    long received() {
        return received;
    }

    /** Whether the queue has a slot, or has lost one. */
    boolean any() {
        return first != null || lost;
    }

    /** The first slot, which stays in the queue; {@link RequestSlot#nextEnded} leads to the others. */
    RequestSlot first() {
        return first;
    }

    /** Takes the slot whose operation ended first; it may be free by now. Null if there is none. */
    RequestSlot poll() {
        RequestSlot slot = first;
        if (slot != null) {
            first = slot.nextEnded;
            last = first == null ? null : last;
            slot.nextEnded = null;
            slot.queued = false;
        }
        return slot;
    }

    /** Whether a callback failed since the last call, so that the queue lacks a slot. */
    boolean takeLost() {
        boolean was = lost;
        lost = false;
        return was;
    }

    /** Puts a slot into the queue, unless it is there. */
    @HotPath
    void add(RequestSlot slot) {
        if (slot.queued) {
            return;
        }
        slot.queued = true;
        if (first == null) {
            first = slot;
        } else {
            last.nextEnded = slot;
        }
        last = slot;
        notifier.run();
    }

    // Called by C, like the next one. An exception that left it would end the JVM.
    @HotPath
    @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // called by name
    private void onSent(long request, byte status, long index) {
        ended(index, status);
    }

    @HotPath
    @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // called by name
    private void onReceived(long request, byte status, long lengthOrInfo, long index) {
        ended(index, status);
    }

    @HotPath
    private void ended(long index, byte status) {
        try {
            RequestSlot slot = slots.all()[(int) index];
            slot.callbackStatus = status;
            add(slot);
        } catch (Throwable t) { // such as a stack overflow
            lost = true;
            notifier.run();
        }
    }
}
