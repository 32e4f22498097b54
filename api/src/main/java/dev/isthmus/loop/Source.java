// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.loop;

/**
 * Something that has events, and a file descriptor that tells of them, such as a {@link dev.isthmus.cm.EventChannel} or a
 * {@link dev.isthmus.verbs.CompletionChannel}. A program can have its own.
 *
 * @param <E> its events
 */
public interface Source<E> {

    /**
     * The descriptor, which is readable while there are events. It stays the same, and open while a loop has this.
     *
     * @return the number of the file descriptor
     */
    int fileDescriptor();

    /**
     * Takes an event if there is one. Does not block.
     *
     * @return the event; null when there is none
     */
    E poll();
}
