// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.isthmus.internal.NativeFunction;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;

/**
 * The exported functions of libibverbs that are called off the data path. Call {@link IbverbsLibrary#require} first,
 * which checks that the library exists.
 *
 * <p>A letter in each line says how the function reports a failure: N returns NULL and sets errno; E returns an error
 * number; M returns -1 and sets errno; X returns a negated error number.
 */
public final class Libibverbs {

    public static final NativeFunction WC_STATUS_STR = of("ibv_wc_status_str", ADDRESS, JAVA_INT);
    public static final NativeFunction RATE_TO_MULT = of("ibv_rate_to_mult", JAVA_INT, JAVA_INT);
    public static final NativeFunction MULT_TO_RATE = of("mult_to_ibv_rate", JAVA_INT, JAVA_INT);
    public static final NativeFunction RATE_TO_MBPS = of("ibv_rate_to_mbps", JAVA_INT, JAVA_INT);
    public static final NativeFunction MBPS_TO_RATE = of("mbps_to_ibv_rate", JAVA_INT, JAVA_INT);
    public static final NativeFunction QP_TO_QP_EX = of("ibv_qp_to_qp_ex", ADDRESS, ADDRESS);
    public static final NativeFunction GET_DEVICE_LIST = of("ibv_get_device_list", ADDRESS, ADDRESS); // N
    public static final NativeFunction FREE_DEVICE_LIST = ofVoid("ibv_free_device_list", ADDRESS);
    public static final NativeFunction GET_DEVICE_NAME = of("ibv_get_device_name", ADDRESS, ADDRESS);
    public static final NativeFunction GET_DEVICE_INDEX = of("ibv_get_device_index", JAVA_INT, ADDRESS); // M
    public static final NativeFunction GET_DEVICE_GUID = of("ibv_get_device_guid", JAVA_LONG, ADDRESS);
    public static final NativeFunction OPEN_DEVICE = of("ibv_open_device", ADDRESS, ADDRESS); // N
    public static final NativeFunction CLOSE_DEVICE = of("ibv_close_device", JAVA_INT, ADDRESS); // M
    public static final NativeFunction IMPORT_DEVICE = of("ibv_import_device", ADDRESS, JAVA_INT); // N
    public static final NativeFunction IMPORT_PD = of("ibv_import_pd", ADDRESS, ADDRESS, JAVA_INT); // N
    public static final NativeFunction UNIMPORT_PD = ofVoid("ibv_unimport_pd", ADDRESS);
    public static final NativeFunction IMPORT_MR = of("ibv_import_mr", ADDRESS, ADDRESS, JAVA_INT); // N
    public static final NativeFunction UNIMPORT_MR = ofVoid("ibv_unimport_mr", ADDRESS);
    public static final NativeFunction IMPORT_DM = of("ibv_import_dm", ADDRESS, ADDRESS, JAVA_INT); // N
    public static final NativeFunction UNIMPORT_DM = ofVoid("ibv_unimport_dm", ADDRESS);
    public static final NativeFunction GET_ASYNC_EVENT = of("ibv_get_async_event", JAVA_INT, ADDRESS, ADDRESS); // M
    public static final NativeFunction ACK_ASYNC_EVENT = ofVoid("ibv_ack_async_event", ADDRESS);
    public static final NativeFunction QUERY_DEVICE = of("ibv_query_device", JAVA_INT, ADDRESS, ADDRESS); // E
    public static final NativeFunction QUERY_PORT = of("ibv_query_port", JAVA_INT, ADDRESS, JAVA_BYTE, ADDRESS); // E
    public static final NativeFunction QUERY_GID =
            of("ibv_query_gid", JAVA_INT, ADDRESS, JAVA_BYTE, JAVA_INT, ADDRESS); // M
    public static final NativeFunction QUERY_GID_EX =
            of("_ibv_query_gid_ex", JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_LONG); // E
    public static final NativeFunction QUERY_GID_TABLE =
            of("_ibv_query_gid_table", JAVA_LONG, ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_LONG); // X
    public static final NativeFunction QUERY_PKEY =
            of("ibv_query_pkey", JAVA_INT, ADDRESS, JAVA_BYTE, JAVA_INT, ADDRESS); // M
    public static final NativeFunction GET_PKEY_INDEX =
            of("ibv_get_pkey_index", JAVA_INT, ADDRESS, JAVA_BYTE, JAVA_SHORT); // M
    public static final NativeFunction ALLOC_PD = of("ibv_alloc_pd", ADDRESS, ADDRESS); // N
    public static final NativeFunction DEALLOC_PD = of("ibv_dealloc_pd", JAVA_INT, ADDRESS); // E
    public static final NativeFunction REG_MR_IOVA2 =
            of("ibv_reg_mr_iova2", ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_INT); // N
    public static final NativeFunction REG_MR = of("ibv_reg_mr", ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT); // N
    public static final NativeFunction REG_MR_IOVA =
            of("ibv_reg_mr_iova", ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_INT); // N
    public static final NativeFunction REG_DMABUF_MR =
            of("ibv_reg_dmabuf_mr", ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT); // N
    public static final NativeFunction REREG_MR =
            of("ibv_rereg_mr", JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT);
    public static final NativeFunction DEREG_MR = of("ibv_dereg_mr", JAVA_INT, ADDRESS); // E
    public static final NativeFunction CREATE_COMP_CHANNEL = of("ibv_create_comp_channel", ADDRESS, ADDRESS); // N
    public static final NativeFunction DESTROY_COMP_CHANNEL = of("ibv_destroy_comp_channel", JAVA_INT, ADDRESS); // E
    public static final NativeFunction CREATE_CQ =
            of("ibv_create_cq", ADDRESS, ADDRESS, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT); // N
    public static final NativeFunction RESIZE_CQ = of("ibv_resize_cq", JAVA_INT, ADDRESS, JAVA_INT); // E
    public static final NativeFunction DESTROY_CQ = of("ibv_destroy_cq", JAVA_INT, ADDRESS); // E
    public static final NativeFunction GET_CQ_EVENT = of("ibv_get_cq_event", JAVA_INT, ADDRESS, ADDRESS, ADDRESS); // M
    public static final NativeFunction ACK_CQ_EVENTS = ofVoid("ibv_ack_cq_events", ADDRESS, JAVA_INT);
    public static final NativeFunction CREATE_SRQ = of("ibv_create_srq", ADDRESS, ADDRESS, ADDRESS); // N
    public static final NativeFunction MODIFY_SRQ = of("ibv_modify_srq", JAVA_INT, ADDRESS, ADDRESS, JAVA_INT); // E
    public static final NativeFunction QUERY_SRQ = of("ibv_query_srq", JAVA_INT, ADDRESS, ADDRESS); // E
    public static final NativeFunction DESTROY_SRQ = of("ibv_destroy_srq", JAVA_INT, ADDRESS); // E
    public static final NativeFunction CREATE_QP = of("ibv_create_qp", ADDRESS, ADDRESS, ADDRESS); // N
    public static final NativeFunction MODIFY_QP = of("ibv_modify_qp", JAVA_INT, ADDRESS, ADDRESS, JAVA_INT); // E
    public static final NativeFunction QUERY_QP_DATA_IN_ORDER =
            of("ibv_query_qp_data_in_order", JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
    public static final NativeFunction QUERY_QP =
            of("ibv_query_qp", JAVA_INT, ADDRESS, ADDRESS, JAVA_INT, ADDRESS); // E
    public static final NativeFunction DESTROY_QP = of("ibv_destroy_qp", JAVA_INT, ADDRESS); // E
    public static final NativeFunction CREATE_AH = of("ibv_create_ah", ADDRESS, ADDRESS, ADDRESS); // N
    public static final NativeFunction INIT_AH_FROM_WC =
            of("ibv_init_ah_from_wc", JAVA_INT, ADDRESS, JAVA_BYTE, ADDRESS, ADDRESS, ADDRESS); // M
    public static final NativeFunction CREATE_AH_FROM_WC =
            of("ibv_create_ah_from_wc", ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_BYTE); // N
    public static final NativeFunction DESTROY_AH = of("ibv_destroy_ah", JAVA_INT, ADDRESS); // E
    public static final NativeFunction ATTACH_MCAST =
            of("ibv_attach_mcast", JAVA_INT, ADDRESS, ADDRESS, JAVA_SHORT); // E
    public static final NativeFunction DETACH_MCAST =
            of("ibv_detach_mcast", JAVA_INT, ADDRESS, ADDRESS, JAVA_SHORT); // E
    public static final NativeFunction FORK_INIT = of("ibv_fork_init", JAVA_INT); // E
    public static final NativeFunction IS_FORK_INITIALIZED = of("ibv_is_fork_initialized", JAVA_INT);
    public static final NativeFunction NODE_TYPE_STR = of("ibv_node_type_str", ADDRESS, JAVA_INT);
    public static final NativeFunction PORT_STATE_STR = of("ibv_port_state_str", ADDRESS, JAVA_INT);
    public static final NativeFunction EVENT_TYPE_STR = of("ibv_event_type_str", ADDRESS, JAVA_INT);
    public static final NativeFunction RESOLVE_ETH_L2_FROM_GID =
            of("ibv_resolve_eth_l2_from_gid", JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS); // M
    public static final NativeFunction SET_ECE = of("ibv_set_ece", JAVA_INT, ADDRESS, ADDRESS); // E
    public static final NativeFunction QUERY_ECE = of("ibv_query_ece", JAVA_INT, ADDRESS, ADDRESS); // E

    private Libibverbs() {}

    private static NativeFunction of(String name, MemoryLayout result, MemoryLayout... arguments) {
        return IbverbsLibrary.require().function(name, FunctionDescriptor.of(result, arguments));
    }

    private static NativeFunction ofVoid(String name, MemoryLayout... arguments) {
        return IbverbsLibrary.require().function(name, FunctionDescriptor.ofVoid(arguments));
    }
}
