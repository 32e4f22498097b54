// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * What may be done to a region, and how to register it: {@code enum ibv_access_flags}. The local side can always
 * read it.
 */
public enum AccessFlag {
    /**
     * The device may write for this side: receives, and results of READs and atomics. {@code IBV_ACCESS_LOCAL_WRITE}.
     */
    LOCAL_WRITE(1),
    /** The peer may write; needs LOCAL_WRITE. {@code IBV_ACCESS_REMOTE_WRITE}. */
    REMOTE_WRITE(1 << 1),
    /** The peer may read. {@code IBV_ACCESS_REMOTE_READ}. */
    REMOTE_READ(1 << 2),
    /** The peer may use atomics; needs LOCAL_WRITE. {@code IBV_ACCESS_REMOTE_ATOMIC}. */
    REMOTE_ATOMIC(1 << 3),
    /** Memory windows may be bound to the region. {@code IBV_ACCESS_MW_BIND}. */
    MW_BIND(1 << 4),
    /**
     * Addresses count from the start of the region, rather than being the memory's own. {@code IBV_ACCESS_ZERO_BASED}.
     */
    ZERO_BASED(1 << 5),
    /** The device faults pages in when it needs them, and pins none. {@code IBV_ACCESS_ON_DEMAND}. */
    ON_DEMAND(1 << 6),
    /** All of the memory is in huge pages; with ON_DEMAND. {@code IBV_ACCESS_HUGETLB}. */
    HUGETLB(1 << 7),
    /**
     * The peer may wait until its writes are visible to all; rdma-core 45, Linux 6.3. {@code IBV_ACCESS_FLUSH_GLOBAL}.
     */
    FLUSH_GLOBAL(1 << 8),
    /**
     * The peer may wait until its writes are persistent, if the memory can be; rdma-core 45, Linux 6.3.
     * {@code IBV_ACCESS_FLUSH_PERSISTENT}.
     */
    FLUSH_PERSISTENT(1 << 9),
    /**
     * The device may write in another order than that of the messages. A device that cannot do so ignores the flag.
     * {@code IBV_ACCESS_RELAXED_ORDERING}.
     */
    RELAXED_ORDERING(1 << 20);

    private final int code;

    AccessFlag(int code) {
        this.code = code;
    }

    /**
     * The value of the C constant.
     *
     * @return its code
     */
    public int code() {
        return code;
    }

    /** The flags of a mask; bits that Isthmus does not know are left out. */
    static Set<AccessFlag> ofMask(int mask) {
        Set<AccessFlag> flags = EnumSet.noneOf(AccessFlag.class);
        for (AccessFlag flag : values()) {
            if ((mask & flag.code) != 0) {
                flags.add(flag);
            }
        }
        return Collections.unmodifiableSet(flags);
    }
}
