// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.internal.Libc;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import java.util.Set;

/**
 * What a region covers, which is memory of this process or something that only the device can access, and its addresses
 * for the device.
 *
 * @param segment the memory; {@link MemorySegment#NULL} if it is not in this process
 * @param address its first address for the device
 * @param length bytes
 */
record RegionMemory(MemorySegment segment, long address, long length) {

    /** Memory of this process, at its own address. */
    static RegionMemory of(MemorySegment segment) {
        return new RegionMemory(segment, segment.address(), segment.byteSize());
    }

    /** Memory of this process, at another address for the device. */
    static RegionMemory at(long iova, MemorySegment segment) {
        return new RegionMemory(segment, iova, segment.byteSize());
    }

    /** Something outside this process, without a pointer. */
    static RegionMemory outside(long address, long length) {
        return new RegionMemory(MemorySegment.NULL, address, length);
    }

    /** Whether the device's addresses are those of this process. */
    boolean isHostAddressed() {
        return segment.address() != 0 && segment.address() == address;
    }

    /** Checks for mistakes that C would report only as EINVAL or EFAULT. */
    void check(Set<AccessFlag> access) {
        checkMemory();
        checkAccess(access);
        if (segment.isReadOnly() && access.contains(AccessFlag.LOCAL_WRITE)) {
            throw new IllegalArgumentException("a read-only segment cannot be registered with LOCAL_WRITE");
        }
        long inPage = Libc.pageSize() - 1;
        if ((address & inPage) != (segment.address() & inPage)) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "the memory begins %d bytes into a page, and would begin %d bytes into one at 0x%x: the kernel wants"
                            + " both alike; allocate it page-aligned",
                    segment.address() & inPage,
                    address & inPage,
                    address));
        }
        if (Long.compareUnsigned(address, -length) >= 0) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "%,d bytes from 0x%x on do not fit into 64 bits", length, address));
        }
    }

    private void checkMemory() {
        if (!segment.isNative()) {
            throw new IllegalArgumentException("a heap segment cannot be registered, as the garbage collector moves"
                    + " it: allocate the memory from an Arena");
        }
        if (segment.byteSize() == 0) {
            throw new IllegalArgumentException("an empty segment cannot be registered");
        }
        if (!segment.scope().isAlive()) {
            throw new IllegalStateException("the arena of the segment is closed");
        }
        if (!segment.isAccessibleBy(Thread.currentThread())) {
            throw new WrongThreadException(
                    "the segment belongs to another thread's confined arena: allocate it from" + " Arena.ofShared()");
        }
    }

    /** Checks for flags that no kind of region can combine. */
    static void checkAccess(Set<AccessFlag> access) {
        boolean remoteWrites = access.contains(AccessFlag.REMOTE_WRITE) || access.contains(AccessFlag.REMOTE_ATOMIC);
        if (remoteWrites && !access.contains(AccessFlag.LOCAL_WRITE)) {
            throw new IllegalArgumentException(
                    "REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE too: see ibv_reg_mr(3)");
        }
    }
}
