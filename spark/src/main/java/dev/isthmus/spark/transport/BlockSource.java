// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import java.io.IOException;
import java.nio.file.Path;

/** Knows where the blocks of this process are. Several threads call it at once, and may block. */
@FunctionalInterface
public interface BlockSource {

    /**
     * A range of a file.
     *
     * @param file its path
     * @param offset the offset of the range in bytes
     * @param length the length of the range in bytes
     */
    record Range(Path file, long offset, long length) {}

    /**
     * Finds a block.
     *
     * @param block what a peer asks for, which need not exist
     * @return where it is; null if it is in no file, so that peers must fetch it by other means
     * @throws IOException if it does not exist
     */
    Range find(BlockKey block) throws IOException;
}
