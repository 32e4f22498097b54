// SPDX-License-Identifier: Apache-2.0
/* The requester's half of a queue pair: reads what is posted to the send queue, sends it, and completes it in its order. */
#include "connectx.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum {
	RNR_RETRY_FOREVER = 7,
	RETRY_NS = 100000000, /* where the program has set no timeout */
	UD_MTU = 4096,
};

static pthread_cond_t reads_done = PTHREAD_COND_INITIALIZER;

/* What is posted, as one piece: it may wrap around the end of the queue. */
struct wqe {
	_Alignas(16) char bytes[64 * 16];
	uint16_t index;
	size_t size;
};

static void read_wqe(const struct qp *qp, struct wqe *wqe)
{
	const struct mlx5_wqe_ctrl_seg *ctrl = (const void *)wqe->bytes;

	wqe->index = qp->sent;
	wqe->size = sizeof(*ctrl);
	for (size_t at = 0; at < wqe->size; at += MLX5_SEND_WQE_BB) {
		uint16_t block = (uint16_t)(wqe->index + at / MLX5_SEND_WQE_BB);

		memcpy(wqe->bytes + at, qp->sq + (size_t)(block & (qp->sq_size - 1)) * MLX5_SEND_WQE_BB,
		       MLX5_SEND_WQE_BB);
		wqe->size = (be32toh(ctrl->qpn_ds) & 0x3f) * 16u;
	}
}

static uint16_t blocks(const struct wqe *wqe)
{
	uint16_t count = (uint16_t)((wqe->size + MLX5_SEND_WQE_BB - 1) / MLX5_SEND_WQE_BB);

	return count ? count : 1;
}

/* Adds bytes of the queue itself. */
static void add_inline(const struct qp *qp, const struct wqe *wqe, size_t at, size_t length, struct pending *pending)
{
	const size_t ring = (size_t)qp->sq_size * MLX5_SEND_WQE_BB;

	at = ((size_t)wqe->index * MLX5_SEND_WQE_BB + at) % ring;
	while (length) {
		size_t part = length < ring - at ? length : ring - at;

		pending->piece[pending->pieces++] = (struct iovec){qp->sq + at, part};
		length -= part;
		at = 0;
	}
}

static uint8_t find_data(const struct qp *qp, const struct wqe *wqe, size_t at, uint32_t access, struct pending *pending)
{
	while (at + sizeof(struct mlx5_wqe_data_seg) <= wqe->size && pending->pieces < MAX_PIECES - 1) {
		const struct mlx5_wqe_data_seg *segment = (const void *)(wqe->bytes + at);
		uint32_t length = be32toh(segment->byte_count);

		if (length & MLX5_INLINE_SEG) {
			length &= ~MLX5_INLINE_SEG;
			if (at + sizeof(struct mlx5_wqe_inl_data_seg) + length > wqe->size)
				return MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
			add_inline(qp, wqe, at + sizeof(struct mlx5_wqe_inl_data_seg), length, pending);
			at += (sizeof(struct mlx5_wqe_inl_data_seg) + length + 15) & ~15ul;
		} else {
			if (!memory_find(qp->pd, be32toh(segment->lkey), be64toh(segment->addr), length, access,
					 &pending->piece[pending->pieces++]))
				return MLX5_CQE_SYNDROME_LOCAL_PROT_ERR;
			at += sizeof(*segment);
		}
		if (pending->length + (uint64_t)length > MAX_MESSAGE)
			return MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR;
		pending->length += length;
	}
	return 0;
}

static void set_datagram(const struct qp *qp, const struct mlx5_wqe_av *av, struct frame *frame)
{
	const uint32_t qkey = be32toh(av->key.qkey.qkey), flags = be32toh(av->grh_gid_fl);

	frame->to = be32toh(av->dqp_dct) & 0xffffff;
	frame->qkey = qkey & 0x80000000 ? qp->attr.qkey : qkey;
	memcpy(frame->dgid, av->rgid, sizeof(frame->dgid));
	device_gid(qp->object.context->device, flags >> 20 & 0xff, frame->sgid);
	frame->flow_label = flags & 0xfffff;
	frame->traffic_class = av->tclass;
	frame->hop_limit = av->hop_limit;
	frame->sl = av->stat_rate_sl & 0xf;
}

static void set_connected(const struct qp *qp, struct frame *frame)
{
	const struct ibv_ah_attr *ah = &qp->attr.ah_attr;

	frame->to = qp->attr.dest_qp_num;
	memcpy(frame->dgid, ah->grh.dgid.raw, sizeof(frame->dgid));
	frame->sl = ah->sl;
}

/* Reads a request into the frame and what is kept until its reply; returns why it cannot be sent, 0 if it can. */
static uint8_t understand(struct qp *qp, const struct wqe *wqe, struct frame *frame, struct pending *pending)
{
	const struct mlx5_wqe_ctrl_seg *ctrl = (const void *)wqe->bytes;
	const bool connected = qp->type != IBV_QPT_UD;
	size_t at = sizeof(*ctrl);
	uint32_t access = 0;

	frame->immediate = ctrl->imm;
	frame->solicited = ctrl->fm_ce_se & MLX5_WQE_CTRL_SOLICITED;
	if (connected) {
		set_connected(qp, frame);
	} else {
		set_datagram(qp, (const void *)(wqe->bytes + at), frame);
		at += sizeof(struct mlx5_wqe_datagram_seg);
	}
	switch (frame->opcode) {
	case MLX5_OPCODE_UMR:
		return window_change(qp, be32toh(ctrl->imm), wqe->bytes + at, wqe->size - at);
	case MLX5_OPCODE_SEND:
	case MLX5_OPCODE_SEND_IMM:
	case MLX5_OPCODE_SEND_INVAL:
		break;
	case MLX5_OPCODE_ATOMIC_CS:
	case MLX5_OPCODE_ATOMIC_FA:
	case MLX5_OPCODE_RDMA_READ:
		if (qp->type != IBV_QPT_RC || !qp->attr.max_rd_atomic)
			return MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
		pending->reads = true;
		access = IBV_ACCESS_LOCAL_WRITE;
		/* fall through */
	case MLX5_OPCODE_RDMA_WRITE:
	case MLX5_OPCODE_RDMA_WRITE_IMM:
		if (!connected)
			return MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
		const struct mlx5_wqe_raddr_seg *remote = (const void *)(wqe->bytes + at);

		frame->address = be64toh(remote->raddr);
		frame->rkey = be32toh(remote->rkey);
		at += sizeof(*remote);
		break;
	default:
		return MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
	}
	if (frame->opcode == MLX5_OPCODE_ATOMIC_CS || frame->opcode == MLX5_OPCODE_ATOMIC_FA) {
		const struct mlx5_wqe_atomic_seg *atomic = (const void *)(wqe->bytes + at);

		frame->swap_add = be64toh(atomic->swap_add);
		frame->compare = be64toh(atomic->compare);
		at += sizeof(*atomic);
	}
	uint8_t syndrome = find_data(qp, wqe, at, access, pending);

	if (!syndrome && !connected && pending->length > UD_MTU)
		syndrome = MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR;
	frame->length = pending->length;
	return syndrome;
}

static bool is_atomic(const struct pending *pending)
{
	return pending->opcode == MLX5_OPCODE_ATOMIC_CS || pending->opcode == MLX5_OPCODE_ATOMIC_FA;
}

/* What is read goes into the completion, if there is one and it has room. */
static void prepare_result(struct qp *qp, struct pending *pending, struct frame *frame)
{
	const uint32_t room = qp->send_cq->cqe_size == 128 ? 2 * SCATTER_BYTES : SCATTER_BYTES;

	if (pending->reads && qp->send_scatter && pending->signaled && pending->length && pending->length <= room)
		pending->scatter = pending->length;
	frame->pieces = is_atomic(pending) ? 0 : (uint32_t)pending->pieces;
	memcpy(frame->piece, pending->piece, sizeof(struct iovec) * frame->pieces);
	if (pending->scatter && !is_atomic(pending)) {
		frame->pieces = 1;
		frame->piece[0] = (struct iovec){pending->bounce, pending->length};
	}
}

static struct pending *pending_at(struct qp *qp, unsigned number)
{
	return &qp->pending[(qp->first_pending + number) % MAX_PENDING];
}

static void finish(struct qp *qp, struct pending *pending, uint8_t syndrome)
{
	pending->done = true;
	pending->syndrome = syndrome;
	if (pending->reads)
		qp->pending_reads--;
	pending->reads = false;
	if (!qp->pending_reads)
		pthread_cond_broadcast(&reads_done);
}

/* Waits until nobody writes into the memory of a queue pair any more. */
void requester_await_reads(struct qp *qp)
{
	card_wake();
	while (qp->pending_reads)
		card_await(&reads_done);
}

/* Returns to the first request without a reply. */
static void go_back(struct qp *qp, uint64_t wait)
{
	unsigned kept = 0;

	while (kept < qp->pendings && pending_at(qp, kept)->done)
		kept++;
	if (kept < qp->pendings) {
		qp->sent = pending_at(qp, kept)->wqe;
		qp->psn = pending_at(qp, kept)->psn;
	}
	for (unsigned i = kept; i < qp->pendings; i++)
		qp->pending_reads -= pending_at(qp, i)->reads;
	qp->pendings = kept;
	qp->epoch++;
	qp->resume_at = card_now() + wait;
}

/* There was no answer, and a card would have waited for one. */
static void time_out(struct qp *qp, struct pending *pending)
{
	if (qp->type != IBV_QPT_RC)
		finish(qp, pending, 0);
	else if (!qp->attr.timeout)
		go_back(qp, RETRY_NS);
	else if (qp->retries++ < qp->attr.retry_cnt)
		go_back(qp, 4096ull << qp->attr.timeout);
	else
		finish(qp, pending, MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR);
}

/* Sends the next request. Returns false if it has to wait for earlier ones. */
static bool send_next(struct qp *qp)
{
	struct wqe wqe;
	struct frame frame = {.kind = REQUEST, .from = qp->qpn, .type = (uint8_t)qp->type, .epoch = qp->epoch, .psn = qp->psn};
	struct pending *pending = pending_at(qp, qp->pendings);

	read_wqe(qp, &wqe);
	const struct mlx5_wqe_ctrl_seg *ctrl = (const void *)wqe.bytes;
	const bool local = (uint8_t)be32toh(ctrl->opmod_idx_opcode) == MLX5_OPCODE_UMR;

	/* A window must not change once more because an earlier request is sent again. */
	if ((ctrl->fm_ce_se & MLX5_WQE_CTRL_FENCE && qp->pending_reads) || (local && qp->pendings))
		return false;
	memset(pending, 0, offsetof(struct pending, bounce));
	pending->pieces = 0;
	pending->wqe = wqe.index;
	pending->opcode = frame.opcode = (uint8_t)be32toh(ctrl->opmod_idx_opcode);
	pending->signaled = (ctrl->fm_ce_se & 0xc) == MLX5_WQE_CTRL_CQ_UPDATE;
	frame.number = (uint32_t)(pending - qp->pending);
	uint8_t syndrome = frame.opcode == MLX5_OPCODE_NOP ? 0 : understand(qp, &wqe, &frame, pending);

	if (pending->reads && qp->pending_reads >= qp->attr.max_rd_atomic)
		return false;
	qp->pending_reads += pending->reads;
	qp->sent = (uint16_t)(qp->sent + blocks(&wqe));
	qp->pendings++;
	pending->psn = qp->psn;
	if (syndrome || local || frame.opcode == MLX5_OPCODE_NOP) {
		finish(qp, pending, syndrome);
		return true;
	}
	qp->psn++;
	prepare_result(qp, pending, &frame);
	int device = device_of_gid(frame.dgid);

	frame.device = (uint8_t)qp->object.context->device;
	frame.to_device = (uint8_t)device;
	if (device < 0 || !wire_send(&frame))
		time_out(qp, pending);
	return true;
}

static void complete(struct qp *qp, struct pending *pending)
{
	struct mlx5_cqe64 cqe = {
		.srqn_uidx = htobe32(qp->uidx),
		.byte_cnt = htobe32(pending->length),
		.sop_drop_qpn = htobe32((uint32_t)pending->opcode << 24 | qp->qpn),
		.wqe_counter = htobe16(pending->wqe),
		.op_own = MLX5_CQE_REQ << 4,
	};
	const struct iovec result = {pending->bounce, sizeof(uint64_t)};

	if (!pending->syndrome && is_atomic(pending) && !pending->scatter && pending->pieces &&
	    !memory_move(getpid(), &result, 1, pending->piece, pending->pieces, sizeof(uint64_t), true))
		pending->syndrome = MLX5_CQE_SYNDROME_LOCAL_PROT_ERR;
	if (!pending->syndrome) {
		if (pending->signaled)
			cq_add(qp->send_cq, &cqe, false, pending->bounce, pending->scatter);
		return;
	}
	cq_add_error(qp->send_cq, qp, MLX5_CQE_REQ_ERR, pending->opcode, pending->wqe, pending->syndrome);
	qp_fail(qp, qp->type == IBV_QPT_RC ? IBV_QPS_ERR : IBV_QPS_SQE);
}

static bool complete_in_order(struct qp *qp)
{
	bool worked = false;

	while (qp->pendings && pending_at(qp, 0)->done) {
		struct pending *pending = pending_at(qp, 0);

		qp->first_pending = (qp->first_pending + 1) % MAX_PENDING;
		qp->pendings--;
		complete(qp, pending);
		worked = true;
	}
	return worked;
}

/* Completes all that is posted with an error. Not while others may still write what was to be read into its memory: then the
 * last reply is followed by another call.
 */
void requester_flush(struct qp *qp)
{
	complete_in_order(qp);
	if (qp->pending_reads)
		return;
	for (unsigned i = 0; i < qp->pendings; i++) {
		struct pending *pending = pending_at(qp, i);

		cq_add_error(qp->send_cq, qp, MLX5_CQE_REQ_ERR, pending->opcode, pending->wqe,
			     MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	}
	qp->pendings = 0;
	qp->pending_reads = 0;
	qp->epoch++;
	qp->resume_at = 0;
	while (sends_posted(qp)) {
		struct wqe wqe;

		read_wqe(qp, &wqe);
		qp->sent = (uint16_t)(qp->sent + blocks(&wqe));
		cq_add_error(qp->send_cq, qp, MLX5_CQE_REQ_ERR,
			     (uint8_t)be32toh(((const struct mlx5_wqe_ctrl_seg *)wqe.bytes)->opmod_idx_opcode), wqe.index,
			     MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	}
}

bool requester_progress(struct qp *qp, uint64_t now)
{
	bool worked;

	if (qp->attr.qp_state == IBV_QPS_ERR || qp->attr.qp_state == IBV_QPS_SQE) {
		worked = !qp->pending_reads && sends_posted(qp);
		requester_flush(qp);
		return worked;
	}
	if (qp->attr.qp_state != IBV_QPS_RTS && qp->attr.qp_state != IBV_QPS_SQD)
		return false;
	worked = complete_in_order(qp);
	if (qp->attr.qp_state == IBV_QPS_SQD && !qp->pendings && qp->drain_awaited) {
		qp->drain_awaited = false;
		events_add(&qp->object.context->async, qp->user_handle, IBV_EVENT_SQ_DRAINED, &qp->asyncs_reported);
	}
	if (qp->resume_at > now)
		return worked;
	qp->resume_at = 0;
	while (qp->attr.qp_state == IBV_QPS_RTS && !qp->resume_at && qp->pendings < MAX_PENDING && sends_posted(qp) &&
	       send_next(qp))
		worked = true;
	return worked;
}

/* Receivers that are not ready ask for a time: table 46 of the InfiniBand specification, in units of 10 us. */
static uint64_t rnr_nanoseconds(uint32_t timer)
{
	static const uint16_t units[32] = {65536 - 1, 1,   2,	 3,    4,    6,	   8,	 12,   16,   24,   32,
					   48,	      64,  96,	 128,  192,  256,  384,  512,  768,  1024, 1536,
					   2048,      3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};

	return (timer & 31 ? units[timer & 31] : 65536ull) * 10000;
}

static void receiver_not_ready(struct qp *qp, struct pending *pending, uint32_t timer)
{
	if (qp->attr.rnr_retry != RNR_RETRY_FOREVER && qp->rnr_retries++ >= qp->attr.rnr_retry)
		finish(qp, pending, MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR);
	else
		go_back(qp, rnr_nanoseconds(timer));
}

void requester_reply(const struct frame *frame)
{
	struct qp *qp = qp_find(frame->to);

	if (!qp || frame->epoch != qp->epoch || frame->number >= MAX_PENDING)
		return;
	struct pending *pending = &qp->pending[frame->number];

	if ((frame->number - qp->first_pending) % MAX_PENDING >= qp->pendings || pending->done)
		return;
	switch (frame->answer) {
	case REPLY_DONE:
		if (is_atomic(pending))
			memcpy(pending->bounce, &frame->original, sizeof(frame->original));
		qp->retries = qp->rnr_retries = 0;
		finish(qp, pending, 0);
		break;
	case REPLY_DROPPED:
		time_out(qp, pending);
		break;
	case REPLY_RNR:
		receiver_not_ready(qp, pending, frame->rnr_timer);
		break;
	default:
		finish(qp, pending, (uint8_t)frame->answer);
	}
	complete_in_order(qp);
}

/* What a process has not answered it never will. */
void requester_peer_died(uint32_t process)
{
	uint32_t handle = 0;
	struct object *object;

	while ((object = object_next(&handle, QP))) {
		struct qp *qp = (struct qp *)object;
		unsigned i = 0;

		/* Of a datagram queue pair each may have gone elsewhere: a card completes what it has sent. */
		while (i < qp->pendings && (pending_at(qp, i)->done ||
					    (qp->type != IBV_QPT_UD && qp->attr.dest_qp_num >> QP_INDEX_BITS != process)))
			i++;
		if (i < qp->pendings)
			time_out(qp, pending_at(qp, i));
	}
}
