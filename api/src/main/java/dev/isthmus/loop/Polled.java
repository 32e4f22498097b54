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
     * Does what there is to do, a bounded part of it when there is much. Does not block.
     *
     * @return whether there was anything
     */
    boolean poll();

    /**
     * Prepares a sleep: from now on the descriptor becomes readable when there is something to do.
     *
     * @return false if there is something already, and the thread is not to sleep
     */
    boolean arm();

    /**
     * The descriptor that ends a sleep. It stays the same, and open while a loop has this.
     *
     * @return the number of the file descriptor
     */
    int fileDescriptor();

    /**
     * For how long the thread may sleep: override it if this has deadlines of its own.
     *
     * @param most how long the loop would sleep otherwise
     * @return that, or less
     */
    default Duration longestSleep(Duration most) {
        return most;
    }
}
