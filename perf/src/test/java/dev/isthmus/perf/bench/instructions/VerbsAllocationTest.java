// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.isthmus.testbed.Allocated;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.Device;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Posting and polling allocate not a byte, including what prepares and drains them. */
@Tag("device")
@Tag("connectx")
@Timeout(TestDeadlines.LONGEST_TEST_SECONDS)
class VerbsAllocationTest {

    private static final int OPERATIONS = 128;

    // Full polls wait until all completions are there before the first one, which may never happen with
    // several processors.
    static List<VerbsRow> rows() {
        return VerbsRow.ALL.stream()
                .filter(row -> row.way() != VerbsRow.Way.FULL_POLL)
                .toList();
    }

    @ParameterizedTest
    @MethodSource("rows")
    void shouldAllocateNothing(VerbsRow row) {
        try (var loops = new VerbsLoops(Device.first().name())) {
            loops.prepare(row);
            Blocks.Loop loop = loops.loop(row);
            Allocated.assertNone(() -> loop.run(OPERATIONS));
        }
    }

    @Test
    void shouldSeeOneObjectInManyOperations() {
        Object[] kept = new Object[1];
        assertThrows(
                AssertionError.class,
                () -> Allocated.assertNone(() -> {
                    for (int i = 0; i < 1000; i++) {
                        kept[0] = i % 200 == 0 ? new long[1] : kept[0];
                    }
                }));
        assertEquals(1, ((long[]) kept[0]).length);
    }
}
