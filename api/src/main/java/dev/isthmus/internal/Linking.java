// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Makes calls of C and callbacks from C: besides generated code, only this class asks the linker. It remembers the
 * signatures, because a native image has to be told of them when it is built: the reachability metadata in
 * {@code META-INF/native-image}, which a test compares with these.
 */
public final class Linking {

    /**
     * The signature of a call.
     *
     * @param isUpcall whether C calls Java
     * @param descriptor its C signature
     * @param options the linker's options
     */
    public record Signature(boolean isUpcall, FunctionDescriptor descriptor, List<Linker.Option> options) {}

    private static final Set<Signature> SIGNATURES = ConcurrentHashMap.newKeySet();

    private Linking() {}

    /** Notes the signature of a function that is linked later. */
    static void declare(FunctionDescriptor descriptor, Linker.Option... options) {
        SIGNATURES.add(new Signature(false, descriptor, List.of(options)));
    }

    /** A call of a function whose address is the first argument. */
    @SuppressWarnings("restricted")
    public static MethodHandle downcall(FunctionDescriptor descriptor, Linker.Option... options) {
        declare(descriptor, options);
        return Linker.nativeLinker().downcallHandle(descriptor, options);
    }

    /** A call of a function. */
    @SuppressWarnings("restricted")
    public static MethodHandle downcall(
            MemorySegment function, FunctionDescriptor descriptor, Linker.Option... options) {
        declare(descriptor, options);
        return Linker.nativeLinker().downcallHandle(function, descriptor, options);
    }

    /**
     * A function of C's that calls Java.
     *
     * @param target never throws
     * @param arena lives as long as C may call
     */
    @SuppressWarnings("restricted")
    public static MemorySegment upcall(MethodHandle target, FunctionDescriptor descriptor, Arena arena) {
        SIGNATURES.add(new Signature(true, descriptor, List.of()));
        return Linker.nativeLinker().upcallStub(target, descriptor, arena);
    }

    /** The signatures of everything that the classes initialised so far link, or may link later. */
    public static Set<Signature> signatures() {
        return Set.copyOf(SIGNATURES);
    }
}
