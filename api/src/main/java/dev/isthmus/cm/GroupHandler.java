package dev.isthmus.cm;

import dev.isthmus.CmException;
import dev.isthmus.verbs.WorkCompletions;

/**
 * What a program does with the members of a {@link ConnectionGroup}. Called on the thread of the group's loop, and for one
 * member in this order: {@link #connected}, {@link #completed} any number of times, {@link #ended}.
 */
public interface GroupHandler {

    /**
     * A connection is there.
     *
     * @param member the connection, which can send from now on
     */
    default void connected(GroupMember member) {}

    /**
     * A request has completed: a send that a member posted, or a receive of the group that a message to the member took. With
     * an error when the member is about to end: the buffer is the program's again in any case.
     *
     * @param member whose
     * @param done where the completion is; valid within this call
     * @param index of the completion
     */
    void completed(GroupMember member, WorkCompletions done, int index);

    /**
     * A request has completed of a connection that has ended, or that never came to be: mostly a receive that it had taken.
     * Its buffer is the program's again.
     *
     * @param done where the completion is; valid within this call
     * @param index of the completion
     */
    default void completedAfterEnd(WorkCompletions done, int index) {}

    /**
     * A connection has ended, by either side. All that it had sent has completed, if the device ends it within ten seconds; on
     * iWARP, of which SoftiWARP does not complete all, within a tenth of a second. It is closed when this returns.
     *
     * @param member the connection
     * @param how what ended it
     */
    default void ended(GroupMember member, CmException how) {}
}
