// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.UcxException;
import dev.isthmus.safety.Reason;
import java.util.EnumSet;
import java.util.Set;

/** Says whether an exception is a refusal of the library, with a reason that there can be, and not C's. */
final class Judge {

    /** All reasons for a refusal, in a cell that closes something. */
    static final Set<Reason> ANY = EnumSet.complementOf(EnumSet.of(Reason.NULL, Reason.DEVICE));

    /** The same where nothing is closed. */
    static final Set<Reason> OPEN =
            EnumSet.complementOf(EnumSet.of(Reason.NULL, Reason.DEVICE, Reason.CLOSED, Reason.REJECTED, Reason.FAILED));

    private Judge() {}

    /** What is wrong with an exception; null if nothing is. */
    static String wrong(Throwable t, Set<Reason> allowed) {
        if (t instanceof RdmaUnavailableException || t instanceof UnsupportedOperationException) {
            return null; // the loaded version lacks it
        }
        Reason reason = Reason.of(t);
        if (reason == null) {
            return "no call may throw this";
        }
        if (t instanceof UcxException) {
            boolean isGone = allowed.contains(Reason.FAILED) && t.getMessage().contains("the peer is gone");
            return isGone ? null : "C refused it, not the library";
        }
        return allowed.contains(reason) ? null : reason + " is no reason here";
    }
}
