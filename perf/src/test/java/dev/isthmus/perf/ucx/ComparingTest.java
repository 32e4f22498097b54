// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.perf.Side;
import dev.isthmus.perf.process.Stopping;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("ucx")
@Tag("system-ucx")
@Tag("host")
@Timeout(600)
class ComparingTest {

    @Test
    void shouldMeasureEveryContenderAtEveryCell() throws Exception {
        List<String> progress = new ArrayList<>();
        List<Figures> all;
        List<UcxCell> cells = UcxCell.ALL.stream().map(cell -> cell.with(50)).toList();
        try (var stopping = new Stopping();
                var comparing = new Comparing(cells, 1, 0, stopping, progress::add)) {
            all = comparing.run();
        }
        assertEquals(UcxCell.ALL.size(), all.size());
        for (Figures figures : all) {
            for (Side name : Side.values()) {
                String where = figures.cell().title() + ", " + name + ": " + figures.failure(name);
                assertEquals(1, figures.rounds(name).size(), where);
                assertTrue(figures.median(name).orElseThrow() > 0, where);
            }
        }
        assertTrue(progress.size() >= UcxCell.ALL.size());
    }
}
