package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.bindings.ucx.ucp_request_param_t;
import dev.isthmus.internal.HotPath;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The outstanding operations of one worker: the memory that UCX keeps each in, and what Java knows of it.
 *
 * <p>UCX is given the memory of a request with each call ({@code UCP_OP_ATTR_FIELD_REQUEST}) instead of allocating it.
 * So nothing has to be freed in C, which saves a call per operation, and a program that releases a request twice finds
 * a stale number here rather than a corrupt pool there. The parameters of the call lie behind each request and are
 * filled once, because they hold its address:
 *
 * <pre>
 *   | ucp_request_t, of the size that ucp_context_query says | send parameters | receive parameters | other | operands |
 *                                                            ^ the request's address
 * </pre>
 *
 * <p>A request is known to the program by a number: slot in bits 0 to 19, 1 in bit 20, generation in 21 to 62. So it is
 * never 0 or negative. Generations repeat after 51 days of one operation a microsecond in one slot. Those of each worker
 * begin far from those of all others, so that none takes a number of another's, nor of an operation that was released.
 */
final class RequestSlots {

    static final int MAX_SLOTS = 1 << 20;

    private static final long SLOT_MASK = MAX_SLOTS - 1;
    private static final long NEVER_ZERO = 1L << 20;
    private static final int GENERATION_SHIFT = 21;
    private static final long GENERATION_ONE = 1L << GENERATION_SHIFT; // a carry beyond all of them meets FREE
    private static final long GOLDEN =
            0x9E37_79B9_7F4A_7C15L; // its multiples are spread evenly, however many there are
    private static final long FREE = Long.MIN_VALUE;
    private static final int NONE = -1;
    static final long CONTIGUOUS_BYTES = 1L << 3; // ucp_dt_make_contig(1), a macro: size << class bits | CONTIG

    private static final long CACHE_LINE = 64;
    private static final long PARAM_BYTES = ucp_request_param_t.layout().byteSize();
    private static final long OPERAND_BYTES = 2 * Long.BYTES;
    private static final AtomicLong WORKERS = new AtomicLong();

    private final Arena arena;
    private final long requestBytes;
    private final long stride;
    private final long firstHandle;

    private RequestSlot[] slots = {};
    private int free = NONE; // the first of a list by RequestSlot.nextFree: the last freed, which the cache has
    private int inUse;

    /**
     * Reserves slots.
     *
     * @param arena for as long as C may use a request
     * @param requestBytes the size of {@code ucp_request_t}
     */
    RequestSlots(Arena arena, long requestBytes, int count) {
        this.arena = arena;
        this.requestBytes = requestBytes;
        this.stride = roundUp(roundUp(requestBytes) + 3 * PARAM_BYTES + OPERAND_BYTES);
        this.firstHandle = (WORKERS.getAndIncrement() * GOLDEN & -GENERATION_ONE & ~FREE) | NEVER_ZERO;
        add(count);
    }

    /** A free slot, which stays free until {@link #take}: most sends are done at once. */
    @HotPath
    RequestSlot next() {
        int index = free;
        if (index == NONE) {
            return grow();
        }
        return slots[index];
    }

    /** Takes the slot that {@link #next} gave, and names it. */
    @HotPath
    long take(RequestSlot slot) {
        remove(slot);
        long handle = slot.handle & ~FREE;
        slot.handle = handle;
        return handle;
    }

    /** Takes the slot that {@link #next} gave, and names it to nobody. */
    @HotPath
    void takeImplicit(RequestSlot slot) {
        remove(slot);
        slot.implicit = true;
    }

    @HotPath
    private void remove(RequestSlot slot) {
        free = slot.nextFree;
        inUse++;
    }

    @HotPath
    private void add(RequestSlot slot) {
        // Most often the list behind it is still the same. A store that changes nothing would be in the way of the
        // loads
        // that follow it soon.
        if (slot.nextFree != free) {
            slot.nextFree = free;
        }
        free = slot.index;
        inUse--;
    }

    /** Frees a slot whose request C has completed. */
    @HotPath
    void free(RequestSlot slot) {
        slot.handle = (slot.handle + GENERATION_ONE) | FREE;
        slot.implicit = false;
        add(slot);
    }

    /** Gives the operation of a slot another number: the one that the program has is stale from now on. */
    long rename(RequestSlot slot) {
        slot.handle = (slot.handle + GENERATION_ONE) & ~FREE;
        return slot.handle;
    }

    /** The slot of a handle, or null if it is no outstanding operation of this worker. */
    @HotPath
    RequestSlot find(long handle) {
        int index = (int) (handle & SLOT_MASK);
        RequestSlot[] all = slots;
        if (handle <= 0 || Integer.compareUnsigned(index, all.length) >= 0) { // compared as the JIT does for all[index]
            return null;
        }
        RequestSlot slot = all[index];
        return slot.handle == handle ? slot : null;
    }

    /** The slot that a number leads to, whatever it is used for; null if there is none. */
    RequestSlot at(long handle) {
        int index = (int) (handle & SLOT_MASK);
        return index < slots.length ? slots[index] : null;
    }

    /** All slots, free ones too. */
    RequestSlot[] all() {
        return slots;
    }

    int inUse() {
        return inUse;
    }

    /**
     * Keeps the slot that {@link #next} gave away from whoever is called back during a call that begins an operation:
     * C may have begun it in there.
     *
     * @return what to give {@link #endCallback}
     */
    @HotPath
    int beginCallback() {
        int kept = free;
        if (kept != NONE) {
            remove(slots[kept]);
        }
        return kept;
    }

    @HotPath
    void endCallback(int kept) {
        if (kept != NONE) {
            add(slots[kept]);
        }
    }

    private RequestSlot grow() {
        if (slots.length == MAX_SLOTS) {
            throw new IllegalStateException("the worker has " + MAX_SLOTS
                    + " outstanding operations, the most there can be: release() those that are done");
        }
        add(Math.min(slots.length, MAX_SLOTS - slots.length));
        return slots[free];
    }

    private void add(int count) {
        int first = slots.length;
        int length = first + count;
        MemorySegment chunk = arena.allocate(count * stride, CACHE_LINE);
        slots = Arrays.copyOf(slots, length);
        for (int i = count - 1; i >= 0; i--) { // the lowest is the first
            int index = first + i;
            MemorySegment memory = chunk.asSlice(i * stride, stride);
            MemorySegment request = memory.asSlice(0, roundUp(requestBytes));
            MemorySegment parameters = prepare(memory);
            RequestSlot slot = new RequestSlot(index, request, parameters.address(), firstHandle | index | FREE);
            slot.nextFree = free;
            free = index;
            slots[index] = slot;
        }
    }

    // The parameters begin where the request's address is: UCX keeps its part below it.
    private MemorySegment prepare(MemorySegment memory) {
        MemorySegment parameters = memory.asSlice(roundUp(requestBytes));
        int common = ucp_h.UCP_OP_ATTR_FIELD_REQUEST() | ucp_h.UCP_OP_ATTR_FIELD_DATATYPE();
        fill(parameters, common, parameters);
        // Without immediate completion: UCX 1.13 tells the length and the sender's tag of a message that was there
        // already only by its request.
        fill(parameters.asSlice(PARAM_BYTES), common | ucp_h.UCP_OP_ATTR_FLAG_NO_IMM_CMPL(), parameters);
        MemorySegment other = parameters.asSlice(2 * PARAM_BYTES);
        fill(other, common, parameters);
        ucp_request_param_t.reply_buffer(other, other.asSlice(PARAM_BYTES + Long.BYTES));
        return parameters;
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
