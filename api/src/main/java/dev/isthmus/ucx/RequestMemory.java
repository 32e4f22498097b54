// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.bindings.ucx.ucp_request_param_t;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The memory in which UCX keeps the requests of one worker. UCX gets it with each call
 * ({@code UCP_OP_ATTR_FIELD_REQUEST}) instead of allocating it. So nothing has to be freed in C, which saves a call per
 * operation, and a program that releases a request twice meets a stale number in Java, not a corrupt pool in C. The
 * call's parameters follow each request, and are filled in once, because they hold its address:
 *
 * <pre>
 *   | ucp_request_t, of the size that ucp_context_query says | parameters: send | receive | receive all | other | operands |
 *                                                            ^ the request's address
 * </pre>
 */
final class RequestMemory {

    /** {@code ucp_dt_make_contig(1)}, a macro: size << class bits | CONTIG. */
    static final long CONTIGUOUS_BYTES = 1L << 3;

    /** The distance between the parameters. */
    static final long PARAM_BYTES = ucp_request_param_t.layout().byteSize();

    /** The parameters of a receive that is not done at once, as only its request describes the message. */
    static final long RECEIVE = PARAM_BYTES;

    /** The parameters of a receive that waits until its buffer is full. */
    static final long RECEIVE_ALL = 2 * PARAM_BYTES;

    /** The parameters that are written for each call; their reply buffer is set. */
    static final long OTHER = 3 * PARAM_BYTES;

    /** Two numbers of eight bytes each: the operand of an atomic operation, and what it fetches. */
    static final long OPERAND = 4 * PARAM_BYTES;

    static final long REPLY = OPERAND + Long.BYTES;

    /** The fields that all parameters set. */
    static final int FIELDS = ucp_h.UCP_OP_ATTR_FIELD_REQUEST() | ucp_h.UCP_OP_ATTR_FIELD_DATATYPE();

    private static final long CACHE_LINE = 64;

    private final Arena arena;
    private final long requestBytes;
    private final long stride;

    /**
     * Creates the layout.
     *
     * @param arena for as long as C may use a request
     * @param requestBytes the size of {@code ucp_request_t}
     */
    RequestMemory(Arena arena, long requestBytes) {
        this.arena = arena;
        this.requestBytes = roundUp(requestBytes);
        this.stride = roundUp(this.requestBytes + REPLY + Long.BYTES);
    }

    /** Memory for more requests, from an index on. */
    MemorySegment[] allocate(int first, int count) {
        MemorySegment chunk = arena.allocate(count * stride, CACHE_LINE);
        var requests = new MemorySegment[count];
        for (int i = 0; i < count; i++) {
            MemorySegment memory = chunk.asSlice(i * stride, stride);
            prepare(memory.asSlice(requestBytes), first + i);
            requests[i] = memory.asSlice(0, requestBytes);
        }
        return requests;
    }

    // The parameters begin at the request's address; UCX keeps its part below that.
    private static void prepare(MemorySegment parameters, int index) {
        fill(parameters, 0, 0, index);
        // Without immediate completion: if a message was there already, UCX 1.13 reports its length and tag only by
        // its request.
        fill(parameters, RECEIVE, ucp_h.UCP_OP_ATTR_FLAG_NO_IMM_CMPL(), index);
        fill(parameters, RECEIVE_ALL, ucp_h.UCP_OP_ATTR_FIELD_FLAGS(), index);
        ucp_request_param_t.flags(parameters.asSlice(RECEIVE_ALL), ucp_h.UCP_STREAM_RECV_FLAG_WAITALL());
        fill(parameters, OTHER, 0, index);
        ucp_request_param_t.reply_buffer(parameters.asSlice(OTHER), parameters.asSlice(REPLY));
    }

    private static void fill(MemorySegment request, long at, int mask, int index) {
        MemorySegment parameters = request.asSlice(at);
        ucp_request_param_t.op_attr_mask(parameters, FIELDS | mask);
        ucp_request_param_t.request(parameters, request);
        ucp_request_param_t.datatype(parameters, CONTIGUOUS_BYTES);
        ucp_request_param_t.user_data(parameters, MemorySegment.ofAddress(index));
    }

    private static long roundUp(long bytes) {
        return (bytes + CACHE_LINE - 1) & -CACHE_LINE;
    }
}
