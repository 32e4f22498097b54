// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.devicememory;

import dev.isthmus.bindings.ibverbs.ibv_alloc_dm_attr;
import dev.isthmus.bindings.ibverbs.ibv_dm;
import dev.isthmus.internal.Codes;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.NativeFunction;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.verbs.ContextFunction;
import dev.isthmus.internal.verbs.ContextOps;
import dev.isthmus.internal.verbs.Libibverbs;
import dev.isthmus.internal.verbs.OutsideRegion;
import dev.isthmus.internal.verbs.VerbsCall;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.ProtectionDomain;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;

/**
 * Memory on a device: {@code struct ibv_dm}. Messages that are sent from it or received into it do not cross the bus.
 * Any thread may use it. If two threads copy to the same range at once, the bytes are from either.
 *
 * <p>The program that allocates it owns it, and closes it after its regions.
 */
public final class DeviceMemory implements AutoCloseable {

    private final DeviceContext context;
    private final Lifetime lifetime;
    private final MemorySegment handle;
    private final long length;
    private final int handleNumber;
    private final boolean imported;
    private final NativeFunction copyIn;
    private final NativeFunction copyOut;

    private DeviceMemory(
            DeviceContext context, Lifetime lifetime, MemorySegment handle, long length, boolean imported) {
        this.context = context;
        this.lifetime = lifetime;
        this.handle = handle;
        this.length = length;
        MemorySegment struct = NativeCall.sized(handle, ibv_dm.sizeof());
        this.handleNumber = ibv_dm.handle(struct);
        this.imported = imported;
        this.copyIn = function("ibv_memcpy_to_dm", ibv_dm.memcpy_to_dm(struct), ibv_dm.memcpy_to_dm.descriptor());
        this.copyOut =
                function("ibv_memcpy_from_dm", ibv_dm.memcpy_from_dm(struct), ibv_dm.memcpy_from_dm.descriptor());
    }

    /**
     * Allocates memory on a device: {@code ibv_alloc_dm}.
     *
     * @param context the device
     * @param bytes how much; some devices need a multiple of 4
     * @param alignment of its address on the device, in bytes: a power of two, 1 for any
     * @return the memory, which the caller closes before the device
     * @throws IllegalArgumentException if {@code bytes} is not positive, or the alignment is not a power of two
     * @throws dev.isthmus.VerbsException if the call fails, for example with EOPNOTSUPP if the device has none
     * @throws IllegalStateException if the device is closed
     */
    public static DeviceMemory allocate(DeviceContext context, long bytes, long alignment) {
        checkLength(bytes);
        if (Long.bitCount(alignment) != 1) {
            throw new IllegalArgumentException("the alignment is not a power of two: " + alignment);
        }
        String name = context.device().name() + ", " + bytes + " bytes";
        var lifetime = new Lifetime("DeviceMemory", name, Natives.lifetime(context));
        return lifetime.open(() -> {
            try (var call = new VerbsCall().explain(DeviceMemory::allocateHelp)) {
                MemorySegment attributes = call.allocate(ibv_alloc_dm_attr.layout());
                ibv_alloc_dm_attr.length(attributes, bytes);
                ibv_alloc_dm_attr.log_align_req(attributes, Long.numberOfTrailingZeros(alignment));
                NativeFunction function = ops(context).require(ContextFunction.ALLOC_DM);
                MemorySegment dm = call.create(function, name, Natives.handle(context), attributes);
                return made(context, lifetime, dm, bytes, false);
            }
        });
    }

    private static String allocateHelp(int errno) {
        return switch (errno) {
            case Errno.EOPNOTSUPP -> "this device has no memory for programs";
            case Errno.EINVAL, Errno.ENOMEM, 28 -> // ENOSPC
                "the device has not so much, or not so aligned; some want a multiple of 4 bytes";
            default -> "";
        };
    }

    /**
     * Imports device memory that another process, or another open device of this one, has allocated:
     * {@code ibv_import_dm}.
     *
     * @param context the device
     * @param handleNumber its {@link #handleNumber}
     * @param bytes its {@link #length}
     * @return the memory; closing it only releases it. Its owner closes it later
     * @throws IllegalArgumentException if {@code bytes} is not positive
     * @throws dev.isthmus.VerbsException if the call fails, for example with EOPNOTSUPP if the driver cannot do it
     * @throws IllegalStateException if the device is closed
     */
    public static DeviceMemory importFrom(DeviceContext context, int handleNumber, long bytes) {
        checkLength(bytes);
        String name = context.device().name() + ", imported " + handleNumber;
        var lifetime = new Lifetime("DeviceMemory", name, Natives.lifetime(context));
        return lifetime.open(() -> {
            try (var call = new VerbsCall()) {
                MemorySegment dm = call.create(Libibverbs.IMPORT_DM, name, Natives.handle(context), handleNumber);
                return made(context, lifetime, dm, bytes, true);
            }
        });
    }

    private static DeviceMemory made(
            DeviceContext context, Lifetime lifetime, MemorySegment dm, long bytes, boolean imported) {
        return Lifetime.orDestroy(
                () -> new DeviceMemory(context, lifetime, dm, bytes, imported),
                () -> destroy(context, dm, imported, lifetime.name()));
    }

    private static void destroy(DeviceContext context, MemorySegment handle, boolean imported, String name) {
        if (imported) {
            try (var call = new VerbsCall()) {
                call.nothing(Libibverbs.UNIMPORT_DM, handle);
            }
        } else {
            VerbsCall.destroy(ops(context).require(ContextFunction.FREE_DM), handle, name);
        }
    }

    private static void checkLength(long bytes) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("the length of device memory is not positive: " + bytes);
        }
    }

    /**
     * Copies to the device: {@code ibv_memcpy_to_dm}. Returns when the copy is done.
     *
     * @param offset where to, in bytes; some devices need a multiple of 4
     * @param from what to copy, all of it
     * @throws IndexOutOfBoundsException if it does not fit
     * @throws IllegalStateException if this or the segment's arena is closed
     * @throws WrongThreadException if the segment belongs to another thread's confined arena
     * @throws dev.isthmus.VerbsException if the call fails
     */
    public void copyIn(long offset, MemorySegment from) {
        checkRange(offset, from.byteSize());
        try (var call = new VerbsCall(lifetime).explain(DeviceMemory::copyHelp)) {
            MemorySegment source = from;
            if (!from.isNative()) {
                source = call.allocate(from.byteSize(), 1);
                source.copyFrom(from);
            }
            String what = lifetime.name() + ", offset " + offset + ", " + from.byteSize() + " bytes";
            call.check(require(copyIn, "ibv_memcpy_to_dm"), what, handle, offset, source, from.byteSize());
        }
    }

    /**
     * Copies from the device: {@code ibv_memcpy_from_dm}. Returns when the copy is done.
     *
     * @param offset where from, in bytes; some devices need a multiple of 4
     * @param to where to; all of it is written
     * @throws IndexOutOfBoundsException if there is not that much
     * @throws IllegalArgumentException if the segment is read-only
     * @throws IllegalStateException if this or the segment's arena is closed
     * @throws WrongThreadException if the segment belongs to another thread's confined arena
     * @throws dev.isthmus.VerbsException if the call fails
     */
    public void copyOut(long offset, MemorySegment to) {
        checkRange(offset, to.byteSize());
        if (to.isReadOnly()) {
            throw new IllegalArgumentException("a read-only segment cannot be copied to");
        }
        try (var call = new VerbsCall(lifetime).explain(DeviceMemory::copyHelp)) {
            MemorySegment target = to.isNative() ? to : call.allocate(to.byteSize(), 1);
            String what = lifetime.name() + ", offset " + offset + ", " + to.byteSize() + " bytes";
            call.check(require(copyOut, "ibv_memcpy_from_dm"), what, target, handle, offset, to.byteSize());
            if (!to.isNative()) {
                to.copyFrom(target);
            }
        }
    }

    private static String copyHelp(int errno) {
        return errno == Errno.EINVAL || errno == Errno.EFAULT
                ? "some devices want the offset and the length in multiples of 4 bytes"
                : "";
    }

    /** A function of the driver, linked at its first call; null if the driver lacks it. */
    private static NativeFunction function(String name, MemorySegment address, FunctionDescriptor descriptor) {
        return address.address() == 0 ? null : new NativeFunction(name, address, descriptor);
    }

    private NativeFunction require(NativeFunction function, String name) {
        if (function == null) {
            throw new IllegalStateException(this + " cannot be copied to or from: its driver has no " + name);
        }
        return function;
    }

    /**
     * How long it is.
     *
     * @return bytes
     */
    public long length() {
        return length;
    }

    /**
     * The kernel's number for the memory: {@code handle} of {@code struct ibv_dm}. Another process that has imported
     * the device imports the memory by it: see {@link #importFrom}.
     *
     * @return the number
     * @throws IllegalStateException if this is closed
     */
    public int handleNumber() {
        lifetime.check();
        return handleNumber;
    }

    /**
     * Registers a range of the memory: {@code ibv_reg_dm_mr}. The region's addresses count from 0.
     *
     * @param pd the region's domain, of the same open device
     * @param offset where in the memory the region begins, in bytes
     * @param length of the region, in bytes
     * @param access what may be done to it besides reading by this side; ZERO_BASED is implied
     * @return the region, which the caller closes before the domain and before this
     * @throws IndexOutOfBoundsException if the range is outside the memory
     * @throws IllegalArgumentException if the domain is of another device, or REMOTE_WRITE or REMOTE_ATOMIC is asked
     *     for without LOCAL_WRITE
     * @throws IllegalStateException if this or the domain is closed
     * @throws dev.isthmus.VerbsException if the call fails
     */
    public MemoryRegion register(ProtectionDomain pd, long offset, long length, AccessFlag... access) {
        checkRange(offset, length);
        if (pd.context() != context) {
            throw new IllegalArgumentException(this + " and " + pd + " are not of the same open device");
        }
        // Device memory has only such addresses, and the kernel requires the flag.
        int flags = Codes.mask(List.of(access), AccessFlag::code) | AccessFlag.ZERO_BASED.code();
        return Natives.create(
                MemoryRegion.class,
                new OutsideRegion(
                        pd,
                        length,
                        flags,
                        this,
                        lifetime,
                        (call, what) -> call.create(
                                ops(context).require(ContextFunction.REG_DM_MR),
                                what,
                                Natives.handle(pd),
                                handle,
                                offset,
                                length,
                                flags)));
    }

    private void checkRange(long offset, long bytes) {
        Objects.checkFromIndexSize(offset, bytes, length);
    }

    private static ContextOps ops(DeviceContext context) {
        return Natives.part(context, ContextOps.class);
    }

    /**
     * Frees the memory: {@code ibv_free_dm}. Only releases imported memory: {@code ibv_unimport_dm}. Does nothing if it
     * is closed already.
     *
     * @throws IllegalStateException if regions of it are open, or a call on it is running
     * @throws dev.isthmus.VerbsException if the call fails; you can try again
     */
    @Override
    public void close() {
        lifetime.close(() -> destroy(context, handle, imported, lifetime.name()));
    }

    /** The class, the device's name, and the length. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
