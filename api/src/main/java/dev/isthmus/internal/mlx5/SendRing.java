// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.mlx5;

import dev.isthmus.bindings.ibverbs.ibv_send_wr;
import dev.isthmus.bindings.ibverbs.ibv_sge;
import dev.isthmus.bindings.ibverbs.mlx5_wqe_av;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.NativeMemory;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The send queue of an RC, UC or UD queue pair, in blocks of 64 bytes. An entry, which mlx5dv.h calls a WQE, takes one block or
 * more, and may begin in the last one and continue in the first. It has 16-byte pieces: control, remote address or path,
 * operands of an atomic, then one for each buffer, or a length and the data itself. All numbers in it are big-endian.
 *
 * <p>The poster writes everything but {@code tail}, which the poller writes.
 */
public final class SendRing {

    /** {@code struct ibv_send_wr}. */
    private static final class Request {
        static final long WR_ID = ibv_send_wr.wr_id$offset();
        static final long SG_LIST = ibv_send_wr.sg_list$offset();
        static final long NUM_SGE = ibv_send_wr.num_sge$offset();
        static final long OPCODE = ibv_send_wr.opcode$offset();
        static final long SEND_FLAGS = ibv_send_wr.send_flags$offset();
        static final long IMM_DATA = ibv_send_wr.imm_data$offset();
        static final long REMOTE_ADDR = ibv_send_wr.wr$offset() + ibv_send_wr.wr.rdma.remote_addr$offset();
        static final long RKEY = ibv_send_wr.wr$offset() + ibv_send_wr.wr.rdma.rkey$offset();
        static final long COMPARE_ADD = ibv_send_wr.wr$offset() + ibv_send_wr.wr.atomic.compare_add$offset();
        static final long SWAP = ibv_send_wr.wr$offset() + ibv_send_wr.wr.atomic.swap$offset();
        static final long ATOMIC_RKEY = ibv_send_wr.wr$offset() + ibv_send_wr.wr.atomic.rkey$offset();
        static final long REMOTE_QPN = ibv_send_wr.wr$offset() + ibv_send_wr.wr.ud.remote_qpn$offset();
        static final long REMOTE_QKEY = ibv_send_wr.wr$offset() + ibv_send_wr.wr.ud.remote_qkey$offset();

        private Request() {}
    }

    /** {@code struct ibv_sge}. */
    private static final class Buffer {
        static final long SIZE = ibv_sge.sizeof();
        static final long ADDR = ibv_sge.addr$offset();
        static final long LENGTH = ibv_sge.length$offset();
        static final long LKEY = ibv_sge.lkey$offset();

        private Buffer() {}
    }

    // enum ibv_wr_opcode
    private static final int RDMA_WRITE = 0;
    private static final int RDMA_WRITE_WITH_IMM = 1;
    private static final int SEND = 2;
    private static final int SEND_WITH_IMM = 3;
    private static final int RDMA_READ = 4;
    private static final int ATOMIC_CMP_AND_SWP = 5;
    private static final int ATOMIC_FETCH_AND_ADD = 6;
    private static final int SEND_WITH_INV = 9;

    // enum ibv_send_flags
    private static final int FENCE = 1;
    private static final int SIGNALED = 1 << 1;
    private static final int SOLICITED = 1 << 2;
    private static final int INLINE = 1 << 3;

    // MLX5_OPCODE_*, MLX5_WQE_CTRL_*, and others of mlx5dv.h, as constants for the JIT; Mlx5LibraryTest compares them.
    static final int OPCODE_SEND_INVAL = 0x01;
    static final int OPCODE_RDMA_WRITE = 0x08;
    static final int OPCODE_RDMA_WRITE_IMM = 0x09;
    static final int OPCODE_SEND = 0x0a;
    static final int OPCODE_SEND_IMM = 0x0b;
    static final int OPCODE_RDMA_READ = 0x10;
    static final int OPCODE_ATOMIC_CS = 0x11;
    static final int OPCODE_ATOMIC_FA = 0x12;
    static final int CTRL_CQ_UPDATE = 2 << 2;
    static final int INLINE_DATA = 0x8000_0000;
    static final int EXTENDED_UD_AV = 0x8000_0000;

    /** Where the first eight bytes of an entry have the index of its place, loaded in the machine's order. */
    static final long INDEX = 0xff_ff00;

    private static final int PIECE = 16;
    private static final int ATOMIC_BYTES = 8;
    private static final long AV_SIZE = mlx5_wqe_av.sizeof(); // 48

    private static final AtomicLong SERIALS = new AtomicLong();

    private static final VarHandle TAIL;

    static {
        try {
            TAIL = MethodHandles.lookup().findVarHandle(SendRing.class, "tail", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final long serial = SERIALS.incrementAndGet(); // never 0
    private final long start;
    private final long end;
    private final long record;
    private final Register register;
    private final int number; // the queue pair's, where an entry has it
    private final int always; // bits that each entry has
    private final boolean datagrams;
    private final boolean atomics;
    private final int maxInline;
    final long[] ids; // by the first block of an entry: the request's wr_id
    private final int[] heads; // by the same: which request it was

    private int maxRequests; // that can be outstanding; 0 until the queue pair is in RTS
    private int head; // requests posted
    private int next; // blocks written
    private long entry; // the last one
    private int pieces; // of the last one
    private boolean hasData; // the last one

    @SuppressWarnings("UnusedVariable") // by TAIL
    private int tail; // requests completed

    SendRing(QueuePairLayout layout, Register register, DirectQueues.Traits traits) {
        this.start = layout.sends();
        this.end = layout.sends() + (long) layout.blocks() * QueuePairLayout.BLOCK;
        this.record = layout.records() + Integer.BYTES; // MLX5_SND_DBR
        this.register = register;
        this.number = traits.qpNum() << 8;
        this.always = traits.signalAll() ? CTRL_CQ_UPDATE : 0;
        this.datagrams = traits.datagrams();
        this.atomics = traits.atomics();
        this.maxInline = traits.maxInline();
        this.ids = new long[Math.max(1, layout.blocks())];
        this.heads = new int[ids.length];
    }

    /** As in libmlx5, the queue is full until the queue pair has been in RTS. */
    void open(int requests) {
        maxRequests = requests;
    }

    /**
     * Writes an entry, of which the card learns by {@link #notifyCard}.
     *
     * @param request the address of a {@code struct ibv_send_wr}; of a kind that the queue pair's type has
     * @param vector the address of its {@code struct mlx5_wqe_av}, for a datagram
     * @return 0, or ENOMEM if the queue is full, or another error number
     */
    @HotPath
    public int append(long request, long vector) {
        if (head - (int) TAIL.getAcquire(this) >= maxRequests) {
            return Errno.ENOMEM;
        }
        long wr = request & NativeMemory.ANY_ADDRESS;
        int at = next & (ids.length - 1);
        long to = (start & NativeMemory.ANY_ADDRESS) + ((long) at << 6);
        int opcode = NativeMemory.getInt(wr + Request.OPCODE);
        int flags = NativeMemory.getInt(wr + Request.SEND_FLAGS);
        long immediate = 0; // as it stands in memory
        long data = to + PIECE;
        int used = 1;
        int code;
        if (datagrams) {
            code = opcode == SEND ? OPCODE_SEND : OPCODE_SEND_IMM;
            immediate = opcode == SEND ? 0 : NativeMemory.getInt(wr + Request.IMM_DATA);
            writePath(data, vector & NativeMemory.ANY_ADDRESS, wr);
            data += AV_SIZE;
            used += (int) AV_SIZE / PIECE;
        } else {
            switch (opcode) {
                case SEND -> code = OPCODE_SEND;
                case SEND_WITH_IMM -> {
                    code = OPCODE_SEND_IMM;
                    immediate = NativeMemory.getInt(wr + Request.IMM_DATA);
                }
                case SEND_WITH_INV -> {
                    code = OPCODE_SEND_INVAL;
                    immediate = Integer.reverseBytes(NativeMemory.getInt(wr + Request.IMM_DATA));
                }
                case RDMA_WRITE -> code = OPCODE_RDMA_WRITE;
                case RDMA_WRITE_WITH_IMM -> {
                    code = OPCODE_RDMA_WRITE_IMM;
                    immediate = NativeMemory.getInt(wr + Request.IMM_DATA);
                }
                case RDMA_READ -> code = OPCODE_RDMA_READ;
                case ATOMIC_CMP_AND_SWP -> code = OPCODE_ATOMIC_CS;
                case ATOMIC_FETCH_AND_ADD -> code = OPCODE_ATOMIC_FA;
                default -> {
                    return Errno.EINVAL; // as libmlx5 answers for ATOMIC_WRITE
                }
            }
            if (code >= OPCODE_ATOMIC_CS) {
                if (!atomics) {
                    return Errno.EOPNOTSUPP;
                }
                writeAtomic(data, wr, code);
                data += 2 * PIECE;
                used += 2;
            } else if (code == OPCODE_RDMA_READ || (code & ~1) == OPCODE_RDMA_WRITE) {
                setPair(data, NativeMemory.getLong(wr + Request.REMOTE_ADDR));
                NativeMemory.setLong(data + 8, bigEndian(NativeMemory.getInt(wr + Request.RKEY)));
                data += PIECE;
                used++;
            }
        }
        hasData = (flags & INLINE) != 0;
        int buffers = NativeMemory.getInt(wr + Request.NUM_SGE);
        if (buffers != 0) {
            long list = NativeMemory.getLong(wr + Request.SG_LIST) & NativeMemory.ANY_ADDRESS;
            data = data == end ? start : data;
            if (!hasData) {
                used += writeBuffers(data, list, buffers, code >= OPCODE_ATOMIC_CS);
            } else {
                int inline = writeInline(data, list, buffers);
                if (inline < 0) {
                    return Errno.ENOMEM;
                }
                used += inline;
            }
        }
        setPair(to, ((long) (((next & 0xffff) << 8) | code) << 32) | Integer.toUnsignedLong(number | used));
        NativeMemory.setLong(to + 8, (immediate << 32) | ((long) control(flags) << 24));
        ids[at] = NativeMemory.getLong(wr + Request.WR_ID);
        heads[at] = head++;
        next += (used + 3) >> 2;
        entry = to;
        pieces = used;
        return 0;
    }

    /** Notes that the last entry is of a request, which may be posted again. */
    @HotPath
    public void remember(PreparedEntry prepared) {
        if (pieces <= QueuePairLayout.BLOCK / PIECE && !hasData) {
            prepared.posted(serial, entry, pieces, register.copies(pieces));
        }
    }

    /** Whether {@link #post} can write an entry. */
    @HotPath
    public boolean has(PreparedEntry prepared) {
        return prepared.isFor(serial);
    }

    /**
     * Writes the entry of a request once more, and tells the card. So long that C2 does not make it a part of its callers,
     * as {@code CompletionRing.take}: there, its values would compete with theirs for registers. For the same reason it loads
     * the entry twice.
     *
     * @param id the request's number
     * @return 0, or ENOMEM if the queue is full
     */
    @HotPath
    public int post(PreparedEntry prepared, long id) {
        int posted = head;
        if (posted - (int) TAIL.getAcquire(this) >= maxRequests) {
            return Errno.ENOMEM;
        }
        int block = next;
        int at = block & (ids.length - 1);
        long first = prepared.control | (Integer.reverseBytes(block << 8) & INDEX);
        long to = (start + ((long) at << 6)) & NativeMemory.ANY_ADDRESS;
        NativeMemory.setLong(to, first);
        NativeMemory.setLong(to + 8, prepared.second);
        NativeMemory.setLong(to + 16, prepared.third);
        NativeMemory.setLong(to + 24, prepared.fourth);
        NativeMemory.setLong(to + 32, prepared.fifth);
        NativeMemory.setLong(to + 40, prepared.sixth);
        NativeMemory.setLong(to + 48, prepared.seventh);
        NativeMemory.setLong(to + 56, prepared.eighth);
        ids[at] = id;
        heads[at] = posted;
        head = posted + 1;
        next = block + 1;
        VarHandle.releaseFence();
        NativeMemory.setInt(record & NativeMemory.ANY_ADDRESS, Integer.reverseBytes((block + 1) & 0xffff));
        Register card = register;
        long half = card.take();
        NativeMemory.setLong(half, first);
        if (prepared.copied) {
            NativeMemory.setLong(half + 8, prepared.second);
            NativeMemory.setLong(half + 16, prepared.third);
            NativeMemory.setLong(half + 24, prepared.fourth);
            NativeMemory.setLong(half + 32, prepared.fifth);
            NativeMemory.setLong(half + 40, prepared.sixth);
            NativeMemory.setLong(half + 48, prepared.seventh);
            NativeMemory.setLong(half + 56, prepared.eighth);
        }
        card.leave();
        return 0;
    }

    /** {@code fm_ce_se} of the control piece: CTRL_FENCE, CTRL_CQ_UPDATE and CTRL_SOLICITED, each by a shift. */
    @HotPath
    private int control(int flags) {
        return always | ((flags & FENCE) << 7) | ((flags & SIGNALED) << 2) | ((flags & SOLICITED) >> 1);
    }

    /** {@code struct mlx5_wqe_datagram_seg}: the path, with the destination in place of what it says. */
    @HotPath
    private static void writePath(long to, long vector, long wr) {
        long second = NativeMemory.getLong(vector + 8);
        int qpn = NativeMemory.getInt(wr + Request.REMOTE_QPN) | EXTENDED_UD_AV;
        NativeMemory.setLong(
                to,
                (NativeMemory.getLong(vector) & ~0xffff_ffffL)
                        | bigEndian(NativeMemory.getInt(wr + Request.REMOTE_QKEY)));
        NativeMemory.setLong(to + 8, (second & ~0xffff_ffffL) | bigEndian(qpn));
        for (long i = 16; i < AV_SIZE; i += 8) {
            NativeMemory.setLong(to + i, NativeMemory.getLong(vector + i));
        }
    }

    /** {@code struct mlx5_wqe_raddr_seg} and {@code struct mlx5_wqe_atomic_seg}. */
    @HotPath
    private static void writeAtomic(long to, long wr, int code) {
        setPair(to, NativeMemory.getLong(wr + Request.REMOTE_ADDR));
        NativeMemory.setLong(to + 8, bigEndian(NativeMemory.getInt(wr + Request.ATOMIC_RKEY)));
        long compareOrAdd = NativeMemory.getLong(wr + Request.COMPARE_ADD);
        if (code == OPCODE_ATOMIC_CS) {
            setPair(to + 16, NativeMemory.getLong(wr + Request.SWAP));
            setPair(to + 24, compareOrAdd);
        } else {
            setPair(to + 16, compareOrAdd);
        }
    }

    /** A {@code struct mlx5_wqe_data_seg} for each buffer that is not empty; returns how many. */
    @HotPath
    private int writeBuffers(long first, long list, int buffers, boolean atomic) {
        long to = first;
        int written = 0;
        for (int i = 0; i < buffers; i++) {
            long buffer = list + i * Buffer.SIZE;
            int length = NativeMemory.getInt(buffer + Buffer.LENGTH);
            if (length != 0) {
                to = to == end ? start : to;
                setPair(
                        to,
                        ((long) (atomic ? ATOMIC_BYTES : length) << 32)
                                | Integer.toUnsignedLong(NativeMemory.getInt(buffer + Buffer.LKEY)));
                setPair(to + 8, NativeMemory.getLong(buffer + Buffer.ADDR));
                to += PIECE;
                written++;
            }
        }
        return written;
    }

    /** The length and the data; returns how many pieces they take, or -1 if they are too long. */
    @HotPath
    private int writeInline(long header, long list, int buffers) {
        long to = header + Integer.BYTES;
        int total = 0;
        for (int i = 0; i < buffers; i++) {
            long buffer = list + i * Buffer.SIZE;
            long from = NativeMemory.getLong(buffer + Buffer.ADDR);
            int length = NativeMemory.getInt(buffer + Buffer.LENGTH);
            total += length;
            if (length < 0 || total > maxInline) {
                return -1;
            }
            if (to + length > end) {
                int fits = (int) (end - to);
                NativeMemory.copy(from, to, fits);
                from += fits;
                length -= fits;
                to = start;
            }
            NativeMemory.copy(from, to, length);
            to += length;
        }
        if (total == 0) {
            return 0;
        }
        NativeMemory.setInt(header, Integer.reverseBytes(total | INLINE_DATA));
        return (total + Integer.BYTES + PIECE - 1) / PIECE;
    }

    /** Tells the card of the requests that were appended since the last time: {@link Register} says in which order. */
    @HotPath
    public void notifyCard(int requests) {
        VarHandle.releaseFence();
        NativeMemory.setInt(record & NativeMemory.ANY_ADDRESS, Integer.reverseBytes(next & 0xffff));
        if (requests == 1 && register.copies(pieces)) {
            register.copy(entry, (pieces + 3) >> 2, end, start);
        } else {
            register.ring(entry);
        }
    }

    /** The number of the request that a completion names; the place of that request, and of those before it, is free. */
    @HotPath
    long complete(int counter) {
        int at = counter & (ids.length - 1);
        long id = ids[at];
        TAIL.setRelease(this, heads[at] + 1);
        return id;
    }

    /** Writes eight bytes, or two numbers of four of which the first is the upper half, as big-endian. */
    @HotPath
    private static void setPair(long to, long value) {
        NativeMemory.setLong(to, Long.reverseBytes(value));
    }

    /** Four bytes as big-endian, and four zero bytes behind them. */
    @HotPath
    private static long bigEndian(int value) {
        return Integer.toUnsignedLong(Integer.reverseBytes(value));
    }
}
