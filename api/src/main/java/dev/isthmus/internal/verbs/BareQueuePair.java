// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

import dev.isthmus.internal.Lifetime;
import java.lang.foreign.MemorySegment;

/**
 * What a queue pair is made from that has no queues of its own, since receives are posted elsewhere: in an XRC domain, or to
 * the work queues of a table. Another package makes it in C.
 *
 * @param context the open device
 * @param domain the protection domain; null for none
 * @param type {@code enum ibv_qp_type}
 * @param parent what must stay open as long as the queue pair is, besides the domain
 * @param create makes it in C
 */
public record BareQueuePair(Object context, Object domain, int type, Lifetime parent, Creation create) {

    /** Makes a queue pair in C. */
    public interface Creation {

        /**
         * Makes it, or throws.
         *
         * @param call the call
         * @param what the object, for messages
         * @return the {@code struct ibv_qp}
         */
        MemorySegment create(VerbsCall call, String what);
    }
}
