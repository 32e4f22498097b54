// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

/** Who hears of a channel, such as the key of a selector. Called on any thread, with locks of the channel held. */
public interface Watcher {

    /** What the channel is ready for may have changed. Does not block, and asks later. */
    void changed();

    /** The channel is about to be closed: when this returns, nobody waits for its descriptor any more. */
    void closing();
}
