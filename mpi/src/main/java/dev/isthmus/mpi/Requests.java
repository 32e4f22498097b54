// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.isthmus.bindings.mpi.mpi_abi_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Requests that are completed together: an array of {@code MPI_Request}. Those that are not active are passed over. One
 * thread uses them at a time, and nothing is allocated after they have been made.
 */
public final class Requests implements AutoCloseable {

    private final Instance instance = Instance.any();
    private final Request[] requests;
    private final MemorySegment slots;
    private final MemorySegment statuses;
    private final MemorySegment number;
    private final MemorySegment indices;
    private final Status status;
    private final long slotsAt; // the same as addresses
    private final long statusesAt;
    private final long numberAt;
    private final long indicesAt;

    private Requests(int count, boolean withStatuses) {
        Arena arena = Arena.ofAuto();
        slots = arena.allocate(count * Request.SLOT, Request.SLOT);
        statuses = withStatuses ? arena.allocate(count * Status.BYTES, Long.BYTES) : MemorySegment.NULL;
        indices = arena.allocate(JAVA_INT, count);
        number = arena.allocate(2 * Long.BYTES, Long.BYTES);
        MemorySegment result = arena.allocate(Long.BYTES, Long.BYTES);
        status = withStatuses ? new Status(arena.allocate(Status.BYTES, Long.BYTES), result) : Status.IGNORE;
        slotsAt = slots.address();
        statusesAt = statuses.address();
        numberAt = number.address();
        indicesAt = indices.address();
        requests = new Request[count];
        for (int i = 0; i < count; i++) {
            requests[i] = new Request(
                    instance,
                    slots.asSlice(i * Request.SLOT, Request.SLOT),
                    withStatuses ? new Status(statuses.asSlice(i * Status.BYTES, Status.BYTES), result) : Status.IGNORE,
                    number.asSlice(Long.BYTES, JAVA_INT));
        }
    }

    /**
     * Makes requests that are not active.
     *
     * @param count how many, 1 or more
     * @return the requests
     */
    public static Requests create(int count) {
        return of(count, true);
    }

    /**
     * Makes requests that are not active, and whose statuses nobody asks for: each is {@link Status#IGNORE}, and MPI fills in
     * none ({@code MPI_STATUSES_IGNORE}). If some of them fail, the {@link MpiException} does not say which.
     *
     * @param count how many, 1 or more
     * @return the requests
     */
    public static Requests createIgnoringStatuses(int count) {
        return of(count, false);
    }

    private static Requests of(int count, boolean withStatuses) {
        if (count < 1) {
            throw new IllegalArgumentException(count + " requests");
        }
        return new Requests(count, withStatuses);
    }

    /**
     * One of them.
     *
     * @param index 0 to {@link #size} - 1
     * @return the request, the same object each time
     */
    @HotPath
    public Request get(int index) {
        return requests[index];
    }

    /**
     * How many there are.
     *
     * @return the number
     */
    public int size() {
        return requests.length;
    }

    /** Starts all of them, which must be persistent and not active: {@code MPI_Startall}. */
    @HotPath
    public void startAll() {
        instance.enter();
        int ready = 0;
        int code = -1;
        try {
            while (ready < requests.length) {
                requests[ready].beginStart();
                ready++;
            }
            code = Calls.startall(requests.length, slotsAt);
        } finally {
            for (int i = 0; i < ready; i++) {
                requests[i].started(code);
            }
        }
        instance.check(code, "MPI_Startall", this);
    }

    /** Waits until all have completed: {@code MPI_Waitall}. */
    @HotPath
    public void waitAll() {
        finishAll(Calls.waitall(requests.length, entered(), statusesAt), "MPI_Waitall");
    }

    /**
     * Whether all have completed: {@code MPI_Testall}. If not, none is completed.
     *
     * @return true if so
     */
    @HotPath
    public boolean testAll() {
        int code = Calls.testall(requests.length, entered(), numberAt, statusesAt);
        if (code == 0 && number.get(JAVA_INT, 0) == 0) {
            instance.check(0, "MPI_Testall", this);
            return false;
        }
        finishAll(code, "MPI_Testall");
        return true;
    }

    /**
     * Waits until one has completed: {@code MPI_Waitany}.
     *
     * @return its index, or -1 if none was active
     */
    @HotPath
    public int waitAny() {
        return finishAny(Calls.waitany(requests.length, entered(), numberAt, status.address()), "MPI_Waitany");
    }

    /**
     * Whether one has completed: {@code MPI_Testany}.
     *
     * @return its index, or -1 if none has
     */
    @HotPath
    public int testAny() {
        MemorySegment flag = requests[0].resultFlag();
        int code = Calls.testany(requests.length, entered(), numberAt, flag.address(), status.address());
        if (code == 0 && flag.get(JAVA_INT, 0) == 0) {
            instance.check(0, "MPI_Testany", this);
            return -1;
        }
        return finishAny(code, "MPI_Testany");
    }

    /**
     * Waits until some have completed: {@code MPI_Waitsome}.
     *
     * @return how many, whose indices {@link #index} has; 0 if none was active
     */
    @HotPath
    public int waitSome() {
        return finishSome(Calls.waitsome(requests.length, entered(), numberAt, indicesAt, statusesAt), "MPI_Waitsome");
    }

    /**
     * Which have completed: {@code MPI_Testsome}.
     *
     * @return how many, whose indices {@link #index} has; 0 if none has
     */
    @HotPath
    public int testSome() {
        return finishSome(Calls.testsome(requests.length, entered(), numberAt, indicesAt, statusesAt), "MPI_Testsome");
    }

    /**
     * Whether all could be completed without waiting: {@code MPI_Request_get_status_all}. They stay active.
     *
     * @return true if so, or none is active
     */
    public boolean isComplete() {
        int code = mpi_abi_h.MPI_Request_get_status_all(requests.length, array(), number, statuses);
        instance.check(code, "MPI_Request_get_status_all", this);
        return number.get(JAVA_INT, 0) != 0;
    }

    /**
     * Which one could be completed without waiting: {@code MPI_Request_get_status_any}. It stays active.
     *
     * @return its index, whose status is {@link #anyStatus}; -1 if none could, or none is active
     */
    public int anyComplete() {
        MemorySegment flag = requests[0].resultFlag();
        int code = mpi_abi_h.MPI_Request_get_status_any(requests.length, array(), number, flag, status.segment());
        instance.check(code, "MPI_Request_get_status_any", this);
        int index = flag.get(JAVA_INT, 0) == 0 ? -1 : number.get(JAVA_INT, 0);
        return index < requests.length ? Math.max(index, -1) : -1; // MPI_UNDEFINED is negative
    }

    /**
     * Which could be completed without waiting: {@code MPI_Request_get_status_some}. They stay active.
     *
     * @return how many, whose indices {@link #index} has; 0 if none could, or none is active
     */
    public int someComplete() {
        int code = mpi_abi_h.MPI_Request_get_status_some(requests.length, array(), number, indices, statuses);
        instance.check(code, "MPI_Request_get_status_some", this);
        return Math.max(number.get(JAVA_INT, 0), 0); // MPI_UNDEFINED is negative
    }

    /**
     * Which request was completed by the last {@link #waitSome} or {@link #testSome}, or found by {@link #someComplete}.
     *
     * @param nth 0 to one less than that has returned
     * @return the index of the request, whose status is {@code someStatus(nth)}
     */
    @HotPath
    public int index(int nth) {
        return indices.getAtIndex(JAVA_INT, nth);
    }

    /**
     * The status of a request that was completed by the last {@link #waitSome} or {@link #testSome}, or found by
     * {@link #someComplete}.
     *
     * @param nth 0 to one less than that has returned
     * @return a view that the next call overwrites
     */
    @HotPath
    public Status someStatus(int nth) {
        return requests[nth].status();
    }

    /**
     * The status of the request that was completed by the last {@link #waitAny} or {@link #testAny}, or found by
     * {@link #anyComplete}.
     *
     * @return a view that the next call overwrites
     */
    @HotPath
    public Status anyStatus() {
        return status;
    }

    private MemorySegment array() {
        entered();
        return slots;
    }

    @HotPath
    private long entered() {
        requests[0].pointer();
        return slotsAt;
    }

    @HotPath
    private void finishAll(int code, String call) {
        for (Request request : requests) {
            if (code == 0) {
                request.complete();
            } else {
                request.completeIfFreed();
            }
        }
        check(code, call, requests.length);
    }

    @HotPath
    private int finishAny(int code, String call) {
        int index = number.get(JAVA_INT, 0);
        if (index < 0 || index >= requests.length) { // MPI_UNDEFINED
            instance.check(code, call, this);
            return -1;
        }
        if (code == 0) {
            requests[index].complete();
        } else {
            requests[index].completeIfFreed();
        }
        instance.check(code, call, requests[index]);
        return index;
    }

    @HotPath
    private int finishSome(int code, String call) {
        int count = Math.max(number.get(JAVA_INT, 0), 0); // MPI_UNDEFINED is negative
        for (int i = 0; i < count; i++) {
            if (code == 0) {
                requests[index(i)].complete();
            } else {
                requests[index(i)].completeIfFreed();
            }
        }
        check(code, call, count);
        return count;
    }

    // An error of several requests is in their statuses.
    @HotPath
    private void check(int code, String call, int count) {
        if (code != 0 && statusesAt != 0) {
            for (int i = 0; i < count; i++) {
                int own = requests[i].status().error();
                if (own != 0 && own != mpi_abi_h.MPI_ERR_PENDING()) {
                    instance.check(own, call, requests[i]);
                }
            }
        }
        instance.check(code, call, this);
    }

    /**
     * Closes all of them.
     *
     * @throws IllegalStateException if one is active; those before it are closed then
     */
    @Override
    public void close() {
        for (Request request : requests) {
            request.close();
        }
    }

    @Override
    public String toString() {
        return "Requests(" + requests.length + (statusesAt == 0 ? ", statuses ignored)" : ")");
    }
}
