// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.internal.Codes;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.Libc;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.Trace;
import dev.isthmus.internal.verbs.ContextFunction;
import dev.isthmus.internal.verbs.Libibverbs;
import dev.isthmus.internal.verbs.OutsideRegion;
import dev.isthmus.internal.verbs.VerbsCall;
import dev.isthmus.internal.verbs.VerbsErrors;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntFunction;

/** Creates all kinds of regions of a domain, each by its C call. */
final class MemoryRegions {

    /** {@code SIZE_MAX}: with this length, {@code ibv_reg_mr} takes the whole address space. */
    private static final long WHOLE_ADDRESS_SPACE = -1;

    private MemoryRegions() {}

    static Set<AccessFlag> set(AccessFlag... flags) {
        Set<AccessFlag> access = EnumSet.noneOf(AccessFlag.class);
        access.addAll(List.of(flags));
        return access;
    }

    static int mask(Set<AccessFlag> access) {
        return Codes.mask(access, AccessFlag::code);
    }

    /** The header's macro chooses a function by the flags: the oldest one that will do. */
    private static boolean needsIova2(Set<AccessFlag> access) {
        return access.contains(AccessFlag.RELAXED_ORDERING);
    }

    static MemoryRegion register(ProtectionDomain pd, MemorySegment segment, AccessFlag... flags) {
        Set<AccessFlag> access = set(flags);
        if (access.contains(AccessFlag.ZERO_BASED)) {
            return registerAt(pd, 0, segment, flags);
        }
        RegionMemory memory = RegionMemory.of(segment);
        memory.check(access);
        return make(pd, memory, access, "", call -> {
            if (needsIova2(access)) {
                return registerIova2(call, pd, memory, access);
            }
            String what = describe(pd, memory, access, "");
            return call.create(Libibverbs.REG_MR, what, pd.handle(), segment, segment.byteSize(), mask(access));
        });
    }

    static MemoryRegion registerAt(ProtectionDomain pd, long iova, MemorySegment segment, AccessFlag... flags) {
        Set<AccessFlag> access = set(flags);
        if (iova != 0 && access.contains(AccessFlag.ZERO_BASED)) {
            throw new IllegalArgumentException("the addresses of a ZERO_BASED region begin at 0, not at " + iova);
        }
        RegionMemory memory = RegionMemory.at(iova, segment);
        memory.check(access);
        return make(pd, memory, access, "", call -> {
            if (needsIova2(access)) {
                return registerIova2(call, pd, memory, access);
            }
            String what = describe(pd, memory, access, "");
            long bytes = segment.byteSize();
            return call.create(Libibverbs.REG_MR_IOVA, what, pd.handle(), segment, bytes, iova, mask(access));
        });
    }

    private static MemorySegment registerIova2(
            VerbsCall call, ProtectionDomain pd, RegionMemory memory, Set<AccessFlag> access) {
        String what = describe(pd, memory, access, "");
        return call.create(
                Libibverbs.REG_MR_IOVA2,
                what,
                pd.handle(),
                memory.segment(),
                memory.length(),
                memory.address(),
                mask(access));
    }

    static MemoryRegion registerDmabuf(
            ProtectionDomain pd, int fd, long offset, long length, long iova, AccessFlag... flags) {
        Set<AccessFlag> access = set(flags);
        checkOutside(fd, offset, length);
        RegionMemory.checkAccess(access);
        long inPage = Libc.pageSize() - 1;
        if ((iova & inPage) != (offset & inPage)) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "the address 0x%x and the offset 0x%x must be at the same place in a page",
                    iova,
                    offset));
        }
        RegionMemory memory = RegionMemory.outside(iova, length);
        String note = ", dma-buf " + fd;
        return make(pd, memory, access, note, call -> {
            String what = describe(pd, memory, access, note);
            return call.create(Libibverbs.REG_DMABUF_MR, what, pd.handle(), offset, length, iova, fd, mask(access));
        });
    }

    private static void checkOutside(int fd, long offset, long length) {
        if (fd < 0 || offset < 0 || length <= 0) {
            throw new IllegalArgumentException("a dma-buf needs a file descriptor, an offset of 0 or more and a length,"
                    + " not " + fd + ", " + offset + " and " + length);
        }
    }

    /** A region that reads as zeros and forgets what is written to it. */
    static MemoryRegion allocateNull(ProtectionDomain pd) {
        RegionMemory memory = RegionMemory.outside(0, Long.MAX_VALUE);
        Set<AccessFlag> access = EnumSet.of(AccessFlag.LOCAL_WRITE);
        return make(
                pd,
                memory,
                access,
                ", null",
                call -> call.create(
                        pd.context().ops().require(ContextFunction.ALLOC_NULL_MR), device(pd), pd.handle()));
    }

    /** A region of another package's memory. */
    static MemoryRegion of(OutsideRegion from) {
        var pd = (ProtectionDomain) from.domain();
        Set<AccessFlag> access = EnumSet.noneOf(AccessFlag.class);
        access.addAll(Codes.flags(AccessFlag.class, Integer.toUnsignedLong(from.access()), AccessFlag::code));
        RegionMemory.checkAccess(access);
        RegionMemory memory = RegionMemory.outside(0, from.length());
        String note = ", of " + from.of();
        return make(
                pd,
                memory,
                access,
                note,
                call -> from.create().create(call, describe(pd, memory, access, note)),
                RegionKind.OUTSIDE,
                from.parent());
    }

    static MemoryRegion importRegion(
            ProtectionDomain pd, int handleNumber, long address, long length, AccessFlag... flags) {
        if (length <= 0) {
            throw new IllegalArgumentException("the length of the region is not positive: " + length);
        }
        RegionMemory memory = RegionMemory.outside(address, length);
        String what = device(pd) + ", handle " + handleNumber;
        return make(
                pd,
                memory,
                set(flags),
                ", imported",
                call -> call.create(Libibverbs.IMPORT_MR, what, pd.handle(), handleNumber),
                RegionKind.IMPORTED);
    }

    /** The C region of the whole address space; {@link AddressSpaceRegion} hands out parts of it. */
    static MemorySegment registerAddressSpace(VerbsCall call, ProtectionDomain pd, Set<AccessFlag> access) {
        String what = device(pd) + ", the whole address space, " + access;
        return call.create(
                Libibverbs.REG_MR_IOVA2, what, pd.handle(), MemorySegment.NULL, WHOLE_ADDRESS_SPACE, 0L, mask(access));
    }

    private static MemoryRegion make(
            ProtectionDomain pd,
            RegionMemory memory,
            Set<AccessFlag> access,
            String note,
            Function<VerbsCall, MemorySegment> create) {
        return make(
                pd,
                memory,
                access,
                note,
                create,
                memory.segment().address() == 0 ? RegionKind.OUTSIDE : RegionKind.REGISTERED);
    }

    private static MemoryRegion make(
            ProtectionDomain pd,
            RegionMemory memory,
            Set<AccessFlag> access,
            String note,
            Function<VerbsCall, MemorySegment> create,
            RegionKind kind,
            Lifetime... others) {
        Lifetime[] parents = new Lifetime[1 + others.length];
        parents[0] = pd.lifetime();
        System.arraycopy(others, 0, parents, 1, others.length);
        var lifetime = new Lifetime("MemoryRegion", device(pd) + ", " + memory.length() + " bytes" + note, parents);
        Runnable told = Trace.registering(device(pd), memory.length());
        MemoryRegion region = lifetime.open(() -> {
            try (var call = new VerbsCall().explain(help(memory.length(), access))) {
                return MemoryRegion.make(pd, lifetime, () -> create.apply(call), kind, memory, access);
            }
        });
        told.run();
        return region;
    }

    static IntFunction<String> help(long bytes, Set<AccessFlag> access) {
        return errno -> {
            if (errno == Errno.EOPNOTSUPP || errno == Errno.EINVAL) { // kernels differ in which of the two they report
                if (access.contains(AccessFlag.ON_DEMAND)) {
                    return "the device may not fault memory in on demand: register without ON_DEMAND";
                }
                if (access.contains(AccessFlag.FLUSH_GLOBAL) || access.contains(AccessFlag.FLUSH_PERSISTENT)) {
                    return "the device may not know FLUSH, or the memory not be persistent: see DeviceCapability";
                }
            }
            return VerbsErrors.registrationHelp(bytes, errno);
        };
    }

    private static String describe(ProtectionDomain pd, RegionMemory memory, Set<AccessFlag> access, String note) {
        String at = memory.isHostAddressed() ? "" : String.format(Locale.ROOT, " at 0x%x", memory.address());
        return device(pd) + ", " + memory.length() + " bytes" + at + ", " + access + note;
    }

    private static String device(ProtectionDomain pd) {
        return pd.context().device().name();
    }
}
