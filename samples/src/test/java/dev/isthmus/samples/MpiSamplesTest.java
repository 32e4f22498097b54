// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.testbed.MpiRun;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("mpi")
class MpiSamplesTest {

    private static List<String> print(Class<?> sample, int ranks) throws Exception {
        MpiRun.Result result = MpiRun.run(ranks, MpiRun.java(sample));
        assertEquals(0, result.status(), result.output());
        return result.output().lines().toList();
    }

    @ParameterizedTest
    @ValueSource(classes = {MpiRing.class, MpiAllreduce.class, MpiHalo.class})
    void shouldPrintWhatThePageShows(Class<?> sample) throws Exception {
        SamplesPage.Command command = SamplesPage.command(sample.getSimpleName());
        int ranks = Integer.parseInt(command.arguments().getFirst());
        assertEquals(command.output(), print(sample, ranks));
    }

    /** However the plate is divided, the heat is the same. */
    @ParameterizedTest
    @CsvSource({"1, 1 x 1", "2, 2 x 1", "6, 3 x 2"})
    void shouldSpreadTheSameHeatOnAnyNumberOfRanks(int ranks, String grid) throws Exception {
        assertEquals(List.of(grid + " ranks, mean 18.865509"), print(MpiHalo.class, ranks));
    }
}
