// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.bindings.mpi.mpi_abi_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * What became of a receive, a probe or a request: {@code MPI_Status}. It is a view of native memory that each call
 * overwrites, so one can be used any number of times without an allocation.
 */
public final class Status {

    /** {@code MPI_STATUS_IGNORE}: what became of it is not of interest. It has no fields to read. */
    public static final Status IGNORE = new Status(MemorySegment.NULL, MemorySegment.NULL);

    /** The size of {@code MPI_Status}, by the ABI. */
    static final long BYTES = 32;

    private static final long SOURCE = 0;
    private static final long TAG = 4;
    private static final long ERROR = 8;

    private final MemorySegment segment;
    private final long address;
    private final MemorySegment result; // of the calls that read it

    Status(MemorySegment segment, MemorySegment result) {
        this.segment = segment;
        address = segment.address();
        this.result = result;
    }

    /**
     * Makes a status.
     *
     * @return a status for one thread at a time
     */
    public static Status create() {
        MemorySegment both = Arena.ofAuto().allocate(BYTES + Long.BYTES, Long.BYTES);
        return new Status(both.asSlice(0, BYTES), both.asSlice(BYTES));
    }

    MemorySegment segment() {
        return segment;
    }

    /** Where C writes it; the caller keeps the object reachable. */
    @HotPath
    long address() {
        return address;
    }

    /** Where a call writes whether it has found something. */
    @HotPath
    long flagAddress() {
        if (result.byteSize() == 0) {
            throw new IllegalArgumentException("this call needs a status of its own, not Status.IGNORE");
        }
        return result.address();
    }

    @HotPath
    private MemorySegment known() {
        if (segment.byteSize() == 0) {
            throw new IllegalStateException("Status.IGNORE has nothing to tell: the call needs a status of its own");
        }
        return segment;
    }

    /** Whether it has. */
    @HotPath
    boolean isFlagSet() {
        return result.get(JAVA_INT, 0) != 0;
    }

    /**
     * The rank that sent the message: {@code MPI_SOURCE}.
     *
     * @return a rank, or {@link Communicator#PROC_NULL}
     */
    @HotPath
    public int source() {
        return segment.get(JAVA_INT, SOURCE);
    }

    /**
     * The message's tag: {@code MPI_TAG}.
     *
     * @return the tag
     */
    @HotPath
    public int tag() {
        return segment.get(JAVA_INT, TAG);
    }

    /**
     * The error code, which is set only after a call on several requests has failed: {@code MPI_ERROR}.
     *
     * @return the code, 0 for success
     */
    public int error() {
        return segment.get(JAVA_INT, ERROR);
    }

    /**
     * How many whole elements came: {@code MPI_Get_count_c}.
     *
     * @param type the datatype of the receive
     * @return the count, or {@link Communicator#UNDEFINED} if the last element is not whole
     */
    @HotPath
    @SuppressWarnings("ReachabilityFenceUsage") // what throws has not called C
    public long count(Datatype type) {
        int code = Calls.getCount(known().address(), type.pointer(), result.address());
        Reference.reachabilityFence(this);
        Instance.entered().check(code, "MPI_Get_count_c", type);
        return result.get(JAVA_LONG, 0);
    }

    /**
     * How many basic elements came, which are what a datatype consists of: {@code MPI_Get_elements_c}.
     *
     * @param type the datatype of the receive
     * @return the number
     */
    public long elements(Datatype type) {
        Instance.entered()
                .check(mpi_abi_h.MPI_Get_elements_c(known(), type.handle(), result), "MPI_Get_elements_c", type);
        return result.get(JAVA_LONG, 0);
    }

    /**
     * How many bytes came.
     *
     * @return the number
     */
    @HotPath
    public long bytes() {
        return count(Datatype.BYTE);
    }

    /**
     * Whether the request was cancelled before it did anything: {@code MPI_Test_cancelled}.
     *
     * @return true if it was
     */
    public boolean isCancelled() {
        Instance.entered().check(mpi_abi_h.MPI_Test_cancelled(known(), result), "MPI_Test_cancelled", this);
        return result.get(JAVA_INT, 0) != 0;
    }

    @Override
    public String toString() {
        return segment.byteSize() == 0
                ? "Status.IGNORE"
                : "Status(source " + source() + ", tag " + tag() + ", error " + error() + ")";
    }
}
