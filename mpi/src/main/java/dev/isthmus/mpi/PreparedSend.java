// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

/** A prepared send: the same buffer to the same rank with the same tag, as often as you like. */
public final class PreparedSend extends PreparedMessage {

    PreparedSend(Communicator communicator, Buffer buffer, int dest, int tag) {
        super(communicator, buffer, buffer.from(), dest, tag);
    }

    /** Sends what the buffer has now; returns when it is free again: {@code MPI_Send_c}. Blocks. */
    @HotPath
    public void send() {
        enter();
        check(Calls.send(address, count, type, peer, tag, comm), "MPI_Send_c");
    }

    /**
     * Sends what the buffer has now: {@code MPI_Isend_c}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param request is started
     */
    @HotPath
    public void isend(Request request) {
        enter();
        long slot = request.begin(this);
        request.began(Calls.isend(address, count, type, peer, tag, comm, slot), "MPI_Isend_c", this);
    }

    @Override
    String kind() {
        return "PreparedSend";
    }
}
