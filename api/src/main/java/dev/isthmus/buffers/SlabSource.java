// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import java.lang.foreign.MemorySegment;

/**
 * Where the slabs of a pool come from.
 *
 * @param <M> memory that devices may reach
 */
interface SlabSource<M> {

    /** Allocates and registers; any thread may use the memory. */
    M allocate(long bytes);

    /** The memory, to be read and written. */
    MemorySegment segment(M memory);

    /** Takes the memory from the devices, and frees it; if it throws, nothing has changed. */
    void free(M memory);
}
