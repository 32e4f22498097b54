// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import java.util.Arrays;

/** The watchers of a channel. Thread-safe. */
@SuppressWarnings("ReferenceEquality") // a watcher equals only itself
public final class Watchers {

    private static final Watcher[] NONE = {};

    private volatile Watcher[] all = NONE;

    /** Creates an empty set. */
    public Watchers() {}

    /**
     * Adds a watcher.
     *
     * @param watcher the watcher, which is notified from now on
     */
    public synchronized void add(Watcher watcher) {
        Watcher[] more = Arrays.copyOf(all, all.length + 1);
        more[all.length] = watcher;
        all = more;
    }

    /**
     * Removes a watcher, or does nothing if it is not there.
     *
     * @param watcher the watcher, which a thread that is notifying all of them may still notify
     */
    public synchronized void remove(Watcher watcher) {
        all = Arrays.stream(all).filter(each -> each != watcher).toArray(Watcher[]::new);
    }

    /** Notifies all that something may have changed. */
    public void changed() {
        for (Watcher each : all) {
            each.changed();
        }
    }

    /** Notifies all that the channel is about to be closed. */
    public void closing() {
        for (Watcher each : all) {
            each.closing();
        }
    }
}
