// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import dev.isthmus.bindings.ibverbs.rdma_cm_join_mc_attr_ex;
import dev.isthmus.internal.cm.CmCall;
import dev.isthmus.internal.cm.CmSocketAddresses;
import dev.isthmus.internal.cm.Librdmacm;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The multicast groups of a connection id. The id serializes all calls except {@link #find}. */
final class Memberships {

    /** {@code RDMA_CM_JOIN_MC_ATTR_ADDRESS} and {@code RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS}. */
    private static final int ADDRESS_AND_FLAGS = 1 | 1 << 1;

    /** {@code RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER}. */
    private static final int SEND_ONLY = 1;

    private final ConnectionId id;
    private final MemorySegment handle;
    private final Map<Long, MulticastMembership> byNumber = new ConcurrentHashMap<>();
    private long last;

    Memberships(ConnectionId id, MemorySegment handle) {
        this.id = id;
        this.handle = handle;
    }

    MulticastMembership join(CmCall call, InetSocketAddress group, boolean sendOnly) {
        MemorySegment address = CmSocketAddresses.write(call, group);
        if (!group.getAddress().isMulticastAddress()) {
            throw new IllegalArgumentException(group + " is not the address of a multicast group");
        }
        for (MulticastMembership other : byNumber.values()) {
            if (other.group().equals(group)) {
                throw new IllegalStateException(id + " is in " + group + " already");
            }
        }
        var membership = new MulticastMembership(id, group, sendOnly, ++last);
        byNumber.put(membership.number(), membership);
        boolean joined = false;
        try {
            MemorySegment number = MemorySegment.ofAddress(membership.number());
            String what = id + ", " + group;
            if (sendOnly) {
                MemorySegment attributes = call.allocate(rdma_cm_join_mc_attr_ex.layout());
                rdma_cm_join_mc_attr_ex.comp_mask(attributes, ADDRESS_AND_FLAGS);
                rdma_cm_join_mc_attr_ex.join_flags(attributes, SEND_ONLY);
                rdma_cm_join_mc_attr_ex.addr(attributes, address);
                call.check(Librdmacm.JOIN_MULTICAST_EX, what, handle, attributes, number);
            } else {
                call.check(Librdmacm.JOIN_MULTICAST, what, handle, address, number);
            }
            joined = true;
            return membership;
        } finally {
            if (!joined) {
                byNumber.remove(membership.number());
            }
        }
    }

    /** The membership with a number; null after it was left. */
    MulticastMembership find(long number) {
        return byNumber.get(number);
    }

    void leave(MulticastMembership membership) {
        if (byNumber.remove(membership.number()) == null) {
            return;
        }
        id.channel().exclusively(() -> {
            try (var call = new CmCall()) {
                MemorySegment address = CmSocketAddresses.write(call, membership.group());
                call.check(Librdmacm.LEAVE_MULTICAST, membership.toString(), handle, address);
            }
        });
    }

    void leaveAll() {
        List.copyOf(byNumber.values()).forEach(this::leave);
    }
}
