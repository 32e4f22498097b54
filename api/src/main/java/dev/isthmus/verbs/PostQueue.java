package dev.isthmus.verbs;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.internal.Errno;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.verbs.DataPath;
import dev.isthmus.internal.verbs.VerbsErrors;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * The send or receive side of a queue pair: posts requests through one function pointer of the device, and tells a
 * full queue from a failure. Its owner has checked thread and state.
 *
 * @param <R> the kind of request
 */
final class PostQueue<R extends WorkRequest<R>> {

    private final String call;
    private final MemorySegment function;
    private final int firstPost;
    private final long queue;
    private final int maxRequests;
    private final int maxSge;

    /** Where a post tells the first request that it did not take: 0 before each post. */
    private final MemorySegment bad = Arena.ofAuto().allocate(JAVA_LONG);

    private final long badAddress = bad.address();

    /**
     * A side of a queue pair.
     *
     * @param call the C function, for messages
     * @param function its address
     * @param queue the address of the C queue pair
     */
    PostQueue(String call, MemorySegment function, long queue, int maxRequests, int maxSge) {
        this.call = call;
        this.function = function;
        this.firstPost = DataPath.firstPost(function);
        this.queue = queue;
        this.maxRequests = maxRequests;
        this.maxSge = maxSge;
    }

    /** Whether anything can be posted at all: some drivers call a queue without room full, for ever. */
    boolean hasRoom() {
        return maxRequests > 0;
    }

    /** Posts one request; false when the queue is full. */
    @HotPath
    boolean tryPost(R request, Object owner) {
        check(request, owner);
        if (request.next() != null) {
            throw new IllegalArgumentException("another request is chained to this one: post it with tryPostChain");
        }
        int errno = post(request, 1);
        return errno == 0 || firstRefused(request, errno, owner) == null;
    }

    /** Posts a chain; the first request that was not taken because the queue was full, or null. */
    @HotPath
    R tryPostChain(R first, Object owner) {
        int length = 0;
        for (R request = first; request != null; request = request.next()) {
            check(request, owner);
            if (++length > maxRequests) {
                throw new IllegalArgumentException("the chain is longer than the queue of " + owner
                        + ", which has room for " + maxRequests + " requests; is it a ring?");
            }
        }
        int errno = post(first, length);
        return errno == 0 ? null : firstRefused(first, errno, owner);
    }

    @HotPath
    private void check(R request, Object owner) {
        request.checkUsable();
        // Some drivers call a request that is too large a full queue, which would be tried for ever.
        if (request.sgeCount() > maxSge) {
            throw new IllegalArgumentException(
                    request + " has more buffers than " + owner + " takes, which is " + maxSge);
        }
    }

    @HotPath
    private int post(R first, int requests) {
        try {
            return DataPath.post(function, firstPost, queue, first.address(), requests, badAddress);
        } finally {
            Reference.reachabilityFence(first); // its memory, and that of "bad", must not be collected during the call
            Reference.reachabilityFence(this);
        }
    }

    /**
     * What a post that did not return 0 left undone. A full queue is an expected state; drivers say ENOMEM for it, some
     * with the sign turned. Requests before the one that {@code *bad} names were posted.
     */
    private R firstRefused(R first, int result, Object owner) {
        long refused = bad.get(JAVA_LONG, 0);
        bad.set(JAVA_LONG, 0, 0);
        int errno = Math.abs(result);
        int index = 0;
        R request = first;
        while (request != null && request.address() != refused) {
            request = request.next();
            index++;
        }
        if (errno == Errno.ENOMEM) {
            // Null when the driver took all and only failed to tell the device, which the next post does.
            return request;
        }
        String which = request == null
                ? "which one is not known"
                : "request " + index + " of the chain was refused," + " those before it were posted";
        throw VerbsErrors.failure(call, owner + ", " + first, errno, which);
    }
}
