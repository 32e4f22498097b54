// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Queue pairs of side a of an {@link RcPair}, connected to as many of side b that share a receive queue. */
final class SharedPair implements AutoCloseable {

    final SharedReceiveQueue srq;
    final List<QueuePair> senders = new ArrayList<>();
    final List<QueuePair> receivers = new ArrayList<>();

    private final RcPair pair = RcPair.ofDriver(config -> {});

    private SharedPair(int count, BiConsumer<RcPair.Side, SharedReceiveQueueConfig> configure) {
        boolean complete = false;
        try {
            srq = b().pd.createSharedReceiveQueue(config -> configure.accept(b(), config));
            for (int i = 0; i < count; i++) {
                connect();
            }
            complete = true;
        } finally {
            if (!complete) {
                pair.close();
            }
        }
    }

    static SharedPair open(int count, Consumer<SharedReceiveQueueConfig> configure) {
        return new SharedPair(count, (side, config) -> configure.accept(config));
    }

    /** A queue whose configuration needs objects of its own side. */
    static SharedPair on(int count, BiConsumer<RcPair.Side, SharedReceiveQueueConfig> configure) {
        return new SharedPair(count, configure);
    }

    private void connect() {
        QueuePair from = a().pd.createQueuePair(QueuePairType.RC, a().cq, a().cq);
        senders.add(from);
        QueuePair to =
                b().pd.createQueuePair(QueuePairType.RC, b().cq, b().cq, config -> config.sharedReceiveQueue(srq));
        receivers.add(to);
        from.connect(a().gid, to.address(b().gid));
        to.connect(b().gid, from.address(a().gid));
    }

    RcPair.Side a() {
        return pair.a;
    }

    RcPair.Side b() {
        return pair.b;
    }

    Arena arena() {
        return pair.arena();
    }

    @Override
    public void close() {
        senders.forEach(QueuePair::close);
        receivers.forEach(QueuePair::close);
        srq.close();
        pair.close();
    }
}
