// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_mw_bind_info;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/**
 * What a memory window lets the peer access: {@code struct ibv_mw_bind_info}.
 *
 * @param region registered with MW_BIND
 * @param offset where the window begins in the region, in bytes
 * @param length its length in bytes; 0 to end all access by a window of type 1
 * @param access what the peer may do: REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC; with ZERO_BASED, which few devices
 *     support, addresses count from the start of the window
 */
public record WindowBinding(MemoryRegion region, long offset, long length, Set<AccessFlag> access) {

    private static final Set<AccessFlag> ALLOWED = EnumSet.of(
            AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC, AccessFlag.ZERO_BASED);

    /**
     * Checks for mistakes that C would report only as EINVAL, or as a failed bind.
     *
     * @throws IndexOutOfBoundsException if the range is outside the region
     * @throws IllegalArgumentException if the region was registered without MW_BIND, or without LOCAL_WRITE although
     *     the peer may write; or if a flag is not for windows
     */
    public WindowBinding {
        Objects.checkFromIndexSize(offset, length, region.length());
        access = Set.copyOf(access);
        Set<AccessFlag> rights = region.access();
        if (!rights.contains(AccessFlag.MW_BIND)) {
            throw new IllegalArgumentException(
                    region + " was registered without MW_BIND: no window can be bound to it");
        }
        if (!ALLOWED.containsAll(access)) {
            throw new IllegalArgumentException("a window takes only " + ALLOWED + ", not " + access);
        }
        boolean writes = access.contains(AccessFlag.REMOTE_WRITE) || access.contains(AccessFlag.REMOTE_ATOMIC);
        if (writes && !region.isWritable()) {
            throw new IllegalArgumentException(
                    region + " was registered without LOCAL_WRITE: no window of it can be written to");
        }
    }

    /**
     * Binds a part of a region.
     *
     * @param region registered with MW_BIND
     * @param offset where the window begins in the region, in bytes
     * @param length its length in bytes
     * @param access what the peer may do
     * @return the binding
     * @throws IndexOutOfBoundsException if the range is outside the region
     * @throws IllegalArgumentException if the region or the flags do not allow it
     */
    public static WindowBinding of(MemoryRegion region, long offset, long length, AccessFlag... access) {
        return new WindowBinding(region, offset, length, MemoryRegions.set(access));
    }

    /**
     * What the window lets the peer access, described for the peer, once the bind has completed.
     *
     * @param rkey the key of the bind
     * @return address, rkey and length
     */
    public RemoteMemory remoteMemory(int rkey) {
        return new RemoteMemory(access.contains(AccessFlag.ZERO_BASED) ? 0 : address(), rkey, length);
    }

    /** The window's first address for the region's device. */
    long address() {
        return region.address() + offset;
    }

    /** Writes {@code struct ibv_mw_bind_info}. */
    void write(MemorySegment info) {
        ibv_mw_bind_info.mr(info, region.handle());
        ibv_mw_bind_info.addr(info, address());
        ibv_mw_bind_info.length(info, length);
        ibv_mw_bind_info.mw_access_flags(info, mask());
    }

    int mask() {
        return MemoryRegions.mask(access);
    }
}
