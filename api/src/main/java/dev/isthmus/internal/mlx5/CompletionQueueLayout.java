// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.mlx5;

import dev.isthmus.bindings.ibverbs.mlx5dv_cq;
import java.lang.foreign.MemorySegment;

/**
 * Where libmlx5 has put a completion queue: {@code struct mlx5dv_cq}.
 *
 * @param entries its entries
 * @param count their number
 * @param entrySize their size
 * @param records the two doorbell records
 * @param page the page with the doorbell that asks for an event
 * @param number the queue's
 */
record CompletionQueueLayout(long entries, int count, int entrySize, long records, long page, int number) {

    static final int ENTRY = 64;

    static CompletionQueueLayout of(MemorySegment cq) {
        return new CompletionQueueLayout(
                mlx5dv_cq.buf(cq).address(),
                mlx5dv_cq.cqe_cnt(cq),
                mlx5dv_cq.cqe_size(cq),
                mlx5dv_cq.dbrec(cq).address(),
                mlx5dv_cq.cq_uar(cq).address(),
                mlx5dv_cq.cqn(cq));
    }

    /** Checks that it makes sense for a queue of so many entries. */
    void check(int granted) throws NotDirect {
        if (entrySize == 2 * ENTRY) {
            throw new NotDirect("the entries of its completion queue have 128 bytes");
        }
        if (entries == 0
                || entries % ENTRY != 0
                || entrySize != ENTRY
                || !QueuePairLayout.isPowerOfTwo(count)
                || count < granted
                || records == 0
                || (records & 7) != 0
                || page == 0
                || (page & 7) != 0) {
            throw new NotDirect("libmlx5 reports a completion queue that makes no sense: " + this);
        }
    }
}
