// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.CProgram;
import dev.isthmus.testbed.MpiRun;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A rank in Java and one in C, started by one {@code mpiexec}: each checks every element that it gets of the other. */
@Tag("mpi")
class CPeerTest {

    private static CProgram peer;

    @TempDir
    private Path folder;

    @BeforeAll
    static void compile() throws IOException {
        try (var source = CPeerTest.class.getResourceAsStream("peer.c")) {
            peer = CProgram.compile(new String(source.readAllBytes(), StandardCharsets.UTF_8), "-lmpi_abi");
        }
    }

    @AfterAll
    static void delete() {
        peer.close();
    }

    @ParameterizedTest
    @CsvSource({"POINT_TO_POINT, 112", "DATATYPES, 36", "COLLECTIVES, 39", "ONE_SIDED, 7", "FILES, 2"})
    void shouldExchangeWithC(String part, int steps) throws Exception {
        List<String> java =
                MpiRun.java(CPeer.class, part, folder.resolve("file").toString());
        List<String> c = List.of(
                peer.executable().toString(), part, folder.resolve("file").toString());
        for (int rank = 0; rank < 2; rank++) {
            MpiRun.Result result = MpiRun.runEach(rank == 0 ? List.of(java, c) : List.of(c, java));
            assertEquals(0, result.status(), result.output());
            assertTrue(result.output().contains("Java, rank " + rank + ": " + steps + " steps"), result.output());
            assertTrue(result.output().contains("C, rank " + (1 - rank) + ": " + steps + " steps"), result.output());
        }
    }
}
