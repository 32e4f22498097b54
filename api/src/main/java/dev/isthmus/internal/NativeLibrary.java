// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import dev.isthmus.RdmaUnavailableException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.Optional;

/**
 * A shared library, loaded by its versioned name and never unloaded. Whoever first uses a library loads it, so
 * opening a verbs device does not load UCX.
 */
public final class NativeLibrary {

    private final String soname;
    private final String upgrade;
    private final SymbolLookup symbols;

    private NativeLibrary(String soname, String upgrade, SymbolLookup symbols) {
        this.soname = soname;
        this.upgrade = upgrade;
        this.symbols = symbols;
    }

    /**
     * Loads a library.
     *
     * @param soname the versioned name, such as {@code libibverbs.so.1}: only development packages have the name
     *     without a version
     * @param project its project, for messages about the version
     * @param debianPackage what to install if it is missing
     */
    public static NativeLibrary load(String soname, String project, String debianPackage) {
        NativeAccess.require();
        try {
            return new NativeLibrary(soname, project, lookup(soname));
        } catch (IllegalArgumentException e) {
            throw new RdmaUnavailableException(
                    "the shared library " + soname + " is not on this machine or cannot be loaded: install "
                            + debianPackage + " (Debian, Ubuntu) or " + project + " of your distribution",
                    e);
        }
    }

    @SuppressWarnings("restricted") // the one place where a library is loaded
    private static SymbolLookup lookup(String soname) {
        return SymbolLookup.libraryLookup(soname, Arena.global());
    }

    /** The signature of a function of a library that is loaded later, or never, for {@link Linking#signatures}. */
    public static FunctionDescriptor declared(FunctionDescriptor descriptor) {
        Linking.declare(descriptor, NativeCall.CAPTURE_ERRNO);
        return descriptor;
    }

    /** A function, which is looked up at its first call. */
    public NativeFunction function(String name, FunctionDescriptor descriptor) {
        return new NativeFunction(name, () -> symbol(name), descriptor);
    }

    /**
     * A function that only newer versions have.
     *
     * @param since checks the version at the first call, or throws
     */
    public NativeFunction function(String name, FunctionDescriptor descriptor, Runnable since) {
        return new NativeFunction(
                name,
                () -> {
                    since.run();
                    return symbol(name);
                },
                descriptor);
    }

    /**
     * A variadic function, called with a fixed number of arguments.
     *
     * @param fixed how many arguments it always has
     */
    NativeFunction variadicFunction(String name, int fixed, FunctionDescriptor descriptor) {
        return new NativeFunction(name, () -> symbol(name), descriptor, Linker.Option.firstVariadicArg(fixed));
    }

    /** A function that some version of the project introduced; empty if the loaded one is older. */
    public Optional<NativeFunction> optionalFunction(String name, FunctionDescriptor descriptor) {
        Linking.declare(descriptor, NativeCall.CAPTURE_ERRNO); // whatever this machine has
        return symbols.find(name).map(address -> new NativeFunction(name, address, descriptor));
    }

    /** The address of a symbol that every supported version has. */
    public MemorySegment symbol(String name) {
        return symbols.find(name)
                .orElseThrow(() -> new RdmaUnavailableException(
                        soname + " has no " + name + ": it is older than this call; upgrade " + upgrade));
    }
}
