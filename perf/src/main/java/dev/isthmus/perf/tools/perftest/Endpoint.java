// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.AddressHandle;
import dev.isthmus.verbs.CompletionChannel;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairConfig;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.SharedReceiveQueue;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Everything that a test has on its device, and the layout of its memory. Belongs to the thread that created it. */
final class Endpoint implements AutoCloseable {

    /** Where the payload of a datagram begins in its buffer, after the room for the header. */
    static final int DATAGRAM_PAYLOAD = 64;

    /** How to reach a peer's queue pair with datagrams. */
    record Target(AddressHandle handle, int qpNum, int qkey) {}

    final Plan plan;
    final PerftestSession.Terms terms;
    private final Deque<AutoCloseable> owned = new ArrayDeque<>();
    private final List<QueuePair> pairs = new ArrayList<>();
    private final List<Target> targets = new ArrayList<>();

    // All of these are there once it is open.
    Setup setup;
    ProtectionDomain pd;
    RegisteredMemory memory;
    CompletionChannel channel; // null when completions are polled for
    CompletionQueue sendQueue;
    CompletionQueue receiveQueue;
    SharedReceiveQueue shared; // null when each queue pair has receives of its own

    Endpoint(Plan plan, PerftestSession.Terms terms) {
        this.plan = plan;
        this.terms = terms;
    }

    /** Creates everything but the queue pairs. */
    void open(DeviceContext context, int port) {
        setup = Setup.of(context, plan, port);
        pd = own(context.allocateProtectionDomain());
        memory = own(pd.allocate(2L * slotBytes() * plan.queues().pairs, access()));
        if (plan.traffic().events) {
            channel = own(context.createCompletionChannel());
        }
        int count = plan.queues().pairs;
        sendQueue = createQueue(context, plan.queues().txDepth * count);
        receiveQueue = plan.isSend() ? createQueue(context, plan.queues().rxDepth * count) : sendQueue;
        if (plan.queues().shared && plan.receives()) {
            shared = own(pd.createSharedReceiveQueue(config -> config.maxWr(plan.queues().rxDepth)));
        }
    }

    private CompletionQueue createQueue(DeviceContext context, int entries) {
        CompletionQueue queue = own(context.createCompletionQueue(entries, config -> {
            if (channel != null) {
                config.channel(channel);
            }
            if (!plan.isSend()) {
                config.sizeUnchecked(); // as in C, queue pairs have room for a receive that is never posted
            }
        }));
        if (channel != null) {
            queue.requestNotify(false);
        }
        return queue;
    }

    private AccessFlag[] access() {
        Set<AccessFlag> flags = new TreeSet<>(Set.of(AccessFlag.LOCAL_WRITE));
        if (!plan.isSend()) {
            flags.addAll(Set.of(plan.test().verb().access()));
        }
        if (plan.place().relaxedOrdering) {
            flags.add(AccessFlag.RELAXED_ORDERING);
        }
        return flags.toArray(AccessFlag[]::new);
    }

    /** Registers a resource to close with this, before those registered earlier. */
    <T extends AutoCloseable> T own(T resource) {
        owned.push(resource);
        return resource;
    }

    void configure(QueuePairConfig config) {
        config.maxSendWr(plan.queues().txDepth).maxInline(setup.inlineBytes());
        if (shared == null) {
            config.maxRecvWr(plan.queues().rxDepth);
        } else {
            config.maxRecvWr(0).sharedReceiveQueue(shared);
        }
    }

    /** Adds a queue pair. */
    QueuePair add(QueuePair pair) {
        pairs.add(pair);
        return pair;
    }

    void add(Target target) {
        targets.add(target);
    }

    /** The size of the part of the memory that one direction of a queue pair has. */
    private long slotBytes() {
        long bytes = Math.max(plan.bytes(), terms.cycleBuffer());
        return Math.ceilDiv(bytes, (long) terms.cacheLine()) * terms.cacheLine() + DATAGRAM_PAYLOAD;
    }

    /** Where what a queue pair sends begins. */
    long sendOffset(int pair) {
        return pair * slotBytes();
    }

    /** Where what a queue pair receives, or what its peer reads and writes, begins. */
    long receiveOffset(int pair) {
        return (plan.queues().pairs + pair) * slotBytes();
    }

    /** How far apart messages of a size lie, so that none shares a cache line. */
    int stride(int bytes) {
        int line = terms.cacheLine();
        return bytes > line ? Math.ceilDiv(bytes, line) * line : line;
    }

    /** In how many places in turn messages of a bandwidth test lie. */
    int places(int bytes) {
        boolean cycles = plan.test().isBandwidth() && bytes <= terms.cycleBuffer() / 2;
        return cycles ? terms.cycleBuffer() / stride(bytes) : 1;
    }

    QueuePair pair(int index) {
        return pairs.get(index);
    }

    Target target(int index) {
        return targets.get(index);
    }

    /** Closes everything; throws the first failure once the rest is closed, too. */
    @Override
    public void close() {
        RuntimeException failure = null;
        while (!owned.isEmpty()) {
            try {
                owned.pop().close();
            } catch (Exception e) {
                var wrapped = e instanceof RuntimeException unchecked ? unchecked : new IllegalStateException(e);
                if (failure == null) {
                    failure = wrapped;
                } else {
                    failure.addSuppressed(wrapped);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
