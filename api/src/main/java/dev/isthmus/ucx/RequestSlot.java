// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.bindings.ucx.ucp_request_param_t;
import dev.isthmus.internal.ArenaUse;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.NativeMemory;
import java.lang.foreign.MemorySegment;

/**
 * What Java knows of one operation. All of it in one object rather than in an array per field: an operation touches most
 * of its fields, so they belong into the same cache lines, and a reference is stored in a field without the check that
 * an array asks for.
 */
final class RequestSlot {

    /** A {@code ucs_status_t}. */
    static final byte IN_PROGRESS = 1;

    static final byte SEND = 0;
    static final byte TAG_RECEIVE = 1;
    static final byte FLUSH = 2;
    static final byte AM_RECEIVE = 3;
    static final byte AM_SEND = 4;
    static final byte WORKER_FLUSH = 5;
    static final byte STREAM_RECEIVE = 10;
    static final byte STREAM_SEND = 11;
    static final byte SYNC_SEND = 12;
    static final byte PUT = 16;
    static final byte GET = 17;
    static final byte ATOMIC = 18;
    static final byte FETCH_32 = 19;
    static final byte FETCH_64 = 20;

    private static final int TELLING = ucp_h.UCP_OP_ATTR_FIELD_CALLBACK() | ucp_h.UCP_OP_ATTR_FIELD_USER_DATA();
    private static final long MASK_OFFSET = ucp_request_param_t.op_attr_mask$offset();
    private static final long FLAGS_OFFSET = ucp_request_param_t.flags$offset();
    private static final long DATATYPE_OFFSET = ucp_request_param_t.datatype$offset();
    private static final long MEMORY_TYPE_OFFSET = ucp_request_param_t.memory_type$offset();
    private static final long CALLBACK_OFFSET = ucp_request_param_t.cb$offset();
    private static final long USER_DATA_OFFSET = ucp_request_param_t.user_data$offset();
    private static final long MEMORY_OFFSET = RequestMemory.OTHER + ucp_request_param_t.memh$offset();

    final int index;

    /** The request, as C knows it; its parameters follow. */
    final long address;

    /** What C keeps of the operation. */
    private final MemorySegment request;

    /** The operation's number, {@link RequestSlots#FREE} while there is none: then it is the next one. */
    long handle;

    /** The address of the next one of those that are free, as long as this is. */
    long nextFree;

    byte kind;

    /** A {@code ucs_status_t}, final unless it is {@link #IN_PROGRESS}. */
    byte status;

    /** What C's callback has said, if it was set to {@link #IN_PROGRESS} before. */
    byte calledBack;

    /** The program has given it user data, is told of its end, and does not know its number. */
    boolean hasUserData;

    long userData;

    /** The worker's count of events when the status was asked for last. */
    int polledAt;

    long length;
    long senderTag;

    /** Held while C uses it: the memory of an automatic arena must not be collected. */
    MemorySegment buffer;

    /** The header of an active message, which C uses as long; null with anything else. */
    MemorySegment header;

    /** What C uses instead of a buffer. */
    UcpPayload payload;

    /** Where the operation counts as long as C uses the buffer; null if its arena is not guarded. */
    ArenaUse use;

    /** The same of the header. */
    ArenaUse headerUse;

    UcpEndpoint endpoint;

    /** What it counts there as long as it has not ended. */
    long bytes;

    /** Of an operation on a peer's memory; null for any other. */
    UcpRemoteMemory remote;

    /** What such an operation uses on this side; null if that is not registered. */
    UcpMemory memory;

    /** The program's part of packed data has thrown for this operation. */
    boolean packingFailed;

    /** Whether there is more to let go of, when the operation has ended, than the buffer. */
    boolean holdsMore;

    /** The program does not know the number of the operation. */
    boolean implicit;

    /** Of the operation, if it has one; null with any other. */
    OperationFuture<?> future;

    /** The next one in the queue of {@link CompletionCallbacks}. */
    RequestSlot nextEnded;

    /** Whether it is in that queue. */
    boolean told;

    private int fields = RequestMemory.FIELDS;

    RequestSlot(int index, MemorySegment request, long handle) {
        this.index = index;
        this.request = request;
        this.address = request.address() + request.byteSize();
        this.handle = handle;
    }

    /** The index of the slot at an address. */
    @HotPath
    static int indexAt(long address) {
        return NativeMemory.getInt(address + USER_DATA_OFFSET);
    }

    /**
     * Parameters for one call. They are written by their address: each call has checked that the worker is open, and with
     * it their memory.
     *
     * @param mask {@code UCP_OP_ATTR_FLAG}s, and fields besides those here
     * @param flags what {@code UCP_OP_ATTR_FIELD_FLAGS} stands for, if the mask has it
     */
    @HotPath
    long parameters(int mask, long datatype, int flags, int memoryType) {
        long p = address + RequestMemory.OTHER;
        NativeMemory.setInt(p + MASK_OFFSET, fields | mask);
        NativeMemory.setInt(p + FLAGS_OFFSET, flags);
        NativeMemory.setLong(p + DATATYPE_OFFSET, datatype);
        NativeMemory.setInt(p + MEMORY_TYPE_OFFSET, memoryType);
        return p;
    }

    /** The operation that takes this slot next, and no other, is to call C's callback with the slot's index. */
    void tell(long callback) {
        fields = RequestMemory.FIELDS | TELLING;
        for (long p = address; p <= address + RequestMemory.OTHER; p += RequestMemory.PARAM_BYTES) {
            tell(p, callback);
        }
    }

    /** The same of {@link #parameters}, until these are written for the next call. */
    @HotPath
    void tellOther(long callback) {
        tell(address + RequestMemory.OTHER, callback);
    }

    // The user data of all parameters is the slot's index.
    @HotPath
    private static void tell(long parameters, long callback) {
        NativeMemory.setInt(parameters + MASK_OFFSET, NativeMemory.getInt(parameters + MASK_OFFSET) | TELLING);
        NativeMemory.setLong(parameters + CALLBACK_OFFSET, callback);
    }

    /** Takes that back, when the operation has begun or has not. */
    void tellNobody() {
        fields = RequestMemory.FIELDS;
        for (long p = address; p <= address + RequestMemory.OTHER; p += RequestMemory.PARAM_BYTES) {
            NativeMemory.setInt(p + MASK_OFFSET, NativeMemory.getInt(p + MASK_OFFSET) & ~TELLING);
        }
    }

    /** The C function that an operation of a kind is, for messages. */
    static String call(byte kind) {
        return switch (kind) {
            case SEND -> "ucp_tag_send_nbx";
            case SYNC_SEND -> "ucp_tag_send_sync_nbx";
            case TAG_RECEIVE -> "ucp_tag_recv_nbx";
            case AM_SEND -> "ucp_am_send_nbx";
            case AM_RECEIVE -> "ucp_am_recv_data_nbx";
            case FLUSH -> "ucp_ep_flush_nbx";
            case WORKER_FLUSH -> "ucp_worker_flush_nbx";
            case STREAM_SEND -> "ucp_stream_send_nbx";
            case STREAM_RECEIVE -> "ucp_stream_recv_nbx";
            case PUT -> "ucp_put_nbx";
            case GET -> "ucp_get_nbx";
            case ATOMIC, FETCH_32, FETCH_64 -> "ucp_atomic_op_nbx";
            default -> "an operation";
        };
    }

    /** Whether the endpoint counts the bytes of an operation of a kind until it has ended. */
    @HotPath
    static boolean counts(byte kind) {
        return kind != TAG_RECEIVE && kind != STREAM_RECEIVE && kind != AM_RECEIVE;
    }

    /** What an operation of a kind is, for messages. */
    static String noun(byte kind) {
        return switch (kind) {
            case SEND, SYNC_SEND, AM_SEND, STREAM_SEND -> "send";
            case TAG_RECEIVE, AM_RECEIVE, STREAM_RECEIVE -> "receive";
            case PUT -> "put";
            case GET -> "get";
            default -> "operation";
        };
    }

    /** Whether C writes to the buffer. */
    boolean isWriting() {
        return switch (kind) {
            case TAG_RECEIVE, AM_RECEIVE, STREAM_RECEIVE, GET -> true;
            default -> false;
        };
    }

    /** Whether it counts there. */
    @SuppressWarnings("ReferenceEquality") // that very one
    boolean isUsing(ArenaUse one) {
        UcpPayload used = payload;
        return one == use || one == headerUse || (used != null && used.isUsing(one));
    }

    /** Lets the arenas go of the buffers that C no longer uses. */
    void letGo() {
        ArenaUse.endOf(use);
        ArenaUse.endOf(headerUse);
        use = null;
        headerUse = null;
    }

    /** What it is an operation of, for messages. */
    Object owner() {
        if (remote != null) {
            return remote;
        }
        return endpoint == null ? "" : endpoint;
    }

    /** The {@code ucp_mem_h} in {@link #parameters}. */
    @HotPath
    void memoryParameter(long memoryHandle) {
        NativeMemory.setLong(address + MEMORY_OFFSET, memoryHandle);
    }

    /**
     * Clears what C has kept of the operation before: of an atomic operation UCX fills in less than it looks at when the
     * endpoint fails, and calls what an operation before it would have called.
     */
    @HotPath
    void clear() {
        request.fill((byte) 0);
    }

    /** Eight bytes for the operand of an atomic operation. */
    @HotPath
    long operand() {
        return address + RequestMemory.OPERAND;
    }

    /** Eight bytes for what it fetches. */
    @HotPath
    long reply() {
        return address + RequestMemory.REPLY;
    }

    boolean isTaken() {
        return handle > 0 || implicit;
    }
}
