// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.loop;

/**
 * Something that has events, and a file descriptor that signals them, such as a {@link dev.isthmus.cm.EventChannel} or
 * a {@link dev.isthmus.verbs.CompletionChannel}. You can implement your own.
 *
 * @param <E> its events
 */
public interface Source<E> {

    /**
     * The descriptor, which is readable while there are events. While a loop has this, the descriptor stays the same,
     * and open.
     *
     * @return the number of the file descriptor
     */
    int fileDescriptor();

    /**
     * Takes an event, if there is one. Does not block.
     *
     * @return the event; null if there is none
     */
    E poll();
}
