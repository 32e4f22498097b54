// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import dev.isthmus.loop.Epoll;
import dev.isthmus.nio.stream.Watchers;

/** A channel as selectors see it. Thread-safe. */
abstract class Selectable {

    private final Watchers watchers = new Watchers();

    /** The watchers, which are notified when its readiness may have changed. */
    final Watchers watchers() {
        return watchers;
    }

    /** The descriptor to wait for; -1 if there is none yet, or none at all, as watchers are notified of all changes. */
    int fileDescriptor() {
        return -1;
    }

    /** The {@link Epoll} operations to wait for, given those of a key. */
    int awaited(int operations) {
        return Epoll.READABLE;
    }

    /** Whether only the descriptor shows its readiness. */
    boolean isForeign() {
        return false;
    }

    /** The descriptor was found ready. */
    void takeEvent() {}

    /**
     * Finds what can be done without waiting.
     *
     * @param operations the wanted operations of {@link java.nio.channels.SelectionKey}
     * @param found what {@link Epoll} has found since the last call; 0 for nothing
     * @param arm if nothing can be done, whether the descriptor or the watchers are to report when that may
     *     have changed
     * @return the operations that can be done
     */
    abstract int ready(int operations, int found, boolean arm);

    /** A selector has released it. */
    void deregistered() {}
}
