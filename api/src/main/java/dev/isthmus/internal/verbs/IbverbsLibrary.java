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
 * Loads libibverbs on first use. Every possible first step into verbs requires it here, as the static initialisers of
 * {@link Libibverbs} and of the generated layouts could not say what is missing.
 */
public final class IbverbsLibrary {

    /**
     * libmlx5 reads it whenever it creates a queue pair. Unless it is 0, the card may put a short message, or the data
     * of a READ, into the completion. libmlx5 then copies that to the request's address when the completion is polled,
     * even if the region is gone by then, or the address never was one of this process.
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

    // A value that the user has set stays.
    private static void keepDataOutOfCompletions() {
        try (var call = new NativeCall()) {
            call.integer(SETENV, call.allocateFrom(MLX5_SCATTER), call.allocateFrom("0"), 0);
        }
    }
}
