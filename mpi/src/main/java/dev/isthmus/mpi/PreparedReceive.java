// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import java.lang.ref.Reference;

/** A prepared receive: into the same buffer from the same source with the same tag, as often as you like. */
public final class PreparedReceive extends PreparedMessage {

    PreparedReceive(Communicator communicator, Buffer buffer, int source, int tag) {
        super(communicator, buffer, buffer.into(), source, tag);
    }

    /**
     * Receives a message: {@code MPI_Recv_c}. Blocks.
     *
     * @param status takes the message's source, tag and size, or is {@link Status#IGNORE}
     */
    @HotPath
    @SuppressWarnings("ReachabilityFenceUsage") // what throws has not called C
    public void recv(Status status) {
        enter();
        int code = Calls.recv(address, count, type, peer, tag, comm, status.address());
        Reference.reachabilityFence(status);
        check(code, "MPI_Recv_c");
    }

    /** Receives a message: {@code MPI_Recv_c}. Blocks. */
    @HotPath
    public void recv() {
        recv(Status.IGNORE);
    }

    /**
     * Receives a message: {@code MPI_Irecv_c}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param request is started
     */
    @HotPath
    public void irecv(Request request) {
        enter();
        long slot = request.begin(this);
        request.began(Calls.irecv(address, count, type, peer, tag, comm, slot), "MPI_Irecv_c", this);
    }

    @Override
    String kind() {
        return "PreparedReceive";
    }
}
