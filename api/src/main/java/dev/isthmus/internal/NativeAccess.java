// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import dev.isthmus.RdmaUnavailableException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;

/**
 * Native access, which a JVM grants to one module and denies to another. A part of the library asks before it takes its
 * first step, so that the program hears what to type rather than that a class could not be initialized.
 */
public final class NativeAccess {

    /** On the module path the bindings are modules of their own, and call C, too. */
    private static final String MODULES = "dev.isthmus,dev.isthmus.bindings.ibverbs,dev.isthmus.bindings.ucx";

    private NativeAccess() {}

    /**
     * Asks for the module of this class. Where the JVM only warns, it warns here for the first time.
     *
     * @throws RdmaUnavailableException if native access is denied
     */
    @SuppressWarnings("restricted") // the least of all such methods
    public static void require() {
        try {
            MemorySegment.NULL.reinterpret(0);
        } catch (IllegalCallerException e) {
            throw denied(e);
        }
    }

    /**
     * Asks for the module of a generated header, which looks for its library when it is initialized.
     *
     * @param header the header's class, whose package must be exported to this module
     * @throws RdmaUnavailableException if native access is denied
     */
    public static void require(Class<?> header) {
        try {
            MethodHandles.lookup().ensureInitialized(header);
        } catch (IllegalAccessException e) {
            throw new AssertionError(header + " is not for this module", e);
        } catch (LinkageError e) {
            // Thrown each time: by the initializer at first, later for a class that could not be initialized.
            if (e.getCause() instanceof IllegalCallerException
                    || String.valueOf(e.getCause()).contains(IllegalCallerException.class.getSimpleName())) {
                throw denied(e);
            }
            throw e;
        }
    }

    /** The exception for a JVM that does not let this library call C. */
    static RdmaUnavailableException denied(Throwable cause) {
        boolean modular = NativeAccess.class.getModule().isNamed();
        return new RdmaUnavailableException(
                "this JVM denies native access to Isthmus: start it with --enable-native-access="
                        + (modular ? MODULES : "ALL-UNNAMED"),
                cause);
    }
}
