// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_qp_attr;
import dev.isthmus.internal.Codes;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.verbs.StateStruct;
import dev.isthmus.verbs.attributes.DeviceAttributes;
import dev.isthmus.verbs.attributes.Mtu;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * A step of a queue pair to another state, with the attributes that it sets: {@code struct ibv_qp_attr} and its mask.
 *
 * <p>{@link QueuePair#modify} checks which attributes a step must and may set, before the call. Not thread-safe.
 */
public final class QueuePairTransition {

    static {
        Natives.of(QueuePairTransition.class).isCreatedFrom(StateStruct.class, QueuePairTransition::read);
    }

    private static final int MAX_24_BITS = 0xff_ffff;

    /** The states from which a step can be declared to begin. */
    private static final Set<QueuePairState> CURRENT =
            EnumSet.of(QueuePairState.RTR, QueuePairState.RTS, QueuePairState.SQD, QueuePairState.SQE);

    private final QueuePairState state;
    private final EnumSet<QueuePairAttribute> set = EnumSet.noneOf(QueuePairAttribute.class);
    private final EnumSet<AccessFlag> access = EnumSet.noneOf(AccessFlag.class);
    private AddressVector path;
    private Mtu pathMtu = Mtu.UNKNOWN;
    private int pkeyIndex;
    private int port;
    private int destQpNum;
    private int rqPsn;
    private int sqPsn;
    private int maxRdAtomic;
    private int maxDestRdAtomic;
    private int minRnrTimer;
    private int timeout;
    private int retryCount;
    private int rnrRetry;
    private int qkey;
    private QueuePairState currentState = QueuePairState.RESET;
    private boolean sqdAsyncNotify;
    private AddressVector alternatePath;
    private int alternatePkeyIndex;
    private int alternateTimeout;
    private PathMigrationState pathMigrationState = PathMigrationState.MIGRATED;
    private int rateLimit;
    private QueuePairCapabilities capabilities;

    private QueuePairTransition(QueuePairState state) {
        this.state = state;
    }

    /**
     * A step to a state.
     *
     * @param state the state to go to, which may be the present one
     * @return a step that sets nothing else yet
     * @throws IllegalArgumentException if no program can ask for the state
     */
    public static QueuePairTransition to(QueuePairState state) {
        if (state == QueuePairState.SQE || state == QueuePairState.UNKNOWN) {
            throw new IllegalArgumentException("a queue pair cannot be asked to go to " + state);
        }
        return new QueuePairTransition(state);
    }

    /**
     * Sets the index of the partition key: {@code IBV_QP_PKEY_INDEX}; usually 0.
     *
     * @param index the index in the port's table, 16 bits
     * @return this
     * @throws IllegalArgumentException if it is out of range
     */
    public QueuePairTransition pkeyIndex(int index) {
        pkeyIndex = checked(QueuePairAttribute.PKEY_INDEX, index, 0, 0xffff);
        return this;
    }

    /**
     * Sets the port: {@code IBV_QP_PORT}.
     *
     * @param number from 1
     * @return this
     * @throws IllegalArgumentException if it is out of range
     */
    public QueuePairTransition port(int number) {
        port = checked(QueuePairAttribute.PORT, number, 1, 255);
        return this;
    }

    /**
     * Sets what the peer may do: {@code IBV_QP_ACCESS_FLAGS}. A region must allow it, too.
     *
     * @param flags what is allowed; none if there are only messages
     * @return this
     */
    public QueuePairTransition access(AccessFlag... flags) {
        access.clear();
        access.addAll(List.of(flags));
        set.add(QueuePairAttribute.ACCESS);
        return this;
    }

    /**
     * Sets the path to the peer: {@code IBV_QP_AV}.
     *
     * @param vector the path
     * @return this
     */
    public QueuePairTransition path(AddressVector vector) {
        path = Objects.requireNonNull(vector, "vector");
        set.add(QueuePairAttribute.PATH);
        return this;
    }

    /**
     * Sets the payload of a packet: {@code IBV_QP_PATH_MTU}. Not more than either port's active MTU.
     *
     * @param mtu the same on both sides
     * @return this
     * @throws IllegalArgumentException if it is UNKNOWN
     */
    public QueuePairTransition pathMtu(Mtu mtu) {
        if (Objects.requireNonNull(mtu, "mtu") == Mtu.UNKNOWN) {
            throw new IllegalArgumentException("pathMtu is UNKNOWN");
        }
        pathMtu = mtu;
        set.add(QueuePairAttribute.PATH_MTU);
        return this;
    }

    /**
     * Sets the peer's queue pair: {@code IBV_QP_DEST_QPN}.
     *
     * @param qpNum its number, 24 bits
     * @return this
     * @throws IllegalArgumentException if it is out of range
     */
    public QueuePairTransition destQpNum(int qpNum) {
        destQpNum = checked(QueuePairAttribute.DEST_QP_NUM, qpNum, 0, MAX_24_BITS);
        return this;
    }

    /**
     * Sets the packet sequence number to expect first, the peer's {@link #sqPsn}: {@code IBV_QP_RQ_PSN}.
     *
     * @param psn 24 bits
     * @return this
     * @throws IllegalArgumentException if it is out of range
     */
    public QueuePairTransition rqPsn(int psn) {
        rqPsn = checked(QueuePairAttribute.RQ_PSN, psn, 0, MAX_24_BITS);
        return this;
    }

    /**
     * Sets the packet sequence number to begin with, the peer's {@link #rqPsn}: {@code IBV_QP_SQ_PSN}.
     *
     * @param psn 24 bits
     * @return this
     * @throws IllegalArgumentException if it is out of range
     */
    public QueuePairTransition sqPsn(int psn) {
        sqPsn = checked(QueuePairAttribute.SQ_PSN, psn, 0, MAX_24_BITS);
        return this;
    }

    /**
     * Sets how many READs and atomics this side can have outstanding: {@code IBV_QP_MAX_QP_RD_ATOMIC}.
     *
     * @param operations their number, 0 to 255; not more than the peer's {@link #maxDestRdAtomic}
     * @return this
     * @throws IllegalArgumentException if it is out of range
     */
    public QueuePairTransition maxRdAtomic(int operations) {
        maxRdAtomic = checked(QueuePairAttribute.MAX_RD_ATOMIC, operations, 0, 255);
        return this;
    }

    /**
     * Sets how many READs and atomics of the peer this side serves at once: {@code IBV_QP_MAX_DEST_RD_ATOMIC}.
     *
     * @param operations their number, 0 to 255; not more than {@link DeviceAttributes#maxQpRdAtomic}
     * @return this
     * @throws IllegalArgumentException if it is out of range
     */
    public QueuePairTransition maxDestRdAtomic(int operations) {
        maxDestRdAtomic = checked(QueuePairAttribute.MAX_DEST_RD_ATOMIC, operations, 0, 255);
        return this;
    }

    /**
     * Sets how long the peer is told to wait while no receive is posted: {@code IBV_QP_MIN_RNR_TIMER}.
     *
     * @param code a code of the table in ibv_modify_qp(3): 12 means 0.64 ms, 1 means 0.01 ms, 0 means 655.36 ms
     * @return this
     * @throws IllegalArgumentException if it is not between 0 and 31
     */
    public QueuePairTransition minRnrTimer(int code) {
        minRnrTimer = checked(QueuePairAttribute.MIN_RNR_TIMER, code, 0, 31);
        return this;
    }

    /**
     * Sets how long to wait for an acknowledgement before sending again: {@code IBV_QP_TIMEOUT}.
     *
     * @param code 4.096 us * 2^code: 14 is 67 ms; 0 means for ever
     * @return this
     * @throws IllegalArgumentException if it is not between 0 and 31
     */
    public QueuePairTransition timeout(int code) {
        timeout = checked(QueuePairAttribute.TIMEOUT, code, 0, 31);
        return this;
    }

    /**
     * Sets how many times to send again without an acknowledgement: {@code IBV_QP_RETRY_CNT}.
     *
     * @param retries 0 to 7
     * @return this
     * @throws IllegalArgumentException if it is out of range
     */
    public QueuePairTransition retryCount(int retries) {
        retryCount = checked(QueuePairAttribute.RETRY_COUNT, retries, 0, 7);
        return this;
    }

    /**
     * Sets how many times to send again while the peer has no receive posted: {@code IBV_QP_RNR_RETRY}.
     *
     * @param retries 0 to 6; 7 means for ever
     * @return this
     * @throws IllegalArgumentException if it is out of range
     */
    public QueuePairTransition rnrRetry(int retries) {
        rnrRetry = checked(QueuePairAttribute.RNR_RETRY, retries, 0, 7);
        return this;
    }

    /**
     * Sets the key that datagrams to this queue pair must carry: {@code IBV_QP_QKEY}.
     *
     * @param key 32 bits; the highest is for privileged programs
     * @return this
     */
    public QueuePairTransition qkey(int key) {
        qkey = key;
        set.add(QueuePairAttribute.QKEY);
        return this;
    }

    /**
     * Sets the state in which the step begins, for one that the device can have left: {@code IBV_QP_CUR_STATE}.
     *
     * @param present the state, RTR, RTS, SQD or SQE
     * @return this
     * @throws IllegalArgumentException if it is another one
     */
    public QueuePairTransition currentState(QueuePairState present) {
        if (!CURRENT.contains(present)) {
            throw new IllegalArgumentException("currentState is one of " + CURRENT + ", and cannot be " + present);
        }
        currentState = present;
        set.add(QueuePairAttribute.CURRENT_STATE);
        return this;
    }

    /**
     * Sets whether an asynchronous event reports when the send queue has drained: {@code IBV_QP_EN_SQD_ASYNC_NOTIFY}.
     *
     * @param on true to get the event
     * @return this
     */
    public QueuePairTransition sqdAsyncNotify(boolean on) {
        sqdAsyncNotify = on;
        set.add(QueuePairAttribute.SQD_ASYNC_NOTIFY);
        return this;
    }

    /**
     * Sets an alternate path to the peer, to use when the first fails: {@code IBV_QP_ALT_PATH}.
     *
     * @param vector the path; its port is the alternate port
     * @param pkeyIndex the index of the partition key in that port's table, 16 bits
     * @param timeout how long to wait for an acknowledgement, as a code for {@link #timeout}
     * @return this
     * @throws IllegalArgumentException if a number is out of range
     */
    public QueuePairTransition alternatePath(AddressVector vector, int pkeyIndex, int timeout) {
        Objects.requireNonNull(vector, "vector");
        inRange(QueuePairAttribute.ALTERNATE_PATH, pkeyIndex, 0, 0xffff);
        inRange(QueuePairAttribute.ALTERNATE_PATH, timeout, 0, 31);
        alternatePath = vector;
        alternatePkeyIndex = pkeyIndex;
        alternateTimeout = timeout;
        set.add(QueuePairAttribute.ALTERNATE_PATH);
        return this;
    }

    /**
     * Sets whether the connection can move to its alternate path: {@code IBV_QP_PATH_MIG_STATE}.
     *
     * @param migration REARM to prepare, MIGRATED to move now
     * @return this
     * @throws IllegalArgumentException if it is UNKNOWN
     */
    public QueuePairTransition pathMigrationState(PathMigrationState migration) {
        if (Objects.requireNonNull(migration, "migration") == PathMigrationState.UNKNOWN) {
            throw new IllegalArgumentException("pathMigrationState is UNKNOWN");
        }
        pathMigrationState = migration;
        set.add(QueuePairAttribute.PATH_MIGRATION_STATE);
        return this;
    }

    /**
     * Limits the rate of a raw packet queue pair: {@code IBV_QP_RATE_LIMIT}.
     *
     * @param kbps kilobits per second; 0 is no limit
     * @return this
     * @throws IllegalArgumentException if it is negative
     */
    public QueuePairTransition rateLimit(int kbps) {
        rateLimit = checked(QueuePairAttribute.RATE_LIMIT, kbps, 0, Integer.MAX_VALUE);
        return this;
    }

    /**
     * Sets the capacities: {@code IBV_QP_CAP}. Few devices can resize a queue pair; the others refuse it.
     *
     * @param capacities those wanted; {@link QueuePair#capabilities()} then has what was granted
     * @return this
     */
    public QueuePairTransition capabilities(QueuePairCapabilities capacities) {
        capabilities = Objects.requireNonNull(capacities, "capacities");
        set.add(QueuePairAttribute.CAPABILITIES);
        return this;
    }

    private int checked(QueuePairAttribute attribute, int value, int min, int max) {
        inRange(attribute, value, min, max);
        set.add(attribute);
        return value;
    }

    private static void inRange(QueuePairAttribute attribute, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(attribute + " " + value + " is not between " + min + " and " + max);
        }
    }

    QueuePairState state() {
        return state;
    }

    boolean sets(QueuePairAttribute attribute) {
        return set.contains(attribute);
    }

    /** The state in which it begins: the one that was set, or else the last known state of the queue pair. */
    QueuePairState from(QueuePairState lastSeen) {
        return sets(QueuePairAttribute.CURRENT_STATE) ? currentState : lastSeen;
    }

    int port() {
        return port;
    }

    Set<QueuePairAttribute> attributes() {
        return set;
    }

    /**
     * Reads what rdma_cm has written for a step: {@code struct ibv_qp_attr} and its mask. Mask bits outside
     * {@code enum ibv_qp_attr_mask} are the kernel's own, and left out.
     */
    private static QueuePairTransition read(StateStruct from) {
        MemorySegment attributes = from.attributes();
        var step = new QueuePairTransition(QueuePairState.of(from.state()));
        step.set.addAll(Codes.flags(QueuePairAttribute.class, from.mask(), QueuePairAttribute::mask));
        step.pathMtu = Mtu.of(ibv_qp_attr.path_mtu(attributes));
        step.rqPsn = ibv_qp_attr.rq_psn(attributes);
        step.sqPsn = ibv_qp_attr.sq_psn(attributes);
        step.destQpNum = ibv_qp_attr.dest_qp_num(attributes);
        step.access.addAll(Codes.flags(
                AccessFlag.class, Integer.toUnsignedLong(ibv_qp_attr.qp_access_flags(attributes)), AccessFlag::code));
        step.pkeyIndex = Short.toUnsignedInt(ibv_qp_attr.pkey_index(attributes));
        step.maxRdAtomic = Byte.toUnsignedInt(ibv_qp_attr.max_rd_atomic(attributes));
        step.maxDestRdAtomic = Byte.toUnsignedInt(ibv_qp_attr.max_dest_rd_atomic(attributes));
        step.minRnrTimer = Byte.toUnsignedInt(ibv_qp_attr.min_rnr_timer(attributes));
        step.port = Byte.toUnsignedInt(ibv_qp_attr.port_num(attributes));
        step.timeout = Byte.toUnsignedInt(ibv_qp_attr.timeout(attributes));
        step.retryCount = Byte.toUnsignedInt(ibv_qp_attr.retry_cnt(attributes));
        step.rnrRetry = Byte.toUnsignedInt(ibv_qp_attr.rnr_retry(attributes));
        step.qkey = ibv_qp_attr.qkey(attributes);
        step.pathMigrationState = PathMigrationState.of(ibv_qp_attr.path_mig_state(attributes));
        step.rateLimit = ibv_qp_attr.rate_limit(attributes);
        if (step.set.contains(QueuePairAttribute.PATH)) {
            step.path = AddressVector.read(ibv_qp_attr.ah_attr(attributes));
        }
        if (step.set.contains(QueuePairAttribute.ALTERNATE_PATH)) {
            step.alternatePath = AddressVector.read(ibv_qp_attr.alt_ah_attr(attributes));
            step.alternatePkeyIndex = Short.toUnsignedInt(ibv_qp_attr.alt_pkey_index(attributes));
            step.alternateTimeout = Byte.toUnsignedInt(ibv_qp_attr.alt_timeout(attributes));
        }
        return step;
    }

    /** Writes the attributes; returns their mask with {@code IBV_QP_STATE}. */
    int write(MemorySegment attributes) {
        ibv_qp_attr.qp_state(attributes, state.code());
        ibv_qp_attr.path_mtu(attributes, pathMtu.code());
        ibv_qp_attr.rq_psn(attributes, rqPsn);
        ibv_qp_attr.sq_psn(attributes, sqPsn);
        ibv_qp_attr.dest_qp_num(attributes, destQpNum);
        ibv_qp_attr.qp_access_flags(attributes, Codes.mask(access, AccessFlag::code));
        ibv_qp_attr.pkey_index(attributes, (short) pkeyIndex);
        ibv_qp_attr.max_rd_atomic(attributes, (byte) maxRdAtomic);
        ibv_qp_attr.max_dest_rd_atomic(attributes, (byte) maxDestRdAtomic);
        ibv_qp_attr.min_rnr_timer(attributes, (byte) minRnrTimer);
        ibv_qp_attr.port_num(attributes, (byte) port);
        ibv_qp_attr.timeout(attributes, (byte) timeout);
        ibv_qp_attr.retry_cnt(attributes, (byte) retryCount);
        ibv_qp_attr.rnr_retry(attributes, (byte) rnrRetry);
        ibv_qp_attr.qkey(attributes, qkey);
        ibv_qp_attr.cur_qp_state(attributes, currentState.code());
        ibv_qp_attr.en_sqd_async_notify(attributes, (byte) (sqdAsyncNotify ? 1 : 0));
        ibv_qp_attr.path_mig_state(attributes, pathMigrationState.code());
        ibv_qp_attr.rate_limit(attributes, rateLimit);
        if (path != null) {
            path.write(ibv_qp_attr.ah_attr(attributes));
        }
        if (alternatePath != null) {
            alternatePath.write(ibv_qp_attr.alt_ah_attr(attributes));
            ibv_qp_attr.alt_port_num(attributes, (byte) alternatePath.port());
            ibv_qp_attr.alt_pkey_index(attributes, (short) alternatePkeyIndex);
            ibv_qp_attr.alt_timeout(attributes, (byte) alternateTimeout);
        }
        if (capabilities != null) {
            capabilities.write(ibv_qp_attr.cap(attributes));
        }
        return 1 | Codes.mask(set, QueuePairAttribute::mask); // 1: IBV_QP_STATE
    }

    /** The state and the attributes that were set, for messages. */
    @Override
    public String toString() {
        return state + " with " + set;
    }
}
