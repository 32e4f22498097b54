// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import dev.isthmus.nio.stream.Watcher;
import java.util.concurrent.atomic.AtomicInteger;

/** A channel, chosen later, as selectors see it: nothing at first, and then the chosen channel. */
final class SwitchedSelectable extends Selectable implements Watcher {

    private final AtomicInteger pauses = new AtomicInteger();
    private volatile Selectable chosen; // null until then

    /** Sets the chosen channel, which selectors see from now on. Does nothing if they do already. */
    synchronized void choose(Selectable one) {
        if (chosen == null) {
            one.watchers().add(this);
            chosen = one;
            watchers().changed();
        }
    }

    /** Keeps selectors from its descriptor, which may be closed at any moment until {@link #resume}. */
    void pause() {
        pauses.incrementAndGet();
        watchers().closing();
    }

    /** Ends a pause, after which the channel may have changed. */
    void resume() {
        pauses.decrementAndGet();
        watchers().changed();
    }

    boolean isChosen() {
        return chosen != null;
    }

    @Override
    public void changed() {
        watchers().changed();
    }

    @Override
    public void closing() {
        watchers().closing();
    }

    @Override
    int fileDescriptor() {
        Selectable one = chosen;
        return one == null || pauses.get() > 0 ? -1 : one.fileDescriptor();
    }

    @Override
    int awaited(int operations) {
        Selectable one = chosen;
        return one == null ? 0 : one.awaited(operations);
    }

    @Override
    boolean isForeign() {
        Selectable one = chosen;
        return one != null && one.isForeign();
    }

    @Override
    void takeEvent() {
        Selectable one = chosen;
        if (one != null) {
            one.takeEvent();
        }
    }

    @Override
    int ready(int operations, int found, boolean arm) {
        Selectable one = chosen;
        return one == null ? 0 : one.ready(operations, found, arm);
    }

    @Override
    void deregistered() {
        Selectable one = chosen;
        if (one != null) {
            one.deregistered();
        }
    }
}
