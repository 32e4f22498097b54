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

    private static boolean follows(QueuePairType type, QueuePairState from, QueuePairState to) {
        try {
            TransitionRules.checkState("qp", type, from, to);
            return true;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    /** Every type, from every state to every state. */
    @Test
    void shouldFollowAsTheSpecificationSays() {
        var connectedReliably =
                EnumSet.of(QueuePairType.RC, QueuePairType.XRC_SEND, QueuePairType.XRC_RECV); // they have no SQE
        String table = """
            RESET RESET INIT ERR
            INIT RESET INIT RTR ERR
            RTR RESET RTS ERR
            RTS RESET RTS SQD ERR
            SQD RESET RTS SQD ERR
            SQE RESET RTS ERR
            ERR RESET ERR
            UNKNOWN RESET ERR
            """;
        for (QueuePairType type : QueuePairType.values()) {
            StringBuilder found = new StringBuilder();
            for (QueuePairState from : QueuePairState.values()) {
                found.append(from);
                for (QueuePairState to : QueuePairState.values()) {
                    found.append(follows(type, from, to) ? " " + to : "");
                }
                found.append('\n');
            }
            String expected = type == QueuePairType.UNKNOWN || type == QueuePairType.DRIVER
                    ? table.replaceAll(" (INIT|RTR|RTS|SQD)", "")
                    : connectedReliably.contains(type) ? table.replace("SQE RESET RTS", "SQE RESET") : table;
            assertEquals(expected, found.toString(), type::name);
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
