// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.UcxException;
import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.internal.ArenaUse;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.NativeMemory;
import dev.isthmus.internal.OwnerThread;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;

/**
 * An active message that has arrived, as its {@link UcpActiveMessageHandler} sees it. One object serves many messages,
 * and allocates nothing. It is valid until the handler returns, and refuses its use afterwards.
 *
 * <p>Small messages arrive with their data (<i>eager</i>). Of a large one only the header arrives (<i>rendezvous</i>).
 * {@link #receive(MemorySegment) receive} gets the data into a buffer of yours in both cases. If the handler neither
 * receives nor keeps a message, it is dropped, and its send succeeds all the same. Headers, lengths and contents are
 * what the peer says: check them.
 *
 * <p>Confined to the thread of the worker. Nothing blocks.
 */
public final class UcpActiveMessage {

    private static final long REPLY_EP = ucp_h.UCP_AM_RECV_ATTR_FIELD_REPLY_EP();
    private static final long RNDV = ucp_h.UCP_AM_RECV_ATTR_FLAG_RNDV();
    private static final long KEEPABLE = RNDV | ucp_h.UCP_AM_RECV_ATTR_FLAG_DATA();

    private static final byte CANCELED = -16;

    /** What happens to the data when the handler returns. */
    private enum Disposition {
        DROPPED,
        KEPT,
        RECEIVED,
        REFUSED
    }

    private final AmOperations operations;
    private final OwnerThread owner;
    private final UcpMessageBytes header;
    private final UcpMessageBytes data;
    private boolean open;
    private int id;
    private long attributes;
    private long descriptor; // or the data itself
    private long length;
    private long replyEp;
    private Disposition disposition = Disposition.DROPPED;
    private byte refusal;
    private UcpKeptMessage kept;

    UcpActiveMessage(AmOperations operations) {
        this.operations = operations;
        this.owner = operations.owner();
        this.header = new UcpMessageBytes(owner);
        this.data = new UcpMessageBytes(owner);
    }

    /** Begins a message with the arguments of C's call. */
    @HotPath
    void begin(int id, long header, long headerLength, long data, long length, long param) {
        this.id = id;
        this.attributes = NativeMemory.getLong(param); // ucp_am_recv_param_t: recv_attr, reply_ep
        this.replyEp = (attributes & REPLY_EP) == 0 ? 0 : NativeMemory.getLong(param + Long.BYTES);
        this.descriptor = data;
        this.length = length;
        this.header.open(header, headerLength);
        if ((attributes & RNDV) == 0) {
            this.data.open(data, length);
        }
        disposition = Disposition.DROPPED;
        open = true;
    }

    /** Ends the message, and says what C is to do with the data: a {@code ucs_status_t}. */
    @HotPath
    byte end() {
        open = false;
        header.close();
        data.close();
        if (disposition == Disposition.DROPPED) {
            return 0;
        }
        if (disposition == Disposition.KEPT) {
            kept.handlerReturned();
            kept = null;
            return 1; // UCS_INPROGRESS
        }
        return disposition == Disposition.REFUSED ? refusal : 0;
    }

    /** The handler has thrown: refuses a rendezvous that was not dealt with. */
    void failed() {
        if (disposition == Disposition.DROPPED && (attributes & RNDV) != 0) {
            disposition = Disposition.REFUSED;
            refusal = CANCELED;
        }
    }

    /**
     * The id to which the message was sent.
     *
     * @return the id
     * @throws IllegalStateException if the handler has returned
     */
    @HotPath
    public int id() {
        check();
        return id;
    }

    /**
     * The header, which always arrives with the message. UCX takes it back when the handler returns, even if you keep
     * the data.
     *
     * @return the same object each time; empty if there is no header
     */
    @HotPath
    public UcpMessageBytes header() {
        return header;
    }

    /**
     * The data, unless the message {@link #isRendezvous()}.
     *
     * @return the same object each time
     * @throws IllegalStateException if the handler has returned, or the data has not arrived: {@link #receive} it
     */
    @HotPath
    public UcpMessageBytes data() {
        check();
        if ((attributes & RNDV) != 0) {
            throw new IllegalStateException("the " + length + " bytes of this message are still with the sender:"
                    + " receive() them into a buffer");
        }
        return data;
    }

    /**
     * How long the data is, whether or not it has arrived.
     *
     * @return the length in bytes
     * @throws IllegalStateException if the handler has returned
     */
    @HotPath
    public long length() {
        check();
        return length;
    }

    /**
     * Whether the sender still has the data: {@code UCP_AM_RECV_ATTR_FLAG_RNDV}.
     *
     * @return false if {@link #data()} has it
     * @throws IllegalStateException if the handler has returned
     */
    @HotPath
    public boolean isRendezvous() {
        check();
        return (attributes & RNDV) != 0;
    }

    /**
     * Whether you can {@link #keep()} the data: always with a rendezvous, or with a {@link
     * UcpActiveMessages#setPersistentHandler persistent handler}; otherwise only if UCX happens to have it in memory
     * that can wait.
     *
     * @return whether UCX can leave the data where it is
     * @throws IllegalStateException if the handler has returned
     */
    @HotPath
    public boolean isKeepable() {
        check();
        return (attributes & KEEPABLE) != 0;
    }

    /**
     * Whether the sender asked for an answer, by {@link UcpActiveMessages#REPLY}.
     *
     * @return whether {@link #reply(int, MemorySegment) reply} is possible
     * @throws IllegalStateException if the handler has returned
     */
    @HotPath
    public boolean hasReply() {
        check();
        return replyEp != 0;
    }

    /**
     * The program's own endpoint to the sender, for answers at any time. The program accepted it from a
     * {@link UcpListener}, or created it to the sender's address.
     *
     * @return the endpoint, which the program closes; null if it has no open one, or the sender did not ask for
     *     an answer
     * @throws IllegalStateException if the handler has returned
     */
    @HotPath
    public UcpEndpoint endpoint() {
        check();
        UcpEndpoint endpoint = replyEp == 0 ? null : operations.endpoint(replyEp);
        return endpoint != null && endpoint.isUsable() ? endpoint : null;
    }

    /**
     * Answers the sender with an active message without a header: see {@link #reply(int, MemorySegment,
     * MemorySegment, int)}.
     *
     * @param replyId the sender's handler that gets it
     * @param buffer off the heap
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}; release it
     */
    @HotPath
    public long reply(int replyId, MemorySegment buffer) {
        return reply(replyId, MemorySegment.NULL, buffer, 0);
    }

    /**
     * Answers the sender, as {@link UcpEndpoint#amSend(int, MemorySegment, MemorySegment, int)} does, whether or not
     * the program has an endpoint to it. It works only while the handler runs: UCX's own endpoint ({@code reply_ep})
     * belongs to the worker, and may be gone at any time after that. To answer later, use an {@link #endpoint()}.
     *
     * @param replyId the sender's handler that gets it
     * @param replyHeader off the heap; {@link MemorySegment#NULL} for none
     * @param buffer off the heap; {@link MemorySegment#NULL} for none
     * @param flags of {@link UcpActiveMessages}, or 0
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}; release it. UCX owns
     *     header and buffer until it is done
     * @throws IllegalStateException if the handler has returned, the sender did not ask for an answer, or the program is
     *     closing its endpoint to it
     * @throws UcxException if UCX refuses
     */
    @HotPath
    public long reply(int replyId, MemorySegment replyHeader, MemorySegment buffer, int flags) {
        return operations.send(
                replyEndpoint(),
                replyEp,
                replyId,
                replyHeader,
                0,
                replyHeader.byteSize(),
                buffer,
                0,
                buffer.byteSize(),
                flags);
    }

    /**
     * Answers the sender with a payload other than a plain buffer: a buffer with options or user data, a list of
     * buffers, or data that the program packs itself. Otherwise like {@link #reply(int, MemorySegment,
     * MemorySegment, int)}.
     *
     * @param replyId the sender's handler that gets it
     * @param replyHeader off the heap; {@link MemorySegment#NULL} for none
     * @param payload made for this worker
     * @param flags of {@link UcpActiveMessages}, or 0
     * @return as {@link UcpEndpoint#amSend(int, MemorySegment, UcpPayload, int)} does
     */
    @HotPath
    public long reply(int replyId, MemorySegment replyHeader, UcpPayload payload, int flags) {
        UcpEndpoint endpoint = replyEndpoint();
        return operations.send(endpoint, replyEp, replyId, replyHeader, payload, flags);
    }

    /**
     * Answers the sender, and returns a future. {@link UcpWorker#progress()} completes it on the worker's thread. It
     * allocates; otherwise like {@link #reply(int, MemorySegment, MemorySegment, int)}.
     *
     * @param replyId the sender's handler that gets it
     * @param replyHeader off the heap; UCX reads it until the future is completed
     * @param buffer off the heap; UCX reads it until the future is completed
     * @param flags of {@link UcpActiveMessages}, or 0
     * @return completed when header and buffer are yours again, or with a {@link UcxException}
     */
    public CompletableFuture<Void> replyAsync(int replyId, MemorySegment replyHeader, MemorySegment buffer, int flags) {
        return operations.async().send(() -> reply(replyId, replyHeader, buffer, flags), "an answer");
    }

    /**
     * Receives the data into a buffer: see {@link #receive(MemorySegment, long)}.
     *
     * @param buffer off the heap, writable, at least as long as the data
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}; release it
     */
    @HotPath
    public long receive(MemorySegment buffer) {
        return receive(buffer, 0);
    }

    /**
     * Receives the data into a buffer: copies data that has arrived, and fetches a rendezvous by
     * {@code ucp_am_recv_data_nbx}. The operation goes on after the handler has returned. It ends as
     * {@link UcsStatus#OK} with all of {@link #length()}.
     *
     * @param buffer off the heap, writable, of an arena that this thread may access; UCX writes to it until the operation
     *     is done
     * @param offset where the data begins in the buffer
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}; release it
     * @throws IllegalArgumentException if the buffer is on the heap or read-only
     * @throws IndexOutOfBoundsException if the data does not fit into the buffer from there on; you can try
     *     another buffer
     * @throws IllegalStateException if the handler has returned, the buffer's arena is closed, or the message was kept,
     *     received by rendezvous, or refused before
     * @throws WrongThreadException if the buffer belongs to another thread
     * @throws UcxException if UCX refuses
     */
    @HotPath
    public long receive(MemorySegment buffer, long offset) {
        if (!isToFetch(buffer, offset)) {
            return 0;
        }
        ArenaUse use = operations.reserve(buffer);
        received();
        return operations.receive(descriptor, buffer, buffer.address() + offset, length, endpointOrNull(), use);
    }

    /**
     * Receives the data into a buffer, as {@link #receive(MemorySegment, long)} does. {@link UcpWorker#poll} reports
     * when a rendezvous has been fetched.
     *
     * @param buffer off the heap, writable, of an arena that this thread may access; UCX writes to it until the
     *     operation is done
     * @param offset where the data begins in the buffer
     * @param userData the number that the poll returns
     * @return 0 if done at once, which no poll reports; otherwise a negative number, only for
     *     {@link UcpRequests#cancel}
     * @throws IllegalStateException also if the worker belongs to a loop and has no handler of completions
     */
    @HotPath
    public long receive(MemorySegment buffer, long offset, long userData) {
        operations.reservePolled();
        if (!isToFetch(buffer, offset)) {
            return 0;
        }
        long address = buffer.address() + offset;
        ArenaUse use = operations.reserve(buffer);
        received();
        return operations.receive(descriptor, buffer, address, length, endpointOrNull(), use, userData);
    }

    /** Whether the data must be fetched; if not, it is in the buffer. */
    @HotPath
    private boolean isToFetch(MemorySegment buffer, long offset) {
        check();
        checkUndecided("receive");
        BufferChecks.writable(buffer, offset, length);
        if ((attributes & RNDV) == 0) {
            data.copyTo(buffer, offset, 0, length);
            return false;
        }
        return length != 0; // dropping an empty one tells the sender everything
    }

    /** C gets the descriptor next, and takes it even if the call fails. */
    @HotPath
    void received() {
        disposition = Disposition.RECEIVED;
        kept = null;
    }

    /**
     * Receives the data into a buffer, and returns a future. {@link UcpWorker#progress()} completes it on the worker's
     * thread. It allocates; otherwise like {@link #receive(MemorySegment, long)}.
     *
     * @param buffer off the heap, writable; UCX writes to it until the future is completed
     * @return completed when the data is there, or with a {@link UcxException}
     */
    public CompletableFuture<Void> receiveAsync(MemorySegment buffer) {
        return operations.async().receive(() -> receive(buffer), this);
    }

    /**
     * Keeps the data where it is after the handler has returned: {@code UCS_INPROGRESS}. See
     * {@link #keep(UcpKeptMessage)}.
     *
     * @return a new holder, which you release
     */
    public UcpKeptMessage keep() {
        var holder = new UcpKeptMessage();
        keep(holder);
        return holder;
    }

    /**
     * Keeps the data where it is after the handler has returned: {@code UCS_INPROGRESS}. UCX has limited memory for
     * arriving messages: do not keep many for long.
     *
     * @param holder gets the data; it must hold none at present
     * @throws IllegalStateException if the handler has returned, the message was kept, received or refused before, UCX
     *     cannot keep it ({@link #isKeepable()}), or the holder holds another message
     */
    @HotPath
    public void keep(UcpKeptMessage holder) {
        check();
        checkUndecided("keep");
        if ((attributes & KEEPABLE) == 0) {
            throw new IllegalStateException("UCX has this message in memory that it needs again: set the handler by"
                    + " setPersistentHandler() to keep messages of any length");
        }
        holder.take(operations, this, descriptor, length, (attributes & RNDV) != 0, endpointOrNull());
        disposition = Disposition.KEPT;
        kept = holder;
    }

    /**
     * Refuses a rendezvous: the sender's operation ends with the status.
     *
     * @param status an error
     * @throws IllegalArgumentException if the status is not an error
     * @throws IllegalStateException if the handler has returned, the data has arrived already, or the message was kept,
     *     received or refused before
     */
    public void refuse(UcsStatus status) {
        check();
        checkUndecided("refuse");
        if ((attributes & RNDV) == 0) {
            throw new IllegalStateException("the data has come, and the sender is not told what becomes of it");
        }
        if (!status.isError() || status == UcsStatus.UNKNOWN) {
            throw new IllegalArgumentException(status + " is no error that could be sent");
        }
        disposition = Disposition.REFUSED;
        refusal = (byte) status.code();
    }

    /** The holder releases the message while the handler runs: C need not know that it was kept. */
    void dropKept() {
        disposition = Disposition.DROPPED;
        kept = null;
    }

    /** The program's endpoint to a sender that asked for an answer; null if there is none. */
    @HotPath
    private UcpEndpoint replyEndpoint() {
        check();
        if (replyEp == 0) {
            throw new IllegalStateException(
                    "the sender did not ask for an answer: it sends with REPLY if it wants one");
        }
        UcpEndpoint endpoint = operations.endpoint(replyEp);
        if (endpoint != null && !endpoint.isUsable()) {
            throw new IllegalStateException(endpoint + ", to the sender, is closed or has failed");
        }
        return endpoint;
    }

    @HotPath
    private UcpEndpoint endpointOrNull() {
        return replyEp == 0 ? null : operations.endpoint(replyEp);
    }

    @HotPath
    private void check() {
        owner.check();
        if (!open) {
            throw new IllegalStateException("the message is over: its handler has returned");
        }
    }

    @HotPath
    private void checkUndecided(String what) {
        if (disposition != Disposition.DROPPED) {
            throw new IllegalStateException(what + " is not possible: the message was " + disposition + " before");
        }
    }

    /** The message as it appears in error messages. */
    @Override
    public String toString() {
        return open
                ? "UcpActiveMessage(id " + id + ", " + length + " bytes"
                        + ((attributes & RNDV) == 0 ? ")" : " by rendezvous)")
                : "UcpActiveMessage(over)";
    }
}
