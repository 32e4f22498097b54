// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

import dev.isthmus.RdmaUnavailableException;
import java.util.List;

/**
 * The shared libraries, each loaded when it is asked for. What cannot be loaded, or is too old, throws an {@link
 * RdmaUnavailableException}.
 */
interface Libraries {

    /** libibverbs, and its version. */
    String verbs();

    /**
     * Whether a network interface has the address that a RoCE GID stands for.
     *
     * @param interfaceIndex its index in this process's network namespace
     * @param gid the GID, as sysfs shows it
     */
    boolean isGidOf(int interfaceIndex, String gid);

    /** librdmacm, and its version. */
    String rdmaCm();

    /** libucp, and its version. */
    String ucx();

    /** What UCX can use here: transports with their devices, such as {@code tcp/lo}. */
    List<String> ucxTransports();
}
