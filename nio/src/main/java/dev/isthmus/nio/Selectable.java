package dev.isthmus.nio;

import dev.isthmus.nio.stream.Stream;
import dev.isthmus.nio.stream.Watchers;

/** What selectors see of a channel. Thread-safe. */
abstract class Selectable {

    private final Watchers watchers = new Watchers();

    /** Who is told when what it is ready for may have changed. */
    final Watchers watchers() {
        return watchers;
    }

    /** What has a descriptor to wait for; null if nothing has, and the watchers are told of all that happens. */
    Stream stream() {
        return null;
    }

    /**
     * Looks what can be done without waiting.
     *
     * @param operations what is asked for, of {@link java.nio.channels.SelectionKey}
     * @param arm whether, if nothing can be done, the stream's descriptor or the watchers tell when that may have changed
     * @return what of it can be done
     */
    abstract int ready(int operations, boolean arm);
}
