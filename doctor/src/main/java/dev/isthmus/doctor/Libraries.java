// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

import dev.isthmus.RdmaUnavailableException;
import java.util.List;

/** The shared libraries, each loaded when it is asked for. */
interface Libraries {

    /**
     * libibverbs.
     *
     * @return the version's words
     * @throws RdmaUnavailableException if it cannot be loaded
     */
    String verbs();

    /**
     * Whether a network interface has the address that a RoCE GID stands for.
     *
     * @param interfaceIndex its index in this process's network namespace
     * @param gid the GID, as sysfs shows it
     */
    boolean isGidOf(int interfaceIndex, String gid);

    /**
     * librdmacm.
     *
     * @return the version's words
     * @throws RdmaUnavailableException if it cannot be loaded
     */
    String rdmaCm();

    /**
     * libucp.
     *
     * @return the version's words
     * @throws RdmaUnavailableException if it cannot be loaded or is too old
     */
    String ucx();

    /**
     * What UCX can use here.
     *
     * @return transports with their devices, such as {@code tcp/lo}
     */
    List<String> ucxTransports();
}
