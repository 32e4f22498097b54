// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import java.lang.foreign.MemorySegment;

/**
 * How a cache registers memory.
 *
 * @param <M> memory that devices may reach
 */
interface Registrar<M> {

    /** Registers the whole segment, or throws. */
    M register(MemorySegment segment);

    /** Takes the memory from the devices; if it throws, nothing has changed. */
    void deregister(M memory);

    /** Whether devices may write to registered memory, so that read-only memory is refused. */
    boolean isWritable();

    /** Whether a registration failed because too much is registered. */
    boolean isLimitReached(RuntimeException e);
}
