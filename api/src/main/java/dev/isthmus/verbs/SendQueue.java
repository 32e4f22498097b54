// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.NativeMemory;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.internal.mlx5.DirectQueues;
import dev.isthmus.internal.mlx5.PreparedEntry;
import dev.isthmus.internal.mlx5.SendRing;
import dev.isthmus.internal.verbs.DataPath;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * Posts a queue pair's send requests, to the first opened device's driver or to {@linkplain OfAnotherDriver another}.
 */
sealed class SendQueue extends PostQueue<SendRequest> {

    private final QueuePair qp;
    private final int accepted; // the kinds that the queue pair's type accepts
    private final boolean rawPackets;
    final long queue;
    private int maxInline;

    private SendQueue(QueuePair qp, OwnerThread owner, Runnable mayPost, MemorySegment function) {
        super("ibv_post_send", qp, owner, mayPost, qp.protectionDomain(), DataPath.queuesBeforeNotifying(function));
        this.qp = qp;
        this.accepted = SendForm.accepted(qp.type());
        this.rawPackets = qp.type() == QueuePairType.RAW_PACKET;
        this.queue = qp.handle().address();
    }

    /**
     * Creates a queue.
     *
     * @param owner its owner
     * @param mayPost throws if the queue pair cannot send
     * @param function the address of ibv_post_send
     * @param direct what Java itself writes to; null if C posts
     */
    static SendQueue of(
            QueuePair qp, OwnerThread owner, Runnable mayPost, MemorySegment function, DirectQueues direct) {
        if (direct != null) {
            return new Direct(qp, owner, mayPost, function, direct);
        }
        return DataPath.isFirstSend(function)
                ? new SendQueue(qp, owner, mayPost, function)
                : new OfAnotherDriver(qp, owner, mayPost, function);
    }

    /** Sets its capacities. */
    void setCapabilities(QueuePairCapabilities capabilities) {
        // Some drivers would post to a queue that does not exist.
        setCapacities(qp.type().sends() ? capabilities.maxSendWr() : 0, capabilities.maxSendSge());
        maxInline = capabilities.maxInline();
    }

    /** Posts one request; returns false if the queue is full. */
    @HotPath
    boolean tryPost(SendRequest request) {
        if (!isValidated(request)) {
            inspect(request);
        }
        request.checkUsable();
        int errno = post(request);
        return errno == 0 || firstRefused(request, errno) == null;
    }

    /** Posts a chain; returns the first request that was not taken because the queue is full, or null. */
    @HotPath
    SendRequest tryPostChain(SendRequest first) {
        inspectChain(first);
        int errno = post(first);
        return errno == 0 && !namesOne() ? null : firstRefused(first, errno);
    }

    @HotPath
    private int post(SendRequest first) {
        try {
            return call(first);
        } finally { // the request's memory, and that of "bad", must not be collected during the call
            Reference.reachabilityFence(first);
            Reference.reachabilityFence(this);
        }
    }

    /** Calls C. Overridden for other drivers, for the JIT: docs/instructions.md, "Lines written for the JIT". */
    @HotPath
    int call(SendRequest first) {
        return DataPath.send(queue, first.address(), badAddress);
    }

    /**
     * Whether a post that returned 0 has named a request all the same. If the queue gets full within a
     * chain, SoftiWARP's driver forgets that when it tells the kernel of the earlier requests
     * (providers/siw/siw.c, siw_post_send).
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
    void checkKind(SendRequest request) {
        if ((request.kind() & accepted) == 0) {
            throw request.refused(qp);
        }
        request.check(qp, maxInline, rawPackets);
    }

    private static final class OfAnotherDriver extends SendQueue {

        private final MemorySegment function;

        OfAnotherDriver(QueuePair qp, OwnerThread owner, Runnable mayPost, MemorySegment function) {
            super(qp, owner, mayPost, function);
            this.function = function;
        }

        @Override
        @HotPath
        int call(SendRequest first) {
            return DataPath.post(function, queue, first.address(), badAddress);
        }
    }

    /** Writes the requests to the card's queue, without a call of C. */
    private static final class Direct extends SendQueue {

        private final DirectQueues queues;

        Direct(QueuePair qp, OwnerThread owner, Runnable mayPost, MemorySegment function, DirectQueues queues) {
            super(qp, owner, mayPost, function);
            this.queues = queues;
        }

        @Override
        @HotPath
        int call(SendRequest first) {
            SendRing ring = queues.sends();
            return first.next() == null ? postOne(ring, first) : postChain(ring, first);
        }

        @HotPath
        private int postOne(SendRing ring, SendRequest request) {
            PreparedEntry prepared = request.prepared();
            int errno;
            if (ring.has(prepared)) {
                errno = ring.post(prepared, request.wrId());
            } else {
                errno = ring.append(request.address(), request.vector(queues.library()));
                if (errno == 0) {
                    ring.notifyCard(1);
                    ring.remember(prepared);
                }
            }
            if (errno != 0) {
                refuse(request);
            }
            return errno;
        }

        @HotPath
        private int postChain(SendRing ring, SendRequest first) {
            int written = 0;
            int errno = 0;
            SendRequest request = first;
            while (request != null) {
                errno = ring.append(request.address(), request.vector(queues.library()));
                if (errno != 0) {
                    refuse(request);
                    break;
                }
                written++;
                request = request.next();
            }
            if (written > 0) {
                ring.notifyCard(written);
            }
            return errno;
        }

        @Override
        @HotPath
        void checkKind(SendRequest request) {
            super.checkKind(request);
            switch (request.opcode()) {
                case BIND_MW, LOCAL_INV, TSO ->
                    throw new IllegalArgumentException(of() + " is direct, and does not do " + request.opcode()
                            + ": create it with direct(false)");
                default -> {}
            }
        }
    }
}
