// SPDX-License-Identifier: Apache-2.0
/* A queue pair's states: which attributes a change needs and allows (qp_state_table of drivers/infiniband/core/verbs.c). */
#include "connectx.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PATHS (IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE)

struct masks {
	int required, optional;
};

static const struct transition {
	enum ibv_qp_state from, to;
	struct masks rc, uc, ud;
} transitions[] = {
	{IBV_QPS_RESET, IBV_QPS_INIT,
	 {IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, 0},
	 {IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, 0},
	 {IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY, 0}},
	{IBV_QPS_INIT, IBV_QPS_INIT,
	 {0, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS},
	 {0, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS},
	 {0, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY}},
	{IBV_QPS_INIT, IBV_QPS_RTR,
	 {IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
	  IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX},
	 {IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN,
	  IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX},
	 {0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY}},
	{IBV_QPS_RTR, IBV_QPS_RTS,
	 {IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC,
	  IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER | PATHS},
	 {IBV_QP_SQ_PSN, IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | PATHS},
	 {IBV_QP_SQ_PSN, IBV_QP_CUR_STATE | IBV_QP_QKEY}},
	{IBV_QPS_RTS, IBV_QPS_RTS,
	 {0, IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER | PATHS},
	 {0, IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | PATHS},
	 {0, IBV_QP_CUR_STATE | IBV_QP_QKEY}},
	{IBV_QPS_RTS, IBV_QPS_SQD,
	 {0, IBV_QP_EN_SQD_ASYNC_NOTIFY}, {0, IBV_QP_EN_SQD_ASYNC_NOTIFY}, {0, IBV_QP_EN_SQD_ASYNC_NOTIFY}},
	{IBV_QPS_SQD, IBV_QPS_RTS,
	 {0, IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER | PATHS},
	 {0, IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | PATHS},
	 {0, IBV_QP_CUR_STATE | IBV_QP_QKEY}},
	{IBV_QPS_SQD, IBV_QPS_SQD,
	 {0, IBV_QP_PORT | IBV_QP_AV | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC |
		     IBV_QP_CUR_STATE | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS | IBV_QP_MAX_DEST_RD_ATOMIC |
		     IBV_QP_MIN_RNR_TIMER | PATHS},
	 {0, IBV_QP_AV | IBV_QP_CUR_STATE | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS | PATHS},
	 {0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY}},
	{IBV_QPS_SQE, IBV_QPS_RTS,
	 {0, 0}, {0, IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS}, {0, IBV_QP_CUR_STATE | IBV_QP_QKEY}},
};

static bool is_allowed(enum ibv_qp_type type, enum ibv_qp_state from, enum ibv_qp_state to, int mask)
{
	mask &= ~IBV_QP_STATE;
	if (to == IBV_QPS_RESET || to == IBV_QPS_ERR)
		return !(mask & ~IBV_QP_CUR_STATE);
	for (size_t i = 0; i < sizeof(transitions) / sizeof(*transitions); i++) {
		const struct transition *it = &transitions[i];
		const struct masks *masks = type == IBV_QPT_RC ? &it->rc : type == IBV_QPT_UC ? &it->uc : &it->ud;

		if (it->from == from && it->to == to)
			return (mask & masks->required) == masks->required &&
			       !(mask & ~(masks->required | masks->optional));
	}
	return false;
}

static void set_path(struct ibv_ah_attr *ah, const struct ib_uverbs_qp_dest *dest)
{
	memcpy(ah->grh.dgid.raw, dest->dgid, 16);
	ah->grh.flow_label = dest->flow_label;
	ah->grh.sgid_index = dest->sgid_index;
	ah->grh.hop_limit = dest->hop_limit;
	ah->grh.traffic_class = dest->traffic_class;
	ah->dlid = dest->dlid;
	ah->sl = dest->sl;
	ah->src_path_bits = dest->src_path_bits;
	ah->static_rate = dest->static_rate;
	ah->is_global = dest->is_global;
	ah->port_num = dest->port_num;
}

static void reset(struct qp *qp)
{
	qp->pendings = qp->pending_reads = 0;
	qp->sent = qp->received = 0;
	qp->epoch++;
	qp->retries = qp->rnr_retries = 0;
	qp->resume_at = 0;
	qp->error_told = qp->drain_awaited = false;
	memset(&qp->attr, 0, sizeof(qp->attr));
}

void qp_fail(struct qp *qp, enum ibv_qp_state state)
{
	if (qp->attr.qp_state == state || qp->attr.qp_state == IBV_QPS_ERR || qp->attr.qp_state == IBV_QPS_RESET)
		return;
	qp->attr.qp_state = state;
	requester_flush(qp);
	if (state == IBV_QPS_ERR)
		responder_flush(qp);
}

static int check_values(const struct ib_uverbs_modify_qp *command, int mask)
{
	if (mask & IBV_QP_PORT && command->port_num != 1)
		return EINVAL;
	if (mask & IBV_QP_PKEY_INDEX && command->pkey_index)
		return EINVAL;
	if (mask & IBV_QP_AV && (command->dest.port_num > 1 || !command->dest.is_global || command->dest.sgid_index >= GIDS))
		return EINVAL; /* Ethernet has no other addresses */
	if ((mask & IBV_QP_MAX_QP_RD_ATOMIC && command->max_rd_atomic > MAX_RD_ATOMIC) ||
	    (mask & IBV_QP_MAX_DEST_RD_ATOMIC && command->max_dest_rd_atomic > MAX_RD_ATOMIC))
		return EINVAL;
	if (mask & IBV_QP_PATH_MTU && (command->path_mtu < IBV_MTU_256 || command->path_mtu > IBV_MTU_4096))
		return EINVAL;
	/* As the kernel, which has alternate paths for InfiniBand only (_ib_modify_qp): then there is no state but the first. */
	if (mask & IBV_QP_ALT_PATH || (mask & IBV_QP_PATH_MIG_STATE && command->path_mig_state != IBV_MIG_MIGRATED))
		return EINVAL;
	return 0;
}

int qp_modify(struct qp *qp, const struct ib_uverbs_modify_qp *command)
{
	struct ibv_qp_attr *attr = &qp->attr;
	const int mask = (int)command->attr_mask;
	const enum ibv_qp_state from = mask & IBV_QP_CUR_STATE ? command->cur_qp_state : attr->qp_state;
	const enum ibv_qp_state to = mask & IBV_QP_STATE ? command->qp_state : from;
	int error;

	if ((mask & IBV_QP_CUR_STATE && command->cur_qp_state > IBV_QPS_ERR) || (mask & IBV_QP_STATE && to > IBV_QPS_ERR))
		return EINVAL;
	if (from != attr->qp_state || !is_allowed(qp->type, from, to, mask))
		return EINVAL;
	error = check_values(command, mask);
	if (error)
		return error;
	if (to == IBV_QPS_RESET) {
		requester_await_reads(qp);
		reset(qp);
		return 0;
	}
	if (to == IBV_QPS_ERR) {
		qp_fail(qp, to);
		attr->qp_state = to;
		return 0;
	}
#define TAKE(flag, field)                                                                                                          \
	if (mask & (flag))                                                                                                         \
	attr->field = command->field
	TAKE(IBV_QP_ACCESS_FLAGS, qp_access_flags);
	TAKE(IBV_QP_PKEY_INDEX, pkey_index);
	TAKE(IBV_QP_PORT, port_num);
	TAKE(IBV_QP_QKEY, qkey);
	TAKE(IBV_QP_PATH_MTU, path_mtu);
	TAKE(IBV_QP_TIMEOUT, timeout);
	TAKE(IBV_QP_RETRY_CNT, retry_cnt);
	TAKE(IBV_QP_RNR_RETRY, rnr_retry);
	TAKE(IBV_QP_RQ_PSN, rq_psn);
	TAKE(IBV_QP_SQ_PSN, sq_psn);
	TAKE(IBV_QP_MAX_QP_RD_ATOMIC, max_rd_atomic);
	TAKE(IBV_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic);
	TAKE(IBV_QP_MIN_RNR_TIMER, min_rnr_timer);
	TAKE(IBV_QP_DEST_QPN, dest_qp_num);
#undef TAKE
	if (mask & IBV_QP_AV)
		set_path(&attr->ah_attr, &command->dest);
	if (mask & IBV_QP_RQ_PSN)
		qp->expected_psn = command->rq_psn & 0xffffff;
	if (mask & IBV_QP_SQ_PSN)
		qp->psn = command->sq_psn & 0xffffff;
	if (from == IBV_QPS_RTS && to == IBV_QPS_SQD)
		qp->drain_awaited = mask & IBV_QP_EN_SQD_ASYNC_NOTIFY && command->en_sqd_async_notify;
	attr->qp_state = to;
	return 0;
}

static void get_path(struct ib_uverbs_qp_dest *dest, const struct ibv_ah_attr *ah)
{
	memcpy(dest->dgid, ah->grh.dgid.raw, 16);
	dest->flow_label = ah->grh.flow_label;
	dest->dlid = ah->dlid;
	dest->sgid_index = ah->grh.sgid_index;
	dest->hop_limit = ah->grh.hop_limit;
	dest->traffic_class = ah->grh.traffic_class;
	dest->sl = ah->sl;
	dest->src_path_bits = ah->src_path_bits;
	dest->static_rate = ah->static_rate;
	dest->is_global = ah->is_global;
	dest->port_num = ah->port_num;
}

void qp_query(const struct qp *qp, struct ib_uverbs_query_qp_resp *reply)
{
	const struct ibv_qp_attr *attr = &qp->attr;

	get_path(&reply->dest, &attr->ah_attr);
	reply->max_send_wr = qp->cap.max_send_wr;
	reply->max_recv_wr = qp->cap.max_recv_wr;
	reply->max_send_sge = qp->cap.max_send_sge;
	reply->max_recv_sge = qp->cap.max_recv_sge;
	reply->max_inline_data = qp->cap.max_inline_data;
	reply->qkey = attr->qkey;
	reply->rq_psn = qp->attr.qp_state < IBV_QPS_RTR ? attr->rq_psn : qp->expected_psn & 0xffffff;
	reply->sq_psn = qp->attr.qp_state < IBV_QPS_RTS ? attr->sq_psn : qp->psn & 0xffffff;
	reply->dest_qp_num = attr->dest_qp_num;
	reply->qp_access_flags = (uint32_t)attr->qp_access_flags;
	reply->pkey_index = attr->pkey_index;
	reply->qp_state = (uint8_t)attr->qp_state;
	reply->cur_qp_state = (uint8_t)attr->qp_state;
	reply->path_mtu = (uint8_t)attr->path_mtu;
	reply->path_mig_state = IBV_MIG_MIGRATED;
	reply->sq_draining = attr->qp_state == IBV_QPS_SQD && qp->pendings;
	reply->max_rd_atomic = attr->max_rd_atomic;
	reply->max_dest_rd_atomic = attr->max_dest_rd_atomic;
	reply->min_rnr_timer = attr->min_rnr_timer;
	reply->port_num = attr->port_num;
	reply->timeout = attr->timeout;
	reply->retry_cnt = attr->retry_cnt;
	reply->rnr_retry = attr->rnr_retry;
	reply->sq_sig_all = qp->signal_all;
}
