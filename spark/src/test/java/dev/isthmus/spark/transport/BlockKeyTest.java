// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class BlockKeyTest {

    @Test
    void shouldReadNamesOfShuffleBlocks() {
        assertEquals(Optional.of(new BlockKey(1, 22, 3, 4)), BlockKey.parse("shuffle_1_22_3"));
        assertEquals(Optional.of(new BlockKey(1, 22, 3, 9)), BlockKey.parse("shuffle_1_22_3_9"));
        assertEquals(
                Optional.of(new BlockKey(0, Long.MAX_VALUE, 0, 1)), BlockKey.parse("shuffle_0_9223372036854775807_0"));
    }

    @Test
    void shouldLeaveOtherNamesToOthers() {
        for (String name : List.of(
                "",
                "rdd_1_2",
                "shuffle_1_2",
                "shuffle_1_2_3.data",
                "shuffle_1_-2_3",
                "shuffle_1_2_3_3",
                "shuffleChunk_1_2_3_4",
                "shuffle_9999999999_2_3",
                "shuffle_1_9999999999999999999_3",
                "shuffle_1_2_2147483647",
                "shuffle_١_2_3")) {
            assertEquals(Optional.empty(), BlockKey.parse(name), name);
        }
    }

    @Test
    void shouldRefuseNumbersOfNoBlock() {
        assertThrows(IllegalArgumentException.class, () -> new BlockKey(-1, 0, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> new BlockKey(0, -1, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> new BlockKey(0, 0, 2, 2));
    }
}
