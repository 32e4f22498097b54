// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.verbs.CompletionChannel;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.ProtectionDomain;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/** What the streams of a group share on one device. Guarded by the group's lock. */
final class GroupDevice {

    /** For some tens of streams with queues of the usual size, and less than any card allows. */
    private static final int QUEUE_ENTRIES = 1 << 15;

    private static final BitSet NUMBERS = new BitSet(); // of those that are open; guarded by itself

    private final DeviceContext context;
    private final ReentrantLock lock;
    private final ProtectionDomain pd;
    private final CompletionChannel channel;
    private final int number = takeNumber();
    private final List<SendMemory> registered = new ArrayList<>();
    private final List<GroupQueue> queues = new ArrayList<>(); // another one once these have no room

    GroupDevice(DeviceContext context, ReentrantLock lock) {
        this.context = context;
        this.lock = lock;
        this.pd = context.allocateProtectionDomain();
        boolean made = false;
        try {
            this.channel = context.createCompletionChannel();
            made = true;
        } finally {
            if (!made) {
                pd.close();
            }
        }
    }

    private static int takeNumber() {
        synchronized (NUMBERS) {
            int number = NUMBERS.nextClearBit(0);
            NUMBERS.set(number);
            return number;
        }
    }

    DeviceContext context() {
        return context;
    }

    ProtectionDomain pd() {
        return pd;
    }

    /** Its number, which no other open one has. */
    int number() {
        return number;
    }

    /** Keeps memory's region until this is closed. */
    void registered(SendMemory memory) {
        registered.add(memory);
    }

    CompletionChannel channel() {
        return channel;
    }

    Stream<GroupQueue> queues() {
        return queues.stream();
    }

    /** Reserves room for a stream in one of the queues. */
    GroupQueue join(int requests) {
        for (GroupQueue each : queues) {
            if (each.join(requests)) {
                return each;
            }
        }
        int most = context.attributes().maxCqe();
        int entries = Math.max(requests, Math.min(QUEUE_ENTRIES, most));
        CompletionQueue completions = context.createCompletionQueue(
                entries, config -> config.channel(channel).sizeUnchecked().direct(false));
        completions.shareUnder(lock);
        var made = new GroupQueue(this, completions, entries);
        queues.add(made);
        boolean fits = made.join(requests);
        assert fits;
        return made;
    }

    /** Takes all events of the channel. */
    void takeEvents() {
        for (CompletionQueue from = channel.poll(); from != null; from = channel.poll()) {
            disarmed(from);
        }
    }

    @SuppressWarnings("ReferenceEquality") // a queue equals only itself
    private void disarmed(CompletionQueue from) {
        for (GroupQueue each : queues) {
            if (each.completions() == from) {
                each.disarmed();
            }
        }
    }

    /** Another has taken an event of the channel. Queues that have sent none send one more at most. */
    void eventTaken() {
        queues.forEach(GroupQueue::disarmed);
        takeEvents();
    }

    void close() {
        queues.forEach(each -> Link.close(each.completions()));
        Link.close(channel);
        registered.forEach(each -> each.deregister(number));
        registered.clear();
        Link.close(pd);
        synchronized (NUMBERS) {
            NUMBERS.clear(number);
        }
    }
}
