// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A message that a matched probe has found, and that only this object receives: {@code MPI_Message}. It is made once and used
 * for any number of messages: {@link Communicator#mprobe} fills it, {@link #mrecv} empties it.
 */
public final class Message {

    private static final long NULL = 0x128; // MPI_MESSAGE_NULL, by the ABI

    private final MemorySegment slot;
    private final MemorySegment flag;
    private final Status status;
    private Communicator communicator; // null if there is no message

    private Message(MemorySegment all) {
        slot = all.asSlice(0, Long.BYTES);
        flag = all.asSlice(Long.BYTES, JAVA_INT);
        status = new Status(all.asSlice(2 * Long.BYTES, Status.BYTES), all.asSlice(2 * Long.BYTES + Status.BYTES));
        slot.set(ADDRESS, 0, MemorySegment.ofAddress(NULL));
    }

    /**
     * Makes one without a message.
     *
     * @return for one thread at a time
     */
    public static Message create() {
        return new Message(Arena.ofAuto().allocate(3 * Long.BYTES + Status.BYTES, Long.BYTES));
    }

    @HotPath
    long slotAddress() {
        if (communicator != null) {
            throw new IllegalStateException("this Message has not been received");
        }
        return slot.address();
    }

    @HotPath
    long flagAddress() {
        return flag.address();
    }

    @HotPath
    void found(Communication by) {
        communicator = (Communicator) by;
    }

    @HotPath
    boolean foundIf(Communication by) {
        boolean found = flag.get(JAVA_INT, 0) != 0;
        if (found) {
            found(by);
        }
        return found;
    }

    /**
     * The message's source, tag and size.
     *
     * @return a view that the next probe or receive overwrites
     */
    @HotPath
    public Status status() {
        return status;
    }

    /**
     * Whether there is a message to receive.
     *
     * @return true between a probe that has found one and its receive
     */
    public boolean isMatched() {
        return communicator != null;
    }

    /**
     * Receives it: {@code MPI_Mrecv_c}.
     *
     * @param buffer where to
     * @return its status
     */
    @HotPath
    public Status mrecv(Buffer buffer) {
        Communicator by = matched();
        long into = buffer.into();
        long type = buffer.pointer();
        int code = buffer.isStable()
                ? Calls.mrecv(into, buffer.count, type, slot.address(), status.address())
                : Calls.mrecv(buffer.segment, buffer.count, type, slot.address(), status.address());
        communicator = null;
        by.instance.check(code, "MPI_Mrecv_c", by);
        return status;
    }

    /**
     * Begins to receive it: {@code MPI_Imrecv_c}.
     *
     * @param buffer where to; MPI's until the request has completed
     * @param request is started
     */
    @HotPath
    public void imrecv(Buffer buffer, Request request) {
        Communicator by = matched();
        long into = buffer.into();
        long type = buffer.pointer();
        long handle = request.begin(buffer, null, null);
        int code = Calls.imrecv(into, buffer.count, type, slot.address(), handle);
        communicator = code == 0 ? null : by;
        request.began(code, "MPI_Imrecv_c", by);
    }

    @HotPath
    private Communicator matched() {
        Communicator by = communicator;
        if (by == null) {
            throw new IllegalStateException("there is no message: mprobe or improbe finds one");
        }
        by.pointer();
        return by;
    }
}
