// SPDX-License-Identifier: Apache-2.0
/* The responder's half of a queue pair: does what requests ask for, in this process and in the memory of who asks. */
#include "connectx.h"

#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <string.h>
#include <unistd.h>

static void fail(struct qp *qp, struct frame *reply, uint8_t syndrome, enum ibv_event_type event)
{
	if (qp->type != IBV_QPT_RC) { /* which do not answer */
		reply->answer = REPLY_DROPPED;
		return;
	}
	reply->answer = REPLY_SYNDROME | syndrome;
	events_add(&qp->object.context->async, qp->user_handle, event, &qp->asyncs_reported);
	qp_fail(qp, IBV_QPS_ERR);
}

/* The request is right, the program's receive is not. */
static void fail_receive(struct qp *qp, struct frame *reply, const struct receive *receive, uint8_t own, uint8_t remote)
{
	cq_add_error(qp->recv_cq, qp, MLX5_CQE_RESP_ERR, 0, receive->wqe, own);
	reply->answer = qp->type == IBV_QPT_RC ? REPLY_SYNDROME | remote : REPLY_DROPPED;
	qp_fail(qp, IBV_QPS_ERR);
}

static uint16_t checksum(const void *header)
{
	const uint16_t *word = header;
	uint32_t sum = 0;

	for (int i = 0; i < 10; i++)
		sum += word[i];
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t) ~(sum + (sum >> 16));
}

/* The 40 bytes before a datagram: an IPv6 header, or an IPv4 one in the last twenty. */
static void write_grh(const struct frame *request, uint8_t grh[GRH_BYTES])
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	const uint32_t udp = 8 + 12 + 4; /* UDP, BTH, ICRC; and a datagram's own header */

	memset(grh, 0, GRH_BYTES);
	if (!memcmp(request->dgid, mapped, sizeof(mapped))) {
		struct iphdr *ip = (struct iphdr *)(grh + 20);

		ip->version = 4;
		ip->ihl = 5;
		ip->tos = request->traffic_class;
		ip->tot_len = htobe16((uint16_t)(sizeof(*ip) + udp + 8 + request->length));
		ip->frag_off = htobe16(IP_DF);
		ip->ttl = request->hop_limit;
		ip->protocol = IPPROTO_UDP;
		memcpy(&ip->saddr, request->sgid + 12, 4);
		memcpy(&ip->daddr, request->dgid + 12, 4);
		ip->check = checksum(ip);
	} else {
		struct ip6_hdr *ip = (struct ip6_hdr *)grh;

		ip->ip6_flow = htobe32(6u << 28 | (uint32_t)request->traffic_class << 20 | request->flow_label);
		ip->ip6_plen = htobe16((uint16_t)(udp + 8 + request->length));
		ip->ip6_nxt = IPPROTO_UDP;
		ip->ip6_hlim = request->hop_limit;
		memcpy(&ip->ip6_src, request->sgid, 16);
		memcpy(&ip->ip6_dst, request->dgid, 16);
	}
}

static void complete(struct qp *qp, const struct frame *request, const struct receive *receive, const void *data,
		     uint32_t scatter)
{
	const bool datagram = qp->type == IBV_QPT_UD;
	const bool immediate = request->opcode != MLX5_OPCODE_SEND; /* or a key */
	struct mlx5_cqe64 cqe = {
		.srqn_uidx = htobe32(qp->uidx),
		.imm_inval_pkey = immediate ? request->immediate : 0,
		.byte_cnt = htobe32((uint32_t)request->length + (datagram ? GRH_BYTES : 0)),
		.sop_drop_qpn = htobe32(qp->qpn),
		.wqe_counter = htobe16(receive->wqe),
		.op_own = (request->opcode == MLX5_OPCODE_RDMA_WRITE_IMM ? MLX5_CQE_RESP_WR_IMM
			   : request->opcode == MLX5_OPCODE_SEND_INVAL	 ? MLX5_CQE_RESP_SEND_INV
			   : immediate				       ? MLX5_CQE_RESP_SEND_IMM
								       : MLX5_CQE_RESP_SEND)
			  << 4,
	};

	if (datagram)
		cqe.flags_rqpn = htobe32(1u << 28 | (uint32_t)request->sl << 24 | request->from);
	cq_add(qp->recv_cq, &cqe, request->solicited, data, scatter);
}

static bool find_remote(struct qp *qp, const struct frame *request, uint64_t length, uint32_t access, struct frame *reply,
			struct iovec *piece)
{
	*piece = (struct iovec){NULL, 0};
	if (!(qp->attr.qp_access_flags & access)) {
		fail(qp, reply, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR, IBV_EVENT_QP_REQ_ERR);
		return false;
	}
	if (length && !memory_find(qp->pd, request->rkey, request->address, length, access, piece) &&
	    !window_find(qp, request->rkey, request->address, length, access, piece)) {
		fail(qp, reply, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR);
		return false;
	}
	return true;
}

/* Takes a receive; without one the reply asks for patience. */
static bool find_receive(struct qp *qp, const struct frame *request, struct receive *receive, size_t needed,
			 struct frame *reply)
{
	if (receive_take(qp, receive, needed))
		return true;
	reply->answer = qp->type == IBV_QPT_RC ? REPLY_RNR : REPLY_DROPPED;
	reply->rnr_timer = qp->attr.min_rnr_timer;
	(void)request;
	return false;
}

static void receive_message(struct qp *qp, const struct frame *request, pid_t pid, struct frame *reply)
{
	const size_t header = qp->type == IBV_QPT_UD ? GRH_BYTES : 0;
	const uint32_t room = qp->recv_cq->cqe_size == 128 ? 2 * SCATTER_BYTES : SCATTER_BYTES;
	const bool scatter = qp->receive_scatter && request->length && request->length <= room;
	struct receive receive;
	char data[2 * SCATTER_BYTES];
	uint8_t grh[GRH_BYTES];
	const struct iovec grh_piece = {grh, header};

	if (!find_receive(qp, request, &receive, header + request->length, reply))
		return;
	if (request->opcode == MLX5_OPCODE_SEND_INVAL && !window_invalidate(qp, be32toh(request->immediate))) {
		fail_receive(qp, reply, &receive, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR, MLX5_CQE_SYNDROME_REMOTE_OP_ERR);
		return;
	}
	if (receive.length < header + request->length) {
		fail_receive(qp, reply, &receive, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR,
			     MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR);
		return;
	}
	if (!receive.allowed) {
		fail_receive(qp, reply, &receive, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR, MLX5_CQE_SYNDROME_REMOTE_OP_ERR);
		return;
	}
	if (header) {
		write_grh(request, grh);
		memory_move(getpid(), &grh_piece, 1, receive.piece, receive.pieces, header, true);
		receive.pieces = pieces_skip(receive.piece, receive.pieces, header);
	}
	if (scatter ? !memory_read(pid, data, request->piece, (int)request->pieces, request->length)
		    : request->length && !memory_move(pid, receive.piece, receive.pieces, request->piece,
						      (int)request->pieces, request->length, false)) {
		fail_receive(qp, reply, &receive, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR, MLX5_CQE_SYNDROME_REMOTE_OP_ERR);
		return;
	}
	complete(qp, request, &receive, data, scatter ? (uint32_t)request->length : 0);
}

static void write_memory(struct qp *qp, const struct frame *request, pid_t pid, struct frame *reply)
{
	const bool immediate = request->opcode == MLX5_OPCODE_RDMA_WRITE_IMM;
	struct receive receive;
	struct iovec piece;

	if (!find_remote(qp, request, request->length, IBV_ACCESS_REMOTE_WRITE, reply, &piece) ||
	    (immediate && !find_receive(qp, request, &receive, 0, reply)))
		return;
	if (request->length &&
	    !memory_move(pid, &piece, 1, request->piece, (int)request->pieces, request->length, false))
		fail(qp, reply, MLX5_CQE_SYNDROME_REMOTE_OP_ERR, IBV_EVENT_QP_FATAL);
	else if (immediate)
		complete(qp, request, &receive, NULL, 0);
}

static void read_memory(struct qp *qp, const struct frame *request, pid_t pid, struct frame *reply)
{
	struct iovec piece;

	if (find_remote(qp, request, request->length, IBV_ACCESS_REMOTE_READ, reply, &piece) && request->length &&
	    !memory_move(pid, &piece, 1, request->piece, (int)request->pieces, request->length, true))
		fail(qp, reply, MLX5_CQE_SYNDROME_REMOTE_OP_ERR, IBV_EVENT_QP_FATAL);
}

/* Atomic among all operations of this card, which does one at a time, as IBV_ATOMIC_HCA says. */
static void change_memory(struct qp *qp, const struct frame *request, struct frame *reply)
{
	struct iovec piece;
	uint64_t value;
	const struct iovec mine = {&value, sizeof(value)};

	if (request->address % sizeof(value)) {
		fail(qp, reply, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR, IBV_EVENT_QP_REQ_ERR);
		return;
	}
	if (!find_remote(qp, request, sizeof(value), IBV_ACCESS_REMOTE_ATOMIC, reply, &piece))
		return;
	if (!memory_read(getpid(), &value, &piece, 1, sizeof(value))) {
		fail(qp, reply, MLX5_CQE_SYNDROME_REMOTE_OP_ERR, IBV_EVENT_QP_FATAL);
		return;
	}
	reply->original = value;
	if (request->opcode == MLX5_OPCODE_ATOMIC_FA)
		value += request->swap_add;
	else if (value == request->compare)
		value = request->swap_add;
	if (value != reply->original)
		memory_move(getpid(), &mine, 1, &piece, 1, sizeof(value), true);
}

/* Whether a card would look at the request at all. */
static bool accepts(const struct qp *qp, const struct frame *request)
{
	const enum ibv_qp_state state = qp ? qp->attr.qp_state : IBV_QPS_RESET;

	if (state != IBV_QPS_RTR && state != IBV_QPS_RTS && state != IBV_QPS_SQD && state != IBV_QPS_SQE)
		return false;
	if (qp->type != request->type || qp->object.context->device != request->to_device)
		return false;
	if (qp->type == IBV_QPT_UD)
		return qp->attr.qkey == request->qkey;
	if (qp->attr.dest_qp_num != request->from)
		return false;
	return qp->type == IBV_QPT_UC || ((qp->expected_psn ^ request->psn) & 0xffffff) == 0;
}

void responder_request(const struct frame *request, pid_t pid)
{
	struct qp *qp = qp_find(request->to);
	struct frame reply = {.kind = REPLY,
			      .from = request->to,
			      .to = request->from,
			      .epoch = request->epoch,
			      .number = request->number,
			      .answer = REPLY_DONE};
	const bool reads = request->opcode == MLX5_OPCODE_RDMA_READ || request->opcode == MLX5_OPCODE_ATOMIC_CS ||
			   request->opcode == MLX5_OPCODE_ATOMIC_FA;

	if (!accepts(qp, request)) {
		reply.answer = REPLY_DROPPED;
	} else if (reads && !qp->attr.max_dest_rd_atomic) {
		fail(qp, &reply, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR, IBV_EVENT_QP_REQ_ERR);
	} else {
		switch (request->opcode) {
		case MLX5_OPCODE_SEND:
		case MLX5_OPCODE_SEND_IMM:
		case MLX5_OPCODE_SEND_INVAL:
			receive_message(qp, request, pid, &reply);
			break;
		case MLX5_OPCODE_RDMA_WRITE:
		case MLX5_OPCODE_RDMA_WRITE_IMM:
			write_memory(qp, request, pid, &reply);
			break;
		case MLX5_OPCODE_RDMA_READ:
			read_memory(qp, request, pid, &reply);
			break;
		default:
			change_memory(qp, request, &reply);
		}
		if (reply.answer == REPLY_DONE)
			qp->expected_psn++;
	}
	wire_send(&reply);
}

/* Completes all receives with an error; those of a shared queue are for others, and only the end is told. */
void responder_flush(struct qp *qp)
{
	struct receive receive;

	if (qp->srq) {
		if (!qp->error_told)
			events_add(&qp->object.context->async, qp->user_handle, IBV_EVENT_QP_LAST_WQE_REACHED,
				   &qp->asyncs_reported);
		qp->error_told = true;
		return;
	}
	while (receive_take(qp, &receive, 0))
		cq_add_error(qp->recv_cq, qp, MLX5_CQE_RESP_ERR, 0, receive.wqe, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
}
