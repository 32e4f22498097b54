package dev.isthmus.internal.verbs;

import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.bindings.ibverbs.verbs_h;
import dev.isthmus.internal.NativeAccess;
import dev.isthmus.internal.NativeLibrary;

/**
 * Loads libibverbs when it is first needed. Whatever may be a program's first step into verbs requires it here, as
 * the static initialisers of {@link Libibverbs} and of the generated layouts could not say what is missing.
 */
public final class IbverbsLibrary {

    private static NativeLibrary library;

    private IbverbsLibrary() {}

    /**
     * The library.
     *
     * @throws RdmaUnavailableException if it is not on this machine, or this JVM may not load it
     */
    public static synchronized NativeLibrary require() {
        if (library == null) {
            NativeLibrary loaded = NativeLibrary.load("libibverbs.so.1", "rdma-core", "libibverbs1 ibverbs-providers");
            NativeAccess.require(verbs_h.class);
            library = loaded;
        }
        return library;
    }
}
