// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.cm;

import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.bindings.ibverbs.rdma_cma_h;
import dev.isthmus.internal.NativeAccess;
import dev.isthmus.internal.NativeLibrary;
import dev.isthmus.internal.verbs.IbverbsLibrary;

/**
 * Loads librdmacm on first use: programs that use only verbs do not need it. Every possible first step into connection
 * management requires it here, as the static initialisers of {@link Librdmacm} and of the generated layouts could not
 * say what is missing.
 */
public final class RdmacmLibrary {

    private static NativeLibrary library;

    private RdmacmLibrary() {}

    /**
     * The library.
     *
     * @throws RdmaUnavailableException if it is not on this machine, or this JVM may not load it
     */
    public static synchronized NativeLibrary require() {
        if (library == null) {
            IbverbsLibrary.require();
            NativeLibrary loaded = NativeLibrary.load("librdmacm.so.1", "rdma-core", "librdmacm1");
            NativeAccess.require(rdma_cma_h.class);
            library = loaded;
        }
        return library;
    }
}
