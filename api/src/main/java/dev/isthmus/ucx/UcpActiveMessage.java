// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.UcxException;
import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.NativeMemory;
import dev.isthmus.internal.OwnerThread;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;

/**
 * An active message that has come, as its {@link UcpActiveMessageHandler} sees it. One object serves many messages: it is
 * valid until the handler returns, refuses its use afterwards, and allocates nothing.
 *
 * <p>Small messages come with their data (<i>eager</i>). Of a large one only the header has come (<i>rendezvous</i>), and
 * {@link #receive(MemorySegment) receive} fetches the data into a buffer of the program's; that works for both. A message
 * that the handler neither receives nor keeps is dropped, and its sender told that all went well. Headers, lengths and
 * contents are what the peer says: check them.
 *
 * <p>Confined to the thread of the worker. Nothing blocks.
 */
public final class UcpActiveMessage {

    private static final long REPLY_EP = ucp_h.UCP_AM_RECV_ATTR_FIELD_REPLY_EP();
    private static final long RNDV = ucp_h.UCP_AM_RECV_ATTR_FLAG_RNDV();
    private static final long KEEPABLE = RNDV | ucp_h.UCP_AM_RECV_ATTR_FLAG_DATA();

    private static final byte CANCELED = -16;

    /** What is to become of the data when the handler has returned. */
    private enum Fate {
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
    private Fate fate = Fate.DROPPED;
    private byte refusal;
    private UcpKeptMessage kept;

    UcpActiveMessage(AmOperations operations, OwnerThread owner) {
        this.operations = operations;
        this.owner = owner;
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
        fate = Fate.DROPPED;
        open = true;
    }

    /** Ends the message, and says what C is to do with the data: a {@code ucs_status_t}. */
    @HotPath
    byte end() {
        open = false;
        header.close();
        data.close();
        if (fate == Fate.DROPPED) {
            return 0;
        }
        if (fate == Fate.KEPT) {
            kept.outlive();
            kept = null;
            return 1; // UCS_INPROGRESS
        }
        return fate == Fate.REFUSED ? refusal : 0;
    }

    /** The handler threw: the sender of a rendezvous that was not dealt with is to know. */
    void failed() {
        if (fate == Fate.DROPPED && (attributes & RNDV) != 0) {
            fate = Fate.REFUSED;
            refusal = CANCELED;
        }
    }

    /**
     * The id that the message was sent to.
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
     * The header, which always comes with the message. UCX has it back when the handler returns, also when the data is
     * kept.
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
     * @throws IllegalStateException if the handler has returned, or the data has not come: {@link #receive} it
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
     * How long the data is, whether it has come or not.
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
     * Whether the data is still with the sender: {@code UCP_AM_RECV_ATTR_FLAG_RNDV}.
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
     * Whether {@link #keep()} is possible: with a rendezvous, with a {@link UcpActiveMessages#setPersistentHandler
     * persistent handler}, and where UCX happens to have the data in memory that can wait.
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
     * The program's own endpoint to the sender, for answers at any time: one that it accepted from a {@link UcpListener},
     * or made to the sender's address.
     *
     * @return the endpoint, which stays the program's to close; null if it has none that is open, or the sender did not
     *     ask for an answer
     * @throws IllegalStateException if the handler has returned
     */
    @HotPath
    public UcpEndpoint endpoint() {
        check();
        UcpEndpoint endpoint = replyEp == 0 ? null : operations.endpoint(replyEp);
        return endpoint != null && endpoint.isUsable() ? endpoint : null;
    }

    /**
     * Answers the sender, by an active message without header: see {@link #reply(int, MemorySegment, MemorySegment, int)}.
     *
     * @param replyId which of the sender's handlers is to have it
     * @param buffer off the heap
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}, to be released
     */
    @HotPath
    public long reply(int replyId, MemorySegment buffer) {
        return reply(replyId, MemorySegment.NULL, buffer, 0);
    }

    /**
     * Answers the sender, as {@link UcpEndpoint#amSend(int, MemorySegment, MemorySegment, int)} does, whether or not the
     * program has an endpoint to it. Only as long as the handler runs: UCX's own endpoint ({@code reply_ep}) belongs to
     * the worker, and may be gone at any time after that. To answer later, have an {@link #endpoint()}.
     *
     * @param replyId which of the sender's handlers is to have it
     * @param replyHeader off the heap; {@link MemorySegment#NULL} for none
     * @param buffer off the heap; {@link MemorySegment#NULL} for none
     * @param flags of {@link UcpActiveMessages}, or 0
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}, to be released; until
     *     it is done header and buffer belong to UCX
     * @throws IllegalStateException if the handler has returned, the sender did not ask for an answer, or the program is
     *     closing its endpoint to it
     * @throws UcxException if UCX refuses
     */
    @HotPath
    public long reply(int replyId, MemorySegment replyHeader, MemorySegment buffer, int flags) {
        return operations.send(
                answered(),
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
     * Answers the sender with more than a plain buffer: a buffer with options or user data, a list of buffers, or data that
     * the program packs itself. Otherwise as {@link #reply(int, MemorySegment, MemorySegment, int)}.
     *
     * @param replyId which of the sender's handlers is to have it
     * @param replyHeader off the heap; {@link MemorySegment#NULL} for none
     * @param payload made for this worker
     * @param flags of {@link UcpActiveMessages}, or 0
     * @return as {@link UcpEndpoint#amSend(int, MemorySegment, UcpPayload, int)} does
     */
    @HotPath
    public long reply(int replyId, MemorySegment replyHeader, UcpPayload payload, int flags) {
        UcpEndpoint endpoint = answered();
        return operations.send(endpoint, replyEp, replyId, replyHeader, payload, flags);
    }

    /**
     * Answers the sender, the convenient way. The future is completed by {@link UcpWorker#progress()}, on the worker's
     * thread. It allocates; otherwise as {@link #reply(int, MemorySegment, MemorySegment, int)}.
     *
     * @param replyId which of the sender's handlers is to have it
     * @param replyHeader off the heap; UCX reads it until the future is completed
     * @param buffer off the heap; UCX reads it until the future is completed
     * @param flags of {@link UcpActiveMessages}, or 0
     * @return completed when header and buffer are the caller's again, or with a {@link UcxException}
     */
    public CompletableFuture<Void> replyAsync(int replyId, MemorySegment replyHeader, MemorySegment buffer, int flags) {
        return operations.async().send(() -> reply(replyId, replyHeader, buffer, flags), "an answer");
    }

    /**
     * Gets the data into a buffer: see {@link #receive(MemorySegment, long)}.
     *
     * @param buffer off the heap, writable, as long as the data at least
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}, to be released
     */
    @HotPath
    public long receive(MemorySegment buffer) {
        return receive(buffer, 0);
    }

    /**
     * Gets the data into a buffer: copies what has come, and fetches a rendezvous by {@code ucp_am_recv_data_nbx}. The
     * operation goes on when the handler has returned. It ends as {@link UcsStatus#OK} with all of {@link #length()}.
     *
     * @param buffer off the heap, writable, of an arena that this thread may access; UCX writes to it until the operation
     *     is done
     * @param offset where the data is to begin in the buffer
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}, to be released
     * @throws IllegalArgumentException if the buffer is on the heap or read-only
     * @throws IndexOutOfBoundsException if the data is longer than what the buffer has from there; another buffer can be
     *     tried
     * @throws IllegalStateException if the handler has returned, the buffer's arena is closed, or the message was kept,
     *     received by rendezvous, or refused before
     * @throws WrongThreadException if the buffer belongs to another thread
     * @throws UcxException if UCX refuses
     */
    @HotPath
    public long receive(MemorySegment buffer, long offset) {
        return isToFetch(buffer, offset)
                ? operations.receive(descriptor, buffer, buffer.address() + offset, length, endpointOrNull())
                : 0;
    }

    /**
     * Gets the data into a buffer, as {@link #receive(MemorySegment, long)} does. {@link UcpWorker#poll} reports that a
     * rendezvous has been fetched.
     *
     * @param buffer off the heap, writable, of an arena that this thread may access; UCX writes to it until the operation
     *     is done
     * @param offset where the data is to begin in the buffer
     * @param userData the poll returns it
     * @return 0 if done at once, which no poll reports; otherwise a negative number, which only {@link UcpRequests#cancel}
     *     takes
     * @throws IllegalStateException also if the worker is a loop's that has no handler of completions
     */
    @HotPath
    public long receive(MemorySegment buffer, long offset, long userData) {
        PolledOperations polled = operations.polled();
        long address = buffer.address() + offset;
        return isToFetch(buffer, offset)
                ? operations.receive(descriptor, buffer, address, length, endpointOrNull(), userData, polled)
                : 0;
    }

    /** Whether the data is to be fetched; if not, it is in the buffer. */
    @HotPath
    private boolean isToFetch(MemorySegment buffer, long offset) {
        check();
        checkUndecided("receive");
        Buffers.writable(buffer, offset, length);
        if ((attributes & RNDV) == 0) {
            data.copyTo(buffer, offset, 0, length);
            return false;
        }
        fate = length == 0
                ? Fate.DROPPED // which tells the sender all there is to tell
                : Fate.RECEIVED; // also when it fails: UCX has taken the descriptor
        return length != 0;
    }

    /**
     * Gets the data into a buffer, the convenient way. The future is completed by {@link UcpWorker#progress()}, on the
     * worker's thread. It allocates; otherwise as {@link #receive(MemorySegment, long)}.
     *
     * @param buffer off the heap, writable; UCX writes to it until the future is completed
     * @return completed when the data is there, or with a {@link UcxException}
     */
    public CompletableFuture<Void> receiveAsync(MemorySegment buffer) {
        return operations.async().receive(() -> receive(buffer), this);
    }

    /**
     * Keeps the data where it is when the handler has returned: {@code UCS_INPROGRESS}. See {@link
     * #keep(UcpKeptMessage)}.
     *
     * @return a new holder, to be released
     */
    public UcpKeptMessage keep() {
        var holder = new UcpKeptMessage();
        keep(holder);
        return holder;
    }

    /**
     * Keeps the data where it is when the handler has returned: {@code UCS_INPROGRESS}. UCX's memory for messages that
     * come is not endless: do not keep many for long.
     *
     * @param holder gets the data; one that holds none at present
     * @throws IllegalStateException if the handler has returned, the message was kept, received or refused before, UCX
     *     cannot keep it ({@link #isKeepable()}), or the holder holds another
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
        fate = Fate.KEPT;
        kept = holder;
    }

    /**
     * Refuses a rendezvous: the sender's operation ends with the status.
     *
     * @param status an error
     * @throws IllegalArgumentException if it is none
     * @throws IllegalStateException if the handler has returned, the data has come already, or the message was kept,
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
        fate = Fate.REFUSED;
        refusal = (byte) status.code();
    }

    /** The holder lets the message go while the handler runs: C need not know that it was to be kept. */
    void unkeep() {
        fate = Fate.DROPPED;
        kept = null;
    }

    /** The program's endpoint to the sender, which asked for an answer; null if it has none. */
    @HotPath
    private UcpEndpoint answered() {
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
        if (fate != Fate.DROPPED) {
            throw new IllegalStateException(what + " is not possible: the message was " + fate + " before");
        }
    }

    /** The message as messages name it. */
    @Override
    public String toString() {
        return open
                ? "UcpActiveMessage(id " + id + ", " + length + " bytes"
                        + ((attributes & RNDV) == 0 ? ")" : " by rendezvous)")
                : "UcpActiveMessage(over)";
    }
}
