// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import dev.isthmus.RdmaUnavailableException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;

/**
 * Native access, which a JVM grants or denies by module. Each part of the library checks it before its first step. So
 * the program learns what to type, and not only that a class could not be initialized.
 */
public final class NativeAccess {

    /** On the module path, the bindings are modules of their own, which also call C. */
    private static final String MODULES = "dev.isthmus,dev.isthmus.bindings.ibverbs,dev.isthmus.bindings.ucx";

    private NativeAccess() {}

    /**
     * Checks native access of this class's module. If the JVM only warns, it does so here for the first time.
     *
     * @throws RdmaUnavailableException if native access is denied
     */
    @SuppressWarnings("restricted") // the most harmless restricted method
    public static void require() {
        try {
            MemorySegment.NULL.reinterpret(0);
        } catch (IllegalCallerException e) {
            throw denied(e);
        }
    }

    /**
     * Checks native access of a generated header's module. The header looks for its library when it is initialized.
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
            // Thrown each time: at first by the initializer, later because the class could not be initialized.
            if (e.getCause() instanceof IllegalCallerException
                    || String.valueOf(e.getCause()).contains(IllegalCallerException.class.getSimpleName())) {
                throw denied(e);
            }
            throw e;
        }
    }

    /** The exception for a JVM that denies this library native access. */
    static RdmaUnavailableException denied(Throwable cause) {
        boolean modular = NativeAccess.class.getModule().isNamed();
        return new RdmaUnavailableException(
                "this JVM denies native access to Isthmus: start it with --enable-native-access="
                        + (modular ? MODULES : "ALL-UNNAMED"),
                cause);
    }
}
