// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.bindings.mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.AbiCheck;
import dev.isthmus.testbed.AbiFact;
import dev.isthmus.testbed.HeaderRelease;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tier's environment says where the header and the library are, and keeps UCX from handling signals. */
@Tag("mpi")
class MpiAbiTest {

    private static final AbiCheck ABI =
            new AbiCheck(List.of("mpi_abi.h"), List.of(mpi_abi_h.class), new HeaderRelease("mpich", "5.0.2"), Set.of());

    @Test
    void shouldMatchTheCompilersLayoutsAndConstants() {
        assertEquals(List.of(), ABI.mismatches());
    }

    @ParameterizedTest
    @ValueSource(strings = {"amd64", "aarch64"})
    void shouldMatchTheCompilersLayoutsAndConstantsOnProcessor(String processor) {
        ABI.assertOn(processor);
    }

    @Test
    void shouldCheckMembersHandlesAndFunctions() {
        List<String> checked = ABI.facts().stream().map(AbiFact::expression).toList();
        assertTrue(checked.contains("offsetof(MPI_Status, MPI_internal)"));
        assertTrue(checked.contains("sizeof(MPI_Count)"));
        assertTrue(checked.contains("sizeof((MPI_Send_c)(0, 0, 0, 0, 0, 0))"));
        assertTrue(checked.contains("(long) MPI_COMM_WORLD"));
        assertTrue(checked.contains("(int) MPI_THREAD_MULTIPLE"));
    }

    @Test
    void shouldFindEveryFunctionInTheLibrary() {
        assertEquals(List.of(), AbiCheck.missingFunctions(mpi_abi_h.class, "libmpi_abi.so.1"));
    }
}
