package dev.isthmus.verbs;

import static dev.isthmus.verbs.QueuePairAttribute.ACCESS;
import static dev.isthmus.verbs.QueuePairAttribute.DEST_QP_NUM;
import static dev.isthmus.verbs.QueuePairAttribute.MAX_DEST_RD_ATOMIC;
import static dev.isthmus.verbs.QueuePairAttribute.MAX_RD_ATOMIC;
import static dev.isthmus.verbs.QueuePairAttribute.MIN_RNR_TIMER;
import static dev.isthmus.verbs.QueuePairAttribute.PATH;
import static dev.isthmus.verbs.QueuePairAttribute.PATH_MTU;
import static dev.isthmus.verbs.QueuePairAttribute.PKEY_INDEX;
import static dev.isthmus.verbs.QueuePairAttribute.PORT;
import static dev.isthmus.verbs.QueuePairAttribute.RETRY_COUNT;
import static dev.isthmus.verbs.QueuePairAttribute.RNR_RETRY;
import static dev.isthmus.verbs.QueuePairAttribute.RQ_PSN;
import static dev.isthmus.verbs.QueuePairAttribute.SQ_PSN;
import static dev.isthmus.verbs.QueuePairAttribute.TIMEOUT;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which state follows which, and what each transition must and may set: ibv_modify_qp(3) and the InfiniBand
 * specification, volume 1, section 10.3.1. Held against in Java because C says no more than EINVAL.
 */
final class TransitionRules {

    private record Rule(
            QueuePairState from,
            QueuePairState to,
            Set<QueuePairAttribute> required,
            Set<QueuePairAttribute> optional) {}

    private static final Set<QueuePairAttribute> NONE = EnumSet.noneOf(QueuePairAttribute.class);

    private static final List<Rule> RC = List.of(
            new Rule(QueuePairState.RESET, QueuePairState.INIT, EnumSet.of(PKEY_INDEX, PORT, ACCESS), NONE),
            new Rule(QueuePairState.INIT, QueuePairState.INIT, NONE, EnumSet.of(PKEY_INDEX, PORT, ACCESS)),
            new Rule(
                    QueuePairState.INIT,
                    QueuePairState.RTR,
                    EnumSet.of(PATH, PATH_MTU, DEST_QP_NUM, RQ_PSN, MAX_DEST_RD_ATOMIC, MIN_RNR_TIMER),
                    EnumSet.of(PKEY_INDEX, ACCESS)),
            new Rule(
                    QueuePairState.RTR,
                    QueuePairState.RTS,
                    EnumSet.of(SQ_PSN, TIMEOUT, RETRY_COUNT, RNR_RETRY, MAX_RD_ATOMIC),
                    EnumSet.of(ACCESS, MIN_RNR_TIMER)),
            new Rule(QueuePairState.RTS, QueuePairState.RTS, NONE, EnumSet.of(ACCESS, MIN_RNR_TIMER)),
            new Rule(QueuePairState.RTS, QueuePairState.SQD, NONE, NONE),
            new Rule(QueuePairState.SQD, QueuePairState.RTS, NONE, EnumSet.of(ACCESS, MIN_RNR_TIMER)),
            new Rule(
                    QueuePairState.SQD,
                    QueuePairState.SQD,
                    NONE,
                    EnumSet.of(
                            PKEY_INDEX,
                            ACCESS,
                            PATH,
                            TIMEOUT,
                            RETRY_COUNT,
                            RNR_RETRY,
                            MAX_RD_ATOMIC,
                            MAX_DEST_RD_ATOMIC,
                            MIN_RNR_TIMER)));

    private TransitionRules() {}

    /**
     * Checks a transition.
     *
     * @param name the queue pair, for the message
     * @throws IllegalStateException if the state cannot follow
     * @throws IllegalArgumentException if attributes are missing, or too many
     */
    static void check(
            String name, QueuePairType type, QueuePairState from, QueuePairState to, Set<QueuePairAttribute> set) {
        Rule rule = find(name, type, from, to);
        Set<QueuePairAttribute> missing = copy(rule.required());
        missing.removeAll(set);
        if (!missing.isEmpty()) {
            throw new IllegalArgumentException(name + ": " + from + " to " + to + " also needs " + missing);
        }
        Set<QueuePairAttribute> excess = copy(set);
        excess.removeAll(rule.required());
        excess.removeAll(rule.optional());
        if (!excess.isEmpty()) {
            throw new IllegalArgumentException(name + ": " + from + " to " + to + " cannot set " + excess);
        }
    }

    private static Rule find(String name, QueuePairType type, QueuePairState from, QueuePairState to) {
        if (to == QueuePairState.RESET || to == QueuePairState.ERR) {
            return new Rule(from, to, NONE, NONE); // from every state
        }
        List<Rule> rules = switch (type) {
            case RC -> RC;
        };
        return rules.stream()
                .filter(rule -> rule.from() == from && rule.to() == to)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(name + " is in " + from + " and cannot go to " + to
                        + "; from there it can go to " + successors(rules, from)));
    }

    private static String successors(List<Rule> rules, QueuePairState from) {
        return rules.stream()
                        .filter(rule -> rule.from() == from)
                        .map(rule -> rule.to() + ", ")
                        .collect(Collectors.joining())
                + "RESET, ERR";
    }

    private static Set<QueuePairAttribute> copy(Set<QueuePairAttribute> set) {
        Set<QueuePairAttribute> copy = EnumSet.noneOf(QueuePairAttribute.class);
        copy.addAll(set);
        return copy;
    }
}
