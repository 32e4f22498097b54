// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * A send or a receive that is checked once, when {@link Communicator#prepareSend} or {@link Communicator#prepareReceive} makes
 * it, and used any number of times. Until it is closed, what it uses cannot be: its buffer's {@link GuardedArena}, its
 * datatype, its communicator and MPI. So all that is left to check at each use is the thread.
 *
 * <p>Only the thread that has made it may use and close it, whatever MPI's {@link ThreadLevel}.
 */
public abstract sealed class PreparedMessage extends MpiObject permits PreparedSend, PreparedReceive {

    final Buffer buffer;
    final long address;
    final long count;
    final long type;
    final int peer;
    final int tag;
    final long comm;
    private final Communicator communicator;
    private final Set<Request> requests = Collections.newSetFromMap(new IdentityHashMap<>()); // that it has started
    private Thread user; // null once it is closed

    /** The caller has checked the peer and the tag. */
    PreparedMessage(Communicator communicator, Buffer buffer, long address, int peer, int tag) {
        this(communicator, buffer, address, peer, tag, hold(communicator, buffer));
    }

    private PreparedMessage(
            Communicator communicator, Buffer buffer, long address, int peer, int tag, Handles handles) {
        super(communicator.instance, MemorySegment.ofAddress(handles.comm), false);
        this.communicator = communicator;
        this.buffer = buffer;
        this.address = address;
        count = buffer.count;
        type = handles.type;
        this.peer = peer;
        this.tag = tag;
        comm = handles.comm;
        user = Thread.currentThread();
    }

    private record Handles(long comm, long type) {}

    /** Keeps all that it uses open. */
    private static Handles hold(Communicator communicator, Buffer buffer) {
        if (!buffer.isKept()) {
            throw new IllegalArgumentException(
                    buffer
                            + " can be freed at any time: what is prepared needs memory of a GuardedArena, or of Arena.global()");
        }
        long comm = communicator.beginUse();
        try {
            long type = buffer.type.beginUse();
            try {
                if (buffer.guard != null) {
                    buffer.guard.begin();
                }
                return new Handles(comm, type);
            } catch (IllegalStateException e) {
                buffer.type.endUse();
                throw e;
            }
        } catch (IllegalStateException e) {
            communicator.endUse();
            throw e;
        }
    }

    /** Before each use: the thread is no other's, and what was closed has none. */
    @HotPath
    @SuppressWarnings("ReferenceEquality") // identity is meant
    final void enter() {
        if (user != Thread.currentThread()) {
            refuse();
        }
    }

    private void refuse() {
        if (user == null) {
            throw new IllegalStateException(this + " is closed");
        }
        throw new WrongThreadException(this + " is of thread " + user.getName() + ", not "
                + Thread.currentThread().getName());
    }

    /** A request that is about to be started, and was not the last time it was used. */
    final void started(Request request) {
        requests.add(request);
    }

    /** After a call that waits. */
    @HotPath
    final void check(int code, String call) {
        if (code != 0 || Operation.hasFunctions()) {
            instance.check(code, call, this);
        }
    }

    /**
     * What it transfers.
     *
     * @return the buffer that it was made with
     */
    public final Buffer buffer() {
        return buffer;
    }

    /**
     * Gives up what it has kept open.
     *
     * @throws WrongThreadException if another thread has made it
     * @throws IllegalStateException if a request that it has started is active; or in a function of an {@link Operation},
     *     because the call of MPI that runs it may use this
     */
    @Override
    public final void close() {
        if (user == null) {
            return;
        }
        enter();
        if (Operation.isRunning()) {
            throw new IllegalStateException(this + " cannot be closed in a function of an Operation");
        }
        for (Request request : requests) {
            if (request.isActiveFor(this)) {
                throw new IllegalStateException(this + " cannot be closed yet: a request of it is active; wait for it");
            }
        }
        user = null;
        take();
        if (buffer.guard != null) {
            buffer.guard.end();
        }
        buffer.type.endUse();
        communicator.endUse();
        instance.remove(this);
    }

    @Override
    public final String toString() {
        return kind() + "(" + buffer + ", rank " + peer + ", tag " + tag + ")";
    }
}
