// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import dev.isthmus.bindings.mpi.mpi_abi_h;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/** The calls of a {@link Communicator} that transfer data: point to point, and of all ranks. Written by {@code mpi/generate}. */
@SuppressWarnings("ReachabilityFenceUsage") // what throws has not called C
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
        long a0 = buffer.from();
        long a1 = buffer.count;
        long a2 = buffer.pointer();
        int a3 = peer(dest);
        int a4 = tag(tag);
        int code = buffer.isStable()
                ? Calls.send(a0, a1, a2, a3, a4, pointer())
                : Calls.send(buffer.segment, a1, a2, a3, a4, pointer());
        instance.check(code, "MPI_Send_c", this);
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
        long a0 = buffer.from();
        long a1 = buffer.count;
        long a2 = buffer.pointer();
        int a3 = peer(dest);
        int a4 = tag(tag);
        long comm = pointer();
        long slot = request.begin(buffer, null, null);
        request.began(Calls.isend(a0, a1, a2, a3, a4, comm, slot), "MPI_Isend_c", this);
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
        long a0 = buffer.from();
        long a1 = buffer.count;
        long a2 = buffer.pointer();
        int a3 = peer(dest);
        int a4 = tag(tag);
        MemorySegment comm = handle();
        MemorySegment slot = request.prepare(buffer, null, null);
        request.prepared(mpi_abi_h.MPI_Send_init_c(at(a0), a1, at(a2), a3, a4, comm, slot), "MPI_Send_init_c", this);
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
        long a0 = buffer.from();
        long a1 = buffer.count;
        long a2 = buffer.pointer();
        int a3 = peer(dest);
        int a4 = tag(tag);
        int code = buffer.isStable()
                ? Calls.bsend(a0, a1, a2, a3, a4, pointer())
                : Calls.bsend(buffer.segment, a1, a2, a3, a4, pointer());
        instance.check(code, "MPI_Bsend_c", this);
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
        long a0 = buffer.from();
        long a1 = buffer.count;
        long a2 = buffer.pointer();
        int a3 = peer(dest);
        int a4 = tag(tag);
        long comm = pointer();
        long slot = request.begin(buffer, null, null);
        request.began(Calls.ibsend(a0, a1, a2, a3, a4, comm, slot), "MPI_Ibsend_c", this);
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
        long a0 = buffer.from();
        long a1 = buffer.count;
        long a2 = buffer.pointer();
        int a3 = peer(dest);
        int a4 = tag(tag);
        MemorySegment comm = handle();
        MemorySegment slot = request.prepare(buffer, null, null);
        request.prepared(mpi_abi_h.MPI_Bsend_init_c(at(a0), a1, at(a2), a3, a4, comm, slot), "MPI_Bsend_init_c", this);
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
        long a0 = buffer.from();
        long a1 = buffer.count;
        long a2 = buffer.pointer();
        int a3 = peer(dest);
        int a4 = tag(tag);
        int code = buffer.isStable()
                ? Calls.ssend(a0, a1, a2, a3, a4, pointer())
                : Calls.ssend(buffer.segment, a1, a2, a3, a4, pointer());
        instance.check(code, "MPI_Ssend_c", this);
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
        long a0 = buffer.from();
        long a1 = buffer.count;
        long a2 = buffer.pointer();
        int a3 = peer(dest);
        int a4 = tag(tag);
        long comm = pointer();
        long slot = request.begin(buffer, null, null);
        request.began(Calls.issend(a0, a1, a2, a3, a4, comm, slot), "MPI_Issend_c", this);
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
        long a0 = buffer.from();
        long a1 = buffer.count;
        long a2 = buffer.pointer();
        int a3 = peer(dest);
        int a4 = tag(tag);
        MemorySegment comm = handle();
        MemorySegment slot = request.prepare(buffer, null, null);
        request.prepared(mpi_abi_h.MPI_Ssend_init_c(at(a0), a1, at(a2), a3, a4, comm, slot), "MPI_Ssend_init_c", this);
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
        long a0 = buffer.from();
        long a1 = buffer.count;
        long a2 = buffer.pointer();
        int a3 = peer(dest);
        int a4 = tag(tag);
        int code = buffer.isStable()
                ? Calls.rsend(a0, a1, a2, a3, a4, pointer())
                : Calls.rsend(buffer.segment, a1, a2, a3, a4, pointer());
        instance.check(code, "MPI_Rsend_c", this);
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
        long a0 = buffer.from();
        long a1 = buffer.count;
        long a2 = buffer.pointer();
        int a3 = peer(dest);
        int a4 = tag(tag);
        long comm = pointer();
        long slot = request.begin(buffer, null, null);
        request.began(Calls.irsend(a0, a1, a2, a3, a4, comm, slot), "MPI_Irsend_c", this);
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
        long a0 = buffer.from();
        long a1 = buffer.count;
        long a2 = buffer.pointer();
        int a3 = peer(dest);
        int a4 = tag(tag);
        MemorySegment comm = handle();
        MemorySegment slot = request.prepare(buffer, null, null);
        request.prepared(mpi_abi_h.MPI_Rsend_init_c(at(a0), a1, at(a2), a3, a4, comm, slot), "MPI_Rsend_init_c", this);
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
        long a0 = buffer.into();
        long a1 = buffer.count;
        long a2 = buffer.pointer();
        int a3 = source(source);
        int a4 = receiveTag(tag);
        int code = buffer.isStable()
                ? Calls.recv(a0, a1, a2, a3, a4, pointer(), status.address())
                : Calls.recv(buffer.segment, a1, a2, a3, a4, pointer(), status.address());
        Reference.reachabilityFence(status);
        instance.check(code, "MPI_Recv_c", this);
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
        long a0 = buffer.into();
        long a1 = buffer.count;
        long a2 = buffer.pointer();
        int a3 = source(source);
        int a4 = receiveTag(tag);
        long comm = pointer();
        long slot = request.begin(buffer, null, null);
        request.began(Calls.irecv(a0, a1, a2, a3, a4, comm, slot), "MPI_Irecv_c", this);
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
        long a0 = buffer.into();
        long a1 = buffer.count;
        long a2 = buffer.pointer();
        int a3 = source(source);
        int a4 = receiveTag(tag);
        MemorySegment comm = handle();
        MemorySegment slot = request.prepare(buffer, null, null);
        request.prepared(mpi_abi_h.MPI_Recv_init_c(at(a0), a1, at(a2), a3, a4, comm, slot), "MPI_Recv_init_c", this);
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
        long a0 = send.from();
        long a1 = send.count;
        long a2 = send.pointer();
        int a3 = peer(dest);
        int a4 = tag(sendTag);
        long a5 = receive.into();
        long a6 = receive.count;
        long a7 = receive.pointer();
        int a8 = source(source);
        int a9 = receiveTag(receiveTag);
        int code = send.isStable() && receive.isStable()
                ? Calls.sendrecv(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, pointer(), status.address())
                : Calls.sendrecv(
                        send.segment, a1, a2, a3, a4, receive.segment, a6, a7, a8, a9, pointer(), status.address());
        Reference.reachabilityFence(status);
        instance.check(code, "MPI_Sendrecv_c", this);
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
        long a0 = send.from();
        long a1 = send.count;
        long a2 = send.pointer();
        int a3 = peer(dest);
        int a4 = tag(sendTag);
        long a5 = receive.into();
        long a6 = receive.count;
        long a7 = receive.pointer();
        int a8 = source(source);
        int a9 = receiveTag(receiveTag);
        long comm = pointer();
        long slot = request.begin(send, receive, null);
        request.began(Calls.isendrecv(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, comm, slot), "MPI_Isendrecv_c", this);
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
        long a0 = buffer.into();
        long a1 = buffer.count;
        long a2 = buffer.pointer();
        int a3 = peer(dest);
        int a4 = tag(sendTag);
        int a5 = source(source);
        int a6 = receiveTag(receiveTag);
        int code = buffer.isStable()
                ? Calls.sendrecvReplace(a0, a1, a2, a3, a4, a5, a6, pointer(), status.address())
                : Calls.sendrecvReplace(buffer.segment, a1, a2, a3, a4, a5, a6, pointer(), status.address());
        Reference.reachabilityFence(status);
        instance.check(code, "MPI_Sendrecv_replace_c", this);
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
        long a0 = buffer.into();
        long a1 = buffer.count;
        long a2 = buffer.pointer();
        int a3 = peer(dest);
        int a4 = tag(sendTag);
        int a5 = source(source);
        int a6 = receiveTag(receiveTag);
        long comm = pointer();
        long slot = request.begin(buffer, null, null);
        request.began(Calls.isendrecvReplace(a0, a1, a2, a3, a4, a5, a6, comm, slot), "MPI_Isendrecv_replace_c", this);
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
        long a0 = buffer.from();
        int a1 = partitions;
        long a2 = share(buffer, partitions);
        long a3 = buffer.pointer();
        int a4 = peer(dest);
        int a5 = tag(tag);
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(buffer, null, null);
        request.prepared(
                mpi_abi_h.MPI_Psend_init(at(a0), a1, a2, at(a3), a4, a5, comm, hints, slot), "MPI_Psend_init", this);
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
        long a0 = buffer.into();
        int a1 = partitions;
        long a2 = share(buffer, partitions);
        long a3 = buffer.pointer();
        int a4 = peer(source);
        int a5 = tag(tag);
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(buffer, null, null);
        request.prepared(
                mpi_abi_h.MPI_Precv_init(at(a0), a1, a2, at(a3), a4, a5, comm, hints, slot), "MPI_Precv_init", this);
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
        int code = Calls.probe(source(source), receiveTag(tag), pointer(), status.address());
        Reference.reachabilityFence(status);
        instance.check(code, "MPI_Probe", this);
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
        int code = Calls.iprobe(source(source), receiveTag(tag), pointer(), status.flagAddress(), status.address());
        Reference.reachabilityFence(status);
        instance.check(code, "MPI_Iprobe", this);
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
        long slot = message.slotAddress();
        int code = Calls.mprobe(
                source(source),
                receiveTag(tag),
                pointer(),
                slot,
                message.status().address());
        Reference.reachabilityFence(message);
        instance.check(code, "MPI_Mprobe", this);
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
        long slot = message.slotAddress();
        int code = Calls.improbe(
                source(source),
                receiveTag(tag),
                pointer(),
                message.flagAddress(),
                slot,
                message.status().address());
        Reference.reachabilityFence(message);
        instance.check(code, "MPI_Improbe", this);
        return message.foundIf(this);
    }

    /**
     * Waits for all ranks: {@code MPI_Barrier}. Blocks.
     */
    @HotPath
    public final void barrier() {
        int code = Calls.barrier(pointer());
        instance.check(code, "MPI_Barrier", this);
    }

    /**
     * Waits for all ranks: {@code MPI_Ibarrier}. Does not wait; the memory is MPI's until the request has completed.
     *
     * @param request is started
     */
    @HotPath
    public final void ibarrier(Request request) {
        long comm = pointer();
        long slot = request.begin(null, null, null);
        request.began(Calls.ibarrier(comm, slot), "MPI_Ibarrier", this);
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
        long a0 = isRoot(root) ? buffer.from() : buffer.into();
        long a1 = buffer.count;
        long a2 = buffer.pointer();
        int a3 = root(root);
        int code = buffer.isStable()
                ? Calls.bcast(a0, a1, a2, a3, pointer())
                : Calls.bcast(buffer.segment, a1, a2, a3, pointer());
        instance.check(code, "MPI_Bcast_c", this);
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
        long a0 = isRoot(root) ? buffer.from() : buffer.into();
        long a1 = buffer.count;
        long a2 = buffer.pointer();
        int a3 = root(root);
        long comm = pointer();
        long slot = request.begin(buffer, null, null);
        request.began(Calls.ibcast(a0, a1, a2, a3, comm, slot), "MPI_Ibcast_c", this);
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
        long a0 = isRoot(root) ? buffer.from() : buffer.into();
        long a1 = buffer.count;
        long a2 = buffer.pointer();
        int a3 = root(root);
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(buffer, null, null);
        request.prepared(
                mpi_abi_h.MPI_Bcast_init_c(at(a0), a1, at(a2), a3, comm, hints, slot), "MPI_Bcast_init_c", this);
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
        long a0 = send.from();
        long a1 = send.count;
        long a2 = send.pointer();
        long a3 = isRoot(root) ? receive.into() : receive.from();
        long a4 = isRoot(root) ? share(receive, peers) : 0;
        long a5 = receive.pointer();
        int a6 = root(root);
        int code = send.isStable() && receive.isStable()
                ? Calls.gather(a0, a1, a2, a3, a4, a5, a6, pointer())
                : Calls.gather(send.segment, a1, a2, receive.segment, a4, a5, a6, pointer());
        instance.check(code, "MPI_Gather_c", this);
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
        long a0 = send.from();
        long a1 = send.count;
        long a2 = send.pointer();
        long a3 = isRoot(root) ? receive.into() : receive.from();
        long a4 = isRoot(root) ? share(receive, peers) : 0;
        long a5 = receive.pointer();
        int a6 = root(root);
        long comm = pointer();
        long slot = request.begin(send, receive, null);
        request.began(Calls.igather(a0, a1, a2, a3, a4, a5, a6, comm, slot), "MPI_Igather_c", this);
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
        long a0 = send.from();
        long a1 = send.count;
        long a2 = send.pointer();
        long a3 = isRoot(root) ? receive.into() : receive.from();
        long a4 = isRoot(root) ? share(receive, peers) : 0;
        long a5 = receive.pointer();
        int a6 = root(root);
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, null);
        request.prepared(
                mpi_abi_h.MPI_Gather_init_c(at(a0), a1, at(a2), at(a3), a4, at(a5), a6, comm, hints, slot),
                "MPI_Gather_init_c",
                this);
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
        long a0 = send.from();
        long a1 = send.count;
        long a2 = send.pointer();
        long a3 = isRoot(root) ? receive.into(peers, false) : receive.buffer.from();
        long a4 = receive.countsAt;
        long a5 = receive.displacementsAt;
        long a6 = receive.pointer();
        int a7 = root(root);
        int code = send.isStable() && receive.buffer.isStable()
                ? Calls.gatherv(a0, a1, a2, a3, a4, a5, a6, a7, pointer())
                : Calls.gatherv(send.segment, a1, a2, receive.buffer.segment, a4, a5, a6, a7, pointer());
        Reference.reachabilityFence(receive);
        instance.check(code, "MPI_Gatherv_c", this);
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
        long a0 = send.from();
        long a1 = send.count;
        long a2 = send.pointer();
        long a3 = isRoot(root) ? receive.into(peers, false) : receive.buffer.from();
        long a4 = receive.countsAt;
        long a5 = receive.displacementsAt;
        long a6 = receive.pointer();
        int a7 = root(root);
        long comm = pointer();
        long slot = request.begin(send, receive, null);
        request.began(Calls.igatherv(a0, a1, a2, a3, a4, a5, a6, a7, comm, slot), "MPI_Igatherv_c", this);
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
        long a0 = send.from();
        long a1 = send.count;
        long a2 = send.pointer();
        long a3 = isRoot(root) ? receive.into(peers, false) : receive.buffer.from();
        long a4 = receive.countsAt;
        long a5 = receive.displacementsAt;
        long a6 = receive.pointer();
        int a7 = root(root);
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, null);
        request.prepared(
                mpi_abi_h.MPI_Gatherv_init_c(at(a0), a1, at(a2), at(a3), at(a4), at(a5), at(a6), a7, comm, hints, slot),
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
        long a0 = send.from();
        long a1 = isRoot(root) ? share(send, peers) : 0;
        long a2 = send.pointer();
        long a3 = receive.into();
        long a4 = receive.count;
        long a5 = receive.pointer();
        int a6 = root(root);
        int code = send.isStable() && receive.isStable()
                ? Calls.scatter(a0, a1, a2, a3, a4, a5, a6, pointer())
                : Calls.scatter(send.segment, a1, a2, receive.segment, a4, a5, a6, pointer());
        instance.check(code, "MPI_Scatter_c", this);
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
        long a0 = send.from();
        long a1 = isRoot(root) ? share(send, peers) : 0;
        long a2 = send.pointer();
        long a3 = receive.into();
        long a4 = receive.count;
        long a5 = receive.pointer();
        int a6 = root(root);
        long comm = pointer();
        long slot = request.begin(send, receive, null);
        request.began(Calls.iscatter(a0, a1, a2, a3, a4, a5, a6, comm, slot), "MPI_Iscatter_c", this);
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
        long a0 = send.from();
        long a1 = isRoot(root) ? share(send, peers) : 0;
        long a2 = send.pointer();
        long a3 = receive.into();
        long a4 = receive.count;
        long a5 = receive.pointer();
        int a6 = root(root);
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, null);
        request.prepared(
                mpi_abi_h.MPI_Scatter_init_c(at(a0), a1, at(a2), at(a3), a4, at(a5), a6, comm, hints, slot),
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
        long a0 = isRoot(root) ? send.from(peers, false) : send.buffer.from();
        long a1 = send.countsAt;
        long a2 = send.displacementsAt;
        long a3 = send.pointer();
        long a4 = receive.into();
        long a5 = receive.count;
        long a6 = receive.pointer();
        int a7 = root(root);
        int code = send.buffer.isStable() && receive.isStable()
                ? Calls.scatterv(a0, a1, a2, a3, a4, a5, a6, a7, pointer())
                : Calls.scatterv(send.buffer.segment, a1, a2, a3, receive.segment, a5, a6, a7, pointer());
        Reference.reachabilityFence(send);
        instance.check(code, "MPI_Scatterv_c", this);
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
        long a0 = isRoot(root) ? send.from(peers, false) : send.buffer.from();
        long a1 = send.countsAt;
        long a2 = send.displacementsAt;
        long a3 = send.pointer();
        long a4 = receive.into();
        long a5 = receive.count;
        long a6 = receive.pointer();
        int a7 = root(root);
        long comm = pointer();
        long slot = request.begin(send, receive, null);
        request.began(Calls.iscatterv(a0, a1, a2, a3, a4, a5, a6, a7, comm, slot), "MPI_Iscatterv_c", this);
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
        long a0 = isRoot(root) ? send.from(peers, false) : send.buffer.from();
        long a1 = send.countsAt;
        long a2 = send.displacementsAt;
        long a3 = send.pointer();
        long a4 = receive.into();
        long a5 = receive.count;
        long a6 = receive.pointer();
        int a7 = root(root);
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, null);
        request.prepared(
                mpi_abi_h.MPI_Scatterv_init_c(
                        at(a0), at(a1), at(a2), at(a3), at(a4), a5, at(a6), a7, comm, hints, slot),
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
        long a0 = send.from();
        long a1 = send.count;
        long a2 = send.pointer();
        long a3 = receive.into();
        long a4 = share(receive, peers);
        long a5 = receive.pointer();
        int code = send.isStable() && receive.isStable()
                ? Calls.allgather(a0, a1, a2, a3, a4, a5, pointer())
                : Calls.allgather(send.segment, a1, a2, receive.segment, a4, a5, pointer());
        instance.check(code, "MPI_Allgather_c", this);
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
        long a0 = send.from();
        long a1 = send.count;
        long a2 = send.pointer();
        long a3 = receive.into();
        long a4 = share(receive, peers);
        long a5 = receive.pointer();
        long comm = pointer();
        long slot = request.begin(send, receive, null);
        request.began(Calls.iallgather(a0, a1, a2, a3, a4, a5, comm, slot), "MPI_Iallgather_c", this);
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
        long a0 = send.from();
        long a1 = send.count;
        long a2 = send.pointer();
        long a3 = receive.into();
        long a4 = share(receive, peers);
        long a5 = receive.pointer();
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, null);
        request.prepared(
                mpi_abi_h.MPI_Allgather_init_c(at(a0), a1, at(a2), at(a3), a4, at(a5), comm, hints, slot),
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
        long a0 = send.from();
        long a1 = send.count;
        long a2 = send.pointer();
        long a3 = receive.into(peers, false);
        long a4 = receive.countsAt;
        long a5 = receive.displacementsAt;
        long a6 = receive.pointer();
        int code = send.isStable() && receive.buffer.isStable()
                ? Calls.allgatherv(a0, a1, a2, a3, a4, a5, a6, pointer())
                : Calls.allgatherv(send.segment, a1, a2, receive.buffer.segment, a4, a5, a6, pointer());
        Reference.reachabilityFence(receive);
        instance.check(code, "MPI_Allgatherv_c", this);
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
        long a0 = send.from();
        long a1 = send.count;
        long a2 = send.pointer();
        long a3 = receive.into(peers, false);
        long a4 = receive.countsAt;
        long a5 = receive.displacementsAt;
        long a6 = receive.pointer();
        long comm = pointer();
        long slot = request.begin(send, receive, null);
        request.began(Calls.iallgatherv(a0, a1, a2, a3, a4, a5, a6, comm, slot), "MPI_Iallgatherv_c", this);
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
        long a0 = send.from();
        long a1 = send.count;
        long a2 = send.pointer();
        long a3 = receive.into(peers, false);
        long a4 = receive.countsAt;
        long a5 = receive.displacementsAt;
        long a6 = receive.pointer();
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, null);
        request.prepared(
                mpi_abi_h.MPI_Allgatherv_init_c(at(a0), a1, at(a2), at(a3), at(a4), at(a5), at(a6), comm, hints, slot),
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
        long a0 = send.from();
        long a1 = share(send, peers);
        long a2 = send.pointer();
        long a3 = receive.into();
        long a4 = share(receive, peers);
        long a5 = receive.pointer();
        int code = send.isStable() && receive.isStable()
                ? Calls.alltoall(a0, a1, a2, a3, a4, a5, pointer())
                : Calls.alltoall(send.segment, a1, a2, receive.segment, a4, a5, pointer());
        instance.check(code, "MPI_Alltoall_c", this);
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
        long a0 = send.from();
        long a1 = share(send, peers);
        long a2 = send.pointer();
        long a3 = receive.into();
        long a4 = share(receive, peers);
        long a5 = receive.pointer();
        long comm = pointer();
        long slot = request.begin(send, receive, null);
        request.began(Calls.ialltoall(a0, a1, a2, a3, a4, a5, comm, slot), "MPI_Ialltoall_c", this);
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
        long a0 = send.from();
        long a1 = share(send, peers);
        long a2 = send.pointer();
        long a3 = receive.into();
        long a4 = share(receive, peers);
        long a5 = receive.pointer();
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, null);
        request.prepared(
                mpi_abi_h.MPI_Alltoall_init_c(at(a0), a1, at(a2), at(a3), a4, at(a5), comm, hints, slot),
                "MPI_Alltoall_init_c",
                this);
    }

    /**
     * Exchanges parts of memory between each two ranks: {@code MPI_Alltoallv_c}. Blocks.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     */
    @HotPath
    public final void alltoallv(Blocks send, Blocks receive) {
        long a0 = send.fromOrInPlace(peers, false);
        long a1 = send.countsAt;
        long a2 = send.displacementsAt;
        long a3 = send.pointer();
        long a4 = receive.into(peers, false);
        long a5 = receive.countsAt;
        long a6 = receive.displacementsAt;
        long a7 = receive.pointer();
        int code = send.buffer.isStable() && receive.buffer.isStable()
                ? Calls.alltoallv(a0, a1, a2, a3, a4, a5, a6, a7, pointer())
                : Calls.alltoallv(send.buffer.segment, a1, a2, a3, receive.buffer.segment, a5, a6, a7, pointer());
        Reference.reachabilityFence(send);
        Reference.reachabilityFence(receive);
        instance.check(code, "MPI_Alltoallv_c", this);
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
        long a0 = send.fromOrInPlace(peers, false);
        long a1 = send.countsAt;
        long a2 = send.displacementsAt;
        long a3 = send.pointer();
        long a4 = receive.into(peers, false);
        long a5 = receive.countsAt;
        long a6 = receive.displacementsAt;
        long a7 = receive.pointer();
        long comm = pointer();
        long slot = request.begin(send, receive, null);
        request.began(Calls.ialltoallv(a0, a1, a2, a3, a4, a5, a6, a7, comm, slot), "MPI_Ialltoallv_c", this);
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
        long a0 = send.fromOrInPlace(peers, false);
        long a1 = send.countsAt;
        long a2 = send.displacementsAt;
        long a3 = send.pointer();
        long a4 = receive.into(peers, false);
        long a5 = receive.countsAt;
        long a6 = receive.displacementsAt;
        long a7 = receive.pointer();
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, null);
        request.prepared(
                mpi_abi_h.MPI_Alltoallv_init_c(
                        at(a0), at(a1), at(a2), at(a3), at(a4), at(a5), at(a6), at(a7), comm, hints, slot),
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
        long a0 = send.fromOrInPlace(peers, true);
        long a1 = send.countsAt;
        long a2 = send.displacementsAt;
        long a3 = send.typesAt;
        long a4 = receive.into(peers, true);
        long a5 = receive.countsAt;
        long a6 = receive.displacementsAt;
        long a7 = receive.typesAt;
        int code = send.buffer.isStable() && receive.buffer.isStable()
                ? Calls.alltoallw(a0, a1, a2, a3, a4, a5, a6, a7, pointer())
                : Calls.alltoallw(send.buffer.segment, a1, a2, a3, receive.buffer.segment, a5, a6, a7, pointer());
        Reference.reachabilityFence(send);
        Reference.reachabilityFence(receive);
        instance.check(code, "MPI_Alltoallw_c", this);
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
        long a0 = send.fromOrInPlace(peers, true);
        long a1 = send.countsAt;
        long a2 = send.displacementsAt;
        long a3 = send.typesAt;
        long a4 = receive.into(peers, true);
        long a5 = receive.countsAt;
        long a6 = receive.displacementsAt;
        long a7 = receive.typesAt;
        long comm = pointer();
        long slot = request.begin(send, receive, null);
        request.began(Calls.ialltoallw(a0, a1, a2, a3, a4, a5, a6, a7, comm, slot), "MPI_Ialltoallw_c", this);
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
        long a0 = send.fromOrInPlace(peers, true);
        long a1 = send.countsAt;
        long a2 = send.displacementsAt;
        long a3 = send.typesAt;
        long a4 = receive.into(peers, true);
        long a5 = receive.countsAt;
        long a6 = receive.displacementsAt;
        long a7 = receive.typesAt;
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, null);
        request.prepared(
                mpi_abi_h.MPI_Alltoallw_init_c(
                        at(a0), at(a1), at(a2), at(a3), at(a4), at(a5), at(a6), at(a7), comm, hints, slot),
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
        long a0 = send.from();
        long a1 = isRoot(root) ? receive.into() : receive.from();
        long a2 = reduced(send, receive, isRoot(root));
        long a3 = reducedType(send, receive).pointer();
        long a4 = op.pointer(reducedType(send, receive));
        int a5 = root(root);
        int code = send.isStable() && receive.isStable()
                ? Calls.reduce(a0, a1, a2, a3, a4, a5, pointer())
                : Calls.reduce(send.segment, receive.segment, a2, a3, a4, a5, pointer());
        instance.check(code, "MPI_Reduce_c", this);
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
        long a0 = send.from();
        long a1 = isRoot(root) ? receive.into() : receive.from();
        long a2 = reduced(send, receive, isRoot(root));
        long a3 = reducedType(send, receive).pointer();
        long a4 = op.pointer(reducedType(send, receive));
        int a5 = root(root);
        long comm = pointer();
        long slot = request.begin(send, receive, op);
        request.began(Calls.ireduce(a0, a1, a2, a3, a4, a5, comm, slot), "MPI_Ireduce_c", this);
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
        long a0 = send.from();
        long a1 = isRoot(root) ? receive.into() : receive.from();
        long a2 = reduced(send, receive, isRoot(root));
        long a3 = reducedType(send, receive).pointer();
        long a4 = op.pointer(reducedType(send, receive));
        int a5 = root(root);
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, op);
        request.prepared(
                mpi_abi_h.MPI_Reduce_init_c(at(a0), at(a1), a2, at(a3), at(a4), a5, comm, hints, slot),
                "MPI_Reduce_init_c",
                this);
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
        long a0 = send.from();
        long a1 = receive.into();
        long a2 = reduced(send, receive, true);
        long a3 = reducedType(send, receive).pointer();
        long a4 = op.pointer(reducedType(send, receive));
        int code = send.isStable() && receive.isStable()
                ? Calls.allreduce(a0, a1, a2, a3, a4, pointer())
                : Calls.allreduce(send.segment, receive.segment, a2, a3, a4, pointer());
        instance.check(code, "MPI_Allreduce_c", this);
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
        long a0 = send.from();
        long a1 = receive.into();
        long a2 = reduced(send, receive, true);
        long a3 = reducedType(send, receive).pointer();
        long a4 = op.pointer(reducedType(send, receive));
        long comm = pointer();
        long slot = request.begin(send, receive, op);
        request.began(Calls.iallreduce(a0, a1, a2, a3, a4, comm, slot), "MPI_Iallreduce_c", this);
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
        long a0 = send.from();
        long a1 = receive.into();
        long a2 = reduced(send, receive, true);
        long a3 = reducedType(send, receive).pointer();
        long a4 = op.pointer(reducedType(send, receive));
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, op);
        request.prepared(
                mpi_abi_h.MPI_Allreduce_init_c(at(a0), at(a1), a2, at(a3), at(a4), comm, hints, slot),
                "MPI_Allreduce_init_c",
                this);
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
        long a0 = send.from(size, false);
        long a1 = receive.into();
        long a2 = scattered(send, receive);
        long a3 = send.pointer();
        long a4 = op.pointer(send.buffer.type);
        int code = send.buffer.isStable() && receive.isStable()
                ? Calls.reduceScatter(a0, a1, a2, a3, a4, pointer())
                : Calls.reduceScatter(send.buffer.segment, receive.segment, a2, a3, a4, pointer());
        Reference.reachabilityFence(send);
        instance.check(code, "MPI_Reduce_scatter_c", this);
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
        long a0 = send.from(size, false);
        long a1 = receive.into();
        long a2 = scattered(send, receive);
        long a3 = send.pointer();
        long a4 = op.pointer(send.buffer.type);
        long comm = pointer();
        long slot = request.begin(send, receive, op);
        request.began(Calls.ireduceScatter(a0, a1, a2, a3, a4, comm, slot), "MPI_Ireduce_scatter_c", this);
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
        long a0 = send.from(size, false);
        long a1 = receive.into();
        long a2 = scattered(send, receive);
        long a3 = send.pointer();
        long a4 = op.pointer(send.buffer.type);
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, op);
        request.prepared(
                mpi_abi_h.MPI_Reduce_scatter_init_c(at(a0), at(a1), at(a2), at(a3), at(a4), comm, hints, slot),
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
        long a0 = send.from();
        long a1 = receive.into();
        long a2 = scattered(send, receive);
        long a3 = receive.pointer();
        long a4 = op.pointer(receive.type);
        int code = send.isStable() && receive.isStable()
                ? Calls.reduceScatterBlock(a0, a1, a2, a3, a4, pointer())
                : Calls.reduceScatterBlock(send.segment, receive.segment, a2, a3, a4, pointer());
        instance.check(code, "MPI_Reduce_scatter_block_c", this);
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
        long a0 = send.from();
        long a1 = receive.into();
        long a2 = scattered(send, receive);
        long a3 = receive.pointer();
        long a4 = op.pointer(receive.type);
        long comm = pointer();
        long slot = request.begin(send, receive, op);
        request.began(Calls.ireduceScatterBlock(a0, a1, a2, a3, a4, comm, slot), "MPI_Ireduce_scatter_block_c", this);
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
        long a0 = send.from();
        long a1 = receive.into();
        long a2 = scattered(send, receive);
        long a3 = receive.pointer();
        long a4 = op.pointer(receive.type);
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, op);
        request.prepared(
                mpi_abi_h.MPI_Reduce_scatter_block_init_c(at(a0), at(a1), a2, at(a3), at(a4), comm, hints, slot),
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
        long a0 = send.from();
        long a1 = receive.into();
        long a2 = reduced(send, receive, true);
        long a3 = reducedType(send, receive).pointer();
        long a4 = op.pointer(reducedType(send, receive));
        int code = send.isStable() && receive.isStable()
                ? Calls.scan(a0, a1, a2, a3, a4, pointer())
                : Calls.scan(send.segment, receive.segment, a2, a3, a4, pointer());
        instance.check(code, "MPI_Scan_c", this);
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
        long a0 = send.from();
        long a1 = receive.into();
        long a2 = reduced(send, receive, true);
        long a3 = reducedType(send, receive).pointer();
        long a4 = op.pointer(reducedType(send, receive));
        long comm = pointer();
        long slot = request.begin(send, receive, op);
        request.began(Calls.iscan(a0, a1, a2, a3, a4, comm, slot), "MPI_Iscan_c", this);
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
        long a0 = send.from();
        long a1 = receive.into();
        long a2 = reduced(send, receive, true);
        long a3 = reducedType(send, receive).pointer();
        long a4 = op.pointer(reducedType(send, receive));
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, op);
        request.prepared(
                mpi_abi_h.MPI_Scan_init_c(at(a0), at(a1), a2, at(a3), at(a4), comm, hints, slot),
                "MPI_Scan_init_c",
                this);
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
        long a0 = send.from();
        long a1 = receive.into();
        long a2 = reduced(send, receive, true);
        long a3 = reducedType(send, receive).pointer();
        long a4 = op.pointer(reducedType(send, receive));
        int code = send.isStable() && receive.isStable()
                ? Calls.exscan(a0, a1, a2, a3, a4, pointer())
                : Calls.exscan(send.segment, receive.segment, a2, a3, a4, pointer());
        instance.check(code, "MPI_Exscan_c", this);
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
        long a0 = send.from();
        long a1 = receive.into();
        long a2 = reduced(send, receive, true);
        long a3 = reducedType(send, receive).pointer();
        long a4 = op.pointer(reducedType(send, receive));
        long comm = pointer();
        long slot = request.begin(send, receive, op);
        request.began(Calls.iexscan(a0, a1, a2, a3, a4, comm, slot), "MPI_Iexscan_c", this);
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
        long a0 = send.from();
        long a1 = receive.into();
        long a2 = reduced(send, receive, true);
        long a3 = reducedType(send, receive).pointer();
        long a4 = op.pointer(reducedType(send, receive));
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, op);
        request.prepared(
                mpi_abi_h.MPI_Exscan_init_c(at(a0), at(a1), a2, at(a3), at(a4), comm, hints, slot),
                "MPI_Exscan_init_c",
                this);
    }

    /**
     * Collects equal parts of the neighbours in the topology: {@code MPI_Neighbor_allgather_c}. Blocks.
     *
     * @param send what this rank sends
     * @param receive where what it receives goes
     */
    @HotPath
    public final void neighborAllgather(Buffer send, Buffer receive) {
        long a0 = send.from();
        long a1 = send.count;
        long a2 = send.pointer();
        long a3 = receive.into();
        long a4 = share(receive, inDegree());
        long a5 = receive.pointer();
        int code = send.isStable() && receive.isStable()
                ? Calls.neighborAllgather(a0, a1, a2, a3, a4, a5, pointer())
                : Calls.neighborAllgather(send.segment, a1, a2, receive.segment, a4, a5, pointer());
        instance.check(code, "MPI_Neighbor_allgather_c", this);
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
        long a0 = send.from();
        long a1 = send.count;
        long a2 = send.pointer();
        long a3 = receive.into();
        long a4 = share(receive, inDegree());
        long a5 = receive.pointer();
        long comm = pointer();
        long slot = request.begin(send, receive, null);
        request.began(Calls.ineighborAllgather(a0, a1, a2, a3, a4, a5, comm, slot), "MPI_Ineighbor_allgather_c", this);
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
        long a0 = send.from();
        long a1 = send.count;
        long a2 = send.pointer();
        long a3 = receive.into();
        long a4 = share(receive, inDegree());
        long a5 = receive.pointer();
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, null);
        request.prepared(
                mpi_abi_h.MPI_Neighbor_allgather_init_c(at(a0), a1, at(a2), at(a3), a4, at(a5), comm, hints, slot),
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
        long a0 = send.from();
        long a1 = send.count;
        long a2 = send.pointer();
        long a3 = receive.into(inDegree(), false);
        long a4 = receive.countsAt;
        long a5 = receive.displacementsAt;
        long a6 = receive.pointer();
        int code = send.isStable() && receive.buffer.isStable()
                ? Calls.neighborAllgatherv(a0, a1, a2, a3, a4, a5, a6, pointer())
                : Calls.neighborAllgatherv(send.segment, a1, a2, receive.buffer.segment, a4, a5, a6, pointer());
        Reference.reachabilityFence(receive);
        instance.check(code, "MPI_Neighbor_allgatherv_c", this);
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
        long a0 = send.from();
        long a1 = send.count;
        long a2 = send.pointer();
        long a3 = receive.into(inDegree(), false);
        long a4 = receive.countsAt;
        long a5 = receive.displacementsAt;
        long a6 = receive.pointer();
        long comm = pointer();
        long slot = request.begin(send, receive, null);
        request.began(
                Calls.ineighborAllgatherv(a0, a1, a2, a3, a4, a5, a6, comm, slot), "MPI_Ineighbor_allgatherv_c", this);
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
        long a0 = send.from();
        long a1 = send.count;
        long a2 = send.pointer();
        long a3 = receive.into(inDegree(), false);
        long a4 = receive.countsAt;
        long a5 = receive.displacementsAt;
        long a6 = receive.pointer();
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, null);
        request.prepared(
                mpi_abi_h.MPI_Neighbor_allgatherv_init_c(
                        at(a0), a1, at(a2), at(a3), at(a4), at(a5), at(a6), comm, hints, slot),
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
        long a0 = send.from();
        long a1 = share(send, outDegree());
        long a2 = send.pointer();
        long a3 = receive.into();
        long a4 = share(receive, inDegree());
        long a5 = receive.pointer();
        int code = send.isStable() && receive.isStable()
                ? Calls.neighborAlltoall(a0, a1, a2, a3, a4, a5, pointer())
                : Calls.neighborAlltoall(send.segment, a1, a2, receive.segment, a4, a5, pointer());
        instance.check(code, "MPI_Neighbor_alltoall_c", this);
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
        long a0 = send.from();
        long a1 = share(send, outDegree());
        long a2 = send.pointer();
        long a3 = receive.into();
        long a4 = share(receive, inDegree());
        long a5 = receive.pointer();
        long comm = pointer();
        long slot = request.begin(send, receive, null);
        request.began(Calls.ineighborAlltoall(a0, a1, a2, a3, a4, a5, comm, slot), "MPI_Ineighbor_alltoall_c", this);
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
        long a0 = send.from();
        long a1 = share(send, outDegree());
        long a2 = send.pointer();
        long a3 = receive.into();
        long a4 = share(receive, inDegree());
        long a5 = receive.pointer();
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, null);
        request.prepared(
                mpi_abi_h.MPI_Neighbor_alltoall_init_c(at(a0), a1, at(a2), at(a3), a4, at(a5), comm, hints, slot),
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
        long a0 = send.from(outDegree(), false);
        long a1 = send.countsAt;
        long a2 = send.displacementsAt;
        long a3 = send.pointer();
        long a4 = receive.into(inDegree(), false);
        long a5 = receive.countsAt;
        long a6 = receive.displacementsAt;
        long a7 = receive.pointer();
        int code = send.buffer.isStable() && receive.buffer.isStable()
                ? Calls.neighborAlltoallv(a0, a1, a2, a3, a4, a5, a6, a7, pointer())
                : Calls.neighborAlltoallv(
                        send.buffer.segment, a1, a2, a3, receive.buffer.segment, a5, a6, a7, pointer());
        Reference.reachabilityFence(send);
        Reference.reachabilityFence(receive);
        instance.check(code, "MPI_Neighbor_alltoallv_c", this);
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
        long a0 = send.from(outDegree(), false);
        long a1 = send.countsAt;
        long a2 = send.displacementsAt;
        long a3 = send.pointer();
        long a4 = receive.into(inDegree(), false);
        long a5 = receive.countsAt;
        long a6 = receive.displacementsAt;
        long a7 = receive.pointer();
        long comm = pointer();
        long slot = request.begin(send, receive, null);
        request.began(
                Calls.ineighborAlltoallv(a0, a1, a2, a3, a4, a5, a6, a7, comm, slot),
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
        long a0 = send.from(outDegree(), false);
        long a1 = send.countsAt;
        long a2 = send.displacementsAt;
        long a3 = send.pointer();
        long a4 = receive.into(inDegree(), false);
        long a5 = receive.countsAt;
        long a6 = receive.displacementsAt;
        long a7 = receive.pointer();
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, null);
        request.prepared(
                mpi_abi_h.MPI_Neighbor_alltoallv_init_c(
                        at(a0), at(a1), at(a2), at(a3), at(a4), at(a5), at(a6), at(a7), comm, hints, slot),
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
        long a0 = send.from(outDegree(), true);
        long a1 = send.countsAt;
        long a2 = send.displacementsAt;
        long a3 = send.typesAt;
        long a4 = receive.into(inDegree(), true);
        long a5 = receive.countsAt;
        long a6 = receive.displacementsAt;
        long a7 = receive.typesAt;
        int code = send.buffer.isStable() && receive.buffer.isStable()
                ? Calls.neighborAlltoallw(a0, a1, a2, a3, a4, a5, a6, a7, pointer())
                : Calls.neighborAlltoallw(
                        send.buffer.segment, a1, a2, a3, receive.buffer.segment, a5, a6, a7, pointer());
        Reference.reachabilityFence(send);
        Reference.reachabilityFence(receive);
        instance.check(code, "MPI_Neighbor_alltoallw_c", this);
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
        long a0 = send.from(outDegree(), true);
        long a1 = send.countsAt;
        long a2 = send.displacementsAt;
        long a3 = send.typesAt;
        long a4 = receive.into(inDegree(), true);
        long a5 = receive.countsAt;
        long a6 = receive.displacementsAt;
        long a7 = receive.typesAt;
        long comm = pointer();
        long slot = request.begin(send, receive, null);
        request.began(
                Calls.ineighborAlltoallw(a0, a1, a2, a3, a4, a5, a6, a7, comm, slot),
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
        long a0 = send.from(outDegree(), true);
        long a1 = send.countsAt;
        long a2 = send.displacementsAt;
        long a3 = send.typesAt;
        long a4 = receive.into(inDegree(), true);
        long a5 = receive.countsAt;
        long a6 = receive.displacementsAt;
        long a7 = receive.typesAt;
        MemorySegment comm = handle();
        MemorySegment hints = info.handle();
        MemorySegment slot = request.prepare(send, receive, null);
        request.prepared(
                mpi_abi_h.MPI_Neighbor_alltoallw_init_c(
                        at(a0), at(a1), at(a2), at(a3), at(a4), at(a5), at(a6), at(a7), comm, hints, slot),
                "MPI_Neighbor_alltoallw_init_c",
                this);
    }

    private static MemorySegment at(long address) {
        return MemorySegment.ofAddress(address);
    }
}
