package dev.isthmus.internal;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * One C function that is called through {@link NativeCall}, which captures errno. Linked when first called: most
 * programs use few of the functions there are.
 */
public final class NativeFunction {

    private final String name;
    private final MemorySegment address;
    private final FunctionDescriptor descriptor;
    private MethodHandle handle; // a race links twice, to no harm

    /**
     * A function at an address: a symbol of a library, or an entry of a table of function pointers.
     *
     * @param name its C name, for messages
     * @param address where it is; not {@link MemorySegment#NULL}
     * @param descriptor its C signature
     */
    public NativeFunction(String name, MemorySegment address, FunctionDescriptor descriptor) {
        if (address.address() == 0) {
            throw new IllegalArgumentException("no address for " + name);
        }
        this.name = name;
        this.address = address;
        this.descriptor = descriptor;
    }

    /** Its C name. */
    public String name() {
        return name;
    }

    /** Its C signature; a test holds it against the generated one. */
    public FunctionDescriptor descriptor() {
        return descriptor;
    }

    /** {@code (MemorySegment captureState, arguments...)}. */
    MethodHandle handle() {
        MethodHandle linked = handle;
        if (linked == null) {
            linked = link();
            handle = linked;
        }
        return linked;
    }

    @SuppressWarnings("restricted")
    private MethodHandle link() {
        return Linker.nativeLinker().downcallHandle(address, descriptor, NativeCall.CAPTURE_ERRNO);
    }
}
