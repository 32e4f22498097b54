// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.verbs.VerbsCall;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * A region of the whole address space of the process, whose memory the device faults in: implicit on-demand paging. Any
 * thread may use it.
 *
 * <p>You need not register memory again: {@link #region} gives a part of it, at no cost, for use in requests. If you
 * allow the peer access, it has access to all memory of the process, Java's heap included.
 *
 * <p>The program that registers it owns it, and closes it after its parts.
 */
public final class AddressSpaceRegion implements AutoCloseable {

    private final ProtectionDomain pd;
    private final Lifetime lifetime;
    private final MemorySegment handle;
    private final Set<AccessFlag> access;

    private AddressSpaceRegion(ProtectionDomain pd, Lifetime lifetime, MemorySegment handle, Set<AccessFlag> access) {
        this.pd = pd;
        this.lifetime = lifetime;
        this.handle = handle;
        this.access = access;
    }

    static AddressSpaceRegion register(ProtectionDomain pd, AccessFlag... flags) {
        Set<AccessFlag> access = MemoryRegions.set(flags);
        access.add(AccessFlag.ON_DEMAND);
        RegionMemory.checkAccess(access);
        var lifetime = new Lifetime("AddressSpaceRegion", pd.context().device().name(), pd.lifetime());
        return lifetime.open(() -> {
            try (var call = new VerbsCall().explain(MemoryRegions.help(0, access))) {
                MemorySegment handle = MemoryRegions.registerAddressSpace(call, pd, access);
                return Lifetime.orDestroy(
                        () -> new AddressSpaceRegion(pd, lifetime, handle, access),
                        () -> RegionKind.deregister(handle, lifetime.name()));
            }
        });
    }

    /**
     * A part of the address space, for use in requests. Calls no C function.
     *
     * @param segment native memory, not empty, whose arena stays open while the part is in use
     * @return the region of this segment, with the keys and rights of the whole; the caller closes it before this
     * @throws IllegalArgumentException if the memory is on the heap, empty, or read-only where this may be written
     * @throws IllegalStateException if this or the segment's arena is closed
     * @throws WrongThreadException if the segment belongs to another thread's confined arena
     */
    public MemoryRegion region(MemorySegment segment) {
        RegionMemory memory = RegionMemory.of(segment);
        memory.check(access);
        String name = pd.context().device().name() + ", " + memory.length() + " bytes of the address space";
        var part = new Lifetime("MemoryRegion", name, lifetime);
        return part.open(() -> MemoryRegion.make(pd, part, () -> handle, RegionKind.PART, memory, access));
    }

    /**
     * Deregisters the address space: {@code ibv_dereg_mr}. Does nothing if it is closed already.
     *
     * @throws IllegalStateException if parts of it are open
     * @throws dev.isthmus.VerbsException if the call fails; you can try again
     */
    @Override
    public void close() {
        lifetime.close(() -> RegionKind.deregister(handle, lifetime.name()));
    }

    /** The class and the device's name. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
