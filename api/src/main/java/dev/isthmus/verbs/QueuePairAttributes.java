// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_qp_attr;
import dev.isthmus.verbs.attributes.Mtu;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * The attributes of a queue pair as the device has them: {@code struct ibv_qp_attr}. Those that its type or present
 * state does not use are undefined.
 *
 * @param state the state
 * @param currentState the state that the driver assumes
 * @param pathMtu the payload of a packet
 * @param pathMigrationState whether it can move to the alternate path
 * @param qkey the key that datagrams to it must carry
 * @param destQpNum the peer's queue pair
 * @param rqPsn the packet sequence number that it expects
 * @param sqPsn the packet sequence number that it sends next
 * @param access what the peer may do
 * @param path the path to the peer; null if none is set
 * @param alternatePath the alternate path to the peer; null if none is set
 * @param port the port
 * @param pkeyIndex the index of the partition key
 * @param alternatePkeyIndex the index of the alternate path's partition key
 * @param alternateTimeout how long to wait for an acknowledgement on the alternate path: 4.096 us * 2^n
 * @param sqDraining whether the send queue is draining: SQD has been asked for, and is not reached yet
 * @param maxRdAtomic how many READs and atomics this side can have outstanding
 * @param maxDestRdAtomic how many READs and atomics of the peer this side serves at once
 * @param minRnrTimer how long the peer is told to wait while no receive is posted, as a code
 * @param timeout how long to wait for an acknowledgement: 4.096 us * 2^n
 * @param retryCount how many times to send again without an acknowledgement
 * @param rnrRetry how many times to send again while the peer has no receive posted; 7 means for ever
 * @param capabilities the capacities
 */
public record QueuePairAttributes(
        QueuePairState state,
        QueuePairState currentState,
        Mtu pathMtu,
        PathMigrationState pathMigrationState,
        int qkey,
        int destQpNum,
        int rqPsn,
        int sqPsn,
        Set<AccessFlag> access,
        AddressVector path,
        AddressVector alternatePath,
        int port,
        int pkeyIndex,
        int alternatePkeyIndex,
        int alternateTimeout,
        boolean sqDraining,
        int maxRdAtomic,
        int maxDestRdAtomic,
        int minRnrTimer,
        int timeout,
        int retryCount,
        int rnrRetry,
        QueuePairCapabilities capabilities) {

    static QueuePairAttributes read(MemorySegment attributes) {
        return new QueuePairAttributes(
                QueuePairState.of(ibv_qp_attr.qp_state(attributes)),
                QueuePairState.of(ibv_qp_attr.cur_qp_state(attributes)),
                Mtu.of(ibv_qp_attr.path_mtu(attributes)),
                PathMigrationState.of(ibv_qp_attr.path_mig_state(attributes)),
                ibv_qp_attr.qkey(attributes),
                ibv_qp_attr.dest_qp_num(attributes),
                ibv_qp_attr.rq_psn(attributes),
                ibv_qp_attr.sq_psn(attributes),
                AccessFlag.ofMask(ibv_qp_attr.qp_access_flags(attributes)),
                AddressVector.read(ibv_qp_attr.ah_attr(attributes)),
                AddressVector.read(ibv_qp_attr.alt_ah_attr(attributes)),
                Byte.toUnsignedInt(ibv_qp_attr.port_num(attributes)),
                Short.toUnsignedInt(ibv_qp_attr.pkey_index(attributes)),
                Short.toUnsignedInt(ibv_qp_attr.alt_pkey_index(attributes)),
                Byte.toUnsignedInt(ibv_qp_attr.alt_timeout(attributes)),
                ibv_qp_attr.sq_draining(attributes) != 0,
                Byte.toUnsignedInt(ibv_qp_attr.max_rd_atomic(attributes)),
                Byte.toUnsignedInt(ibv_qp_attr.max_dest_rd_atomic(attributes)),
                Byte.toUnsignedInt(ibv_qp_attr.min_rnr_timer(attributes)),
                Byte.toUnsignedInt(ibv_qp_attr.timeout(attributes)),
                Byte.toUnsignedInt(ibv_qp_attr.retry_cnt(attributes)),
                Byte.toUnsignedInt(ibv_qp_attr.rnr_retry(attributes)),
                QueuePairCapabilities.read(ibv_qp_attr.cap(attributes)));
    }
}
