package dev.isthmus.verbs;

import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.NativeMemory;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.internal.verbs.DataPath;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/** Where a queue pair's send requests are posted. */
final class SendQueue extends PostQueue<SendRequest> {

    private final QueuePair qp;
    private final int accepted; // the kinds that the queue pair's type takes
    private final int plain; // those of them that need no further check
    private final MemorySegment function;
    private final boolean ofFirstDriver;
    private final long queue;
    private int maxInline;

    /**
     * A queue.
     *
     * @param owner whose it is
     * @param mayPost throws when the queue pair cannot send
     * @param function the address of ibv_post_send
     */
    SendQueue(QueuePair qp, OwnerThread owner, Runnable mayPost, MemorySegment function) {
        super(
                "ibv_post_send",
                qp,
                owner,
                mayPost,
                qp.protectionDomain(),
                DataPath.takesBeforeTelling(function),
                SendForm.accepted(qp.type()) & simple(qp.type()),
                DataPath.isFirstSend(function));
        this.qp = qp;
        this.accepted = SendForm.accepted(qp.type());
        this.plain = qp.type() == QueuePairType.RAW_PACKET ? 0 : accepted & SendForm.PLAIN;
        this.function = function;
        this.ofFirstDriver = DataPath.isFirstSend(function);
        this.queue = qp.handle().address();
    }

    /** Notes its capacities, as they are now. */
    void granted(QueuePairCapabilities capabilities) {
        // Some drivers would post to a queue that is not there.
        granted(qp.type().sends() ? capabilities.maxSendWr() : 0, capabilities.maxSendSge());
        maxInline = capabilities.maxInline();
    }

    /** Of a raw packet drivers copy the first header: it never is simple. */
    private static int simple(QueuePairType type) {
        return type == QueuePairType.RAW_PACKET ? 0 : SendForm.SIMPLE;
    }

    /** Posts one request; false when the queue is full. */
    @HotPath
    boolean tryPost(SendRequest request) {
        checkPoster();
        int errno = isQuick(request) ? postQuickly(request) : postCarefully(request);
        return errno == 0 || firstRefused(request, errno) == null;
    }

    @HotPath
    private int postQuickly(SendRequest request) {
        request.checkUsable();
        try {
            return DataPath.firstSend(queue, request.address(), badAddress);
        } finally { // the request's memory, and that of "bad", must not be collected during the call
            Reference.reachabilityFence(request);
            Reference.reachabilityFence(this);
        }
    }

    @HotPath
    private int postCarefully(SendRequest request) {
        checkSingle(request);
        return post(request);
    }

    /** Posts a chain; the first request that was not taken because the queue was full, or null. */
    @HotPath
    SendRequest tryPostChain(SendRequest first) {
        checkPoster();
        checkChain(first);
        int errno = post(first);
        return errno == 0 && !namesOne() ? null : firstRefused(first, errno);
    }

    @HotPath
    private int post(SendRequest first) {
        try {
            return ofFirstDriver
                    ? DataPath.firstSend(queue, first.address(), badAddress)
                    : DataPath.post(function, queue, first.address(), badAddress);
        } finally {
            Reference.reachabilityFence(first);
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Whether a post that returned 0 has named a request all the same. SoftiWARP's driver forgets that the queue got full
     * within a chain when it tells the kernel of what came before (providers/siw/siw.c, siw_post_send).
     */
    @HotPath
    private boolean namesOne() {
        try {
            return NativeMemory.getLong(badAddress & NativeMemory.ANY_ADDRESS) != 0;
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @Override
    @HotPath
    void checkOther(SendRequest request) {
        int kind = request.kind();
        if ((kind & plain) == 0) {
            if ((kind & accepted) == 0) {
                throw request.refused(qp);
            }
            request.checkSpecial(qp.protectionDomain(), qp.maxDatagram());
        }
        if (request.isInline()) {
            checkInline(request);
        }
        super.checkOther(request);
    }

    @HotPath
    private void checkInline(SendRequest request) {
        if (request.messageLength() > maxInline) {
            throw new IllegalArgumentException(request + " is inline, and " + qp + " takes " + maxInline
                    + " bytes so: ask for more by maxInline() when creating it");
        }
        request.checkCopyable();
    }
}
