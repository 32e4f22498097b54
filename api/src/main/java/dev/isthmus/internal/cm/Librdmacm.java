// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.cm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.internal.NativeFunction;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;

/**
 * The functions of librdmacm. Call {@link RdmacmLibrary#require} first, which checks that the library exists.
 *
 * <p>On failure, those that return an {@code int} return -1 and set errno, and those that return a pointer return NULL.
 * {@code rdma_getaddrinfo} can also return a code of getaddrinfo(3).
 */
public final class Librdmacm {

    public static final NativeFunction CREATE_EVENT_CHANNEL = of("rdma_create_event_channel", ADDRESS);
    public static final NativeFunction DESTROY_EVENT_CHANNEL = ofVoid("rdma_destroy_event_channel", ADDRESS);
    public static final NativeFunction GET_CM_EVENT = of("rdma_get_cm_event", JAVA_INT, ADDRESS, ADDRESS);
    public static final NativeFunction ACK_CM_EVENT = of("rdma_ack_cm_event", JAVA_INT, ADDRESS);
    public static final NativeFunction EVENT_STR = of("rdma_event_str", ADDRESS, JAVA_INT);
    public static final NativeFunction CREATE_ID = of("rdma_create_id", JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_INT);
    public static final NativeFunction CREATE_EP = of("rdma_create_ep", JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS);
    public static final NativeFunction DESTROY_ID = of("rdma_destroy_id", JAVA_INT, ADDRESS);
    public static final NativeFunction MIGRATE_ID = of("rdma_migrate_id", JAVA_INT, ADDRESS, ADDRESS);
    public static final NativeFunction BIND_ADDR = of("rdma_bind_addr", JAVA_INT, ADDRESS, ADDRESS);
    public static final NativeFunction RESOLVE_ADDR =
            of("rdma_resolve_addr", JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_INT);
    public static final NativeFunction RESOLVE_ROUTE = of("rdma_resolve_route", JAVA_INT, ADDRESS, JAVA_INT);
    public static final NativeFunction CREATE_QP = of("rdma_create_qp", JAVA_INT, ADDRESS, ADDRESS, ADDRESS);
    public static final NativeFunction CREATE_QP_EX = of("rdma_create_qp_ex", JAVA_INT, ADDRESS, ADDRESS);
    public static final NativeFunction DESTROY_QP = ofVoid("rdma_destroy_qp", ADDRESS);
    public static final NativeFunction CONNECT = of("rdma_connect", JAVA_INT, ADDRESS, ADDRESS);
    public static final NativeFunction ESTABLISH = of("rdma_establish", JAVA_INT, ADDRESS);
    public static final NativeFunction LISTEN = of("rdma_listen", JAVA_INT, ADDRESS, JAVA_INT);
    public static final NativeFunction ACCEPT = of("rdma_accept", JAVA_INT, ADDRESS, ADDRESS);
    public static final NativeFunction REJECT = of("rdma_reject", JAVA_INT, ADDRESS, ADDRESS, JAVA_BYTE);
    public static final NativeFunction REJECT_ECE = of("rdma_reject_ece", JAVA_INT, ADDRESS, ADDRESS, JAVA_BYTE);
    public static final NativeFunction NOTIFY = of("rdma_notify", JAVA_INT, ADDRESS, JAVA_INT);
    public static final NativeFunction DISCONNECT = of("rdma_disconnect", JAVA_INT, ADDRESS);
    public static final NativeFunction JOIN_MULTICAST = of("rdma_join_multicast", JAVA_INT, ADDRESS, ADDRESS, ADDRESS);
    public static final NativeFunction JOIN_MULTICAST_EX =
            of("rdma_join_multicast_ex", JAVA_INT, ADDRESS, ADDRESS, ADDRESS);
    public static final NativeFunction LEAVE_MULTICAST = of("rdma_leave_multicast", JAVA_INT, ADDRESS, ADDRESS);
    public static final NativeFunction SET_OPTION =
            of("rdma_set_option", JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS, JAVA_LONG);
    public static final NativeFunction INIT_QP_ATTR = of("rdma_init_qp_attr", JAVA_INT, ADDRESS, ADDRESS, ADDRESS);
    public static final NativeFunction SET_LOCAL_ECE = of("rdma_set_local_ece", JAVA_INT, ADDRESS, ADDRESS);
    public static final NativeFunction GET_REMOTE_ECE = of("rdma_get_remote_ece", JAVA_INT, ADDRESS, ADDRESS);
    public static final NativeFunction GET_DEVICES = of("rdma_get_devices", ADDRESS, ADDRESS);
    public static final NativeFunction GETADDRINFO =
            of("rdma_getaddrinfo", JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS);
    public static final NativeFunction FREEADDRINFO = ofVoid("rdma_freeaddrinfo", ADDRESS);

    private Librdmacm() {}

    private static NativeFunction of(String name, MemoryLayout result, MemoryLayout... arguments) {
        return RdmacmLibrary.require().function(name, FunctionDescriptor.of(result, arguments));
    }

    private static NativeFunction ofVoid(String name, MemoryLayout... arguments) {
        return RdmacmLibrary.require().function(name, FunctionDescriptor.ofVoid(arguments));
    }
}
