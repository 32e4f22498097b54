package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_qp_attr;
import dev.isthmus.internal.Codes;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * A step of a queue pair to another state, with the attributes that it sets: {@code struct ibv_qp_attr} and its mask.
 *
 * <p>Which attributes a step must and may set is checked by {@link QueuePair#modify} before the call. Not
 * thread-safe.
 */
public final class QueuePairTransition {

    private static final int MAX_24_BITS = 0xff_ffff;

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
     * @param flags what is allowed; none for messages only
     * @return this
     */
    public QueuePairTransition access(AccessFlag... flags) {
        access.clear();
        access.addAll(List.of(flags));
        set.add(QueuePairAttribute.ACCESS);
        return this;
    }

    /**
     * Sets the way to the peer: {@code IBV_QP_AV}.
     *
     * @param vector the way
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
        if (mtu == Mtu.UNKNOWN) {
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
     * Sets the packet sequence number to expect first: {@code IBV_QP_RQ_PSN}; the peer's {@link #sqPsn}.
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
     * Sets the packet sequence number to begin with: {@code IBV_QP_SQ_PSN}; the peer's {@link #rqPsn}.
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
     * Sets how long the peer is told to wait when no receive is posted: {@code IBV_QP_MIN_RNR_TIMER}.
     *
     * @param code a code of the table in ibv_modify_qp(3): 12 is 0.64 ms, 1 is 0.01 ms, 0 is 655.36 ms
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
     * @param code 4.096 us * 2^code: 14 is 67 ms; 0 is for ever
     * @return this
     * @throws IllegalArgumentException if it is not between 0 and 31
     */
    public QueuePairTransition timeout(int code) {
        timeout = checked(QueuePairAttribute.TIMEOUT, code, 0, 31);
        return this;
    }

    /**
     * Sets how often to send again when no acknowledgement comes: {@code IBV_QP_RETRY_CNT}.
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
     * Sets how often to send again when the peer has no receive posted: {@code IBV_QP_RNR_RETRY}.
     *
     * @param retries 0 to 6; 7 is without end
     * @return this
     * @throws IllegalArgumentException if it is out of range
     */
    public QueuePairTransition rnrRetry(int retries) {
        rnrRetry = checked(QueuePairAttribute.RNR_RETRY, retries, 0, 7);
        return this;
    }

    private int checked(QueuePairAttribute attribute, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(attribute + " " + value + " is not between " + min + " and " + max);
        }
        set.add(attribute);
        return value;
    }

    QueuePairState state() {
        return state;
    }

    Set<QueuePairAttribute> attributes() {
        return set;
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
        if (path != null) {
            path.write(ibv_qp_attr.ah_attr(attributes));
        }
        return 1 | Codes.mask(set, QueuePairAttribute::mask); // 1: IBV_QP_STATE
    }

    /** The state and the attributes that are set, for messages. */
    @Override
    public String toString() {
        return state + " with " + set;
    }
}
