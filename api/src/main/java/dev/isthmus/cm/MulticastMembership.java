// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import java.net.InetSocketAddress;

/**
 * A connection id's membership of a multicast group, from the call that joins it. It is complete when {@link
 * CmEvent.MulticastJoined} has come. Any thread may use it. It is left when it is closed, or its id or queue pair is.
 */
public final class MulticastMembership implements AutoCloseable {

    private final ConnectionId id;
    private final InetSocketAddress group;
    private final boolean sendOnly;
    private final long number;

    MulticastMembership(ConnectionId id, InetSocketAddress group, boolean sendOnly, long number) {
        this.id = id;
        this.group = group;
        this.sendOnly = sendOnly;
        this.number = number;
    }

    /**
     * Whose it is.
     *
     * @return the id
     */
    public ConnectionId id() {
        return id;
    }

    /**
     * The group.
     *
     * @return its address, as it was given
     */
    public InetSocketAddress group() {
        return group;
    }

    /**
     * Whether datagrams of the group are not received.
     *
     * @return true if they are only sent
     */
    public boolean isSendOnly() {
        return sendOnly;
    }

    /** What C is given, to find this by in an event. */
    long number() {
        return number;
    }

    /**
     * Leaves the group: {@code rdma_leave_multicast}. Does nothing when it is left already. Blocks for a system call.
     *
     * @throws dev.isthmus.CmException if the call fails; the group is left as far as this side goes
     */
    @Override
    public void close() {
        id.leave(this);
    }

    /** The group and the id. */
    @Override
    public String toString() {
        return "MulticastMembership(" + group + (sendOnly ? ", send only" : "") + " of " + id + ")";
    }
}
