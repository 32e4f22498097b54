// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import java.util.List;
import java.util.function.IntFunction;

/** Fetches blocks from peers, and serves them the blocks of this process. Any thread may call it. */
public sealed interface BlockTransport extends AutoCloseable permits Transport, VerbsTransport {

    /**
     * Where peers with the same kind of transport reach this one.
     *
     * @return the node to tell them
     */
    Node node();

    /**
     * The counters.
     *
     * @return live counters
     */
    Figures figures();

    /**
     * How much memory is registered.
     *
     * @return bytes
     */
    long pinnedBytes();

    /**
     * How many slices of received and of served blocks are in use.
     *
     * @return their number
     */
    long slicesOut();

    /**
     * Fetches blocks from a peer, and connects to it first if necessary. The listener is told once of each block, when
     * it has arrived or has failed.
     *
     * @param from the peer
     * @param blocks any number
     * @param listener called on the transport's thread, or on the caller's if the transport is closed
     */
    default void fetch(Node from, List<BlockKey> blocks, FetchListener listener) {
        fetch(from, blocks, listener, null);
    }

    /**
     * Fetches blocks of any length, which go to sinks, but for those that are empty or come with an answer. Otherwise like
     * {@link #fetch(Node, List, FetchListener)}.
     *
     * @param from the peer
     * @param blocks any number
     * @param listener as there
     * @param sinks creates the sink of a block, by its index in the list; called at most once for each, on the transport's
     *     thread, and must not block. Null if blocks go to memory
     */
    void fetch(Node from, List<BlockKey> blocks, FetchListener listener, IntFunction<BlockSink> sinks);

    /**
     * Ends all connections, and frees all memory. Blocks for seconds at most. Does nothing if this is closed already.
     *
     * @throws IllegalStateException if received blocks are still held; you can try again
     */
    @Override
    void close();
}
