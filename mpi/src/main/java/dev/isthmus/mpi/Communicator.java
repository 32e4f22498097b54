// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.bindings.mpi.mpi_abi_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/**
 * A group of processes that communicate with each other, or with those of another group: {@code MPI_Comm}. The calls that
 * transfer data are those of {@link Communication}; their counts are of type long.
 *
 * <p>Thread-safe if MPI was initialised with {@link ThreadLevel#MULTIPLE}. All ranks make collective calls in the same order.
 * To make a communicator is such a call, and so is to close it.
 */
public final class Communicator extends Communication {

    /** {@code MPI_ANY_SOURCE}: a receive takes a message of any rank. */
    public static final int ANY_SOURCE = -1;

    /** {@code MPI_ANY_TAG}: a receive takes a message with any tag. */
    public static final int ANY_TAG = -2;

    /** {@code MPI_PROC_NULL}: nobody. What is sent to it goes nowhere, and a receive from it completes at once. */
    public static final int PROC_NULL = -3;

    /** {@code MPI_ROOT}: the root's own group gives this as root of a collective call in an intercommunicator. */
    public static final int ROOT = -4;

    /** {@code MPI_UNDEFINED}: no colour, rank or count. */
    public static final int UNDEFINED = -32766;

    /** {@code MPI_BSEND_OVERHEAD}: how many bytes a buffered message takes besides its own. */
    public static final int BSEND_OVERHEAD = 512;

    /** The processes that {@link #splitType} puts together. */
    public enum SplitType {
        /** {@code MPI_COMM_TYPE_SHARED}: those that can share memory. */
        SHARED(221),
        /** {@code MPI_COMM_TYPE_HW_UNGUIDED}: those below the next level of the hardware. */
        HW_UNGUIDED(222),
        /** {@code MPI_COMM_TYPE_HW_GUIDED}: those that share what the hint {@code mpi_hw_resource_type} names. */
        HW_GUIDED(223),
        /** {@code MPI_COMM_TYPE_RESOURCE_GUIDED}: those that share what a hint names. */
        RESOURCE_GUIDED(224);

        private final int number;

        SplitType(int number) {
            this.number = number;
        }
    }

    /** The kinds of topologies. */
    public enum Topology {
        /** None. */
        NONE,
        /** {@code MPI_CART}: a grid. */
        CART,
        /** {@code MPI_GRAPH}. */
        GRAPH,
        /** {@code MPI_DIST_GRAPH}: a graph of which each rank knows its part. */
        DIST_GRAPH
    }

    /**
     * A grid, and where this rank is in it.
     *
     * @param dims its size in each dimension
     * @param periods whether each dimension is closed to a ring
     * @param coords this rank's place
     */
    @SuppressWarnings("ArrayRecordComponent") // arrays as the standard has them, new ones for each call
    public record Cartesian(int[] dims, boolean[] periods, int[] coords) {}

    /**
     * The neighbours of a rank in one direction of a grid, {@link #PROC_NULL} behind its borders.
     *
     * @param source where data comes from
     * @param dest where it goes
     */
    public record Shift(int source, int dest) {}

    /**
     * A graph.
     *
     * @param index for each node, how many edges it and the nodes before it have
     * @param edges the node to which each edge leads, node by node
     */
    @SuppressWarnings("ArrayRecordComponent") // arrays as the standard has them, new ones for each call
    public record Graph(int[] index, int[] edges) {}

    /**
     * The neighbours of a rank.
     *
     * @param sources those that send to it
     * @param sourceWeights the weights of these edges, or none
     * @param destinations those that it sends to
     * @param destinationWeights the weights of these edges, or none
     */
    @SuppressWarnings("ArrayRecordComponent") // arrays as the standard has them, new ones for each call
    public record Neighbours(int[] sources, int[] sourceWeights, int[] destinations, int[] destinationWeights) {}

    /** A call that writes a handle of a new communicator. */
    interface Getter {
        int call(Arena arena, MemorySegment handle);
    }

    private GuardedArena attached; // what lies in it is attached as memory of buffered sends
    private final String name;

    Communicator(Instance instance, MemorySegment handle, boolean predefined, String name) {
        super(instance, handle, predefined);
        this.name = name;
    }

    /** Makes one, or returns null where this process is no member. */
    static Communicator get(Instance instance, String call, Object object, Getter getter) {
        instance.enter();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handle = arena.allocate(ADDRESS);
            instance.check(getter.call(arena, handle), call, object);
            return of(instance, handle.get(ADDRESS, 0));
        }
    }

    private static Communicator of(Instance instance, MemorySegment handle) {
        return handle.equals(mpi_abi_h.MPI_COMM_NULL()) ? null : new Communicator(instance, handle, false, "");
    }

    private Communicator get(String call, Getter getter) {
        return get(instance, call, this, getter);
    }

    /**
     * This process's rank: {@code MPI_Comm_rank}.
     *
     * @return 0 to {@link #size} - 1
     */
    @HotPath
    public int rank() {
        return rank;
    }

    /**
     * How many processes it has, of this group in an intercommunicator: {@code MPI_Comm_size}.
     *
     * @return the number
     */
    @HotPath
    public int size() {
        return size;
    }

    /**
     * How many processes messages can go to: {@link #size}, or {@code MPI_Comm_remote_size} of an intercommunicator.
     *
     * @return the number
     */
    public int remoteSize() {
        return peers;
    }

    /**
     * Whether it connects two groups: {@code MPI_Comm_test_inter}.
     *
     * @return true if it is an intercommunicator
     */
    public boolean isInter() {
        return inter;
    }

    /**
     * The largest tag: the attribute {@code MPI_TAG_UB}.
     *
     * @return the tag
     */
    public int tagUpperBound() {
        return tagBound;
    }

    /**
     * Prepares a send, for a message that goes often: {@link #send} and {@link #isend} check each time what this checks once.
     * Unlike {@link #sendInit} it needs no request, and blocks if you like.
     *
     * @param buffer the elements, in a {@link GuardedArena} or {@link Arena#global}; it is kept open until the send is closed
     * @param dest the receiver's rank, or {@link #PROC_NULL}
     * @param tag the message's tag
     * @return the send, for the calling thread
     */
    public PreparedSend prepareSend(Buffer buffer, int dest, int tag) {
        pointer();
        return new PreparedSend(this, buffer, peer(dest), tag(tag));
    }

    /**
     * Prepares a receive, as {@link #prepareSend} does a send.
     *
     * @param buffer where to, in a {@link GuardedArena} or {@link Arena#global}; it is kept open until the receive is closed
     * @param source the sender's rank, {@link #ANY_SOURCE} or {@link #PROC_NULL}
     * @param tag the message's tag, or {@link #ANY_TAG}
     * @return the receive, for the calling thread
     */
    public PreparedReceive prepareReceive(Buffer buffer, int source, int tag) {
        pointer();
        return new PreparedReceive(this, buffer, source(source), receiveTag(tag));
    }

    /**
     * The same processes once more, whose messages are apart from these: {@code MPI_Comm_dup}.
     *
     * @return a new communicator
     */
    public Communicator dup() {
        return get("MPI_Comm_dup", (arena, comm) -> mpi_abi_h.MPI_Comm_dup(handle(), comm));
    }

    /**
     * The same, with other hints: {@code MPI_Comm_dup_with_info}.
     *
     * @param info the hints
     * @return a new communicator
     */
    public Communicator dup(Info info) {
        return get(
                "MPI_Comm_dup_with_info",
                (arena, comm) -> mpi_abi_h.MPI_Comm_dup_with_info(handle(), info.handle(), comm));
    }

    /**
     * Begins to make a duplicate: {@code MPI_Comm_idup_with_info}. Does not wait.
     *
     * @param info its hints
     * @param request is started
     * @return what gives the communicator, the same each time, once the request has completed
     */
    public Supplier<Communicator> idup(Info info, Request request) {
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment made = Arena.ofAuto().allocate(ADDRESS);
        request.begin(Buffer.of(made, Datatype.BYTE), null, null); // which keeps it reachable
        request.began(
                mpi_abi_h.MPI_Comm_idup_with_info(comm, hints, made, request.slot()), "MPI_Comm_idup_with_info", this);
        return new Supplier<>() {
            private Communicator communicator;

            @Override
            public Communicator get() {
                if (communicator == null) {
                    if (request.isActive()) {
                        throw new IllegalStateException("the communicator is there once " + request + " has completed");
                    }
                    instance.enter();
                    communicator = of(instance, made.get(ADDRESS, 0));
                }
                return communicator;
            }
        };
    }

    /**
     * Divides the processes: {@code MPI_Comm_split}.
     *
     * @param color those with the same come together; 0 or more, or {@link #UNDEFINED}
     * @param key the order of their ranks
     * @return the new communicator of this process, null if its colour is UNDEFINED
     */
    public Communicator split(int color, int key) {
        return get("MPI_Comm_split", (arena, comm) -> mpi_abi_h.MPI_Comm_split(handle(), color, key, comm));
    }

    /**
     * Divides the processes by what they share: {@code MPI_Comm_split_type}.
     *
     * @param type what they share, or null to be in none
     * @param key the order of their ranks
     * @param info hints
     * @return the new communicator of this process, or null
     */
    public Communicator splitType(SplitType type, int key, Info info) {
        int number = type == null ? UNDEFINED : type.number;
        return get(
                "MPI_Comm_split_type",
                (arena, comm) -> mpi_abi_h.MPI_Comm_split_type(handle(), number, key, info.handle(), comm));
    }

    /**
     * A communicator of some of the processes, made by all: {@code MPI_Comm_create}.
     *
     * @param group the members
     * @return the new communicator, null for a process that is no member
     */
    public Communicator create(Group group) {
        return get("MPI_Comm_create", (arena, comm) -> mpi_abi_h.MPI_Comm_create(handle(), group.handle(), comm));
    }

    /**
     * A communicator of some of the processes, made by its members: {@code MPI_Comm_create_group}.
     *
     * @param group the members
     * @param tag tells apart what threads make at once
     * @return the new communicator
     */
    public Communicator createGroup(Group group, int tag) {
        return get(
                "MPI_Comm_create_group",
                (arena, comm) -> mpi_abi_h.MPI_Comm_create_group(handle(), group.handle(), tag(tag), comm));
    }

    /**
     * A communicator of a group, without another one: {@code MPI_Comm_create_from_group}.
     *
     * @param group the members, of a {@link Session}'s processes
     * @param name tells apart what is made at once
     * @param info hints
     * @return the new communicator
     */
    public static Communicator createFromGroup(Group group, String name, Info info) {
        return get(
                group.instance,
                "MPI_Comm_create_from_group",
                name,
                (arena, comm) -> mpi_abi_h.MPI_Comm_create_from_group(
                        group.handle(), arena.allocateFrom(name), info.handle(), mpi_abi_h.MPI_ERRORS_RETURN(), comm));
    }

    /**
     * Connects this group with another: {@code MPI_Intercomm_create}.
     *
     * @param localLeader this group's rank that speaks for it
     * @param peer a communicator that has both leaders; used by the leader
     * @param remoteLeader the other leader's rank in it
     * @param tag a tag in it that nothing else uses
     * @return the intercommunicator
     */
    public Communicator intercommCreate(int localLeader, Communicator peer, int remoteLeader, int tag) {
        root(localLeader);
        return get(
                "MPI_Intercomm_create",
                (arena, comm) -> mpi_abi_h.MPI_Intercomm_create(
                        handle(), localLeader, peer.handle(), remoteLeader, peer.tag(tag), comm));
    }

    /**
     * Connects two groups, without communicators: {@code MPI_Intercomm_create_from_groups}.
     *
     * @param local this process's group
     * @param localLeader its leader's rank in it
     * @param remote the other group
     * @param remoteLeader the other leader's rank in it
     * @param name tells apart what is made at once
     * @return the intercommunicator
     */
    public static Communicator intercommCreateFromGroups(
            Group local, int localLeader, Group remote, int remoteLeader, String name) {
        return get(
                local.instance,
                "MPI_Intercomm_create_from_groups",
                name,
                (arena, comm) -> mpi_abi_h.MPI_Intercomm_create_from_groups(
                        local.handle(),
                        localLeader,
                        remote.handle(),
                        remoteLeader,
                        arena.allocateFrom(name),
                        Info.NULL.handle(),
                        mpi_abi_h.MPI_ERRORS_RETURN(),
                        comm));
    }

    /**
     * One communicator of both groups of an intercommunicator: {@code MPI_Intercomm_merge}.
     *
     * @param high whether this group's ranks come behind the other's
     * @return the new communicator
     */
    public Communicator intercommMerge(boolean high) {
        requireInter();
        return get("MPI_Intercomm_merge", (arena, comm) -> mpi_abi_h.MPI_Intercomm_merge(handle(), high ? 1 : 0, comm));
    }

    private void requireInter() {
        if (!inter) {
            throw new IllegalStateException(this + " is no intercommunicator");
        }
    }

    /**
     * Its processes: {@code MPI_Comm_group}.
     *
     * @return a new group
     */
    public Group group() {
        return Group.get(instance, "MPI_Comm_group", this, (arena, group) -> mpi_abi_h.MPI_Comm_group(handle(), group));
    }

    /**
     * The other processes of an intercommunicator: {@code MPI_Comm_remote_group}.
     *
     * @return a new group
     */
    public Group remoteGroup() {
        requireInter();
        return Group.get(
                instance,
                "MPI_Comm_remote_group",
                this,
                (arena, group) -> mpi_abi_h.MPI_Comm_remote_group(handle(), group));
    }

    /**
     * Compares it with another: {@code MPI_Comm_compare}.
     *
     * @param other the other communicator
     * @return how they compare
     */
    public Group.Comparison compare(Communicator other) {
        return Group.Comparison.of(
                number("MPI_Comm_compare", out -> mpi_abi_h.MPI_Comm_compare(handle(), other.handle(), out)));
    }

    private int number(String call, ToIntFunction<MemorySegment> function) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_INT);
            instance.check(function.applyAsInt(out), call, this);
            return out.get(JAVA_INT, 0);
        }
    }

    /**
     * Its name: {@code MPI_Comm_get_name}.
     *
     * @return the name
     */
    public String name() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(mpi_abi_h.MPI_MAX_OBJECT_NAME());
            instance.check(
                    mpi_abi_h.MPI_Comm_get_name(handle(), text, arena.allocate(JAVA_INT)), "MPI_Comm_get_name", this);
            return text.getString(0, StandardCharsets.UTF_8);
        }
    }

    /**
     * Names it: {@code MPI_Comm_set_name}.
     *
     * @param newName the name, for debuggers
     */
    public void setName(String newName) {
        try (Arena arena = Arena.ofConfined()) {
            instance.check(
                    mpi_abi_h.MPI_Comm_set_name(handle(), arena.allocateFrom(newName)), "MPI_Comm_set_name", this);
        }
    }

    /**
     * The hints that are in use: {@code MPI_Comm_get_info}.
     *
     * @return a new info
     */
    public Info info() {
        return Info.get(instance, "MPI_Comm_get_info", this, handle -> mpi_abi_h.MPI_Comm_get_info(handle(), handle));
    }

    /**
     * Gives hints: {@code MPI_Comm_set_info}.
     *
     * @param info the hints
     */
    public void setInfo(Info info) {
        instance.check(mpi_abi_h.MPI_Comm_set_info(handle(), info.handle()), "MPI_Comm_set_info", this);
    }

    // --- buffered sends
    // -----------------------------------------------------------------------------------------------

    /**
     * Gives memory for buffered sends: {@code MPI_Comm_attach_buffer_c}. It is MPI's until {@link #detachBuffer}, and must stay
     * allocated; that of a {@link GuardedArena} does.
     *
     * @param memory native memory: for each message that may be under way its bytes and {@link #BSEND_OVERHEAD}
     */
    public void attachBuffer(MemorySegment memory) {
        Buffer buffer = Buffer.of(memory, Datatype.BYTE);
        MemorySegment comm = handle();
        MemorySegment address = buffer.writable();
        if (buffer.guard != null) {
            buffer.guard.begin();
        }
        int code = mpi_abi_h.MPI_Comm_attach_buffer_c(comm, address, buffer.count);
        if (code == 0) {
            attached = buffer.guard;
        } else if (buffer.guard != null) {
            buffer.guard.end();
        }
        instance.check(code, "MPI_Comm_attach_buffer_c", this);
    }

    /** Waits for the buffered sends, and takes their memory back: {@code MPI_Comm_detach_buffer_c}. */
    public void detachBuffer() {
        try (Arena arena = Arena.ofConfined()) {
            instance.check(
                    mpi_abi_h.MPI_Comm_detach_buffer_c(handle(), arena.allocate(ADDRESS), arena.allocate(JAVA_LONG)),
                    "MPI_Comm_detach_buffer_c",
                    this);
        }
        endAttached();
    }

    private void endAttached() {
        if (attached != null) {
            attached.end();
            attached = null;
        }
    }

    /** Waits for the buffered sends: {@code MPI_Comm_flush_buffer}. */
    public void flushBuffer() {
        instance.check(mpi_abi_h.MPI_Comm_flush_buffer(handle()), "MPI_Comm_flush_buffer", this);
    }

    /**
     * Begins to wait for the buffered sends: {@code MPI_Comm_iflush_buffer}.
     *
     * @param request is started
     */
    public void iflushBuffer(Request request) {
        MemorySegment comm = handle();
        request.begin(null, null, null);
        request.began(mpi_abi_h.MPI_Comm_iflush_buffer(comm, request.slot()), "MPI_Comm_iflush_buffer", this);
    }

    // --- heap arrays
    // --------------------------------------------------------------------------------------------------

    /**
     * Sends a copy of heap memory: {@code MPI_Send_c}. It allocates native memory for the call.
     *
     * @param heap a segment of an array, such as {@code MemorySegment.ofArray(numbers)}
     * @param type the elements' type
     * @param dest the receiver's rank
     * @param tag the message's tag
     */
    public void sendCopy(MemorySegment heap, Datatype type, int dest, int tag) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(heap.byteSize(), Long.BYTES);
            copy.copyFrom(heap);
            send(Buffer.of(copy, type), dest, tag);
        }
    }

    /**
     * Receives into native memory and copies it to the heap: {@code MPI_Recv_c}. What was not received keeps its value.
     *
     * @param heap a segment of an array
     * @param type the elements' type
     * @param source the sender's rank
     * @param tag the message's tag
     * @param status takes source, tag and size
     */
    public void recvCopy(MemorySegment heap, Datatype type, int source, int tag, Status status) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(heap.byteSize(), Long.BYTES);
            copy.copyFrom(heap);
            recv(Buffer.of(copy, type), source, tag, status);
            heap.copyFrom(copy);
        }
    }

    /**
     * Combines heap memory of all ranks, in place, by a copy: {@code MPI_Allreduce_c}.
     *
     * @param heap a segment of an array, which takes the result
     * @param type the elements' type
     * @param op the reduction
     */
    public void allreduceCopy(MemorySegment heap, Datatype type, Operation op) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(heap.byteSize(), Long.BYTES);
            copy.copyFrom(heap);
            allreduce(Buffer.IN_PLACE, Buffer.of(copy, type), op);
            heap.copyFrom(copy);
        }
    }

    /**
     * Sends the root's heap memory to all ranks, by a copy: {@code MPI_Bcast_c}.
     *
     * @param heap a segment of an array
     * @param type the elements' type
     * @param root the root's rank
     */
    public void bcastCopy(MemorySegment heap, Datatype type, int root) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(heap.byteSize(), Long.BYTES);
            copy.copyFrom(heap);
            bcast(Buffer.of(copy, type), root);
            heap.copyFrom(copy);
        }
    }

    // --- topologies
    // ---------------------------------------------------------------------------------------------------

    /**
     * Balances a grid: {@code MPI_Dims_create}.
     *
     * @param nodes how many processes
     * @param dims the dimensions' sizes, 0 where they are to be chosen
     * @return the sizes, whose product is {@code nodes}
     */
    public static int[] dimsCreate(int nodes, int... dims) {
        Instance any = Instance.entered();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment sizes = arena.allocateFrom(JAVA_INT, dims);
            any.check(mpi_abi_h.MPI_Dims_create(nodes, dims.length, sizes), "MPI_Dims_create", nodes);
            return sizes.toArray(JAVA_INT);
        }
    }

    private static MemorySegment flags(Arena arena, boolean... values) {
        MemorySegment numbers = arena.allocate(JAVA_INT, Math.max(values.length, 1));
        for (int i = 0; i < values.length; i++) {
            numbers.setAtIndex(JAVA_INT, i, values[i] ? 1 : 0);
        }
        return numbers;
    }

    private static void requireSame(int one, int other) {
        if (one != other) {
            throw new IllegalArgumentException("arrays of different lengths: " + one + " and " + other);
        }
    }

    /**
     * Arranges the processes as a grid: {@code MPI_Cart_create}.
     *
     * @param dims its size in each dimension
     * @param periods whether each dimension is closed to a ring
     * @param reorder whether ranks may change
     * @return the new communicator, null for a process outside the grid
     */
    public Communicator cartCreate(int[] dims, boolean[] periods, boolean reorder) {
        requireSame(dims.length, periods.length);
        return get(
                "MPI_Cart_create",
                (arena, comm) -> mpi_abi_h.MPI_Cart_create(
                        handle(),
                        dims.length,
                        arena.allocateFrom(JAVA_INT, dims),
                        flags(arena, periods),
                        reorder ? 1 : 0,
                        comm));
    }

    private int cartDims() {
        require(Topology.CART);
        return number("MPI_Cartdim_get", out -> mpi_abi_h.MPI_Cartdim_get(handle(), out));
    }

    private void require(Topology kind) {
        if (topology() != kind) {
            throw new IllegalStateException(this + " has no topology " + kind);
        }
    }

    /**
     * Its grid: {@code MPI_Cart_get} and {@code MPI_Cartdim_get}.
     *
     * @return sizes, periods and this rank's coordinates
     */
    public Cartesian cartGet() {
        int n = cartDims();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment dims = arena.allocate(JAVA_INT, n);
            MemorySegment periods = arena.allocate(JAVA_INT, n);
            MemorySegment coords = arena.allocate(JAVA_INT, n);
            instance.check(mpi_abi_h.MPI_Cart_get(handle(), n, dims, periods, coords), "MPI_Cart_get", this);
            boolean[] closed = new boolean[n];
            for (int i = 0; i < n; i++) {
                closed[i] = periods.getAtIndex(JAVA_INT, i) != 0;
            }
            return new Cartesian(dims.toArray(JAVA_INT), closed, coords.toArray(JAVA_INT));
        }
    }

    /**
     * The rank at a place of the grid: {@code MPI_Cart_rank}.
     *
     * @param coords the place
     * @return the rank
     */
    public int cartRank(int... coords) {
        requireSame(cartDims(), coords.length);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment at = arena.allocateFrom(JAVA_INT, coords);
            return number("MPI_Cart_rank", out -> mpi_abi_h.MPI_Cart_rank(handle(), at, out));
        }
    }

    /**
     * The place of a rank in the grid: {@code MPI_Cart_coords}.
     *
     * @param ofRank the rank
     * @return its coordinates
     */
    public int[] cartCoords(int ofRank) {
        int n = cartDims();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment coords = arena.allocate(JAVA_INT, n);
            instance.check(mpi_abi_h.MPI_Cart_coords(handle(), root(ofRank), n, coords), "MPI_Cart_coords", this);
            return coords.toArray(JAVA_INT);
        }
    }

    /**
     * The neighbours of this rank: {@code MPI_Cart_shift}.
     *
     * @param direction the dimension, from 0
     * @param displacement how far, upwards if positive
     * @return from where and to where data moves
     */
    public Shift cartShift(int direction, int displacement) {
        java.util.Objects.checkIndex(direction, cartDims());
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment two = arena.allocate(JAVA_INT, 2);
            instance.check(
                    mpi_abi_h.MPI_Cart_shift(handle(), direction, displacement, two, two.asSlice(Integer.BYTES)),
                    "MPI_Cart_shift",
                    this);
            return new Shift(two.get(JAVA_INT, 0), two.getAtIndex(JAVA_INT, 1));
        }
    }

    /**
     * The part of the grid that this rank is in: {@code MPI_Cart_sub}.
     *
     * @param remaining which dimensions the parts keep
     * @return the new communicator
     */
    public Communicator cartSub(boolean... remaining) {
        requireSame(cartDims(), remaining.length);
        return get("MPI_Cart_sub", (arena, comm) -> mpi_abi_h.MPI_Cart_sub(handle(), flags(arena, remaining), comm));
    }

    /**
     * The rank that this process would best have in a grid: {@code MPI_Cart_map}.
     *
     * @param dims its size in each dimension
     * @param periods whether each dimension is closed to a ring
     * @return the rank, or {@link #UNDEFINED} outside the grid
     */
    public int cartMap(int[] dims, boolean[] periods) {
        requireSame(dims.length, periods.length);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment sizes = arena.allocateFrom(JAVA_INT, dims);
            MemorySegment closed = flags(arena, periods);
            return number("MPI_Cart_map", out -> mpi_abi_h.MPI_Cart_map(handle(), dims.length, sizes, closed, out));
        }
    }

    /**
     * Arranges the processes as a graph that all know: {@code MPI_Graph_create}.
     *
     * @param graph its nodes' edges
     * @param reorder whether ranks may change
     * @return the new communicator, null for a process outside the graph
     */
    public Communicator graphCreate(Graph graph, boolean reorder) {
        checkGraph(graph);
        return get(
                "MPI_Graph_create",
                (arena, comm) -> mpi_abi_h.MPI_Graph_create(
                        handle(),
                        graph.index.length,
                        arena.allocateFrom(JAVA_INT, graph.index),
                        arena.allocateFrom(JAVA_INT, graph.edges),
                        reorder ? 1 : 0,
                        comm));
    }

    private static void checkGraph(Graph graph) {
        int before = 0;
        for (int end : graph.index) {
            if (end < before || end > graph.edges.length) {
                throw new IllegalArgumentException("the index of a graph grows up to its number of edges");
            }
            before = end;
        }
    }

    /**
     * Its graph: {@code MPI_Graph_get} and {@code MPI_Graphdims_get}.
     *
     * @return the nodes' edges
     */
    public Graph graphGet() {
        require(Topology.GRAPH);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment two = arena.allocate(JAVA_INT, 2);
            instance.check(
                    mpi_abi_h.MPI_Graphdims_get(handle(), two, two.asSlice(Integer.BYTES)), "MPI_Graphdims_get", this);
            int nodes = two.get(JAVA_INT, 0);
            int edges = two.getAtIndex(JAVA_INT, 1);
            MemorySegment index = arena.allocate(JAVA_INT, nodes);
            MemorySegment ends = arena.allocate(JAVA_INT, Math.max(edges, 1));
            instance.check(mpi_abi_h.MPI_Graph_get(handle(), nodes, edges, index, ends), "MPI_Graph_get", this);
            return new Graph(
                    index.toArray(JAVA_INT),
                    ends.asSlice(0, (long) edges * Integer.BYTES).toArray(JAVA_INT));
        }
    }

    /**
     * A rank's neighbours in the graph: {@code MPI_Graph_neighbors} and {@code MPI_Graph_neighbors_count}.
     *
     * @param ofRank the rank
     * @return their ranks
     */
    public int[] graphNeighbors(int ofRank) {
        require(Topology.GRAPH);
        root(ofRank);
        int n = number("MPI_Graph_neighbors_count", out -> mpi_abi_h.MPI_Graph_neighbors_count(handle(), ofRank, out));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment ranks = arena.allocate(JAVA_INT, Math.max(n, 1));
            instance.check(mpi_abi_h.MPI_Graph_neighbors(handle(), ofRank, n, ranks), "MPI_Graph_neighbors", this);
            return ranks.asSlice(0, (long) n * Integer.BYTES).toArray(JAVA_INT);
        }
    }

    /**
     * The rank that this process would best have in a graph: {@code MPI_Graph_map}.
     *
     * @param graph its nodes' edges
     * @return the rank, or {@link #UNDEFINED} outside the graph
     */
    public int graphMap(Graph graph) {
        checkGraph(graph);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment index = arena.allocateFrom(JAVA_INT, graph.index);
            MemorySegment edges = arena.allocateFrom(JAVA_INT, graph.edges);
            return number(
                    "MPI_Graph_map", out -> mpi_abi_h.MPI_Graph_map(handle(), graph.index.length, index, edges, out));
        }
    }

    /**
     * Arranges the processes as a graph of which each knows its own part: {@code MPI_Dist_graph_create_adjacent}.
     *
     * @param neighbours this rank's; weights may be empty
     * @param info hints
     * @param reorder whether ranks may change
     * @return the new communicator
     */
    public Communicator distGraphCreateAdjacent(Neighbours neighbours, Info info, boolean reorder) {
        return get(
                "MPI_Dist_graph_create_adjacent",
                (arena, comm) -> mpi_abi_h.MPI_Dist_graph_create_adjacent(
                        handle(),
                        neighbours.sources.length,
                        arena.allocateFrom(JAVA_INT, neighbours.sources),
                        weights(arena, neighbours.sourceWeights, neighbours.sources.length),
                        neighbours.destinations.length,
                        arena.allocateFrom(JAVA_INT, neighbours.destinations),
                        weights(arena, neighbours.destinationWeights, neighbours.destinations.length),
                        info.handle(),
                        reorder ? 1 : 0,
                        comm));
    }

    private static MemorySegment weights(Arena arena, int[] weights, int edges) {
        if (weights.length == 0) {
            return mpi_abi_h.MPI_UNWEIGHTED();
        }
        requireSame(weights.length, edges);
        return arena.allocateFrom(JAVA_INT, weights);
    }

    /**
     * Arranges the processes as a graph of which each knows any part: {@code MPI_Dist_graph_create}.
     *
     * @param sources nodes of which this process knows edges
     * @param degrees how many edges of each
     * @param destinations where these lead
     * @param weights their weights, or none
     * @param info hints
     * @param reorder whether ranks may change
     * @return the new communicator
     */
    public Communicator distGraphCreate(
            int[] sources, int[] degrees, int[] destinations, int[] weights, Info info, boolean reorder) {
        requireSame(sources.length, degrees.length);
        requireSame(java.util.Arrays.stream(degrees).sum(), destinations.length);
        return get(
                "MPI_Dist_graph_create",
                (arena, comm) -> mpi_abi_h.MPI_Dist_graph_create(
                        handle(),
                        sources.length,
                        arena.allocateFrom(JAVA_INT, sources),
                        arena.allocateFrom(JAVA_INT, degrees),
                        arena.allocateFrom(JAVA_INT, destinations),
                        weights(arena, weights, destinations.length),
                        info.handle(),
                        reorder ? 1 : 0,
                        comm));
    }

    /**
     * This rank's neighbours: {@code MPI_Dist_graph_neighbors} and {@code MPI_Dist_graph_neighbors_count}.
     *
     * @return ranks, and weights if the graph has some
     */
    public Neighbours distGraphNeighbors() {
        require(Topology.DIST_GRAPH);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment three = arena.allocate(JAVA_INT, 3);
            instance.check(
                    mpi_abi_h.MPI_Dist_graph_neighbors_count(
                            handle(), three, three.asSlice(Integer.BYTES), three.asSlice(2 * Integer.BYTES)),
                    "MPI_Dist_graph_neighbors_count",
                    this);
            int in = three.get(JAVA_INT, 0);
            int out = three.getAtIndex(JAVA_INT, 1);
            boolean weighted = three.getAtIndex(JAVA_INT, 2) != 0;
            MemorySegment all = arena.allocate(JAVA_INT, 2L * in + 2L * out + 1);
            MemorySegment inWeights = all.asSlice((long) in * Integer.BYTES);
            MemorySegment to = inWeights.asSlice((long) in * Integer.BYTES);
            MemorySegment outWeights = to.asSlice((long) out * Integer.BYTES);
            MemorySegment none = mpi_abi_h.MPI_UNWEIGHTED();
            instance.check(
                    mpi_abi_h.MPI_Dist_graph_neighbors(
                            handle(), in, all, weighted ? inWeights : none, out, to, weighted ? outWeights : none),
                    "MPI_Dist_graph_neighbors",
                    this);
            return new Neighbours(
                    ints(all, in),
                    ints(inWeights, weighted ? in : 0),
                    ints(to, out),
                    ints(outWeights, weighted ? out : 0));
        }
    }

    private static int[] ints(MemorySegment from, int count) {
        return from.asSlice(0, (long) count * Integer.BYTES).toArray(JAVA_INT);
    }

    /**
     * The kind of its topology: {@code MPI_Topo_test}.
     *
     * @return the kind
     */
    public Topology topology() {
        return switch (number("MPI_Topo_test", out -> mpi_abi_h.MPI_Topo_test(handle(), out))) {
            case 211 -> Topology.CART;
            case 212 -> Topology.GRAPH;
            case 213 -> Topology.DIST_GRAPH;
            default -> Topology.NONE;
        };
    }

    // --- other programs
    // -----------------------------------------------------------------------------------------------

    /**
     * Waits for the processes of another program to {@linkplain #connect connect}: {@code MPI_Comm_accept}.
     *
     * @param port what {@link Mpi#openPort} has returned, at the root
     * @param root the rank that has opened it
     * @return the intercommunicator
     */
    public Communicator accept(String port, int root) {
        root(root);
        return get(
                "MPI_Comm_accept",
                (arena, comm) ->
                        mpi_abi_h.MPI_Comm_accept(arena.allocateFrom(port), Info.NULL.handle(), root, handle(), comm));
    }

    /**
     * Connects to the processes of another program: {@code MPI_Comm_connect}.
     *
     * @param port what the other's {@link Mpi#openPort} has returned, at the root
     * @param root the rank that knows it
     * @return the intercommunicator
     */
    public Communicator connect(String port, int root) {
        root(root);
        return get(
                "MPI_Comm_connect",
                (arena, comm) ->
                        mpi_abi_h.MPI_Comm_connect(arena.allocateFrom(port), Info.NULL.handle(), root, handle(), comm));
    }

    /**
     * Starts processes: {@code MPI_Comm_spawn}.
     *
     * @param processes how many
     * @param info hints, such as {@code wdir}
     * @param root the rank whose arguments count
     * @param command the program and its arguments
     * @return the intercommunicator to them, which they find as {@link Mpi#parent}
     */
    public Communicator spawn(int processes, Info info, int root, String... command) {
        root(root);
        requireProgram(processes, command);
        return get(
                "MPI_Comm_spawn",
                (arena, comm) -> mpi_abi_h.MPI_Comm_spawn(
                        arena.allocateFrom(command[0]),
                        arguments(arena, command),
                        processes,
                        info.handle(),
                        root,
                        handle(),
                        comm,
                        MemorySegment.NULL));
    }

    private static void requireProgram(int processes, String... command) {
        if (processes < 0 || command.length == 0) {
            throw new IllegalArgumentException(processes + " processes of a command of " + command.length + " words");
        }
    }

    /** What C takes as argv, which begins behind the program and ends with NULL. */
    private static MemorySegment arguments(Arena arena, String... command) {
        MemorySegment arguments = arena.allocate(ADDRESS, command.length);
        for (int i = 1; i < command.length; i++) {
            arguments.setAtIndex(ADDRESS, i - 1, arena.allocateFrom(command[i]));
        }
        return arguments;
    }

    /**
     * One of the programs of {@link #spawnMultiple}.
     *
     * @param processes how many
     * @param info hints, such as {@code wdir}
     * @param command the program and its arguments
     */
    public record Program(int processes, Info info, List<String> command) {

        /** Copies the command. */
        public Program {
            command = List.copyOf(command);
        }
    }

    /**
     * Starts processes of several programs, which have one world: {@code MPI_Comm_spawn_multiple}. Collective.
     *
     * @param root the rank whose programs count
     * @param programs the programs; their ranks follow each other in this order
     * @return the intercommunicator to them, which they find as {@link Mpi#parent}
     */
    public Communicator spawnMultiple(int root, Program... programs) {
        root(root);
        if (programs.length == 0) {
            throw new IllegalArgumentException("no programs");
        }
        return get("MPI_Comm_spawn_multiple", (arena, comm) -> {
            MemorySegment commands = arena.allocate(ADDRESS, programs.length);
            MemorySegment arguments = arena.allocate(ADDRESS, programs.length);
            MemorySegment processes = arena.allocate(JAVA_INT, programs.length);
            MemorySegment infos = arena.allocate(ADDRESS, programs.length);
            for (int i = 0; i < programs.length; i++) {
                String[] command = programs[i].command.toArray(String[]::new);
                requireProgram(programs[i].processes, command);
                commands.setAtIndex(ADDRESS, i, arena.allocateFrom(command[0]));
                arguments.setAtIndex(ADDRESS, i, arguments(arena, command));
                processes.setAtIndex(JAVA_INT, i, programs[i].processes);
                infos.setAtIndex(ADDRESS, i, programs[i].info.handle());
            }
            return mpi_abi_h.MPI_Comm_spawn_multiple(
                    programs.length, commands, arguments, processes, infos, root, handle(), comm, MemorySegment.NULL);
        });
    }

    /** Waits until all communication has ended, and then frees it: {@code MPI_Comm_disconnect}. Collective. */
    public void disconnect() {
        free("MPI_Comm_disconnect", mpi_abi_h::MPI_Comm_disconnect);
        endAttached();
    }

    /**
     * Ends all processes: {@code MPI_Abort}. Does not return.
     *
     * @param code the exit status that the launcher is to have
     */
    public void abort(int code) {
        instance.check(mpi_abi_h.MPI_Abort(handle(), code), "MPI_Abort", this);
    }

    /**
     * Frees it: {@code MPI_Comm_free}. Collective. Operations that are under way go on.
     *
     * @throws IllegalStateException if a {@link PreparedMessage} uses it
     */
    @Override
    public void close() {
        free("MPI_Comm_free", mpi_abi_h::MPI_Comm_free);
        endAttached();
    }

    @Override
    String kind() {
        return "Communicator";
    }

    @Override
    public String toString() {
        return "Communicator(" + (name.isEmpty() ? "" : name + ", ") + "rank " + rank + " of " + size
                + (inter ? ", to " + peers : "") + ")";
    }
}
