// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.loop;

import java.time.Duration;

/**
 * Something that advances only when it is polled, such as a completion queue. The loop polls it on each turn, and arms it
 * before it sleeps. For a UCX worker use {@link
 * dev.isthmus.ucx.UcpContext#createWorker(EventLoop, java.util.function.Consumer)}.
 */
public interface Polled {

    /**
     * Does what is ready; if there is much, a bounded part of it. Does not block.
     *
     * @return whether there was anything
     */
    boolean poll();

    /**
     * Prepares a sleep: from now on the descriptor becomes readable when there is something to do.
     *
     * @return false if there is something to do already, so that the thread must not sleep
     */
    boolean arm();

    /**
     * The descriptor that ends a sleep. While a loop has this, the descriptor stays the same, and open.
     *
     * @return the number of the file descriptor
     */
    int fileDescriptor();

    /**
     * How long the thread may sleep. Override it if this has deadlines of its own.
     *
     * @param most how long the loop would sleep otherwise
     * @return that, or less
     */
    default Duration longestSleep(Duration most) {
        return most;
    }
}
