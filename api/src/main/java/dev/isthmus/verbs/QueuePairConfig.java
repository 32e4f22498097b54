// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_qp_cap;
import dev.isthmus.bindings.ibverbs.ibv_qp_init_attr_ex;
import dev.isthmus.internal.Codes;
import dev.isthmus.internal.Filling;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.verbs.QueuePairFactory;
import dev.isthmus.verbs.attributes.DeviceAttributes;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;

/**
 * The parameters of a queue pair, {@code struct ibv_qp_cap} and {@code sq_sig_all}, for the configurer passed to
 * {@link ProtectionDomain#createQueuePair}.
 */
public final class QueuePairConfig {

    static {
        Natives.of(QueuePairConfig.class)
                .accepts(QueuePairFactory.class, (config, factory) -> config.factory = factory);
    }

    private static final int MAX_24_BITS = 0xff_ffff;

    // enum ibv_qp_init_attr_mask
    private static final int CREATE_FLAGS = 1 << 2;
    private static final int MAX_TSO_HEADER = 1 << 3;
    private static final int SEND_OPERATIONS = 1 << 6;

    final Filling filling = new Filling();
    private int maxSendWr = 64;
    private int maxRecvWr = 64;
    private int requestedSends; // 0 if the default is used
    private int requestedReceives;
    private int maxSendSge = 1;
    private int maxRecvSge = 1;
    private int maxInline;
    private boolean signalAll;
    private SharedReceiveQueue sharedReceiveQueue;
    private final EnumSet<QueuePairCreateFlag> flags = EnumSet.noneOf(QueuePairCreateFlag.class);
    private int maxTsoHeader;
    private int sourceQpNum;
    private boolean extended;
    private QueuePairFactory factory; // null for verbs itself
    private int operations;
    private Boolean direct; // null for the process's default

    QueuePairConfig() {}

    /**
     * Sets how many send requests can be outstanding. Default: 64.
     *
     * @param requests their number
     * @return this
     * @throws IllegalArgumentException if it is negative
     */
    public QueuePairConfig maxSendWr(int requests) {
        filling.check();
        maxSendWr = notNegative("maxSendWr", requests);
        requestedSends = requests;
        return this;
    }

    /**
     * Sets how many receives can be outstanding. Default: 64.
     *
     * @param requests their number
     * @return this
     * @throws IllegalArgumentException if it is negative
     */
    public QueuePairConfig maxRecvWr(int requests) {
        filling.check();
        maxRecvWr = notNegative("maxRecvWr", requests);
        requestedReceives = requests;
        return this;
    }

    /**
     * Sets how many pieces a message can be gathered from. Default: 1.
     *
     * @param elements their number
     * @return this
     * @throws IllegalArgumentException if it is negative
     */
    public QueuePairConfig maxSendSge(int elements) {
        filling.check();
        maxSendSge = notNegative("maxSendSge", elements);
        return this;
    }

    /**
     * Sets how many pieces a message can be scattered to. Default: 1.
     *
     * @param elements their number
     * @return this
     * @throws IllegalArgumentException if it is negative
     */
    public QueuePairConfig maxRecvSge(int elements) {
        filling.check();
        maxRecvSge = notNegative("maxRecvSge", elements);
        return this;
    }

    /**
     * Sets how long an inline message can be. Default: 0.
     *
     * @param bytes the length
     * @return this
     * @throws IllegalArgumentException if it is negative
     */
    public QueuePairConfig maxInline(int bytes) {
        filling.check();
        maxInline = notNegative("maxInline", bytes);
        return this;
    }

    /**
     * Sets whether every send request produces a completion, whatever the request says. Default: no.
     *
     * @param all true for all
     * @return this
     */
    public QueuePairConfig signalAll(boolean all) {
        filling.check();
        signalAll = all;
        return this;
    }

    /**
     * Lets the queue pair take its receives from a shared queue. By default it has a queue of its own. You can then
     * post receives only to the shared queue, and {@link #maxRecvWr} and {@link #maxRecvSge} have no effect.
     *
     * @param queue the shared queue, of the same open device; the queue pair holds it open
     * @return this
     */
    public QueuePairConfig sharedReceiveQueue(SharedReceiveQueue queue) {
        filling.check();
        sharedReceiveQueue = Objects.requireNonNull(queue, "queue");
        return this;
    }

    /**
     * Sets flags for its creation; with any flag, {@code ibv_create_qp_ex} creates it.
     *
     * @param createFlags the flags, added to those that are set
     * @return this
     */
    public QueuePairConfig flags(QueuePairCreateFlag... createFlags) {
        filling.check();
        flags.addAll(List.of(createFlags));
        return this;
    }

    /**
     * Lets datagrams name another queue pair as their source: {@link QueuePairCreateFlag#SOURCE_QPN}. Only for
     * privileged programs.
     *
     * @param qpNum the number, 24 bits
     * @return this
     * @throws IllegalArgumentException if it is out of range
     */
    public QueuePairConfig sourceQpNum(int qpNum) {
        filling.check();
        if ((qpNum & ~MAX_24_BITS) != 0) {
            throw new IllegalArgumentException("queue pair number " + qpNum + " is not of 24 bits");
        }
        sourceQpNum = qpNum;
        return flags(QueuePairCreateFlag.SOURCE_QPN);
    }

    /**
     * Sets how long the header of a TSO request can be. Default: 0, which allows none.
     *
     * @param bytes the length, 16 bits
     * @return this
     * @throws IllegalArgumentException if it is out of range
     */
    public QueuePairConfig maxTsoHeader(int bytes) {
        filling.check();
        if (bytes < 0 || bytes > 0xffff) {
            throw new IllegalArgumentException("maxTsoHeader " + bytes + " is not of 16 bits");
        }
        maxTsoHeader = bytes;
        return this;
    }

    /** Makes {@code ibv_create_qp_ex} create it, even if {@code ibv_create_qp} could. */
    QueuePairConfig extended() {
        extended = true;
        return this;
    }

    /**
     * Lets Java itself write and poll the queues of this queue pair, without a call of C for each: straight to the card.
     * Only for RC, UC and UD on NVIDIA's ConnectX cards, on x86-64, by libmlx5 of rdma-core 44 to 65. <b>It has not met a
     * card</b>, only a simulated one. Default: no, unless the system property {@code isthmus.mlx5.direct} is true.
     *
     * <p>A queue pair is direct together with both of its completion queues, for good. Their first queue pair decides:
     * see {@link CompletionQueueConfig#direct}. What cannot be direct, such as a queue pair with a shared receive queue,
     * logs one sentence that says why, and is driven by libmlx5: see {@link QueuePair#isDirect}. A direct one does not
     * post BIND_MW and LOCAL_INV, and binds no memory windows.
     *
     * @param straightToTheCard whether to do so if it is possible
     * @return this
     */
    public QueuePairConfig direct(boolean straightToTheCard) {
        filling.check();
        direct = straightToTheCard;
        return this;
    }

    /** Whether it should be direct. */
    boolean isDirect() {
        return direct == null ? Directness.isDefault() : direct;
    }

    /** Whether it asks for that itself. */
    boolean asksForDirect() {
        return direct != null;
    }

    int requestedSends() {
        return requestedSends;
    }

    int requestedReceives() {
        return sharedReceiveQueue == null ? requestedReceives : 0;
    }

    /** What creates and destroys the C object; null for verbs itself. */
    QueuePairFactory factory() {
        return factory;
    }

    /** Whether {@code ibv_create_qp_ex} creates it. */
    boolean isExtended() {
        return extended || extendedMask() != 0;
    }

    /**
     * Prepares the queue pair for posting by {@link QueuePair#sendBatch}, besides the usual way:
     * {@code send_ops_flags}.
     *
     * @param sendOperations what you will post in this way; a device need not support all
     * @return this
     * @throws IllegalArgumentException if there is no such operation
     */
    public QueuePairConfig extendedPosting(SendOpcode... sendOperations) {
        filling.check();
        for (SendOpcode operation : sendOperations) {
            if (operation.batchBit() == 0) {
                throw new IllegalArgumentException(operation + " cannot be posted by a SendBatch");
            }
            operations |= operation.batchBit();
        }
        return this;
    }

    /** The operations of {@link #extendedPosting}: {@code enum ibv_qp_create_send_ops_flags}, or'ed. */
    int operations() {
        return operations;
    }

    /** The {@code comp_mask} of the parts that only {@code ibv_create_qp_ex} takes, or 0. */
    int extendedMask() {
        return (flags.isEmpty() ? 0 : CREATE_FLAGS)
                | (maxTsoHeader == 0 ? 0 : MAX_TSO_HEADER)
                | (operations == 0 ? 0 : SEND_OPERATIONS);
    }

    void writeExtended(MemorySegment attributes) {
        ibv_qp_init_attr_ex.create_flags(attributes, Codes.mask(flags, QueuePairCreateFlag::code));
        ibv_qp_init_attr_ex.max_tso_header(attributes, (short) maxTsoHeader);
        ibv_qp_init_attr_ex.source_qpn(attributes, sourceQpNum);
        ibv_qp_init_attr_ex.send_ops_flags(attributes, operations);
    }

    private static int notNegative(String name, int value) {
        if (value < 0) {
            throw new IllegalArgumentException(name + " is negative: " + value);
        }
        return value;
    }

    boolean signalAll() {
        return signalAll;
    }

    /** The shared queue, or null. */
    SharedReceiveQueue sharedReceiveQueue() {
        return sharedReceiveQueue;
    }

    void write(MemorySegment cap) {
        ibv_qp_cap.max_send_wr(cap, maxSendWr);
        ibv_qp_cap.max_recv_wr(cap, sharedReceiveQueue == null ? maxRecvWr : 0);
        ibv_qp_cap.max_send_sge(cap, maxSendSge);
        ibv_qp_cap.max_recv_sge(cap, sharedReceiveQueue == null ? maxRecvSge : 0);
        ibv_qp_cap.max_inline_data(cap, maxInline);
    }

    /** Which settings exceed the limits of a device, in words; empty if none does. */
    String exceeds(DeviceAttributes limits) {
        var excess = new StringBuilder();
        compare(excess, "maxSendWr", maxSendWr, limits.maxQpWr());
        compare(excess, "maxRecvWr", maxRecvWr, limits.maxQpWr());
        compare(excess, "maxSendSge", maxSendSge, limits.maxSge());
        compare(excess, "maxRecvSge", maxRecvSge, limits.maxSge());
        return excess.toString();
    }

    private static void compare(StringBuilder excess, String name, int value, int limit) {
        if (value > limit) {
            excess.append(excess.isEmpty() ? "the device allows " : ", ")
                    .append(name)
                    .append('=')
                    .append(limit);
        }
    }

    /** The capacities that are asked for. */
    @Override
    public String toString() {
        return "maxSendWr=" + maxSendWr + ", maxRecvWr=" + maxRecvWr + ", maxSendSge=" + maxSendSge + ", maxRecvSge="
                + maxRecvSge + ", maxInline=" + maxInline + (flags.isEmpty() ? "" : ", flags=" + flags);
    }
}
