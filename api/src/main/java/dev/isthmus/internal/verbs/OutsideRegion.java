// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

import dev.isthmus.internal.Lifetime;
import java.lang.foreign.MemorySegment;

/**
 * What is needed for a memory region that does not cover this process's memory, but something of another package, such
 * as memory on the device. Its addresses count from 0.
 *
 * @param domain the protection domain
 * @param length bytes
 * @param access {@code enum ibv_access_flags}, or'ed
 * @param of what it covers, for messages
 * @param parent what must stay open as long as the region
 * @param create creates it in C
 */
public record OutsideRegion(Object domain, long length, int access, Object of, Lifetime parent, Creation create) {

    /** Creates a region in C. */
    public interface Creation {

        /**
         * Creates it, or throws.
         *
         * @param call the call
         * @param what the object and the arguments that matter, for messages
         * @return the {@code struct ibv_mr}
         */
        MemorySegment create(VerbsCall call, String what);
    }
}
