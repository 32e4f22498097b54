package dev.isthmus.internal.verbs;

import dev.isthmus.internal.HotPath;
import java.lang.foreign.MemorySegment;

/**
 * Where receives are posted. Who has it has checked thread and state.
 *
 * @param <R> the receive request of verbs
 */
public interface Receives<R> {

    /** A thread is let post: another than before has to own the requests that it brings. */
    @HotPath
    void postedBy(long threadId);

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
         * @param owner what has it, for messages
         * @param function the function's address
         * @param queue what it takes, by its address
         * @param maxRequests how many there is room for
         * @param maxSge how many buffers a request can have
         */
        Receives<?> make(String call, Object owner, MemorySegment function, long queue, int maxRequests, int maxSge);
    }
}
