// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.ChildJvm;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A process without a suitable MPI gets one sentence that says what to do. */
class MpiLibraryTest {

    /** The program. */
    static final class Loading {

        private Loading() {}

        public static void main(String[] args) {
            try {
                System.out.println("loaded " + MpiLibrary.load());
            } catch (MpiUnavailableException e) {
                System.out.println("said " + e.getMessage());
            }
        }
    }

    private static String said(String... options) throws Exception {
        ChildJvm.Result result = new ChildJvm().options(options).run(Loading.class);
        assertEquals(0, result.status(), result.output());
        return result.output().strip();
    }

    @Test
    @Tag("unit")
    void shouldSayThatTheNamedLibraryIsNotThere() throws Exception {
        String said =
                said("--enable-native-access=ALL-UNNAMED", "-D" + MpiLibrary.PROPERTY + "=/nowhere/libmpi_abi.so.1");
        assertTrue(said.startsWith("said /nowhere/libmpi_abi.so.1, which isthmus.mpi.library"), said);
    }

    @Test
    @Tag("unit")
    void shouldSayThatALibraryIsNoMpi() throws Exception {
        String libc = java.nio.file.Files.readAllLines(java.nio.file.Path.of("/proc/self/maps")).stream()
                .filter(line -> line.contains("/libc.so"))
                .map(line -> line.substring(line.indexOf('/')))
                .findFirst()
                .orElseThrow();
        String said = said("--enable-native-access=ALL-UNNAMED", "-D" + MpiLibrary.PROPERTY + "=" + libc);
        assertTrue(said.contains(" is no MPI: pip install mpich"), said);
    }

    @Test
    @Tag("unit")
    void shouldSayThatNativeAccessIsDenied() throws Exception {
        String said = said("--illegal-native-access=deny");
        assertTrue(said.contains("--enable-native-access=ALL-UNNAMED"), said);
    }

    @Test
    @Tag("mpi")
    void shouldSayThatAnMpiHasNotTheStandardsAbi() throws Exception {
        String other = MpiLibrary.load().replace("libmpi_abi.so.1", "libmpi.so.12");
        String said = said("--enable-native-access=ALL-UNNAMED", "-D" + MpiLibrary.PROPERTY + "=" + other);
        assertTrue(said.contains("is an MPI without the standard's ABI, which MPI 5 has"), said);
    }

    @Test
    @Tag("mpi")
    void shouldFindTheLibraryBesideTheLauncherOnThePath() throws Exception {
        String said = said("--enable-native-access=ALL-UNNAMED");
        assertTrue(said.startsWith("loaded /") && said.endsWith("/lib/libmpi_abi.so.1"), said);
    }
}
