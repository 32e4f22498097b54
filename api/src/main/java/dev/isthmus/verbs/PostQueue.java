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
 * One direction of a queue pair, or a receive queue of another kind: its owner, the requests that it accepts, and
 * explanations why a driver did not accept one.
 *
 * <p>A request that this queue has validated carries its number until something is set in it that validation depends
 * on. If the caller may post and the request carries the number, two comparisons are the only checks. Otherwise {@link
 * #inspect} makes every check. What can end by itself, such as a region, is checked at each post.
 *
 * <p>Both subclasses have their own methods that post, for the JIT: docs/instructions.md, "Lines written for the JIT".
 *
 * @param <R> the kind of request
 */
abstract sealed class PostQueue<R extends WorkRequest<R>> permits SendQueue, ReceiveQueue {

    private static final AtomicLong NUMBERS = new AtomicLong();

    /** The thread that may post. */
    final OwnerThread owner;

    private final String call;
    private final Object of; // for messages
    private final Runnable mayPost;
    private final ProtectionDomain pd;
    private final boolean queuesBeforeNotifying;
    private int maxRequests;
    private int maxSge;
    private long posterId; // the owner's id once it may post; 0 if that must be checked again
    private long number = NUMBERS.incrementAndGet(); // never 0, and unique among queues, threads and states

    /** Receives the first request that a post did not take; 0 before each post. */
    private final MemorySegment bad = Arena.ofAuto().allocate(JAVA_LONG);

    final long badAddress = bad.address();

    /**
     * Creates a queue.
     *
     * @param call the C function, for messages
     * @param of the object that has this direction, for messages
     * @param owner its owner
     * @param mayPost throws if the state does not allow posting; asked once, until {@link #requireRecheck}
     * @param pd the domain of its requests' buffers
     * @param queuesBeforeNotifying whether a failed post that names no request has taken all
     */
    PostQueue(
            String call,
            Object of,
            OwnerThread owner,
            Runnable mayPost,
            ProtectionDomain pd,
            boolean queuesBeforeNotifying) {
        this.call = call;
        this.of = of;
        this.owner = owner;
        this.mayPost = mayPost;
        this.pd = pd;
        this.queuesBeforeNotifying = queuesBeforeNotifying;
    }

    /** Sets its capacities. */
    final void setCapacities(int requests, int buffers) {
        requireRecheck();
        maxRequests = requests;
        maxSge = buffers;
    }

    /** Whether anything can be posted at all: some drivers report a queue without capacity as full forever. */
    final boolean hasRoom() {
        return maxRequests > 0;
    }

    final ProtectionDomain pd() {
        return pd;
    }

    final Object of() {
        return of;
    }

    /** Whether the caller may post a request by itself, provided that its memory still exists. */
    @HotPath
    final boolean isValidated(R request) {
        return !OwnerThread.isOther(posterId) && request.validatedFor() == number;
    }

    /** Makes all checks of the caller, and of a request that is posted by itself. */
    @HotPath
    final void inspect(R request) {
        checkPoster();
        check(request);
        if (request.next() != null) {
            throw new IllegalArgumentException("another request is chained to this one: post it with tryPostChain");
        }
    }

    /**
     * Makes all checks of the caller, and of the chain's requests that are not validated; returns the chain's length.
     */
    @HotPath
    final int inspectChain(R first) {
        checkPoster();
        int length = 0;
        for (R request = first; request != null; request = request.next()) {
            long validatedFor = request.validatedFor();
            if (validatedFor != -number && validatedFor != number) { // it is negative for all but the last
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
            number = NUMBERS.incrementAndGet(); // a new thread must own the requests that it posts
        }
    }

    /** Makes the next post check again whether the owner may post, because owner or state changes. */
    public final void requireRecheck() {
        posterId = 0;
    }

    @HotPath
    private void check(R request) {
        request.checkOwner();
        request.invalidate(); // another queue's validation, and with it that queue's limit of inline data
        checkKind(request);
        // Some drivers report a full queue for a request that is too large, so a program would retry forever.
        if (request.sgeCount() > maxSge) {
            throw new IllegalArgumentException(request + " has more buffers than " + of + " takes, which is " + maxSge);
        }
        request.markValidated(number);
    }

    /** Checks what differs between sends and receives. */
    @HotPath
    abstract void checkKind(R request);

    /** Notes which request was refused, as C does. */
    @HotPath
    final void refuse(R request) {
        bad.set(JAVA_LONG, 0, request.address());
    }

    /**
     * Determines what a post that did not return 0 has left undone. A full queue is an expected state; drivers report
     * ENOMEM for it, some with the sign inverted. Requests before the one that {@code *bad} names were posted.
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
     * ENOMEM without a name means one of three things. Soft-RoCE's driver has queued all sends, but the kernel had no
     * memory for the notification; the next post repeats it (providers/rxe/rxe.c, rxe_post_send). A receive was not
     * taken: Chelsio's driver names none if a shared queue is full (providers/cxgb4/qp.c, c4iw_post_srq_recv), and no
     * driver takes a receive before it fails. Any other send may or may not be in the queue.
     */
    private R refusedWithoutName(R first, int errno) {
        if (errno == Errno.ENOMEM && queuesBeforeNotifying) {
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
