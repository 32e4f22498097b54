// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.isthmus.bindings.mpi.mpi_abi_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A non-blocking, persistent or partitioned operation: {@code MPI_Request}. It is made once and used for any number of
 * operations, one after another; nothing is allocated for an operation. A call such as {@link Communicator#isend} starts
 * it; {@link #waitFor} or {@link #test} completes it. A call such as {@link Communicator#sendInit} prepares it, until
 * {@link #close}: then {@link #start} starts it, as often as you like.
 *
 * <p>While it is active it keeps the {@link Buffer}s of its operation, and their {@link GuardedArena} open. One thread uses
 * it at a time.
 */
public final class Request extends MpiObject {

    static final long SLOT = ADDRESS.byteSize();
    private static final long NULL = 0x180; // MPI_REQUEST_NULL, by the ABI
    private static final int ACTIVE = 1;
    private static final int PERSISTENT = 2;
    private static final int CLOSED = 4;

    private final MemorySegment slot; // where C keeps the handle
    private final long slotAt; // the same as an address
    private final MemorySegment flag;
    private final Status status;
    private MemorySegment value; // the handle itself, while persistent
    private PreparedMessage message; // that the operation is of, or has been of, or null
    private Data first; // what the operation uses, or has used, or null
    private GuardedArena firstGuard; // of its memory, or null
    private boolean more; // than the first: the second or an operation
    private boolean holds; // what is to be released: a guard or an operation
    private Data second;
    private GuardedArena secondGuard;
    private Operation operation;
    private int state; // 0, or a sum of those above

    Request(Instance instance, MemorySegment slot, Status status, MemorySegment flag) {
        super(instance, slot, false);
        this.slot = slot;
        slotAt = slot.address();
        this.status = status;
        this.flag = flag;
        slot.set(ADDRESS, 0, MemorySegment.ofAddress(NULL));
    }

    /**
     * Makes a request that is not active.
     *
     * @return the request
     */
    public static Request create() {
        MemorySegment all = Arena.ofAuto().allocate(SLOT + Long.BYTES + Status.BYTES + Long.BYTES, Long.BYTES);
        long behind = 2 * SLOT + Status.BYTES;
        return new Request(
                Instance.any(),
                all.asSlice(0, SLOT),
                new Status(all.asSlice(2 * SLOT, Status.BYTES), all.asSlice(behind, Long.BYTES)),
                all.asSlice(SLOT, JAVA_INT));
    }

    /** Where C writes the handle, for a call off the data path. */
    MemorySegment slot() {
        return slot;
    }

    /** Before a call that starts an operation: returns where C writes the handle. */
    @HotPath
    long begin(Data one, Data two, Operation op) {
        if (state != 0) {
            refuse();
        }
        if (more || two != null || op != null) {
            use(one, two, op);
            hold();
            return slotAt;
        }
        useFirst(one);
        if (firstGuard != null) {
            firstGuard.begin();
        }
        return slotAt;
    }

    /** The same for a prepared message, which holds its memory itself. */
    @HotPath
    @SuppressWarnings("ReferenceEquality") // identity is meant
    long begin(PreparedMessage of) {
        if (state != 0) {
            refuse();
        }
        if (message != of) {
            use(null, null, null);
            of.started(this);
            message = of;
        }
        return slotAt;
    }

    /** Whether MPI works on a message for it. */
    @SuppressWarnings("ReferenceEquality") // identity is meant
    boolean isActiveFor(PreparedMessage of) {
        return isActive() && message == of;
    }

    private void refuse() {
        pointer();
        throw new IllegalStateException(this + (isActive() ? " is active" : " is persistent: close it first"));
    }

    /** What the operation uses. References are stored only if they change, and kept when it is over. */
    @HotPath
    @SuppressWarnings("ReferenceEquality") // identity is meant
    private void useFirst(Data one) {
        if (first != one) {
            first = one;
            firstGuard = one == null ? null : one.memory().guard;
            message = null;
            holds = firstGuard != null || more;
        }
    }

    @HotPath
    @SuppressWarnings("ReferenceEquality") // identity is meant
    private void use(Data one, Data two, Operation op) {
        useFirst(one);
        if (second != two) {
            second = two;
            secondGuard = two == null ? null : two.memory().guard;
        }
        if (operation != op) {
            operation = op;
        }
        more = two != null || op != null;
        holds = firstGuard != null || more;
    }

    /** After that call. */
    @HotPath
    void began(int code, String call, Object object) {
        started(code);
        if (code != 0 || Operation.hasFunctions()) {
            instance.check(code, call, object);
        }
    }

    /** Before a call that prepares an operation. */
    MemorySegment prepare(Data one, Data two, Operation op) {
        pointer();
        if (state != 0) {
            refuse();
        }
        use(one, two, op);
        if (op != null) {
            op.begin();
        }
        return slot;
    }

    /** After that call. */
    void prepared(int code, String call, Object object) {
        if (code == 0) {
            state = PERSISTENT;
            value = slot.get(ADDRESS, 0);
        } else {
            endOperation();
        }
        instance.check(code, call, object);
    }

    @HotPath
    private void hold() {
        if (firstGuard != null) {
            firstGuard.begin();
        }
        if (more) {
            holdMore();
        }
    }

    @HotPath
    private void holdMore() {
        try {
            if (secondGuard != null) {
                secondGuard.begin();
            }
        } catch (IllegalStateException e) {
            if (firstGuard != null) {
                firstGuard.end();
            }
            throw e;
        }
        if (operation != null && !isPersistent()) {
            operation.begin();
        }
    }

    @HotPath
    private void release() {
        if (holds) {
            releaseHeld();
        }
    }

    @HotPath
    private void releaseHeld() {
        if (firstGuard != null) {
            firstGuard.end();
        }
        if (secondGuard != null) {
            secondGuard.end();
        }
        if (operation != null && !isPersistent()) {
            operation.end();
        }
    }

    private void endOperation() {
        if (operation != null) {
            operation.end();
        }
    }

    /** Where a call writes whether it has found something. */
    MemorySegment resultFlag() {
        return flag;
    }

    /** MPI has finished with the operation. */
    @HotPath
    void complete() {
        if ((state & ACTIVE) != 0) {
            state -= ACTIVE;
            release();
        }
    }

    /** After an error: complete if MPI has given the request up. */
    void completeIfFreed() {
        if (isPersistent() || slot.get(ADDRESS, 0).address() == NULL) {
            complete();
        }
    }

    /** Checks that it can be started. */
    @HotPath
    long beginStart() {
        if (state != PERSISTENT) {
            refuseStart();
        }
        if (first != null) {
            first.memory().from();
        }
        if (second != null) {
            second.memory().from();
        }
        hold();
        return slotAt;
    }

    private void refuseStart() {
        pointer();
        throw new IllegalStateException(this + (isActive() ? " is active" : " is not persistent: prepare it first"));
    }

    /** After the call that starts it. */
    @HotPath
    void started(int code) {
        if (code == 0) {
            state += ACTIVE;
        } else {
            release();
        }
    }

    /** Starts a persistent or partitioned operation: {@code MPI_Start}. Does not wait. */
    @HotPath
    public void start() {
        instance.enter();
        int code = Calls.start(beginStart());
        started(code);
        instance.check(code, "MPI_Start", this);
    }

    /**
     * Waits until the operation has completed: {@code MPI_Wait}. Returns at once if none is active.
     *
     * @return what became of it; valid until the next call
     * @throws MpiException if the operation failed
     */
    @HotPath
    public Status waitFor() {
        finish(Calls.waitFor(pointer(), status.address()), "MPI_Wait");
        return status;
    }

    /**
     * Whether the operation has completed: {@code MPI_Test}. It makes progress, and does not wait.
     *
     * @return true if it has, or none is active; then {@link #status} is valid
     * @throws MpiException if the operation failed
     */
    @HotPath
    public boolean test() {
        int code = Calls.test(pointer(), flag.address(), status.address());
        if (code == 0 && flag.get(JAVA_INT, 0) == 0) {
            instance.check(0, "MPI_Test", this);
            return false;
        }
        finish(code, "MPI_Test");
        return true;
    }

    @HotPath
    private void finish(int code, String call) {
        if (code == 0) {
            complete();
        } else {
            completeIfFreed();
        }
        instance.check(code, call, this);
    }

    /**
     * Whether the operation could be completed without waiting: {@code MPI_Request_get_status}. It stays active.
     *
     * @return true if so, or none is active; then {@link #status} is valid
     */
    public boolean isComplete() {
        instance.check(
                mpi_abi_h.MPI_Request_get_status(slotValue(), flag, status.segment()), "MPI_Request_get_status", this);
        return flag.get(JAVA_INT, 0) != 0;
    }

    private MemorySegment slotValue() {
        pointer();
        return slot.get(ADDRESS, 0);
    }

    /**
     * What became of the last operation.
     *
     * @return a view that the next completion overwrites
     */
    @HotPath
    public Status status() {
        return status;
    }

    /** Asks MPI to cancel a receive: {@code MPI_Cancel}. Complete it then; {@link Status#isCancelled} tells the outcome. */
    public void cancel() {
        pointer();
        requireActive();
        instance.check(mpi_abi_h.MPI_Cancel(slot), "MPI_Cancel", this);
    }

    private void requireActive() {
        if (!isActive()) {
            throw new IllegalStateException(this + " is not active");
        }
    }

    /**
     * A part of a partitioned send may be transferred: {@code MPI_Pready}. Does not wait.
     *
     * @param partition the part
     */
    @HotPath
    public void ready(int partition) {
        MemorySegment mine = partitioned();
        instance.check(mpi_abi_h.MPI_Pready(partition, mine), "MPI_Pready", this);
    }

    /**
     * Several parts of a partitioned send may be transferred: {@code MPI_Pready_range}.
     *
     * @param low the first
     * @param high the last
     */
    public void readyRange(int low, int high) {
        MemorySegment mine = partitioned();
        instance.check(mpi_abi_h.MPI_Pready_range(low, high, mine), "MPI_Pready_range", this);
    }

    /**
     * Several parts of a partitioned send may be transferred: {@code MPI_Pready_list}.
     *
     * @param partitions the parts
     */
    public void readyList(int... partitions) {
        MemorySegment mine = partitioned();
        try (Arena arena = Arena.ofConfined()) {
            instance.check(
                    mpi_abi_h.MPI_Pready_list(partitions.length, arena.allocateFrom(JAVA_INT, partitions), mine),
                    "MPI_Pready_list",
                    this);
        }
    }

    /**
     * Whether a part of a partitioned receive has come: {@code MPI_Parrived}. Makes progress, and does not wait.
     *
     * @param partition the part
     * @return true if its memory may be read
     */
    @HotPath
    public boolean arrived(int partition) {
        MemorySegment mine = partitioned();
        instance.check(mpi_abi_h.MPI_Parrived(mine, partition, flag), "MPI_Parrived", this);
        return flag.get(JAVA_INT, 0) != 0;
    }

    @HotPath
    private MemorySegment partitioned() {
        pointer();
        if (!isActive() || value == null) {
            throw new IllegalStateException(this + " is no partitioned operation that has started");
        }
        return value;
    }

    /**
     * Whether an operation has started and not been completed.
     *
     * @return true between a start and {@link #waitFor}
     */
    public boolean isActive() {
        return (state & ACTIVE) != 0;
    }

    /**
     * Whether an operation is prepared in it.
     *
     * @return true if {@link #start} starts it
     */
    public boolean isPersistent() {
        return (state & PERSISTENT) != 0;
    }

    /** Gives up what is prepared, so that the request can be used for something else: {@code MPI_Request_free}. */
    public void reset() {
        pointer();
        requireInactive();
        if (isPersistent()) {
            instance.check(mpi_abi_h.MPI_Request_free(slot), "MPI_Request_free", this);
            state = 0;
            value = null;
            endOperation();
        }
    }

    private void requireInactive() {
        if (isActive()) {
            throw new IllegalStateException(this + " is active: wait for it, because MPI still uses its memory");
        }
    }

    /**
     * Closes it: {@code MPI_Request_free}, if an operation is prepared.
     *
     * @throws IllegalStateException if it is active
     */
    @Override
    public void close() {
        requireInactive();
        if (!isClosed()) {
            reset();
            if (take() != 0) {
                state = CLOSED;
                instance.remove(this);
            }
        }
    }

    @Override
    String kind() {
        return "Request";
    }

    @Override
    public String toString() {
        return "Request(" + (message != null ? message : first != null ? first : "unused")
                + (second == null ? "" : ", " + second) + ")";
    }
}
