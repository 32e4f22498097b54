package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_alloc_dm_attr;
import dev.isthmus.bindings.ibverbs.ibv_dm;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.NativeFunction;
import dev.isthmus.internal.verbs.ContextFunction;
import dev.isthmus.internal.verbs.Libibverbs;
import dev.isthmus.internal.verbs.VerbsCall;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Memory on a device: {@code struct ibv_dm}. What is sent from it or received into it does not cross the bus. Any thread
 * may use it; who copies to a range while another does gets either's bytes.
 *
 * <p>Owned by who allocated it, and closed after the regions that are registered of it.
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

    static DeviceMemory allocate(DeviceContext context, long bytes, long alignment) {
        checkLength(bytes);
        if (Long.bitCount(alignment) != 1) {
            throw new IllegalArgumentException("the alignment is not a power of two: " + alignment);
        }
        String name = context.device().name() + ", " + bytes + " bytes";
        var lifetime = new Lifetime("DeviceMemory", name, context.lifetime());
        return lifetime.open(() -> {
            try (var call = new VerbsCall().explain(DeviceMemory::allocateHelp)) {
                MemorySegment attributes = call.allocate(ibv_alloc_dm_attr.layout());
                ibv_alloc_dm_attr.length(attributes, bytes);
                ibv_alloc_dm_attr.log_align_req(attributes, Long.numberOfTrailingZeros(alignment));
                NativeFunction function = context.ops().require(ContextFunction.ALLOC_DM);
                MemorySegment dm = call.create(function, name, context.handle(), attributes);
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

    static DeviceMemory importFrom(DeviceContext context, int handleNumber, long bytes) {
        checkLength(bytes);
        String name = context.device().name() + ", imported " + handleNumber;
        var lifetime = new Lifetime("DeviceMemory", name, context.lifetime());
        return lifetime.open(() -> {
            try (var call = new VerbsCall()) {
                MemorySegment dm = call.create(Libibverbs.IMPORT_DM, name, context.handle(), handleNumber);
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
            VerbsCall.destroy(context.ops().require(ContextFunction.FREE_DM), handle, name);
        }
    }

    private static void checkLength(long bytes) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("the length of device memory is not positive: " + bytes);
        }
    }

    /**
     * Copies to the device: {@code ibv_memcpy_to_dm}. Does not return before it is done.
     *
     * @param offset where to, in bytes; some devices want a multiple of 4
     * @param from what is copied, all of it
     * @throws IndexOutOfBoundsException if it would not fit
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
     * Copies from the device: {@code ibv_memcpy_from_dm}. Does not return before it is done.
     *
     * @param offset where from, in bytes; some devices want a multiple of 4
     * @param to where to; all of it is written
     * @throws IndexOutOfBoundsException if there is not so much
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

    /** A function of the driver, linked when it is first called; null when the driver does not have it. */
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
     * The number that the kernel knows the memory by: {@code handle} of {@code struct ibv_dm}. Another process, which
     * has imported the device, imports the memory by it: see {@link DeviceContext#importDeviceMemory}.
     *
     * @return the number
     * @throws IllegalStateException if this is closed
     */
    public int handleNumber() {
        lifetime.check();
        return handleNumber;
    }

    void checkRange(long offset, long bytes) {
        Objects.checkFromIndexSize(offset, bytes, length);
    }

    DeviceContext context() {
        return context;
    }

    MemorySegment handle() {
        return handle;
    }

    Lifetime lifetime() {
        return lifetime;
    }

    /**
     * Frees the memory: {@code ibv_free_dm}. Memory that was imported is only let go of: {@code ibv_unimport_dm}. Does
     * nothing when it is closed already.
     *
     * @throws IllegalStateException if regions of it are open, or a call on it runs
     * @throws dev.isthmus.VerbsException if the call fails; it can be tried again
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
