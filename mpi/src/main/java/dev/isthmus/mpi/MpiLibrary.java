// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.isthmus.bindings.mpi.mpi_abi_h;
import java.io.File;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Finds and loads an MPI with the standard's ABI, without the signal handlers of the UCX that it may bring. Call
 * {@link #load} before using the generated classes: they then find the library that is loaded already, by its name.
 */
final class MpiLibrary {

    static final String PROPERTY = "isthmus.mpi.library";
    static final String ENVIRONMENT = "ISTHMUS_MPI_LIBRARY";
    static final String SONAME = "libmpi_abi.so.1";

    private static final String INSTALL =
            "pip install mpich (5.0 or newer) brings one, and its folder's bin/mpiexec; or name" + " yours by -D"
                    + PROPERTY + "=FILE or " + ENVIRONMENT;
    private static final String ERROR_SIGNALS = "UCX_ERROR_SIGNALS";
    private static final int LC_NUMERIC = 1; // locale.h, the same number on every Linux
    private static final int RTLD_LAZY = 1; // dlfcn.h, as these two
    private static final int RTLD_NOLOAD = 4;

    private static String loaded; // the library's path or name, null before

    private MpiLibrary() {}

    /**
     * Loads the library unless it is loaded.
     *
     * @return its path, or its name if the linker found it
     * @throws MpiUnavailableException if there is none, or none that fits; the next call tries again
     */
    static synchronized String load() {
        if (loaded == null) {
            requireNativeAccess();
            List<String> candidates = candidates();
            String library = candidates.stream()
                    .filter(name -> name.equals(SONAME) || Files.exists(Path.of(name)))
                    .findFirst()
                    .orElseThrow(() -> new MpiUnavailableException(
                            candidates.getFirst() + ", which " + PROPERTY + " or " + ENVIRONMENT
                                    + " names, is not there",
                            null));
            checkAbi(library, loadWithoutSignals(library));
            try {
                int[] version = version();
                if (version[0] != 1) {
                    throw new MpiUnavailableException(
                            library + " has version " + version[0] + "." + version[1]
                                    + " of MPI's ABI, and Isthmus knows version 1: " + INSTALL,
                            null);
                }
            } catch (ExceptionInInitializerError e) {
                if (e.getCause() instanceof IllegalCallerException) {
                    throw denied(e);
                }
                throw e;
            }
            loaded = library;
        }
        return loaded;
    }

    /** Where the library may be, best first. What the program names is the only candidate, if it names one. */
    private static List<String> candidates() {
        String named = System.getProperty(PROPERTY, System.getenv(ENVIRONMENT));
        if (named != null && !named.isEmpty()) {
            Path path = Path.of(named);
            return List.of((Files.isDirectory(path) ? path.resolve(SONAME) : path)
                    .toAbsolutePath()
                    .toString());
        }
        var folders = new ArrayList<Path>();
        // The launcher's own: mpiexec's proxy is an ancestor of this process.
        Optional<ProcessHandle> ancestor = ProcessHandle.current().parent();
        while (ancestor.isPresent()) {
            ancestor.get().info().command().map(Path::of).map(Path::getParent).ifPresent(bin -> {
                if (Files.exists(bin.resolve("mpiexec"))) {
                    folders.add(bin);
                }
            });
            ancestor = ancestor.get().parent();
        }
        for (String bin : System.getenv().getOrDefault("PATH", "").split(Pattern.quote(File.pathSeparator), -1)) {
            if (!bin.isEmpty() && Files.exists(Path.of(bin, "mpiexec"))) {
                folders.add(Path.of(bin));
            }
        }
        String environment = System.getenv("VIRTUAL_ENV");
        if (environment != null) {
            folders.add(Path.of(environment, "bin"));
        }
        var found = new ArrayList<String>();
        for (Path bin : folders) {
            Path library = bin.resolveSibling("lib").resolve(SONAME);
            if (Files.exists(library)) {
                found.add(library.toAbsolutePath().normalize().toString());
            }
        }
        found.add(SONAME);
        return found;
    }

    // libucs installs handlers for SIGSEGV and others when it is loaded, and the JVM needs its own: an implicit null
    // check is a SIGSEGV. An empty list in the environment leaves them alone; the call undoes the rest, such as SIGHUP.
    private static SymbolLookup loadWithoutSignals(String library) {
        String before = System.getenv(ERROR_SIGNALS);
        setEnvironment(ERROR_SIGNALS, "");
        try {
            SymbolLookup symbols = lookup(library);
            symbols.find("ucs_debug_disable_signals").ifPresent(MpiLibrary::callVoid);
            return symbols;
        } catch (IllegalArgumentException e) {
            throw new MpiUnavailableException(
                    library.equals(SONAME)
                            ? "no MPI with the standard's ABI is on this machine (" + SONAME + "): " + INSTALL
                            : library
                                    + " cannot be loaded: it may be of another processor, or lack libraries of its own;"
                                    + " ldd " + library + " says which",
                    e);
        } finally {
            setEnvironment(ERROR_SIGNALS, before);
            numericLocaleOfC();
        }
    }

    private static void checkAbi(String library, SymbolLookup symbols) {
        // MPICH's library of its own ABI has this function, too, and another name in its header.
        if (symbols.find("MPI_Abi_get_version").isEmpty() || !isLoaded(SONAME)) {
            String kind = symbols.find("MPI_Init").isPresent()
                    ? "is an MPI without the standard's ABI, which MPI 5 has"
                    : "is no MPI";
            throw new MpiUnavailableException(library + " " + kind + ": " + INSTALL, null);
        }
    }

    private static int[] version() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment numbers = arena.allocate(JAVA_INT, 2);
            mpi_abi_h.MPI_Abi_get_version(numbers, numbers.asSlice(JAVA_INT.byteSize()));
            return numbers.toArray(JAVA_INT);
        }
    }

    @SuppressWarnings("restricted") // it takes and gives nothing
    private static void requireNativeAccess() {
        try {
            MemorySegment.NULL.reinterpret(0);
        } catch (IllegalCallerException e) {
            throw denied(e);
        }
    }

    private static MpiUnavailableException denied(Throwable cause) {
        return new MpiUnavailableException(
                "this JVM denies native access to Isthmus: start it with --enable-native-access="
                        + (MpiLibrary.class.getModule().isNamed()
                                ? "dev.isthmus.mpi,dev.isthmus.bindings.mpi"
                                : "ALL-UNNAMED"),
                cause);
    }

    @SuppressWarnings("restricted") // the one place where the library is loaded
    private static SymbolLookup lookup(String library) {
        return library.equals(SONAME)
                ? SymbolLookup.libraryLookup(library, Arena.global())
                : SymbolLookup.libraryLookup(Path.of(library), Arena.global());
    }

    @SuppressWarnings("restricted")
    private static MethodHandle link(MemorySegment function, FunctionDescriptor descriptor) {
        return Linker.nativeLinker().downcallHandle(function, descriptor);
    }

    private static MethodHandle libc(String name, FunctionDescriptor descriptor) {
        return link(Linker.nativeLinker().defaultLookup().find(name).orElseThrow(), descriptor);
    }

    private static void callVoid(MemorySegment function) {
        try {
            link(function, FunctionDescriptor.ofVoid()).invokeExact();
        } catch (Throwable t) {
            throw new AssertionError("a downcall does not throw", t);
        }
    }

    /** Whether a library of this name (DT_SONAME) is in the process; the generated classes look it up by that. */
    private static boolean isLoaded(String name) {
        try (Arena arena = Arena.ofConfined()) {
            var library = (MemorySegment) libc("dlopen", FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_INT))
                    .invokeExact(arena.allocateFrom(name), RTLD_LAZY | RTLD_NOLOAD);
            return library.address() != 0;
        } catch (Throwable t) {
            throw new AssertionError("a downcall does not throw", t);
        }
    }

    // Sets C's environment, which UCX reads; Java keeps a copy of its own.
    private static void setEnvironment(String name, String value) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment key = arena.allocateFrom(name);
            int ignored = value == null
                    ? (int) libc("unsetenv", FunctionDescriptor.of(JAVA_INT, ADDRESS))
                            .invokeExact(key)
                    : (int) libc("setenv", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT))
                            .invokeExact(key, arena.allocateFrom(value), 1);
        } catch (Throwable t) {
            throw new AssertionError("a downcall does not throw", t);
        }
    }

    // UCX reads numbers, its built-in defaults among them, in the C locale's format, but the JVM sets the user's
    // locale.
    private static void numericLocaleOfC() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment ignored = (MemorySegment) libc("setlocale", FunctionDescriptor.of(ADDRESS, JAVA_INT, ADDRESS))
                    .invokeExact(LC_NUMERIC, arena.allocateFrom("C"));
        } catch (Throwable t) {
            throw new AssertionError("a downcall does not throw", t);
        }
    }
}
