// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

import dev.isthmus.RdmaUnavailableException;
import java.nio.file.Path;
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

    /**
     * The MPI that a program would use.
     *
     * @throws dev.isthmus.mpi.MpiUnavailableException if there is none with the standard's ABI
     */
    FoundMpi mpi();

    /**
     * An MPI.
     *
     * @param version the implementation with its version, and those of the standard and the ABI
     * @param library where it was found
     * @param ownLauncher the {@code mpiexec} beside the library, without symbolic links; null if there is none
     * @param launcherOnPath the {@code mpiexec} that the shell finds; likewise
     */
    record FoundMpi(String version, String library, Path ownLauncher, Path launcherOnPath) {}
}
