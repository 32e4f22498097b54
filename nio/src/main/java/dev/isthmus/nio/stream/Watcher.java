// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

/**
 * Is notified of changes of a channel, as the key of a selector is. Called on any thread, with the channel's locks
 * held.
 */
public interface Watcher {

    /** The channel's readiness may have changed. Does not block, and looks at the channel later. */
    void changed();

    /**
     * The channel is about to be closed. When this returns, the watcher no longer waits for the channel's descriptor.
     */
    void closing();
}
