// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

import dev.isthmus.internal.Lifetime;
import java.lang.foreign.MemorySegment;

/**
 * What a memory region is made from that is not of this process's memory, but of something that another package has, such as
 * memory on the device. Its addresses count from 0.
 *
 * @param domain the protection domain
 * @param length bytes
 * @param access {@code enum ibv_access_flags}, or'ed
 * @param of what it is of, for messages
 * @param parent what must stay open as long as the region is
 * @param create makes it in C
 */
public record OutsideRegion(Object domain, long length, int access, Object of, Lifetime parent, Creation create) {

    /** Makes a region in C. */
    public interface Creation {

        /**
         * Makes it, or throws.
         *
         * @param call the call
         * @param what the object and the arguments that matter, for messages
         * @return the {@code struct ibv_mr}
         */
        MemorySegment create(VerbsCall call, String what);
    }
}
