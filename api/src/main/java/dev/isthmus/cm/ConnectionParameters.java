// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import dev.isthmus.bindings.ibverbs.rdma_conn_param;
import java.lang.foreign.MemorySegment;

/**
 * What the peer says about a connection: {@code struct rdma_conn_param}. It comes from the peer. Nothing checks it
 * before the device or the kernel does, when the connection is established.
 *
 * @param privateData what the peer sent along
 * @param responderResources how many READs and atomics this side is asked to serve at once, 0 to 255
 * @param initiatorDepth how many READs and atomics this side may have outstanding, 0 to 255
 * @param flowControl whether the peer's hardware does end-to-end flow control
 * @param retryCount how many times both sides send again without an acknowledgement, 0 to 7; only defined in a request
 * @param rnrRetryCount how many times this side sends again while the peer has no receive posted, 0 to 7; 7 means for
 *     ever
 * @param sharedReceiveQueue whether the peer's queue pair has a shared receive queue
 * @param qpNum the number of the peer's queue pair, 24 bits
 */
public record ConnectionParameters(
        PrivateData privateData,
        int responderResources,
        int initiatorDepth,
        boolean flowControl,
        int retryCount,
        int rnrRetryCount,
        boolean sharedReceiveQueue,
        int qpNum) {

    static ConnectionParameters read(MemorySegment parameters) {
        return new ConnectionParameters(
                CmEventReader.privateData(
                        rdma_conn_param.private_data(parameters), rdma_conn_param.private_data_len(parameters)),
                Byte.toUnsignedInt(rdma_conn_param.responder_resources(parameters)),
                Byte.toUnsignedInt(rdma_conn_param.initiator_depth(parameters)),
                rdma_conn_param.flow_control(parameters) != 0,
                Byte.toUnsignedInt(rdma_conn_param.retry_count(parameters)),
                Byte.toUnsignedInt(rdma_conn_param.rnr_retry_count(parameters)),
                rdma_conn_param.srq(parameters) != 0,
                rdma_conn_param.qp_num(parameters));
    }
}
