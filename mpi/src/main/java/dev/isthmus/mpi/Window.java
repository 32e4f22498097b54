// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.bindings.mpi.mpi_abi_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Memory of each rank that the others read and write by one-sided calls: {@code MPI_Win}. Displacements in it count the
 * target's displacement units. What a call transfers is complete, and its buffers the program's again, at the end of the
 * epoch ({@link #fence}, {@link #complete}, {@link #unlock}), after a {@link #flush}, or when the call's request has completed.
 * Until then a {@link GuardedArena} of the buffers cannot be closed. If they went to several ranks, it can be closed after
 * what completes all: {@link #flushAll}, or the end of the last epoch; with {@link ThreadLevel#MULTIPLE}, where another
 * thread may begin one meanwhile, after the end of the last epoch.
 *
 * <p>An access outside the target's memory is refused if the target is this rank, or one whose memory MPI shares with it. Of
 * others, and of a {@linkplain #createDynamic dynamic} window, this rank does not know the size.
 *
 * <p>To make a window and to close it are collective calls, and they synchronise the ranks. Thread-safe if MPI was
 * initialised with {@link ThreadLevel#MULTIPLE}.
 */
public final class Window extends MpiObject {

    /** {@code MPI_MODE_NOCHECK}: the program has seen to it that no lock conflicts. */
    public static final int NOCHECK = 1024;
    /** {@code MPI_MODE_NOPRECEDE}: this rank has made no one-sided call in the epoch that ends. */
    public static final int NOPRECEDE = 2048;
    /** {@code MPI_MODE_NOPUT}: nobody writes to this rank's memory in the epoch that begins. */
    public static final int NOPUT = 4096;
    /** {@code MPI_MODE_NOSTORE}: this rank has not written to its own memory in the epoch that ends. */
    public static final int NOSTORE = 8192;
    /** {@code MPI_MODE_NOSUCCEED}: this rank makes no one-sided call in the epoch that begins. */
    public static final int NOSUCCEED = 16384;

    private static final long UNKNOWN = -1;

    /** Whether others may hold a lock at the same time. */
    public enum Lock {
        /** {@code MPI_LOCK_EXCLUSIVE}. */
        EXCLUSIVE(301),
        /** {@code MPI_LOCK_SHARED}. */
        SHARED(302);

        private final int number;

        Lock(int number) {
            this.number = number;
        }
    }

    /**
     * The memory of another rank.
     *
     * @param segment its memory, in this process
     * @param displacementUnit the bytes that a displacement of 1 stands for
     */
    public record Shared(MemorySegment segment, long displacementUnit) {}

    /** A call that writes a handle of a new window, and perhaps a pointer to its memory before that. */
    private interface Maker {
        int call(MemorySegment base, MemorySegment window);
    }

    private final Communicator communicator;
    private final MemorySegment memory; // this rank's
    private final GuardedArena guard; // of memory that the program has given, or null
    private final Arena mapped; // of memory that MPI has allocated or shares
    private final long[] targets; // of each rank bytes, unit, and the largest displacement; null of a dynamic window
    private final WindowLoans loans;
    private final List<MemorySegment> attached = new ArrayList<>(); // guarded by itself

    private Window(
            Communicator communicator,
            MemorySegment handle,
            MemorySegment memory,
            GuardedArena guard,
            Arena mapped,
            long[] targets) {
        super(communicator.instance, handle, false);
        this.communicator = communicator;
        this.memory = memory;
        this.guard = guard;
        this.mapped = mapped;
        this.targets = targets;
        loans = new WindowLoans(instance.level == ThreadLevel.MULTIPLE);
    }

    @SuppressWarnings("restricted") // MPI has allocated that much
    private static Window make(
            Communicator communicator, String call, long allocated, MemorySegment given, long unit, Maker maker) {
        communicator.handle();
        GuardedArena guard = given.byteSize() == 0 ? null : GuardedArena.of(given);
        if (guard != null) {
            guard.begin();
        }
        boolean done = false;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment base = arena.allocate(ADDRESS);
            MemorySegment window = arena.allocate(ADDRESS);
            communicator.instance.check(maker.call(base, window), call, communicator);
            done = true;
            MemorySegment handle = window.get(ADDRESS, 0);
            communicator.instance.check(
                    mpi_abi_h.MPI_Win_set_errhandler(handle, mpi_abi_h.MPI_ERRORS_RETURN()),
                    "MPI_Win_set_errhandler",
                    communicator);
            Arena mapped = Arena.ofShared();
            MemorySegment memory = allocated < 0 ? given : base.get(ADDRESS, 0).reinterpret(allocated, mapped, null);
            long[] targets = unit == 0 ? null : targets(communicator, handle, memory.byteSize(), unit, arena);
            return new Window(communicator, handle, memory, guard, mapped, targets);
        } finally {
            if (!done && guard != null) {
                guard.end();
            }
        }
    }

    private static void requireUnit(long displacementUnit) {
        if (displacementUnit < 1) {
            throw new IllegalArgumentException("a displacement unit is 1 byte or more");
        }
    }

    /**
     * How much memory each rank has, as far as MPI tells without asking them: of ranks that share memory with this one, whose
     * calls copy at once, to wherever they are told to.
     */
    private static long[] targets(Communicator communicator, MemorySegment window, long bytes, long unit, Arena arena) {
        long[] targets = new long[3 * communicator.size()];
        // Intel MPI 2021.19 ends the process if it is asked of a window that MPI_Win_allocate_shared has not made.
        boolean tells = !Mpi.libraryVersion().startsWith("Intel");
        MemorySegment three = arena.allocate(JAVA_LONG, 3);
        MemorySegment base = three.asSlice(2 * Long.BYTES);
        for (int rank = 0; rank < communicator.size(); rank++) {
            boolean own = rank == communicator.rank();
            boolean known = own
                    || (tells
                            && mpi_abi_h.MPI_Win_shared_query_c(window, rank, three, three.asSlice(Long.BYTES), base)
                                    == 0
                            && base.get(JAVA_LONG, 0) != 0);
            int at = 3 * rank;
            targets[at] = own ? bytes : three.get(JAVA_LONG, 0);
            targets[at + 1] = own ? unit : three.getAtIndex(JAVA_LONG, 1);
            targets[at + 2] = known ? targets[at] / targets[at + 1] : UNKNOWN;
        }
        return targets;
    }

    /** Checks where a call accesses the memory of a rank. */
    @HotPath
    private int target(int rank, long displacement, long span) {
        communicator.peer(rank);
        if (targets != null && rank >= 0) {
            int at = 3 * rank;
            long most = targets[at + 2];
            if (displacement < 0
                    || (most != UNKNOWN
                            && (displacement > most || span > targets[at] - displacement * targets[at + 1]))) {
                refuse(rank, displacement, span);
            }
        }
        return rank;
    }

    private void refuse(int rank, long displacement, long span) {
        throw new IllegalArgumentException(span + " bytes at displacement " + displacement + " are not within the "
                + targets[3 * rank] + " bytes of rank " + rank + ", whose unit is " + targets[3 * rank + 1]);
    }

    /**
     * Exposes memory of the program: {@code MPI_Win_create_c}. It must stay allocated until the window is closed; that of a
     * {@link GuardedArena} does.
     *
     * @param communicator the ranks
     * @param memory this rank's native memory, or {@link MemorySegment#NULL}
     * @param displacementUnit bytes that a displacement of 1 stands for
     * @param info hints
     * @return the window
     */
    public static Window create(Communicator communicator, MemorySegment memory, long displacementUnit, Info info) {
        requireUnit(displacementUnit);
        MemorySegment base = Buffer.of(memory, Datatype.BYTE).writable();
        return make(
                communicator,
                "MPI_Win_create_c",
                -1,
                memory,
                displacementUnit,
                (_, window) -> mpi_abi_h.MPI_Win_create_c(
                        base, memory.byteSize(), displacementUnit, info.handle(), communicator.handle(), window));
    }

    /**
     * Allocates memory and exposes it: {@code MPI_Win_allocate_c}.
     *
     * @param communicator the ranks
     * @param bytes how much this rank gets
     * @param displacementUnit bytes that a displacement of 1 stands for
     * @param info hints
     * @return the window; its {@link #memory} is freed when it is closed
     */
    public static Window allocate(Communicator communicator, long bytes, long displacementUnit, Info info) {
        requireUnit(displacementUnit);
        return make(
                communicator,
                "MPI_Win_allocate_c",
                bytes,
                MemorySegment.NULL,
                displacementUnit,
                (base, window) -> mpi_abi_h.MPI_Win_allocate_c(
                        bytes, displacementUnit, info.handle(), communicator.handle(), base, window));
    }

    /**
     * Allocates memory that all ranks can also access directly, by {@link #sharedQuery}: {@code MPI_Win_allocate_shared_c}.
     *
     * @param communicator ranks that can share memory: {@link Communicator#splitType} finds them
     * @param bytes how much this rank gets
     * @param displacementUnit bytes that a displacement of 1 stands for
     * @param info hints
     * @return the window; its memory is freed when it is closed
     */
    public static Window allocateShared(Communicator communicator, long bytes, long displacementUnit, Info info) {
        requireUnit(displacementUnit);
        return make(
                communicator,
                "MPI_Win_allocate_shared_c",
                bytes,
                MemorySegment.NULL,
                displacementUnit,
                (base, window) -> mpi_abi_h.MPI_Win_allocate_shared_c(
                        bytes, displacementUnit, info.handle(), communicator.handle(), base, window));
    }

    /**
     * A window to which memory is {@linkplain #attach attached} later: {@code MPI_Win_create_dynamic}. Displacements in it are
     * addresses.
     *
     * @param communicator the ranks
     * @param info hints
     * @return the window
     */
    public static Window createDynamic(Communicator communicator, Info info) {
        return make(
                communicator,
                "MPI_Win_create_dynamic",
                -1,
                MemorySegment.NULL,
                0,
                (_, window) -> mpi_abi_h.MPI_Win_create_dynamic(info.handle(), communicator.handle(), window));
    }

    /**
     * This rank's memory.
     *
     * @return the segment; that of a dynamic window is empty
     */
    public MemorySegment memory() {
        handle();
        return memory;
    }

    /**
     * The memory of another rank, to load from and store to: {@code MPI_Win_shared_query_c}.
     *
     * @param rank the rank, or {@link Communicator#PROC_NULL} for the lowest that has memory
     * @return its memory, valid until the window is closed
     */
    @SuppressWarnings("restricted") // MPI says how large it is
    public Shared sharedQuery(int rank) {
        communicator.peer(rank);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment three = arena.allocate(JAVA_LONG, 3);
            MemorySegment base = three.asSlice(2 * Long.BYTES);
            instance.check(
                    mpi_abi_h.MPI_Win_shared_query_c(handle(), rank, three, three.asSlice(Long.BYTES), base),
                    "MPI_Win_shared_query_c",
                    this);
            return new Shared(
                    base.get(ADDRESS, 0).reinterpret(three.get(JAVA_LONG, 0), mapped, null),
                    three.getAtIndex(JAVA_LONG, 1));
        }
    }

    /**
     * Exposes memory in a dynamic window: {@code MPI_Win_attach}. It must stay allocated until it is detached or the window
     * closed; that of a {@link GuardedArena} does.
     *
     * @param more native memory
     */
    public void attach(MemorySegment more) {
        MemorySegment base = Buffer.of(more, Datatype.BYTE).writable();
        MemorySegment window = handle();
        GuardedArena its = GuardedArena.of(more);
        if (its != null) {
            its.begin();
        }
        int code = mpi_abi_h.MPI_Win_attach(window, base, more.byteSize());
        if (code == 0) {
            synchronized (attached) {
                attached.add(more);
            }
        } else if (its != null) {
            its.end();
        }
        instance.check(code, "MPI_Win_attach", this);
    }

    /**
     * Takes memory out of a dynamic window: {@code MPI_Win_detach}.
     *
     * @param segment what was attached
     * @throws IllegalArgumentException if nothing was attached there
     */
    public void detach(MemorySegment segment) {
        MemorySegment window = handle();
        MemorySegment found;
        synchronized (attached) {
            found = attached.stream()
                    .filter(each -> each.address() == segment.address())
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("nothing is attached there: " + segment));
            attached.remove(found);
        }
        int code = mpi_abi_h.MPI_Win_detach(window, found);
        if (code == 0) {
            end(found);
        } else {
            synchronized (attached) {
                attached.add(found);
            }
        }
        instance.check(code, "MPI_Win_detach", this);
    }

    private static void end(MemorySegment memory) {
        GuardedArena its = GuardedArena.of(memory);
        if (its != null) {
            its.end();
        }
    }

    // --- transfers
    // ----------------------------------------------------------------------------------------------------

    /**
     * Writes to another rank's memory: {@code MPI_Put_c}. The target's elements are of the same type and number.
     *
     * @param origin what is written; MPI's until it is complete
     * @param target the other rank
     * @param displacement where in its memory
     */
    @HotPath
    public void put(Buffer origin, int target, long displacement) {
        put(origin, target(target, displacement, origin.span), displacement, origin.count, origin.pointer());
    }

    /**
     * Writes elements to another rank's memory, where they are of another type: {@code MPI_Put_c}.
     *
     * @param origin what is written; MPI's until it is complete
     * @param target the other rank
     * @param displacement where in its memory
     * @param count how many elements there
     * @param type their type
     */
    @HotPath
    public void put(Buffer origin, int target, long displacement, long count, Datatype type) {
        put(origin, target(target, displacement, type.span(count)), displacement, count, type.pointer());
    }

    @HotPath
    private void put(Buffer origin, int target, long displacement, long count, long type) {
        long from = origin.from();
        long window = pointer();
        loans.lend(origin.guard, target);
        instance.check(
                Calls.put(from, origin.count, origin.pointer(), target, displacement, count, type, window),
                "MPI_Put_c",
                this);
    }

    /**
     * Reads another rank's memory: {@code MPI_Get_c}.
     *
     * @param origin takes the elements; MPI's until it is complete
     * @param target the other rank
     * @param displacement where in its memory
     */
    @HotPath
    public void get(Buffer origin, int target, long displacement) {
        get(origin, target(target, displacement, origin.span), displacement, origin.count, origin.pointer());
    }

    /**
     * Reads elements of another type from another rank's memory: {@code MPI_Get_c}.
     *
     * @param origin takes the elements; MPI's until it is complete
     * @param target the other rank
     * @param displacement where in its memory
     * @param count how many elements there
     * @param type their type
     */
    @HotPath
    public void get(Buffer origin, int target, long displacement, long count, Datatype type) {
        get(origin, target(target, displacement, type.span(count)), displacement, count, type.pointer());
    }

    @HotPath
    private void get(Buffer origin, int target, long displacement, long count, long type) {
        long into = origin.into();
        long window = pointer();
        loans.lend(origin.guard, target);
        instance.check(
                Calls.get(into, origin.count, origin.pointer(), target, displacement, count, type, window),
                "MPI_Get_c",
                this);
    }

    /**
     * Combines elements with another rank's: {@code MPI_Accumulate_c}. Each element is updated atomically.
     *
     * @param origin the elements; MPI's until it is complete
     * @param target the other rank
     * @param displacement where in its memory
     * @param op a predefined operation, {@link Operation#REPLACE} among them
     */
    @HotPath
    public void accumulate(Buffer origin, int target, long displacement, Operation op) {
        long from = origin.from();
        long type = origin.pointer();
        long operation = predefined(op);
        target(target, displacement, origin.span);
        long window = pointer();
        loans.lend(origin.guard, target);
        instance.check(
                Calls.accumulate(from, origin.count, type, target, displacement, origin.count, type, operation, window),
                "MPI_Accumulate_c",
                this);
    }

    private static long predefined(Operation op) {
        if (!op.isPredefined()) {
            throw new IllegalArgumentException("one-sided calls take predefined operations, not " + op);
        }
        return op.pointer();
    }

    private static void requireSame(Buffer one, Buffer other) {
        if (one.count != other.count || one.type != other.type) {
            throw new IllegalArgumentException(one + " and " + other + " have different counts or datatypes");
        }
    }

    /**
     * Combines elements with another rank's, and returns those from before: {@code MPI_Get_accumulate_c}.
     *
     * @param origin the elements; MPI's until it is complete
     * @param result takes those from before; MPI's until it is complete
     * @param target the other rank
     * @param displacement where in its memory
     * @param op a predefined operation, {@link Operation#NO_OP} among them
     */
    @HotPath
    public void getAccumulate(Buffer origin, Buffer result, int target, long displacement, Operation op) {
        requireSame(origin, result);
        long from = origin.from();
        long into = result.into();
        long type = origin.pointer();
        long operation = predefined(op);
        target(target, displacement, origin.span);
        long window = pointer();
        loans.lend(origin.guard, target);
        loans.lend(result.guard, target);
        long count = origin.count;
        instance.check(
                Calls.getAccumulate(
                        from, count, type, into, count, type, target, displacement, count, type, operation, window),
                "MPI_Get_accumulate_c",
                this);
    }

    /**
     * Combines one element with another rank's, and returns that from before: {@code MPI_Fetch_and_op}.
     *
     * @param origin one element of a predefined type
     * @param result takes that from before
     * @param target the other rank
     * @param displacement where in its memory
     * @param op a predefined operation
     */
    @HotPath
    public void fetchAndOp(Buffer origin, Buffer result, int target, long displacement, Operation op) {
        requireOne(origin);
        requireSame(origin, result);
        long from = origin.from();
        long into = result.into();
        long operation = predefined(op);
        target(target, displacement, origin.span);
        long window = pointer();
        loans.lend(origin.guard, target);
        loans.lend(result.guard, target);
        instance.check(
                Calls.fetchAndOp(from, into, origin.pointer(), target, displacement, operation, window),
                "MPI_Fetch_and_op",
                this);
    }

    private static void requireOne(Buffer buffer) {
        if (buffer.count != 1 || !buffer.type.isPredefined()) {
            throw new IllegalArgumentException(buffer + " is not one element of a predefined type");
        }
    }

    /**
     * Replaces one element of another rank if it has a certain value, and returns that from before:
     * {@code MPI_Compare_and_swap}.
     *
     * @param origin the new value
     * @param compare the value that it must have
     * @param result takes that from before
     * @param target the other rank
     * @param displacement where in its memory
     */
    @HotPath
    public void compareAndSwap(Buffer origin, Buffer compare, Buffer result, int target, long displacement) {
        requireOne(origin);
        requireSame(origin, compare);
        requireSame(origin, result);
        long from = origin.from();
        long expected = compare.from();
        long into = result.into();
        target(target, displacement, origin.span);
        long window = pointer();
        loans.lend(origin.guard, target);
        loans.lend(compare.guard, target);
        loans.lend(result.guard, target);
        instance.check(
                Calls.compareAndSwap(from, expected, into, origin.pointer(), target, displacement, window),
                "MPI_Compare_and_swap",
                this);
    }

    /**
     * Writes to another rank's memory, with a request: {@code MPI_Rput_c}. Only between {@link #lock} and {@link #unlock}.
     *
     * @param origin what is written
     * @param target the other rank
     * @param displacement where in its memory
     * @param request is started; once it has completed the buffer is the program's again
     */
    @HotPath
    public void rput(Buffer origin, int target, long displacement, Request request) {
        long from = origin.from();
        long type = origin.pointer();
        target(target, displacement, origin.span);
        long window = pointer();
        long slot = request.begin(origin, null, null);
        request.began(
                Calls.rput(from, origin.count, type, target, displacement, origin.count, type, window, slot),
                "MPI_Rput_c",
                this);
    }

    /**
     * Reads another rank's memory, with a request: {@code MPI_Rget_c}. Only between {@link #lock} and {@link #unlock}.
     *
     * @param origin takes the elements
     * @param target the other rank
     * @param displacement where in its memory
     * @param request is started; once it has completed the elements are there
     */
    @HotPath
    public void rget(Buffer origin, int target, long displacement, Request request) {
        long into = origin.into();
        long type = origin.pointer();
        target(target, displacement, origin.span);
        long window = pointer();
        long slot = request.begin(origin, null, null);
        request.began(
                Calls.rget(into, origin.count, type, target, displacement, origin.count, type, window, slot),
                "MPI_Rget_c",
                this);
    }

    /**
     * Combines elements with another rank's, with a request: {@code MPI_Raccumulate_c}.
     *
     * @param origin the elements
     * @param target the other rank
     * @param displacement where in its memory
     * @param op a predefined operation
     * @param request is started
     */
    @HotPath
    public void raccumulate(Buffer origin, int target, long displacement, Operation op, Request request) {
        long from = origin.from();
        long type = origin.pointer();
        long operation = predefined(op);
        target(target, displacement, origin.span);
        long window = pointer();
        long slot = request.begin(origin, null, null);
        request.began(
                Calls.raccumulate(
                        from, origin.count, type, target, displacement, origin.count, type, operation, window, slot),
                "MPI_Raccumulate_c",
                this);
    }

    /**
     * Combines elements with another rank's, and returns those from before, with a request: {@code MPI_Rget_accumulate_c}.
     *
     * @param origin the elements
     * @param result takes those from before
     * @param target the other rank
     * @param displacement where in its memory
     * @param op a predefined operation
     * @param request is started
     */
    @HotPath
    public void rgetAccumulate(
            Buffer origin, Buffer result, int target, long displacement, Operation op, Request request) {
        requireSame(origin, result);
        long from = origin.from();
        long into = result.into();
        long type = origin.pointer();
        long operation = predefined(op);
        target(target, displacement, origin.span);
        long window = pointer();
        long slot = request.begin(origin, result, null);
        long count = origin.count;
        request.began(
                Calls.rgetAccumulate(
                        from,
                        count,
                        type,
                        into,
                        count,
                        type,
                        target,
                        displacement,
                        count,
                        type,
                        operation,
                        window,
                        slot),
                "MPI_Rget_accumulate_c",
                this);
    }

    // --- synchronisation
    // ----------------------------------------------------------------------------------------------

    /**
     * Ends an epoch of all ranks and begins the next: {@code MPI_Win_fence}. Collective; blocks.
     *
     * @param assertion a sum of {@link #NOSTORE} and its like, or 0
     */
    @HotPath
    public void fence(int assertion) {
        instance.check(Calls.winFence(assertion, pointer()), "MPI_Win_fence", this);
        loans.ended();
    }

    /**
     * Begins an epoch in which this rank accesses the memory of others: {@code MPI_Win_start}.
     *
     * @param targets the others
     * @param assertion {@link #NOCHECK} or 0
     */
    public void start(Group targets, int assertion) {
        instance.check(mpi_abi_h.MPI_Win_start(targets.handle(), assertion, handle()), "MPI_Win_start", this);
    }

    /** Ends what {@link #start} has begun: {@code MPI_Win_complete}. */
    public void complete() {
        instance.check(mpi_abi_h.MPI_Win_complete(handle()), "MPI_Win_complete", this);
        loans.ended();
    }

    /**
     * Begins an epoch in which others access this rank's memory: {@code MPI_Win_post}.
     *
     * @param origins the others
     * @param assertion a sum of {@link #NOCHECK} and its like, or 0
     */
    public void post(Group origins, int assertion) {
        instance.check(mpi_abi_h.MPI_Win_post(origins.handle(), assertion, handle()), "MPI_Win_post", this);
    }

    /** Waits until the others have ended what {@link #post} has begun: {@code MPI_Win_wait}. */
    public void waitFor() {
        instance.check(mpi_abi_h.MPI_Win_wait(handle()), "MPI_Win_wait", this);
    }

    /**
     * Whether the others have ended what {@link #post} has begun: {@code MPI_Win_test}.
     *
     * @return true if so; the epoch is ended then
     */
    public boolean test() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment flag = arena.allocate(JAVA_INT);
            instance.check(mpi_abi_h.MPI_Win_test(handle(), flag), "MPI_Win_test", this);
            return flag.get(JAVA_INT, 0) != 0;
        }
    }

    /**
     * Begins an epoch in which this rank alone takes part: {@code MPI_Win_lock}.
     *
     * @param rank whose memory it accesses
     * @param lock whether others may at the same time
     */
    @HotPath
    public void lock(int rank, Lock lock) {
        instance.check(Calls.winLock(lock.number, communicator.peer(rank), 0, pointer()), "MPI_Win_lock", this);
        loans.locked();
    }

    /**
     * Ends what {@link #lock} has begun: {@code MPI_Win_unlock}. Blocks until all is complete, at the target, too.
     *
     * @param rank whose memory was accessed
     */
    @HotPath
    public void unlock(int rank) {
        instance.check(Calls.winUnlock(communicator.peer(rank), pointer()), "MPI_Win_unlock", this);
        loans.unlocked(rank);
    }

    /** Begins an epoch in which this rank accesses the memory of all, with a shared lock: {@code MPI_Win_lock_all}. */
    public void lockAll() {
        instance.check(mpi_abi_h.MPI_Win_lock_all(0, handle()), "MPI_Win_lock_all", this);
    }

    /** Ends what {@link #lockAll} has begun: {@code MPI_Win_unlock_all}. */
    public void unlockAll() {
        instance.check(mpi_abi_h.MPI_Win_unlock_all(handle()), "MPI_Win_unlock_all", this);
        loans.ended();
    }

    /**
     * Waits until what this rank has begun with one target is complete there, too: {@code MPI_Win_flush}.
     *
     * @param rank the target
     */
    @HotPath
    public void flush(int rank) {
        instance.check(Calls.winFlush(communicator.peer(rank), pointer()), "MPI_Win_flush", this);
        loans.flushed(rank);
    }

    /** Waits for what this rank has begun with all targets: {@code MPI_Win_flush_all}. */
    @HotPath
    public void flushAll() {
        instance.check(Calls.winFlushAll(pointer()), "MPI_Win_flush_all", this);
        loans.flushedAll();
    }

    /**
     * Waits until the buffers of what this rank has begun with one target are free: {@code MPI_Win_flush_local}.
     *
     * @param rank the target
     */
    @HotPath
    public void flushLocal(int rank) {
        instance.check(Calls.winFlushLocal(communicator.peer(rank), pointer()), "MPI_Win_flush_local", this);
        loans.flushed(rank);
    }

    /** Waits until the buffers of all that this rank has begun are free: {@code MPI_Win_flush_local_all}. */
    @HotPath
    public void flushLocalAll() {
        instance.check(Calls.winFlushLocalAll(pointer()), "MPI_Win_flush_local_all", this);
        loans.flushedAll();
    }

    /** Orders this rank's own loads and stores with those of others: {@code MPI_Win_sync}. */
    @HotPath
    public void sync() {
        instance.check(Calls.winSync(pointer()), "MPI_Win_sync", this);
    }

    // --- what belongs to it
    // -------------------------------------------------------------------------------------------

    /**
     * Its processes: {@code MPI_Win_get_group}.
     *
     * @return a new group
     */
    public Group group() {
        return Group.get(
                instance, "MPI_Win_get_group", this, (arena, group) -> mpi_abi_h.MPI_Win_get_group(handle(), group));
    }

    /**
     * The hints that are in use: {@code MPI_Win_get_info}.
     *
     * @return a new info
     */
    public Info info() {
        return Info.get(instance, "MPI_Win_get_info", this, handle -> mpi_abi_h.MPI_Win_get_info(handle(), handle));
    }

    /**
     * Gives hints: {@code MPI_Win_set_info}.
     *
     * @param info the hints
     */
    public void setInfo(Info info) {
        instance.check(mpi_abi_h.MPI_Win_set_info(handle(), info.handle()), "MPI_Win_set_info", this);
    }

    /**
     * Its name: {@code MPI_Win_get_name}.
     *
     * @return the name
     */
    public String name() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(mpi_abi_h.MPI_MAX_OBJECT_NAME());
            instance.check(
                    mpi_abi_h.MPI_Win_get_name(handle(), text, arena.allocate(JAVA_INT)), "MPI_Win_get_name", this);
            return text.getString(0, StandardCharsets.UTF_8);
        }
    }

    /**
     * Names it: {@code MPI_Win_set_name}.
     *
     * @param newName the name, for debuggers
     */
    public void setName(String newName) {
        try (Arena arena = Arena.ofConfined()) {
            instance.check(mpi_abi_h.MPI_Win_set_name(handle(), arena.allocateFrom(newName)), "MPI_Win_set_name", this);
        }
    }

    /** Frees it: {@code MPI_Win_free}. Collective, and waits for the others. */
    @Override
    public void close() {
        if (isClosed()) {
            return;
        }
        free("MPI_Win_free", mpi_abi_h::MPI_Win_free);
        if (guard != null) {
            guard.end();
        }
        loans.ended();
        synchronized (attached) {
            attached.forEach(Window::end);
            attached.clear();
        }
        mapped.close();
    }

    @Override
    String kind() {
        return "Window";
    }

    @Override
    public String toString() {
        return "Window(" + memory.byteSize() + " bytes)";
    }
}
