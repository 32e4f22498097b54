// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * How one call may and must end, as the model knows before the call. What other threads change meanwhile may happen
 * before or after it.
 */
final class Expectation {

    /** How a call uses an object. */
    enum Use {
        /** It has to be open. */
        OPEN,
        /** It has to be open, and the caller's. */
        OWN,
        /** It has to be open, and its sends the caller's; like OWN for an object without receives. */
        SENDS,
        /** It has to be open, and its receives the caller's. */
        RECEIVES,
        /** A part of it is ended, which only the owner may do, and which closed objects ignore. */
        END,
        /** It is closed, which only the owner may do, and which closed objects ignore. */
        CLOSE
    }

    private record Used(Thing thing, Use use, Thing.Seen before, boolean namedClosed) {

        boolean steady() {
            Thing.Seen now = thing.seen();
            return !before.unsure() && !now.unsure() && now.changes() == before.changes();
        }

        /** The threads that must own it. */
        private Stream<Thread> owners() {
            return switch (use) {
                case OPEN -> Stream.empty();
                case SENDS -> Stream.ofNullable(before.owner());
                case RECEIVES -> Stream.ofNullable(before.receiver());
                default -> Stream.of(before.owner(), before.receiver()).filter(Objects::nonNull);
            };
        }

        boolean others() {
            return owners().anyMatch(owner -> !owner.equals(Thread.currentThread()));
        }

        boolean surelyOthers() {
            return !before.closed()
                    && owners().anyMatch(owner ->
                            !owner.equals(Thread.currentThread()) && owner.getState() != Thread.State.TERMINATED)
                    && steady();
        }

        /** Whether something was created from it, or another thread is in a call that may create something from it. */
        boolean inUse() {
            Thing.Seen now = thing.seen();
            return before.children() > 0 || before.using() > 0 || now.uses() > before.uses() + 1 || !steady();
        }

        boolean surelyClosed() {
            return use != Use.END && use != Use.CLOSE && before.closed();
        }
    }

    private final Set<Reason> may = EnumSet.noneOf(Reason.class);
    private final Set<Reason> must = EnumSet.noneOf(Reason.class);
    private final List<Used> used = new ArrayList<>();

    void uses(Thing thing, Use use) {
        if (used.stream().anyMatch(one -> one.thing == thing && one.use == use)) {
            return;
        }
        used.add(new Used(thing, use, thing.seen(), thing.surelyNamesClosed()));
        thing.used(true);
    }

    /** If the call was accepted, it has given C what the request names. */
    void posted(boolean taken) {
        if (taken && used.stream().anyMatch(one -> one.namedClosed && one.steady())) {
            must(Reason.CLOSED);
        }
    }

    /** The call is over. */
    void end() {
        used.forEach(one -> one.thing.used(false));
    }

    /** The call may be refused for these reasons, which the model does not know. */
    void may(Reason... reasons) {
        may.addAll(List.of(reasons));
    }

    /** The call must be refused; if there are several reasons, for one of them. */
    void must(Reason reason) {
        must.add(reason);
    }

    /** What the call used, which a new object may need for longer. */
    List<Thing> used() {
        return used.stream().map(Used::thing).toList();
    }

    /** What is wrong with a call that succeeded; null if nothing is. */
    String judgeSuccess() {
        for (Used one : used) {
            if (one.surelyClosed()) {
                return one.thing + " was taken though it is closed";
            }
            if (one.use == Use.CLOSE
                    && !one.thing.isLasting()
                    && !one.before.closed()
                    && one.before.children() > 0
                    && one.steady()) {
                return one.thing + " was closed before what was made of it";
            }
            if (one.surelyOthers()) {
                return one.thing + " was taken though it belongs to " + one.before.owner() + " and "
                        + one.before.receiver();
            }
        }
        return must.isEmpty() ? null : "it had to be refused for " + must;
    }

    /** What is wrong with a refusal; null if nothing is. */
    String judgeRefusal(Throwable thrown) {
        Reason reason = Reason.of(thrown);
        if (reason == null) {
            return "no call may throw this";
        }
        boolean right = may.contains(reason)
                || must.contains(reason)
                || switch (reason) {
                    case CLOSED, REJECTED ->
                        used.stream()
                                .anyMatch(one -> one.before.closed() || !one.steady() || one.thing.mayNameClosed());
                    case WRONG_THREAD ->
                        used.stream().anyMatch(one -> one.others() || !one.steady() || one.thing.mayNameOthers());
                    case IN_USE -> used.stream().anyMatch(Used::inUse);
                    default -> false;
                };
        return right ? null : reason + " is no reason here";
    }
}
