// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static dev.isthmus.verbs.QueuePairAttribute.ACCESS;
import static dev.isthmus.verbs.QueuePairAttribute.ALTERNATE_PATH;
import static dev.isthmus.verbs.QueuePairAttribute.CAPABILITIES;
import static dev.isthmus.verbs.QueuePairAttribute.CURRENT_STATE;
import static dev.isthmus.verbs.QueuePairAttribute.DEST_QP_NUM;
import static dev.isthmus.verbs.QueuePairAttribute.MAX_DEST_RD_ATOMIC;
import static dev.isthmus.verbs.QueuePairAttribute.MAX_RD_ATOMIC;
import static dev.isthmus.verbs.QueuePairAttribute.MIN_RNR_TIMER;
import static dev.isthmus.verbs.QueuePairAttribute.PATH;
import static dev.isthmus.verbs.QueuePairAttribute.PATH_MIGRATION_STATE;
import static dev.isthmus.verbs.QueuePairAttribute.PATH_MTU;
import static dev.isthmus.verbs.QueuePairAttribute.PKEY_INDEX;
import static dev.isthmus.verbs.QueuePairAttribute.PORT;
import static dev.isthmus.verbs.QueuePairAttribute.QKEY;
import static dev.isthmus.verbs.QueuePairAttribute.RATE_LIMIT;
import static dev.isthmus.verbs.QueuePairAttribute.RETRY_COUNT;
import static dev.isthmus.verbs.QueuePairAttribute.RNR_RETRY;
import static dev.isthmus.verbs.QueuePairAttribute.RQ_PSN;
import static dev.isthmus.verbs.QueuePairAttribute.SQD_ASYNC_NOTIFY;
import static dev.isthmus.verbs.QueuePairAttribute.SQ_PSN;
import static dev.isthmus.verbs.QueuePairAttribute.TIMEOUT;
import static dev.isthmus.verbs.QueuePairState.ERR;
import static dev.isthmus.verbs.QueuePairState.INIT;
import static dev.isthmus.verbs.QueuePairState.RESET;
import static dev.isthmus.verbs.QueuePairState.RTR;
import static dev.isthmus.verbs.QueuePairState.RTS;
import static dev.isthmus.verbs.QueuePairState.SQD;
import static dev.isthmus.verbs.QueuePairState.SQE;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which state follows which, and what each transition must and may set, for each type: ibv_modify_qp(3), the
 * InfiniBand specification, volume 1, section 11.2.5.2, and the kernel's qp_state_table. Checked in Java because C
 * says only EINVAL.
 *
 * <p>Capacities belong to no transition: the specification lets a device that can resize queues accept them with any,
 * so they are passed to the device.
 */
final class TransitionRules {

    /** A transition: the attributes that it must set, and those that it may set. */
    record Rule(
            QueuePairState from,
            QueuePairState to,
            Set<QueuePairAttribute> required,
            Set<QueuePairAttribute> optional) {}

    private static final Set<QueuePairAttribute> NONE = EnumSet.noneOf(QueuePairAttribute.class);

    private static final Map<QueuePairType, List<Rule>> RULES = new EnumMap<>(QueuePairType.class);

    static {
        RULES.put(QueuePairType.RC, rc());
        RULES.put(QueuePairType.UC, uc());
        RULES.put(QueuePairType.UD, ud());
        RULES.put(QueuePairType.RAW_PACKET, rawPacket());
        RULES.put(QueuePairType.XRC_SEND, xrcSend());
        RULES.put(QueuePairType.XRC_RECV, xrcReceive());
    }

    private TransitionRules() {}

    private static List<Rule> rc() {
        var init = EnumSet.of(PKEY_INDEX, PORT, ACCESS);
        var running = EnumSet.of(CURRENT_STATE, ACCESS, ALTERNATE_PATH, PATH_MIGRATION_STATE, MIN_RNR_TIMER);
        return List.of(
                new Rule(RESET, INIT, init, NONE),
                new Rule(INIT, INIT, NONE, init),
                new Rule(
                        INIT,
                        RTR,
                        EnumSet.of(PATH, PATH_MTU, DEST_QP_NUM, RQ_PSN, MAX_DEST_RD_ATOMIC, MIN_RNR_TIMER),
                        EnumSet.of(ALTERNATE_PATH, ACCESS, PKEY_INDEX)),
                new Rule(RTR, RTS, EnumSet.of(SQ_PSN, TIMEOUT, RETRY_COUNT, RNR_RETRY, MAX_RD_ATOMIC), running),
                new Rule(RTS, RTS, NONE, running),
                new Rule(RTS, SQD, NONE, EnumSet.of(SQD_ASYNC_NOTIFY)),
                new Rule(SQD, RTS, NONE, running),
                new Rule(
                        SQD,
                        SQD,
                        NONE,
                        setOf(
                                PORT,
                                PATH,
                                TIMEOUT,
                                RETRY_COUNT,
                                RNR_RETRY,
                                MAX_RD_ATOMIC,
                                MAX_DEST_RD_ATOMIC,
                                ALTERNATE_PATH,
                                ACCESS,
                                PKEY_INDEX,
                                MIN_RNR_TIMER,
                                PATH_MIGRATION_STATE)));
    }

    private static List<Rule> uc() {
        var init = EnumSet.of(PKEY_INDEX, PORT, ACCESS);
        var running = EnumSet.of(CURRENT_STATE, ACCESS, ALTERNATE_PATH, PATH_MIGRATION_STATE);
        return List.of(
                new Rule(RESET, INIT, init, NONE),
                new Rule(INIT, INIT, NONE, init),
                new Rule(
                        INIT,
                        RTR,
                        EnumSet.of(PATH, PATH_MTU, DEST_QP_NUM, RQ_PSN),
                        EnumSet.of(ALTERNATE_PATH, ACCESS, PKEY_INDEX)),
                new Rule(RTR, RTS, EnumSet.of(SQ_PSN), running),
                new Rule(RTS, RTS, NONE, running),
                new Rule(RTS, SQD, NONE, EnumSet.of(SQD_ASYNC_NOTIFY)),
                new Rule(SQD, RTS, NONE, running),
                new Rule(SQD, SQD, NONE, EnumSet.of(PATH, ALTERNATE_PATH, ACCESS, PKEY_INDEX, PATH_MIGRATION_STATE)),
                new Rule(SQE, RTS, NONE, EnumSet.of(CURRENT_STATE, ACCESS)));
    }

    private static List<Rule> ud() {
        var init = EnumSet.of(PKEY_INDEX, PORT, QKEY);
        var running = EnumSet.of(CURRENT_STATE, QKEY);
        return List.of(
                new Rule(RESET, INIT, init, NONE),
                new Rule(INIT, INIT, NONE, init),
                new Rule(INIT, RTR, NONE, EnumSet.of(PKEY_INDEX, QKEY)),
                new Rule(RTR, RTS, EnumSet.of(SQ_PSN), running),
                new Rule(RTS, RTS, NONE, running),
                new Rule(RTS, SQD, NONE, EnumSet.of(SQD_ASYNC_NOTIFY)),
                new Rule(SQD, RTS, NONE, running),
                new Rule(SQD, SQD, NONE, EnumSet.of(PKEY_INDEX, QKEY)),
                new Rule(SQE, RTS, NONE, running));
    }

    private static List<Rule> rawPacket() {
        var rate = EnumSet.of(RATE_LIMIT);
        return List.of(
                new Rule(RESET, INIT, EnumSet.of(PORT), NONE),
                new Rule(INIT, INIT, NONE, NONE),
                new Rule(INIT, RTR, NONE, NONE),
                new Rule(RTR, RTS, NONE, rate),
                new Rule(RTS, RTS, NONE, rate),
                new Rule(RTS, SQD, NONE, NONE),
                new Rule(SQD, RTS, NONE, NONE),
                new Rule(SQD, SQD, NONE, NONE),
                new Rule(SQE, RTS, NONE, NONE));
    }

    private static List<Rule> xrcSend() {
        var init = EnumSet.of(PKEY_INDEX, PORT, ACCESS);
        var running = EnumSet.of(CURRENT_STATE, ACCESS, ALTERNATE_PATH, PATH_MIGRATION_STATE);
        return List.of(
                new Rule(RESET, INIT, init, NONE),
                new Rule(INIT, INIT, NONE, init),
                new Rule(
                        INIT,
                        RTR,
                        EnumSet.of(PATH, PATH_MTU, DEST_QP_NUM, RQ_PSN),
                        EnumSet.of(ALTERNATE_PATH, ACCESS, PKEY_INDEX)),
                new Rule(RTR, RTS, EnumSet.of(SQ_PSN, TIMEOUT, RETRY_COUNT, RNR_RETRY, MAX_RD_ATOMIC), running),
                new Rule(RTS, RTS, NONE, running),
                new Rule(RTS, SQD, NONE, EnumSet.of(SQD_ASYNC_NOTIFY)),
                new Rule(SQD, RTS, NONE, running),
                new Rule(
                        SQD,
                        SQD,
                        NONE,
                        setOf(
                                PORT,
                                PATH,
                                TIMEOUT,
                                RETRY_COUNT,
                                RNR_RETRY,
                                MAX_RD_ATOMIC,
                                ALTERNATE_PATH,
                                ACCESS,
                                PKEY_INDEX,
                                PATH_MIGRATION_STATE)));
    }

    private static List<Rule> xrcReceive() {
        var init = EnumSet.of(PKEY_INDEX, PORT, ACCESS);
        var running = EnumSet.of(CURRENT_STATE, ACCESS, ALTERNATE_PATH, PATH_MIGRATION_STATE, MIN_RNR_TIMER);
        return List.of(
                new Rule(RESET, INIT, init, NONE),
                new Rule(INIT, INIT, NONE, init),
                new Rule(
                        INIT,
                        RTR,
                        EnumSet.of(PATH, PATH_MTU, DEST_QP_NUM, RQ_PSN, MAX_DEST_RD_ATOMIC, MIN_RNR_TIMER),
                        EnumSet.of(ALTERNATE_PATH, ACCESS, PKEY_INDEX)),
                new Rule(RTR, RTS, EnumSet.of(SQ_PSN, TIMEOUT), running),
                new Rule(RTS, RTS, NONE, running),
                new Rule(RTS, SQD, NONE, EnumSet.of(SQD_ASYNC_NOTIFY)),
                new Rule(SQD, RTS, NONE, running),
                new Rule(
                        SQD,
                        SQD,
                        NONE,
                        setOf(
                                PORT,
                                PATH,
                                TIMEOUT,
                                MAX_DEST_RD_ATOMIC,
                                ALTERNATE_PATH,
                                ACCESS,
                                PKEY_INDEX,
                                MIN_RNR_TIMER,
                                PATH_MIGRATION_STATE)));
    }

    private static Set<QueuePairAttribute> setOf(QueuePairAttribute... attributes) {
        return EnumSet.copyOf(Arrays.asList(attributes));
    }

    /** The transitions of a type, except those to RESET and ERR. */
    static List<Rule> of(QueuePairType type) {
        return RULES.getOrDefault(type, List.of());
    }

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
        excess.remove(CAPABILITIES);
        if (!excess.isEmpty()) {
            throw new IllegalArgumentException(name + ": " + from + " to " + to + " cannot set " + excess);
        }
    }

    /**
     * Checks only that a state can follow, for iWARP: its drivers take what they need from the connection.
     *
     * @param name the queue pair, for the message
     * @throws IllegalStateException if the state cannot follow
     */
    static void checkState(String name, QueuePairType type, QueuePairState from, QueuePairState to) {
        find(name, type, from, to);
    }

    private static Rule find(String name, QueuePairType type, QueuePairState from, QueuePairState to) {
        if (to == RESET || to == ERR) {
            return new Rule(from, to, NONE, NONE); // from every state
        }
        List<Rule> rules = of(type);
        return rules.stream()
                .filter(rule -> rule.from() == from && rule.to() == to)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(name + " is in " + from + " and cannot go to " + to
                        + "; from there it can go to " + successors(rules, from)));
    }

    private static String successors(List<Rule> rules, QueuePairState from) {
        List<String> states = new ArrayList<>();
        rules.stream()
                .filter(rule -> rule.from() == from)
                .forEach(rule -> states.add(rule.to().name()));
        states.add("RESET");
        states.add("ERR");
        return states.stream().collect(Collectors.joining(", "));
    }

    private static Set<QueuePairAttribute> copy(Set<QueuePairAttribute> set) {
        Set<QueuePairAttribute> copy = EnumSet.noneOf(QueuePairAttribute.class);
        copy.addAll(set);
        return copy;
    }
}
