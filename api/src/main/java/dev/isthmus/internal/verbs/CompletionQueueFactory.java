// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

import dev.isthmus.internal.Lifetime;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Creates the C object of a completion queue instead of verbs, for a package that reads it in its own way. Given to the
 * queue's configuration.
 */
public interface CompletionQueueFactory {

    /** The class that messages name. */
    String kind();

    /** What must stay open as long as the queue, besides its device and its channel. */
    List<Lifetime> parents();

    /**
     * Creates it, or throws.
     *
     * @param call the call, which explains a failure by the requested size
     * @param what the object, for messages
     * @param channel the {@code struct ibv_comp_channel}; NULL for none
     * @param vector the completion vector
     * @return the {@code struct ibv_cq}
     */
    MemorySegment create(VerbsCall call, String what, MemorySegment channel, int vector);

    /** What usually helps with an errno that the size does not explain; empty if unknown. */
    String help(int errno);

    /**
     * Refuses, on the thread that the queue belongs to, a call that would wait forever for the end of that thread's own
     * open poll.
     */
    void checkNoOpenPoll();
}
