// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import java.net.InetSocketAddress;

/**
 * A connection id's membership of a multicast group, from the call that joins it. It is complete once
 * {@link CmEvent.MulticastJoined} has arrived. Any thread may use it. It ends when you close it, its id or its
 * queue pair.
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
     * The id that joined.
     *
     * @return the id
     */
    public ConnectionId id() {
        return id;
    }

    /**
     * The group.
     *
     * @return its address, as you gave it
     */
    public InetSocketAddress group() {
        return group;
    }

    /**
     * Whether it joined only to send.
     *
     * @return true if datagrams of the group are sent, but not received
     */
    public boolean isSendOnly() {
        return sendOnly;
    }

    /** The number that C returns in events, to find this membership. */
    long number() {
        return number;
    }

    /**
     * Leaves the group: {@code rdma_leave_multicast}. Does nothing if it has left already. Blocks for a system call.
     *
     * @throws dev.isthmus.CmException if the call fails; this side has left the group even so
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
