// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import dev.isthmus.loop.Epoll;
import dev.isthmus.nio.stream.Watchers;

/** What selectors see of a channel. Thread-safe. */
abstract class Selectable {

    private final Watchers watchers = new Watchers();

    /** Who is told when what it is ready for may have changed. */
    final Watchers watchers() {
        return watchers;
    }

    /** The descriptor to wait for; -1 if there is none yet, or none at all, as the watchers are told of all that happens. */
    int fileDescriptor() {
        return -1;
    }

    /** For what of {@link Epoll} to wait, of operations of a key. */
    int awaited(int operations) {
        return Epoll.READABLE;
    }

    /** Whether only the descriptor tells what it is ready for. */
    boolean isForeign() {
        return false;
    }

    /** The descriptor was found ready. */
    void takeEvent() {}

    /**
     * Looks what can be done without waiting.
     *
     * @param operations what is asked for, of {@link java.nio.channels.SelectionKey}
     * @param found what {@link Epoll} has found since this was called last; 0 for nothing
     * @param arm whether, if nothing can be done, the descriptor or the watchers tell when that may have changed
     * @return what of it can be done
     */
    abstract int ready(int operations, int found, boolean arm);

    /** A selector has let it go. */
    void deregistered() {}
}
