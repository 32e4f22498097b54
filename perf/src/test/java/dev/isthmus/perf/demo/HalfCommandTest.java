// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.perf.process.JavaChild;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("ucx")
@Tag("system-ucx")
@Tag("host")
@Timeout(600)
class HalfCommandTest {

    @TempDir
    private Path folder;

    @Test
    void shouldMeasureBothSidesOverUcx() throws Exception {
        List<String> command = JavaChild.command(Optional.empty(), HalfCommand.NAME, HalfCommand.UCX);
        command.addAll(List.of("--sizes", "8,4096", "--iters", "100", "--rounds", "1"));
        List<String> said = new ArrayList<>();
        Half.Result result = new Half(HalfCommand.UCX, command).run(said::add, said::add, folder);
        assertEquals(List.of(), result.failures(), said::toString);
        List<DuelResult> comparisons = DuelResult.of(result.samples());
        assertEquals(
                List.of(8, 4096), comparisons.stream().map(DuelResult::bytes).toList());
        for (DuelResult comparison : comparisons) {
            assertEquals(2, comparison.rounds());
            assertTrue(comparison.cBestMicros() > 0 && comparison.javaBestMicros() > 0, comparison.toString());
        }
        assertTrue(result.samples().stream().allMatch(sample -> sample.averageMicros() > 0), said::toString);
        assertTrue(result.machine().orElseThrow().where().contains("UCX_TLS=posix"), said::toString);
    }
}
