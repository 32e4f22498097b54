// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.ucx;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.internal.Linking;
import dev.isthmus.internal.NativeAccess;
import dev.isthmus.internal.NativeFunction;
import dev.isthmus.internal.NativeLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * Loads UCX in the only order that is safe in a JVM, and refuses a version that is too old.
 *
 * <p>Call {@link #load} before using anything of UCX, even the generated classes, whose initialization loads libucp.
 */
public final class UcxLibrary {

    /** The oldest supported version, which has request parameters and worker flags: 1.12. */
    static final int MIN_MAJOR = 1;

    static final int MIN_MINOR = 12;

    private static final String UPGRADE = "upgrade libucx0 (Debian, Ubuntu) or UCX of your distribution; if it has no"
            + " newer one, docs/how-to/hardware.md says how to use that of PyPI";

    private static final int LC_NUMERIC = 1; // locale.h, the same number on every Linux

    private static final String ERROR_SIGNALS = "UCX_ERROR_SIGNALS";

    private static NativeLibrary ucs;
    private static NativeLibrary ucp;
    private static int[] version; // null until everything is loaded

    private UcxLibrary() {}

    /**
     * Loads UCX unless it is loaded.
     *
     * @return its major, minor and release number: {@code ucp_get_version}
     * @throws RdmaUnavailableException if it is missing or too old; the next call tries again
     */
    public static synchronized int[] load() {
        if (version == null) {
            NativeAccess.require();
            ucs = loadWithoutSignals();
            // UCX expects numbers, including its built-in defaults, in the format of the C locale, but the JVM sets the
            // user's locale. Nothing in Java depends on LC_NUMERIC.
            numericLocaleOfC();
            ucp = NativeLibrary.load("libucp.so.0", "UCX", "libucx0");
            int[] found = readVersion();
            refuseOlder(found);
            NativeAccess.require(ucp_h.class);
            version = found;
        }
        return version.clone();
    }

    /**
     * A function of libucp, which is looked up at its first call.
     *
     * @param sinceMinor the version 1.x that introduced it; with an older library, the first call throws
     */
    static NativeFunction function(String name, int sinceMinor, FunctionDescriptor descriptor) {
        load();
        return ucp.function(name, descriptor, () -> require(sinceMinor, name));
    }

    /** A function of libuct, which no version guarantees. */
    static Optional<NativeFunction> functionOfTransports(String name, FunctionDescriptor descriptor) {
        load();
        return NativeLibrary.load("libuct.so.0", "UCX", "libucx0").optionalFunction(name, descriptor);
    }

    /**
     * Checks that the loaded UCX has something that not every version has.
     *
     * @param sinceMinor the version 1.x that introduced it
     * @param what a function, or the meaning of a field, for the message
     * @throws RdmaUnavailableException if the loaded version is older; it names both
     */
    public static void require(int sinceMinor, String what) {
        int[] loaded = load();
        if (loaded[0] == MIN_MAJOR && loaded[1] < sinceMinor) {
            throw new RdmaUnavailableException(what + " needs UCX " + MIN_MAJOR + "." + sinceMinor + ", and "
                    + loaded[0] + "." + loaded[1] + "." + loaded[2]
                    + " is loaded: " + UPGRADE);
        }
    }

    /** The version with which {@code ucp_init} is to be compatible. */
    public static int[] compatibleVersion() {
        return new int[] {MIN_MAJOR, MIN_MINOR};
    }

    static NativeLibrary ucs() {
        return ucs;
    }

    /** Links a function of libucp, without errno capture: UCX reports a status instead. */
    static MethodHandle link(String name, FunctionDescriptor descriptor) {
        return link(ucp, name, descriptor);
    }

    /**
     * Links a function of libucp that reads a few numbers and returns, so the thread need not leave the Java state
     * for it.
     */
    static MethodHandle linkCritical(String name, FunctionDescriptor descriptor) {
        return link(ucp, name, descriptor, Linker.Option.critical(false));
    }

    static MethodHandle link(
            NativeLibrary library, String name, FunctionDescriptor descriptor, Linker.Option... options) {
        return Linking.downcall(library.symbol(name), descriptor, options);
    }

    /** Links a function of the C library. */
    static MethodHandle linkLibc(String name, FunctionDescriptor descriptor) {
        return Linking.downcall(Linker.nativeLinker().defaultLookup().find(name).orElseThrow(), descriptor);
    }

    // A downcall throws only if its arguments do not fit, which is a fault of this library.
    static AssertionError misuse(String function, Throwable t) {
        return new AssertionError("Isthmus called " + function + " wrongly: please report it", t);
    }

    // The constructor of libucs installs handlers for SIGSEGV and others. The JVM needs its own: an implicit null check
    // is a SIGSEGV. ucs_debug_disable_signals alone comes too late: the Java code between loading and that call has
    // null checks, too, and so have other threads. An empty list in the environment leaves SIGSEGV and similar signals
    // alone from the beginning; the call undoes the rest, such as SIGHUP.
    private static NativeLibrary loadWithoutSignals() {
        String before = System.getenv(ERROR_SIGNALS);
        setEnvironment(ERROR_SIGNALS, "");
        try {
            NativeLibrary library = NativeLibrary.load("libucs.so.0", "UCX", "libucx0");
            disableSignals(library);
            return library;
        } finally {
            setEnvironment(ERROR_SIGNALS, before);
        }
    }

    // Sets C's environment, which UCX reads; Java keeps a copy of its own.
    private static void setEnvironment(String name, String value) {
        MethodHandle set = linkLibc("setenv", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
        MethodHandle unset = linkLibc("unsetenv", FunctionDescriptor.of(JAVA_INT, ADDRESS));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment key = arena.allocateFrom(name);
            int ignored = value == null
                    ? (int) unset.invokeExact(key)
                    : (int) set.invokeExact(key, arena.allocateFrom(value), 1);
        } catch (Throwable t) {
            throw misuse("setenv", t);
        }
    }

    private static void disableSignals(NativeLibrary library) {
        MethodHandle disable = link(library, "ucs_debug_disable_signals", FunctionDescriptor.ofVoid());
        try {
            disable.invokeExact();
        } catch (Throwable t) {
            throw misuse("ucs_debug_disable_signals", t);
        }
    }

    private static void numericLocaleOfC() {
        MethodHandle setlocale = linkLibc("setlocale", FunctionDescriptor.of(ADDRESS, JAVA_INT, ADDRESS));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment ignored = (MemorySegment) setlocale.invokeExact(LC_NUMERIC, arena.allocateFrom("C"));
        } catch (Throwable t) {
            throw misuse("setlocale", t);
        }
    }

    private static int[] readVersion() {
        MethodHandle get = link("ucp_get_version", FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, ADDRESS));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment numbers = arena.allocate(JAVA_INT, 3);
            get.invokeExact(numbers, numbers.asSlice(JAVA_INT.byteSize()), numbers.asSlice(2 * JAVA_INT.byteSize()));
            return numbers.toArray(JAVA_INT);
        } catch (Throwable t) {
            throw misuse("ucp_get_version", t);
        }
    }

    static void refuseOlder(int[] found) {
        if (found[0] != MIN_MAJOR || found[1] < MIN_MINOR) {
            throw new RdmaUnavailableException("UCX " + found[0] + "." + found[1] + "." + found[2]
                    + " is installed, and Isthmus needs " + MIN_MAJOR + "." + MIN_MINOR
                    + " or a later 1.x: " + UPGRADE);
        }
    }
}
