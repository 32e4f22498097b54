// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import java.lang.foreign.MemorySegment;

/**
 * Gives a driver the memory for its queues: the {@code alloc} and {@code free} of
 * {@code struct ibv_parent_domain_init_attr}. The driver calls both on the thread that creates or closes a queue pair,
 * completion queue or similar object in a {@link ParentDomain}. They must not create or close verbs objects themselves.
 *
 * <p>Their exceptions do not reach the driver, which gets no memory: see {@link ParentDomain#allocatorFailure}.
 */
public interface DomainAllocator {

    /**
     * Allocates memory that the device and the driver may use until {@link #free} is called with it.
     *
     * @param bytes the least size
     * @param alignment of its address: a power of two
     * @param resourceType what it is for, as the driver numbers it
     * @return native memory, writable from any thread, whose arena the allocator keeps open until it is freed; or null
     *     to let the driver allocate it itself ({@code IBV_ALLOCATOR_USE_DEFAULT})
     */
    MemorySegment allocate(long bytes, long alignment, long resourceType);

    /**
     * Takes memory back.
     *
     * @param memory the segment that {@link #allocate} returned
     * @param resourceType what it was allocated for
     */
    void free(MemorySegment memory, long resourceType);
}
