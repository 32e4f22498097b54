// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.isthmus.bindings.mpi.mpi_abi_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** What the calls of a communicator check before C sees it: ranks, tags, and how many elements belong to each rank. */
abstract sealed class CommunicatorChecks extends MpiObject permits Communication {

    private static final int LEAST_TAG_BOUND = 32767; // by the standard

    final int rank;
    final int size;
    /** How many ranks messages can go to: those of the other group in an intercommunicator. */
    final int peers;

    final boolean inter;
    final int tagBound;
    private int inDegree = -1;
    private int outDegree = -1;

    CommunicatorChecks(Instance instance, MemorySegment handle, boolean predefined) {
        super(instance, handle, predefined);
        try (Arena arena = Arena.ofConfined()) {
            // Before anything else: by default an error ends the process.
            instance.check(
                    mpi_abi_h.MPI_Comm_set_errhandler(handle, mpi_abi_h.MPI_ERRORS_RETURN()),
                    "MPI_Comm_set_errhandler",
                    "");
            MemorySegment number = arena.allocate(JAVA_INT);
            instance.check(mpi_abi_h.MPI_Comm_rank(handle, number), "MPI_Comm_rank", "");
            rank = number.get(JAVA_INT, 0);
            instance.check(mpi_abi_h.MPI_Comm_size(handle, number), "MPI_Comm_size", "");
            size = number.get(JAVA_INT, 0);
            instance.check(mpi_abi_h.MPI_Comm_test_inter(handle, number), "MPI_Comm_test_inter", "");
            inter = number.get(JAVA_INT, 0) != 0;
            if (inter) {
                instance.check(mpi_abi_h.MPI_Comm_remote_size(handle, number), "MPI_Comm_remote_size", "");
            }
            peers = inter ? number.get(JAVA_INT, 0) : size;
            MemorySegment value = arena.allocate(ADDRESS);
            instance.check(
                    mpi_abi_h.MPI_Comm_get_attr(handle, mpi_abi_h.MPI_TAG_UB(), value, number),
                    "MPI_Comm_get_attr",
                    "");
            tagBound = number.get(JAVA_INT, 0) == 0 ? LEAST_TAG_BOUND : integer(value.get(ADDRESS, 0));
        }
    }

    @SuppressWarnings("restricted") // the standard says that it points at an int
    static int integer(MemorySegment pointer) {
        return pointer.reinterpret(Integer.BYTES).get(JAVA_INT, 0);
    }

    @HotPath
    final int peer(int other) {
        if ((other < 0 || other >= peers) && other != Communicator.PROC_NULL) {
            refuseRank(other);
        }
        return other;
    }

    @HotPath
    final int source(int other) {
        if ((other < 0 || other >= peers) && other != Communicator.PROC_NULL && other != Communicator.ANY_SOURCE) {
            refuseRank(other);
        }
        return other;
    }

    @HotPath
    final int root(int root) {
        if ((root < 0 || root >= peers) && !(inter && (root == Communicator.ROOT || root == Communicator.PROC_NULL))) {
            refuseRank(root);
        }
        return root;
    }

    /** Whether this rank is the root of a collective call. */
    @HotPath
    final boolean isRoot(int root) {
        return inter ? root == Communicator.ROOT : root == rank;
    }

    private void refuseRank(int other) {
        throw new IllegalArgumentException(this + " has no rank " + other + ": 0 to " + (peers - 1));
    }

    @HotPath
    final int tag(int tag) {
        if (tag < 0 || tag > tagBound) {
            refuseTag(tag);
        }
        return tag;
    }

    @HotPath
    final int receiveTag(int tag) {
        if ((tag < 0 || tag > tagBound) && tag != Communicator.ANY_TAG) {
            refuseTag(tag);
        }
        return tag;
    }

    private void refuseTag(int tag) {
        throw new IllegalArgumentException("tags are 0 to " + tagBound + ", not " + tag);
    }

    /** How many of a buffer's elements belong to each of so many ranks. */
    @HotPath
    final long share(Buffer buffer, int ranks) {
        if (ranks <= 0) {
            return 0;
        }
        long each = buffer.count / ranks;
        if (each * ranks != buffer.count) {
            throw new IllegalArgumentException(buffer + " cannot be divided among " + ranks);
        }
        return each;
    }

    /** How many elements a reduction combines; checks the buffers of a rank that receives. */
    @HotPath
    @SuppressWarnings("ReferenceEquality") // identity is meant
    final long reduced(Buffer send, Buffer receive, boolean receives) {
        if (send == Buffer.IN_PLACE) {
            return receive.count;
        }
        if (receives && (receive.count < send.count || receive.type != send.type)) {
            throw new IllegalArgumentException(receive + " cannot take the result of " + send);
        }
        return send.count;
    }

    @HotPath
    @SuppressWarnings("ReferenceEquality")
    final Datatype reducedType(Buffer send, Buffer receive) {
        return send == Buffer.IN_PLACE ? receive.type : send.type;
    }

    /** How many elements each rank gets of a reduction in equal parts. */
    @HotPath
    @SuppressWarnings("ReferenceEquality")
    final long scattered(Buffer send, Buffer receive) {
        if (send == Buffer.IN_PLACE) {
            return share(receive, size);
        }
        if (send.count != receive.count * size || send.type != receive.type) {
            throw new IllegalArgumentException(send + " is not " + size + " times " + receive + ", one for each rank");
        }
        return receive.count;
    }

    /** The counts of a reduction whose result is handed out. */
    @HotPath
    @SuppressWarnings("ReferenceEquality")
    final long scattered(Blocks send, Buffer receive) {
        if (receive.type != send.buffer.type || receive.count < send.count(rank)) {
            throw new IllegalArgumentException(receive + " cannot take this rank's block of " + send);
        }
        return send.countsAt;
    }

    /** How many neighbours send to this rank. */
    @HotPath
    final int inDegree() {
        if (inDegree < 0) {
            askForNeighbours();
        }
        return inDegree;
    }

    /** How many neighbours this rank sends to. */
    @HotPath
    final int outDegree() {
        if (outDegree < 0) {
            askForNeighbours();
        }
        return outDegree;
    }

    private void askForNeighbours() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment one = arena.allocate(JAVA_INT, 3);
            MemorySegment two = one.asSlice(Integer.BYTES);
            instance.check(mpi_abi_h.MPI_Topo_test(handle(), one), "MPI_Topo_test", this);
            int kind = one.get(JAVA_INT, 0);
            if (kind == mpi_abi_h.MPI_CART()) {
                instance.check(mpi_abi_h.MPI_Cartdim_get(handle(), one), "MPI_Cartdim_get", this);
                inDegree = 2 * one.get(JAVA_INT, 0);
                outDegree = inDegree;
            } else if (kind == mpi_abi_h.MPI_GRAPH()) {
                instance.check(
                        mpi_abi_h.MPI_Graph_neighbors_count(handle(), rank, one), "MPI_Graph_neighbors_count", this);
                inDegree = one.get(JAVA_INT, 0);
                outDegree = inDegree;
            } else if (kind == mpi_abi_h.MPI_DIST_GRAPH()) {
                instance.check(
                        mpi_abi_h.MPI_Dist_graph_neighbors_count(handle(), one, two, two.asSlice(Integer.BYTES)),
                        "MPI_Dist_graph_neighbors_count",
                        this);
                inDegree = one.get(JAVA_INT, 0);
                outDegree = two.get(JAVA_INT, 0);
            } else {
                throw new IllegalStateException(this + " has no topology");
            }
        }
    }
}
