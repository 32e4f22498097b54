// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.VerbsException;
import dev.isthmus.testbed.RefusedByDevice;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.attributes.LinkLayer;
import dev.isthmus.verbs.attributes.Mtu;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Compares the table of transitions with the kernel's: what it allows succeeds, and C also refuses what it refuses. */
@Tag("device")
class TransitionTest {

    private static final Set<QueuePairAttribute> NONE = EnumSet.noneOf(QueuePairAttribute.class);

    private static final Set<QueuePairState> REACHABLE =
            EnumSet.of(QueuePairState.INIT, QueuePairState.RTR, QueuePairState.RTS, QueuePairState.SQD);

    /** A transition of a queue pair of {@code pair.a}, with a value for each attribute. */
    private static QueuePairTransition step(
            RcPair pair, QueuePairState from, QueuePairState to, Set<QueuePairAttribute> attributes) {
        var step = QueuePairTransition.to(to);
        var path = AddressVector.global(pair.a.gid, pair.b.gid.gid());
        for (QueuePairAttribute attribute : attributes) {
            switch (attribute) {
                case CURRENT_STATE -> step.currentState(from);
                case SQD_ASYNC_NOTIFY -> step.sqdAsyncNotify(false);
                case ACCESS -> step.access(AccessFlag.REMOTE_WRITE);
                case PKEY_INDEX -> step.pkeyIndex(0);
                case PORT -> step.port(1);
                case QKEY -> step.qkey(1);
                case PATH -> step.path(path);
                case PATH_MTU -> step.pathMtu(Mtu.MTU_256);
                case TIMEOUT -> step.timeout(14);
                case RETRY_COUNT -> step.retryCount(1);
                case RNR_RETRY -> step.rnrRetry(1);
                case RQ_PSN -> step.rqPsn(1);
                case MAX_RD_ATOMIC -> step.maxRdAtomic(1);
                case ALTERNATE_PATH -> step.alternatePath(path, 0, 14);
                case MIN_RNR_TIMER -> step.minRnrTimer(12);
                case SQ_PSN -> step.sqPsn(1);
                case MAX_DEST_RD_ATOMIC -> step.maxDestRdAtomic(1);
                case PATH_MIGRATION_STATE -> step.pathMigrationState(PathMigrationState.MIGRATED);
                case CAPABILITIES -> step.capabilities(new QueuePairCapabilities(1, 1, 1, 1, 0));
                case DEST_QP_NUM -> step.destQpNum(1);
                case RATE_LIMIT -> step.rateLimit(1);
            }
        }
        return step;
    }

    /** A queue pair in a state that is reached with the attributes that the table requires. */
    private static QueuePair in(RcPair pair, QueuePairType type, QueuePairState state) {
        QueuePair qp = pair.a.pd.createQueuePair(type, pair.a.cq, pair.a.cq);
        for (QueuePairState next : REACHABLE) {
            if (qp.state() == state) {
                break;
            }
            qp.modify(step(pair, qp.state(), next, rule(type, qp.state(), next).required()));
        }
        RcPair.Side.awaitDrained(qp); // before that the device takes no step out of SQD
        assertEquals(state, qp.state());
        return qp;
    }

    private static boolean isSoftRoce(RcPair pair) {
        return pair.a.device.attributes().vendorId() == 0xff_ffff;
    }

    private static boolean isEthernet(RcPair pair) {
        return pair.a.device.port(1).linkLayer() == LinkLayer.ETHERNET;
    }

    private static TransitionRules.Rule rule(QueuePairType type, QueuePairState from, QueuePairState to) {
        return TransitionRules.of(type).stream()
                .filter(rule -> rule.from() == from && rule.to() == to)
                .findFirst()
                .orElse(null);
    }

    private static List<TransitionRules.Rule> reachableRules(QueuePairType type) {
        return TransitionRules.of(type).stream()
                .filter(rule -> rule.from() != QueuePairState.SQE)
                .toList();
    }

    @Tag("connectx")
    @ParameterizedTest
    @EnumSource(
            value = QueuePairType.class,
            names = {"RC", "UC", "UD"})
    void shouldGoWhereTheTableAllowsWithWhatItAllows(QueuePairType type) {
        List<String> refused = new ArrayList<>();
        try (var pair = RcPair.ofDriver(config -> {})) {
            for (TransitionRules.Rule rule : reachableRules(type)) {
                List<Set<QueuePairAttribute>> extras = new ArrayList<>(List.of(NONE));
                rule.optional().forEach(attribute -> extras.add(EnumSet.of(attribute)));
                for (Set<QueuePairAttribute> extra : extras) {
                    Set<QueuePairAttribute> set = EnumSet.noneOf(QueuePairAttribute.class);
                    set.addAll(rule.required());
                    set.addAll(extra);
                    try (QueuePair qp = in(pair, type, rule.from())) {
                        qp.modify(step(pair, rule.from(), rule.to(), set));
                        assertEquals(rule.to(), qp.query().state());
                    } catch (VerbsException e) {
                        // The kernel has alternate paths only for InfiniBand.
                        if (set.contains(QueuePairAttribute.ALTERNATE_PATH) && isEthernet(pair)) {
                            assertEquals("EINVAL", e.errnoName());
                            assertTrue(e.getMessage().contains("InfiniBand"), e.getMessage());
                            continue;
                        }
                        if (isSoftRoce(pair)
                                && type == QueuePairType.UC
                                && rule.equals(rule(type, QueuePairState.SQD, QueuePairState.SQD))) {
                            assertEquals(EnumSet.of(QueuePairAttribute.PATH), set); // it takes a new path on RC only
                            continue;
                        }
                        refused.add(rule.from() + " to " + rule.to() + " with " + set + ": " + e.errnoName());
                    }
                }
            }
        }
        assertEquals(List.of(), refused);
    }

    @Tag("connectx")
    @ParameterizedTest
    @EnumSource(
            value = QueuePairType.class,
            names = {"RC", "UC", "UD"})
    void shouldRefuseStepThatLacksAnAttribute(QueuePairType type) {
        try (var pair = RcPair.ofDriver(config -> {})) {
            for (TransitionRules.Rule rule : reachableRules(type)) {
                try (QueuePair qp = in(pair, type, rule.from())) {
                    for (QueuePairAttribute missing : rule.required()) {
                        Set<QueuePairAttribute> set = EnumSet.copyOf(rule.required());
                        set.remove(missing);
                        var step = step(pair, rule.from(), rule.to(), set);
                        var e = assertThrows(IllegalArgumentException.class, () -> qp.modify(step));
                        assertTrue(e.getMessage().endsWith("also needs [" + missing + "]"), e.getMessage());
                        assertRefusedByC(qp, step);
                    }
                    assertEquals(rule.from(), qp.query().state());
                }
            }
        }
    }

    @Tag("connectx")
    @ParameterizedTest
    @EnumSource(
            value = QueuePairType.class,
            names = {"RC", "UC", "UD"})
    void shouldRefuseNothingThatCWouldTake(QueuePairType type) {
        try (var pair = RcPair.ofDriver(config -> {})) {
            for (QueuePairState from : EnumSet.range(QueuePairState.RESET, QueuePairState.SQD)) {
                try (QueuePair qp = in(pair, type, from)) {
                    for (QueuePairState to : REACHABLE) {
                        TransitionRules.Rule rule = rule(type, from, to);
                        if (rule == null) {
                            Set<QueuePairAttribute> all = EnumSet.allOf(QueuePairAttribute.class);
                            all.removeAll(EnumSet.of(QueuePairAttribute.CURRENT_STATE, QueuePairAttribute.RATE_LIMIT));
                            assertThrows(IllegalStateException.class, () -> qp.modify(step(pair, from, to, NONE)));
                            assertRefusedByC(qp, step(pair, from, to, NONE));
                            assertRefusedByC(qp, step(pair, from, to, all));
                        } else {
                            checkExcess(pair, qp, rule);
                        }
                    }
                    assertEquals(from, qp.query().state());
                }
            }
        }
    }

    private static void checkExcess(RcPair pair, QueuePair qp, TransitionRules.Rule rule) {
        Set<QueuePairAttribute> excess = EnumSet.allOf(QueuePairAttribute.class);
        excess.removeAll(rule.required());
        excess.removeAll(rule.optional());
        excess.remove(QueuePairAttribute.CURRENT_STATE); // it says which row of the table is meant
        for (QueuePairAttribute attribute : excess) {
            Set<QueuePairAttribute> set = EnumSet.of(attribute);
            set.addAll(rule.required());
            var step = step(pair, rule.from(), rule.to(), set);
            if (attribute != QueuePairAttribute.CAPABILITIES) {
                var e = assertThrows(IllegalArgumentException.class, () -> qp.modify(step));
                assertTrue(e.getMessage().endsWith("cannot set [" + attribute + "]"), e.getMessage());
            }
            assertRefusedByC(qp, step);
        }
    }

    private static void assertRefusedByC(QueuePair qp, QueuePairTransition step) {
        var e = assertThrows(VerbsException.class, () -> qp.modifyUnchecked(step), step::toString);
        assertTrue(Set.of("EINVAL", "EOPNOTSUPP").contains(e.errnoName()), e.getMessage());
    }

    @ParameterizedTest
    @EnumSource(
            value = QueuePairType.class,
            names = {"UC", "UD"})
    void shouldLeaveTheSendQueueError(QueuePairType type) {
        try (var pair = RcPair.ofDriver(config -> {});
                QueuePair qp = in(pair, type, QueuePairState.RTS)) {
            // No program can bring it there. The step says that it begins there, which the kernel believes, and a card
            // does not.
            qp.modify(QueuePairTransition.to(QueuePairState.RTS).currentState(QueuePairState.SQE));
            assertEquals(QueuePairState.RTS, qp.query().state());
        }
    }

    @Tag("connectx")
    @Test
    void shouldGoToErrorAndBackToReset() {
        try (var pair = RcPair.ofDriver(config -> {})) {
            for (QueuePairState from : EnumSet.range(QueuePairState.INIT, QueuePairState.SQD)) {
                try (QueuePair qp = in(pair, QueuePairType.RC, from)) {
                    qp.flush();
                    assertEquals(QueuePairState.ERR, qp.query().state());
                    qp.modify(QueuePairTransition.to(QueuePairState.RESET));
                    assertEquals(QueuePairState.RESET, qp.query().state());
                }
            }
        }
    }

    @Tag("connectx")
    @Test
    void shouldGoToErrorFromReset() {
        try (var pair = RcPair.ofDriver(config -> {})) {
            try {
                pair.a.qp.flush();
            } catch (VerbsException e) { // Linux 6.1, though the specification has ERR follow every state
                assertEquals("EINVAL", e.errnoName());
                assertTrue(e.getMessage().contains("nothing is outstanding in RESET"), e.getMessage());
                assertEquals(QueuePairState.RESET, pair.a.qp.query().state());
                throw RefusedByDevice.by("ibv_modify_qp", "EINVAL from RESET to ERR");
            }
            assertEquals(QueuePairState.ERR, pair.a.qp.query().state());
            assertThrows(IllegalStateException.class, () -> pair.a.qp.tryPost(pair.a.receive(0, 8)));
            assertTrue(pair.a.qp.drain(pair.a.done, i -> {}, TestDeadlines.ofSeconds(60)));
        }
    }

    @Tag("connectx")
    @Test
    void shouldRefuseValuesOutOfRange() {
        var step = QueuePairTransition.to(QueuePairState.RTS);
        assertThrows(IllegalArgumentException.class, () -> step.currentState(QueuePairState.RESET));
        assertThrows(IllegalArgumentException.class, () -> step.rateLimit(-1));
        assertThrows(IllegalArgumentException.class, () -> step.pathMigrationState(PathMigrationState.UNKNOWN));
        assertThrows(IllegalArgumentException.class, () -> step.alternatePath(AddressVector.local(1, 1), 0x10000, 1));
        assertThrows(IllegalArgumentException.class, () -> step.alternatePath(AddressVector.local(1, 1), 0, 32));
    }
}
