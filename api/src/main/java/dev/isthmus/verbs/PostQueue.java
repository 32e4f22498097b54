// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.internal.Errno;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.internal.verbs.VerbsErrors;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One direction of a queue pair, or a receive queue of another kind: whose it is, which requests it takes, and what it means
 * that a driver did not take one.
 *
 * <p>A request that was posted here carries this queue's number, its verdict, until something is set in it that the verdict
 * depends on. If the caller is the thread that may post and the request has the verdict, there is no more to ask: two
 * comparisons. Otherwise {@link #inspect} asks everything. What can end by itself, such as a region, is asked at each post.
 *
 * <p>The methods that post stand in both subclasses. In one method for both, the JIT would compile what it saw first, such
 * as sends, and take the other for rare ever after.
 *
 * @param <R> the kind of request
 */
abstract sealed class PostQueue<R extends WorkRequest<R>> permits SendQueue, ReceiveQueue {

    private static final AtomicLong NUMBERS = new AtomicLong();

    /** Whose it is. */
    final OwnerThread owner;

    private final String call;
    private final Object of; // for messages
    private final Runnable mayPost;
    private final ProtectionDomain pd;
    private final boolean takesBeforeTelling;
    private int maxRequests;
    private int maxSge;
    private long posterId; // the owner's, once it was let post; 0 when that has to be asked again
    private long number = NUMBERS.incrementAndGet(); // never 0, and never another queue's, thread's or state's

    /** Where a post tells the first request that it did not take: 0 before each post. */
    private final MemorySegment bad = Arena.ofAuto().allocate(JAVA_LONG);

    final long badAddress = bad.address();

    /**
     * A queue.
     *
     * @param call the C function, for messages
     * @param of what it is a direction of, for messages
     * @param owner whose it is
     * @param mayPost throws when the state does not allow posting; asked once, until {@link #askAgain}
     * @param pd the domain that the buffers of its requests are in
     * @param takesBeforeTelling whether a failed post that names no request has taken all
     */
    PostQueue(
            String call,
            Object of,
            OwnerThread owner,
            Runnable mayPost,
            ProtectionDomain pd,
            boolean takesBeforeTelling) {
        this.call = call;
        this.of = of;
        this.owner = owner;
        this.mayPost = mayPost;
        this.pd = pd;
        this.takesBeforeTelling = takesBeforeTelling;
    }

    /** Notes its capacities, as they are now. */
    final void granted(int requests, int buffers) {
        askAgain();
        maxRequests = requests;
        maxSge = buffers;
    }

    /** Whether anything can be posted at all: some drivers call a queue without room full, for ever. */
    final boolean hasRoom() {
        return maxRequests > 0;
    }

    final ProtectionDomain pd() {
        return pd;
    }

    final Object of() {
        return of;
    }

    /** Whether the caller may post, and a request be posted alone, if only its memory is still there. */
    @HotPath
    final boolean knows(R request) {
        return !OwnerThread.isOther(posterId) && request.verdict() == number;
    }

    /** Asks all that there is to ask of the caller, and of a request that is to be posted alone. */
    @HotPath
    final void inspect(R request) {
        checkPoster();
        check(request);
        if (request.next() != null) {
            throw new IllegalArgumentException("another request is chained to this one: post it with tryPostChain");
        }
    }

    /** Asks all of the caller, and of those requests of a chain that have no verdict; returns how many requests it has. */
    @HotPath
    final int inspectChain(R first) {
        checkPoster();
        int length = 0;
        for (R request = first; request != null; request = request.next()) {
            long verdict = request.verdict();
            if (verdict != -number && verdict != number) { // of all but the last it is negative
                check(request);
            }
            request.checkUsable();
            if (++length > maxRequests) {
                throw new IllegalArgumentException("the chain is longer than the queue of " + of
                        + ", which has room for " + maxRequests + " requests; is it a ring?");
            }
        }
        return length;
    }

    /** Checks that the caller may post: one comparison, as long as neither owner nor state has changed. */
    @HotPath
    final void checkPoster() {
        if (OwnerThread.isOther(posterId)) {
            owner.check();
            mayPost.run();
            posterId = OwnerThread.callerId();
            number = NUMBERS.incrementAndGet(); // another thread than before has to own the requests that it brings
        }
    }

    /** Whether its owner may post is to be asked again: its owner or its state changes. */
    public final void askAgain() {
        posterId = 0;
    }

    @HotPath
    private void check(R request) {
        request.checkOwner();
        request.forget(); // what another queue said, and its limit of inline data with it
        checkKind(request);
        // Some drivers call a request that is too large a full queue, which would be tried for ever.
        if (request.sgeCount() > maxSge) {
            throw new IllegalArgumentException(request + " has more buffers than " + of + " takes, which is " + maxSge);
        }
        request.takenBy(number);
    }

    /** Checks what is another for sends and receives. */
    @HotPath
    abstract void checkKind(R request);

    /**
     * What a post that did not return 0 left undone. A full queue is an expected state; drivers say ENOMEM for it, some
     * with the sign turned. Requests before the one that {@code *bad} names were posted.
     */
    final R firstRefused(R first, int result) {
        long refused = bad.get(JAVA_LONG, 0);
        bad.set(JAVA_LONG, 0, 0);
        int errno = result == 0 ? Errno.ENOMEM : Math.abs(result); // 0: see SendQueue.namesOne
        if (refused == 0) {
            return refusedWithoutName(first, errno);
        }
        int index = 0;
        R request = first;
        while (request != null && request.address() != refused) {
            request = request.next();
            index++;
        }
        if (errno == Errno.ENOMEM && request != null) {
            return request;
        }
        String which = request == null
                ? "which one is not known"
                : "request " + index + " of the chain was refused," + " those before it were posted";
        throw VerbsErrors.failure(call, of + ", " + first, errno, which);
    }

    /**
     * ENOMEM without a name means one of three things. Soft-RoCE's driver has put all sends into the queue, and the kernel
     * had no memory to hear of it: the next post tells (providers/rxe/rxe.c, rxe_post_send). A receive was not taken:
     * Chelsio's driver names none when a shared queue is full (providers/cxgb4/qp.c, c4iw_post_srq_recv), and no driver
     * takes one first. Any other send may be in the queue or not.
     */
    private R refusedWithoutName(R first, int errno) {
        if (errno == Errno.ENOMEM && takesBeforeTelling) {
            return null;
        }
        if (errno == Errno.ENOMEM && first instanceof ReceiveRequest) {
            return first;
        }
        throw VerbsErrors.failure(
                call,
                of + ", " + first,
                errno,
                "the driver does not say which request it refused: what it took is known when the queue pair is flushed");
    }
}
