// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import dev.isthmus.RdmaException;
import java.util.concurrent.RejectedExecutionException;
import java.util.regex.Pattern;

/** Why a call may be refused: the exact class of the exception, and what its message says. */
public enum Reason {
    /** An object that the call needs, or the arena of its memory, is closed, or is being closed by another thread. */
    CLOSED(
            IllegalStateException.class,
            "^(?!.*(to the sender|the holder)).* is closed$| is being closed$| its memory is gone$|^Already closed$|registered anew"),
    /** The event loop that was to run it is closed. */
    REJECTED(RejectedExecutionException.class, " is closed$| was closed before the task was run$"),
    /** The event loop has too many tasks. */
    FULL(RejectedExecutionException.class, " tasks that wait: "),
    /** A close precedes that of an object that needs this one, or this one is in use. */
    IN_USE(IllegalStateException.class, " cannot be closed yet: | is used by \\d+ |^an operation uses the "),
    /** A slice or a lease is not out, or none is left, or some are out. */
    LEASE(
            IllegalStateException.class,
            "has no slice left: |is no (slice|lease) of |has no room for |is in use by \\d+ lease"),
    /** A queue pair, a connection, a batch or a poll is not in the state that the call needs. */
    STATE(
            IllegalStateException.class,
            " is in [A-Z_]+[ :,]| is still connecting| has nothing that .* answers|is too early|comes before listen|has a queue pair"
                    + "|open poll|is at no completion|batch is started|a batch that is started|before each operation"
                    + "|of the batch lacks|has that already|was begun with SendFlag.INLINE|is in .* already"),
    /** The object was made without what the call needs, or is not of the kind that it needs. */
    KIND(
            IllegalStateException.class,
            "was made without|was not made for that|takes its receives from|with maxSendWr 0|is not of |only UD can"
                    + "|was made with UcpThreadMode.SINGLE|can be changed only by its configurer|the request has \\d+ buffers|only an operation"
                    + "|belongs to EventLoop|cannot be described|cannot estimate|is not in this process|cannot be copied"),
    /** The completion has no such field, or its operation failed. */
    COMPLETION(
            IllegalStateException.class,
            "^(the completion|completion \\d+) (failed with|is of a|has) |without the field"),
    /** An operation is under way, or its result is still to be taken. */
    BUSY(
            IllegalStateException.class,
            "holds (a message|bytes) already|in progress, and UCX|^no message is held|not seen to be done"
                    + "|holds no message|the most there can be"),
    /** A message has ended, or its handler has. */
    OVER(
            IllegalStateException.class,
            "the message is over|the message was|did not ask for an answer|the data has come|in memory that it needs"
                    + "|still with the sender|was accepted or rejected already|no bytes|there are none|to the sender, is closed"),
    /** The peer is gone, or the connection was lost. */
    FAILED(IllegalStateException.class, " has failed$"),
    /** The call is not allowed in a callback. */
    IN_CALLBACK(IllegalStateException.class, "inside a callback|run inside each other"),
    /** A callback of the program has thrown, which the thread that progresses learns. */
    CALLBACK(
            IllegalStateException.class,
            "callback.* failed$|a handler of active messages failed$|^of the (handler|packer)$"),
    /** Another thread owns what the call needs. */
    WRONG_THREAD(WrongThreadException.class, "thread"),
    /** An argument that is wrong in itself, or together with another. */
    ARGUMENT(IllegalArgumentException.class, "."),
    /** A range that is not within the memory, or an index of nothing. */
    RANGE(IndexOutOfBoundsException.class, "."),
    /** A null. */
    NULL(NullPointerException.class, ""),
    /** The device, the kernel or UCX refuses. */
    DEVICE(RdmaException.class, ".");

    private final Class<? extends Throwable> type;
    private final Pattern says;

    Reason(Class<? extends Throwable> type, String says) {
        this.type = type;
        this.says = Pattern.compile(says);
    }

    /**
     * The reason for an exception.
     *
     * @param thrown the exception
     * @return the reason; null if it is not one that a call may throw
     */
    public static Reason of(Throwable thrown) {
        String message = String.valueOf(thrown.getMessage());
        for (Reason reason : values()) {
            boolean same = reason == DEVICE ? thrown instanceof RdmaException : thrown.getClass() == reason.type;
            if (same && reason.says.matcher(message).find()) {
                return reason;
            }
        }
        return null;
    }
}
