// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

import dev.isthmus.mpi.MpiUnavailableException;
import java.nio.file.Path;

/** An MPI with the standard's ABI, and its launcher. */
final class MpiCheck {

    private static final String INSTALL =
            "pip install mpich; then activate its environment, or name it by ISTHMUS_MPI_LIBRARY";

    private MpiCheck() {}

    static void look(Findings findings, Libraries libraries) {
        Libraries.FoundMpi mpi;
        try {
            mpi = libraries.mpi();
        } catch (MpiUnavailableException e) {
            findings.missing(e.getMessage(), INSTALL);
            return;
        }
        findings.good(mpi.version());
        findings.good(mpi.library());
        Path own = mpi.ownLauncher();
        Path onPath = mpi.launcherOnPath();
        if (own == null && onPath == null) {
            findings.missing(
                    "no mpiexec is beside the library, nor on the PATH", "add the bin folder of this MPI to the PATH");
        } else if (own == null || own.equals(onPath)) {
            findings.good("mpiexec is " + onPath);
        } else {
            findings.note(
                    onPath == null
                            ? "mpiexec is not on the PATH"
                            : "mpiexec on the PATH, " + onPath + ", is of another MPI: each rank would be alone",
                    "start programs by " + own);
        }
    }
}
