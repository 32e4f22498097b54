// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import dev.isthmus.RdmaException;
import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.UcxException;
import dev.isthmus.safety.Reason;
import dev.isthmus.ucx.UcsStatus;
import java.util.EnumSet;
import java.util.Set;
import java.util.regex.Pattern;

/** Says whether an exception is a refusal of the library, with a reason that there can be, and not C's. */
final class Judge {

    /** All reasons for a refusal, in a cell that closes something. */
    static final Set<Reason> ANY = EnumSet.complementOf(EnumSet.of(Reason.NULL, Reason.DEVICE));

    /** The same where nothing is closed. */
    static final Set<Reason> OPEN =
            EnumSet.complementOf(EnumSet.of(Reason.NULL, Reason.DEVICE, Reason.CLOSED, Reason.REJECTED, Reason.FAILED));

    /**
     * What C says where the library should have checked: of the end of an object, or of one that is used or gone. Only
     * C knows which windows are bound.
     */
    private static final Pattern OF_C = Pattern.compile("^(?!.*while a memory window is bound to it)"
            + "(ibv_(destroy|dealloc|dereg|close|free)|rdma_(destroy|leave)|.*: (EBUSY|EFAULT|EBADF) )");

    private Judge() {}

    /** Whether UCX, in the loaded version or on the transports in use, lacks what was asked for. */
    static boolean isLacking(Throwable t) {
        return t instanceof RdmaUnavailableException
                || (t instanceof UcxException e && UcsStatus.of(e.status()) == UcsStatus.UNSUPPORTED);
    }

    /** What is wrong with an exception; null if nothing is. */
    static String wrong(Throwable t, Set<Reason> allowed) {
        if (isLacking(t) || t instanceof UnsupportedOperationException) {
            return null;
        }
        Reason reason = Reason.of(t);
        if (reason == null) {
            return "no call may throw this";
        }
        if (t instanceof UcxException) {
            boolean isGone = allowed.contains(Reason.FAILED) && t.getMessage().contains("the peer is gone");
            return isGone ? null : "C refused it, not the library";
        }
        if (t instanceof RdmaException) {
            return OF_C.matcher(t.getMessage()).find() ? "C refused it, not the library" : null;
        }
        return allowed.contains(reason) ? null : reason + " is no reason here";
    }
}
