// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

import dev.isthmus.bindings.ibverbs.ibv_context;
import dev.isthmus.bindings.ibverbs.ibv_context_ops;
import dev.isthmus.bindings.ibverbs.verbs_context;
import java.lang.foreign.FunctionDescriptor;

/**
 * The functions off the data path that verbs.h calls through an open device's tables: those of
 * {@code struct verbs_context}, and of {@code struct ibv_context_ops} inside it. Devices differ in which ones
 * they have.
 */
@SuppressWarnings("ImmutableEnumChecker") // a FunctionDescriptor is immutable, but the interface does not say so
public enum ContextFunction {
    ADVISE_MR("ibv_advise_mr", verbs_context.advise_mr$offset(), verbs_context.advise_mr.descriptor()),
    ALLOC_DM("ibv_alloc_dm", verbs_context.alloc_dm$offset(), verbs_context.alloc_dm.descriptor()),
    ALLOC_NULL_MR("ibv_alloc_null_mr", verbs_context.alloc_null_mr$offset(), verbs_context.alloc_null_mr.descriptor()),
    ALLOC_PARENT_DOMAIN(
            "ibv_alloc_parent_domain",
            verbs_context.alloc_parent_domain$offset(),
            verbs_context.alloc_parent_domain.descriptor()),
    ALLOC_TD("ibv_alloc_td", verbs_context.alloc_td$offset(), verbs_context.alloc_td.descriptor()),
    ATTACH_COUNTERS_POINT_FLOW(
            "ibv_attach_counters_point_flow",
            verbs_context.attach_counters_point_flow$offset(),
            verbs_context.attach_counters_point_flow.descriptor()),
    CLOSE_XRCD("ibv_close_xrcd", verbs_context.close_xrcd$offset(), verbs_context.close_xrcd.descriptor()),
    CREATE_COUNTERS(
            "ibv_create_counters", verbs_context.create_counters$offset(), verbs_context.create_counters.descriptor()),
    CREATE_CQ_EX("ibv_create_cq_ex", verbs_context.create_cq_ex$offset(), verbs_context.create_cq_ex.descriptor()),
    CREATE_FLOW("ibv_create_flow", verbs_context.ibv_create_flow$offset(), verbs_context.ibv_create_flow.descriptor()),
    CREATE_FLOW_ACTION_ESP(
            "ibv_create_flow_action_esp",
            verbs_context.create_flow_action_esp$offset(),
            verbs_context.create_flow_action_esp.descriptor()),
    CREATE_QP_EX("ibv_create_qp_ex", verbs_context.create_qp_ex$offset(), verbs_context.create_qp_ex.descriptor()),
    CREATE_RWQ_IND_TABLE(
            "ibv_create_rwq_ind_table",
            verbs_context.create_rwq_ind_table$offset(),
            verbs_context.create_rwq_ind_table.descriptor()),
    CREATE_SRQ_EX("ibv_create_srq_ex", verbs_context.create_srq_ex$offset(), verbs_context.create_srq_ex.descriptor()),
    CREATE_WQ("ibv_create_wq", verbs_context.create_wq$offset(), verbs_context.create_wq.descriptor()),
    DEALLOC_TD("ibv_dealloc_td", verbs_context.dealloc_td$offset(), verbs_context.dealloc_td.descriptor()),
    DESTROY_COUNTERS(
            "ibv_destroy_counters",
            verbs_context.destroy_counters$offset(),
            verbs_context.destroy_counters.descriptor()),
    DESTROY_FLOW(
            "ibv_destroy_flow", verbs_context.ibv_destroy_flow$offset(), verbs_context.ibv_destroy_flow.descriptor()),
    DESTROY_FLOW_ACTION(
            "ibv_destroy_flow_action",
            verbs_context.destroy_flow_action$offset(),
            verbs_context.destroy_flow_action.descriptor()),
    DESTROY_RWQ_IND_TABLE(
            "ibv_destroy_rwq_ind_table",
            verbs_context.destroy_rwq_ind_table$offset(),
            verbs_context.destroy_rwq_ind_table.descriptor()),
    DESTROY_WQ("ibv_destroy_wq", verbs_context.destroy_wq$offset(), verbs_context.destroy_wq.descriptor()),
    FREE_DM("ibv_free_dm", verbs_context.free_dm$offset(), verbs_context.free_dm.descriptor()),
    GET_SRQ_NUM("ibv_get_srq_num", verbs_context.get_srq_num$offset(), verbs_context.get_srq_num.descriptor()),
    MODIFY_CQ("ibv_modify_cq", verbs_context.modify_cq$offset(), verbs_context.modify_cq.descriptor()),
    MODIFY_FLOW_ACTION_ESP(
            "ibv_modify_flow_action_esp",
            verbs_context.modify_flow_action_esp$offset(),
            verbs_context.modify_flow_action_esp.descriptor()),
    MODIFY_QP_RATE_LIMIT(
            "ibv_modify_qp_rate_limit",
            verbs_context.modify_qp_rate_limit$offset(),
            verbs_context.modify_qp_rate_limit.descriptor()),
    MODIFY_WQ("ibv_modify_wq", verbs_context.modify_wq$offset(), verbs_context.modify_wq.descriptor()),
    OPEN_QP("ibv_open_qp", verbs_context.open_qp$offset(), verbs_context.open_qp.descriptor()),
    OPEN_XRCD("ibv_open_xrcd", verbs_context.open_xrcd$offset(), verbs_context.open_xrcd.descriptor()),
    POST_SRQ_OPS("ibv_post_srq_ops", verbs_context.post_srq_ops$offset(), verbs_context.post_srq_ops.descriptor()),
    QUERY_DEVICE_EX(
            "ibv_query_device_ex", verbs_context.query_device_ex$offset(), verbs_context.query_device_ex.descriptor()),
    QUERY_PORT("ibv_query_port", verbs_context.query_port$offset(), verbs_context.query_port.descriptor()),
    QUERY_RT_VALUES(
            "ibv_query_rt_values_ex",
            verbs_context.query_rt_values$offset(),
            verbs_context.query_rt_values.descriptor()),
    READ_COUNTERS("ibv_read_counters", verbs_context.read_counters$offset(), verbs_context.read_counters.descriptor()),
    REG_DM_MR("ibv_reg_dm_mr", verbs_context.reg_dm_mr$offset(), verbs_context.reg_dm_mr.descriptor()),
    ALLOC_MW(
            "ibv_alloc_mw",
            verbs_context.context$offset() + ibv_context.ops$offset() + ibv_context_ops.alloc_mw$offset(),
            ibv_context_ops.alloc_mw.descriptor()),
    BIND_MW(
            "ibv_bind_mw",
            verbs_context.context$offset() + ibv_context.ops$offset() + ibv_context_ops.bind_mw$offset(),
            ibv_context_ops.bind_mw.descriptor()),
    DEALLOC_MW(
            "ibv_dealloc_mw",
            verbs_context.context$offset() + ibv_context.ops$offset() + ibv_context_ops.dealloc_mw$offset(),
            ibv_context_ops.dealloc_mw.descriptor());

    private final String publicName;
    private final long offset;
    private final FunctionDescriptor descriptor;

    ContextFunction(String publicName, long offset, FunctionDescriptor descriptor) {
        this.publicName = publicName;
        this.offset = offset;
        this.descriptor = descriptor;
    }

    /** The inline function of verbs.h that calls it. */
    public String publicName() {
        return publicName;
    }

    /** The offset of its pointer in {@code struct verbs_context}. */
    long offset() {
        return offset;
    }

    FunctionDescriptor descriptor() {
        return descriptor;
    }
}
