// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.isthmus.verbs.attributes.PortAttributes;
import dev.isthmus.verbs.attributes.PortState;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class SetupTest {

    private static PortAttributes inState(int code) {
        return new PortAttributes(code, 5, 3, 1, 0, 1 << 30, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 5, 2, 0, 0);
    }

    @Test
    void shouldRefuseAPortThatIsNotActiveInOneLine() {
        assertDoesNotThrow(() -> Setup.requireActive("rxe0", 1, inState(PortState.ACTIVE.code())));
        List<PortState> others = Arrays.stream(PortState.values())
                .filter(state -> state != PortState.ACTIVE && state != PortState.UNKNOWN)
                .toList();
        for (PortState state : others) {
            var e = assertThrows(
                    IllegalArgumentException.class, () -> Setup.requireActive("rxe0", 1, inState(state.code())));
            assertEquals(
                    "port 1 of rxe0 is " + state
                            + ", not ACTIVE: check its cable and network interface (isthmus doctor),"
                            + " or choose another with -d and -i",
                    e.getMessage());
        }
        var e = assertThrows(IllegalArgumentException.class, () -> Setup.requireActive("rxe0", 1, inState(77)));
        assertEquals("port 1 of rxe0 is in state 77, not ACTIVE", e.getMessage().split(":", -1)[0]);
    }
}
