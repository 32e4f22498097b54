// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import dev.isthmus.bindings.ibverbs.rdma_ud_param;
import dev.isthmus.internal.Natives;
import dev.isthmus.verbs.AddressVector;
import java.lang.foreign.MemorySegment;

/**
 * How to send datagrams to a peer or a multicast group: {@code struct rdma_ud_param}. It comes from the peer.
 *
 * @param privateData what the peer sent along
 * @param path the path, for {@link dev.isthmus.verbs.ProtectionDomain#createAddressHandle}
 * @param qpNum the number of the queue pair to send to, 24 bits; {@link dev.isthmus.verbs.QueuePair#MULTICAST} for a group
 * @param qkey the key that the datagrams must carry
 */
public record DatagramParameters(PrivateData privateData, AddressVector path, int qpNum, int qkey) {

    static DatagramParameters read(MemorySegment parameters, PrivateData privateData) {
        return new DatagramParameters(
                privateData,
                Natives.create(AddressVector.class, rdma_ud_param.ah_attr(parameters)),
                rdma_ud_param.qp_num(parameters),
                rdma_ud_param.qkey(parameters));
    }
}
