package dev.isthmus.loop;

import java.time.Duration;

/**
 * Something that moves only when it is asked to, such as a completion queue that is polled; a UCX worker is one, see {@link
 * dev.isthmus.ucx.UcpContext#createWorker(EventLoop, java.util.function.Consumer)}. The loop asks it on each turn, and
 * lets it say when the thread may sleep.
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
     * For how long the thread may sleep, for what has deadlines of its own.
     *
     * @param most as long as it would sleep
     * @return that, or less
     */
    default Duration longestSleep(Duration most) {
        return most;
    }
}
