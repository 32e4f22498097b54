// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.bindings.ibverbs.verbs_h;
import dev.isthmus.internal.Libc;
import dev.isthmus.internal.NativeAccess;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.NativeFunction;
import dev.isthmus.internal.NativeLibrary;
import java.lang.foreign.ValueLayout;

/**
 * Loads libibverbs when it is first needed. Whatever may be a program's first step into verbs requires it here, as
 * the static initialisers of {@link Libibverbs} and of the generated layouts could not say what is missing.
 */
public final class IbverbsLibrary {

    /**
     * libmlx5 looks at it whenever it makes a queue pair. Unless it is 0, the card may put a short message, or what was
     * read, into the completion, and libmlx5 copies it to the address in the request when the completion is polled:
     * whether the region is still there by then, and whether that ever was an address of this process.
     */
    private static final String MLX5_SCATTER = "MLX5_SCATTER_TO_CQE";

    private static final NativeFunction SETENV =
            Libc.function("setenv", JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS, JAVA_INT);

    private static NativeLibrary library;

    private IbverbsLibrary() {}

    /**
     * The library.
     *
     * @throws RdmaUnavailableException if it is not on this machine, or this JVM may not load it
     */
    public static synchronized NativeLibrary require() {
        if (library == null) {
            keepDataOutOfCompletions();
            NativeLibrary loaded = NativeLibrary.load("libibverbs.so.1", "rdma-core", "libibverbs1 ibverbs-providers");
            NativeAccess.require(verbs_h.class);
            library = loaded;
        }
        return library;
    }

    // What the user has set stays.
    private static void keepDataOutOfCompletions() {
        try (var call = new NativeCall()) {
            call.integer(SETENV, call.allocateFrom(MLX5_SCATTER), call.allocateFrom("0"), 0);
        }
    }
}
