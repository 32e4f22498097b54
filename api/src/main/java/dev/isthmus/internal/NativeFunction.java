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
 * A C function that is called through {@link NativeCall}, which captures errno. Linked at its first call, as most
 * programs use only a few of the functions.
 */
public final class NativeFunction {

    private final String name;
    private final Supplier<MemorySegment> address;
    private final FunctionDescriptor descriptor;
    private final Linker.Option[] options;
    private MethodHandle handle; // a race links twice, which does no harm

    /**
     * A function of a library.
     *
     * @param name its C name, for messages
     * @param address finds it at the first call, so a function that an older library lacks harms only its callers
     * @param descriptor its C signature
     * @param options the linker's options
     */
    NativeFunction(
            String name, Supplier<MemorySegment> address, FunctionDescriptor descriptor, Linker.Option... options) {
        this.name = name;
        this.address = address;
        this.descriptor = descriptor;
        this.options = Arrays.copyOf(options, options.length + 1);
        this.options[options.length] = NativeCall.CAPTURE_ERRNO;
        Linking.declare(descriptor, this.options);
    }

    /**
     * An entry of a table of function pointers.
     *
     * @param name its C name, for messages
     * @param address its address; not {@link MemorySegment#NULL}
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

    /** Its C signature, which a test compares with the generated one. */
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

    private MethodHandle link() {
        NativeAccess.require(); // functions of the C library need no loading, so nothing has checked native access yet
        MethodHandle downcall = Linking.downcall(address.get(), descriptor, options);
        int arguments = descriptor.argumentLayouts().size();
        return downcall.asType(MethodType.genericMethodType(1 + arguments).changeParameterType(0, MemorySegment.class))
                .asSpreader(1, Object[].class, arguments);
    }
}
