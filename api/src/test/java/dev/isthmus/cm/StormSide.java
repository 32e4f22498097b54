// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** One side of a storm: what it creates for each connection, and closes again. */
abstract class StormSide implements AutoCloseable {
    final EventChannel channel = EventChannel.open();
    final Set<ConnectionId> open = new HashSet<>();
    final Times times;
    int established;
    private final Map<DeviceContext, ProtectionDomain> domains = new HashMap<>();
    private final Map<DeviceContext, CompletionQueue> queues = new HashMap<>();

    StormSide(Times times) {
        this.times = times;
    }

    abstract void on(CmEvent event);

    void queuePair(ConnectionId id) {
        DeviceContext device = id.device();
        ProtectionDomain pd = domains.computeIfAbsent(device, DeviceContext::allocateProtectionDomain);
        CompletionQueue cq = queues.computeIfAbsent(device, d -> d.createCompletionQueue(4096));
        times.timed(
                "create QP",
                () -> id.createQueuePair(
                        pd, cq, cq, config -> config.maxSendWr(1).maxRecvWr(1)));
    }

    void end(ConnectionId id) {
        QueuePair qp = id.queuePair();
        if (qp != null) {
            times.timed("close QP", qp::close);
        }
        times.timed("close id", id::close);
        open.remove(id);
    }

    @Override
    public void close() {
        Set.copyOf(open).forEach(this::end);
        queues.values().forEach(CompletionQueue::close);
        domains.values().forEach(ProtectionDomain::close);
        channel.close();
    }
}
