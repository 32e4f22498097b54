// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

/**
 * Gets the outcome of each block of a request, once. It runs on the transport's thread, or on that of {@link
 * Transport#fetch}'s caller if the transport is closed, and must not block. If it throws, the exception is logged and
 * {@link #failed} is called for that block.
 */
public interface FetchListener {

    /**
     * A block has arrived.
     *
     * @param index its place in the request
     * @param block the block, with one reference that the listener releases
     */
    void received(int index, Received block);

    /**
     * A long block is complete in its {@link BlockSink}.
     *
     * @param index its place in the request
     */
    default void stored(int index) {
        throw new UnsupportedOperationException(
                "block " + index + " went to a sink, which this listener does not expect");
    }

    /**
     * A block will not come.
     *
     * @param index its place in the request
     * @param why the reason
     */
    void failed(int index, Exception why);

    /**
     * A block must be fetched by other means: the peer says so, or cannot be asked.
     *
     * @param index its place in the request
     * @param why the reason
     */
    void refused(int index, String why);
}
