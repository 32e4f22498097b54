// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_gid_entry;
import dev.isthmus.internal.NetworkInterfaces;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/**
 * An entry of a port's GID table: {@code struct ibv_gid_entry}.
 *
 * @param port the number of the port, from 1
 * @param index its position in the table, to set on queue pairs
 * @param gid the GID
 * @param type the protocol that it belongs to
 * @param netdevIndex the interface index of its network device, 0 if there is none (InfiniBand)
 */
public record GidEntry(int port, int index, Gid gid, GidType type, int netdevIndex) {

    /**
     * The network device's name, from the kernel.
     *
     * @return a name such as {@code eth0}; empty if there is none, or no longer
     */
    public Optional<String> netdevName() {
        return netdevIndex == 0 ? Optional.empty() : NetworkInterfaces.name(netdevIndex);
    }

    static GidEntry read(MemorySegment entry) {
        return new GidEntry(
                ibv_gid_entry.port_num(entry),
                ibv_gid_entry.gid_index(entry),
                Gid.of(ibv_gid_entry.gid(entry).toArray(ValueLayout.JAVA_BYTE)),
                GidType.of(ibv_gid_entry.gid_type(entry)),
                ibv_gid_entry.ndev_ifindex(entry));
    }
}
