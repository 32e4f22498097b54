// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.mlx5;

import dev.isthmus.bindings.ibverbs.mlx5dv_qp;
import java.lang.foreign.MemorySegment;

/**
 * Where libmlx5 has put the queues of a queue pair: {@code struct mlx5dv_qp}.
 *
 * @param records the two doorbell records
 * @param sends the blocks of the send queue
 * @param blocks their number
 * @param blockSize their size
 * @param receives the entries of the receive queue
 * @param entries their number
 * @param entrySize their size
 * @param register the BlueFlame register
 * @param half the size of one of its halves; 0 if it takes only doorbells
 */
record QueuePairLayout(
        long records,
        long sends,
        int blocks,
        int blockSize,
        long receives,
        int entries,
        int entrySize,
        long register,
        int half) {

    /** The size of a block, and of the least that is copied to a BlueFlame register. */
    static final int BLOCK = 64;

    /** The index of a request in a completion has 16 bits. */
    private static final int MOST = 1 << 16;

    static QueuePairLayout of(MemorySegment qp) {
        MemorySegment sq = mlx5dv_qp.sq(qp);
        MemorySegment rq = mlx5dv_qp.rq(qp);
        MemorySegment bf = mlx5dv_qp.bf(qp);
        return new QueuePairLayout(
                mlx5dv_qp.dbrec(qp).address(),
                mlx5dv_qp.sq.buf(sq).address(),
                mlx5dv_qp.sq.wqe_cnt(sq),
                mlx5dv_qp.sq.stride(sq),
                mlx5dv_qp.rq.buf(rq).address(),
                mlx5dv_qp.rq.wqe_cnt(rq),
                mlx5dv_qp.rq.stride(rq),
                mlx5dv_qp.bf.reg(bf).address(),
                mlx5dv_qp.bf.size(bf));
    }

    /** Checks that it makes sense, for these capacities. */
    void check(int maxSends, int maxReceives, int maxReceiveBuffers) throws NotDirect {
        require(records != 0 && (records & 7) == 0, "doorbell records");
        require(register != 0 && (register & 7) == 0, "register");
        require(half == 0 || (isPowerOfTwo(half) && half >= BLOCK && half <= 4096), "size of the register");
        if (maxSends > 0) {
            require(sends != 0 && sends % BLOCK == 0, "send queue");
            require(blockSize == BLOCK, "size of a block");
            require(isPowerOfTwo(blocks) && blocks >= maxSends && blocks <= MOST, "number of blocks");
        }
        if (maxReceives > 0) {
            require(receives != 0 && receives % 16 == 0, "receive queue");
            require(isPowerOfTwo(entrySize) && entrySize >= 16L * maxReceiveBuffers, "size of a receive");
            require(isPowerOfTwo(entries) && entries >= maxReceives && entries <= MOST, "number of receives");
        }
    }

    private void require(boolean condition, String what) throws NotDirect {
        if (!condition) {
            throw new NotDirect("libmlx5 reports a " + what + " that makes no sense: " + this);
        }
    }

    static boolean isPowerOfTwo(int number) {
        return Integer.bitCount(number) == 1 && number > 0;
    }
}
