// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.bindings.ucx.ucp_request_param_t;
import dev.isthmus.internal.ArenaUse;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.NativeMemory;
import java.lang.foreign.MemorySegment;

/**
 * The record of one operation on the Java side. It is one object, not an element in an array per field, for the JIT and the
 * processor's cache: docs/instructions.md, "Lines written for the JIT".
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

    private static final int CALLBACK_FIELDS = ucp_h.UCP_OP_ATTR_FIELD_CALLBACK() | ucp_h.UCP_OP_ATTR_FIELD_USER_DATA();
    private static final long MASK_OFFSET = ucp_request_param_t.op_attr_mask$offset();
    private static final long FLAGS_OFFSET = ucp_request_param_t.flags$offset();
    private static final long DATATYPE_OFFSET = ucp_request_param_t.datatype$offset();
    private static final long MEMORY_TYPE_OFFSET = ucp_request_param_t.memory_type$offset();
    private static final long CALLBACK_OFFSET = ucp_request_param_t.cb$offset();
    private static final long USER_DATA_OFFSET = ucp_request_param_t.user_data$offset();
    private static final long MEMORY_OFFSET = RequestMemory.OTHER + ucp_request_param_t.memh$offset();

    final int index;

    /** C's address of the request; its parameters follow. */
    final long address;

    /** What C keeps of the operation. */
    private final MemorySegment request;

    /** The operation's number; while there is no operation, the next number, with {@link RequestSlots#FREE}. */
    long handle;

    /** While this slot is free, the address of the next free one. */
    long nextFree;

    byte kind;

    /** A {@code ucs_status_t}, final unless it is {@link #IN_PROGRESS}. */
    byte status;

    /** The status from C's callback, if this was set to {@link #IN_PROGRESS} before. */
    byte callbackStatus;

    /** Whether completion is reported by user data; then the program has no handle. */
    boolean hasUserData;

    long userData;

    /** The worker's count of events when the status was last queried. */
    int polledAt;

    long length;
    long senderTag;

    /** Held while C uses it, so that memory of an automatic arena is not collected. */
    MemorySegment buffer;

    /** The header of an active message, which C uses as long as the buffer; null for anything else. */
    MemorySegment header;

    /** What C uses instead of a buffer. */
    UcpPayload payload;

    /** The guarded arena that counts the operation while C uses the buffer; null if the arena is not guarded. */
    ArenaUse use;

    /** The guarded arena of the header; null if it is not guarded. */
    ArenaUse headerUse;

    UcpEndpoint endpoint;

    /** The bytes that it counts there until it has ended. */
    long bytes;

    /** The peer's memory of such an operation; null for any other. */
    UcpRemoteMemory remote;

    /** The memory that such an operation uses on this side; null if that is not registered. */
    UcpMemory memory;

    /** The program's packer or unpacker has thrown during this operation. */
    boolean packingFailed;

    /** Whether there is more to release at the end of the operation than the buffer. */
    boolean hasMoreToRelease;

    /** The program does not know the number of the operation. */
    boolean implicit;

    /** The operation's future; null if it has none. */
    OperationFuture<?> future;

    /** The next one in the queue of {@link CompletionCallbacks}. */
    RequestSlot nextEnded;

    /** Whether it is in that queue. */
    boolean queued;

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
     * Parameters for one call. They are written by address: each call has checked that the worker is open, and so is
     * their memory.
     *
     * @param mask {@code UCP_OP_ATTR_FLAG}s, and further fields
     * @param flags the value for {@code UCP_OP_ATTR_FIELD_FLAGS}, if the mask has it
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

    /** Makes the next operation in this slot, and no other, call the callback with the slot's index. */
    void setCallback(long callback) {
        fields = RequestMemory.FIELDS | CALLBACK_FIELDS;
        for (long p = address; p <= address + RequestMemory.OTHER; p += RequestMemory.PARAM_BYTES) {
            writeCallback(p, callback);
        }
    }

    /** Sets the callback in {@link #parameters}, until they are written for the next call. */
    @HotPath
    void setOtherCallback(long callback) {
        writeCallback(address + RequestMemory.OTHER, callback);
    }

    // The user data of all parameters is the slot's index.
    @HotPath
    private static void writeCallback(long parameters, long callback) {
        NativeMemory.setInt(parameters + MASK_OFFSET, NativeMemory.getInt(parameters + MASK_OFFSET) | CALLBACK_FIELDS);
        NativeMemory.setLong(parameters + CALLBACK_OFFSET, callback);
    }

    /** Undoes that, whether or not the operation has begun. */
    void clearCallback() {
        fields = RequestMemory.FIELDS;
        for (long p = address; p <= address + RequestMemory.OTHER; p += RequestMemory.PARAM_BYTES) {
            NativeMemory.setInt(p + MASK_OFFSET, NativeMemory.getInt(p + MASK_OFFSET) & ~CALLBACK_FIELDS);
        }
    }

    /** The C function of a kind of operation, for messages. */
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

    /** Whether the endpoint counts the bytes of this kind of operation until it has ended. */
    @HotPath
    static boolean countsBytes(byte kind) {
        return kind != TAG_RECEIVE && kind != STREAM_RECEIVE && kind != AM_RECEIVE;
    }

    /** The noun for a kind of operation, for messages. */
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

    /** Whether it counts in an arena. */
    @SuppressWarnings("ReferenceEquality") // that very one
    boolean isUsing(ArenaUse one) {
        UcpPayload used = payload;
        return one == use || one == headerUse || (used != null && used.isUsing(one));
    }

    /** Releases the arenas of the buffers that C no longer uses. */
    void releaseArenas() {
        ArenaUse.endOf(use);
        ArenaUse.endOf(headerUse);
        use = null;
        headerUse = null;
    }

    /** The owner of the operation, for messages. */
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
     * Clears C's data of the previous operation. For an atomic operation, UCX fills in less than it reads when the
     * endpoint fails, and would call the previous operation's callback.
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

    /** Eight bytes for the number that it fetches. */
    @HotPath
    long reply() {
        return address + RequestMemory.REPLY;
    }

    boolean isTaken() {
        return handle > 0 || implicit;
    }
}
