package dev.isthmus.verbs;

import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.internal.verbs.DataPath;
import dev.isthmus.internal.verbs.Receives;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/** Where receives are posted: a queue of a queue pair's own, a shared one, or a work queue. */
final class ReceiveQueue extends PostQueue<ReceiveRequest> implements Receives<ReceiveRequest> {

    private final MemorySegment function;
    private final int mostInShort;
    private final long queue;

    /**
     * A queue.
     *
     * @param call the C function, for messages
     * @param of what has it, for messages
     * @param owner whose it is
     * @param mayPost throws when its state does not allow posting
     * @param pd the domain that the buffers are in
     * @param function the function's address
     * @param queue what it takes, by its address
     */
    ReceiveQueue(
            String call,
            Object of,
            OwnerThread owner,
            Runnable mayPost,
            ProtectionDomain pd,
            MemorySegment function,
            long queue) {
        super(call, of, owner, mayPost, pd, false, ReceiveRequest.SIMPLE, DataPath.mostInShortReceive(function) > 0);
        this.function = function;
        this.mostInShort = DataPath.mostInShortReceive(function);
        this.queue = queue;
    }

    /** Posts one request; false when the queue is full. */
    @Override
    @HotPath
    public boolean tryPost(ReceiveRequest request) {
        checkPoster();
        int errno = isQuick(request) ? postQuickly(request) : postCarefully(request);
        return errno == 0 || firstRefused(request, errno) == null;
    }

    @HotPath
    private int postQuickly(ReceiveRequest request) {
        request.checkUsable();
        try {
            return DataPath.shortReceive(queue, request.address(), badAddress);
        } finally { // the request's memory, and that of "bad", must not be collected during the call
            Reference.reachabilityFence(request);
            Reference.reachabilityFence(this);
        }
    }

    @HotPath
    private int postCarefully(ReceiveRequest request) {
        checkSingle(request);
        return post(request, 1);
    }

    /** Posts a chain; the first request that was not taken because the queue was full, or null. */
    @Override
    @HotPath
    public ReceiveRequest tryPostChain(ReceiveRequest first) {
        checkPoster();
        int requests = checkChain(first);
        int errno = post(first, requests);
        return errno == 0 ? null : firstRefused(first, errno);
    }

    @HotPath
    private int post(ReceiveRequest first, int requests) {
        try {
            return requests <= mostInShort // one comparison tells whose function it is, too
                    ? DataPath.shortReceive(queue, first.address(), badAddress)
                    : DataPath.post(function, queue, first.address(), badAddress);
        } finally {
            Reference.reachabilityFence(first);
            Reference.reachabilityFence(this);
        }
    }
}
