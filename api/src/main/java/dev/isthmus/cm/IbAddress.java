// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.isthmus.internal.cm.CmSocketAddresses;
import dev.isthmus.verbs.Gid;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.Objects;

/**
 * An address of InfiniBand itself, without IP: {@code struct sockaddr_ib}. RoCE and iWARP have IP addresses instead,
 * and their ports cannot be bound to such an address.
 *
 * @param gid the port; all zero for any
 * @param pkey the partition key, 16 bits
 * @param serviceId the service to reach there; 0 to leave it open
 * @param serviceIdMask which bits of the service id count
 */
public record IbAddress(Gid gid, int pkey, long serviceId, long serviceIdMask) {

    /**
     * An address of its parts.
     *
     * @throws IllegalArgumentException if the partition key has more than 16 bits
     */
    public IbAddress {
        Objects.requireNonNull(gid, "gid");
        if (pkey < 0 || pkey > 0xffff) {
            throw new IllegalArgumentException("partition key " + pkey + " is not between 0 and 65535");
        }
    }

    /**
     * An address in the default partition, with the service id that rdma_cm uses for a port.
     *
     * @param gid the port; all zero for any
     * @param space the port space
     * @param port the number of a port as in IP, 0 for any
     * @return the address
     * @throws IllegalArgumentException if the space is UNKNOWN, or the port out of range
     */
    public static IbAddress of(Gid gid, PortSpace space, int port) {
        if (space == PortSpace.UNKNOWN || port < 0 || port > 0xffff) {
            throw new IllegalArgumentException("no port space, or no port: " + space + ", " + port);
        }
        return new IbAddress(gid, 0xffff, (long) space.code() << 16 | port, -1L);
    }

    MemorySegment write(SegmentAllocator allocator) {
        MemorySegment segment = CmSocketAddresses.allocateIb(allocator, pkey, serviceId, serviceIdMask);
        MemorySegment.copy(gid.bytes(), 0, segment, JAVA_BYTE, CmSocketAddresses.IB_GID, Gid.BYTES);
        return segment;
    }
}
