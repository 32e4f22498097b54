// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.isthmus.bindings.ibverbs.ibv_qp_ex;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.Linking;
import dev.isthmus.internal.NativeCall;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * {@code struct ibv_qp_ex}: the function pointers that the {@code ibv_wr_*} calls of verbs.h go through, and the
 * two members that give them the id and flags. One method per C function, with the same arguments; pointers are
 * {@code long}. The caller has made sure that the queue pair was created with the operation, or the pointer may
 * be null.
 */
public final class ExtendedSend {

    private static final MethodHandle START = link(FunctionDescriptor.ofVoid(JAVA_LONG));
    private static final MethodHandle COMPLETE = link(FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle INT = link(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT));
    private static final MethodHandle REMOTE = link(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_LONG));
    private static final MethodHandle REMOTE_INT =
            link(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));
    private static final MethodHandle REMOTE_LONG =
            link(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle REMOTE_LONGS =
            link(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle POINTER_LENGTH = link(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle DATAGRAM =
            link(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT));
    private static final MethodHandle BIND = link(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG));
    private static final MethodHandle SEGMENTS =
            link(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, JAVA_SHORT, JAVA_SHORT));

    private static final long WR_ID = ibv_qp_ex.wr_id$offset();
    private static final long WR_FLAGS = ibv_qp_ex.wr_flags$offset();
    private static final long WR_COMPLETE = ibv_qp_ex.wr_complete$offset();

    private final MemorySegment struct;
    private final long qp;
    private final MemorySegment start;
    private MemorySegment complete;
    private final MemorySegment abort;
    private final MemorySegment send;
    private final MemorySegment sendImmediate;
    private final MemorySegment sendInvalidate;
    private final MemorySegment segments;
    private final MemorySegment write;
    private final MemorySegment writeImmediate;
    private final MemorySegment read;
    private final MemorySegment compareAndSwap;
    private final MemorySegment fetchAndAdd;
    private final MemorySegment atomicWrite;
    private final MemorySegment localInvalidate;
    private final MemorySegment bindWindow;
    private final MemorySegment setSge;
    private final MemorySegment setSgeList;
    private final MemorySegment setInline;
    private final MemorySegment setInlineList;
    private final MemorySegment setDatagram;
    private final MemorySegment setSharedReceiveQueue;
    private final MemorySegment flush; // null if the loaded library's struct may end before it

    /**
     * Reads the function pointers.
     *
     * @param handle what {@code ibv_qp_to_qp_ex} returned
     * @param withFlush whether it was created for FLUSH: then the library has the member that rdma-core 45 added
     */
    public ExtendedSend(MemorySegment handle, boolean withFlush) {
        long bytes = ibv_qp_ex.sizeof() + (withFlush ? ADDRESS.byteSize() : 0);
        struct = NativeCall.sized(handle, bytes);
        qp = handle.address();
        start = ibv_qp_ex.wr_start(struct);
        complete = ibv_qp_ex.wr_complete(struct);
        abort = ibv_qp_ex.wr_abort(struct);
        send = ibv_qp_ex.wr_send(struct);
        sendImmediate = ibv_qp_ex.wr_send_imm(struct);
        sendInvalidate = ibv_qp_ex.wr_send_inv(struct);
        segments = ibv_qp_ex.wr_send_tso(struct);
        write = ibv_qp_ex.wr_rdma_write(struct);
        writeImmediate = ibv_qp_ex.wr_rdma_write_imm(struct);
        read = ibv_qp_ex.wr_rdma_read(struct);
        compareAndSwap = ibv_qp_ex.wr_atomic_cmp_swp(struct);
        fetchAndAdd = ibv_qp_ex.wr_atomic_fetch_add(struct);
        atomicWrite = ibv_qp_ex.wr_atomic_write(struct);
        localInvalidate = ibv_qp_ex.wr_local_inv(struct);
        bindWindow = ibv_qp_ex.wr_bind_mw(struct);
        setSge = ibv_qp_ex.wr_set_sge(struct);
        setSgeList = ibv_qp_ex.wr_set_sge_list(struct);
        setInline = ibv_qp_ex.wr_set_inline_data(struct);
        setInlineList = ibv_qp_ex.wr_set_inline_data_list(struct);
        setDatagram = ibv_qp_ex.wr_set_ud_addr(struct);
        setSharedReceiveQueue = ibv_qp_ex.wr_set_xrc_srqn(struct);
        flush = withFlush ? struct.get(ADDRESS, ibv_qp_ex.sizeof()) : null;
    }

    private static MethodHandle link(FunctionDescriptor descriptor) {
        return Linking.downcall(descriptor);
    }

    /** Sets {@code wr_id} and {@code wr_flags} for the next operation. */
    @HotPath
    public void next(long wrId, int flags) {
        struct.set(JAVA_LONG, WR_ID, wrId);
        struct.set(JAVA_INT, WR_FLAGS, flags);
    }

    /** {@code ibv_wr_start}. */
    @HotPath
    public void start() {
        call(START, start);
    }

    /** {@code ibv_wr_abort}. */
    @HotPath
    public void abort() {
        call(START, abort);
    }

    /**
     * {@code ibv_wr_complete}: 0 or an error number. libmlx5 has another function while the queue pair cannot send
     * (mlx5_qp_fill_wr_complete_error of its qp.c).
     */
    @HotPath
    public int complete() {
        if (struct.get(JAVA_LONG, WR_COMPLETE) != complete.address()) {
            complete = ibv_qp_ex.wr_complete(struct);
        }
        try {
            return (int) COMPLETE.invokeExact(complete, qp);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** {@code ibv_wr_send}. */
    @HotPath
    public void send() {
        call(START, send);
    }

    /** {@code ibv_wr_send_imm}. */
    @HotPath
    public void sendImmediate(int inNetworkOrder) {
        callInt(sendImmediate, inNetworkOrder);
    }

    /** {@code ibv_wr_send_inv}. */
    @HotPath
    public void sendInvalidate(int rkey) {
        callInt(sendInvalidate, rkey);
    }

    /** {@code ibv_wr_local_inv}. */
    @HotPath
    public void localInvalidate(int rkey) {
        callInt(localInvalidate, rkey);
    }

    /** {@code ibv_wr_set_xrc_srqn}. */
    @HotPath
    public void setSharedReceiveQueue(int number) {
        callInt(setSharedReceiveQueue, number);
    }

    /** {@code ibv_wr_send_tso}. */
    @HotPath
    public void segments(long header, short headerBytes, short mss) {
        try {
            SEGMENTS.invokeExact(segments, qp, header, headerBytes, mss);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** {@code ibv_wr_rdma_write}. */
    @HotPath
    public void write(int rkey, long address) {
        callRemote(write, rkey, address);
    }

    /** {@code ibv_wr_rdma_read}. */
    @HotPath
    public void read(int rkey, long address) {
        callRemote(read, rkey, address);
    }

    /** {@code ibv_wr_rdma_write_imm}. */
    @HotPath
    public void writeImmediate(int rkey, long address, int inNetworkOrder) {
        callRemoteInt(writeImmediate, rkey, address, inNetworkOrder);
    }

    /** {@code ibv_wr_set_sge}. */
    @HotPath
    public void setSge(int lkey, long address, int length) {
        callRemoteInt(setSge, lkey, address, length);
    }

    /** {@code ibv_wr_atomic_cmp_swp}. */
    @HotPath
    public void compareAndSwap(int rkey, long address, long compare, long swap) {
        try {
            REMOTE_LONGS.invokeExact(compareAndSwap, qp, rkey, address, compare, swap);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** {@code ibv_wr_atomic_fetch_add}. */
    @HotPath
    public void fetchAndAdd(int rkey, long address, long add) {
        callRemoteLong(fetchAndAdd, rkey, address, add);
    }

    /** {@code ibv_wr_atomic_write}, with a pointer to the 8 bytes, which it copies. */
    @HotPath
    public void atomicWrite(int rkey, long address, long value) {
        callRemoteLong(atomicWrite, rkey, address, value);
    }

    /** {@code ibv_wr_flush} of rdma-core 45. */
    @HotPath
    public void flush(int rkey, long address, long length, int type, int level) {
        try {
            FlushHandle.FLUSH.invokeExact(flush, qp, rkey, address, length, (byte) type, (byte) level);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** In a class of its own, as few programs use it. */
    private static final class FlushHandle {
        static final MethodHandle FLUSH = link(FunctionDescriptor.ofVoid(
                JAVA_LONG,
                JAVA_INT,
                JAVA_LONG,
                JAVA_LONG,
                java.lang.foreign.ValueLayout.JAVA_BYTE,
                java.lang.foreign.ValueLayout.JAVA_BYTE));

        private FlushHandle() {}
    }

    /** {@code ibv_wr_bind_mw}. */
    @HotPath
    public void bindWindow(long window, int rkey, long bindInfo) {
        try {
            BIND.invokeExact(bindWindow, qp, window, rkey, bindInfo);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** {@code ibv_wr_set_sge_list}. */
    @HotPath
    public void setSgeList(long count, long list) {
        callPointerLength(setSgeList, count, list);
    }

    /** {@code ibv_wr_set_inline_data}. */
    @HotPath
    public void setInline(long address, long length) {
        callPointerLength(setInline, address, length);
    }

    /** {@code ibv_wr_set_inline_data_list}. */
    @HotPath
    public void setInlineList(long count, long list) {
        callPointerLength(setInlineList, count, list);
    }

    /** {@code ibv_wr_set_ud_addr}. */
    @HotPath
    public void setDatagram(long addressHandle, int qpNum, int qkey) {
        try {
            DATAGRAM.invokeExact(setDatagram, qp, addressHandle, qpNum, qkey);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    private void call(MethodHandle handle, MemorySegment function) {
        try {
            handle.invokeExact(function, qp);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    private void callInt(MemorySegment function, int value) {
        try {
            INT.invokeExact(function, qp, value);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    private void callRemote(MemorySegment function, int key, long address) {
        try {
            REMOTE.invokeExact(function, qp, key, address);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    private void callRemoteInt(MemorySegment function, int key, long address, int value) {
        try {
            REMOTE_INT.invokeExact(function, qp, key, address, value);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    private void callRemoteLong(MemorySegment function, int key, long address, long value) {
        try {
            REMOTE_LONG.invokeExact(function, qp, key, address, value);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @HotPath
    private void callPointerLength(MemorySegment function, long first, long second) {
        try {
            POINTER_LENGTH.invokeExact(function, qp, first, second);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    private static AssertionError unexpected(Throwable t) {
        return new AssertionError("a downcall does not throw", t);
    }
}
