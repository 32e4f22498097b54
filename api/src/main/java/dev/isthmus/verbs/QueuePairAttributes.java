package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_qp_attr;
import java.lang.foreign.MemorySegment;

/**
 * The attributes of a queue pair as the device has them: {@code struct ibv_qp_attr}. Those that its present state
 * has no use for are undefined.
 *
 * @param state the state
 * @param pathMtu the payload of a packet
 * @param destQpNum the peer's queue pair
 * @param rqPsn the packet sequence number that is expected
 * @param sqPsn the packet sequence number that is sent next
 * @param accessFlags what the peer may do: {@code enum ibv_access_flags}, or'ed
 * @param port the port
 * @param pkeyIndex the index of the partition key
 * @param maxRdAtomic READs and atomics that this side can have outstanding
 * @param maxDestRdAtomic READs and atomics of the peer that this side serves at once
 * @param minRnrTimer how long the peer is told to wait when no receive is posted, as a code
 * @param timeout how long to wait for an acknowledgement: 4.096 us * 2^n
 * @param retryCount how often to send again when no acknowledgement comes
 * @param rnrRetry how often to send again when the peer has no receive posted; 7 is without end
 * @param capabilities the capacities
 */
public record QueuePairAttributes(
        QueuePairState state,
        Mtu pathMtu,
        int destQpNum,
        int rqPsn,
        int sqPsn,
        int accessFlags,
        int port,
        int pkeyIndex,
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
                Mtu.of(ibv_qp_attr.path_mtu(attributes)),
                ibv_qp_attr.dest_qp_num(attributes),
                ibv_qp_attr.rq_psn(attributes),
                ibv_qp_attr.sq_psn(attributes),
                ibv_qp_attr.qp_access_flags(attributes),
                Byte.toUnsignedInt(ibv_qp_attr.port_num(attributes)),
                Short.toUnsignedInt(ibv_qp_attr.pkey_index(attributes)),
                Byte.toUnsignedInt(ibv_qp_attr.max_rd_atomic(attributes)),
                Byte.toUnsignedInt(ibv_qp_attr.max_dest_rd_atomic(attributes)),
                Byte.toUnsignedInt(ibv_qp_attr.min_rnr_timer(attributes)),
                Byte.toUnsignedInt(ibv_qp_attr.timeout(attributes)),
                Byte.toUnsignedInt(ibv_qp_attr.retry_cnt(attributes)),
                Byte.toUnsignedInt(ibv_qp_attr.rnr_retry(attributes)),
                QueuePairCapabilities.read(ibv_qp_attr.cap(attributes)));
    }
}
