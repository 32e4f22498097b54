// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class WorkRequestTest {

    @Test
    void shouldRejectImpossibleSizes() {
        for (int many : new int[] {-1, 65_537, Integer.MAX_VALUE}) {
            assertThrows(IllegalArgumentException.class, () -> SendRequest.prepare(many));
            assertThrows(IllegalArgumentException.class, () -> ReceiveRequest.prepare(many));
        }
        assertThrows(IllegalArgumentException.class, () -> WorkCompletions.allocate(0));
        assertThrows(IllegalArgumentException.class, () -> WorkCompletions.allocate(Integer.MAX_VALUE));
    }

    @Test
    void shouldRefuseLengthAndRangeOfRequestWithoutBuffer() {
        var none = SendRequest.prepare(0);
        var room = ReceiveRequest.prepare(2);
        String message = "the request has 0 buffers: say which one by sge(index, ...)";
        assertEquals(
                message,
                assertThrows(IllegalStateException.class, () -> none.length(8)).getMessage());
        assertEquals(
                message,
                assertThrows(IllegalStateException.class, () -> none.range(0, 8))
                        .getMessage());
        assertEquals(
                message,
                assertThrows(IllegalStateException.class, () -> room.length(8)).getMessage());
    }
}
