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

    /** Whether its owner may post is to be asked again: its owner or its state has changed. */
    void askAgain();

    /** Posts one request; false when the queue is full. */
    @HotPath
    boolean tryPost(R request);

    /** Posts a chain; the first request that was not taken because the queue was full, or null. */
    @HotPath
    R tryPostChain(R first);

    /** Makes them for the buffers of a protection domain, a part of which it is. */
    interface Maker {

        /**
         * Makes one.
         *
         * @param call the C function, for messages
         * @param of what has it, for messages
         * @param owner whose it is
         * @param mayPost throws when its state does not allow posting; asked once, until {@link Receives#askAgain}
         * @param function the function's address
         * @param queue what it takes, by its address
         * @param maxRequests how many there is room for
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
