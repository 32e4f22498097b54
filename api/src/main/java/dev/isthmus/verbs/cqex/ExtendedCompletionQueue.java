// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.cqex;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.CheckReturnValue;
import dev.isthmus.VerbsException;
import dev.isthmus.bindings.ibverbs.ibv_cq_ex;
import dev.isthmus.bindings.ibverbs.ibv_cq_init_attr_ex;
import dev.isthmus.bindings.ibverbs.ibv_wc_tm_info;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.internal.verbs.CompletionFlag;
import dev.isthmus.internal.verbs.CompletionQueueFactory;
import dev.isthmus.internal.verbs.ContextFunction;
import dev.isthmus.internal.verbs.ContextOps;
import dev.isthmus.internal.verbs.ExtendedPoll;
import dev.isthmus.internal.verbs.NetworkOrder;
import dev.isthmus.internal.verbs.VerbsCall;
import dev.isthmus.verbs.CompletionOpcode;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.CompletionStatus;
import dev.isthmus.verbs.DeviceContext;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;

/**
 * A completion queue that is read in place: {@code struct ibv_cq_ex}. The driver copies no completions. A poll goes
 * from one to the next, and you read the fields that you asked for at creation.
 *
 * <pre>{@code
 * if (cq.startPoll()) {
 *     do {
 *         handle(cq.wrId(), cq.status());
 *     } while (cq.nextPoll());
 *     cq.endPoll();
 * }
 * }</pre>
 *
 * <p>Starting, advancing, ending and reading allocate nothing and do not block. Between start and end you cannot poll
 * the queue otherwise, resize it, hand it over or close it, and its thread cannot close its queue pairs: the driver
 * holds a lock.
 *
 * <p>For a completion that failed, only {@link #wrId}, {@link #status}, {@link #vendorError} and {@link #qpNum} are
 * defined; the other methods refuse it.
 *
 * <p>It belongs to one thread at a time, at first the one that created it: {@link CompletionQueue#handOver} of
 * its {@link #queue} gives it to another. The program that creates it owns it. It cannot be closed while it has
 * queue pairs.
 */
public final class ExtendedCompletionQueue implements AutoCloseable {

    /** No poll is open. */
    private static final int IDLE = 0;

    /** A poll is open and has no more completions. */
    private static final int DRAINED = 1;

    /** A poll is open and at a completion. */
    private static final int CURRENT = 2;

    private static final long STATUS = ibv_cq_ex.status$offset();
    private static final long WR_ID = ibv_cq_ex.wr_id$offset();
    private static final long TAG = ibv_wc_tm_info.tag$offset();
    private static final long TAG_PRIVATE = ibv_wc_tm_info.priv$offset();

    /** The {@code vendor_id} of Soft-RoCE. */
    private static final int SOFT_ROCE = 0xff_ffff;

    private final CompletionQueue queue;
    private final OwnerThread owner;
    private final MemorySegment struct;
    private final ExtendedPoll functions;
    private final int fields;
    private final boolean endsToGoOn;
    private final MemorySegment tagMatching = Arena.ofAuto().allocate(ibv_wc_tm_info.layout());
    private int state = IDLE;

    private ExtendedCompletionQueue(CompletionQueue queue, Factory factory) {
        this.queue = queue;
        this.owner = Natives.part(queue, OwnerThread.class);
        this.struct = NativeCall.sized(Natives.handle(queue), ibv_cq_ex.sizeof());
        this.functions = new ExtendedPoll(struct);
        this.fields = factory.config.wantedFields();
        this.endsToGoOn = factory.softRoce;
    }

    /** Creates the C object, and then knows whether a poll of it is open. */
    private static final class Factory implements CompletionQueueFactory {

        private final DeviceContext context;
        private final int entries;
        private final ExtendedCompletionQueueConfig config;
        private final boolean softRoce;
        private ExtendedCompletionQueue made; // null until it is created

        Factory(DeviceContext context, int entries, ExtendedCompletionQueueConfig config) {
            this.context = context;
            this.entries = entries;
            this.config = config;
            this.softRoce = context.attributes().vendorId() == SOFT_ROCE;
        }

        @Override
        public String kind() {
            return "ExtendedCompletionQueue";
        }

        @Override
        public List<Lifetime> parents() {
            return config.parents();
        }

        @Override
        public MemorySegment create(VerbsCall call, String what, MemorySegment channel, int vector) {
            MemorySegment attributes = call.allocate(ibv_cq_init_attr_ex.layout());
            config.write(attributes, entries, channel);
            return call.create(
                    Natives.part(context, ContextOps.class).require(ContextFunction.CREATE_CQ_EX),
                    what + ", " + config,
                    Natives.handle(context),
                    attributes);
        }

        @Override
        public String help(int errno) {
            return errno == Errno.EOPNOTSUPP ? config.unusual() : "";
        }

        @Override
        @HotPath
        public void checkNoOpenPoll() {
            if (made != null) {
                made.checkNoOpenPoll();
            }
        }
    }

    /**
     * Creates a completion queue that is read in place: {@code ibv_create_cq_ex}. It belongs to the calling thread.
     *
     * @param context the device
     * @param entries the least room for completions
     * @param configure sets what you can read of completions, its channel, and more
     * @return the completion queue, which the caller closes before the device and before the channel
     * @throws IllegalArgumentException if {@code entries} is not positive, the device has no such vector, or the channel
     *     is of another device
     * @throws dev.isthmus.VerbsException if the call fails, for example with EOPNOTSUPP if the device lacks a field
     * @throws IllegalStateException if the device or the channel is closed
     */
    public static ExtendedCompletionQueue create(
            DeviceContext context, int entries, Consumer<ExtendedCompletionQueueConfig> configure) {
        var config = new ExtendedCompletionQueueConfig();
        config.filling.by(configure, config);
        config.check(context);
        var factory = new Factory(context, entries, config);
        CompletionQueue queue = context.createCompletionQueue(entries, common -> {
            common.channel(config.channel()).vector(config.vector());
            Natives.deliver(common, factory);
        });
        return Lifetime.orDestroy(
                () -> {
                    factory.made = new ExtendedCompletionQueue(queue, factory);
                    return factory.made;
                },
                queue::close);
    }

    /**
     * The same queue as a {@link CompletionQueue}, with which you create queue pairs, ask for events, resize it or give
     * it to another thread: {@code ibv_cq_ex_to_cq}. Polling it takes from the same completions.
     *
     * @return always the same object
     */
    public CompletionQueue queue() {
        return queue;
    }

    /**
     * Starts a poll: {@code ibv_start_poll}.
     *
     * @return true if there is a completion to read, and a poll to end; false if there is none, and nothing to end
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if this is closed, or a poll is open
     * @throws dev.isthmus.VerbsException if the queue is broken; then no poll is open
     */
    @CheckReturnValue
    @HotPath
    public boolean startPoll() {
        owner.check();
        checkNoOpenPoll();
        int result = functions.start();
        if (result == 0) {
            state = CURRENT;
            return true;
        }
        if (result != Errno.ENOENT) {
            throw broken("ibv_start_poll", result);
        }
        return false;
    }

    /**
     * Advances to the next completion: {@code ibv_next_poll}.
     *
     * @return true if there is one to read; false if there is none: end the poll
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if this is closed, or no poll is open
     * @throws dev.isthmus.VerbsException if the queue is broken; end the poll
     */
    @CheckReturnValue
    @HotPath
    public boolean nextPoll() {
        owner.check();
        if (state != CURRENT) {
            return refuseUnlessDrained();
        }
        int result = endsToGoOn ? endAndStart() : functions.next();
        if (result == 0) {
            return true;
        }
        state = DRAINED;
        if (result != Errno.ENOENT) {
            throw broken("ibv_next_poll", result);
        }
        return false;
    }

    /**
     * Soft-RoCE ends the poll itself if there is no next completion, and at the end then takes one more that does not
     * exist (rdma-core before 59). Otherwise, ending and starting again makes no difference to it.
     */
    @HotPath
    private int endAndStart() {
        functions.end();
        return functions.start();
    }

    /**
     * Ends the poll: {@code ibv_end_poll}. The completions that it has passed are gone.
     *
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if this is closed, or no poll is open
     */
    @HotPath
    public void endPoll() {
        owner.check();
        if (state == IDLE) {
            throw noOpenPoll();
        }
        if (state == CURRENT || !endsToGoOn) {
            functions.end();
        }
        state = IDLE;
    }

    /** Once a poll has no more completions, it stays so: later ones are for the next poll. */
    private boolean refuseUnlessDrained() {
        if (state == IDLE) {
            throw noOpenPoll();
        }
        return false;
    }

    private IllegalStateException noOpenPoll() {
        return new IllegalStateException(this + " has no open poll: startPoll() did not return true");
    }

    @HotPath
    private void checkNoOpenPoll() {
        if (state != IDLE && owner.isCurrent()) {
            throw new IllegalStateException(this + " has an open poll: endPoll() first");
        }
    }

    /**
     * The number that was set on the work request: {@code wr_id} of {@code struct ibv_cq_ex}.
     *
     * @return its {@code wr_id}
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if the poll is at no completion
     */
    @HotPath
    public long wrId() {
        checkCurrent();
        return struct.get(JAVA_LONG, WR_ID);
    }

    /**
     * Whether the work request succeeded.
     *
     * @return true if the status is {@link CompletionStatus#SUCCESS}
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if the poll is at no completion
     */
    @HotPath
    public boolean isSuccess() {
        checkCurrent();
        return struct.get(JAVA_INT, STATUS) == 0;
    }

    /**
     * How it ended: {@code status} of {@code struct ibv_cq_ex}.
     *
     * @return the status
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if the poll is at no completion
     */
    @HotPath
    public CompletionStatus status() {
        checkCurrent();
        return CompletionStatus.of(struct.get(JAVA_INT, STATUS));
    }

    /**
     * The vendor's own code for a failure: {@code ibv_wc_read_vendor_err}.
     *
     * @return the code; 0 for a success, for which libmlx5 would read something else
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if the poll is at no completion
     */
    @HotPath
    public int vendorError() {
        return isSuccess() ? 0 : functions.readInt(functions.vendorError);
    }

    /**
     * The queue pair to which the work request was posted: {@code ibv_wc_read_qp_num}. Needs
     * {@link CompletionField#QP_NUM}.
     *
     * @return its number
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if the poll is at no completion, or this was not asked for
     */
    @HotPath
    public int qpNum() {
        checkCurrent();
        checkRequested(CompletionField.QP_NUM);
        return functions.readInt(functions.qpNum);
    }

    /**
     * Which operation completed: {@code ibv_wc_read_opcode}.
     *
     * @return the opcode
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if the poll is at no completion, or at one that failed
     */
    @HotPath
    public CompletionOpcode opcode() {
        checkSuccess();
        return CompletionOpcode.of(functions.readInt(functions.opcode));
    }

    /**
     * The flags: {@code ibv_wc_read_wc_flags}.
     *
     * @return {@code enum ibv_wc_flags}, or'ed
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if the poll is at no completion, or at one that failed
     */
    @HotPath
    public int flags() {
        checkSuccess();
        return functions.readInt(functions.flags);
    }

    /**
     * Whether a receive got an immediate value: {@code IBV_WC_WITH_IMM}.
     *
     * @return true if so
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if the poll is at no completion, or at one that failed
     */
    @HotPath
    public boolean hasImmediate() {
        return (flags() & CompletionFlag.WITH_IMM) != 0;
    }

    /**
     * Whether a receive invalidated a key of this end, as the sender asked: {@code IBV_WC_WITH_INV}.
     *
     * @return true if so
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if the poll is at no completion, or at one that failed
     */
    @HotPath
    public boolean hasInvalidatedRkey() {
        return (flags() & CompletionFlag.WITH_INV) != 0;
    }

    /**
     * Whether the 40 bytes in front of a datagram are a header: {@code IBV_WC_GRH}.
     *
     * @return true if so
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if the poll is at no completion, or at one that failed
     */
    @HotPath
    public boolean hasGrh() {
        return (flags() & CompletionFlag.GRH) != 0;
    }

    /**
     * Whether the device found the IPv4 and the TCP or UDP checksums correct: {@code IBV_WC_IP_CSUM_OK}.
     *
     * @return true if so
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if the poll is at no completion, or at one that failed
     */
    @HotPath
    public boolean isIpChecksumOk() {
        return (flags() & CompletionFlag.IP_CSUM_OK) != 0;
    }

    /**
     * How many bytes were received, read, or fetched; undefined for sends and writes: {@code ibv_wc_read_byte_len}.
     * Needs {@link CompletionField#BYTE_LEN}.
     *
     * @return bytes, unsigned
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if the poll is at no completion, or at one that failed, or this was not asked for
     */
    @HotPath
    public long byteLength() {
        checkSuccess();
        checkRequested(CompletionField.BYTE_LEN);
        return Integer.toUnsignedLong(functions.readInt(functions.byteLength));
    }

    /**
     * The immediate value of the received message, as the sender gave it: {@code ibv_wc_read_imm_data}. Needs
     * {@link CompletionField#IMM}.
     *
     * @return the value
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if the poll is at no completion, or at one that failed, or this was not asked for;
     *     or if there is none
     */
    @HotPath
    public int immediate() {
        checkSuccess();
        checkRequested(CompletionField.IMM);
        check(hasImmediate(), "no immediate value");
        return NetworkOrder.toHost(functions.readInt(functions.immediate));
    }

    /**
     * The key that a receive invalidated: {@code ibv_wc_read_invalidated_rkey}. Needs {@link CompletionField#IMM}.
     *
     * @return the rkey
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if the poll is at no completion, or at one that failed, or this was not asked for;
     *     or if there is none
     */
    @HotPath
    public int invalidatedRkey() {
        checkSuccess();
        checkRequested(CompletionField.IMM);
        check(hasInvalidatedRkey(), "no invalidated rkey");
        return functions.readInt(functions.immediate);
    }

    /**
     * The queue pair that sent the received message; defined for datagrams: {@code ibv_wc_read_src_qp}. Needs
     * {@link CompletionField#SRC_QP}.
     *
     * @return the number of the remote queue pair
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if the poll is at no completion, or at one that failed, or this was not asked for
     */
    @HotPath
    public int sourceQpNum() {
        checkSuccess();
        checkRequested(CompletionField.SRC_QP);
        return functions.readInt(functions.sourceQpNum);
    }

    /**
     * The source LID of a datagram; 0 on Ethernet: {@code ibv_wc_read_slid}. Needs {@link CompletionField#SLID}.
     *
     * @return the LID
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if the poll is at no completion, or at one that failed, or this was not asked for
     */
    @HotPath
    public int slid() {
        checkSuccess();
        checkRequested(CompletionField.SLID);
        return functions.readInt(functions.slid);
    }

    /**
     * The service level of a datagram: {@code ibv_wc_read_sl}. Needs {@link CompletionField#SL}.
     *
     * @return 0 to 15
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if the poll is at no completion, or at one that failed, or this was not asked for
     */
    @HotPath
    public int serviceLevel() {
        checkSuccess();
        checkRequested(CompletionField.SL);
        return functions.readByte(functions.serviceLevel);
    }

    /**
     * Which of the port's LIDs a datagram was sent to: {@code ibv_wc_read_dlid_path_bits}. Needs
     * {@link CompletionField#DLID_PATH_BITS}.
     *
     * @return the low bits of the LID
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if the poll is at no completion, or at one that failed, or this was not asked for
     */
    @HotPath
    public int dlidPathBits() {
        checkSuccess();
        checkRequested(CompletionField.DLID_PATH_BITS);
        return functions.readByte(functions.dlidPathBits);
    }

    /**
     * When it completed, by the device's clock: {@code ibv_wc_read_completion_ts}. Needs
     * {@link CompletionField#COMPLETION_TIMESTAMP}.
     *
     * @return ticks
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if the poll is at no completion, or this was not asked for
     */
    @HotPath
    public long completionTimestamp() {
        checkCurrent();
        checkRequested(CompletionField.COMPLETION_TIMESTAMP);
        return functions.readLong(functions.timestamp);
    }

    /**
     * When it completed, by the system's clock: {@code ibv_wc_read_completion_wallclock_ns}. Needs
     * {@link CompletionField#COMPLETION_TIMESTAMP_WALLCLOCK}.
     *
     * @return nanoseconds since 1970
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if the poll is at no completion, or this was not asked for
     */
    @HotPath
    public long completionWallClockNanos() {
        checkCurrent();
        checkRequested(CompletionField.COMPLETION_TIMESTAMP_WALLCLOCK);
        return functions.readLong(functions.wallClock);
    }

    /**
     * The VLAN tag that was removed from a packet: {@code ibv_wc_read_cvlan}. Needs {@link CompletionField#CVLAN}.
     *
     * @return 16 bits
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if the poll is at no completion, or at one that failed, or this was not asked for
     */
    @HotPath
    public int customerVlan() {
        checkSuccess();
        checkRequested(CompletionField.CVLAN);
        return functions.readShort(functions.customerVlan);
    }

    /**
     * The tag of the flow rule that a packet matched: {@code ibv_wc_read_flow_tag}. Needs {@link CompletionField#FLOW_TAG}.
     * Without such a rule it means nothing: libmlx5 then reads the number of the queue pair.
     *
     * @return the tag, unsigned
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if the poll is at no completion, or at one that failed, or this was not asked for
     */
    @HotPath
    public int flowTag() {
        checkSuccess();
        checkRequested(CompletionField.FLOW_TAG);
        return functions.readInt(functions.flowTag);
    }

    /**
     * The tag of a message that tag matching received: {@code ibv_wc_read_tm_info}. Needs {@link CompletionField#TM_INFO}.
     *
     * @return its {@code tag}
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if the poll is at no completion, or at one that failed, or this was not asked for
     */
    @HotPath
    public long tag() {
        checkSuccess();
        checkRequested(CompletionField.TM_INFO);
        functions.readTagMatching(tagMatching.address());
        return tagMatching.get(JAVA_LONG, TAG); // also keeps the memory from being collected during the call
    }

    /**
     * What the sender added to such a message's tag: {@code ibv_wc_read_tm_info}. Needs {@link CompletionField#TM_INFO}.
     *
     * @return its {@code priv}
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if the poll is at no completion, or at one that failed, or this was not asked for
     */
    @HotPath
    public int tagPrivate() {
        checkSuccess();
        checkRequested(CompletionField.TM_INFO);
        functions.readTagMatching(tagMatching.address());
        return tagMatching.get(JAVA_INT, TAG_PRIVATE);
    }

    private void checkCurrent() {
        owner.check();
        if (state != CURRENT) {
            throw new IllegalStateException(
                    this + " is at no completion: startPoll() or nextPoll() must have said true");
        }
    }

    private void checkSuccess() {
        checkCurrent();
        if (struct.get(JAVA_INT, STATUS) != 0) {
            throw new IllegalStateException("the completion failed with " + status()
                    + ": only its wrId, status, vendorError and qpNum are defined");
        }
    }

    private void checkRequested(CompletionField field) {
        if ((fields & field.code()) == 0) {
            throw new IllegalStateException(this + " was made without the field " + field);
        }
    }

    private VerbsException broken(String call, int result) {
        // Drivers return numbers of their own, not an errno.
        return VerbsException.ofResult(
                call,
                toString(),
                result,
                "the device wrote a completion that its driver cannot read; the queue is of no more use");
    }

    /**
     * Destroys the queue: {@code ibv_destroy_cq}. Its events that were not taken are lost. Does nothing if it is
     * closed already.
     *
     * @throws IllegalStateException if queue pairs use it, or in an open poll
     * @throws WrongThreadException if this belongs to another thread
     * @throws dev.isthmus.VerbsException if the call fails; you can try again
     */
    @Override
    public void close() {
        queue.close();
    }

    /** The class, the device's name, and the number of entries asked for. */
    @Override
    public String toString() {
        return queue.toString();
    }

    private static void check(boolean has, String what) {
        if (!has) {
            throw new IllegalStateException("the completion has " + what);
        }
    }
}
