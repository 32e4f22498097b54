// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

import dev.isthmus.internal.Lifetime;
import java.lang.foreign.MemorySegment;

/**
 * Creates and destroys the C object of a queue pair instead of verbs, as librdmacm creates its own queue pairs. Given
 * to the queue pair's configuration.
 */
public interface QueuePairFactory {

    /**
     * Creates it.
     *
     * @param pd the {@code struct ibv_pd}
     * @param attributes a filled {@code struct ibv_qp_init_attr_ex}, which begins with a
     *     {@code struct ibv_qp_init_attr}; receives the granted values
     * @param extended whether more than its beginning counts
     * @param what the object and the arguments that matter, for messages
     * @return the {@code struct ibv_qp}
     */
    MemorySegment create(MemorySegment pd, MemorySegment attributes, boolean extended, String what);

    /** Destroys it, or throws. */
    void destroy();

    /** What must stay open as long as the queue pair. */
    Lifetime parent();

    /** Its port. */
    int port();

    /** The {@code enum ibv_qp_state} in which it is created. */
    int initialState();
}
