// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.mlx5;

import dev.isthmus.bindings.ibverbs.ibv_wc;
import dev.isthmus.bindings.ibverbs.mlx5_cqe64;
import dev.isthmus.bindings.ibverbs.mlx5_err_cqe;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.NativeMemory;
import dev.isthmus.internal.NumberTable;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A completion queue as Java polls it: entries of 64 bytes, which mlx5dv.h calls CQEs. The card writes an entry with a bit
 * that changes each time it goes around the ring, so the bit tells whether an entry is new. Completions come out as
 * libmlx5 would return them, field by field, in {@code struct ibv_wc}.
 *
 * <p>One thread polls. Others add and remove queue pairs without a lock: see {@link Completer}.
 */
public final class CompletionRing {

    /** A completion that cannot be read: libmlx5's {@code CQ_POLL_ERR}. */
    private static final int BROKEN = -2;

    /** {@code struct mlx5_cqe64}. */
    private static final class Entry {
        static final long ML_PATH = mlx5_cqe64.ml_path$offset();
        static final long SLID = mlx5_cqe64.slid$offset();
        static final long FLAGS_RQPN = mlx5_cqe64.flags_rqpn$offset();
        static final long IMM_INVAL_PKEY = mlx5_cqe64.imm_inval_pkey$offset();
        static final long BYTE_CNT = mlx5_cqe64.byte_cnt$offset();
        static final long SOP_DROP_QPN = mlx5_cqe64.sop_drop_qpn$offset();
        static final long OP_OWN = mlx5_cqe64.op_own$offset();
        static final long VENDOR_ERR_SYND = mlx5_err_cqe.vendor_err_synd$offset();
        static final long SYNDROME = mlx5_err_cqe.syndrome$offset();

        private Entry() {}
    }

    /** {@code struct ibv_wc}. */
    private static final class Completion {
        static final long SIZE = ibv_wc.sizeof();
        static final long WR_ID = ibv_wc.wr_id$offset();
        static final long STATUS = ibv_wc.status$offset();
        static final long OPCODE = ibv_wc.opcode$offset();
        static final long VENDOR_ERR = ibv_wc.vendor_err$offset();
        static final long BYTE_LEN = ibv_wc.byte_len$offset();
        static final long IMM_DATA = ibv_wc.imm_data$offset();
        static final long QP_NUM = ibv_wc.qp_num$offset();
        static final long SRC_QP = ibv_wc.src_qp$offset();
        static final long WC_FLAGS = ibv_wc.wc_flags$offset();
        static final long PKEY_INDEX = ibv_wc.pkey_index$offset();
        static final long SLID = ibv_wc.slid$offset();
        static final long SL = ibv_wc.sl$offset();
        static final long DLID_PATH_BITS = ibv_wc.dlid_path_bits$offset();

        private Completion() {}
    }

    // MLX5_CQE_*; Mlx5LibraryTest compares them with mlx5dv.h.
    static final int REQ = 0;
    static final int RESP_WR_IMM = 1;
    static final int RESP_SEND = 2;
    static final int RESP_SEND_IMM = 3;
    static final int RESP_SEND_INV = 4;
    static final int REQ_ERR = 13;
    static final int RESP_ERR = 14;
    static final int INVALID = 15;
    private static final int KIND = 0xf0;
    private static final int FORMAT = 0xc; // compressed, or with data
    private static final int OWNER = 1;

    // enum ibv_wc_opcode, enum ibv_wc_flags
    private static final int WC_SEND = 0;
    private static final int WC_RDMA_WRITE = 1;
    private static final int WC_RDMA_READ = 2;
    private static final int WC_COMP_SWAP = 3;
    private static final int WC_FETCH_ADD = 4;
    private static final int WC_RECV = 128;
    private static final int WC_RECV_RDMA_WITH_IMM = 129;
    private static final int WITH_GRH = 1;
    private static final int WITH_IMM = 1 << 1;
    private static final int WITH_INV = 1 << 3;

    private static final int NUMBER = 0xff_ffff;
    private static final int ATOMIC_BYTES = 8;

    // By the opcode of a send: the completion's opcode in the upper half, its flag, and these.
    private static final int[] RESULTS = new int[256];
    private static final int DEFINED = 1 << 8;
    private static final int LENGTH = 1 << 9; // the completion has a length

    static {
        RESULTS[SendRing.OPCODE_SEND] = (WC_SEND << 16) | DEFINED;
        RESULTS[SendRing.OPCODE_SEND_INVAL] = (WC_SEND << 16) | DEFINED;
        RESULTS[SendRing.OPCODE_SEND_IMM] = (WC_SEND << 16) | DEFINED | WITH_IMM;
        RESULTS[SendRing.OPCODE_RDMA_WRITE] = (WC_RDMA_WRITE << 16) | DEFINED;
        RESULTS[SendRing.OPCODE_RDMA_WRITE_IMM] = (WC_RDMA_WRITE << 16) | DEFINED | WITH_IMM;
        RESULTS[SendRing.OPCODE_RDMA_READ] = (WC_RDMA_READ << 16) | DEFINED | LENGTH;
        RESULTS[SendRing.OPCODE_ATOMIC_CS] = (WC_COMP_SWAP << 16) | DEFINED | LENGTH;
        RESULTS[SendRing.OPCODE_ATOMIC_FA] = (WC_FETCH_ADD << 16) | DEFINED | LENGTH;
    }

    /** Stands for a queue pair that is not known, whatever its number is. */
    private static final Completer NOBODY = new Completer(-1, null, null);

    static {
        NOBODY.retired = true;
    }

    static final long DOORBELL = 0x20; // MLX5_CQ_DOORBELL
    static final int SOLICITED_ONLY = 1 << 24; // MLX5_CQ_DB_REQ_NOT_SOL

    private static final VarHandle CONSUMED;

    static {
        try {
            CONSUMED = MethodHandles.lookup().findVarHandle(CompletionRing.class, "consumed", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Mlx5Library library;
    private final NumberTable<Completer> completers = new NumberTable<>();
    private final long start;
    private final int count;
    private final long mask;
    private final int shift; // to the bit of an index that changes each time around the ring
    private final long records; // MLX5_CQ_SET_CI, MLX5_CQ_ARM_DB
    private final long doorbell;
    private final int number;
    private long consumed;
    private Completer last = NOBODY; // that completed; the poller's, as are the following

    // Of the last good completion of a send without a length: most completions are like the one before.
    private Completer sender = NOBODY;
    private int form; // the operation and the queue pair, as in an entry
    private long opcode; // and the status, as in struct ibv_wc
    private int flags;

    private volatile int events; // that have been taken: the card tells requests for them apart by their number

    private CompletionRing(Mlx5Library library, CompletionQueueLayout layout) {
        this.library = library;
        this.start = layout.entries();
        this.count = layout.count();
        this.mask = count - 1L;
        this.shift = Integer.numberOfTrailingZeros(count);
        this.records = layout.records();
        this.doorbell = layout.page() + DOORBELL;
        this.number = layout.number();
    }

    /**
     * Takes a completion queue from libmlx5, which has not polled anything from it yet.
     *
     * @param entries that it was granted
     * @throws NotDirect if it is of a kind that is not known
     */
    public static CompletionRing of(Mlx5Library library, MemorySegment cq, int entries) throws NotDirect {
        CompletionQueueLayout layout = library.completionQueue(cq);
        layout.check(entries);
        return new CompletionRing(library, layout);
    }

    Mlx5Library library() {
        return library;
    }

    /** From now on completions of its queue pair lead to it; those that are there already are skipped. */
    void add(Completer completer) {
        Completer before = completers.find(completer.qpNum);
        if (before != null) {
            before.retired = true;
        }
        completer.begin = produced();
        completers.add(completer.qpNum, completer);
    }

    /** From now on completions of its queue pair are skipped. */
    void remove(Completer completer) {
        completer.retired = true;
        completers.remove(completer.qpNum, completer);
    }

    /** The index behind the last entry that the card has written; any thread may ask. */
    private long produced() {
        long index = (long) CONSUMED.getAcquire(this);
        while (true) {
            while (isNew(index) && index - (long) CONSUMED.getAcquire(this) < count) {
                index++;
            }
            long now = (long) CONSUMED.getAcquire(this);
            if (now - index <= 0) {
                return index;
            }
            index = now; // the poller has overtaken this, and the card may have begun another round
        }
    }

    @HotPath
    private boolean isNew(long index) {
        return isNew(NativeMemory.getByte(entry(index) + Entry.OP_OWN), index);
    }

    @HotPath
    private boolean isNew(int own, long index) {
        return ((own ^ (int) (index >>> shift)) & OWNER) == 0 && (own & KIND) != INVALID << 4;
    }

    @HotPath
    private long entry(long index) {
        return (start + ((index & mask) << 6)) & NativeMemory.ANY_ADDRESS;
    }

    /**
     * The last eight bytes of an entry, of which the card writes the last one last: the operation, the queue pair (24
     * bits), the counter (16 bits), a signature, and whether it is new. One load has them as they were at one time.
     */
    @HotPath
    private static long tail(long entry) {
        return Long.reverseBytes(NativeMemory.getLong(entry + Entry.SOP_DROP_QPN));
    }

    /**
     * Takes completions.
     *
     * @param into the address of an array of {@code struct ibv_wc}
     * @return their number, or a negative number if one cannot be read
     */
    @HotPath
    public int poll(int capacity, long into) {
        long index = consumed;
        return isNew(index) ? take(index, capacity, into) : 0;
    }

    @HotPath
    private int take(long from, int capacity, long into) {
        long index = from;
        int taken = 0;
        while (true) {
            int alike = takeAlike(index, capacity - taken, into + taken * Completion.SIZE);
            index += alike;
            taken += alike;
            if (taken == capacity || !isNew(index)) {
                break;
            }
            int more = takeAny(index, into + taken * Completion.SIZE);
            index++;
            if (more < 0) {
                taken = more;
                break;
            }
            taken += more;
        }
        CONSUMED.setRelease(this, index); // after the entries were read, which the card may now write again
        NativeMemory.setInt(records & NativeMemory.ANY_ADDRESS, Integer.reverseBytes((int) index & NUMBER));
        return taken;
    }

    /** Takes the next completions as long as they are like the last one of a send; returns how many. */
    @HotPath
    private int takeAlike(long from, int capacity, long into) {
        Completer completer = sender;
        int like = form;
        long first = start;
        long last = mask;
        int bit = shift;
        long statusAndOpcode = opcode;
        int withFlags = flags;
        long[] ids = completer.ids;
        long tail = 0;
        int taken = 0;
        while (taken < capacity) {
            long index = from + taken;
            long now = tail((first + ((index & last) << 6)) & NativeMemory.ANY_ADDRESS);
            // new, good, of a send, and without data
            if ((((int) now ^ ((int) (index >>> bit) & OWNER)) & (KIND | FORMAT | OWNER)) != 0
                    || (int) (now >>> 32) != like) {
                break;
            }
            VarHandle.acquireFence(); // what the card did before it wrote that is seen after it
            if (completer.retired) {
                break;
            }
            tail = now;
            long wc = (into + taken * Completion.SIZE) & NativeMemory.ANY_ADDRESS;
            NativeMemory.setLong(wc + Completion.WR_ID, ids[counter(now) & (ids.length - 1)]);
            NativeMemory.setLong(wc + Completion.STATUS, statusAndOpcode);
            NativeMemory.setInt(wc + Completion.QP_NUM, like & NUMBER);
            NativeMemory.setInt(wc + Completion.WC_FLAGS, withFlags);
            taken++;
        }
        if (taken > 0) {
            completer.sends.complete(counter(tail));
        }
        return taken;
    }

    /** Takes the next completion; returns how many that were: 1, or 0 if it is skipped, or BROKEN. */
    @HotPath
    private int takeAny(long index, long into) {
        VarHandle.acquireFence(); // what the card wrote before that bit is read after it
        long entry = entry(index);
        long tail = tail(entry);
        int own = (int) tail;
        int is = (int) (tail >>> 32);
        Completer completer = last;
        if (completer.qpNum != (is & NUMBER) || completer.retired) {
            completer = completer(is & NUMBER);
        }
        if (completer == NOBODY || index < completer.begin) {
            return 0;
        }
        long wc = into & NativeMemory.ANY_ADDRESS;
        NativeMemory.setInt(wc + Completion.QP_NUM, is & NUMBER);
        if ((own & (KIND | FORMAT)) == REQ << 4) {
            readSend(entry, is, counter(tail), completer, wc);
            return 1;
        }
        return readOther(entry, own, counter(tail), completer, wc) ? 1 : BROKEN;
    }

    @HotPath
    private Completer completer(int qpNum) {
        Completer found = completers.find(qpNum);
        last = found == null ? NOBODY : found;
        return last;
    }

    @HotPath
    private void readSend(long entry, int is, int counter, Completer completer, long wc) {
        int code = is >>> 24;
        int results = RESULTS[code];
        NativeMemory.setInt(wc + Completion.STATUS, 0);
        NativeMemory.setInt(wc + Completion.WC_FLAGS, results & WITH_IMM);
        if ((results & DEFINED) != 0) { // or libmlx5 leaves it undefined
            NativeMemory.setInt(wc + Completion.OPCODE, results >>> 16);
        }
        if ((results & LENGTH) != 0) {
            int read = swapped(entry + Entry.BYTE_CNT);
            NativeMemory.setInt(wc + Completion.BYTE_LEN, code == SendRing.OPCODE_RDMA_READ ? read : ATOMIC_BYTES);
        } else if ((results & DEFINED) != 0) {
            sender = completer;
            form = is;
            opcode = (long) (results >>> 16) << 32;
            flags = results & WITH_IMM;
        }
        NativeMemory.setLong(wc + Completion.WR_ID, completer.sends.complete(counter));
    }

    /** Reads an entry that is not a good one of a send; false if it is of a kind that is not known. */
    @HotPath
    private static boolean readOther(long entry, int own, int counter, Completer completer, long wc) {
        int kind = (own & KIND) >>> 4;
        if ((own & FORMAT) != 0) {
            return false;
        }
        switch (kind) {
            case RESP_WR_IMM, RESP_SEND, RESP_SEND_IMM, RESP_SEND_INV -> readReceive(entry, kind, completer, wc);
            case REQ_ERR, RESP_ERR -> readError(entry, kind, counter, completer, wc);
            default -> {
                return false;
            }
        }
        return true;
    }

    @HotPath
    private static void readReceive(long entry, int kind, Completer completer, long wc) {
        int immediate = NativeMemory.getInt(entry + Entry.IMM_INVAL_PKEY);
        int path = swapped(entry + Entry.FLAGS_RQPN);
        int flags = ((path >>> 28) & 3) != 0 ? WITH_GRH : 0;
        int opcode = WC_RECV;
        switch (kind) {
            case RESP_WR_IMM -> {
                opcode = WC_RECV_RDMA_WITH_IMM;
                flags |= WITH_IMM;
                NativeMemory.setInt(wc + Completion.IMM_DATA, immediate);
            }
            case RESP_SEND_IMM -> {
                flags |= WITH_IMM;
                NativeMemory.setInt(wc + Completion.IMM_DATA, immediate);
            }
            case RESP_SEND_INV -> {
                flags |= WITH_INV;
                NativeMemory.setInt(wc + Completion.IMM_DATA, Integer.reverseBytes(immediate));
            }
            default -> {}
        }
        NativeMemory.setInt(wc + Completion.OPCODE, opcode);
        NativeMemory.setInt(wc + Completion.WC_FLAGS, flags);
        NativeMemory.setInt(wc + Completion.STATUS, 0);
        NativeMemory.setInt(wc + Completion.BYTE_LEN, swapped(entry + Entry.BYTE_CNT));
        NativeMemory.setInt(wc + Completion.SRC_QP, path & NUMBER);
        NativeMemory.setShort(wc + Completion.PKEY_INDEX, (short) Integer.reverseBytes(immediate));
        NativeMemory.setShort(wc + Completion.SLID, Short.reverseBytes(NativeMemory.getShort(entry + Entry.SLID)));
        NativeMemory.setByte(wc + Completion.SL, (byte) ((path >>> 24) & 0xf));
        NativeMemory.setByte(
                wc + Completion.DLID_PATH_BITS, (byte) (NativeMemory.getByte(entry + Entry.ML_PATH) & 0x7f));
        NativeMemory.setLong(wc + Completion.WR_ID, completer.receives.complete());
    }

    @HotPath
    private static void readError(long entry, int kind, int counter, Completer completer, long wc) {
        NativeMemory.setInt(wc + Completion.WC_FLAGS, 0);
        NativeMemory.setInt(
                wc + Completion.STATUS, Syndrome.status(NativeMemory.getByte(entry + Entry.SYNDROME) & 0xff));
        NativeMemory.setInt(wc + Completion.VENDOR_ERR, NativeMemory.getByte(entry + Entry.VENDOR_ERR_SYND) & 0xff);
        long id = kind == REQ_ERR ? completer.sends.complete(counter) : completer.receives.complete();
        NativeMemory.setLong(wc + Completion.WR_ID, id);
    }

    @HotPath
    private static int counter(long tail) {
        return (int) (tail >>> 16) & 0xffff;
    }

    @HotPath
    private static int swapped(long address) {
        return Integer.reverseBytes(NativeMemory.getInt(address));
    }

    /** Asks the card for an event: the record, and behind it the doorbell, which is write-combining: {@link Register}. */
    @HotPath
    public void requestNotify(boolean solicitedOnly) {
        int request = ((events & 3) << 28) | (solicitedOnly ? SOLICITED_ONLY : 0) | ((int) consumed & NUMBER);
        NativeMemory.setInt(records + Integer.BYTES, Integer.reverseBytes(request));
        VarHandle.fullFence();
        NativeMemory.setLong(doorbell, Long.reverseBytes(((long) request << 32) | Integer.toUnsignedLong(number)));
        VarHandle.fullFence();
    }

    /** Counts an event that was taken from the channel, by whose lock callers exclude each other. */
    @SuppressWarnings("NonAtomicVolatileUpdate")
    public void eventTaken() {
        events++;
    }
}
