// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.UcxException;
import dev.isthmus.bindings.ucx.ucp_am_handler_param;
import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.internal.ucx.UcpAm;
import dev.isthmus.internal.ucx.UcxLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The active messages of a worker. Each is sent to an id, by {@link UcpEndpoint#amSend(int, MemorySegment,
 * MemorySegment, int)}. The receiving worker's handler for that id gets it. See {@link UcpWorker#activeMessages()}.
 *
 * <p>A message for an id without a handler is dropped. UCX prints a warning, and the send of a rendezvous ends as
 * {@link UcsStatus#INVALID_PARAM}.
 *
 * <p>Confined to the thread of the worker. Nothing blocks.
 */
public final class UcpActiveMessages {

    /** The highest id. */
    public static final int MAX_ID = 0xffff;

    /**
     * The flag {@code UCP_AM_SEND_FLAG_REPLY} of a send: the receiver can answer, by {@link UcpActiveMessage#reply}.
     */
    public static final int REPLY = 1;

    /** The flag {@code UCP_AM_SEND_FLAG_EAGER} of a send: the data goes with the message, however long it is. */
    public static final int EAGER = 1 << 1;

    /** The flag {@code UCP_AM_SEND_FLAG_RNDV} of a send: the receiver fetches the data, however short it is. */
    public static final int RENDEZVOUS = 1 << 2;

    /**
     * The flag {@code UCP_AM_SEND_FLAG_COPY_HEADER} of a send: the header is yours again at once, whether or not the
     * send is done. UCX 1.14 and later.
     */
    public static final int COPY_HEADER = 1 << 3;

    // From this version on, when a handler beyond the table's end is set, UCX clears the places that it adds.
    private static final int CLEARS_TABLE_SINCE = 17;

    // If an interface's segments are too short for any header, UCX's subtraction wraps around.
    private static final long IMPLAUSIBLE_HEADER = 1L << 24;

    private final WorkerCore parent;
    private final OwnerThread owner;
    private final AmOperations operations;
    private final AmDispatch dispatch;
    private final MemorySegment callback;
    private final long maxHeaderBytes;

    UcpActiveMessages(
            WorkerCore parent,
            Operations requests,
            PolledOperations polled,
            AsyncRequests async,
            WorkerCallbacks callbacks) {
        this.parent = parent;
        this.owner = parent.owner();
        long max = WorkerQueries.attributes(parent).maxActiveMessageHeaderBytes();
        this.maxHeaderBytes = max < 0 || max > IMPLAUSIBLE_HEADER ? 0 : max;
        this.operations = new AmOperations(parent, requests, polled, async, maxHeaderBytes);
        this.dispatch = new AmDispatch(operations, callbacks);
        this.callback = UcpAm.callback(dispatch.target(), parent.arena());
        clearTable();
    }

    /**
     * Sets the handler of an id, or replaces it: {@code ucp_worker_set_am_recv_handler}. UCX decides which messages it
     * can {@link UcpActiveMessage#keep() keep}: usually no short ones.
     *
     * @param id 0 to {@link #MAX_ID}
     * @param handler called for each message by {@link UcpWorker#progress()}
     * @throws IllegalArgumentException if the id is out of range
     * @throws IllegalStateException if the worker is closed
     * @throws WrongThreadException if it belongs to another thread
     * @throws UcxException if UCX refuses
     */
    public void setHandler(int id, UcpActiveMessageHandler handler) {
        set(id, Objects.requireNonNull(handler, "handler"), 0);
    }

    /**
     * Sets a handler that can keep every message: {@code ucp_worker_set_am_recv_handler} with
     * {@code UCP_AM_FLAG_PERSISTENT_DATA}. UCX then copies the data of short messages, which takes some time. Otherwise
     * like {@link #setHandler}.
     *
     * @param id 0 to {@link #MAX_ID}
     * @param handler called for each message by {@link UcpWorker#progress()}
     * @throws IllegalArgumentException if the id is out of range
     * @throws IllegalStateException if the worker is closed
     * @throws WrongThreadException if it belongs to another thread
     * @throws UcxException if UCX refuses
     */
    public void setPersistentHandler(int id, UcpActiveMessageHandler handler) {
        set(id, Objects.requireNonNull(handler, "handler"), ucp_h.UCP_AM_FLAG_PERSISTENT_DATA());
    }

    /**
     * Removes the handler of an id: {@code ucp_worker_set_am_recv_handler} with {@code NULL}. Messages that it kept
     * stay kept. Does nothing if there is none.
     *
     * @param id 0 to {@link #MAX_ID}
     * @throws IllegalArgumentException if the id is out of range
     * @throws IllegalStateException if the worker is closed
     * @throws WrongThreadException if it belongs to another thread
     */
    public void removeHandler(int id) {
        set(id, null, 0);
    }

    /**
     * How long a header this worker's endpoints can send. It depends on the transports: some thousand bytes with most,
     * some hundred with datagrams.
     *
     * @return the length in bytes
     */
    public long maxHeaderBytes() {
        return maxHeaderBytes;
    }

    /**
     * How many messages the program keeps at present.
     *
     * @return how many you still have to release or receive
     * @throws IllegalStateException if the worker is closed
     * @throws WrongThreadException if it belongs to another thread
     */
    public int kept() {
        owner.check();
        return operations.keptCount();
    }

    static void checkId(int id) {
        if ((id & ~MAX_ID) != 0) {
            throw noId(id);
        }
    }

    private void set(int id, UcpActiveMessageHandler handler, int flags) {
        owner.check();
        checkId(id);
        if (handler == null && !dispatch.has(id)) {
            return;
        }
        try (Arena call = Arena.ofConfined()) {
            MemorySegment param = ucp_am_handler_param.allocate(call);
            write(param, handler == null ? MemorySegment.NULL : callback, id, flags);
            dispatch.reserve(id);
            UcxFailure.check(
                    UcpAm.setHandler(parent.handle(), param.address()), "ucp_worker_set_am_recv_handler", parent);
        }
        dispatch.set(id, handler);
    }

    private static void write(MemorySegment param, MemorySegment function, int id, int flags) {
        ucp_am_handler_param.field_mask(
                param,
                ucp_h.UCP_AM_HANDLER_PARAM_FIELD_ID()
                        | ucp_h.UCP_AM_HANDLER_PARAM_FIELD_FLAGS()
                        | ucp_h.UCP_AM_HANDLER_PARAM_FIELD_CB()
                        | ucp_h.UCP_AM_HANDLER_PARAM_FIELD_ARG());
        ucp_am_handler_param.id(param, id);
        ucp_am_handler_param.flags(param, flags);
        ucp_am_handler_param.cb(param, function);
        ucp_am_handler_param.arg(param, MemorySegment.ofAddress(id));
    }

    // UCX has a table of handlers by id, which ends at the highest id that was set. It reads the place of a message's
    // id before it compares the id with the table's end. So a peer that sends to a high id, or before there is a
    // handler, would end the process. Before 1.17, it also clears only one of the places that it adds, and would call
    // whatever the others contain. So the table gets all of its places at once, 1.5 MB, and they are cleared.
    private void clearTable() {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment param = ucp_am_handler_param.allocate(call);
            long worker = parent.handle();
            int last = UcxLibrary.load()[1] < CLEARS_TABLE_SINCE ? 0 : MAX_ID;
            write(param, MemorySegment.NULL, MAX_ID, 0);
            for (int id = MAX_ID; id >= last; id--) {
                ucp_am_handler_param.id(param, id);
                UcxFailure.check(UcpAm.setHandler(worker, param.address()), "ucp_worker_set_am_recv_handler", parent);
            }
        }
    }

    static IllegalArgumentException noId(int id) {
        return new IllegalArgumentException("the id of an active message is 0 to " + MAX_ID + ", and here is " + id);
    }

    AmOperations operations() {
        return operations;
    }

    /** The worker is being closed: no handler is called from now on, and kept messages are released. */
    void close() {
        dispatch.stop();
        operations.releaseUnused();
    }

    /** C no longer progresses the worker; returns whether it may free the memory of all messages that were kept. */
    boolean endLoans() {
        return operations.endLoans();
    }
}
