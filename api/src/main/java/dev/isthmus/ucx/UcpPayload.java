// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.UcxException;
import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.internal.ArenaGuard;
import dev.isthmus.internal.ArenaUse;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.internal.ucx.Libucp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * What an operation sends or receives, if that is not one plain buffer: a buffer with options, a list of buffers, or
 * data that the program packs itself. Prepare it once and use it for many operations, even at the same time.
 *
 * <p>Belongs to one worker, and is confined to its thread. Using it allocates nothing. UCX uses the memory until the
 * operation is done, as with a plain buffer; see {@link UcpRequests#isDone}.
 */
public abstract sealed class UcpPayload permits UcpBuffer, UcpIov, UcpPackedData {

    // ucp_datatype_attr_t of 1.14, which is newer than the bindings
    private static final long ATTR_PACKED_SIZE = 1;
    private static final long ATTR_BUFFER = 1 << 1;
    private static final long ATTR_COUNT = 1 << 2;
    private static final long ATTR_PACKED_SIZE_AT = 8;
    private static final long ATTR_BUFFER_AT = 16;
    private static final long ATTR_COUNT_AT = 24;
    private static final long ATTR_BYTES = 32;

    private static final int ONLY_AT_ONCE = UcpOperationOption.ONLY_AT_ONCE.bit();
    private static final int NEVER_AT_ONCE = UcpOperationOption.NEVER_AT_ONCE.bit();

    private final WorkerCore worker;
    private final OwnerThread owner;
    private final Operations operations;
    private final PolledOperations completions;
    private final long datatype;
    private int mask;
    private int memoryType;
    private PolledOperations polled; // null if its operations carry no user data
    private long userData;
    private int uses; // operations that C has begun, or is about to begin, and that were not seen to end

    UcpPayload(UcpWorker worker, long datatype) {
        this.worker = worker;
        this.owner = worker.owner();
        this.operations = worker.operations();
        this.completions = worker.polled();
        this.datatype = datatype;
        owner.check();
    }

    /**
     * Sets the options of all operations that begin from now on.
     *
     * @param options all of them; none for UCX's own way
     * @return this
     * @throws IllegalArgumentException if both {@link UcpOperationOption#ONLY_AT_ONCE} and {@link
     *     UcpOperationOption#NEVER_AT_ONCE} are given
     * @throws WrongThreadException if the worker belongs to another thread
     */
    public UcpPayload options(UcpOperationOption... options) {
        owner.check();
        int bits = 0;
        for (UcpOperationOption option : options) {
            bits |= option.bit();
        }
        if ((bits & ONLY_AT_ONCE) != 0 && (bits & NEVER_AT_ONCE) != 0) {
            throw new IllegalArgumentException("an operation cannot be done only at once and never at once");
        }
        mask = (mask & ucp_h.UCP_OP_ATTR_FIELD_MEMORY_TYPE()) | bits;
        return this;
    }

    /**
     * Gives the operations that begin from now on a number of your own, {@code ucp_request_param_t::user_data}.
     * {@link UcpWorker#poll} returns it once the operation has ended. UCX reports the end by a callback, so pending
     * operations cost nothing, however many there are.
     *
     * <p>The call that begins such an operation returns 0 if it was done at once; then a poll does not report it.
     * Receives of tags and streams are the exception: a poll reports each of them. Any other return value is negative,
     * and only for {@link UcpRequests#cancel}: you neither query nor release it.
     *
     * @param data any number, for example an index
     * @return this
     * @throws IllegalStateException if the worker is closed, or belongs to a loop and has no handler of completions:
     *     {@link UcpWorkerConfig#completions}
     * @throws WrongThreadException if the worker belongs to another thread
     */
    @HotPath
    public UcpPayload userData(long data) {
        owner.check();
        if (polled == null) {
            completions.reserve();
            polled = completions;
        }
        userData = data;
        return this;
    }

    /**
     * Sets where the memory is, so that UCX need not find out: {@code UCP_OP_ATTR_FIELD_MEMORY_TYPE}.
     *
     * @param type the type of all of the memory; what an arena allocates is {@link UcpMemoryType#HOST}
     * @return this
     * @throws IllegalArgumentException if the context has no support for memory of this type
     * @throws WrongThreadException if the worker belongs to another thread
     */
    public UcpPayload memoryType(UcpMemoryType type) {
        owner.check();
        if (!worker.context().attributes().memoryTypes().contains(type)) {
            throw new IllegalArgumentException("UCX has no support for memory of type " + type + " in " + worker);
        }
        memoryType = type.code();
        mask |= ucp_h.UCP_OP_ATTR_FIELD_MEMORY_TYPE();
        return this;
    }

    /**
     * How many bytes there are to send, or how many can be received.
     *
     * @return the length in bytes
     */
    public abstract long byteSize();

    /**
     * How many bytes UCX counts: {@code ucp_dt_query}; UCX 1.14 and later. It equals {@link #byteSize()}; this lets
     * you check.
     *
     * @return the length in bytes
     * @throws WrongThreadException if the worker belongs to another thread
     * @throws dev.isthmus.RdmaUnavailableException if the loaded UCX is older
     */
    public long packedByteSize() {
        owner.check();
        try (var call = new UcpCall()) {
            MemorySegment attr = call.allocate(ATTR_BYTES, Long.BYTES);
            attr.set(ValueLayout.JAVA_LONG, 0, ATTR_PACKED_SIZE | ATTR_BUFFER | ATTR_COUNT);
            attr.set(ValueLayout.JAVA_LONG, ATTR_BUFFER_AT, queried());
            attr.set(ValueLayout.JAVA_LONG, ATTR_COUNT_AT, count());
            prepare(null);
            call.check(Libucp.DT_QUERY, this, datatype, attr);
            return attr.get(ValueLayout.JAVA_LONG, ATTR_PACKED_SIZE_AT);
        }
    }

    /** The address of the data for a query. */
    long queried() {
        return 0;
    }

    /** The length of the data in UCX's sense: its number of elements. */
    abstract long count();

    /** The address for C, after a check that everything it leads to is accessible. */
    abstract long address(boolean toWrite);

    /** Whether its memory counts in an arena. */
    abstract boolean isUsing(ArenaUse use);

    /** Keeps all guarded arenas of its memory open or, if it throws, none. */
    abstract void hold(Operations operations);

    /** Undoes {@link #hold}. */
    abstract void release();

    /** Prepares it for an operation, or for a query if that is null. Needed if C calls back for the data. */
    @HotPath
    void prepare(RequestSlot operation) {}

    /**
     * Called last before C gets it.
     *
     * @param without {@code UCP_OP_ATTR} bits of options that the operation must not have
     * @param with bits that it must have
     * @return the parameters of the operation
     * @throws IllegalStateException if an arena is closed by another thread
     */
    @HotPath
    final long begin(RequestSlot operation, boolean receives, int without, int with, int flags) {
        long parameters = operation.parameters((mask & ~without) | with, datatype, flags, memoryType);
        if (uses == 0 && ArenaGuard.exist()) {
            hold(operations);
        }
        uses++;
        prepare(operation);
        if (polled != null) {
            polled.prepare(operation, receives);
        }
        return parameters;
    }

    /**
     * Takes the slot of an operation that C has begun.
     *
     * @return the operation's number for the program
     */
    @HotPath
    final long take(Operations operations, RequestSlot slot) {
        return polled == null ? operations.take(slot) : polled.track(slot, userData);
    }

    /**
     * Checks that a worker's operation may begin with it.
     *
     * @throws IllegalArgumentException if it was made for another worker
     */
    @HotPath
    @SuppressWarnings("ReferenceEquality") // that very one
    final void checkOf(WorkerCore user) {
        if (worker != user) {
            throw new IllegalArgumentException(this + " was made for " + worker + ", not for " + user);
        }
    }

    @HotPath
    final boolean isOnlyAtOnce() {
        return (mask & ONLY_AT_ONCE) != 0;
    }

    /** C has ended an operation; returns its status. */
    @HotPath
    int ended(RequestSlot operation, int status) {
        refused();
        return status;
    }

    /** C has refused an operation. */
    @HotPath
    final void refused() {
        if (--uses == 0) {
            release();
        }
    }

    /**
     * C has done an operation at once.
     *
     * @throws UcxException if it has failed all the same
     */
    @HotPath
    void endedAtOnce(RequestSlot operation, byte kind) {
        refused();
    }

    /**
     * Checks that it may be changed.
     *
     * @throws IllegalStateException if C reads it now
     */
    @HotPath
    final void checkChangeable() {
        owner.check();
        if (uses > 0) {
            throw new IllegalStateException(
                    uses + " operations that were not seen to be done use " + this + ": UCX would meet the change");
        }
    }

    final WorkerCore worker() {
        return worker;
    }
}
