package dev.isthmus.verbs;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.internal.Errno;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.verbs.VerbsErrors;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The send or receive side of a queue pair: posts requests through one function pointer of the device, and tells a
 * full queue from a failure. Its owner has checked thread and state.
 *
 * <p>The methods that post stand in both subclasses. In one method for both, the JIT would compile what it saw first, such
 * as sends, and take the other for rare ever after.
 *
 * <p>Nearly all requests are simple: see {@link WorkRequest#simple}. One comparison tells that there is no more to ask
 * of such a one than whether its region can be used.
 *
 * @param <R> the kind of request
 */
abstract sealed class PostQueue<R extends WorkRequest<R>> permits SendQueue, ReceiveQueue {

    private final String call;
    private final Object owner; // for messages
    private final int simple; // the kinds of simple requests that it takes
    private final int quick; // and those that are posted without further ado
    private final int maxRequests;
    private final int maxSge;

    /** Where a post tells the first request that it did not take: 0 before each post. */
    private final MemorySegment bad = Arena.ofAuto().allocate(JAVA_LONG);

    final long badAddress = bad.address();

    /**
     * A side of a queue pair.
     *
     * @param call the C function, for messages
     * @param owner what it is a side of, for messages
     * @param simple the kinds of simple requests that it takes
     * @param firstDriver whether it is of the driver that was there first, whose function is a constant to the JIT
     */
    PostQueue(String call, Object owner, int simple, boolean firstDriver, int maxRequests, int maxSge) {
        this.call = call;
        this.owner = owner;
        this.simple = maxSge > 0 ? simple : 0; // each has a buffer
        this.quick = firstDriver ? this.simple : 0;
        this.maxRequests = maxRequests;
        this.maxSge = maxSge;
    }

    /** Whether anything can be posted at all: some drivers call a queue without room full, for ever. */
    boolean hasRoom() {
        return maxRequests > 0;
    }

    /** Whether of a request that is posted alone the region is all that is to be checked. */
    @HotPath
    final boolean isQuick(R request) {
        return (request.simpleAlone() & quick) != 0;
    }

    /** Checks a request that is to be posted alone. */
    @HotPath
    final void checkSingle(R request) {
        check(request);
        if (request.next() != null) {
            throw new IllegalArgumentException("another request is chained to this one: post it with tryPostChain");
        }
    }

    /** Checks a chain; returns how many requests it has. */
    @HotPath
    final int checkChain(R first) {
        int length = 0;
        for (R request = first; request != null; request = request.next()) {
            check(request);
            if (++length > maxRequests) {
                throw new IllegalArgumentException("the chain is longer than the queue of " + owner
                        + ", which has room for " + maxRequests + " requests; is it a ring?");
            }
        }
        return length;
    }

    @HotPath
    private void check(R request) {
        if ((request.simple() & simple) == 0) {
            checkOther(request);
        }
        request.checkUsable();
    }

    /** Checks a request that is not simple. */
    @HotPath
    void checkOther(R request) {
        // Some drivers call a request that is too large a full queue, which would be tried for ever.
        if (request.sgeCount() > maxSge) {
            throw new IllegalArgumentException(
                    request + " has more buffers than " + owner + " takes, which is " + maxSge);
        }
    }

    /**
     * What a post that did not return 0 left undone. A full queue is an expected state; drivers say ENOMEM for it, some
     * with the sign turned. Requests before the one that {@code *bad} names were posted.
     */
    final R firstRefused(R first, int result) {
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
