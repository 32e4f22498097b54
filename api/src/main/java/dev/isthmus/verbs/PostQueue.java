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
 * One direction of a queue pair, with an owner of its own: posts requests through one function pointer of the device, and
 * tells a full queue from a failure.
 *
 * <p>The methods that post stand in both subclasses. In one method for both, the JIT would compile what it saw first, such
 * as sends, and take the other for rare ever after.
 *
 * <p>Nearly all requests are simple: see {@link WorkRequest#simple}. One comparison tells that this queue has seen such a
 * one before, and that there is no more to ask than whether its region can be used.
 *
 * @param <R> the kind of request
 */
abstract sealed class PostQueue<R extends WorkRequest<R>> permits SendQueue, ReceiveQueue {

    private static final AtomicLong NUMBERS = new AtomicLong();

    private final String call;
    private final Object of; // for messages
    private final Runnable mayPost;
    private final ProtectionDomain pd;
    private final boolean takesBeforeTelling;
    private final int kinds; // of simple requests that it takes
    private final boolean firstDriver;
    private int simple; // those kinds, if there is room for a buffer
    private int quick; // and those that are posted without further ado
    private int maxRequests;
    private int maxSge;

    /** Where a post tells the first request that it did not take: 0 before each post. */
    private final MemorySegment bad = Arena.ofAuto().allocate(JAVA_LONG);

    final long badAddress = bad.address();

    /** Whose it is. */
    final OwnerThread owner;

    private long posterId; // the owner's, once it was let post; 0 when that has to be asked again

    /**
     * What requests remember this by, as long as one thread posts: never 0, and never another's. A request that does need
     * be asked neither whose it is nor where its buffers are.
     */
    private long number = NUMBERS.incrementAndGet();

    /**
     * A side of a queue pair.
     *
     * @param call the C function, for messages
     * @param of what it is a direction of, for messages
     * @param owner whose it is
     * @param mayPost throws when the state does not allow posting; asked once, until {@link #askAgain}
     * @param pd the domain that the buffers of its requests are in
     * @param takesBeforeTelling whether a failed post that names no request has taken all
     * @param kinds the kinds of simple requests that it takes
     * @param firstDriver whether it is of the driver that was there first, whose function is a constant to the JIT
     */
    PostQueue(
            String call,
            Object of,
            OwnerThread owner,
            Runnable mayPost,
            ProtectionDomain pd,
            boolean takesBeforeTelling,
            int kinds,
            boolean firstDriver) {
        this.call = call;
        this.of = of;
        this.owner = owner;
        this.mayPost = mayPost;
        this.pd = pd;
        this.takesBeforeTelling = takesBeforeTelling;
        this.kinds = kinds;
        this.firstDriver = firstDriver;
    }

    /** Notes its capacities, as they are now. */
    final void granted(int requests, int buffers) {
        askAgain();
        maxRequests = requests;
        maxSge = buffers;
        simple = buffers > 0 ? kinds : 0; // each has a buffer
        quick = firstDriver ? simple : 0;
    }

    /** Whether anything can be posted at all: some drivers call a queue without room full, for ever. */
    final boolean hasRoom() {
        return maxRequests > 0;
    }

    /** One comparison tells thread, life and state, as long as none of them has changed. */
    @HotPath
    final void checkPoster() {
        if (OwnerThread.isOther(posterId)) {
            admit();
        }
    }

    private void admit() {
        owner.check();
        mayPost.run();
        posterId = OwnerThread.callerId();
        number = NUMBERS.incrementAndGet(); // another thread than before has to own the requests that it brings
    }

    /** Whether its owner may post is to be asked again: its owner or its state changes. */
    public final void askAgain() {
        posterId = 0;
    }

    /** Whether of a request that is posted alone the region is all that is to be checked. */
    @HotPath
    final boolean isQuick(R request) {
        return request.verdict() == number;
    }

    /** Checks a request that is to be posted alone. */
    @HotPath
    final void checkSingle(R request) {
        check(request);
        if ((request.simpleAlone() & quick) != 0) {
            request.verdict(number);
        }
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
                throw new IllegalArgumentException("the chain is longer than the queue of " + of
                        + ", which has room for " + maxRequests + " requests; is it a ring?");
            }
        }
        return length;
    }

    @HotPath
    private void check(R request) {
        if (request.inspectedBy() != number) {
            request.inspect(pd, of, number);
        }
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
            throw new IllegalArgumentException(request + " has more buffers than " + of + " takes, which is " + maxSge);
        }
    }

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
