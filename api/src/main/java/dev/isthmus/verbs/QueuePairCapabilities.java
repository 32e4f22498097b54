// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_qp_cap;
import java.lang.foreign.MemorySegment;

/**
 * What a device granted to a queue pair, not less than you asked for: {@code struct ibv_qp_cap}.
 *
 * @param maxSendWr how many send requests can be outstanding
 * @param maxRecvWr how many receives can be outstanding
 * @param maxSendSge how many pieces a message can be gathered from
 * @param maxRecvSge how many pieces a message can be scattered to
 * @param maxInline how long an inline message can be, in bytes
 */
public record QueuePairCapabilities(int maxSendWr, int maxRecvWr, int maxSendSge, int maxRecvSge, int maxInline) {

    static QueuePairCapabilities read(MemorySegment cap) {
        return new QueuePairCapabilities(
                ibv_qp_cap.max_send_wr(cap),
                ibv_qp_cap.max_recv_wr(cap),
                ibv_qp_cap.max_send_sge(cap),
                ibv_qp_cap.max_recv_sge(cap),
                ibv_qp_cap.max_inline_data(cap));
    }

    void write(MemorySegment cap) {
        ibv_qp_cap.max_send_wr(cap, maxSendWr);
        ibv_qp_cap.max_recv_wr(cap, maxRecvWr);
        ibv_qp_cap.max_send_sge(cap, maxSendSge);
        ibv_qp_cap.max_recv_sge(cap, maxRecvSge);
        ibv_qp_cap.max_inline_data(cap, maxInline);
    }
}
