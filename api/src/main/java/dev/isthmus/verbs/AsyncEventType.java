// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.internal.Codes;
import dev.isthmus.internal.verbs.Conversions;

/**
 * What happened to a device, or to an object on it, other than a completion: {@code enum ibv_event_type}.
 */
public enum AsyncEventType {
    /** A completion queue overran or failed, and cannot be used any more. {@code IBV_EVENT_CQ_ERR}. */
    CQ_ERR(0, Subject.COMPLETION_QUEUE),
    /** A queue pair failed and could not complete its requests with an error. {@code IBV_EVENT_QP_FATAL}. */
    QP_FATAL(1, Subject.QUEUE_PAIR),
    /** The peer sent a request that is not allowed on the transport. {@code IBV_EVENT_QP_REQ_ERR}. */
    QP_REQ_ERR(2, Subject.QUEUE_PAIR),
    /** The peer asked for memory that it may not use. {@code IBV_EVENT_QP_ACCESS_ERR}. */
    QP_ACCESS_ERR(3, Subject.QUEUE_PAIR),
    /** The first message arrived while the queue pair was in RTR. {@code IBV_EVENT_COMM_EST}. */
    COMM_EST(4, Subject.QUEUE_PAIR),
    /** A queue pair that was brought to SQD has nothing outstanding. {@code IBV_EVENT_SQ_DRAINED}. */
    SQ_DRAINED(5, Subject.QUEUE_PAIR),
    /** A queue pair moved to its alternate path. {@code IBV_EVENT_PATH_MIG}. */
    PATH_MIG(6, Subject.QUEUE_PAIR),
    /** A queue pair could not move to its alternate path. {@code IBV_EVENT_PATH_MIG_ERR}. */
    PATH_MIG_ERR(7, Subject.QUEUE_PAIR),
    /** The device failed: close everything on it. {@code IBV_EVENT_DEVICE_FATAL}. */
    DEVICE_FATAL(8, Subject.DEVICE),
    /** A port became active. {@code IBV_EVENT_PORT_ACTIVE}. */
    PORT_ACTIVE(9, Subject.PORT),
    /** The link of a port went down. {@code IBV_EVENT_PORT_ERR}. */
    PORT_ERR(10, Subject.PORT),
    /** The LID of a port changed. {@code IBV_EVENT_LID_CHANGE}. */
    LID_CHANGE(11, Subject.PORT),
    /** The P_Key table of a port changed. {@code IBV_EVENT_PKEY_CHANGE}. */
    PKEY_CHANGE(12, Subject.PORT),
    /** The subnet manager of a port changed. {@code IBV_EVENT_SM_CHANGE}. */
    SM_CHANGE(13, Subject.PORT),
    /** A shared receive queue failed. {@code IBV_EVENT_SRQ_ERR}. */
    SRQ_ERR(14, Subject.SHARED_RECEIVE_QUEUE),
    /** A shared receive queue has fewer receives than its limit. {@code IBV_EVENT_SRQ_LIMIT_REACHED}. */
    SRQ_LIMIT_REACHED(15, Subject.SHARED_RECEIVE_QUEUE),
    /** A failed queue pair takes nothing more from its shared receive queue. {@code IBV_EVENT_QP_LAST_WQE_REACHED}. */
    QP_LAST_WQE_REACHED(16, Subject.QUEUE_PAIR),
    /** The subnet manager asks for all registrations again. {@code IBV_EVENT_CLIENT_REREGISTER}. */
    CLIENT_REREGISTER(17, Subject.PORT),
    /** The GID table of a port changed. {@code IBV_EVENT_GID_CHANGE}. */
    GID_CHANGE(18, Subject.PORT),
    /** A work queue failed. {@code IBV_EVENT_WQ_FATAL}. */
    WQ_FATAL(19, Subject.WORK_QUEUE),
    /** A code that this version of Isthmus does not know. */
    UNKNOWN(-1, Subject.DEVICE);

    /** Which member of the union in {@code struct ibv_async_event} is set. */
    enum Subject {
        COMPLETION_QUEUE,
        QUEUE_PAIR,
        SHARED_RECEIVE_QUEUE,
        WORK_QUEUE,
        PORT,
        DEVICE
    }

    private static final Codes<AsyncEventType> CODES = new Codes<>(values(), AsyncEventType::code, UNKNOWN);

    private final int code;
    private final Subject subject;

    AsyncEventType(int code, Subject subject) {
        this.code = code;
        this.subject = subject;
    }

    /**
     * The value of the C constant.
     *
     * @return its code, -1 for {@link #UNKNOWN}
     */
    public int code() {
        return code;
    }

    Subject subject() {
        return subject;
    }

    /**
     * The constant of a code of {@code enum ibv_event_type}.
     *
     * @param code the C value
     * @return its constant, {@link #UNKNOWN} if there is none
     */
    public static AsyncEventType of(int code) {
        return CODES.of(code);
    }

    /**
     * libibverbs' name for it: {@code ibv_event_type_str}.
     *
     * @return words such as {@code port active}
     * @throws dev.isthmus.RdmaUnavailableException if libibverbs is not installed or native access is denied
     */
    public String description() {
        return Conversions.eventType(code);
    }
}
