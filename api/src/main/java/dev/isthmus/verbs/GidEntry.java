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
     * The name that the network device's index has in this process's network namespace, from the kernel.
     *
     * @return a name such as {@code eth0}; empty if there is none, or no longer; that of another device if the entry
     *     is not {@linkplain #isInThisNamespace in this namespace}
     */
    public Optional<String> netdevName() {
        return netdevIndex == 0 ? Optional.empty() : NetworkInterfaces.name(netdevIndex);
    }

    /**
     * Whether the entry belongs to a network device of this process's network namespace. To a container with a network
     * namespace of its own, Linux lists the GIDs of all others as well, such as the host's. A queue pair that uses one
     * of those sends from an address that is not the container's, or cannot be connected. rdma_cm does not use them.
     *
     * @return true if the network device is in this namespace and has the address that the GID stands for, or if the
     *     entry belongs to no network device, as on InfiniBand
     * @throws dev.isthmus.VerbsException if the namespace's addresses cannot be read
     */
    public boolean isInThisNamespace() {
        if (netdevIndex == 0) {
            return true;
        }
        return type == GidType.IB // iWARP, whose GIDs are no addresses
                ? netdevName().isPresent()
                : NetworkInterfaces.hasGid(netdevIndex, gid.bytes());
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
