// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import dev.isthmus.CmException;
import dev.isthmus.verbs.WorkCompletions;

/**
 * What a program does with the members of a {@link ConnectionGroup}. The thread of the group's loop calls it. For one
 * member the order is: {@link #connected}, {@link #completed} any number of times, {@link #ended}.
 */
public interface GroupHandler {

    /**
     * A connection is established.
     *
     * @param member the connection, which can send from now on
     */
    default void connected(GroupMember member) {}

    /**
     * A request has completed: a send of the member, or a receive of the group that a message from the member's peer
     * has used. If the connection is ending, the request failed. Either way you may use its buffer again.
     *
     * @param member the connection
     * @param done where the completion is; valid within this call
     * @param index of the completion
     */
    void completed(GroupMember member, WorkCompletions done, int index);

    /**
     * A request has completed, usually a receive, of a connection that has ended already or was never established. You
     * may use its buffer again.
     *
     * @param done where the completion is; valid within this call
     * @param index of the completion
     */
    default void completedAfterEnd(WorkCompletions done, int index) {}

    /**
     * A connection has ended, by either side. All its sends have completed, unless the device took longer than ten
     * seconds to flush them (on iWARP a tenth of a second, since SoftiWARP never completes some). The group closes it
     * when this returns.
     *
     * @param member the connection
     * @param how what ended it
     */
    default void ended(GroupMember member, CmException how) {}
}
