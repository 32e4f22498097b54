// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class TransitionRulesTest {

    private static final Set<QueuePairAttribute> NONE = EnumSet.noneOf(QueuePairAttribute.class);

    private static void check(QueuePairState from, QueuePairState to, Set<QueuePairAttribute> set) {
        TransitionRules.check("qp", QueuePairType.RC, from, to, set);
    }

    @Test
    void shouldAllowResetAndErrorFromEveryState() {
        for (QueuePairState from : QueuePairState.values()) {
            check(from, QueuePairState.RESET, NONE);
            check(from, QueuePairState.ERR, NONE);
        }
    }

    @Test
    void shouldListTheStatesThatCanFollow() {
        var e = assertThrows(IllegalStateException.class, () -> check(QueuePairState.RESET, QueuePairState.RTS, NONE));
        assertTrue(e.getMessage().contains("INIT, RESET, ERR"), e.getMessage());
    }

    @Test
    void shouldCheckOnlyTheOrderOfStatesOnIwarp() {
        TransitionRules.checkState("qp", QueuePairType.RC, QueuePairState.RESET, QueuePairState.INIT);
        assertThrows(
                IllegalStateException.class,
                () -> TransitionRules.checkState("qp", QueuePairType.RC, QueuePairState.RESET, QueuePairState.RTS));
    }

    @Test
    void shouldNameExcessAttributes() {
        var set = EnumSet.of(
                QueuePairAttribute.PKEY_INDEX,
                QueuePairAttribute.PORT,
                QueuePairAttribute.ACCESS,
                QueuePairAttribute.TIMEOUT);
        var e = assertThrows(
                IllegalArgumentException.class, () -> check(QueuePairState.RESET, QueuePairState.INIT, set));
        assertTrue(e.getMessage().contains("cannot set [timeout]"), e.getMessage());
    }

    @Test
    void shouldSetNothingThatIsRefused() {
        var step = QueuePairTransition.to(QueuePairState.RTR);
        var way = AddressVector.local(1, 7);
        assertThrows(IllegalArgumentException.class, () -> step.alternatePath(way, 0, 32));
        assertThrows(IllegalArgumentException.class, () -> step.alternatePath(way, 0x10000, 1));
        assertThrows(IllegalArgumentException.class, () -> step.qkey(0).timeout(32));
        assertThrows(NullPointerException.class, () -> step.pathMtu(null));
        assertThrows(NullPointerException.class, () -> step.pathMigrationState(null));
        assertEquals(EnumSet.of(QueuePairAttribute.QKEY), step.attributes());
    }
}
