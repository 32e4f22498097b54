// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.OwnerThread;
import java.lang.foreign.MemorySegment;

/**
 * Where receives are posted.
 *
 * @param <R> the receive request of verbs
 */
public interface Receives<R> {

    /** Makes the next post check again whether its owner may post, as the owner or the state has changed. */
    void requireRecheck();

    /** Posts one request; returns false if the queue is full. */
    @HotPath
    boolean tryPost(R request);

    /** Posts a chain; returns the first request that was not posted because the queue was full, or null. */
    @HotPath
    R tryPostChain(R first);

    /** Creates receives for the buffers of a protection domain, to which it belongs. */
    interface Factory {

        /**
         * Creates one.
         *
         * @param call the C function, for messages
         * @param of the object that has it, for messages
         * @param owner its owner
         * @param mayPost throws if its state does not allow posting; called once, until {@link Receives#requireRecheck}
         * @param function the function's address
         * @param queue the address of its argument
         * @param maxRequests how many requests there is room for
         * @param maxSge how many buffers a request can have
         */
        Receives<?> make(
                String call,
                Object of,
                OwnerThread owner,
                Runnable mayPost,
                MemorySegment function,
                long queue,
                int maxRequests,
                int maxSge);
    }
}
