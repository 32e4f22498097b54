// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import dev.isthmus.bindings.mpi.mpi_abi_h;
import java.lang.foreign.MemorySegment;

/** The calls of a {@link Communicator} that transfer data: point to point, and of all ranks. Written by {@code mpi/generate}. */
public abstract sealed class Communication extends CommunicatorChecks permits Communicator {

    Communication(Instance instance, MemorySegment handle, boolean predefined) {
        super(instance, handle, predefined);
    }

    /**
     * Sends a message; returns when the buffer is free again, which may be before it is received: {@code MPI_Send_c}. Blocks.
     *
     * @param buffer the elements
     * @param dest the receiver's rank, or {@link Communicator#PROC_NULL}
     * @param tag the message's tag
     */
    @HotPath
    public final void send(Buffer buffer, int dest, int tag) {
        instance.check(
                mpi_abi_h.MPI_Send_c(buffer.from(), buffer.count, buffer.type(), peer(dest), tag(tag), handle()),
                "MPI_Send_c",
                this);
    }

    /**
     * Sends a message; returns when the buffer is free again, which may be before it is received: {@code MPI_Isend_c}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param buffer the elements
     * @param dest the receiver's rank, or {@link Communicator#PROC_NULL}
     * @param tag the message's tag
     * @param request is started
     */
    @HotPath
    public final void isend(Buffer buffer, int dest, int tag, Request request) {
        MemorySegment a0 = buffer.from();
        long a1 = buffer.count;
        MemorySegment a2 = buffer.type();
        int a3 = peer(dest);
        int a4 = tag(tag);
        MemorySegment comm = handle();
        MemorySegment slot = request.begin(buffer, null, null);
        request.began(mpi_abi_h.MPI_Isend_c(a0, a1, a2, a3, a4, comm, slot), "MPI_Isend_c", this);
    }

    /**
     * Sends a message; returns when the buffer is free again, which may be before it is received: {@code MPI_Send_init_c}. Does not wait; {@link Request#start} starts it.
     *
     * @param buffer the elements
     * @param dest the receiver's rank, or {@link Communicator#PROC_NULL}
     * @param tag the message's tag
     * @param request takes what is prepared
     */
    @HotPath
    public final void sendInit(Buffer buffer, int dest, int tag, Request request) {
        MemorySegment a0 = buffer.from();
        long a1 = buffer.count;
        MemorySegment a2 = buffer.type();
        int a3 = peer(dest);
        int a4 = tag(tag);
        MemorySegment comm = handle();
        MemorySegment slot = request.prepare(buffer, null, null);
        request.prepared(mpi_abi_h.MPI_Send_init_c(a0, a1, a2, a3, a4, comm, slot), "MPI_Send_init_c", this);
    }

    /**
     * Sends a message out of the memory of {@link Communicator#attachBuffer}; never waits for the receiver: {@code MPI_Bsend_c}. Blocks.
     *
     * @param buffer the elements
     * @param dest the receiver's rank, or {@link Communicator#PROC_NULL}
     * @param tag the message's tag
     */
    @HotPath
    public final void bsend(Buffer buffer, int dest, int tag) {
        instance.check(
                mpi_abi_h.MPI_Bsend_c(buffer.from(), buffer.count, buffer.type(), peer(dest), tag(tag), handle()),
                "MPI_Bsend_c",
                this);
    }

    /**
     * Sends a message out of the memory of {@link Communicator#attachBuffer}; never waits for the receiver: {@code MPI_Ibsend_c}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param buffer the elements
     * @param dest the receiver's rank, or {@link Communicator#PROC_NULL}
     * @param tag the message's tag
     * @param request is started
     */
    @HotPath
    public final void ibsend(Buffer buffer, int dest, int tag, Request request) {
        MemorySegment a0 = buffer.from();
        long a1 = buffer.count;
        MemorySegment a2 = buffer.type();
        int a3 = peer(dest);
        int a4 = tag(tag);
        MemorySegment comm = handle();
        MemorySegment slot = request.begin(buffer, null, null);
        request.began(mpi_abi_h.MPI_Ibsend_c(a0, a1, a2, a3, a4, comm, slot), "MPI_Ibsend_c", this);
    }

    /**
     * Sends a message out of the memory of {@link Communicator#attachBuffer}; never waits for the receiver: {@code MPI_Bsend_init_c}. Does not wait; {@link Request#start} starts it.
     *
     * @param buffer the elements
     * @param dest the receiver's rank, or {@link Communicator#PROC_NULL}
     * @param tag the message's tag
     * @param request takes what is prepared
     */
    @HotPath
    public final void bsendInit(Buffer buffer, int dest, int tag, Request request) {
        MemorySegment a0 = buffer.from();
        long a1 = buffer.count;
        MemorySegment a2 = buffer.type();
        int a3 = peer(dest);
        int a4 = tag(tag);
        MemorySegment comm = handle();
        MemorySegment slot = request.prepare(buffer, null, null);
        request.prepared(mpi_abi_h.MPI_Bsend_init_c(a0, a1, a2, a3, a4, comm, slot), "MPI_Bsend_init_c", this);
    }

    /**
     * Sends a message; completes when the receive has begun: {@code MPI_Ssend_c}. Blocks.
     *
     * @param buffer the elements
     * @param dest the receiver's rank, or {@link Communicator#PROC_NULL}
     * @param tag the message's tag
     */
    @HotPath
    public final void ssend(Buffer buffer, int dest, int tag) {
        instance.check(
                mpi_abi_h.MPI_Ssend_c(buffer.from(), buffer.count, buffer.type(), peer(dest), tag(tag), handle()),
                "MPI_Ssend_c",
                this);
    }

    /**
     * Sends a message; completes when the receive has begun: {@code MPI_Issend_c}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param buffer the elements
     * @param dest the receiver's rank, or {@link Communicator#PROC_NULL}
     * @param tag the message's tag
     * @param request is started
     */
    @HotPath
    public final void issend(Buffer buffer, int dest, int tag, Request request) {
        MemorySegment a0 = buffer.from();
        long a1 = buffer.count;
        MemorySegment a2 = buffer.type();
        int a3 = peer(dest);
        int a4 = tag(tag);
        MemorySegment comm = handle();
        MemorySegment slot = request.begin(buffer, null, null);
        request.began(mpi_abi_h.MPI_Issend_c(a0, a1, a2, a3, a4, comm, slot), "MPI_Issend_c", this);
    }

    /**
     * Sends a message; completes when the receive has begun: {@code MPI_Ssend_init_c}. Does not wait; {@link Request#start} starts it.
     *
     * @param buffer the elements
     * @param dest the receiver's rank, or {@link Communicator#PROC_NULL}
     * @param tag the message's tag
     * @param request takes what is prepared
     */
    @HotPath
    public final void ssendInit(Buffer buffer, int dest, int tag, Request request) {
        MemorySegment a0 = buffer.from();
        long a1 = buffer.count;
        MemorySegment a2 = buffer.type();
        int a3 = peer(dest);
        int a4 = tag(tag);
        MemorySegment comm = handle();
        MemorySegment slot = request.prepare(buffer, null, null);
        request.prepared(mpi_abi_h.MPI_Ssend_init_c(a0, a1, a2, a3, a4, comm, slot), "MPI_Ssend_init_c", this);
    }

    /**
     * Sends a message for which a receive is already posted: else it is lost or fails: {@code MPI_Rsend_c}. Blocks.
     *
     * @param buffer the elements
     * @param dest the receiver's rank, or {@link Communicator#PROC_NULL}
     * @param tag the message's tag
     */
    @HotPath
    public final void rsend(Buffer buffer, int dest, int tag) {
        instance.check(
                mpi_abi_h.MPI_Rsend_c(buffer.from(), buffer.count, buffer.type(), peer(dest), tag(tag), handle()),
                "MPI_Rsend_c",
                this);
    }

    /**
     * Sends a message for which a receive is already posted: else it is lost or fails: {@code MPI_Irsend_c}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param buffer the elements
     * @param dest the receiver's rank, or {@link Communicator#PROC_NULL}
     * @param tag the message's tag
     * @param request is started
     */
    @HotPath
    public final void irsend(Buffer buffer, int dest, int tag, Request request) {
        MemorySegment a0 = buffer.from();
        long a1 = buffer.count;
        MemorySegment a2 = buffer.type();
        int a3 = peer(dest);
        int a4 = tag(tag);
        MemorySegment comm = handle();
        MemorySegment slot = request.begin(buffer, null, null);
        request.began(mpi_abi_h.MPI_Irsend_c(a0, a1, a2, a3, a4, comm, slot), "MPI_Irsend_c", this);
    }

    /**
     * Sends a message for which a receive is already posted: else it is lost or fails: {@code MPI_Rsend_init_c}. Does not wait; {@link Request#start} starts it.
     *
     * @param buffer the elements
     * @param dest the receiver's rank, or {@link Communicator#PROC_NULL}
     * @param tag the message's tag
     * @param request takes what is prepared
     */
    @HotPath
    public final void rsendInit(Buffer buffer, int dest, int tag, Request request) {
        MemorySegment a0 = buffer.from();
        long a1 = buffer.count;
        MemorySegment a2 = buffer.type();
        int a3 = peer(dest);
        int a4 = tag(tag);
        MemorySegment comm = handle();
        MemorySegment slot = request.prepare(buffer, null, null);
        request.prepared(mpi_abi_h.MPI_Rsend_init_c(a0, a1, a2, a3, a4, comm, slot), "MPI_Rsend_init_c", this);
    }

    /**
     * Receives a message: {@code MPI_Recv_c}. Blocks.
     *
     * @param buffer the elements
     * @param source the sender's rank, {@link Communicator#ANY_SOURCE} or {@link Communicator#PROC_NULL}
     * @param tag the message's tag, or {@link Communicator#ANY_TAG}
     * @param status takes the message's source, tag and size, or is {@link Status#IGNORE}
     */
    @HotPath
    public final void recv(Buffer buffer, int source, int tag, Status status) {
        instance.check(
                mpi_abi_h.MPI_Recv_c(
                        buffer.into(),
                        buffer.count,
                        buffer.type(),
                        source(source),
                        receiveTag(tag),
                        handle(),
                        status.segment()),
                "MPI_Recv_c",
                this);
    }

    /**
     * Receives a message: {@code MPI_Recv_c}. Blocks.
     *
     * @param buffer the elements
     * @param source the sender's rank, {@link Communicator#ANY_SOURCE} or {@link Communicator#PROC_NULL}
     * @param tag the message's tag, or {@link Communicator#ANY_TAG}
     */
    @HotPath
    public final void recv(Buffer buffer, int source, int tag) {
        recv(buffer, source, tag, Status.IGNORE);
    }

    /**
     * Receives a message: {@code MPI_Irecv_c}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param buffer the elements
     * @param source the sender's rank, {@link Communicator#ANY_SOURCE} or {@link Communicator#PROC_NULL}
     * @param tag the message's tag, or {@link Communicator#ANY_TAG}
     * @param request is started
     */
    @HotPath
    public final void irecv(Buffer buffer, int source, int tag, Request request) {
        MemorySegment a0 = buffer.into();
        long a1 = buffer.count;
        MemorySegment a2 = buffer.type();
        int a3 = source(source);
        int a4 = receiveTag(tag);
        MemorySegment comm = handle();
        MemorySegment slot = request.begin(buffer, null, null);
        request.began(mpi_abi_h.MPI_Irecv_c(a0, a1, a2, a3, a4, comm, slot), "MPI_Irecv_c", this);
    }

    /**
     * Receives a message: {@code MPI_Recv_init_c}. Does not wait; {@link Request#start} starts it.
     *
     * @param buffer the elements
     * @param source the sender's rank, {@link Communicator#ANY_SOURCE} or {@link Communicator#PROC_NULL}
     * @param tag the message's tag, or {@link Communicator#ANY_TAG}
     * @param request takes what is prepared
     */
    @HotPath
    public final void recvInit(Buffer buffer, int source, int tag, Request request) {
        MemorySegment a0 = buffer.into();
        long a1 = buffer.count;
        MemorySegment a2 = buffer.type();
        int a3 = source(source);
        int a4 = receiveTag(tag);
        MemorySegment comm = handle();
        MemorySegment slot = request.prepare(buffer, null, null);
        request.prepared(mpi_abi_h.MPI_Recv_init_c(a0, a1, a2, a3, a4, comm, slot), "MPI_Recv_init_c", this);
    }

    /**
     * Sends one message and receives another: {@code MPI_Sendrecv_c}. Blocks.
     *
     * @param send what this rank sends
     * @param dest the receiver's rank, or {@link Communicator#PROC_NULL}
     * @param sendTag the tag of what is sent
     * @param receive where what it receives goes
     * @param source the sender's rank, {@link Communicator#ANY_SOURCE} or {@link Communicator#PROC_NULL}
     * @param receiveTag the tag of what is received, or {@link Communicator#ANY_TAG}
     * @param status takes the message's source, tag and size, or is {@link Status#IGNORE}
     */
    @HotPath
    public final void sendrecv(
            Buffer send, int dest, int sendTag, Buffer receive, int source, int receiveTag, Status status) {
        instance.check(
                mpi_abi_h.MPI_Sendrecv_c(
                        send.from(),
                        send.count,
                        send.type(),
                        peer(dest),
                        tag(sendTag),
                        receive.into(),
                        receive.count,
                        receive.type(),
                        source(source),
                        receiveTag(receiveTag),
                        handle(),
                        status.segment()),
                "MPI_Sendrecv_c",
                this);
    }

    /**
     * Sends one message and receives another: {@code MPI_Sendrecv_c}. Blocks.
     *
     * @param send what this rank sends
     * @param dest the receiver's rank, or {@link Communicator#PROC_NULL}
     * @param sendTag the tag of what is sent
     * @param receive where what it receives goes
     * @param source the sender's rank, {@link Communicator#ANY_SOURCE} or {@link Communicator#PROC_NULL}
     * @param receiveTag the tag of what is received, or {@link Communicator#ANY_TAG}
     */
    @HotPath
    public final void sendrecv(Buffer send, int dest, int sendTag, Buffer receive, int source, int receiveTag) {
        sendrecv(send, dest, sendTag, receive, source, receiveTag, Status.IGNORE);
    }

    /**
     * Sends one message and receives another: {@code MPI_Isendrecv_c}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param send what this rank sends
     * @param dest the receiver's rank, or {@link Communicator#PROC_NULL}
     * @param sendTag the tag of what is sent
     * @param receive where what it receives goes
     * @param source the sender's rank, {@link Communicator#ANY_SOURCE} or {@link Communicator#PROC_NULL}
     * @param receiveTag the tag of what is received, or {@link Communicator#ANY_TAG}
     * @param request is started
     */
    @HotPath
    public final void isendrecv(
            Buffer send, int dest, int sendTag, Buffer receive, int source, int receiveTag, Request request) {
        MemorySegment a0 = send.from();
        long a1 = send.count;
        MemorySegment a2 = send.type();
        int a3 = peer(dest);
        int a4 = tag(sendTag);
        MemorySegment a5 = receive.into();
        long a6 = receive.count;
        MemorySegment a7 = receive.type();
        int a8 = source(source);
        int a9 = receiveTag(receiveTag);
        MemorySegment comm = handle();
        MemorySegment slot = request.begin(send, receive, null);
        request.began(
                mpi_abi_h.MPI_Isendrecv_c(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, comm, slot), "MPI_Isendrecv_c", this);
    }

    /**
     * Sends a message, and receives another into its place: {@code MPI_Sendrecv_replace_c}. Blocks.
     *
     * @param buffer the elements
     * @param dest the receiver's rank, or {@link Communicator#PROC_NULL}
     * @param sendTag the tag of what is sent
     * @param source the sender's rank, {@link Communicator#ANY_SOURCE} or {@link Communicator#PROC_NULL}
     * @param receiveTag the tag of what is received, or {@link Communicator#ANY_TAG}
     * @param status takes the message's source, tag and size, or is {@link Status#IGNORE}
     */
    @HotPath
    public final void sendrecvReplace(Buffer buffer, int dest, int sendTag, int source, int receiveTag, Status status) {
        instance.check(
                mpi_abi_h.MPI_Sendrecv_replace_c(
                        buffer.into(),
                        buffer.count,
                        buffer.type(),
                        peer(dest),
                        tag(sendTag),
                        source(source),
                        receiveTag(receiveTag),
                        handle(),
                        status.segment()),
                "MPI_Sendrecv_replace_c",
                this);
    }

    /**
     * Sends a message, and receives another into its place: {@code MPI_Sendrecv_replace_c}. Blocks.
     *
     * @param buffer the elements
     * @param dest the receiver's rank, or {@link Communicator#PROC_NULL}
     * @param sendTag the tag of what is sent
     * @param source the sender's rank, {@link Communicator#ANY_SOURCE} or {@link Communicator#PROC_NULL}
     * @param receiveTag the tag of what is received, or {@link Communicator#ANY_TAG}
     */
    @HotPath
    public final void sendrecvReplace(Buffer buffer, int dest, int sendTag, int source, int receiveTag) {
        sendrecvReplace(buffer, dest, sendTag, source, receiveTag, Status.IGNORE);
    }

    /**
     * Sends a message, and receives another into its place: {@code MPI_Isendrecv_replace_c}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param buffer the elements
     * @param dest the receiver's rank, or {@link Communicator#PROC_NULL}
     * @param sendTag the tag of what is sent
     * @param source the sender's rank, {@link Communicator#ANY_SOURCE} or {@link Communicator#PROC_NULL}
     * @param receiveTag the tag of what is received, or {@link Communicator#ANY_TAG}
     * @param request is started
     */
    @HotPath
    public final void isendrecvReplace(
            Buffer buffer, int dest, int sendTag, int source, int receiveTag, Request request) {
        MemorySegment a0 = buffer.into();
        long a1 = buffer.count;
        MemorySegment a2 = buffer.type();
        int a3 = peer(dest);
        int a4 = tag(sendTag);
        int a5 = source(source);
        int a6 = receiveTag(receiveTag);
        MemorySegment comm = handle();
        MemorySegment slot = request.begin(buffer, null, null);
        request.began(
                mpi_abi_h.MPI_Isendrecv_replace_c(a0, a1, a2, a3, a4, a5, a6, comm, slot),
                "MPI_Isendrecv_replace_c",
                this);
    }

    /**
     * Prepares a send whose parts are handed over one by one, by {@link Request#ready}: {@code MPI_Psend_init}. Does not wait; {@link Request#start} starts it.
     *
     * @param buffer the elements
     * @param partitions of how many equal parts the buffer consists
     * @param dest the receiver's rank, or {@link Communicator#PROC_NULL}
     * @param tag the message's tag
     * @param info hints, or {@link Info#NULL}
     * @param request takes what is prepared
     */
    @HotPath
    public final void psendInit(Buffer buffer, int partitions, int dest, int tag, Info info, Request request) {
        MemorySegment a0 = buffer.from();
        int a1 = partitions;
        long a2 = share(buffer, partitions);
        MemorySegment a3 = buffer.type();
        int a4 = peer(dest);
        int a5 = tag(tag);
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(buffer, null, null);
        request.prepared(mpi_abi_h.MPI_Psend_init(a0, a1, a2, a3, a4, a5, comm, hints, slot), "MPI_Psend_init", this);
    }

    /**
     * Prepares a receive whose parts may be read one by one, as {@link Request#arrived} tells: {@code MPI_Precv_init}. Does not wait; {@link Request#start} starts it.
     *
     * @param buffer the elements
     * @param partitions of how many equal parts the buffer consists
     * @param source the sender's rank
     * @param tag the message's tag
     * @param info hints, or {@link Info#NULL}
     * @param request takes what is prepared
     */
    @HotPath
    public final void precvInit(Buffer buffer, int partitions, int source, int tag, Info info, Request request) {
        MemorySegment a0 = buffer.into();
        int a1 = partitions;
        long a2 = share(buffer, partitions);
        MemorySegment a3 = buffer.type();
        int a4 = peer(source);
        int a5 = tag(tag);
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(buffer, null, null);
        request.prepared(mpi_abi_h.MPI_Precv_init(a0, a1, a2, a3, a4, a5, comm, hints, slot), "MPI_Precv_init", this);
    }

    /**
     * Waits for a message that a receive would get now: {@code MPI_Probe}. Blocks.
     *
     * @param source the sender's rank, {@link Communicator#ANY_SOURCE} or {@link Communicator#PROC_NULL}
     * @param tag the message's tag, or {@link Communicator#ANY_TAG}
     * @param status takes the message's source, tag and size
     */
    @HotPath
    public final void probe(int source, int tag, Status status) {
        instance.check(
                mpi_abi_h.MPI_Probe(source(source), receiveTag(tag), handle(), status.segment()), "MPI_Probe", this);
    }

    /**
     * Whether there is a message that a receive would get now: {@code MPI_Iprobe}. Does not wait.
     *
     * @param source the sender's rank, {@link Communicator#ANY_SOURCE} or {@link Communicator#PROC_NULL}
     * @param tag the message's tag, or {@link Communicator#ANY_TAG}
     * @param status takes the message's source, tag and size
     * @return true if there is one
     */
    @HotPath
    public final boolean iprobe(int source, int tag, Status status) {
        instance.check(
                mpi_abi_h.MPI_Iprobe(source(source), receiveTag(tag), handle(), status.flag(), status.segment()),
                "MPI_Iprobe",
                this);
        return status.isFlagSet();
    }

    /**
     * Waits for a message, which only {@link Message#mrecv} then receives: {@code MPI_Mprobe}. Blocks.
     *
     * @param source the sender's rank, {@link Communicator#ANY_SOURCE} or {@link Communicator#PROC_NULL}
     * @param tag the message's tag, or {@link Communicator#ANY_TAG}
     * @param message takes the message
     */
    @HotPath
    public final void mprobe(int source, int tag, Message message) {
        MemorySegment slot = message.slot();
        instance.check(
                mpi_abi_h.MPI_Mprobe(
                        source(source),
                        receiveTag(tag),
                        handle(),
                        slot,
                        message.status().segment()),
                "MPI_Mprobe",
                this);
        message.found(this);
    }

    /**
     * Takes a message if there is one, which only {@link Message#mrecv} then receives: {@code MPI_Improbe}. Does not wait.
     *
     * @param source the sender's rank, {@link Communicator#ANY_SOURCE} or {@link Communicator#PROC_NULL}
     * @param tag the message's tag, or {@link Communicator#ANY_TAG}
     * @param message takes the message
     * @return true if there is one
     */
    @HotPath
    public final boolean improbe(int source, int tag, Message message) {
        MemorySegment slot = message.slot();
        instance.check(
                mpi_abi_h.MPI_Improbe(
                        source(source),
                        receiveTag(tag),
                        handle(),
                        message.flag(),
                        slot,
                        message.status().segment()),
                "MPI_Improbe",
                this);
        return message.foundIf(this);
    }

    /**
     * Waits for all ranks: {@code MPI_Barrier}. Blocks.
     */
    @HotPath
    public final void barrier() {
        instance.check(mpi_abi_h.MPI_Barrier(handle()), "MPI_Barrier", this);
    }

    /**
     * Waits for all ranks: {@code MPI_Ibarrier}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param request is started
     */
    @HotPath
    public final void ibarrier(Request request) {
        MemorySegment comm = handle();
        MemorySegment slot = request.begin(null, null, null);
        request.began(mpi_abi_h.MPI_Ibarrier(comm, slot), "MPI_Ibarrier", this);
    }

    /**
     * Waits for all ranks: {@code MPI_Barrier_init}. Does not wait; {@link Request#start} starts it.
     *
     * @param info hints, or {@link Info#NULL}
     * @param request takes what is prepared
     */
    @HotPath
    public final void barrierInit(Info info, Request request) {
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(null, null, null);
        request.prepared(mpi_abi_h.MPI_Barrier_init(comm, hints, slot), "MPI_Barrier_init", this);
    }

    /**
     * Sends the root's elements to all ranks: {@code MPI_Bcast_c}. Blocks.
     *
     * @param buffer the elements
     * @param root the rank of the root, the same on all ranks
     */
    @HotPath
    public final void bcast(Buffer buffer, int root) {
        instance.check(
                mpi_abi_h.MPI_Bcast_c(
                        isRoot(root) ? buffer.from() : buffer.into(),
                        buffer.count,
                        buffer.type(),
                        root(root),
                        handle()),
                "MPI_Bcast_c",
                this);
    }

    /**
     * Sends the root's elements to all ranks: {@code MPI_Ibcast_c}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param buffer the elements
     * @param root the rank of the root, the same on all ranks
     * @param request is started
     */
    @HotPath
    public final void ibcast(Buffer buffer, int root, Request request) {
        MemorySegment a0 = isRoot(root) ? buffer.from() : buffer.into();
        long a1 = buffer.count;
        MemorySegment a2 = buffer.type();
        int a3 = root(root);
        MemorySegment comm = handle();
        MemorySegment slot = request.begin(buffer, null, null);
        request.began(mpi_abi_h.MPI_Ibcast_c(a0, a1, a2, a3, comm, slot), "MPI_Ibcast_c", this);
    }

    /**
     * Sends the root's elements to all ranks: {@code MPI_Bcast_init_c}. Does not wait; {@link Request#start} starts it.
     *
     * @param buffer the elements
     * @param root the rank of the root, the same on all ranks
     * @param info hints, or {@link Info#NULL}
     * @param request takes what is prepared
     */
    @HotPath
    public final void bcastInit(Buffer buffer, int root, Info info, Request request) {
        MemorySegment a0 = isRoot(root) ? buffer.from() : buffer.into();
        long a1 = buffer.count;
        MemorySegment a2 = buffer.type();
        int a3 = root(root);
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(buffer, null, null);
        request.prepared(mpi_abi_h.MPI_Bcast_init_c(a0, a1, a2, a3, comm, hints, slot), "MPI_Bcast_init_c", this);
    }

    /**
     * Collects equal parts of all ranks at the root, whose buffer holds them all: {@code MPI_Gather_c}. Blocks.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param root the rank of the root, the same on all ranks
     */
    @HotPath
    public final void gather(Buffer send, Buffer receive, int root) {
        instance.check(
                mpi_abi_h.MPI_Gather_c(
                        send.from(),
                        send.count,
                        send.type(),
                        isRoot(root) ? receive.into() : receive.from(),
                        isRoot(root) ? share(receive, peers) : 0,
                        receive.type(),
                        root(root),
                        handle()),
                "MPI_Gather_c",
                this);
    }

    /**
     * Collects equal parts of all ranks at the root, whose buffer holds them all: {@code MPI_Igather_c}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param root the rank of the root, the same on all ranks
     * @param request is started
     */
    @HotPath
    public final void igather(Buffer send, Buffer receive, int root, Request request) {
        MemorySegment a0 = send.from();
        long a1 = send.count;
        MemorySegment a2 = send.type();
        MemorySegment a3 = isRoot(root) ? receive.into() : receive.from();
        long a4 = isRoot(root) ? share(receive, peers) : 0;
        MemorySegment a5 = receive.type();
        int a6 = root(root);
        MemorySegment comm = handle();
        MemorySegment slot = request.begin(send, receive, null);
        request.began(mpi_abi_h.MPI_Igather_c(a0, a1, a2, a3, a4, a5, a6, comm, slot), "MPI_Igather_c", this);
    }

    /**
     * Collects equal parts of all ranks at the root, whose buffer holds them all: {@code MPI_Gather_init_c}. Does not wait; {@link Request#start} starts it.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param root the rank of the root, the same on all ranks
     * @param info hints, or {@link Info#NULL}
     * @param request takes what is prepared
     */
    @HotPath
    public final void gatherInit(Buffer send, Buffer receive, int root, Info info, Request request) {
        MemorySegment a0 = send.from();
        long a1 = send.count;
        MemorySegment a2 = send.type();
        MemorySegment a3 = isRoot(root) ? receive.into() : receive.from();
        long a4 = isRoot(root) ? share(receive, peers) : 0;
        MemorySegment a5 = receive.type();
        int a6 = root(root);
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, null);
        request.prepared(
                mpi_abi_h.MPI_Gather_init_c(a0, a1, a2, a3, a4, a5, a6, comm, hints, slot), "MPI_Gather_init_c", this);
    }

    /**
     * Collects parts of all ranks at the root: {@code MPI_Gatherv_c}. Blocks.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param root the rank of the root, the same on all ranks
     */
    @HotPath
    public final void gatherv(Buffer send, Blocks receive, int root) {
        instance.check(
                mpi_abi_h.MPI_Gatherv_c(
                        send.from(),
                        send.count,
                        send.type(),
                        isRoot(root) ? receive.into(peers, false) : receive.buffer.from(),
                        receive.counts,
                        receive.displacements,
                        receive.type(),
                        root(root),
                        handle()),
                "MPI_Gatherv_c",
                this);
    }

    /**
     * Collects parts of all ranks at the root: {@code MPI_Igatherv_c}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param root the rank of the root, the same on all ranks
     * @param request is started
     */
    @HotPath
    public final void igatherv(Buffer send, Blocks receive, int root, Request request) {
        MemorySegment a0 = send.from();
        long a1 = send.count;
        MemorySegment a2 = send.type();
        MemorySegment a3 = isRoot(root) ? receive.into(peers, false) : receive.buffer.from();
        MemorySegment a4 = receive.counts;
        MemorySegment a5 = receive.displacements;
        MemorySegment a6 = receive.type();
        int a7 = root(root);
        MemorySegment comm = handle();
        MemorySegment slot = request.begin(send, receive, null);
        request.began(mpi_abi_h.MPI_Igatherv_c(a0, a1, a2, a3, a4, a5, a6, a7, comm, slot), "MPI_Igatherv_c", this);
    }

    /**
     * Collects parts of all ranks at the root: {@code MPI_Gatherv_init_c}. Does not wait; {@link Request#start} starts it.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param root the rank of the root, the same on all ranks
     * @param info hints, or {@link Info#NULL}
     * @param request takes what is prepared
     */
    @HotPath
    public final void gathervInit(Buffer send, Blocks receive, int root, Info info, Request request) {
        MemorySegment a0 = send.from();
        long a1 = send.count;
        MemorySegment a2 = send.type();
        MemorySegment a3 = isRoot(root) ? receive.into(peers, false) : receive.buffer.from();
        MemorySegment a4 = receive.counts;
        MemorySegment a5 = receive.displacements;
        MemorySegment a6 = receive.type();
        int a7 = root(root);
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, null);
        request.prepared(
                mpi_abi_h.MPI_Gatherv_init_c(a0, a1, a2, a3, a4, a5, a6, a7, comm, hints, slot),
                "MPI_Gatherv_init_c",
                this);
    }

    /**
     * Hands out equal parts of the root's buffer to all ranks: {@code MPI_Scatter_c}. Blocks.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param root the rank of the root, the same on all ranks
     */
    @HotPath
    public final void scatter(Buffer send, Buffer receive, int root) {
        instance.check(
                mpi_abi_h.MPI_Scatter_c(
                        send.from(),
                        isRoot(root) ? share(send, peers) : 0,
                        send.type(),
                        receive.into(),
                        receive.count,
                        receive.type(),
                        root(root),
                        handle()),
                "MPI_Scatter_c",
                this);
    }

    /**
     * Hands out equal parts of the root's buffer to all ranks: {@code MPI_Iscatter_c}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param root the rank of the root, the same on all ranks
     * @param request is started
     */
    @HotPath
    public final void iscatter(Buffer send, Buffer receive, int root, Request request) {
        MemorySegment a0 = send.from();
        long a1 = isRoot(root) ? share(send, peers) : 0;
        MemorySegment a2 = send.type();
        MemorySegment a3 = receive.into();
        long a4 = receive.count;
        MemorySegment a5 = receive.type();
        int a6 = root(root);
        MemorySegment comm = handle();
        MemorySegment slot = request.begin(send, receive, null);
        request.began(mpi_abi_h.MPI_Iscatter_c(a0, a1, a2, a3, a4, a5, a6, comm, slot), "MPI_Iscatter_c", this);
    }

    /**
     * Hands out equal parts of the root's buffer to all ranks: {@code MPI_Scatter_init_c}. Does not wait; {@link Request#start} starts it.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param root the rank of the root, the same on all ranks
     * @param info hints, or {@link Info#NULL}
     * @param request takes what is prepared
     */
    @HotPath
    public final void scatterInit(Buffer send, Buffer receive, int root, Info info, Request request) {
        MemorySegment a0 = send.from();
        long a1 = isRoot(root) ? share(send, peers) : 0;
        MemorySegment a2 = send.type();
        MemorySegment a3 = receive.into();
        long a4 = receive.count;
        MemorySegment a5 = receive.type();
        int a6 = root(root);
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, null);
        request.prepared(
                mpi_abi_h.MPI_Scatter_init_c(a0, a1, a2, a3, a4, a5, a6, comm, hints, slot),
                "MPI_Scatter_init_c",
                this);
    }

    /**
     * Hands out parts of the root's memory to all ranks: {@code MPI_Scatterv_c}. Blocks.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param root the rank of the root, the same on all ranks
     */
    @HotPath
    public final void scatterv(Blocks send, Buffer receive, int root) {
        instance.check(
                mpi_abi_h.MPI_Scatterv_c(
                        isRoot(root) ? send.from(peers, false) : send.buffer.from(),
                        send.counts,
                        send.displacements,
                        send.type(),
                        receive.into(),
                        receive.count,
                        receive.type(),
                        root(root),
                        handle()),
                "MPI_Scatterv_c",
                this);
    }

    /**
     * Hands out parts of the root's memory to all ranks: {@code MPI_Iscatterv_c}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param root the rank of the root, the same on all ranks
     * @param request is started
     */
    @HotPath
    public final void iscatterv(Blocks send, Buffer receive, int root, Request request) {
        MemorySegment a0 = isRoot(root) ? send.from(peers, false) : send.buffer.from();
        MemorySegment a1 = send.counts;
        MemorySegment a2 = send.displacements;
        MemorySegment a3 = send.type();
        MemorySegment a4 = receive.into();
        long a5 = receive.count;
        MemorySegment a6 = receive.type();
        int a7 = root(root);
        MemorySegment comm = handle();
        MemorySegment slot = request.begin(send, receive, null);
        request.began(mpi_abi_h.MPI_Iscatterv_c(a0, a1, a2, a3, a4, a5, a6, a7, comm, slot), "MPI_Iscatterv_c", this);
    }

    /**
     * Hands out parts of the root's memory to all ranks: {@code MPI_Scatterv_init_c}. Does not wait; {@link Request#start} starts it.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param root the rank of the root, the same on all ranks
     * @param info hints, or {@link Info#NULL}
     * @param request takes what is prepared
     */
    @HotPath
    public final void scattervInit(Blocks send, Buffer receive, int root, Info info, Request request) {
        MemorySegment a0 = isRoot(root) ? send.from(peers, false) : send.buffer.from();
        MemorySegment a1 = send.counts;
        MemorySegment a2 = send.displacements;
        MemorySegment a3 = send.type();
        MemorySegment a4 = receive.into();
        long a5 = receive.count;
        MemorySegment a6 = receive.type();
        int a7 = root(root);
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, null);
        request.prepared(
                mpi_abi_h.MPI_Scatterv_init_c(a0, a1, a2, a3, a4, a5, a6, a7, comm, hints, slot),
                "MPI_Scatterv_init_c",
                this);
    }

    /**
     * Collects equal parts of all ranks at all ranks, whose buffers hold them all: {@code MPI_Allgather_c}. Blocks.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     */
    @HotPath
    public final void allgather(Buffer send, Buffer receive) {
        instance.check(
                mpi_abi_h.MPI_Allgather_c(
                        send.from(),
                        send.count,
                        send.type(),
                        receive.into(),
                        share(receive, peers),
                        receive.type(),
                        handle()),
                "MPI_Allgather_c",
                this);
    }

    /**
     * Collects equal parts of all ranks at all ranks, whose buffers hold them all: {@code MPI_Iallgather_c}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param request is started
     */
    @HotPath
    public final void iallgather(Buffer send, Buffer receive, Request request) {
        MemorySegment a0 = send.from();
        long a1 = send.count;
        MemorySegment a2 = send.type();
        MemorySegment a3 = receive.into();
        long a4 = share(receive, peers);
        MemorySegment a5 = receive.type();
        MemorySegment comm = handle();
        MemorySegment slot = request.begin(send, receive, null);
        request.began(mpi_abi_h.MPI_Iallgather_c(a0, a1, a2, a3, a4, a5, comm, slot), "MPI_Iallgather_c", this);
    }

    /**
     * Collects equal parts of all ranks at all ranks, whose buffers hold them all: {@code MPI_Allgather_init_c}. Does not wait; {@link Request#start} starts it.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param info hints, or {@link Info#NULL}
     * @param request takes what is prepared
     */
    @HotPath
    public final void allgatherInit(Buffer send, Buffer receive, Info info, Request request) {
        MemorySegment a0 = send.from();
        long a1 = send.count;
        MemorySegment a2 = send.type();
        MemorySegment a3 = receive.into();
        long a4 = share(receive, peers);
        MemorySegment a5 = receive.type();
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, null);
        request.prepared(
                mpi_abi_h.MPI_Allgather_init_c(a0, a1, a2, a3, a4, a5, comm, hints, slot),
                "MPI_Allgather_init_c",
                this);
    }

    /**
     * Collects parts of all ranks at all ranks: {@code MPI_Allgatherv_c}. Blocks.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     */
    @HotPath
    public final void allgatherv(Buffer send, Blocks receive) {
        instance.check(
                mpi_abi_h.MPI_Allgatherv_c(
                        send.from(),
                        send.count,
                        send.type(),
                        receive.into(peers, false),
                        receive.counts,
                        receive.displacements,
                        receive.type(),
                        handle()),
                "MPI_Allgatherv_c",
                this);
    }

    /**
     * Collects parts of all ranks at all ranks: {@code MPI_Iallgatherv_c}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param request is started
     */
    @HotPath
    public final void iallgatherv(Buffer send, Blocks receive, Request request) {
        MemorySegment a0 = send.from();
        long a1 = send.count;
        MemorySegment a2 = send.type();
        MemorySegment a3 = receive.into(peers, false);
        MemorySegment a4 = receive.counts;
        MemorySegment a5 = receive.displacements;
        MemorySegment a6 = receive.type();
        MemorySegment comm = handle();
        MemorySegment slot = request.begin(send, receive, null);
        request.began(mpi_abi_h.MPI_Iallgatherv_c(a0, a1, a2, a3, a4, a5, a6, comm, slot), "MPI_Iallgatherv_c", this);
    }

    /**
     * Collects parts of all ranks at all ranks: {@code MPI_Allgatherv_init_c}. Does not wait; {@link Request#start} starts it.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param info hints, or {@link Info#NULL}
     * @param request takes what is prepared
     */
    @HotPath
    public final void allgathervInit(Buffer send, Blocks receive, Info info, Request request) {
        MemorySegment a0 = send.from();
        long a1 = send.count;
        MemorySegment a2 = send.type();
        MemorySegment a3 = receive.into(peers, false);
        MemorySegment a4 = receive.counts;
        MemorySegment a5 = receive.displacements;
        MemorySegment a6 = receive.type();
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, null);
        request.prepared(
                mpi_abi_h.MPI_Allgatherv_init_c(a0, a1, a2, a3, a4, a5, a6, comm, hints, slot),
                "MPI_Allgatherv_init_c",
                this);
    }

    /**
     * Exchanges equal parts of the buffer between each two ranks: {@code MPI_Alltoall_c}. Blocks.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     */
    @HotPath
    public final void alltoall(Buffer send, Buffer receive) {
        instance.check(
                mpi_abi_h.MPI_Alltoall_c(
                        send.from(),
                        share(send, peers),
                        send.type(),
                        receive.into(),
                        share(receive, peers),
                        receive.type(),
                        handle()),
                "MPI_Alltoall_c",
                this);
    }

    /**
     * Exchanges equal parts of the buffer between each two ranks: {@code MPI_Ialltoall_c}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param request is started
     */
    @HotPath
    public final void ialltoall(Buffer send, Buffer receive, Request request) {
        MemorySegment a0 = send.from();
        long a1 = share(send, peers);
        MemorySegment a2 = send.type();
        MemorySegment a3 = receive.into();
        long a4 = share(receive, peers);
        MemorySegment a5 = receive.type();
        MemorySegment comm = handle();
        MemorySegment slot = request.begin(send, receive, null);
        request.began(mpi_abi_h.MPI_Ialltoall_c(a0, a1, a2, a3, a4, a5, comm, slot), "MPI_Ialltoall_c", this);
    }

    /**
     * Exchanges equal parts of the buffer between each two ranks: {@code MPI_Alltoall_init_c}. Does not wait; {@link Request#start} starts it.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param info hints, or {@link Info#NULL}
     * @param request takes what is prepared
     */
    @HotPath
    public final void alltoallInit(Buffer send, Buffer receive, Info info, Request request) {
        MemorySegment a0 = send.from();
        long a1 = share(send, peers);
        MemorySegment a2 = send.type();
        MemorySegment a3 = receive.into();
        long a4 = share(receive, peers);
        MemorySegment a5 = receive.type();
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, null);
        request.prepared(
                mpi_abi_h.MPI_Alltoall_init_c(a0, a1, a2, a3, a4, a5, comm, hints, slot), "MPI_Alltoall_init_c", this);
    }

    /**
     * Exchanges parts of memory between each two ranks: {@code MPI_Alltoallv_c}. Blocks.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     */
    @HotPath
    public final void alltoallv(Blocks send, Blocks receive) {
        instance.check(
                mpi_abi_h.MPI_Alltoallv_c(
                        send.fromOrInPlace(peers, false),
                        send.counts,
                        send.displacements,
                        send.type(),
                        receive.into(peers, false),
                        receive.counts,
                        receive.displacements,
                        receive.type(),
                        handle()),
                "MPI_Alltoallv_c",
                this);
    }

    /**
     * Exchanges parts of memory between each two ranks: {@code MPI_Ialltoallv_c}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param request is started
     */
    @HotPath
    public final void ialltoallv(Blocks send, Blocks receive, Request request) {
        MemorySegment a0 = send.fromOrInPlace(peers, false);
        MemorySegment a1 = send.counts;
        MemorySegment a2 = send.displacements;
        MemorySegment a3 = send.type();
        MemorySegment a4 = receive.into(peers, false);
        MemorySegment a5 = receive.counts;
        MemorySegment a6 = receive.displacements;
        MemorySegment a7 = receive.type();
        MemorySegment comm = handle();
        MemorySegment slot = request.begin(send, receive, null);
        request.began(mpi_abi_h.MPI_Ialltoallv_c(a0, a1, a2, a3, a4, a5, a6, a7, comm, slot), "MPI_Ialltoallv_c", this);
    }

    /**
     * Exchanges parts of memory between each two ranks: {@code MPI_Alltoallv_init_c}. Does not wait; {@link Request#start} starts it.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param info hints, or {@link Info#NULL}
     * @param request takes what is prepared
     */
    @HotPath
    public final void alltoallvInit(Blocks send, Blocks receive, Info info, Request request) {
        MemorySegment a0 = send.fromOrInPlace(peers, false);
        MemorySegment a1 = send.counts;
        MemorySegment a2 = send.displacements;
        MemorySegment a3 = send.type();
        MemorySegment a4 = receive.into(peers, false);
        MemorySegment a5 = receive.counts;
        MemorySegment a6 = receive.displacements;
        MemorySegment a7 = receive.type();
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, null);
        request.prepared(
                mpi_abi_h.MPI_Alltoallv_init_c(a0, a1, a2, a3, a4, a5, a6, a7, comm, hints, slot),
                "MPI_Alltoallv_init_c",
                this);
    }

    /**
     * Exchanges parts of memory, each of its own datatype, between each two ranks: {@code MPI_Alltoallw_c}. Blocks.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     */
    @HotPath
    public final void alltoallw(Blocks send, Blocks receive) {
        instance.check(
                mpi_abi_h.MPI_Alltoallw_c(
                        send.fromOrInPlace(peers, true),
                        send.counts,
                        send.displacements,
                        send.types,
                        receive.into(peers, true),
                        receive.counts,
                        receive.displacements,
                        receive.types,
                        handle()),
                "MPI_Alltoallw_c",
                this);
    }

    /**
     * Exchanges parts of memory, each of its own datatype, between each two ranks: {@code MPI_Ialltoallw_c}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param request is started
     */
    @HotPath
    public final void ialltoallw(Blocks send, Blocks receive, Request request) {
        MemorySegment a0 = send.fromOrInPlace(peers, true);
        MemorySegment a1 = send.counts;
        MemorySegment a2 = send.displacements;
        MemorySegment a3 = send.types;
        MemorySegment a4 = receive.into(peers, true);
        MemorySegment a5 = receive.counts;
        MemorySegment a6 = receive.displacements;
        MemorySegment a7 = receive.types;
        MemorySegment comm = handle();
        MemorySegment slot = request.begin(send, receive, null);
        request.began(mpi_abi_h.MPI_Ialltoallw_c(a0, a1, a2, a3, a4, a5, a6, a7, comm, slot), "MPI_Ialltoallw_c", this);
    }

    /**
     * Exchanges parts of memory, each of its own datatype, between each two ranks: {@code MPI_Alltoallw_init_c}. Does not wait; {@link Request#start} starts it.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param info hints, or {@link Info#NULL}
     * @param request takes what is prepared
     */
    @HotPath
    public final void alltoallwInit(Blocks send, Blocks receive, Info info, Request request) {
        MemorySegment a0 = send.fromOrInPlace(peers, true);
        MemorySegment a1 = send.counts;
        MemorySegment a2 = send.displacements;
        MemorySegment a3 = send.types;
        MemorySegment a4 = receive.into(peers, true);
        MemorySegment a5 = receive.counts;
        MemorySegment a6 = receive.displacements;
        MemorySegment a7 = receive.types;
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, null);
        request.prepared(
                mpi_abi_h.MPI_Alltoallw_init_c(a0, a1, a2, a3, a4, a5, a6, a7, comm, hints, slot),
                "MPI_Alltoallw_init_c",
                this);
    }

    /**
     * Combines the elements of all ranks at the root: {@code MPI_Reduce_c}. Blocks.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param op the reduction
     * @param root the rank of the root, the same on all ranks
     */
    @HotPath
    public final void reduce(Buffer send, Buffer receive, Operation op, int root) {
        instance.check(
                mpi_abi_h.MPI_Reduce_c(
                        send.from(),
                        isRoot(root) ? receive.into() : receive.from(),
                        reduced(send, receive, isRoot(root)),
                        reducedType(send, receive).handle(),
                        op.handle(reducedType(send, receive)),
                        root(root),
                        handle()),
                "MPI_Reduce_c",
                this);
    }

    /**
     * Combines the elements of all ranks at the root: {@code MPI_Ireduce_c}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param op the reduction
     * @param root the rank of the root, the same on all ranks
     * @param request is started
     */
    @HotPath
    public final void ireduce(Buffer send, Buffer receive, Operation op, int root, Request request) {
        MemorySegment a0 = send.from();
        MemorySegment a1 = isRoot(root) ? receive.into() : receive.from();
        long a2 = reduced(send, receive, isRoot(root));
        MemorySegment a3 = reducedType(send, receive).handle();
        MemorySegment a4 = op.handle(reducedType(send, receive));
        int a5 = root(root);
        MemorySegment comm = handle();
        MemorySegment slot = request.begin(send, receive, op);
        request.began(mpi_abi_h.MPI_Ireduce_c(a0, a1, a2, a3, a4, a5, comm, slot), "MPI_Ireduce_c", this);
    }

    /**
     * Combines the elements of all ranks at the root: {@code MPI_Reduce_init_c}. Does not wait; {@link Request#start} starts it.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param op the reduction
     * @param root the rank of the root, the same on all ranks
     * @param info hints, or {@link Info#NULL}
     * @param request takes what is prepared
     */
    @HotPath
    public final void reduceInit(Buffer send, Buffer receive, Operation op, int root, Info info, Request request) {
        MemorySegment a0 = send.from();
        MemorySegment a1 = isRoot(root) ? receive.into() : receive.from();
        long a2 = reduced(send, receive, isRoot(root));
        MemorySegment a3 = reducedType(send, receive).handle();
        MemorySegment a4 = op.handle(reducedType(send, receive));
        int a5 = root(root);
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, op);
        request.prepared(
                mpi_abi_h.MPI_Reduce_init_c(a0, a1, a2, a3, a4, a5, comm, hints, slot), "MPI_Reduce_init_c", this);
    }

    /**
     * Combines the elements of all ranks at all ranks: {@code MPI_Allreduce_c}. Blocks.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param op the reduction
     */
    @HotPath
    public final void allreduce(Buffer send, Buffer receive, Operation op) {
        instance.check(
                mpi_abi_h.MPI_Allreduce_c(
                        send.from(),
                        receive.into(),
                        reduced(send, receive, true),
                        reducedType(send, receive).handle(),
                        op.handle(reducedType(send, receive)),
                        handle()),
                "MPI_Allreduce_c",
                this);
    }

    /**
     * Combines the elements of all ranks at all ranks: {@code MPI_Iallreduce_c}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param op the reduction
     * @param request is started
     */
    @HotPath
    public final void iallreduce(Buffer send, Buffer receive, Operation op, Request request) {
        MemorySegment a0 = send.from();
        MemorySegment a1 = receive.into();
        long a2 = reduced(send, receive, true);
        MemorySegment a3 = reducedType(send, receive).handle();
        MemorySegment a4 = op.handle(reducedType(send, receive));
        MemorySegment comm = handle();
        MemorySegment slot = request.begin(send, receive, op);
        request.began(mpi_abi_h.MPI_Iallreduce_c(a0, a1, a2, a3, a4, comm, slot), "MPI_Iallreduce_c", this);
    }

    /**
     * Combines the elements of all ranks at all ranks: {@code MPI_Allreduce_init_c}. Does not wait; {@link Request#start} starts it.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param op the reduction
     * @param info hints, or {@link Info#NULL}
     * @param request takes what is prepared
     */
    @HotPath
    public final void allreduceInit(Buffer send, Buffer receive, Operation op, Info info, Request request) {
        MemorySegment a0 = send.from();
        MemorySegment a1 = receive.into();
        long a2 = reduced(send, receive, true);
        MemorySegment a3 = reducedType(send, receive).handle();
        MemorySegment a4 = op.handle(reducedType(send, receive));
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, op);
        request.prepared(
                mpi_abi_h.MPI_Allreduce_init_c(a0, a1, a2, a3, a4, comm, hints, slot), "MPI_Allreduce_init_c", this);
    }

    /**
     * Combines the elements of all ranks, and hands out parts of the result: {@code MPI_Reduce_scatter_c}. Blocks.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param op the reduction
     */
    @HotPath
    public final void reduceScatter(Blocks send, Buffer receive, Operation op) {
        instance.check(
                mpi_abi_h.MPI_Reduce_scatter_c(
                        send.from(size, false),
                        receive.into(),
                        scattered(send, receive),
                        send.type(),
                        op.handle(send.buffer.type),
                        handle()),
                "MPI_Reduce_scatter_c",
                this);
    }

    /**
     * Combines the elements of all ranks, and hands out parts of the result: {@code MPI_Ireduce_scatter_c}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param op the reduction
     * @param request is started
     */
    @HotPath
    public final void ireduceScatter(Blocks send, Buffer receive, Operation op, Request request) {
        MemorySegment a0 = send.from(size, false);
        MemorySegment a1 = receive.into();
        MemorySegment a2 = scattered(send, receive);
        MemorySegment a3 = send.type();
        MemorySegment a4 = op.handle(send.buffer.type);
        MemorySegment comm = handle();
        MemorySegment slot = request.begin(send, receive, op);
        request.began(mpi_abi_h.MPI_Ireduce_scatter_c(a0, a1, a2, a3, a4, comm, slot), "MPI_Ireduce_scatter_c", this);
    }

    /**
     * Combines the elements of all ranks, and hands out parts of the result: {@code MPI_Reduce_scatter_init_c}. Does not wait; {@link Request#start} starts it.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param op the reduction
     * @param info hints, or {@link Info#NULL}
     * @param request takes what is prepared
     */
    @HotPath
    public final void reduceScatterInit(Blocks send, Buffer receive, Operation op, Info info, Request request) {
        MemorySegment a0 = send.from(size, false);
        MemorySegment a1 = receive.into();
        MemorySegment a2 = scattered(send, receive);
        MemorySegment a3 = send.type();
        MemorySegment a4 = op.handle(send.buffer.type);
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, op);
        request.prepared(
                mpi_abi_h.MPI_Reduce_scatter_init_c(a0, a1, a2, a3, a4, comm, hints, slot),
                "MPI_Reduce_scatter_init_c",
                this);
    }

    /**
     * Combines the elements of all ranks, and hands out equal parts of the result: {@code MPI_Reduce_scatter_block_c}. Blocks.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param op the reduction
     */
    @HotPath
    public final void reduceScatterBlock(Buffer send, Buffer receive, Operation op) {
        instance.check(
                mpi_abi_h.MPI_Reduce_scatter_block_c(
                        send.from(),
                        receive.into(),
                        scattered(send, receive),
                        receive.type(),
                        op.handle(receive.type),
                        handle()),
                "MPI_Reduce_scatter_block_c",
                this);
    }

    /**
     * Combines the elements of all ranks, and hands out equal parts of the result: {@code MPI_Ireduce_scatter_block_c}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param op the reduction
     * @param request is started
     */
    @HotPath
    public final void ireduceScatterBlock(Buffer send, Buffer receive, Operation op, Request request) {
        MemorySegment a0 = send.from();
        MemorySegment a1 = receive.into();
        long a2 = scattered(send, receive);
        MemorySegment a3 = receive.type();
        MemorySegment a4 = op.handle(receive.type);
        MemorySegment comm = handle();
        MemorySegment slot = request.begin(send, receive, op);
        request.began(
                mpi_abi_h.MPI_Ireduce_scatter_block_c(a0, a1, a2, a3, a4, comm, slot),
                "MPI_Ireduce_scatter_block_c",
                this);
    }

    /**
     * Combines the elements of all ranks, and hands out equal parts of the result: {@code MPI_Reduce_scatter_block_init_c}. Does not wait; {@link Request#start} starts it.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param op the reduction
     * @param info hints, or {@link Info#NULL}
     * @param request takes what is prepared
     */
    @HotPath
    public final void reduceScatterBlockInit(Buffer send, Buffer receive, Operation op, Info info, Request request) {
        MemorySegment a0 = send.from();
        MemorySegment a1 = receive.into();
        long a2 = scattered(send, receive);
        MemorySegment a3 = receive.type();
        MemorySegment a4 = op.handle(receive.type);
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, op);
        request.prepared(
                mpi_abi_h.MPI_Reduce_scatter_block_init_c(a0, a1, a2, a3, a4, comm, hints, slot),
                "MPI_Reduce_scatter_block_init_c",
                this);
    }

    /**
     * Combines the elements of the ranks up to this one: {@code MPI_Scan_c}. Blocks.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param op the reduction
     */
    @HotPath
    public final void scan(Buffer send, Buffer receive, Operation op) {
        instance.check(
                mpi_abi_h.MPI_Scan_c(
                        send.from(),
                        receive.into(),
                        reduced(send, receive, true),
                        reducedType(send, receive).handle(),
                        op.handle(reducedType(send, receive)),
                        handle()),
                "MPI_Scan_c",
                this);
    }

    /**
     * Combines the elements of the ranks up to this one: {@code MPI_Iscan_c}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param op the reduction
     * @param request is started
     */
    @HotPath
    public final void iscan(Buffer send, Buffer receive, Operation op, Request request) {
        MemorySegment a0 = send.from();
        MemorySegment a1 = receive.into();
        long a2 = reduced(send, receive, true);
        MemorySegment a3 = reducedType(send, receive).handle();
        MemorySegment a4 = op.handle(reducedType(send, receive));
        MemorySegment comm = handle();
        MemorySegment slot = request.begin(send, receive, op);
        request.began(mpi_abi_h.MPI_Iscan_c(a0, a1, a2, a3, a4, comm, slot), "MPI_Iscan_c", this);
    }

    /**
     * Combines the elements of the ranks up to this one: {@code MPI_Scan_init_c}. Does not wait; {@link Request#start} starts it.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param op the reduction
     * @param info hints, or {@link Info#NULL}
     * @param request takes what is prepared
     */
    @HotPath
    public final void scanInit(Buffer send, Buffer receive, Operation op, Info info, Request request) {
        MemorySegment a0 = send.from();
        MemorySegment a1 = receive.into();
        long a2 = reduced(send, receive, true);
        MemorySegment a3 = reducedType(send, receive).handle();
        MemorySegment a4 = op.handle(reducedType(send, receive));
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, op);
        request.prepared(mpi_abi_h.MPI_Scan_init_c(a0, a1, a2, a3, a4, comm, hints, slot), "MPI_Scan_init_c", this);
    }

    /**
     * Combines the elements of the ranks below this one: {@code MPI_Exscan_c}. Blocks.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param op the reduction
     */
    @HotPath
    public final void exscan(Buffer send, Buffer receive, Operation op) {
        instance.check(
                mpi_abi_h.MPI_Exscan_c(
                        send.from(),
                        receive.into(),
                        reduced(send, receive, true),
                        reducedType(send, receive).handle(),
                        op.handle(reducedType(send, receive)),
                        handle()),
                "MPI_Exscan_c",
                this);
    }

    /**
     * Combines the elements of the ranks below this one: {@code MPI_Iexscan_c}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param op the reduction
     * @param request is started
     */
    @HotPath
    public final void iexscan(Buffer send, Buffer receive, Operation op, Request request) {
        MemorySegment a0 = send.from();
        MemorySegment a1 = receive.into();
        long a2 = reduced(send, receive, true);
        MemorySegment a3 = reducedType(send, receive).handle();
        MemorySegment a4 = op.handle(reducedType(send, receive));
        MemorySegment comm = handle();
        MemorySegment slot = request.begin(send, receive, op);
        request.began(mpi_abi_h.MPI_Iexscan_c(a0, a1, a2, a3, a4, comm, slot), "MPI_Iexscan_c", this);
    }

    /**
     * Combines the elements of the ranks below this one: {@code MPI_Exscan_init_c}. Does not wait; {@link Request#start} starts it.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param op the reduction
     * @param info hints, or {@link Info#NULL}
     * @param request takes what is prepared
     */
    @HotPath
    public final void exscanInit(Buffer send, Buffer receive, Operation op, Info info, Request request) {
        MemorySegment a0 = send.from();
        MemorySegment a1 = receive.into();
        long a2 = reduced(send, receive, true);
        MemorySegment a3 = reducedType(send, receive).handle();
        MemorySegment a4 = op.handle(reducedType(send, receive));
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, op);
        request.prepared(mpi_abi_h.MPI_Exscan_init_c(a0, a1, a2, a3, a4, comm, hints, slot), "MPI_Exscan_init_c", this);
    }

    /**
     * Collects equal parts of the neighbours in the topology: {@code MPI_Neighbor_allgather_c}. Blocks.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     */
    @HotPath
    public final void neighborAllgather(Buffer send, Buffer receive) {
        instance.check(
                mpi_abi_h.MPI_Neighbor_allgather_c(
                        send.from(),
                        send.count,
                        send.type(),
                        receive.into(),
                        share(receive, inDegree()),
                        receive.type(),
                        handle()),
                "MPI_Neighbor_allgather_c",
                this);
    }

    /**
     * Collects equal parts of the neighbours in the topology: {@code MPI_Ineighbor_allgather_c}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param request is started
     */
    @HotPath
    public final void ineighborAllgather(Buffer send, Buffer receive, Request request) {
        MemorySegment a0 = send.from();
        long a1 = send.count;
        MemorySegment a2 = send.type();
        MemorySegment a3 = receive.into();
        long a4 = share(receive, inDegree());
        MemorySegment a5 = receive.type();
        MemorySegment comm = handle();
        MemorySegment slot = request.begin(send, receive, null);
        request.began(
                mpi_abi_h.MPI_Ineighbor_allgather_c(a0, a1, a2, a3, a4, a5, comm, slot),
                "MPI_Ineighbor_allgather_c",
                this);
    }

    /**
     * Collects equal parts of the neighbours in the topology: {@code MPI_Neighbor_allgather_init_c}. Does not wait; {@link Request#start} starts it.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param info hints, or {@link Info#NULL}
     * @param request takes what is prepared
     */
    @HotPath
    public final void neighborAllgatherInit(Buffer send, Buffer receive, Info info, Request request) {
        MemorySegment a0 = send.from();
        long a1 = send.count;
        MemorySegment a2 = send.type();
        MemorySegment a3 = receive.into();
        long a4 = share(receive, inDegree());
        MemorySegment a5 = receive.type();
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, null);
        request.prepared(
                mpi_abi_h.MPI_Neighbor_allgather_init_c(a0, a1, a2, a3, a4, a5, comm, hints, slot),
                "MPI_Neighbor_allgather_init_c",
                this);
    }

    /**
     * Collects parts of the neighbours in the topology: {@code MPI_Neighbor_allgatherv_c}. Blocks.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     */
    @HotPath
    public final void neighborAllgatherv(Buffer send, Blocks receive) {
        instance.check(
                mpi_abi_h.MPI_Neighbor_allgatherv_c(
                        send.from(),
                        send.count,
                        send.type(),
                        receive.into(inDegree(), false),
                        receive.counts,
                        receive.displacements,
                        receive.type(),
                        handle()),
                "MPI_Neighbor_allgatherv_c",
                this);
    }

    /**
     * Collects parts of the neighbours in the topology: {@code MPI_Ineighbor_allgatherv_c}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param request is started
     */
    @HotPath
    public final void ineighborAllgatherv(Buffer send, Blocks receive, Request request) {
        MemorySegment a0 = send.from();
        long a1 = send.count;
        MemorySegment a2 = send.type();
        MemorySegment a3 = receive.into(inDegree(), false);
        MemorySegment a4 = receive.counts;
        MemorySegment a5 = receive.displacements;
        MemorySegment a6 = receive.type();
        MemorySegment comm = handle();
        MemorySegment slot = request.begin(send, receive, null);
        request.began(
                mpi_abi_h.MPI_Ineighbor_allgatherv_c(a0, a1, a2, a3, a4, a5, a6, comm, slot),
                "MPI_Ineighbor_allgatherv_c",
                this);
    }

    /**
     * Collects parts of the neighbours in the topology: {@code MPI_Neighbor_allgatherv_init_c}. Does not wait; {@link Request#start} starts it.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param info hints, or {@link Info#NULL}
     * @param request takes what is prepared
     */
    @HotPath
    public final void neighborAllgathervInit(Buffer send, Blocks receive, Info info, Request request) {
        MemorySegment a0 = send.from();
        long a1 = send.count;
        MemorySegment a2 = send.type();
        MemorySegment a3 = receive.into(inDegree(), false);
        MemorySegment a4 = receive.counts;
        MemorySegment a5 = receive.displacements;
        MemorySegment a6 = receive.type();
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, null);
        request.prepared(
                mpi_abi_h.MPI_Neighbor_allgatherv_init_c(a0, a1, a2, a3, a4, a5, a6, comm, hints, slot),
                "MPI_Neighbor_allgatherv_init_c",
                this);
    }

    /**
     * Exchanges equal parts with each neighbour in the topology: {@code MPI_Neighbor_alltoall_c}. Blocks.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     */
    @HotPath
    public final void neighborAlltoall(Buffer send, Buffer receive) {
        instance.check(
                mpi_abi_h.MPI_Neighbor_alltoall_c(
                        send.from(),
                        share(send, outDegree()),
                        send.type(),
                        receive.into(),
                        share(receive, inDegree()),
                        receive.type(),
                        handle()),
                "MPI_Neighbor_alltoall_c",
                this);
    }

    /**
     * Exchanges equal parts with each neighbour in the topology: {@code MPI_Ineighbor_alltoall_c}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param request is started
     */
    @HotPath
    public final void ineighborAlltoall(Buffer send, Buffer receive, Request request) {
        MemorySegment a0 = send.from();
        long a1 = share(send, outDegree());
        MemorySegment a2 = send.type();
        MemorySegment a3 = receive.into();
        long a4 = share(receive, inDegree());
        MemorySegment a5 = receive.type();
        MemorySegment comm = handle();
        MemorySegment slot = request.begin(send, receive, null);
        request.began(
                mpi_abi_h.MPI_Ineighbor_alltoall_c(a0, a1, a2, a3, a4, a5, comm, slot),
                "MPI_Ineighbor_alltoall_c",
                this);
    }

    /**
     * Exchanges equal parts with each neighbour in the topology: {@code MPI_Neighbor_alltoall_init_c}. Does not wait; {@link Request#start} starts it.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param info hints, or {@link Info#NULL}
     * @param request takes what is prepared
     */
    @HotPath
    public final void neighborAlltoallInit(Buffer send, Buffer receive, Info info, Request request) {
        MemorySegment a0 = send.from();
        long a1 = share(send, outDegree());
        MemorySegment a2 = send.type();
        MemorySegment a3 = receive.into();
        long a4 = share(receive, inDegree());
        MemorySegment a5 = receive.type();
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, null);
        request.prepared(
                mpi_abi_h.MPI_Neighbor_alltoall_init_c(a0, a1, a2, a3, a4, a5, comm, hints, slot),
                "MPI_Neighbor_alltoall_init_c",
                this);
    }

    /**
     * Exchanges parts with each neighbour in the topology: {@code MPI_Neighbor_alltoallv_c}. Blocks.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     */
    @HotPath
    public final void neighborAlltoallv(Blocks send, Blocks receive) {
        instance.check(
                mpi_abi_h.MPI_Neighbor_alltoallv_c(
                        send.from(outDegree(), false),
                        send.counts,
                        send.displacements,
                        send.type(),
                        receive.into(inDegree(), false),
                        receive.counts,
                        receive.displacements,
                        receive.type(),
                        handle()),
                "MPI_Neighbor_alltoallv_c",
                this);
    }

    /**
     * Exchanges parts with each neighbour in the topology: {@code MPI_Ineighbor_alltoallv_c}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param request is started
     */
    @HotPath
    public final void ineighborAlltoallv(Blocks send, Blocks receive, Request request) {
        MemorySegment a0 = send.from(outDegree(), false);
        MemorySegment a1 = send.counts;
        MemorySegment a2 = send.displacements;
        MemorySegment a3 = send.type();
        MemorySegment a4 = receive.into(inDegree(), false);
        MemorySegment a5 = receive.counts;
        MemorySegment a6 = receive.displacements;
        MemorySegment a7 = receive.type();
        MemorySegment comm = handle();
        MemorySegment slot = request.begin(send, receive, null);
        request.began(
                mpi_abi_h.MPI_Ineighbor_alltoallv_c(a0, a1, a2, a3, a4, a5, a6, a7, comm, slot),
                "MPI_Ineighbor_alltoallv_c",
                this);
    }

    /**
     * Exchanges parts with each neighbour in the topology: {@code MPI_Neighbor_alltoallv_init_c}. Does not wait; {@link Request#start} starts it.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param info hints, or {@link Info#NULL}
     * @param request takes what is prepared
     */
    @HotPath
    public final void neighborAlltoallvInit(Blocks send, Blocks receive, Info info, Request request) {
        MemorySegment a0 = send.from(outDegree(), false);
        MemorySegment a1 = send.counts;
        MemorySegment a2 = send.displacements;
        MemorySegment a3 = send.type();
        MemorySegment a4 = receive.into(inDegree(), false);
        MemorySegment a5 = receive.counts;
        MemorySegment a6 = receive.displacements;
        MemorySegment a7 = receive.type();
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, null);
        request.prepared(
                mpi_abi_h.MPI_Neighbor_alltoallv_init_c(a0, a1, a2, a3, a4, a5, a6, a7, comm, hints, slot),
                "MPI_Neighbor_alltoallv_init_c",
                this);
    }

    /**
     * Exchanges parts, each of its own datatype, with each neighbour in the topology: {@code MPI_Neighbor_alltoallw_c}. Blocks.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     */
    @HotPath
    public final void neighborAlltoallw(Blocks send, Blocks receive) {
        instance.check(
                mpi_abi_h.MPI_Neighbor_alltoallw_c(
                        send.from(outDegree(), true),
                        send.counts,
                        send.displacements,
                        send.types,
                        receive.into(inDegree(), true),
                        receive.counts,
                        receive.displacements,
                        receive.types,
                        handle()),
                "MPI_Neighbor_alltoallw_c",
                this);
    }

    /**
     * Exchanges parts, each of its own datatype, with each neighbour in the topology: {@code MPI_Ineighbor_alltoallw_c}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param request is started
     */
    @HotPath
    public final void ineighborAlltoallw(Blocks send, Blocks receive, Request request) {
        MemorySegment a0 = send.from(outDegree(), true);
        MemorySegment a1 = send.counts;
        MemorySegment a2 = send.displacements;
        MemorySegment a3 = send.types;
        MemorySegment a4 = receive.into(inDegree(), true);
        MemorySegment a5 = receive.counts;
        MemorySegment a6 = receive.displacements;
        MemorySegment a7 = receive.types;
        MemorySegment comm = handle();
        MemorySegment slot = request.begin(send, receive, null);
        request.began(
                mpi_abi_h.MPI_Ineighbor_alltoallw_c(a0, a1, a2, a3, a4, a5, a6, a7, comm, slot),
                "MPI_Ineighbor_alltoallw_c",
                this);
    }

    /**
     * Exchanges parts, each of its own datatype, with each neighbour in the topology: {@code MPI_Neighbor_alltoallw_init_c}. Does not wait; {@link Request#start} starts it.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     * @param info hints, or {@link Info#NULL}
     * @param request takes what is prepared
     */
    @HotPath
    public final void neighborAlltoallwInit(Blocks send, Blocks receive, Info info, Request request) {
        MemorySegment a0 = send.from(outDegree(), true);
        MemorySegment a1 = send.counts;
        MemorySegment a2 = send.displacements;
        MemorySegment a3 = send.types;
        MemorySegment a4 = receive.into(inDegree(), true);
        MemorySegment a5 = receive.counts;
        MemorySegment a6 = receive.displacements;
        MemorySegment a7 = receive.types;
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, null);
        request.prepared(
                mpi_abi_h.MPI_Neighbor_alltoallw_init_c(a0, a1, a2, a3, a4, a5, a6, a7, comm, hints, slot),
                "MPI_Neighbor_alltoallw_init_c",
                this);
    }
}
