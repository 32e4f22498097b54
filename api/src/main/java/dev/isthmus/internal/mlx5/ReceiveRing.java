// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.mlx5;

import dev.isthmus.bindings.ibverbs.ibv_recv_wr;
import dev.isthmus.bindings.ibverbs.ibv_sge;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.NativeMemory;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The receive queue of an RC, UC or UD queue pair: entries of one size, each a list of buffers that ends with one of a key that
 * does not exist, unless it is full. Receives complete in their order.
 *
 * <p>The poster writes everything but {@code tail}, which the poller writes.
 */
public final class ReceiveRing {

    private static final long WR_ID = ibv_recv_wr.wr_id$offset();
    private static final long SG_LIST = ibv_recv_wr.sg_list$offset();
    private static final long NUM_SGE = ibv_recv_wr.num_sge$offset();
    private static final long BUFFER = ibv_sge.sizeof();
    private static final long ADDR = ibv_sge.addr$offset();
    private static final long LENGTH = ibv_sge.length$offset();
    private static final long LKEY = ibv_sge.lkey$offset();

    /** {@code MLX5_INVALID_LKEY}. */
    static final int INVALID_LKEY = 0x100;

    private static final int PIECE = 16;

    private static final VarHandle TAIL;

    static {
        try {
            TAIL = MethodHandles.lookup().findVarHandle(ReceiveRing.class, "tail", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final long start;
    private final int shift; // of an entry's size
    private final int maxBuffers;
    private final int maxRequests;
    private final long record; // MLX5_RCV_DBR
    private final long[] ids;

    private int head;
    private int tail;

    ReceiveRing(QueuePairLayout layout, int maxRequests) {
        this.start = layout.receives();
        this.shift = Integer.numberOfTrailingZeros(layout.entrySize());
        this.maxBuffers = layout.entrySize() / PIECE;
        this.maxRequests = maxRequests;
        this.record = layout.records();
        this.ids = new long[Math.max(1, layout.entries())];
    }

    /**
     * Writes an entry, of which the card learns by {@link #notifyCard}.
     *
     * @param request the address of a {@code struct ibv_recv_wr}, without more buffers than fit
     * @return 0, or ENOMEM if the queue is full, or EINVAL if there are too many buffers
     */
    @HotPath
    public int append(long request) {
        if (head - (int) TAIL.getAcquire(this) >= maxRequests) {
            return Errno.ENOMEM;
        }
        long wr = request & NativeMemory.ANY_ADDRESS;
        int buffers = NativeMemory.getInt(wr + NUM_SGE);
        if (buffers > maxBuffers) {
            return Errno.EINVAL;
        }
        int at = head & (ids.length - 1);
        long entry = start + ((long) at << shift);
        long list = NativeMemory.getLong(wr + SG_LIST) & NativeMemory.ANY_ADDRESS;
        int written = 0;
        for (int i = 0; i < buffers; i++) {
            long buffer = list + i * BUFFER;
            int length = NativeMemory.getInt(buffer + LENGTH);
            if (length != 0) {
                write(
                        entry + (long) written * PIECE,
                        length,
                        NativeMemory.getInt(buffer + LKEY),
                        NativeMemory.getLong(buffer + ADDR));
                written++;
            }
        }
        if (written < maxBuffers) {
            write(entry + (long) written * PIECE, 0, INVALID_LKEY, 0);
        }
        ids[at] = NativeMemory.getLong(wr + WR_ID);
        head++;
        return 0;
    }

    @HotPath
    private static void write(long at, int length, int lkey, long address) {
        long to = at & NativeMemory.ANY_ADDRESS;
        NativeMemory.setLong(to, Long.reverseBytes(((long) length << 32) | Integer.toUnsignedLong(lkey)));
        NativeMemory.setLong(to + 8, Long.reverseBytes(address));
    }

    /** Tells the card of what was appended: {@link Register} says in which order. */
    @HotPath
    public void notifyCard() {
        VarHandle.releaseFence();
        NativeMemory.setInt(record & NativeMemory.ANY_ADDRESS, Integer.reverseBytes(head & 0xffff));
    }

    /** The number of the request that completes next; its place is free. */
    @HotPath
    long complete() {
        int at = tail;
        long id = ids[at & (ids.length - 1)];
        TAIL.setRelease(this, at + 1);
        return id;
    }
}
