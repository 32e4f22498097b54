// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * The state of a queue pair as far as this side knows: an error can have brought it to ERR since. Its owner records what it
 * has reached. rdma_cm announces states on any thread: they are visible at once, and are recorded in the owner's next
 * call. {@link TransitionRules} says which state can follow which.
 */
final class RecordedState {

    private final AtomicReference<QueuePairState> announced = new AtomicReference<>(); // null once it is recorded
    private volatile QueuePairState recorded = QueuePairState.RESET;

    /** The latest state, for any thread. */
    QueuePairState latest() {
        QueuePairState next = announced.get();
        return next == null ? recorded : next;
    }

    /** The state that counts for posts. */
    QueuePairState recorded() {
        return recorded;
    }

    void record(QueuePairState reached) {
        recorded = reached;
    }

    /** Notes that rdma_cm has brought it to a state. Any thread may call it. */
    void announce(QueuePairState reached) {
        announced.set(reached);
    }

    /**
     * Has an announced state recorded, if there is one. Called by the owner of either queue: of two threads, the second
     * waits until it is.
     *
     * @param recording records it, or what the device says instead
     */
    void recordAnnounced(Consumer<QueuePairState> recording) {
        synchronized (announced) {
            QueuePairState next = announced.get();
            if (next != null) {
                recording.accept(next);
                announced.compareAndSet(next, null); // only now, or a thread could see the state before
            }
        }
    }
}
