// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.loop;

/** What {@link EventLoop#add} returns: the loop serves something until this, or the loop, is closed. */
public interface Registration extends AutoCloseable {

    /**
     * Stops the service. A handler that is running on another thread still runs to its end. Thread-safe. Does not
     * block. Does nothing if it was called before, or the loop is closed.
     */
    @Override
    void close();
}
