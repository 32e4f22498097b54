// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * What may be done to a region, and how it is made: {@code enum ibv_access_flags}. Reading by the local side is always
 * allowed.
 */
public enum AccessFlag {
    /** The device may write here for this side: receives and the results of READs and atomics. {@code IBV_ACCESS_LOCAL_WRITE}. */
    LOCAL_WRITE(1),
    /** The peer may write; needs LOCAL_WRITE. {@code IBV_ACCESS_REMOTE_WRITE}. */
    REMOTE_WRITE(1 << 1),
    /** The peer may read. {@code IBV_ACCESS_REMOTE_READ}. */
    REMOTE_READ(1 << 2),
    /** The peer may use atomics; needs LOCAL_WRITE. {@code IBV_ACCESS_REMOTE_ATOMIC}. */
    REMOTE_ATOMIC(1 << 3),
    /** Memory windows may be bound to the region. {@code IBV_ACCESS_MW_BIND}. */
    MW_BIND(1 << 4),
    /** Addresses count from the beginning of the region rather than being those of the memory. {@code IBV_ACCESS_ZERO_BASED}. */
    ZERO_BASED(1 << 5),
    /** The device faults pages in when it needs them, and none is pinned. {@code IBV_ACCESS_ON_DEMAND}. */
    ON_DEMAND(1 << 6),
    /** All of the memory is in huge pages; with ON_DEMAND. {@code IBV_ACCESS_HUGETLB}. */
    HUGETLB(1 << 7),
    /** The peer may wait until what it wrote is there for all to see; rdma-core 45, Linux 6.3. {@code IBV_ACCESS_FLUSH_GLOBAL}. */
    FLUSH_GLOBAL(1 << 8),
    /**
     * The peer may wait until what it wrote is persistent, in memory that can be; rdma-core 45, Linux 6.3. {@code
     * IBV_ACCESS_FLUSH_PERSISTENT}.
     */
    FLUSH_PERSISTENT(1 << 9),
    /**
     * The device may write in another order than that of the messages. A wish: who cannot grant it ignores it. {@code
     * IBV_ACCESS_RELAXED_ORDERING}.
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

    /** The flags of a mask; bits that this library does not know are left out. */
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
