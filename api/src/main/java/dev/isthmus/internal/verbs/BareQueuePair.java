// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

import dev.isthmus.internal.Lifetime;
import java.lang.foreign.MemorySegment;

/**
 * What is needed for a queue pair without queues of its own, whose receives are posted elsewhere: in an XRC domain, or
 * to the work queues of a table. Another package creates it in C.
 *
 * @param context the open device
 * @param domain the protection domain; null for none
 * @param type {@code enum ibv_qp_type}
 * @param parent what must stay open as long as the queue pair, besides the domain
 * @param create creates it in C
 */
public record BareQueuePair(Object context, Object domain, int type, Lifetime parent, Creation create) {

    /** Creates a queue pair in C. */
    public interface Creation {

        /**
         * Creates it, or throws.
         *
         * @param call the call
         * @param what the object, for messages
         * @return the {@code struct ibv_qp}
         */
        MemorySegment create(VerbsCall call, String what);
    }
}
