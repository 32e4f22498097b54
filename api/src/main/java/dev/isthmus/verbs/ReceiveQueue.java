// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.internal.mlx5.DirectQueues;
import dev.isthmus.internal.mlx5.ReceiveRing;
import dev.isthmus.internal.verbs.DataPath;
import dev.isthmus.internal.verbs.Receives;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * Posts receives, to a queue pair's own queue with the first opened device's driver, or to
 * {@linkplain OfAnother another} queue: of another driver, a shared one, or a work queue.
 */
sealed class ReceiveQueue extends PostQueue<ReceiveRequest> implements Receives<ReceiveRequest> {

    final MemorySegment function;
    final long queue;

    private ReceiveQueue(
            String call,
            Object of,
            OwnerThread owner,
            Runnable mayPost,
            ProtectionDomain pd,
            MemorySegment function,
            long queue) {
        super(call, of, owner, mayPost, pd, false);
        this.function = function;
        this.queue = queue;
    }

    /**
     * Creates a queue.
     *
     * @param call the C function, for messages
     * @param of the object that has it, for messages
     * @param owner its owner
     * @param mayPost throws if its state does not allow posting
     * @param pd the domain of the buffers
     * @param function the function's address
     * @param queue the address of the queue, for the function
     */
    static ReceiveQueue of(
            String call,
            Object of,
            OwnerThread owner,
            Runnable mayPost,
            ProtectionDomain pd,
            MemorySegment function,
            long queue) {
        return DataPath.isFirstReceive(function)
                ? new ReceiveQueue(call, of, owner, mayPost, pd, function, queue)
                : new OfAnother(call, of, owner, mayPost, pd, function, queue);
    }

    /** The receive queue of a queue pair that Java itself writes to. */
    static ReceiveQueue direct(
            QueuePair qp, OwnerThread owner, Runnable mayPost, MemorySegment function, DirectQueues queues) {
        return new Direct(qp, owner, mayPost, function, queues);
    }

    /** Posts one request; returns false if the queue is full. */
    @Override
    @HotPath
    public boolean tryPost(ReceiveRequest request) {
        if (!isValidated(request)) {
            inspect(request);
        }
        request.checkUsable();
        int errno = post(request, 1);
        return errno == 0 || firstRefused(request, errno) == null;
    }

    /** Posts a chain; returns the first request that was not taken because the queue is full, or null. */
    @Override
    @HotPath
    public ReceiveRequest tryPostChain(ReceiveRequest first) {
        int requests = inspectChain(first);
        int errno = post(first, requests);
        return errno == 0 ? null : firstRefused(first, errno);
    }

    @HotPath
    private int post(ReceiveRequest first, int requests) {
        try {
            return call(first, requests);
        } finally { // the request's memory, and that of "bad", must not be collected during the call
            Reference.reachabilityFence(first);
            Reference.reachabilityFence(this);
        }
    }

    /** Calls C. Overridden for other drivers, for the JIT: docs/instructions.md, "Lines written for the JIT". */
    @HotPath
    int call(ReceiveRequest first, int requests) {
        return DataPath.receive(function, requests, queue, first.address(), badAddress);
    }

    @Override
    @HotPath
    void checkKind(ReceiveRequest request) {
        request.checkDomain(pd(), of());
    }

    private static final class OfAnother extends ReceiveQueue {

        OfAnother(
                String call,
                Object of,
                OwnerThread owner,
                Runnable mayPost,
                ProtectionDomain pd,
                MemorySegment function,
                long queue) {
            super(call, of, owner, mayPost, pd, function, queue);
        }

        @Override
        @HotPath
        int call(ReceiveRequest first, int requests) {
            return DataPath.post(function, queue, first.address(), badAddress);
        }
    }

    /** Writes the receives to the card's queue, without a call of C. */
    private static final class Direct extends ReceiveQueue {

        private final DirectQueues queues;

        Direct(QueuePair qp, OwnerThread owner, Runnable mayPost, MemorySegment function, DirectQueues queues) {
            super(
                    "ibv_post_recv",
                    qp,
                    owner,
                    mayPost,
                    qp.protectionDomain(),
                    function,
                    qp.handle().address());
            this.queues = queues;
        }

        @Override
        @HotPath
        int call(ReceiveRequest first, int requests) {
            ReceiveRing ring = queues.receives();
            int errno = 0;
            ReceiveRequest request = first;
            while (request != null) {
                errno = ring.append(request.address());
                if (errno != 0) {
                    refuse(request);
                    break;
                }
                request = request.next();
            }
            ring.notifyCard();
            return errno;
        }
    }
}
