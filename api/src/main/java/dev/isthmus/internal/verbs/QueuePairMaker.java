// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

import dev.isthmus.internal.Lifetime;
import java.lang.foreign.MemorySegment;

/**
 * Makes the C object of a queue pair instead of verbs, and destroys it: librdmacm makes queue pairs of its own. Given to the
 * queue pair's configuration.
 */
public interface QueuePairMaker {

    /**
     * Makes it.
     *
     * @param pd the {@code struct ibv_pd}
     * @param attributes a filled {@code struct ibv_qp_init_attr_ex}, whose beginning is a {@code struct
     *     ibv_qp_init_attr}; what was granted is written to it
     * @param extended whether more of it counts than the beginning
     * @param what the object and the arguments that matter, for messages
     * @return the {@code struct ibv_qp}
     */
    MemorySegment create(MemorySegment pd, MemorySegment attributes, boolean extended, String what);

    /** Destroys it, or throws. */
    void destroy();

    /** What must stay open as long as the queue pair is. */
    Lifetime parent();

    /** The port that it is at. */
    int port();

    /** The {@code enum ibv_qp_state} that it is made in. */
    int initialState();
}
