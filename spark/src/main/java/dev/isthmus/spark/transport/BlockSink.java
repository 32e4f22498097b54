// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Takes a long block that does not stay in memory, part by part and in order. Threads that may block call it, one at a
 * time. The last call is either {@link #complete} or {@link #discard}.
 */
public interface BlockSink {

    /**
     * Takes the next part.
     *
     * @param part its bytes, valid during the call
     * @throws IOException if it cannot be stored; then the block has failed
     */
    void write(ByteBuffer part) throws IOException;

    /**
     * All parts were written. {@link FetchListener#stored} follows.
     *
     * @throws IOException if it cannot be stored; then the block has failed
     */
    void complete() throws IOException;

    /** The block is not wanted any more. Some of its parts, or none, may have been written. */
    void discard();
}
