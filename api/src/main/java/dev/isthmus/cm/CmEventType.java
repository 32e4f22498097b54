// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import dev.isthmus.internal.Codes;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.cm.Librdmacm;
import dev.isthmus.internal.cm.RdmacmLibrary;

/** What happened to a connection: {@code enum rdma_cm_event_type}. Each constant has a type of {@link CmEvent}. */
public enum CmEventType {
    /** The address is resolved, and the id is bound to a device. {@code RDMA_CM_EVENT_ADDR_RESOLVED}. */
    ADDR_RESOLVED(0),
    /** The address could not be resolved. {@code RDMA_CM_EVENT_ADDR_ERROR}. */
    ADDR_ERROR(1),
    /** The route is resolved. {@code RDMA_CM_EVENT_ROUTE_RESOLVED}. */
    ROUTE_RESOLVED(2),
    /** The route could not be resolved. {@code RDMA_CM_EVENT_ROUTE_ERROR}. */
    ROUTE_ERROR(3),
    /** A peer wants a connection. {@code RDMA_CM_EVENT_CONNECT_REQUEST}. */
    CONNECT_REQUEST(4),
    /** The peer has accepted; bring up the program's own queue pair next. {@code RDMA_CM_EVENT_CONNECT_RESPONSE}. */
    CONNECT_RESPONSE(5),
    /** The connection failed on this side. {@code RDMA_CM_EVENT_CONNECT_ERROR}. */
    CONNECT_ERROR(6),
    /** Nobody answers. {@code RDMA_CM_EVENT_UNREACHABLE}. */
    UNREACHABLE(7),
    /** The peer rejected. {@code RDMA_CM_EVENT_REJECTED}. */
    REJECTED(8),
    /** The connection is established. {@code RDMA_CM_EVENT_ESTABLISHED}. */
    ESTABLISHED(9),
    /** The connection has ended. {@code RDMA_CM_EVENT_DISCONNECTED}. */
    DISCONNECTED(10),
    /** The device is being removed: close everything on it. {@code RDMA_CM_EVENT_DEVICE_REMOVAL}. */
    DEVICE_REMOVAL(11),
    /** The multicast group is joined. {@code RDMA_CM_EVENT_MULTICAST_JOIN}. */
    MULTICAST_JOIN(12),
    /** The multicast group could not be joined, or is lost. {@code RDMA_CM_EVENT_MULTICAST_ERROR}. */
    MULTICAST_ERROR(13),
    /** The address belongs to another network device now. {@code RDMA_CM_EVENT_ADDR_CHANGE}. */
    ADDR_CHANGE(14),
    /** The queue pair's number can be used again. {@code RDMA_CM_EVENT_TIMEWAIT_EXIT}. */
    TIMEWAIT_EXIT(15),
    /** A code that this version of Isthmus does not know. */
    UNKNOWN(-1);

    private static final Codes<CmEventType> CODES = new Codes<>(values(), CmEventType::code, UNKNOWN);

    private final int code;

    CmEventType(int code) {
        this.code = code;
    }

    /**
     * The value of the C constant.
     *
     * @return its code, -1 for {@link #UNKNOWN}
     */
    public int code() {
        return code;
    }

    /**
     * The constant of a code of {@code enum rdma_cm_event_type}.
     *
     * @param code the C value
     * @return its constant, {@link #UNKNOWN} if there is none
     */
    public static CmEventType of(int code) {
        return CODES.of(code);
    }

    /**
     * librdmacm's name for it: {@code rdma_event_str}.
     *
     * @return a name such as {@code RDMA_CM_EVENT_ESTABLISHED}
     * @throws dev.isthmus.RdmaUnavailableException if librdmacm is not installed or native access is denied
     */
    public String description() {
        RdmacmLibrary.require();
        try (var call = new NativeCall()) {
            return NativeCall.string(call.pointer(Librdmacm.EVENT_STR, code));
        }
    }
}
