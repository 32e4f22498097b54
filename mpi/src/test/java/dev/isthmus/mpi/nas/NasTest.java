// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi.nas;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.MpiRun;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.testbed.TierRunner;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("mpi")
class NasTest {

    private static void runs(String size, int ranks, String kernel) throws Exception {
        verified(MpiRun.run(ranks, MpiRun.java(Nas.class, size, kernel)), size, kernel);
    }

    private static void verified(MpiRun.Result result, String size, String kernel) {
        assertEquals(0, result.status(), result.output());
        assertTrue(result.output().contains(kernel + " " + size + ": verified"), result.output());
    }

    /** Those that send often have few ranks: where there are fewer processors, each message waits for a turn. */
    @ParameterizedTest
    @CsvSource({"EP, 4", "IS, 2", "CG, 2", "MG, 4", "FT, 4"})
    void shouldHaveTheSumsOfClassS(String kernel, int ranks) throws Exception {
        runs("S", ranks, kernel);
    }

    @ParameterizedTest
    @CsvSource({"CG, 2", "IS, 3", "FT, 4"})
    void shouldHaveTheSumsOfClassSOverTcp(String kernel, int ranks) throws Exception {
        verified(MpiRun.runOverTcp(ranks, MpiRun.java(Nas.class, "S", kernel)), "S", kernel);
    }

    @ParameterizedTest
    @ValueSource(strings = {"EP", "IS", "CG", "MG", "FT"})
    @Tag(TierRunner.EXTENDED)
    @Timeout(TestDeadlines.LONGEST_TEST_SECONDS)
    void shouldHaveTheSumsOfClassW(String kernel) throws Exception {
        runs("W", 2, kernel);
    }
}
