// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_srq_attr;
import java.lang.foreign.MemorySegment;

/**
 * The present attributes of a shared receive queue: {@code struct ibv_srq_attr}.
 *
 * @param maxWr how many receives can be outstanding
 * @param maxSge how many pieces a message can be scattered to
 * @param limit an event arrives once, when fewer receives than this are outstanding; 0 if none is awaited
 */
public record SharedReceiveQueueAttributes(int maxWr, int maxSge, int limit) {

    static SharedReceiveQueueAttributes read(MemorySegment attributes) {
        return new SharedReceiveQueueAttributes(
                ibv_srq_attr.max_wr(attributes), ibv_srq_attr.max_sge(attributes), ibv_srq_attr.srq_limit(attributes));
    }
}
