package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.bindings.ucx.ucp_request_param_t;
import dev.isthmus.internal.HotPath;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The outstanding operations of one worker: the memory that UCX keeps each in, and what Java knows of it.
 *
 * <p>UCX is given the memory of a request with each call ({@code UCP_OP_ATTR_FIELD_REQUEST}) instead of allocating it.
 * So nothing has to be freed in C, which saves a call per operation, and a program that releases a request twice finds
 * a stale number here rather than a corrupt pool there. The parameters of the call lie behind each request and are
 * filled once, because they hold its address:
 *
 * <pre>
 *   | ucp_request_t, of the size that ucp_context_query says | send parameters | receive parameters |
 *                                                            ^ the request's address
 * </pre>
 *
 * <p>A request is known to the program by a number: slot in bits 0 to 19, generation in 20 to 46, worker in 47 to 62. It
 * is never 0 or negative, and no worker takes that of another, nor of an operation that was released.
 */
final class RequestSlots {

    static final int MAX_SLOTS = 1 << 20;

    private static final long SLOT_MASK = MAX_SLOTS - 1;
    private static final long GENERATION_ONE = MAX_SLOTS;
    private static final long GENERATION_MASK = ((1L << 27) - 1) << 20;
    private static final long FREE = Long.MIN_VALUE;
    private static final int WORKERS = 1 << 16;
    private static final long CONTIGUOUS_BYTES = 1L << 3; // ucp_dt_make_contig(1), a macro: size << class bits | CONTIG

    private static final long CACHE_LINE = 64;
    private static final long PARAM_BYTES = ucp_request_param_t.layout().byteSize();
    private static final AtomicInteger WORKER_IDS = new AtomicInteger();

    private final Arena arena;
    private final long requestBytes;
    private final long stride;
    private final long firstHandle;

    private RequestSlot[] slots = {};
    private int[] free = {}; // a stack, so that the same few slots stay in the cache
    private int freeCount;

    /**
     * Reserves slots.
     *
     * @param arena for as long as C may use a request
     * @param requestBytes the size of {@code ucp_request_t}
     */
    RequestSlots(Arena arena, long requestBytes, int count) {
        this.arena = arena;
        this.requestBytes = requestBytes;
        this.stride = roundUp(roundUp(requestBytes) + 2 * PARAM_BYTES);
        this.firstHandle = ((long) (WORKER_IDS.getAndIncrement() & (WORKERS - 1)) << 47) | GENERATION_ONE;
        add(count);
    }

    /** A free slot, which stays free until {@link #take}: most sends are done at once. */
    @HotPath
    RequestSlot next() {
        if (freeCount == 0) {
            grow();
        }
        return slots[free[freeCount - 1]];
    }

    /** Takes the slot that {@link #next} gave, and names it. */
    @HotPath
    long take(RequestSlot slot) {
        freeCount--;
        long handle = slot.handle & ~FREE;
        slot.handle = handle;
        return handle;
    }

    /** Frees a slot whose request C has completed. */
    @HotPath
    void free(RequestSlot slot) {
        long handle = slot.handle;
        long generation = ((handle & GENERATION_MASK) + GENERATION_ONE) & GENERATION_MASK;
        slot.handle = (handle & ~GENERATION_MASK) | generation | FREE;
        // Most often the slot is still there. Not storing it again saves a message tens of nanoseconds: the load in
        // next(), which soon follows, would have to wait for the store, or be taken back for not having waited.
        int index = slot.index;
        if (free[freeCount] != index) {
            free[freeCount] = index;
        }
        freeCount++;
    }

    /** The slot of a handle, or null if it is no outstanding operation of this worker. */
    @HotPath
    RequestSlot find(long handle) {
        int index = (int) (handle & SLOT_MASK);
        if (handle <= 0 || index >= slots.length) {
            return null;
        }
        RequestSlot slot = slots[index];
        return slot.handle == handle ? slot : null;
    }

    /** All slots, free ones too. */
    RequestSlot[] all() {
        return slots;
    }

    int inUse() {
        return slots.length - freeCount;
    }

    private void grow() {
        if (slots.length == MAX_SLOTS) {
            throw new IllegalStateException("the worker has " + MAX_SLOTS
                    + " outstanding operations, the most there can be: release() those that are done");
        }
        add(Math.min(slots.length, MAX_SLOTS - slots.length));
    }

    private void add(int count) {
        int first = slots.length;
        int length = first + count;
        MemorySegment chunk = arena.allocate(count * stride, CACHE_LINE);
        slots = Arrays.copyOf(slots, length);
        free = Arrays.copyOf(free, length);
        for (int i = 0; i < count; i++) {
            int index = first + i;
            slots[index] =
                    new RequestSlot(index, prepare(chunk.asSlice(i * stride, stride)), firstHandle | index | FREE);
            free[freeCount++] = length - 1 - i; // the lowest on top
        }
    }

    // The address of the request: UCX keeps its part below it.
    private long prepare(MemorySegment memory) {
        MemorySegment parameters = memory.asSlice(roundUp(requestBytes));
        int common = ucp_h.UCP_OP_ATTR_FIELD_REQUEST() | ucp_h.UCP_OP_ATTR_FIELD_DATATYPE();
        fill(parameters, common, parameters);
        // Without immediate completion: UCX 1.13 tells the length and the sender's tag of a message that was there
        // already only by its request.
        fill(parameters.asSlice(PARAM_BYTES), common | ucp_h.UCP_OP_ATTR_FLAG_NO_IMM_CMPL(), parameters);
        return parameters.address();
    }

    private static void fill(MemorySegment parameters, int mask, MemorySegment request) {
        ucp_request_param_t.op_attr_mask(parameters, mask);
        ucp_request_param_t.request(parameters, request);
        ucp_request_param_t.datatype(parameters, CONTIGUOUS_BYTES);
    }

    private static long roundUp(long bytes) {
        return (bytes + CACHE_LINE - 1) & -CACHE_LINE;
    }
}
