// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.function.Supplier;

/**
 * One C function that is called through {@link NativeCall}, which captures errno. Linked when first called: most
 * programs use few of the functions there are.
 */
public final class NativeFunction {

    private final String name;
    private final Supplier<MemorySegment> address;
    private final FunctionDescriptor descriptor;
    private final Linker.Option[] options;
    private MethodHandle handle; // a race links twice, to no harm

    /**
     * A function of a library.
     *
     * @param name its C name, for messages
     * @param address finds it when it is first called, so that a function which an older library lacks harms only those
     *     who call it
     * @param descriptor its C signature
     * @param options what the linker must know besides
     */
    NativeFunction(
            String name, Supplier<MemorySegment> address, FunctionDescriptor descriptor, Linker.Option... options) {
        this.name = name;
        this.address = address;
        this.descriptor = descriptor;
        this.options = Arrays.copyOf(options, options.length + 1);
        this.options[options.length] = NativeCall.CAPTURE_ERRNO;
    }

    /**
     * An entry of a table of function pointers.
     *
     * @param name its C name, for messages
     * @param address where it is; not {@link MemorySegment#NULL}
     * @param descriptor its C signature
     */
    public NativeFunction(String name, MemorySegment address, FunctionDescriptor descriptor) {
        this(name, () -> address, descriptor);
        if (address.address() == 0) {
            throw new IllegalArgumentException("no address for " + name);
        }
    }

    /** Its C name. */
    public String name() {
        return name;
    }

    /** Its C signature; a test holds it against the generated one. */
    public FunctionDescriptor descriptor() {
        return descriptor;
    }

    /** {@code Object (MemorySegment captureState, Object[] arguments)}, whatever the C signature is. */
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
        NativeAccess.require(); // the C library's functions are at hand without loading anything
        MethodHandle downcall = Linker.nativeLinker().downcallHandle(address.get(), descriptor, options);
        int arguments = descriptor.argumentLayouts().size();
        return downcall.asType(MethodType.genericMethodType(1 + arguments).changeParameterType(0, MemorySegment.class))
                .asSpreader(1, Object[].class, arguments);
    }
}
