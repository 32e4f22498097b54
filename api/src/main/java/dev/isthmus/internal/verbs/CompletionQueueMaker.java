// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

import dev.isthmus.internal.Lifetime;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Makes the C object of a completion queue instead of verbs, for a package that reads it in a way of its own. Given to the
 * queue's configuration.
 */
public interface CompletionQueueMaker {

    /** The class that messages name. */
    String kind();

    /** What must stay open as long as the queue is, besides its device and its channel. */
    List<Lifetime> parents();

    /**
     * Makes it, or throws.
     *
     * @param call the call, which explains a failure by the size that was asked for
     * @param what the object, for messages
     * @param channel the {@code struct ibv_comp_channel}; NULL for none
     * @param vector the completion vector
     * @return the {@code struct ibv_cq}
     */
    MemorySegment create(VerbsCall call, String what, MemorySegment channel, int vector);

    /** What usually helps with an errno that the size does not explain, or an empty string. */
    String help(int errno);

    /** Refuses, on the thread that the queue belongs to, what would wait for ever for the end of an open poll of that thread. */
    void checkNoOpenPoll();
}
