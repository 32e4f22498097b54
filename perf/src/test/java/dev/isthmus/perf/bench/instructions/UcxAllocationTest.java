// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import dev.isthmus.testbed.Allocated;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is measured allocates not a byte; measured without JMH, which does allocate. */
@Tag("ucx")
@Tag("host")
class UcxAllocationTest {

    static List<UcxRow> rows() {
        return UcxRow.ALL;
    }

    @ParameterizedTest
    @MethodSource("rows")
    void shouldAllocateNothing(UcxRow row) {
        try (var loops = new UcxLoops(row.transport())) {
            Blocks.Loop loop = loops.prepare(row);
            Allocated.assertNone(() -> loop.run(row.operations()));
        }
    }
}
